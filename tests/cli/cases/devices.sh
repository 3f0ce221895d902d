# SPDX-License-Identifier: Apache-2.0
# Several devices: a folder, a run file and a report for each, side by side. Recordings stand for the devices here.
need_recording
export RFT_NVRTC=off
# A recording of another card of the same kind.
uuid=$(gzip -dc "$QUICK" | grep -o 'GPU-[0-9a-f-]*' | head -n 1)
other=GPU-00000000-1111-2222-3333-444444444444
gzip -dc "$QUICK" | sed "s/$uuid/$other/g" | gzip -n >other.json.gz
both="run $SOURCE/sweeps/quick.lua -d replay:$QUICK,replay:other.json.gz"
rooftune $both --budget 3 -o cards --events two.jsonl
expect_status 0
# Ceilings of both, one below the other; recordings copy nothing to each other.
rooftune ceilings -d replay:"$QUICK",replay:other.json.gz
expect_status 0
[ "$(grep -c '^device memory, read ' out)" -eq 4 ] || fail "two cards, each with its rates and its operations"
rooftune ceilings -d replay:"$QUICK",replay:other.json.gz --json -
expect_status 0
expect_out "^{\"devices\":\[{\"device\":.*\"uuid\":\"$other\".*\],\"together\":null}"
expect_out '"p2p_both":{.*"reason":"'
for card in "$uuid" "$other"; do
    expect_file "cards/$card.db"
    expect_file "cards/$card.pdf"
    rooftune show "cards/$card.db"
    grep -q '^not finished' out && fail "$card is not finished"
    expect_out '^copy_scale'
done
"$ROOFTUNE" best "cards/$uuid.db" --csv a
"$ROOFTUNE" best "cards/$other.db" --csv b
cmp a b || fail "the same recording under two names has two bests"
"$JSON_LINES" two.jsonl >flat || fail "no JSON Lines: $(tail -n 1 flat)"
for device in "replay:$QUICK" replay:other.json.gz; do
    grep -q "^event=begin .*device=$device" flat || fail "no begin of $device"
    grep -q "^event=end .*status=finished .*device=$device" flat || fail "no end of $device"
done
tail -n 1 flat | grep -q '^event=end .*status=finished exit_code=0' || fail "no end of all"
tail -n 1 flat | grep -q 'device=' && fail "the end of all names a device"
# Again: all are finished. What they say and their results are told apart.
rooftune $both --budget 3 -o cards
expect_status 0
expect_err "^recording 1: cards/$uuid.db holds this run, finished"
expect_err "^recording 2: cards/$other.db holds this run, finished"
expect_out "^== recording 1: NVIDIA H200, $uuid =="
expect_out "^== recording 2: NVIDIA H200, $other =="
# One that fails does not end the other; the status is the worst of all.
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK,replay:other.json.gz" --budget 2 --no-report -o mixed
expect_status 0
: >mixed/run
echo 'no run file' >"mixed/$uuid.db"
rm "mixed/$other.db"
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK,replay:other.json.gz" --budget 2 --no-report -o mixed
expect_error 9 '1 of 2 runs did not end well; recording 1 ended with status 9'
expect_err "^recording 1: rooftune: .*$uuid.db"
expect_err 'remedy: continue with: .*rooftune run .* -o mixed '
expect_file "mixed/$other.db"
# Without -o: SWEEP-DATE.
rooftune $both --budget 1 --no-report
expect_status 0
expect_file "$(ls -d quick-20*)/$other.db"
rooftune $both --dry-run -o dry
expect_status 0
expect_out 'combinations are valid'
[ ! -e dry ] || fail "--dry-run made a folder"
# Mistakes.
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK,replay:$QUICK"
expect_error 2 'are the same GPU'
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK,replay:none.json.gz"
expect_error "$status" 'none.json.gz'
[ "$status" != 0 ] || fail "a missing recording is no error"
: >file.db
rooftune $both -o file.db
expect_error 11 'file.db is a file'
rooftune $both --report x.pdf
expect_error 2 'several devices make a report each'
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK,7x"
expect_error 2 '"7x" is no device'
cp other.json.gz 'a,b.json.gz'
rooftune run "$SOURCE/sweeps/quick.lua" -d 'replay:a,b.json.gz' --budget 1 --no-report -o comma.db
expect_status 0
expect_file comma.db
