#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# install.sh CMAKE BUILD: what `cmake --install` puts down runs from there.
set -eu
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
"$1" --install "$2" --prefix "$elsewhere" >/dev/null
"$elsewhere/bin/rooftune" --version
for part in share/rooftune/kernels/copy/copy_scale.cu share/rooftune/sweeps/quick.lua; do
    [ -e "$elsewhere/$part" ] || { echo "$part is missing"; exit 1; }
done
