#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# wheel.sh BUILD CUDA_FOLDER COMMAND...: COMMAND makes the wheel in BUILD. In a bare virtual environment, away from
# source and build, it brings the program, its kernels and recordings, and the module; NVIDIA's wheels beside it are found.
# Skipped where python3-venv or pip's network are missing.
set -eu
build=$1 cuda=$2
shift 2
here=$(cd "$(dirname "$0")" && pwd)
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
export CCACHE_NOHASHDIR=1 # what BUILD has compiled is taken from there, where ./quickstart test says the same
status=0
"$@" >"$elsewhere/log" 2>&1 || status=$?
if [ $status -ne 0 ]; then
    tail -n 40 "$elsewhere/log"
    grep -q 'could not be had' "$elsewhere/log" && exit 77
    exit 1
fi
wheel=$(ls "$build"/rooftune-*-py3-none-manylinux_2_34_*.whl)
[ "$(du -k "$wheel" | cut -f1)" -lt 20480 ] || { echo "$wheel has more than 20 MiB"; exit 1; }

venv="$elsewhere/a venv" # a path with a space, as users have them
python3 -m venv --without-pip "$venv"
"$build/wheel-tools/bin/python" -m pip --disable-pip-version-check --python "$venv/bin/python" install --quiet \
    --no-index --no-deps "$wheel"
site=$("$venv/bin/python" -c 'import sysconfig; print(sysconfig.get_path("purelib"))')
"$venv/bin/python" -m zipfile -e "$wheel" "$elsewhere/unpacked"
"$here/glibc.sh" "$elsewhere/unpacked" libz.so.1 # which a manylinux wheel may expect

# NVIDIA's wheels as pip would lay them beside. The library is copied: the program tells where links lead.
nvrtc=$(ls "$cuda"/lib*/libnvrtc.so.13 2>/dev/null | head -n 1)
if [ -n "$nvrtc" ]; then
    mkdir -p "$site/nvidia/cu13/lib"
    cp -L "$(dirname "$nvrtc")"/libnvrtc.so.13 "$(dirname "$nvrtc")"/libnvrtc-builtins.so.13.* "$site/nvidia/cu13/lib/"
    ln -s "$cuda/include" "$site/nvidia/cu13/include"
fi
mkdir "$elsewhere/here"
cd "$elsewhere/here"
# `env -i`: neither CUDA_HOME nor a PATH to something else.
said() { env -i RFT_CACHE="$elsewhere/cache" HOME="$elsewhere" "$venv/bin/rooftune" "$@"; }
said --version
for part in man/man1/rooftune.1 bash-completion/completions/rooftune; do
    [ -s "$venv/share/$part" ] || { echo "share/$part is missing"; exit 1; }
done
if [ -n "$nvrtc" ]; then
    said devices | grep >/dev/null 'site-packages/nvidia/cu13/lib/libnvrtc' || { said devices; echo "NVRTC is not taken from site-packages"; exit 1; }
    said check sweeps/quick.lua --sample 1 | grep >/dev/null 'compiled' || { said check sweeps/quick.lua --sample 1; exit 1; }
fi
said show sweeps/recorded/nvidia-h200/quick.json.gz | grep >/dev/null 'NVIDIA H200'
env -i RFT_CACHE="$elsewhere/cache" HOME="$elsewhere" "$venv/bin/python" "$here/try_module.py"
