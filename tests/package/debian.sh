#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# debian.sh CPACK BUILD: the Debian package, installed below a root of its own, runs, and its removal leaves nothing. Its
# dependencies are those of the program, and what Debian's policy wants is there. Packed by gzip: xz takes 10 s longer.
set -eu
cpack=$1 build=$2
for tool in dpkg-shlibdeps dpkg-deb dpkg; do
    command -v $tool >/dev/null || { echo "skipped: no $tool"; exit 77; }
done
root=$(mktemp -d)
trap 'rm -rf "$root"' EXIT
fail() {
    echo "$@"
    exit 1
}
"$cpack" --config "$build/CPackConfig.cmake" -D CPACK_DEBIAN_COMPRESSION_TYPE=gzip -B "$root/made" >"$root/log" 2>&1 || fail "$(tail -n 30 "$root/log")"
package=$(ls "$root"/made/rooftune_*.deb)
depends=$(dpkg-deb -f "$package" Depends)
for soname in $(readelf -d "$build/rooftune" | sed -n 's/.*(NEEDED).*\[lib\([a-z]*\).*/\1/p'); do
    case $soname in
    m | dl | rt | pthread | ld) continue ;;
    esac
    case $depends in *"lib$soname"*) ;; *) fail "no package of lib$soname in \"$depends\"" ;; esac
done
case $depends in *"libc6 (>= 2.3"[0-4]*) ;; *) fail "\"$depends\" needs another glibc than 2.34" ;; esac

mkdir -p "$root/system/var/lib/dpkg/info" "$root/system/var/lib/dpkg/updates" "$root/system/var/log"
: >"$root/system/var/lib/dpkg/status"
administer() {
    dpkg --root="$root/system" --force-not-root --force-depends --log=/dev/null "$@" >"$root/log" 2>&1 ||
        fail "$(cat "$root/log")"
}
if [ "$(id -u)" -eq 0 ]; then
    administer --install "$package"
else
    dpkg-deb -x "$package" "$root/system" # files of root's are not to be had
fi
system=$root/system/usr
"$system/bin/rooftune" --version
! readelf -d "$system/bin/rooftune" | grep -E 'RPATH|RUNPATH' || fail "a program of /usr/bin looks for libraries beside it"
for part in rooftune/kernels/copy/copy_scale.cu rooftune/sweeps/recorded/nvidia-h200/quick.json.gz man/man1/rooftune.1.gz \
    bash-completion/completions/rooftune zsh/vendor-completions/_rooftune fish/vendor_completions.d/rooftune.fish doc/rooftune/copyright doc/rooftune/changelog.gz; do
    [ -s "$system/share/$part" ] || fail "share/$part is missing"
done
[ ! -e /usr/share/doc/fonts-liberation2/copyright ] || [ -s "$system/share/doc/rooftune/licences/fonts-liberation2" ] ||
    fail "the fonts came without their licence"
grep -q '^License: Apache-2.0' "$system/share/doc/rooftune/copyright" || fail "no licence"
gzip -dc "$system/share/man/man1/rooftune.1.gz" | grep '^.TH ROOFTUNE' >/dev/null || fail "no manual"
mkdir "$root/here"
cd "$root/here"
mv "$system/share/rooftune/sweeps/gemv.lua" "$system/share/rooftune/sweeps/of_the_package.lua"
env -i "$system/bin/rooftune" check sweeps/of_the_package.lua --sample 0 | grep valid >/dev/null ||
    fail "its sweeps are not found"
mv "$system/share/rooftune/sweeps/of_the_package.lua" "$system/share/rooftune/sweeps/gemv.lua"
if [ "$(id -u)" -eq 0 ]; then
    administer --purge rooftune
    [ -z "$(find "$system" -type f)" ] || fail "left behind: $(find "$system" -type f)"
fi
