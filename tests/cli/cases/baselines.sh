# SPDX-License-Identifier: Apache-2.0
# Baselines that others measured: into a run file, labelled wherever they are shown, and refused with place and remedy.
need_recording
rooftune import "$QUICK" -o run.db
expect_status 0

# Two baselines of the first sweep's problems; the values of its axes are read from the run itself.
rooftune show run.db --json findings.json
expect_status 0
problem=$(grep -o '"best":\[{[^}]*"problem":{[^}]*}' findings.json | head -n 1 | sed 's/.*"problem":{\([^}]*\)}/\1/')
sweep=$(sed 's/.*"sweeps"://' findings.json | grep -o '"name":"[a-z0-9_]*"' | head -n 1 | sed 's/.*:"\(.*\)"/\1/')
[ -n "$problem" ] && [ -n "$sweep" ] || fail "no problem found in findings.json"
printf '[{"name": "other tool", "sweep": "%s", "problem": {%s}, "seconds": "1.5ms", "source": "its own bench"},\n' \
    "$sweep" "$problem" >mine.json
printf ' {"name": "other tool", "sweep": "%s", "problem": {"%s": 3}, "seconds": 1, "source": "x"}]\n' \
    "$sweep" "$(echo "$problem" | sed 's/^"\([^"]*\)".*/\1/')" >>mine.json
rooftune import --baseline mine.json run.db
expect_status 0
expect_err "1 baseline of mine.json taken, as another protocol's"
expect_err "1 baseline of mine.json left out: the run has no such problem"

rooftune show run.db
expect_status 0
expect_out "of other tool (other protocol)"
expect_out "other tool: from its own bench"
rooftune show run.db --json -
expect_out '"label":"other tool (other protocol)"'
rooftune report run.db -o run.pdf
expect_status 0
expect_file run.pdf
if command -v pdftotext >/dev/null; then
    pdftotext -layout run.pdf text
    grep -q "other tool (other protocol)" text || fail "the report does not say so"
    grep -q "Beside the baselines" text || fail "the report has no section of baselines"
fi

# Through a recording and back.
rooftune export run.db -o run.json.gz
rooftune import run.json.gz -o again.db
rooftune show again.db
expect_out "of other tool (other protocol)"

# What is wrong, and where.
printf 'name,n,seconds,source\nx,4096,quick,y\n' >bad.csv
rooftune import --baseline bad.csv run.db
expect_error 8 'bad.csv: line 2: seconds is no time: "quick"'
rooftune import --baseline mine.json
expect_error 2 "added to one run file"
rooftune import --baseline missing.json run.db
expect_error 11 "missing.json"
rooftune import --baseline mine.json missing.db
expect_error 11 "missing.db"
rooftune import --help
expect_out "baseline FILE"
