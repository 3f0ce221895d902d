# SPDX-License-Identifier: Apache-2.0
# The page of conformance: what two recordings meet, and that nothing is met where the run does not know.
quick=$SOURCE/sweeps/recorded/nvidia-h200/quick.json.gz
streams=$SOURCE/sweeps/recorded/nvidia-h200/babelstream.json.gz
loaded=$SOURCE/sweeps/recorded/nvidia-h200/softmax.json.gz # with power: its runs are long beside the load's
[ -f "$quick" ] && [ -f "$streams" ] && [ -f "$loaded" ] || skip "no recordings"
command -v python3 >/dev/null || skip "no python3"
# The same without what a result needs: facts, clocks, L2, verification, watts.
python3 - "$streams" <<'END'
import gzip, json, sys
data = json.load(gzip.open(sys.argv[1]))
run = data["rooftune"]
run["env"], run["loads"], run["gpu"]["l2_bytes"] = [], [], 0
points = run["points"]
for name in points:
    if name == "verified":
        points[name] = [False] * points["count"]
    elif name in ("work_bytes_read", "work_bytes_written", "work_fp64"):
        points[name] = [0] * points["count"]
    elif name.endswith(("_clock_mhz", "_sample_mhz")):
        points[name] = [None] * points["count"]
json.dump(data, open("bare.json", "w"))
END
for name in quick streams loaded bare; do
    case $name in quick) file=$quick ;; streams) file=$streams ;; loaded) file=$loaded ;; *) file=bare.json ;; esac
    rooftune show "$file" --json "$name-run.json" --full
    expect_status 0
done
rooftune show "$SOURCE/tests/store/exchange/tiny.kt.json" --json foreign-run.json
python3 - <<'END' || fail "not what the recordings hold"
import json
def rules(name):
    rows = json.load(open(f"{name}-run.json"))["conformance"]
    assert {row["state"] for row in rows} <= {"met", "not met", "not applicable"}
    return {(row["body"], row["rule"]): (row["state"], row["why"]) for row in rows}
streams, quick, loaded, bare = (rules(name) for name in ("streams", "quick", "loaded", "bare"))
for rule in "arrays", "kernels", "iterations", "bytes", "fp64":
    assert streams["stream", rule][0] == "met", (rule, streams["stream", rule])
arrays = streams["stream", "arrays"]
assert "4 x 60 MiB" in arrays[1] and streams["stream", "best"][0] == "not met"
assert [rule for body, rule in quick if body == "stream"] == ["kernels"]
assert quick["stream", "kernels"][0] == "not applicable"
# Sensors of a card are below Level 1; without a reading there is nothing to judge.
assert loaded["ee_hpc_wg", "meter"][0] == "not met" and "below Level 1" in loaded["ee_hpc_wg", "meter"][1]
assert quick["ee_hpc_wg", "level"][0] == "not applicable" and quick["mlperf", "power"][0] == "not applicable"
assert quick["spec", "validated"][0] == "met" and quick["spec", "compiler"][0] == "not met"
for key in [("spec", r) for r in ("validated", "system", "tunables", "clocks", "compiler")] + [
    ("stream", r) for r in ("arrays", "fp64", "bytes", "validated")] + [("mlperf", "system")]:
    assert bare[key][0] == "not met", (key, bare[key])
# Another tuner's file: its hash is not that of any source.
foreign = rules("foreign")
for rule in "observation", "validated", "system", "sources":
    assert foreign["spec", rule][0] == "not met", (rule, foreign["spec", rule])
END
rooftune show "$loaded" --full
expect_out 'Aspect 4: an accurate meter'
rooftune report "$streams" -o page.md
grep -q 'An array is at least 4 times the last cache' page.md || fail "the document does not say it"
