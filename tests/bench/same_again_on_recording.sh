#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# same_again_on_recording.sh SAME_AGAIN SOURCE: the program on run files of one card that say the same, on what is no
# pair, and on what cannot be read. 77: no recording.
set -eu
again=$1 source=$2
recorded=$source/sweeps/recorded/nvidia-h200/working_set.json.gz
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
[ -f "$recorded" ] || { echo "skipped: no recording"; exit 77; }
RFT_NVRTC=off RFT_CACHE=$scratch/cache
export RFT_NVRTC RFT_CACHE

fail() {
    echo "FAILED: $*"
    cat out
    exit 1
}
mkdir runs
for i in 1 2 3 4; do
    "$ROOFTUNE" run "$source/sweeps/working_set.lua" -d "replay:$recorded" -o runs/$i.db --no-report >out 2>&1 ||
        fail "no run $i"
done
"$again" --judge --draws 5 runs >out 2>&1 || fail "equal runs miss no goal"
grep -q ', 4 runs$' out || fail "the four runs are not one group"
grep -q 'false verdicts  *0 of [1-9][0-9]*, 0.0 % \[0.0, [0-9.]*\]; goal: none: met' out || fail "no line of false verdicts"
grep -q 'all pairs (not independent)  *0 of [1-9]' out || fail "no line of all pairs"
grep -q '^0 goals missed' out || fail "no sum"
status=0
"$again" --judge runs/1.db >out 2>&1 || status=$?
[ $status = 1 ] || fail "one run is no pair: status 1, not $status"
grep -q 'no two runs of the same sweeps on one card' out || fail "what is missing is not told"
status=0
"$again" --judge runs/1.db nowhere.db >out 2>&1 || status=$?
[ $status = 1 ] && grep -q 'nowhere.db' out || fail "a file that is not there is named"
