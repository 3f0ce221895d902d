# SPDX-License-Identifier: Apache-2.0
# A stopped run continues: what was stored is not taken again, and the end is the same. Ctrl-C, then a plain kill.
need_recording
need_nvrtc # compiling is what makes a replay last long enough to be stopped
run="run $SOURCE/sweeps/quick.lua -d replay:$QUICK --no-report -o"
compiled() { "$ROOFTUNE" show "$1" | sed -n 's/^\([0-9,]*\) configurations compiled here.*/\1/p'; }
# begin FILE SIGNAL: starts the run with a cold cache and stops it when 20 points are stored.
begin() {
    RFT_CACHE=off $slowly "$ROOFTUNE" $run "$1" >run.out 2>run.err </dev/null &
    pid=$!
    while kill -0 $pid 2>/dev/null && [ "$("$ROOFTUNE" show "$1" --csv - 2>/dev/null | wc -l)" -lt 21 ]; do sleep 0.3; done
    if kill -0 $pid 2>/dev/null; then
        rooftune $run "$1" --fresh
        kill -0 $pid 2>/dev/null && expect_error 9 "another rooftune is writing $1"
    fi
    kill "-$2" $pid 2>/dev/null || true
    status=0
    wait $pid || status=$?
    cp run.out out && cp run.err err
    [ "$status" != 0 ] || skip "this machine is too fast: the run was over before it could be stopped"
    "$ROOFTUNE" show "$1" --csv - >points
}
# end FILE [COMMAND]: the same command, or the one that was told, goes on to the end, which is the same as without a stop.
end() {
    if [ $# -gt 1 ]; then
        status=0
        eval "$2" >out 2>err </dev/null || status=$?
    else
        rooftune $run "$1"
    fi
    expect_status 0
    expect_err "^continuing $1: $(($(wc -l <points) - 1)) points are stored"
    "$ROOFTUNE" best "$1" --csv best
    cmp best whole.best || fail "the continued run names other bests"
    "$ROOFTUNE" show "$1" --csv - | cut -d, -f2-5 | sort >all
    [ -z "$(uniq -d all)" ] || fail "points twice: $(uniq -d all | head -3)"
    cmp all whole.all || fail "the continued run has other points"
    rooftune show "$1"
    if grep -q '^not finished\|Not every valid' out; then fail "the continued run does not know that it is whole"; fi
}
begin part.db INT
expect_error 130 'stopped; [0-9]* points are stored in part.db'
expect_out '^NVIDIA H200'
expect_out '^run     part.db'
again=$(sed -n 's/^  remedy: continue with: //p' err)
[ -n "$again" ] || fail "no command that continues"
rooftune show part.db
expect_out '^not finished'
rooftune $run whole.db
expect_status 0
"$ROOFTUNE" best whole.db --csv whole.best
"$ROOFTUNE" show whole.db --csv - | cut -d, -f2-5 | sort >whole.all
"$ROOFTUNE" show part.db --csv - >points
end part.db "$again"
[ "$(compiled part.db)" = "$(compiled whole.db)" ] || fail "compiled $(compiled part.db), at once $(compiled whole.db)"
begin killed.db KILL
expect_status 137
end killed.db
