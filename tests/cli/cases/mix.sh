# SPDX-License-Identifier: Apache-2.0
# --mix: the sums that show, its JSON and the report print are those of the medians that show --json gives.
need_recording
recorded="$SOURCE/sweeps/recorded/nvidia-h200"
gemv="$recorded/gemv.json.gz" linear="$recorded/linear_fp16.json.gz"
[ -f "$gemv" ] && [ -f "$linear" ] || skip "no recordings of gemv and linear_fp16"
cat >decode.lua <<'LUA'
return mix {
  name = "decode, batch 32", unit = "token", per = 32,
  { "linear_fp16", { m = 32, n = 8192, k = 8192 }, count = 160 },
  { "gemv", { n = 4096 }, count = 3 },
}
LUA
cat >prices.lua <<'LUA'
return mix {
  prices = { currency = "EUR", date = "2026-11", years = 4, kwh = 0.30, devices = { ["NVIDIA H200"] = 32000 } },
  names = { ["NVIDIA H200"] = "card in rack 3" },
  remarks = { "List prices without tax." },
}
LUA
# The median of a problem's best, as show --json has it.
median() {
    "$ROOFTUNE" show "$1" --json - | python3 -c '
import json, sys
want = json.loads(sys.argv[1])
for sweep in json.load(sys.stdin)["sweeps"]:
    for best in sweep["best"]:
        if best["problem"] == want:
            print(repr(best["median_s"]))' "$2"
}
rooftune show "$linear" "$gemv" --mix decode.lua --mix prices.lua
expect_status 0
expect_out '^Mix: decode, batch 32, on NVIDIA H200 (card in rack 3)$'
expect_out '^  time of a pass  *[0-9.]* ms '
expect_out '^  energy of a pass  *n/a  linear_fp16 m=32'
expect_out '^  cost per million tokens  *n/a  a part of it is not'
expect_out '32,000 EUR (2026-11)'
expect_out '^  Covers the listed kernels only'
expect_out '^  gemv n=4096 k=4096 '
expect_out '^  List prices without tax.$'
sed -n '/^Mix/,$p' out >mix.txt
expect_narrow mix.txt
rooftune show "$linear" "$gemv" --mix decode.lua --ascii
grep -q '±' out && fail "not ASCII"
if command -v python3 >/dev/null; then
    a=$(median "$linear" '{"m": 32, "n": 8192, "k": 8192}')
    b=$(median "$gemv" '{"n": 4096, "k": 4096}')
    rooftune show "$linear" "$gemv" --mix decode.lua --mix prices.lua --json mix.json --csv -
    expect_status 0
    python3 - "$a" "$b" <<'PY' || fail "the sums of the JSON are not those of the medians"
import json, sys
a, b = float(sys.argv[1]), float(sys.argv[2])
root = json.load(open("mix.json"))
mix, = root["mixes"]
def near(x, y):
    assert abs(x - y) < 1e-9 * abs(y), (x, y)
seconds = 160 * a + 3 * b
near(mix["time_s"]["value"], seconds)
near(mix["units_s"]["value"], 32 / seconds)
near(mix["device_cost_million"]["value"], 32000 / (4 * 365.25 * 86400) * seconds / 32 * 1e6)
assert mix["time_s"]["low"] < seconds < mix["time_s"]["high"]
for key in ("joules", "units_j", "energy_cost_million", "cost_million"):
    assert mix[key]["value"] is None and "energy was not measured" in mix[key]["reason"], mix[key]
near(sum(o["frac"] for o in mix["operations"]), 1)
near(sum(o["frac"] for o in mix["by_bound"]), 1)
assert [o["name"] for o in mix["by_operation"]] == ["linear_fp16", "gemv"]
assert mix["called"] == "card in rack 3" and root["remarks"] == ["List prices without tax."]
assert root["sweeps"][0]["name"] == "linear_fp16"
PY
fi
# Whose energy is there: every figure.
sed 's/m = 32, n = 8192, k = 8192/m = 4096, n = 16384/; /gemv/d' decode.lua >prefill.lua
rooftune show "$linear" --mix prefill.lua --mix prices.lua
expect_status 0
expect_out '^  tokens/J  *[0-9]'
expect_out '^  cost per million tokens  *[0-9.]* EUR [[±]'
# The report has the same figures.
if command -v pdftotext >/dev/null; then
    rooftune report "$linear" "$gemv" --mix decode.lua --mix prices.lua -o mix.pdf --part 1
    expect_status 0
    pdftotext -layout mix.pdf mix.pdf.txt
    for part in 'time of a pass' 'tokens/s' 'of it the device'; do
        value=$(sed -n "s|^  $part  *\([0-9.,]* [A-Zm]*\).*|\1|p" mix.txt | sed 's/ *$//')
        [ -n "$value" ] || fail "no $part in the text"
        grep -q "$part  *$value" mix.pdf.txt || fail "the report lacks $part $value"
    done
    grep -q 'gemv n=4096 k=4096' mix.pdf.txt || fail "the report lacks an operation"
    grep -q 'List prices without tax' mix.pdf.txt || fail "the report lacks the remark"
    rooftune report "$linear" "$gemv" --mix decode.lua --mix prices.lua -o again.pdf --part 1
    cmp mix.pdf again.pdf || fail "two reports of the same differ"
fi
# A part that is not there names itself, and there is no total.
rooftune show "$linear" --mix decode.lua
expect_status 0
expect_out '^  total  *none  1 of 2 operations have no time$'
expect_out 'no sweep or kernel of that name; there is linear_fp16'
grep -q 'tokens/s\|per million' out && fail "a total without a part"
if command -v pdftotext >/dev/null; then
    rooftune report "$linear" --mix decode.lua -o none.pdf --part 1
    expect_status 0
    pdftotext -layout none.pdf - | grep -q 'No total: 1 of 2 operations have no time' || fail "the report does not say so"
fi
# Errors.
rooftune show "$linear" --mix none.lua
expect_error 11 'none.lua'
rooftune show "$linear" --mix "$SOURCE/sweeps/devices.lua"
[ "$status" != 0 ] || fail "a file without a mix is taken for one"
echo 'return { name = "decode" }' >plain.lua
rooftune show "$linear" --mix plain.lua
expect_error 3 'does not return a mix'
sed 's/count = 3/cuont = 3/' decode.lua >typo.lua
rooftune report "$linear" --mix typo.lua -o x.pdf
expect_error 3 'mix\[2\].cuont: unknown key, did you mean "count"?'
expect_err 'typo.lua:4'
[ ! -e x.pdf ] || fail "a report in spite of the error"
rooftune show "$linear" --mix decode.lua --point 1
expect_error 2 'cannot be given together'
# compare: totals on every side with a verdict, costs where a price is given, nothing of them where none is.
export RFT_NVRTC=off
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK" --no-report -o replay.db
expect_status 0
echo 'return mix { name = "quick", unit = "token", { "gemv_fp16", { n = 8192 }, count = 160 } }' >quick.lua
rooftune compare "$QUICK" replay.db --mix quick.lua
expect_status 0
expect_out '^mix: quick$'
expect_out '^  A  [0-9.]* [mu]s [[±][^]%]*[]%]  .*  first$'
expect_out '^  B .* 1.0*x SAME$'
grep -q 'EUR' out && fail "a cost without a price"
rooftune compare "$QUICK" replay.db --mix quick.lua --mix prices.lua --json compare.json -o compare.pdf
expect_status 0
expect_out 'EUR per 10^6'
expect_narrow
if command -v python3 >/dev/null; then
    a=$(median "$QUICK" '{"n": 8192, "k": 8192}')
    python3 - "$a" <<'PY' || fail "the totals of the comparison are not those of the medians"
import json, sys
seconds = 160 * float(sys.argv[1])
root = json.load(open("compare.json"))
a, b = root["mixes"][0]["sides"]
for side in (a, b):
    assert abs(side["time_s"]["value"] / seconds - 1) < 1e-9
    assert abs(side["units_s_per_price"] * seconds * 32000 - 1) < 1e-9
assert a["verdict"] is None and b["verdict"] == "SAME" and b["ratio_low"] < 1 < b["ratio_high"], b
assert root["workloads"][0]["sides"][0]["rate_per_price"] > 0
PY
fi
if command -v pdftotext >/dev/null; then
    pdftotext -layout compare.pdf - >compare.txt
    grep -q 'per EUR' compare.txt && grep -q 'card in rack 3' compare.txt || fail "the PDF lacks prices or names"
fi
