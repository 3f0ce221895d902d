# SPDX-License-Identifier: Apache-2.0
# A prior: what check shows of it, a search that begins with its first choices, what the run says of it, mistakes.
recording=$SOURCE/sweeps/recorded/nvidia-h200/matmul_search.json.gz
[ -f "$recording" ] || skip "no recording of matmul_search"
command -v python3 >/dev/null || skip "no python3"
export RFT_NVRTC=off
# with PRIOR: the recorded sweep, and that prior.
with() {
    sed "s|kernel = matmul.register_even,|name = 'matmul_search', variants = { { 'matmul_fp32_register', \
kernel = matmul.register_even, prior = $1 } },|" "$SOURCE/sweeps/matmul_search.lua" >prior.lua
}
search() { rooftune run prior.lua -d "replay:$recording" --no-report -o "$1.db" --fresh --budget 40; }

with 'function(p, c, gpu, t) return t.sum end'
rooftune check prior.lua
expect_status 0
expect_out 'first by the prior for m=2048 n=2048 k=2048 (0.000[0-9]*, the 64th 0.000[0-9]*; what spills goes last):'
expect_out '^    TILE_M=[0-9]* TILE_N=[0-9]* TILE_K='
search right
expect_status 0
rooftune show right.db --full --json right.json --csv right.csv
expect_status 0
expect_out 'Prior at n=2048: rank correlation with the measured times [-0-9.]* \[[-0-9., ]*\]'
expect_out 'Problem n=2048, Tried 40, Spill [0-9]*, Rank correlation' # as lines: a column would tear the variant's name
# Another one, the other way round: the interval says so, and its first choice is dear.
with 'function(p, c, gpu, t) return 1 / t.sum end'
search wrong
rooftune show wrong.db --json wrong.json
python3 - <<'END' || fail "not what the points say"
import csv, json
right, wrong = (json.load(open(f + ".json"))["sweeps"][0]["priors"][0] for f in ("right", "wrong"))
rows = [r for r in csv.DictReader(open("right.csv")) if r["prior"] and r["median_s"] and not r["alias_of"]]
assert right["configurations"] == len(rows) == 40, (right, len(rows))
assert right["spilling"] == sum(int(r["spill_bytes"] or 0) > 0 for r in rows)
kept = [r for r in rows if not int(r["spill_bytes"] or 0)]
least = min(float(r["prior"]) for r in kept)
assert right["first_equal"] == sum(float(r["prior"]) == least for r in kept), right
first = next(r for r in rows if int(r["point"]) == right["first_point"])
assert float(first["prior"]) == least
assert int(first["point"]) <= 24, first  # the seeds, and what took their places, before anything else was told
assert right["first_loss_low_frac"] <= right["first_loss_frac"] <= right["first_loss_high_frac"]
assert right["rank_correlation_low"] < right["rank_correlation"] < right["rank_correlation_high"]
assert wrong["rank_correlation"] < right["rank_correlation"] and wrong["first_loss_frac"] > right["first_loss_frac"]
END
rooftune report wrong.db -o wrong.md
grep -q 'Prior at n=2048: rank correlation with the measured times' wrong.md || fail "the document does not say it"
# None: nothing is said of one.
rooftune show "$recording" --json none.json
grep -q '"priors": *null' none.json || fail "a run without a prior has something to say of one"
# Mistakes: where loading tries it, and elsewhere.
with 'function(p, c) return -c.TILE_M end'
rooftune check prior.lua
expect_error 3 'prior.lua:[0-9]*: prior: expected a number above 0, got -128' 'the larger number'
with 'function(p, c) return c.VEC == 1 and 0 or 1 end'
rooftune check prior.lua
expect_status 0
expect_err '2,*604 of 5,*208 configurations have no prior: .*prior: expected a number above 0, got 0'
search some
expect_status 0
expect_err 'the prior has no opinion on 2604 of 5208 configurations of matmul_fp32_register, since it fails for them'
