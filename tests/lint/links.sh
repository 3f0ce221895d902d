#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# links.sh ROOT: every link of a page leads to a file, and to a heading of it, that is there; docs/README.md lists every
# page of docs/.
set -u
LC_ALL=C
export LC_ALL
cd "$1" || exit 2
bad=0
# A heading's anchor as GitHub makes it: lower case, without punctuation, a hyphen a space.
anchors() {
    sed -n '/^```/,/^```$/!s/^##* *//p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9_ -]//g;s/ /-/g'
}
for page in *.md docs/*.md sweeps/recorded/*.md; do
    folder=$(dirname "$page")
    for link in $(grep -o '](\([^) ]*\))' "$page" | sed 's/^](//;s/)$//' | grep -v '^[a-z]*:' | sort -u); do
        file=${link%%#*}
        [ -e "$folder/$file" ] || { echo "$page: no file $link"; bad=1; continue; }
        case $link in *#*) ;; *) continue ;; esac
        [ -n "$file" ] && file=$folder/$file || file=$page
        anchors "$file" | grep -qxF "${link#*#}" || { echo "$page: no heading $link"; bad=1; }
    done
done
for page in docs/*.md; do
    name=$(basename "$page")
    [ "$name" = README.md ] || grep -q "]($name)" docs/README.md || { echo "docs/README.md: lacks $name"; bad=1; }
done
exit $bad
