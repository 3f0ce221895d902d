# SPDX-License-Identifier: Apache-2.0
# A finished run says so, another sweep's file is an error, --fresh starts anew, and a file that holds nothing is begun.
need_recording
export RFT_NVRTC=off
quick="run $SOURCE/sweeps/quick.lua -d replay:$QUICK --no-report --budget 3"
rooftune $quick -o x.db
expect_status 0
cp x.db before
rooftune $quick -o x.db
expect_status 0
expect_err 'x.db holds this run, finished; --fresh'
cmp x.db before || fail "a finished run was changed"
rooftune run "$SOURCE/sweeps/strided.lua" -d "replay:$QUICK" -o x.db
expect_error 9 'x.db: .*another sweep'
cmp x.db before || fail "another sweep's run was changed"
rooftune $quick -o x.db --fresh
expect_status 0
cmp -s x.db before && fail "--fresh kept the old run"
: >empty.db
rooftune $quick -o empty.db
expect_status 0
rooftune show empty.db
expect_status 0
rooftune $quick
expect_status 0
first=$(ls quick-h200-replay-20*.db)
expect_file "$first"
# Without -o an edited sweep has a file of its own, which the same command continues; no run is lost, and none is asked for.
cp "$first" before
mkdir edited
for text in 1 2; do
    { cat "$SOURCE/sweeps/quick.lua" && echo "-- $text"; } >edited/quick.lua
    rooftune run edited/quick.lua -d "replay:$QUICK" --no-report --budget 3 --allow-path "$SOURCE"
    expect_status 0
    expect_err "$first: the file holds a run of another sweep.* and this run is ${first%.db}-$((text + 1)).db"
done
rooftune run edited/quick.lua -d "replay:$QUICK" --no-report --budget 3 --allow-path "$SOURCE"
expect_status 0
expect_err "${first%.db}-3.db holds this run, finished"
cmp "$first" before || fail "the first run was changed"
[ ! -e "${first%.db}-4.db" ] || fail "a finished run was made again"
rooftune $quick --dry-run -o never.db
expect_status 0
expect_out 'combinations are valid'
expect_out 'n=65536: 2 configurations$'
[ ! -e never.db ] || fail "--dry-run wrote a file"
rooftune $quick --strategy exhaustiv
expect_error 2 'did you mean "exhaustive"'
for budget in 0 0s 5x -3; do
    rooftune $quick --budget $budget
    expect_error 2 '--budget: '
done
# Limits of the command line are what the file records.
rooftune $quick -o limits.db --timeout 2s --compile-timeout 1m
expect_status 0
rooftune export limits.db -o limits.json.gz
gzip -dc limits.json.gz | tr -d ' \n' >limits
grep -q '"point_timeout_s":2[.,]' limits || fail "--timeout is not what the file records"
grep -q '"compile_timeout_s":60' limits || fail "--compile-timeout is not what the file records"
for limit in 0 0s -1 soon; do
    rooftune $quick --timeout $limit
    expect_error 2 '--timeout: '
    rooftune check "$SOURCE/sweeps/quick.lua" --compile-timeout $limit
    expect_error 2 '--compile-timeout: '
done
# Two scripts in one run.
write_saxpy
sweep one 'over = { n = values(4) }'
sweep two 'over = { n = values(8, 16) }'
rooftune run one.lua two.lua -d "replay:$QUICK" -o both.db --no-report
expect_status 12
expect_err '^3 of 3 valid'
rooftune show both.db
expect_out '^one (saxpy, cold cache)'
expect_out '^two (saxpy, cold cache)'
# Many: a row each.
many=
for i in 1 2 3 4 5 6 7 8 9 10 11; do
    sweep "many$i" 'over = { n = values(8, 16) }'
    many="$many many$i.lua"
done
rooftune run $many -d "replay:$QUICK" -o many.db --no-report
expect_status 12
expect_out 'many11: nothing measured'
expect_out 'all of them, ladders and power: `rooftune'
! grep -q '^  problem' out || fail "a table for each of many sweeps"
# A recording of one of them.
rooftune export both.db -o two.json.gz --sweep two
expect_status 0
rooftune show two.json.gz
expect_out '^two (saxpy, cold cache)'
! grep -q '^one (saxpy' out || fail "the other sweep is in the recording"
rooftune export both.db -o three.json.gz --sweep three
expect_error 2 'has no sweep "three"'
expect_err 'it has: one, two'
[ ! -e three.json.gz ] || fail "a sweep that is not there was written"
# Rows that were deleted by hand: ids are places all over the program, so such a file is shown, and not continued.
command -v python3 >/dev/null || skip "no python3"
export RFT_NVRTC=off
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK" --budget 1 -o gap.db --no-report
expect_status 0
python3 -c '
import sqlite3
d = sqlite3.connect("gap.db")
for table, key in (("measurement", "point"), ("counter", "point"), ("point", "id")):
    d.execute(f"delete from {table} where {key} = 2")
d.execute("update run set finished_unix_ns = 0")
d.commit()'
rooftune show gap.db
expect_status 0
python3 -c '
import shutil, sqlite3
shutil.copy("gap.db", "none.db")
d = sqlite3.connect("none.db")
d.execute("delete from run")
d.commit()'
cp none.db before
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK" --budget 1 -o none.db
expect_error 9 'none.db holds [0-9]* points and no run'
cmp none.db before || fail "points without a run were replaced"
for command in "run $SOURCE/sweeps/quick.lua -d replay:$QUICK --budget 2 -o gap.db" "import gap.db gap.db -o two.db"; do
    # shellcheck disable=SC2086 # words
    rooftune $command
    expect_error 9 'point 3 stands where point 2 should'
done
