# SPDX-License-Identifier: Apache-2.0
# What refine() may add is said before; what a recording of an unrefined sweep lacks, afterwards.
recording="$SOURCE/sweeps/recorded/nvidia-h200/gemv.json.gz"
[ -f "$recording" ] || skip "no recording of gemv"
sed 's/n = pow2_values(1024, 16384)/n = refine(pow2_values(1024, 16384), 2)/' "$SOURCE/sweeps/gemv.lua" >gemv.lua
grep -q refine gemv.lua || fail "sweeps/gemv.lua has another axis"
rooftune check gemv.lua --sample 0
expect_status 0
expect_out 'refine() may add up to 288 points where the bound changes'
rooftune check gemv.lua --sample 0 --json -
expect_out '"refine_points":288'
rooftune check "$SOURCE/sweeps/gemv.lua" --sample 0
expect_status 0
grep -q refine out && fail "it speaks of refine()"
export RFT_NVRTC=off # the recording answers alone
rooftune run gemv.lua -d "replay:$recording" -o g.db --events events.jsonl
expect_status 0
expect_err 'refine() may add up to 288 points'
expect_err 'refine() would measure n=3072, which the recording does not have'
grep -q '"event":"point".*"n":3072.*"refined":1' events.jsonl || fail "no event of a point that refine() added"
grep '"event":"progress"' events.jsonl | tail -1 | grep -q '"refined":[1-9]' || fail "progress does not say what was added"
grep '"event":"begin"' events.jsonl | grep -q '"refined":0,"refined_most":12' || fail "begin does not say what may come"
rooftune show g.db
expect_status 0
expect_out 'n=3072: nothing measured (refined)'
tr -s ' \n' ' ' <out | grep -q '; 410 of 500 combinations are valid; [1-9][0-9]* of the points are on 2 problems that refine() added' ||
    fail "the refined problem's points count among the sweep's own"
rooftune export g.db -o g.json.gz
expect_status 0
gzip -dc g.json.gz | grep -q '"refined":1' || fail "the recording does not mark the problem"
