# SPDX-License-Identifier: Apache-2.0
# A signal at any moment, to any command: status 130 with a word, or the command's own end. Never another status: a
# library that takes signals for itself while it compiles must not make an error of it.
need_recording
export RFT_CACHE=off # compiling is where it used to go wrong
rooftune export "$QUICK" -o quick.json
# interrupted AFTER SIGNAL COMMAND...
interrupted() {
    after=$1 signal=$2
    shift 2
    "$ROOFTUNE" "$@" >out 2>err </dev/null &
    pid=$!
    # From main's first statement on: before that it is the loader's, or still the shell.
    until ! kill -0 $pid 2>/dev/null || grep -qs '^SigBlk:.*400[23]$' /proc/$pid/status; do :; done
    sleep "$after"
    kill -$signal $pid 2>/dev/null || true
    status=0
    wait $pid || status=$?
    case $status in
    0) ;;
    130) expect_err '^rooftune: interrupted; nothing was stored$\|^rooftune: stopped; ' ;;
    *) fail "$* after $after s: status $status" ;;
    esac
}
seen=0
signal=TERM
for after in 0 0.02 0.05 0.1 0.15 0.2 0.25 0.3 0.4 0.5; do
    [ $signal = TERM ] && signal=INT || signal=TERM
    rm -f run.db
    interrupted $after $signal run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK" -o run.db --no-report
    [ $status = 0 ] || seen=$((seen + 1))
done
for after in 0 0.05 0.2 0.4; do
    interrupted $after TERM check "$SOURCE/sweeps/quick.lua" --sample 20
done
[ $seen -gt 0 ] || fail "no run was interrupted: they have all ended before"
for after in 0 0.01 0.02 0.05; do
    interrupted $after HUP show quick.json
    interrupted $after INT report quick.json -o x.pdf
    interrupted $after TERM devices
    rm -f imported.db
    interrupted $after INT import "$QUICK" -o imported.db
    [ $status != 0 ] || "$ROOFTUNE" show imported.db >out 2>err || fail "half a run was imported"
done
# A reader who has seen enough is no error.
("$ROOFTUNE" show "$QUICK" 2>err || true) | head -n 1 >out
[ ! -s err ] || fail "show talks when its reader leaves"
