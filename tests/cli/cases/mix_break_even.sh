# SPDX-License-Identifier: Apache-2.0
# compare --mix: the break-even price that the terminal, the JSON and the PDF tell is that of the costs themselves.
need_recording
linear="$SOURCE/sweeps/recorded/nvidia-h200/linear_fp16.json.gz"
[ -f "$linear" ] || skip "no recording of linear_fp16"
command -v python3 >/dev/null || skip "no python3"
# Another card: the same runs, 1.4 times as long and as dear in energy.
python3 - "$linear" <<'PY'
import gzip, json, sys
run = json.load(gzip.open(sys.argv[1]))
own = run["rooftune"]
own["run"]["id"] = "b" * 12
own["gpu"].update(name="NVIDIA B", uuid="GPU-b", memory_bytes=80 * 10**9)
for result in run["results"]:
    result["times"]["runtimes"] = [1.4 * x for x in result["times"]["runtimes"]]
for name in own["points"]:
    if name.endswith(("sample_ms", "step_ms")):
        own["points"][name] = [x and [1.4 * y for y in x] for x in own["points"][name]]
for load in own["loads"]:
    load["joules_per_run"] = load.get("joules_per_run") and 1.4 * load["joules_per_run"]
gzip.open("b.json.gz", "wt", 1).write(json.dumps(run))
PY
mix() { # $1: price of B, $2: weights
    cat <<LUA
return mix {
  name = "decode", unit = "token", per = 32, memory = { weights = $2 },
  { "linear_fp16", { m = 4096, n = 16384 }, count = 160 },
  prices = { currency = "EUR", date = "2026-11", years = 4, kwh = 0.30, utilisation = 0.6, pue = 1.3,
             host = { price = 6000, watts = 250 }, devices = { ["NVIDIA H200"] = 32000, ["NVIDIA B"] = $1 } },
}
LUA
}
mix 8000 70e9 >mix.lua
rooftune compare "$linear" b.json.gz --mix mix.lua --json c.json -o c.pdf
expect_status 0
expect_out '^  B wins below [0-9,]* EUR ([0-9,]* to [0-9,]*), where A costs 32,000 EUR'
tr '\n' ' ' <out | tr -s ' ' | grep -q 'At its 8,000 EUR it does\.' || fail "who wins is not told"
expect_out '^  price of the other card  *32,000 EUR  *[0-9,]* EUR  *[0-9,]* to [0-9,]*$'
[ "$(LC_ALL=C.UTF-8 wc -L <out)" -le 80 ] || fail "wider than 80 columns"
price=$(python3 - <<'PY'
import json
sides = json.load(open("c.json"))["mixes"][0]["sides"]
a, b = sides
even = b["break_even"]
assert "break_even" not in a and even["decision"] == "wins" and even["low"] < even["price"] < even["high"], even
# The cost of B's device changes with its price alone: (price + 6,000) times what it is now over 14,000.
gap = a["cost_million"]["value"] - b["cost_million"]["value"]
price = 8000 + gap / b["device_cost_million"]["value"] * 14000
assert abs(price / even["price"] - 1) < 1e-9, (price, even["price"])
assert all(f["low"] < f["at"] < f["high"] for f in even["flips"]) and len(even["flips"]) > 2
print(even["price"])
PY
) || fail "the break-even price is not that of the costs"
if command -v pdftotext >/dev/null; then
    sentence=$(sed -n 's/^  \(B wins below [^(]*\).*/\1/p' out)
    pdftotext -layout c.pdf - | grep -qF "$sentence" || fail "the PDF lacks: $sentence"
fi
# A report of B says the same beside the other as its reference.
if command -v pdftotext >/dev/null; then
    rooftune report b.json.gz --mix mix.lua --reference "$linear" -o b.pdf --part 1
    expect_status 0
    sentence=$(printf '%s' "$sentence" | sed 's/^B/This card/')
    pdftotext -layout -l 1 b.pdf b.txt
    [ "$(grep -c "$sentence" b.txt)" = 1 ] || fail "page 1 lacks, or has twice: $sentence"
fi
# At that price neither wins.
mix "$price" 70e9 >mix.lua
rooftune compare "$linear" b.json.gz --mix mix.lua
expect_out 'lie within the interval'
# It does not fit on the one card: no price, and the reason.
mix 8000 90e9 >mix.lua
rooftune compare "$linear" b.json.gz --mix mix.lua
expect_status 0
tr '\n' ' ' <out | tr -s ' ' | grep -q 'No break-even price of B: on NVIDIA B the workload does not fit on 1 card, 2 would' ||
    fail "what does not fit has a price"
rooftune show b.json.gz --mix mix.lua
expect_out '^  memory  *does not fit  90.0 GB of 80.0 GB, 2 would'
echo 'return mix { prices = { currency = "USD", date = "2026", kwh = 0.1 } }' >usd.lua
rooftune compare "$linear" b.json.gz --mix mix.lua --mix usd.lua
expect_error 3 'prices are in USD here, in EUR in a file before'
