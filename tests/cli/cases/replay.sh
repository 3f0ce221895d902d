# SPDX-License-Identifier: Apache-2.0
# The main job on a machine without a GPU: replay, run file, report, show, best, export, and again from the export.
need_recording
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o quick.db
expect_status 0
expect_file quick.db
expect_file quick.pdf
expect_out 'replayed recording'
grep -q '^report  quick.pdf' out || fail "the last words name the PDF"
expect_err 'valid, about'
rooftune show quick.db
expect_status 0
expect_out 'replayed recording, NVIDIA H200'
rooftune show quick.db --json -
expect_status 0
rooftune best quick.db
expect_status 0
rooftune export quick.db -o again.json.gz
expect_status 0
rooftune import again.json.gz -o again.db
expect_status 0
rooftune report again.db -o again.pdf
expect_status 0
rooftune report quick.db -o quick2.pdf
expect_status 0
cmp quick.pdf quick2.pdf || fail "the same run gives other bytes"
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o quick.db
expect_status 0
expect_err 'finished'
if command -v qpdf >/dev/null; then qpdf --check quick.pdf >/dev/null || fail "qpdf --check"; fi
if command -v pdftotext >/dev/null; then
    pdftotext -layout quick.pdf quick.txt
    grep -q 'replayed recording, NVIDIA H200' quick.txt || fail "the report does not say that it is a replay"
    pages=$(grep -c 'replayed recording, NVIDIA H200' quick.txt)
    total=$(pdfinfo quick.pdf | sed -n 's/^Pages: *//p')
    [ "$pages" -ge "$total" ] || fail "only $pages of $total pages say that this is a replay"
fi
