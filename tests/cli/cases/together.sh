# SPDX-License-Identifier: Apache-2.0
# Several started at the same moment on one file: one writes, the others say which process does, and nothing is lost.
need_recording
export RFT_NVRTC=off
quick="run $SOURCE/sweeps/quick.lua -d replay:$QUICK --no-report"
# start I: a run that waits for a reader of its events before it opens x.db, and again when that one does not read.
start() {
    mkfifo "events$1"
    timeout 60 "$ROOFTUNE" $quick -o x.db --events "events$1" >"out$1" 2>"err$1" </dev/null &
    eval "pid$1=$!"
}
is_over() { eval "! kill -0 \$pid$1 2>/dev/null"; }
count_over() {
    over=0
    for i in $(seq "$1"); do is_over "$i" && over=$((over + 1)); done
    return 0
}
# round N: N at once; the one that writes then has no reader of its events, and holds the file until let go.
round() {
    rm -f x.db events*
    readers=
    for i in $(seq "$1"); do start "$i"; done
    for i in $(seq "$1"); do
        sleep 60 <"events$i" &
        readers="$readers $!"
    done
    for try in $(seq 200); do
        count_over "$1"
        [ "$over" -lt "$(($1 - 1))" ] || break
        sleep 0.05
    done
    [ "$over" = "$(($1 - 1))" ] || fail "of $1 started together $over were turned away: $(cat err*)"
    for i in $(seq "$1"); do is_over "$i" || writer=$i; done
    eval "holder=\$(cat x.db-lock)"
}
let_go() {
    kill $readers
    for i in $(seq "$1"); do
        got=0
        eval "wait \$pid$i" || got=$?
        if [ "$i" = "$writer" ]; then
            [ "$got" = 0 ] || fail "the one that wrote ended with $got: $(cat "err$i")"
        else
            [ "$got" = 9 ] || fail "one that was turned away ended with $got: $(cat "err$i")"
            grep -q "another rooftune is writing x.db: process $holder\$" "err$i" || fail "it does not name $holder: $(tail -n 2 "err$i")"
        fi
    done
    [ -z "$(ls x.db-* 2>/dev/null)" ] || fail "left behind: $(ls x.db-*)"
    points=$("$ROOFTUNE" show x.db --csv - | wc -l)
    [ "$points" = "$whole" ] || fail "$points lines where $whole are whole"
}
rooftune $quick -o whole.db
expect_status 0
whole=$("$ROOFTUNE" show whole.db --csv - | wc -l)
for n in 2 8 4 2 4 8 2 4 2 8 4 2; do
    round $n
    let_go $n
done
# No other process gets in meanwhile, whatever it comes for; readers do.
printf '{"baselines": []}' >none.json
round 2
for command in "import $QUICK -o x.db" "$quick -o x.db" "$quick -o x.db --fresh" "import --baseline none.json x.db"; do
    rooftune $command
    expect_error 9 "another rooftune is writing x.db: process $holder\$"
done
ln -s x.db name.db
rooftune $quick -o name.db
expect_error 9 "another rooftune is writing name.db: process $holder\$"
rooftune show x.db
expect_status 0
expect_out '^not finished'
let_go 2
# Four imports at once: one makes the file, and it is whole.
for n in 1 2 3 4 5; do
    rm -f i.db
    pids=
    for i in 1 2 3 4; do
        timeout 60 "$ROOFTUNE" import "$QUICK" -o i.db >/dev/null 2>"err$i" </dev/null &
        pids="$pids $!"
    done
    made=0
    for pid in $pids; do
        got=0
        wait $pid || got=$?
        [ $got = 0 ] && made=$((made + 1))
        [ $got = 0 ] || [ $got = 9 ] || fail "an import ended with $got: $(cat err?)"
    done
    [ $made = 1 ] || fail "$made of four imports made the file"
    [ "$(ls i.db*)" = i.db ] || fail "left behind: $(ls i.db*)"
    rooftune show i.db
    expect_status 0
done
# And four that start anew: whoever comes last leaves a whole run.
pids=
for i in 1 2 3 4; do
    timeout 60 "$ROOFTUNE" $quick -o x.db --fresh >/dev/null 2>"err$i" </dev/null &
    pids="$pids $!"
done
for pid in $pids; do
    got=0
    wait $pid || got=$?
    [ $got = 0 ] || [ $got = 9 ] || fail "--fresh ended with $got: $(cat err?)"
done
[ "$("$ROOFTUNE" show x.db --csv - | wc -l)" = "$whole" ] || fail "--fresh left half a run"
[ "$(ls x.db*)" = x.db ] || fail "left behind: $(ls x.db*)"
