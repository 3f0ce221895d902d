# SPDX-License-Identifier: Apache-2.0
# Progress: two lines that fit the terminal and rewrite themselves (one on a dumb one); in a log plain lines, few of them,
# and no control bytes.
need_recording
rooftune devices
compiles=$(grep '^  NVRTC: [0-9]' out || true)
run="$ROOFTUNE run $SOURCE/sweeps/quick.lua -d replay:$QUICK --no-report -o"
RFT_NVRTC=off $run log.db >out 2>err </dev/null
grep -q "$(printf '[\r\033]')" err && fail "a log with control bytes"
[ "$(wc -l <err)" -lt 12 ] || fail "a log of many lines"
expect_err '^[0-9,]* of [0-9,]* valid, about .*, Ctrl-C is safe, counters as recorded'
expect_err '^matmul_fp32: final round.*, best .* of the roof, '
expect_err '^replayed recording, NVIDIA H200, 20[0-9-]*: the times are the recording.s'
rooftune show --ascii log.db
expect_narrow
command -v script >/dev/null || skip "no script(1) here: half of this was not tested"
script -qec true /dev/null >/dev/null 2>&1 </dev/null || skip "no pseudo terminal here: half of this was not tested"
# What a terminal of this kind and width gets, one rewritten line each.
screen() {
    script -qec "stty cols $2; TERM=$1 $run screen-$1-$2.db" /dev/null >typed </dev/null
    tr '\r' '\n' <typed >lines
    sed 's/\x1b\[[0-9]*[A-Z]//g' lines >plain
    grep -q '^copy_scale: [0-9]* of [0-9]*' plain || fail "no progress on a terminal"
    grep '^[a-z_0-9]*: \([0-9]* of\|final\)\|^  best ' plain | grep -v '^clock:' | awk "length(\$0) > $2 - 1" | grep . && fail "progress wider than $2"
    grep -q '^report\|^run     screen' plain || fail "no last words on a terminal"
    sed 's/.*\x1b\[K//' lines | grep '^copy_scale: .*best' && fail "progress was not taken off the screen"
    return 0
}
export RFT_NVRTC=off
for columns in 120 60 40; do screen xterm $columns; done
screen dumb 60
grep -q "$(printf '\033')" typed && fail "cursor movements on a dumb terminal"
unset RFT_NVRTC
rm screen-*
RFT_CACHE=off # compiling again is long enough for rates
screen xterm 120
if [ -n "$compiles" ]; then
    grep -q '^matmul_fp32: [0-9]* of [0-9]*, [0-9.]*/s, [0-9.]* .*s left' plain || fail "neither rate nor time left"
    grep -q '^  best [0-9.]* [mu]s, [0-9.]* % of the roof, [a-zA-Z0-9 ]*, n=' plain || fail "no best with its place and bound"
fi
