#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh CMAKE BUILD: what `cmake --install` puts down runs from there, and from where it is moved to: sweeps and
# kernels are those beside it, which only it has.
set -eu
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
"$1" --install "$2" --prefix "$elsewhere/first" >/dev/null
mkdir "$elsewhere/a place"
mv "$elsewhere/first" "$elsewhere/a place/then"
prefix="$elsewhere/a place/then"
cd "$elsewhere"
"$prefix/bin/rooftune" --version
for part in share/rooftune/kernels/copy/copy_scale.cu share/rooftune/sweeps/quick.lua share/man/man1/rooftune.1 \
    share/bash-completion/completions/rooftune share/zsh/site-functions/_rooftune \
    share/fish/vendor_completions.d/rooftune.fish share/doc/rooftune/LICENSE; do
    [ -s "$prefix/$part" ] || { echo "$part is missing"; exit 1; }
done
share=$prefix/share/rooftune
for kernel in "$share"/kernels/*/gemv_fp16.lua; do mv "$kernel" "${kernel%/*}/moved.lua"; done
sed 's/kernels\.gemv_fp16/kernels.moved/' "$share/sweeps/gemv.lua" >"$share/sweeps/moved.lua"
env -i "$prefix/bin/rooftune" check sweeps/moved.lua --sample 0 | grep valid >/dev/null ||
    { echo "sweeps and kernels are not taken from where it was moved to"; exit 1; }
