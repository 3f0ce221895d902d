# SPDX-License-Identifier: Apache-2.0
# Several devices are stopped together, continue together, and none outlives the command that started it.
need_recording
need_nvrtc # compiling is what makes a replay last long enough to be stopped
uuid=$(gzip -dc "$QUICK" | grep -o 'GPU-[0-9a-f-]*' | head -n 1)
other=GPU-00000000-1111-2222-3333-444444444444
gzip -dc "$QUICK" | sed "s/$uuid/$other/g" | gzip -n >other.json.gz
run="run $SOURCE/sweeps/quick.lua -d replay:$QUICK,replay:other.json.gz --no-report"
points() { "$ROOFTUNE" show "$1" --csv - 2>/dev/null | wc -l; }
# begin FOLDER: until both have stored some points.
begin() {
    CASE_OF=$scratch RFT_CACHE=off $slowly "$ROOFTUNE" $run -o "$1" >out 2>err </dev/null &
    pid=$!
    while kill -0 $pid 2>/dev/null && { [ "$(points "$1/$uuid.db")" -lt 4 ] || [ "$(points "$1/$other.db")" -lt 4 ]; }; do
        sleep 0.3
    done
    kill -0 $pid 2>/dev/null || skip "this machine is too fast: the runs were over before they could be stopped"
}
begin stopped
kill -INT $pid
status=0
wait $pid || status=$?
expect_error 130 'stopped; what was measured is stored in stopped'
expect_err '^recording 1: rooftune: stopped; [0-9]* points are stored in stopped/'
expect_err '^recording 2: rooftune: stopped; [0-9]* points are stored in stopped/'
expect_none_left
again=$(sed -n 's/^  remedy: continue with: //p' err)
[ -n "$again" ] || fail "no command that continues"
status=0
eval "$again" >out 2>err </dev/null || status=$?
expect_status 0
expect_err '^recording 1: continuing stopped/.*: [0-9]* points are stored'
expect_err '^recording 2: continuing stopped/.*: [0-9]* points are stored'
for card in "$uuid" "$other"; do
    rooftune show "stopped/$card.db"
    grep -q '^not finished' out && fail "$card is not finished"
    expect_out '^matmul_fp32'
done
# A --split that replaces a run is stopped: the command that goes on has its parts, not the run that was there.
RFT_NVRTC=off "$ROOFTUNE" $run --split -o split.db >out 2>err </dev/null
CASE_OF=$scratch RFT_CACHE=off $slowly "$ROOFTUNE" $run --split -o split.db --fresh --events log.jsonl >out 2>err </dev/null &
pid=$!
while kill -0 $pid 2>/dev/null && [ "$(points "split.db.parts/$other.db")" -lt 4 ]; do sleep 0.3; done
kill -INT $pid 2>/dev/null || skip "this machine is too fast"
status=0
wait $pid || status=$?
expect_error 130 'what each device measured is stored in split.db.parts'
[ ! -e split.db ] || fail "the run that --fresh replaces is there"
tail -n 1 log.jsonl | grep -q '"continue":"[^"]*run .*--split' || fail "events do not say how to continue"
RFT_NVRTC=off "$ROOFTUNE" $run --split -o split.db >out 2>err </dev/null || fail "not continued"
expect_err "continuing split.db.parts/$other.db"
# The command is killed: the runs finish what they have in hand and end.
begin killed
kill -KILL $pid
wait $pid || true
expect_none_left
rooftune show "killed/$other.db"
expect_status 0
expect_out '^not finished'
