# SPDX-License-Identifier: Apache-2.0
# compare: a verdict a workload on stdout within 80 columns, the same as JSON and CSV, and errors that say what to do.
need_recording
recorded="$SOURCE/sweeps/recorded/nvidia-h200"
export RFT_NVRTC=off
rooftune compare "$QUICK"
expect_error 2 'takes two to 10000 runs, 1 was given'
rooftune compare "$QUICK" "$QUICK"
expect_error 2 'the same run'
cp "$QUICK" copy.json.gz
rooftune compare "$QUICK" copy.json.gz
expect_error 2 'copy.json.gz: the same run (.*) as .*quick.json.gz'
rooftune compare 1 2 3 4 5 6 7 8 9
expect_error 14 'none of the files has a run'
rooftune compare "$QUICK" missing.db
expect_error 11 'missing.db'
head -c 500 "$QUICK" >torn.json.gz
rooftune compare "$QUICK" torn.json.gz
expect_error 8 'torn.json.gz'
rooftune compare "$recorded/gemv.json.gz" "$recorded/triad.json.gz"
expect_error 14 'no problem is in two of the 2 runs'
rooftune compare "$QUICK" copy.json.gz --json - --csv -
expect_error 2 'only one of --json and --csv can go to stdout'
# A replay has the recording's own times, and is another run: nothing differs, and where the times are steady enough that
# differences of 2 % are excluded they are the same.
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK" --no-report -o replay.db
expect_status 0
rooftune compare "$QUICK" replay.db --json out.json --csv out.csv
expect_status 0
expect_out '^B (NVIDIA H200) against A (NVIDIA H200): the same in [0-9]* of '
expect_out '1.000.* SAME$'
expect_out 'a replayed recording'
expect_out '^search effort$'
expect_out '^base and peak (one configuration'
grep -q '"base_of_peak_frac":0.9' out.json || fail "no base and peak in the JSON"
grep -q '"mean_low":' out.json || fail "no interval of the mean in the JSON"
expect_out '^  [0-9]* of [0-9]* tie with the best there'
expect_narrow
grep -q 'FASTER\|SLOWER' out && fail "equal times differ"
head -1 out.csv | grep -q '^workload,letter,device,run,date,source,median_s,' || fail "no header in the CSV"
workloads=$(sed -n 's/.*: the same in [0-9]* of \([0-9]*\) workloads.*/\1/p' out)
[ "$(wc -l <out.csv)" = $((1 + 2 * workloads)) ] || fail "not a line of CSV for each of $workloads workloads and runs"
[ "$(grep -o '"bounds_differ"' out.json | wc -l)" = "$workloads" ] || fail "not $workloads workloads in the JSON"
cp out text
rooftune compare "$QUICK" replay.db --json -
expect_status 0
cmp out out.json || fail "--json - differs from --json FILE"
rooftune compare "$QUICK" replay.db
cmp out text || fail "the second comparison differs from the first"
# Two documents of the same runs are the same bytes, whatever the locale and the time zone; three runs stay within 80 columns.
rooftune compare "$QUICK" replay.db -o a.pdf
expect_status 0
head -c 5 a.pdf | grep -q '%PDF-' || fail "no PDF"
TZ=Asia/Tokyo LC_ALL=de_DE.UTF-8 rooftune compare "$QUICK" replay.db -o b.pdf
cmp a.pdf b.pdf || fail "another time zone gives other bytes"
if command -v qpdf >/dev/null; then qpdf --check a.pdf >/dev/null || fail "qpdf finds faults"; fi
if command -v pdftotext >/dev/null; then
    pdftotext -layout a.pdf a.txt
    for text in 'Workload by workload' 'SAME' 'Which configurations carry over' 'Search effort' 'What the verdicts rest on'; do
        grep -q "$text" a.txt || fail "the PDF has no searchable: $text"
    done
fi
rooftune compare "$QUICK" replay.db -o no/such/folder/c.pdf
expect_error 11 'no/such/folder'
rooftune compare "$QUICK" replay.db -o -
expect_error 2 'not written to stdout'
rooftune compare "$QUICK" replay.db "$recorded/gemv.json.gz"
expect_status 0
expect_narrow
expect_out '^C (NVIDIA H200) against A'
# Another tuner's files tell the device's name: the datasheet tells what that card is made for, and a name that no datasheet
# knows is not taken for another. Three runs are held against each other both ways.
for device in 'NVIDIA GeForce RTX 3090' 'NVIDIA RTX A6000' 'Some Card 3090'; do
    printf '{"device_name": "%s", "kernel_name": "k", "tune_params_keys": ["x"], "cache": {' "$device"
    for x in 1 2 3 4 5 6 7 8; do
        printf '%s"%s": {"x": %s, "time": %s.5, "times": [%s.4, %s.5, %s.5, %s.5, %s.5, %s.6, %s.5, %s.5], "GFLOP/s": 100}' \
            "$([ $x = 1 ] || echo ,)" $x $x $x $x $x $x $x $x $x $x $x
    done
    echo '}}'
done | awk '{print >("kt" NR ".json")}'
rooftune compare kt1.json kt2.json kt3.json
expect_status 0
expect_out '^Every run against every other$'
expect_out '^  device memory, read, datasheet (GB/s)  *936  *768$'
expect_out '^  FP32 FMA, datasheet (TFLOP/s)  *35.6  *38.7$'
expect_out '^  C: the file tells nothing of the card.$'
rooftune compare kt1.json kt2.json kt3.json -o kt.pdf
expect_status 0
if command -v pdftotext >/dev/null; then
    pdftotext kt.pdf kt.txt
    grep -q 'No speed against A is told of B, C: no work that is known to be the same' kt.txt || fail "not said why there is no chart"
    grep -q 'workload (number in the table)' kt.txt && fail "an empty chart"
    pdftotext a.pdf a.txt
    grep -q '[0-9] us' a.txt && fail "us on a page"
    grep -q '[0-9] µs' a.txt || fail "no micro sign on a page"
    grep -q 'µ' text && fail "a micro sign on the terminal"
fi
rooftune compare kt1.json kt2.json kt3.json --json -
for key in '"pairs":\[{"letter":"A","against":"B","judged":1,' '"cards":\[{"letter":"A","says":"A (NVIDIA GeForce RTX 3090): ' '"fastest":\[{"sweep":'; do
    expect_out "$key"
done
