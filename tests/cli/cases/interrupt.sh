# SPDX-License-Identifier: Apache-2.0
# Signals: the first one finishes what is in hand, with a summary and the command that goes on; the second one ends at
# once; before anything is stored the first one does. No process stays behind.
need_recording
need_nvrtc # compiling is what makes a replay last long enough to be stopped
# begin FILE [OPTIONS]: a run in the background, until some points are stored.
begin() {
    file=$1
    CASE_OF=$scratch RFT_CACHE=off $slowly "$ROOFTUNE" run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK" --no-report \
        -o "$@" >out 2>err </dev/null &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$("$ROOFTUNE" show "$file" --csv - 2>/dev/null | wc -l)" -lt 11 ]; do sleep 0.3; done
    kill -0 $pid 2>/dev/null || skip "this machine is too fast: the run was over before it could be stopped"
}
end() {
    status=0
    wait $pid || status=$?
}
for signal in TERM HUP; do
    begin $signal.db --budget 100h --allow-path / --allow-path .
    kill -$signal $pid
    end
    expect_error 130 "stopped; [0-9]* points are stored in $signal.db"
    expect_err '^stopping: the point in hand is finished'
    expect_err "^  remedy: continue with: .*rooftune run .*quick.lua -d replay:.* -o $signal.db --no-report --budget 100h --allow-path / --allow-path \.\$"
    expect_out '^run     '
    expect_out '^not finished'
    expect_none_left
done
# nohup: a terminal that goes away is none of its business.
(
    trap '' HUP
    begin nohup.db
    kill -HUP $pid
    sleep 0.3
    kill -0 $pid || fail "SIGHUP ended a run under nohup"
    grep -q stopping err && fail "SIGHUP stopped a run under nohup"
    kill -TERM $pid
    end
    expect_error 130 'stopped'
)
# Twice: at once, without a summary; what was stored is there.
begin twice.db
kill -INT $pid
kill -INT $pid
end
expect_status 130
expect_none_left
rooftune show twice.db
expect_status 0
expect_out '^not finished'
# A script that does not end: nothing is stored yet, so the first signal ends it.
printf 'local n = 0\nwhile true do n = n + 1 end\n' >endless.lua
CASE_OF=$scratch "$ROOFTUNE" run endless.lua -d "replay:$QUICK" -o endless.db >out 2>err </dev/null &
pid=$!
sleep 1
kill -INT $pid
end
expect_error 130 'interrupted; nothing was stored'
expect_none_left
[ ! -e endless.db ] || fail "a file was left behind"
