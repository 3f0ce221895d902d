# SPDX-License-Identifier: Apache-2.0
# A pipe that does all its clock allows, at the board's power limit, is bound by power: it has no room left.
recorded=$SOURCE/sweeps/recorded/nvidia-h200/linear_fp16.json.gz
[ -f "$recorded" ] || exit 77
rooftune show "$recorded" --json linear.json
expect_status 0
expect_out 'bound power'
expect_out 'allow, back to back [67][0-9][0-9]'
expect_out 'found, FP16 tensor to \(power\|clock\) at'
expect_out '  Energy .*Back to$'
expect_out ' [67][0-9][0-9] TFLOP/s  [67][0-9][0-9] TFLOP/s$'
python3 - <<'END' || fail "not as the JSON says"
import json
best = [b for b in json.load(open("linear.json"))["sweeps"][0]["best"]
        if b["problem"] == {"m": 4096, "n": 16384, "k": 16384}][0]
clock = best["at_clock"]
assert best["bound"] == "power" and best["bound_frac"] >= 0.9, best["bound_text"]
assert clock["held_by"] == "power_cap" and clock["below_run_clock"]
assert 0.9 <= clock["efficiency_frac"] <= 1.0 and clock["efficiency_frac"] > best["efficiency_frac"] + 0.1
assert abs(best["left_factor"] * clock["efficiency_frac"] - 1) < 1e-9
assert 600e12 < best["back_to_back_ops_s"] < best["rate_ops_s"] < 800e12
# of the pipe's width: 4096 operations an SM and cycle
width = best["rate_ops_s"] / (132 * 4096 * clock["clock_mhz"] * 1e6)
assert 0.9 <= width <= clock["efficiency_frac"]
assert not [a for a in best["advice"]["same_work"] if a["rule"] in ("occupancy", "barrier")]
END
rooftune show "$recorded" --csv linear.csv
expect_status 0
# The library computes whole tiles, 160 rows as 192: of the useful operations alone it is less than the 0.9 that are counted.
python3 - <<'END' || fail "not as the CSV says"
import csv
rows = {row["point"]: row for row in csv.DictReader(open("linear.csv"))}
power = [row for row in rows.values() if row["bound"] == "power"]
assert power and all(float(row["clock_frac"]) > 0.8 and float(row["clock_mhz"]) < 0.95 * 1980 for row in power)
assert [row for row in power if row["back_to_back_ops_s"] and float(row["back_to_back_ops_s"]) < float(row["rate_ops_s"])]
END
