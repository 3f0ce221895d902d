#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# links.sh ROOT: every link of a page leads to a file that is there, and docs/README.md lists every page of docs/.
set -u
cd "$1" || exit 2
bad=0
for page in *.md docs/*.md sweeps/recorded/*.md; do
    folder=$(dirname "$page")
    for link in $(grep -o '](\([^)# ]*\)' "$page" | sed 's/^](//' | grep -v '^[a-z]*:' | sort -u); do
        [ -e "$folder/$link" ] || { echo "$page: no file $link"; bad=1; }
    done
done
for page in docs/*.md; do
    name=$(basename "$page")
    [ "$name" = README.md ] || grep -q "]($name)" docs/README.md || { echo "docs/README.md: lacks $name"; bad=1; }
done
exit $bad
