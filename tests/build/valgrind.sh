#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# valgrind.sh SOURCE BUILD: the program itself, as it is shipped, without sanitizers: no invalid access, no leak, no
# decision on unset memory, from a recording to its tables, its run file and its PDF, and over a sweep's whole space.
set -eu
source=$1
rooftune=$2/rooftune
command -v valgrind >/dev/null || { echo "valgrind not found"; exit 77; }
recording=$source/sweeps/recorded/nvidia-h200/argmax.json.gz
[ -e "$recording" ] || { echo "no recording to read"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

checked() {
    echo "$*"
    valgrind -q --leak-check=full --show-leak-kinds=definite,indirect --errors-for-leak-kinds=definite,indirect \
        --error-exitcode=99 "$rooftune" "$@" >out
}
checked show "$recording"
checked import "$recording" -o a.db
checked best a.db
checked export a.db -o again.json.gz
checked report a.db -o a.pdf
checked check "$source/sweeps/gemv.lua" --sample 0
