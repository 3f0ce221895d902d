# SPDX-License-Identifier: Apache-2.0
# report and show with several runs of one card: one report of all their sweeps; what is not of one card is refused.
need_recording
recorded="$SOURCE/sweeps/recorded/nvidia-h200"
gemv="$recorded/gemv.json.gz" triad="$recorded/triad.json.gz"
[ -f "$gemv" ] && [ -f "$triad" ] || skip "no recordings of gemv and triad"
export RFT_NVRTC=off
rooftune show "$gemv" --json gemv.json
expect_status 0
rooftune show "$triad" --json triad.json
expect_status 0
rooftune show "$gemv" "$triad" --json both.json
if [ "$status" = 2 ]; then
    skip "the two recordings are of different cards"
fi
expect_status 0
python3 - <<'PY' || fail "both together are not what they are one by one"
import json
one, two, both = (json.load(open(name + ".json")) for name in ("gemv", "triad", "both"))
bests = lambda run: [[best[key] for key in ("problem", "variant", "configuration", "median_s")] for sweep in run["sweeps"] for best in sweep["best"]]
assert bests(both) == bests(one) + bests(two) and len(bests(two)) > 0
assert both["run"] != one["run"]
PY
rooftune report "$gemv" "$triad" -o both.pdf
expect_status 0
if pdftotext -v 2>/dev/null || command -v pdftotext >/dev/null; then
    pdftotext -layout both.pdf both.txt
    grep -q 'Sweep gemv' both.txt || fail "gemv is not in the report of both"
    grep -q 'Sweep triad' both.txt || fail "triad is not in the report of both"
fi
cp "$gemv" copy.json.gz
rooftune report "$gemv" copy.json.gz -o twice.pdf
expect_error 2 'both hold the sweep gemv'
# One file under several names, told before any is read: 3,000 times took 40 s.
ln -s copy.json.gz link.json.gz
many=$(for i in $(seq 3000); do printf ' copy.json.gz'; done)
for command in 'show copy.json.gz link.json.gz' 'report copy.json.gz copy.json.gz' "best $many" "show $many"; do
    timeout 5 "$ROOFTUNE" $command >out 2>err && status=0 || status=$?
    expect_error 2 'are the same file'
done
rooftune report "$gemv" --reference copy.json.gz --reference link.json.gz -o twice.pdf
expect_error 2 'are the same file'
rooftune report
expect_error 2 'report takes a run file or recording'
