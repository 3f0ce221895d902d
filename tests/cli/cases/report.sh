# SPDX-License-Identifier: Apache-2.0
# The report: the same bytes from the run, the run file and its export, in any time zone and locale; other cards.
need_recording
export RFT_NVRTC=off # compiling changes nothing of it
recorded="$SOURCE/sweeps/recorded/nvidia-h200"
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" --budget 20 -o quick.db --report run.pdf
expect_status 0
same() { cmp -s run.pdf "$1" || fail "$1 has other bytes than the run's own report"; }
rooftune report quick.db -o file.pdf
expect_status 0
same file.pdf
rooftune export quick.db -o quick.json.gz
expect_status 0
rooftune report quick.json.gz -o export.pdf
expect_status 0
same export.pdf
export LOCPATH="$(dirname "$ROOFTUNE")/locale"
for zone in UTC Asia/Tokyo America/St_Johns; do
    for locale in C de_DE.UTF-8; do
        TZ=$zone LC_ALL=$locale "$ROOFTUNE" report quick.db -o other.pdf >out 2>err || fail "$zone, $locale"
        same other.pdf
    done
done

# Beside other cards: one run of this very card tells nothing of others.
rooftune report "$QUICK" --part 1 -o alone.pdf
expect_status 0
rooftune report "$QUICK" --part 1 --reference "$(dirname "$QUICK")" -o beside.pdf
expect_status 0
if command -v pdftotext >/dev/null; then
    pdftotext -layout alone.pdf alone.txt
    grep -q 'Normal: [0-9]* of [0-9]* figures lie where 1[0-9] other cards of the model NVIDIA H200 lie' alone.txt ||
        fail "the card is not held beside those that come with the program"
    pdftotext beside.pdf - | tr '\n' ' ' >beside.txt
    grep -q 'Left out: [0-9]* runs of this very card' beside.txt || fail "the report does not tell what was left out"
fi
# A part of the search beside the recording that comes with the program: told with how hard either was searched.
rooftune report quick.db --part 1 -o answer.md
expect_status 0
grep -q ' times as fast as the reference card, NVIDIA H200, over ' answer.md || fail "no speed beside the reference"
grep -q 'one side was tuned harder, by enough to matter' answer.md || fail "unequal search is not told"
grep -q '^Left out, since they explain the card .*: strided\\*_read\.$' answer.md || fail "a diagnostic sweep counts"
rooftune report "$QUICK" --part 1 -o itself.md
grep -q 'This is the reference card itself, so its speed is 1' itself.md || fail "the reference is no reference of itself"
# A script's arguments make a recording of its own.
rooftune report "$(dirname "$QUICK")/attention-64.json.gz" --part 1 -o arguments.md
grep -q 'This is the reference card itself' arguments.md || fail "a run with arguments is held beside that without"
mkdir empty
rooftune report "$QUICK" --reference empty
expect_error 2 'the folder holds no run file and no recording'
rooftune report "$QUICK" --reference nowhere.db
expect_status 11
[ ! -e quick.pdf ] || fail "a report was written though a reference is missing"

# What has no page stands in CSV files beside it, in the words of `show` and `best`.
rooftune report "$QUICK" -o quick_csv.pdf --summary --csv-dir bulk/csv
expect_status 0
rooftune show "$QUICK" --csv points.csv
rooftune best "$QUICK" --csv best.csv
cmp points.csv bulk/csv/points.csv || fail "points.csv is not what show writes"
cmp best.csv bulk/csv/best.csv || fail "best.csv is not what best writes"
head -1 bulk/csv/counters.csv | grep -qx 'point,sweep,problem,configuration,counter,value,reason' || fail "no head"
grep -q ',dram_read_bytes,[0-9.e+]*,' bulk/csv/counters.csv || fail "no counter"
rooftune report "$QUICK" -o quick_csv.pdf --csv-dir points.csv
expect_status 11
rooftune report "$QUICK" -o ./new/points.csv --csv-dir new # made for both
expect_error 2 '-o and --csv-dir name the same file'
rooftune report "$QUICK" --full --summary
expect_error 2 'ask for opposite things'
rm -r quick_csv.pdf bulk points.csv best.csv

# As Markdown: every row of a table has the cells of its head; names have nothing that Markdown takes for its own.
rooftune report "$QUICK" -o quick.md
expect_status 0
head -1 quick.md | grep -q '^$\|^# \|^> ' || fail "no heading comes first"
grep -q '^## What was asked$\|^## The ladder of variants' quick.md || fail "no sections"
grep -q '^| Problem | .*Useful rate' quick.md || fail "no table of the results"
awk -F ' [|]' '/^[|]/ { if (!width) width = NF; if (NF != width) { print NR ": " $0; bad = 1 } next } { width = 0 } END { exit bad }' \
    quick.md || fail "a row of another width"
if grep -n 'PDF$\|^### Contents' quick.md; then fail "what Markdown has no use for"; fi
rooftune report quick.db --part 1 --format md
expect_status 0
if grep -q '^# Sweep ' quick.md; then fail "part 1 has the chapters of part 2"; fi
rooftune report "$QUICK" --format txt
expect_error 2 'takes pdf, md, html or svg'
rooftune compare "$QUICK" quick.db -o both.md
expect_status 0
grep -q '^## Workload by workload$\|^# Workload by workload$' both.md || fail "the comparison has no table of workloads"

# As HTML: one file that is XML, too, without scripts and anything from elsewhere; every link leads somewhere. Names of a
# recording that is not trusted stay names.
hostile="$SOURCE/tests/cli/hostile_names.py"
python3 "$hostile" "$QUICK" hostile.json.gz
rooftune report hostile.json.gz -o hostile.html
expect_status 0
python3 "$hostile" --check hostile.html || fail "the HTML is not what it should be"
rooftune report hostile.json.gz -o hostile.md
expect_status 0
if awk '/^```/ { code = !code } !code' hostile.md | grep -n '^<\|[^\\]<[a-z/]' | grep -v '<br>'; then fail "a name became a tag of the Markdown"; fi
rooftune report hostile.json.gz -o hostile.pdf
expect_status 0
rooftune compare hostile.json.gz quick.db -o both.html
expect_status 0
python3 "$hostile" --check both.html || fail "the comparison's HTML is not what it should be"

# One chart alone.
rooftune report "$QUICK" --chart roofline --format svg -o roofline.svg
expect_status 0
grep -q '^<svg xmlns=' roofline.svg || fail "no SVG"
rooftune report "$QUICK" --chart nothing --format svg -o other.svg
expect_error 2 'no chart with a name like "nothing"'
rooftune report "$QUICK" --format svg -o other.svg
expect_error 2 'draws one chart: name it with --chart'

# A font for other names: what is none is refused before anything is written.
rooftune report "$QUICK" --font "$SOURCE/README.md" -o font.pdf
expect_err 'is not a TrueType font'
[ ! -e font.pdf ] || fail "a report was written without its font"
# A part of a recording, replayed: of some rungs of its ladders nothing was counted, of others everything.
rooftune run "$recorded/stream.json.gz" -d replay: --strategy random --budget 60 --seed 3 -o part.db --report part.html
expect_status 0
head -1 part.html | grep -q '^<!DOCTYPE html>$' || fail "a run's report is HTML by its name alone"
rooftune show part.db --full
expect_status 0
rooftune report part.db --full -o part.pdf
expect_status 0
# The steps of one ladder are its lesson: all are there, a step beside the one before it.
rooftune report "$recorded/matmul_fp16.json.gz" -o ladder.md
expect_status 0
for step in 'wmma, tiles in shared memory' 'mma.sync and ldmatrix' 'cp.async stages' 'wgmma, stored tiles' 'ping-pong'; do
    grep -q "^| $step<br>.*Explains the step: " ladder.md || fail "the ladder lacks $step"
done
