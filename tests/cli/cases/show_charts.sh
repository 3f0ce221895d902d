# SPDX-License-Identifier: Apache-2.0
# What show draws, as a user gets it: the sample in docs/show.md is real output, options do what they say, JSON has the same.
need_recording
recorded=$SOURCE/sweeps/recorded/nvidia-h200
if [ -f "$recorded/gemv.json.gz" ]; then
    rooftune show "$recorded/gemv.json.gz"
    expect_status 0
    sed -n '/^Roofline/,/^  search on/p' out | sed '$d' | sed '$d' >drawn
    sed -n '/^Roofline/,/^```/p' "$SOURCE/docs/show.md" | sed '$d' >documented
    [ -s drawn ] || fail "nothing drawn"
    cmp drawn documented || fail "docs/show.md shows other output than the program"
fi
if [ -f "$recorded/histograms.json.gz" ]; then # words where no numbers are swept: bars of them
    rooftune show "$recorded/histograms.json.gz"
    expect_out '^    along data, with n=268435456 .* uniform .* sorted '
    rooftune report "$recorded/histograms.json.gz" -o words.html
    grep -q 'Along data, with n=268435456 bins=256' words.html || fail "no bars for an axis of words"
fi
rooftune show "$QUICK"
expect_out '^Roofline, FP32: useful rate (TFLOP/s) over intensity'
expect_out '^    ROWS  *[^ ]* [12]; [12] costs at best 1'
expect_out '^With --full: '
grep -q 'Hardware counters of the best' out && fail "the table of counters without --full"
short=$(wc -l <out)
rooftune show "$QUICK" --full
expect_out '^  Hardware counters of the best'
expect_out '^  fit of the bests'
[ "$(wc -l <out)" -gt "$short" ] || fail "--full is no longer"
rooftune show "$QUICK" --ascii
tr -d '\n -~' <out | grep -q . && fail "--ascii prints more than ASCII"
expect_out '^    ROWS  *[1-8][1-8] [12]; '
rooftune show "$QUICK" --json -
expect_out '"rooflines":\[{"pipe":"fp32","unit":"FLOP/s",'
expect_out '"profiles":\[{"along":"parameter","name":"ITEMS"'
expect_out '"progress":{"problem":{'
