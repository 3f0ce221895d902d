#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# dist.sh SOURCE BUILD: the tarball, unpacked elsewhere, runs with an empty environment on its own libraries and finds
# its kernels.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
source=$1 build=$2
elsewhere=$(mktemp -d)
trap 'rm -rf "$elsewhere"' EXIT
"$source/cmake/package.sh" dist "$source" "$build" rooftune-test
tar -C "$elsewhere" -xzf "$build/rooftune-test.tar.gz"
rm -r "$build/rooftune-test.tar.gz" "$build/dist/rooftune-test"
tree=$elsewhere/rooftune-test

"$here/glibc.sh" "$tree"
ldd "$tree/rooftune" | grep -E 'hpdf|png|libz' | while read -r line; do
    case $line in
    *"=> $tree/"*) ;;
    *) echo "not taken from the tarball: $line"; exit 1 ;;
    esac
done
for part in kernels sweeps LICENSE; do
    [ -e "$tree/$part" ] || { echo "$part is missing"; exit 1; }
done
[ ! -e /usr/share/doc/libmd-dev/copyright ] || grep -q Copyright "$tree/licences/libmd-dev"
[ ! -e /usr/share/doc/fonts-liberation2/copyright ] || grep -q 'SIL OPEN FONT LICENSE' "$tree/licences/fonts-liberation2"
cd /
env -i "$tree/rooftune" --version
env -i "$tree/rooftune" --help | grep -q 'report'
