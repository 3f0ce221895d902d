# SPDX-License-Identifier: Apache-2.0
# Base and peak: one configuration for all problems of a sweep, beside the best for each; worked out again from the CSV.
gemv=$SOURCE/sweeps/recorded/nvidia-h200/gemv.json.gz
[ -f "$gemv" ] || skip "no recording of gemv"
command -v python3 >/dev/null || skip "no python3"
rooftune show "$gemv" --json run.json --csv run.csv
expect_status 0
expect_out 'Base and peak: one configuration for all 5 problems (base) has 9[0-9.]* % of the'
python3 - <<'END' || fail "not what the points say"
import csv, json, math
sweep = json.load(open("run.json"))["sweeps"][0]
base, peak = sweep["base"], {}
for best in sweep["best"]:
    peak[" ".join(f"{k}={v}" for k, v in best["problem"].items())] = best["median_s"]
rows = {row["point"]: row for row in csv.DictReader(open("run.csv"))}
times = {}
for row in rows.values():
    own = rows.get(row["alias_of"], row)
    problem = next((p for p in peak if p.split()[0] == row["problem"].split()[0]), None)
    if problem and own["median_s"]:
        times.setdefault((row["variant"], row["configuration"]), {})[problem] = float(own["median_s"])
shares = {c: [min(1, peak[p] / t[p]) for p in peak] for c, t in times.items() if len(t) == len(peak)}
mean = {c: math.exp(sum(map(math.log, s)) / len(s)) for c, s in shares.items()}
first = max(mean, key=mean.get)
assert base["candidates"] == len(mean) and base["problems"] == len(peak), (base, len(mean))
assert (base["variant"], base["configuration"]) == first, (base, first)
assert abs(base["frac"] - mean[first]) < 1e-9 and abs(base["worst_frac"] - min(shares[first])) < 1e-9
END
rooftune report "$gemv" -o gemv.md
grep -q 'Base and peak: one configuration for all 5 problems' gemv.md || fail "the document does not say it"
