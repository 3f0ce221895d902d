# SPDX-License-Identifier: Apache-2.0
# One run that the cards of a host divide among them. Recordings stand for eight cards.
need_recording
export RFT_NVRTC=off
quick=$SOURCE/sweeps/quick.lua
uuid=$(gzip -dc "$QUICK" | grep -o 'GPU-[0-9a-f-]*' | head -n 1)
list=replay:$QUICK
for k in 1 2 3 4 5 6 7; do
    gzip -dc "$QUICK" | sed "s/$uuid/GPU-0000000$k-1111-2222-3333-444444444444/g" | gzip -n >card$k.json.gz
    list=$list,replay:card$k.json.gz
done
rooftune run "$quick" -d "replay:$QUICK" -o one.db --no-report
# The seventh card is slower by a third: told, and no reason to prefer what others measured.
slower=
if command -v python3 >/dev/null; then
    slower='1.3000x \[1.3000, 1.3000\]'
    python3 - card6.json.gz <<'END'
import gzip, json, sys
run = json.load(gzip.open(sys.argv[1]))
for result in run["results"]:
    result["times"]["runtimes"] = [x * 1.3 for x in result["times"]["runtimes"]]
json.dump(run, gzip.open(sys.argv[1], "wt"))
END
fi
# The fourth card's part cannot be written: it costs nothing but what it had in hand.
mkdir eight.db.parts
echo 'no run file' >eight.db.parts/GPU-00000003-1111-2222-3333-444444444444.db
rooftune run "$quick" -d "$list" --split -o eight.db --report eight.md --events log.jsonl
expect_status 0
expect_err '^recording 4: rooftune: '
grep -q 'no run file' eight.db.parts/GPU-00000003*.db || fail "a file that was no part is gone"
for file in one eight; do
    "$ROOFTUNE" best $file.db --csv - | cut -d, -f1-4 >$file.best
    "$ROOFTUNE" show $file.db --csv - 2>/dev/null | sed 1d | cut -d, -f2-5 | sort >$file.points
done
cmp eight.points one.points || fail "the cards together have other points"
cmp eight.best one.best || fail "another best"
rooftune show eight.db
expect_out "^ *Measured by 8 cards"
expect_out "Every ranked time is of"
expect_out '1.0000x \[1.0000, 1.0000\]'
[ -z "$slower" ] || expect_out "$slower"
expect_out 'is not a run file'
grep -q 'Measured by 8 cards' eight.md || fail "the report does not tell of the cards"
rooftune show eight.db --json -
tr -d ' \n' <out >flat
grep -q "\"ranks\":\"$uuid\"" flat || fail "JSON does not name the card that ranks"
# It is one run, finished: again it is what it is, and on one card, too.
rooftune run "$quick" -d "$list" --split -o eight.db --no-report
expect_status 0
expect_err 'eight.db holds this run, finished'
# Its recording is no run of eight cards when it is replayed.
rooftune export eight.db -o eight.json.gz
rooftune run "$quick" -d replay:eight.json.gz -o played.db --no-report
expect_status 0
rooftune show played.db
! grep -q 'Measured by' out || fail "a replay was measured by several cards"
# A stopped run goes on with other cards, or in another order: parts have other numbers then. A part that stays is told.
mkdir two.db.parts
part=two.db.parts/GPU-00000001-1111-2222-3333-444444444444.db
rooftune run "$quick" -d replay:card1.json.gz --shard 2/3 -o $part --no-report
cp $part two.db.parts/GPU-00000009-1111-2222-3333-444444444444.db
rooftune run "$quick" -d "replay:card1.json.gz,replay:$QUICK" --split -o two.db --no-report --events two.jsonl
expect_status 0
expect_err "$part holds this run, finished\|continuing $part"
expect_err 'two.db.parts stays'
"$ROOFTUNE" show two.db --csv - 2>/dev/null | sed 1d | cut -d, -f2-5 | sort | cmp - one.points || fail "two cards have other points"
# A card that computes wrongly what the other computes rightly is told.
if [ -n "$slower" ]; then
    python3 - card1.json.gz wrong.json.gz <<'END'
import gzip, json, sys
run = json.load(gzip.open(sys.argv[1]))
outcomes = run["rooftune"]["points"]["outcome"]
run["rooftune"]["points"]["outcome"] = ["wrong_result" if o == "ok" else o for o in outcomes]
json.dump(run, gzip.open(sys.argv[2], "wt"))
END
    rooftune run "$quick" -d "replay:$QUICK,replay:wrong.json.gz" --split -o wrong.db --no-report
    expect_status 0
    expect_err 'of the points that two cards measured [0-9]* have another outcome, .*: .* and wrong_result'
fi
# What it does not take.
gzip -dc card1.json.gz | sed 's/NVIDIA H200/NVIDIA H100/g' | gzip -n >other.json.gz
rooftune run "$quick" -d "replay:$QUICK,replay:other.json.gz" --split -o x.db
expect_error 2 'recording 1 is NVIDIA H200, and recording 2 is NVIDIA H100'
gzip -dc card1.json.gz | sed 's/GPU-00000001-1111/..\\u001b[2J GPU/g' | gzip -n >odd.json.gz
rooftune run "$quick" -d "replay:$QUICK,replay:odd.json.gz" --split -o x.db
expect_error 6 'odd.json.gz has no UUID to name its run file by'
rooftune run "$quick" -d "replay:$QUICK" --split -o x.db
expect_error 2 '-d names one'
rooftune run "$quick" -d "$list" --split --shard 1/2 -o x.db
expect_error 2 'a shard is one card'
rooftune run "$quick" -d "replay:$QUICK,replay:card1.json.gz" --split --budget 5 -o x.db
expect_error 2 'is searched (a budget or a goal)'
rooftune run "$quick" -d "replay:$QUICK,replay:card1.json.gz" --split --strategy memetic -o x.db
expect_error 2 'is searched (memetic)'
[ "$(grep -c searched err)" = 1 ] || fail "told more than once"
! grep -q 'continue with' err || fail "the command that fails is said to continue"
rooftune run "$quick" -d "replay:$QUICK,replay:card1.json.gz" --split -o missing/x.db
expect_error 11 'cannot create missing/x.db: No such file'
[ ! -e missing ] || fail "a folder was made"
rooftune run "$quick" -d "replay:$QUICK" --shard 1/2@/dev/null -o x.db
expect_error 2 'is not what'
[ ! -e x.db ] || fail "a run file was made"
# Soaks that begin at once; a recording without one has nothing to wait for.
two="-d replay:$QUICK,replay:card1.json.gz --budget 2 --no-report"
rooftune run "$quick" $two --soak 3s --together -o both
expect_status 0
expect_file "both/$uuid.db"
rooftune run "$quick" $two --together -o x
expect_error 2 'is of soaks that begin at once'
rooftune run "$quick" $two --soak 3s --together --split -o x
expect_error 2 'runs side by side'
