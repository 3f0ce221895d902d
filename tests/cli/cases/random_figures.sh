# SPDX-License-Identifier: Apache-2.0
# Figures picked at random from a report's tables are those of `show --json`, by name, unit and rounding.
command -v python3 >/dev/null || skip "no python3"
for name in gemv stream matmul_fp8; do
    file=$SOURCE/sweeps/recorded/nvidia-h200/$name.json.gz
    [ -f "$file" ] || skip "no recordings"
    rooftune report "$file" -o "$name.md"
    rooftune show "$file" --json "$name.json" --full
    expect_status 0
    python3 "$SOURCE/tests/cli/random_figures.py" "$name.md" "$name.json" 30 1 2 3 >told || fail "$(cat told)"
done
# The last digit of the first median, one more: it is found.
python3 - gemv.md >wrong.md <<'END'
import re, sys
text, count = re.subn(r"(\n\| n=\d+(?:<br>[^|]*)? \| [\d.]*)(\d)", lambda m: m[1] + str((int(m[2]) + 1) % 10),
                      open(sys.argv[1]).read(), count=1)
assert count == 1
print(text)
END
! python3 "$SOURCE/tests/cli/random_figures.py" wrong.md gemv.json 0 1 >told || fail "a wrong digit was not found"
