#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# rungs.sh ROOFTUNE ROOT [--write]: the table of docs/hardware.md that tells how many variants of a sweep exist on which
# architecture, of all sweeps where that differs. Held against what `check` counts; --write puts it there.
set -u
rooftune=$1
cd "$2" || exit 2
archs="sm_75 sm_80 sm_89 sm_90a sm_100a sm_120a"
export RFT_NVRTC=off RFT_CACHE=off
made=$(mktemp)
trap 'rm -f "$made" "$made.page"' EXIT
{
    echo "| sweep | $(echo "$archs" | sed 's/ / | /g') |"
    echo "| --- | --- | --- | --- | --- | --- | --- |"
    for sweep in sweeps/*.lua; do
        row=""
        for arch in $archs; do
            # "NAME: 30 of 36 valid over all problems; nothing is tuned": a line a variant
            count=$("$rooftune" check "$sweep" --arch "$arch" --sample 0 2>/dev/null |
                sed -n 's/^  .*: \([0-9,]*\) of [0-9,]* valid over all problems.*$/\1/p' |
                awk '{ all++ } $1 != "0" { there++ } END { if (all) print there + 0 "/" all; else print "0" }')
            row="$row | $count"
        done
        echo "$row" | tr '|' '\n' | sed 1d | tr -d ' ' | sort -u | awk -F/ 'END { exit NR < 2 && $1 == $2 }' || continue
        echo "| $(basename "$sweep" .lua)$row |" | sed 's/| \([0-9]*\)\/\1 /| all /g'
    done
} >"$made"
if [ "${3:-}" = --write ]; then
    awk -v table="$made" '/^<!-- rungs -->$/ { print; while ((getline line < table) > 0) print line; skip = 1; next }
        /^<!-- end -->$/ { skip = 0 } !skip' docs/hardware.md >"$made.page" && cp "$made.page" docs/hardware.md
    exit
fi
sed -n '/^<!-- rungs -->$/,/^<!-- end -->$/p' docs/hardware.md | sed '1d;$d' | diff - "$made" || {
    echo "docs/hardware.md has another table: tests/lint/rungs.sh ROOFTUNE . --write"
    exit 1
}
echo "$(wc -l <"$made") lines"
