# SPDX-License-Identifier: Apache-2.0
# The main job on a machine without a GPU: replay, run file, report, show, best, export, and again from the export.
need_recording
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o quick.db
expect_status 0
expect_file quick.db
expect_file quick.pdf
expect_err '^[0-9,]* of [0-9,]* valid, about .*, Ctrl-C is safe, counters as recorded$'
expect_err '^replayed recording, NVIDIA H200, 20[0-9][0-9]-[0-9]*-[0-9]*: the times are the recording.s'
expect_out '^replayed recording, NVIDIA H200, 20'
[ "$(tail -n 1 out)" = "report  quick.pdf" ] || fail "the last word is not the PDF"
rooftune show quick.db
expect_status 0
expect_out '^replayed recording, NVIDIA H200, 20'
expect_out 'Diagnostic: it explains the card and is no workload' # of the sweep's mark, which the recording has not
# Compiled for real, with the recorded registers and spills where NVRTC is of the recording's release.
compiled=$(tr '\n' ' ' <out | sed -n 's/.* \([0-9,]*\) configurations compiled here with NVRTC \([0-9.]*\), *\([0-9,]*\) *with .*/\1 \2 \3/p')
if [ -n "$compiled" ]; then
    set -- $compiled
    [ "$1" -ge 100 ] || fail "only $1 configurations were compiled"
    # From host to host NVRTC makes other code of a few in a hundred (docs/processes.md).
    grep -q 'recorded with NVRTC' out || [ $((100 * $3)) -ge $((98 * $1)) ] || fail "$3 of $1 agree with the recording"
else
    expect_out '^nothing was compiled here: '
fi
rooftune show quick.db --json -
expect_status 0
expect_out '^{"run":.*"replayed":"replayed recording, NVIDIA H200'
rooftune show quick.db --csv points.csv
expect_status 0
expect_out '^Measured ceilings'
head -n 1 points.csv | grep -q '^point,sweep,variant,problem,' || fail "points.csv has no head"
rooftune best quick.db
expect_status 0
expect_out 'replayed recording'
rooftune best quick.db --json -
expect_status 0
expect_out '"best":{"copy_scale":'
rooftune best quick.db --csv -
expect_status 0
expect_out '^sweep,problem,variant,configuration,'
rooftune best quick.db --format header
expect_status 0
expect_out '^#define '
rooftune ceilings -d replay:"$QUICK"
expect_status 0
expect_out '^device memory, read  *[34]\.[0-9]*  *TB/s .* MHz .* %$'
expect_out '^device memory, read  *4\.80 TB/s .* MHz x '
expect_out '^ridge, op/B  *read  *2:1  *1:1  *write  *L2  *L1  *shared | datasheet  *limit$'
# Numbers of whichever recording there is: device memory's four mixes, L2, and the datasheet's and the limit's ridge.
expect_out '^fp32  *14\.[0-9]  *1[3-6]\.[0-9].*  6\.[0-9]*  .* |  *13.9  *13.9$'
rooftune ceilings -d replay:"$QUICK" --json -
expect_status 0
expect_out '"ridges":{"fp64":{"dram_read":6.'
rooftune show "$QUICK" --json -
expect_status 0
expect_out '"gap_factor":1'
expect_out '"band":"good"'
expect_out '"ridges":{'
rooftune point "$SOURCE/sweeps/quick.lua" --sweep gemv_fp16 -d replay:"$QUICK" --at n=1024
expect_status 0
expect_out '^outcome        ok'
rooftune export quick.db -o again.json.gz
expect_status 0
expect_err 'warning: .*export the run that was measured'
rooftune import again.json.gz -o again.db
expect_status 0
rooftune report again.db -o again.pdf
expect_status 0
rooftune report quick.db -o quick2.pdf
expect_status 0
cmp quick.pdf quick2.pdf || fail "the same run gives other bytes"
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o quick.db
expect_status 0
expect_err 'quick.db holds this run, finished'
if command -v qpdf >/dev/null; then qpdf --check quick.pdf >/dev/null || fail "qpdf --check"; fi
if command -v pdftotext >/dev/null; then
    pdftotext -layout quick.pdf pages.txt
    [ "$(grep -c "$(printf '\f')" pages.txt)" -ge 10 ] || fail "the report has no pages"
    silent=$(awk 'BEGIN { RS = "\f" } /[^ \n]/ && !/replayed recording, NVIDIA H200/ { printf "%s ", NR }' pages.txt)
    [ -z "$silent" ] || fail "these pages do not say that this is a replay: $silent"
fi
