# SPDX-License-Identifier: Apache-2.0
# --events: every line is an object, the stream tells the run from its beginning to its end, and one that cannot be
# written does not end the run.
need_recording
quick="run $SOURCE/sweeps/quick.lua -d replay:$QUICK --no-report"
flat() { "$JSON_LINES" "$1" >flat || fail "$1 is not JSON Lines: $(tail -n 1 flat)"; }
expect_event() { grep -q -e "$1" flat || fail "no event: $1"; }
export RFT_NVRTC=off
rooftune $quick -o x.db --budget 3 --events x.jsonl
expect_status 0
flat x.jsonl
[ "$(grep -vc '^event=[a-z]* version=1 at_s=' flat)" = 0 ] || fail "an event without version or time"
head -n 1 flat | grep -q '^event=begin .* file=x.db gpu.name=NVIDIA H200 .*continued=false finished=false known=0 sweeps.0.name=copy_scale' ||
    fail "the first event is no begin"
expect_event '^event=ceilings .*ceilings.dram_read.median=4'
expect_event '^event=point .* sweep=gemv_fp16 variant=naive problem.n=[0-9]* .*odd=false .*outcome=ok .*median_s=[0-9.e-]* low_s=.* n=[0-9]* efficiency_frac=[0-9.]* bound=[a-z]* final_round=false stored=true'
expect_event "^event=point .*cache=cold batch=1 .*median_s="
expect_event '^event=point .*final_round=true'
expect_event '^event=progress .*done=[0-9]* planned=[0-9]* .*elapsed_s='
tail -n 1 flat | grep -q '^event=end .* status=finished exit_code=0 place=null message=null .*file=x.db report=null continue=null points=' ||
    fail "the last event is no end"
points=$(grep '^event=point' flat | sed 's/.* point=\([0-9]*\) .*/\1/' | sort -u | wc -l)
[ "$points" = "$("$ROOFTUNE" show x.db --csv - | tail -n +2 | wc -l)" ] || fail "$points points in the stream"
# Only events on stdout; the rest goes to stderr.
rooftune $quick -o y.db --budget 3 --events -
expect_status 0
flat out
expect_event '^event=end'
expect_err '^run     y.db'
# What is known from an earlier session is told again.
rooftune $quick -o x.db --budget 3 --events x.jsonl
expect_status 0
flat x.jsonl
[ "$(wc -l <flat)" = 2 ] || fail "more than begin and end of a finished run"
expect_event '^event=begin .*finished=true known=[1-9]'
(ulimit -f 160 && exec "$ROOFTUNE" $quick -o full.db --events small.jsonl) >out 2>err </dev/null || true
expect_err 'full.db'
if rooftune $quick -o full.db --events x.jsonl && grep -q '^continuing' err; then
    expect_status 0
    flat x.jsonl
    expect_event '^event=point .*stored=false'
fi
# Mistakes have an end too.
rooftune run nothing.lua -d "replay:$QUICK" --events z.jsonl
flat z.jsonl
expect_event "^event=end .*status=failed exit_code=$status .*message=.*nothing.lua"
# A stream that cannot be written.
rooftune $quick -o p.db --budget 3 --events /dev/full
expect_status 0
[ "$(grep -c 'warning: no more events' err)" = 1 ] || fail "not exactly one warning"
"$ROOFTUNE" $quick -o q.db --budget 3 --events - 2>err </dev/null | true
rooftune show q.db
expect_out '^NVIDIA H200'
grep -q 'not finished' out && fail "a reader who left ended the run"
rooftune $quick -o r.db --events /nowhere/x.jsonl
expect_error 11 '/nowhere/x.jsonl'
echo 'print "mine"' >mine.lua
rooftune $quick -o r.db --events mine.lua
expect_error 11 'mine.lua holds something other than events'
[ "$(cat mine.lua)" = 'print "mine"' ] || fail "the user's file was overwritten"
[ ! -e r.db ] || fail "a run began without its events"
