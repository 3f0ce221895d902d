# SPDX-License-Identifier: Apache-2.0
# Progress: one line that fits the terminal and rewrites itself; in a log plain lines, few of them, and no control bytes.
need_recording
run="$ROOFTUNE run $SOURCE/sweeps/quick.lua -d replay:$QUICK --no-report -o"
RFT_NVRTC=off $run log.db >out 2>err </dev/null
grep -q "$(printf '[\r\033]')" err && fail "a log with control bytes"
[ "$(wc -l <err)" -lt 12 ] || fail "a log of many lines"
expect_err '^[0-9,]* of [0-9,]* valid, about .*, Ctrl-C is safe, counters off'
expect_err '^replayed recording, NVIDIA H200, 20[0-9-]*: the times are the recording.s'
rooftune show log.db
awk 'length($0) > 90' out | grep . && fail "lines of show over 80 columns"
command -v script >/dev/null || skip "no script(1) here: half of this was not tested"
script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "no pseudo terminal here: half of this was not tested"
script -qec "stty cols 60; RFT_NVRTC=off $run screen.db" /dev/null >typed </dev/null
tr '\r' '\n' <typed >lines
grep -q '^copy_scale: [0-9]* of [0-9]*' lines || fail "no progress on a terminal"
grep '^[a-z_0-9]*: [0-9]* of [0-9]*' lines | awk 'length($0) > 59' | grep . && fail "progress wider than the terminal"
grep -q '^report\|^run     screen.db' lines || fail "no last words on a terminal"
