#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# peers_on_recording.sh PEERS SOURCE: the whole program on a recording, with peers that answer and time nothing. 77: no
# recording, no python3, or no NVRTC.
set -eu
peers=$1 source=$2
recorded=$source/sweeps/recorded/nvidia-h200
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"
[ -f "$recorded/copy_scale.json.gz" ] || { echo "skipped: no recording"; exit 77; }
python3 -c pass || { echo "skipped: no python3"; exit 77; }
"$ROOFTUNE" devices 2>&1 | grep -q '^  NVRTC: [0-9]' || { echo "skipped: no NVRTC to compile the flush"; exit 77; }

fail() {
    echo "FAILED: $*"
    cat out
    exit 1
}
cat >table.json <<'JSON'
{"rows": [
 {"name": "scale", "op": "scale", "type": "f32", "shape": {"n": 268435456}, "file": "copy_scale",
  "sweep": "copy_scale_fp32", "at": {"n": 268435456}, "goal_frac": 0.89,
  "peers": [{"peer": "eager", "goal": 1.01}, {"peer": "flashinfer", "goal": 3}]},
 {"name": "scale by bytes", "op": "scale", "type": "f32", "shape": {"n": 268435456}, "file": "copy_scale",
  "sweep": "copy_scale_fp32", "at": {"n": 268435456}, "variants": ["16 B loads"], "peers": [{"peer": "eager", "goal": 1.01}]},
 {"name": "nowhere", "op": "scale", "type": "f32", "shape": {"n": 7}, "file": "copy_scale",
  "sweep": "copy_scale_fp32", "at": {"n": 7}, "peers": [{"peer": "eager"}]}
]}
JSON
cat >peer.py <<PY
import sys
sys.dont_write_bytecode = True
sys.path.insert(0, "$source/tests/bench/peers")
import torch_peer
class Bench(torch_peer.NoBench):
    def time(self, peer, samples, cache, flush):
        assert cache == "cold", cache
        with open(flush, "rb") as cubin:  # our own flush, by its kernels' names
            text = cubin.read()
        assert b"rft_flush_write_kernel" in text and b"rft_flush_read_kernel" in text, flush
        return {"samples_us": [550.0] * samples}
torch_peer.serve(sys.stdin, sys.stdout, Bench)
PY
status=0
"$peers" --device "replay:$recorded/copy_scale.json.gz" --runs "$recorded" --table table.json --script peer.py \
    --json found.json >out 2>&1 || status=$?
[ "$status" = 1 ] || fail "a row that is nowhere makes the status 1, not $status"
grep -q '^| scale | 50[0-9]\.[0-9] \[.*\] | 19[0-9]* | [-0-9]* | 42[0-9]* | 8[89]\.[0-9] % | 89 %: .*met.* | 50[0-9]\.[0-9] (\(9[5-9]\|10[0-5]\) %) | eager | 550.0 \[550.0, 550.0\] | - | 3905 | 1\.[0-9]* \[.*\] | 1.01 | met |$' out ||
    fail "no line of the row scale"
grep -q 'flashinfer | - .*not measured: ValueError: flashinfer has no operation scale' out || fail "no reason of the peer"
grep -q '^| nowhere .*not measured: row "nowhere": sweep copy_scale_fp32 has no problem {"n":7}' out || fail "no reason of ours"
grep -q '^- scale: .*VEC=' out || fail "what ours was is not told"
grep -q '^- scale by bytes: 16 B loads, VEC=4 ' out || fail "a variant that the row leaves out was compared"
python3 - <<'PY' || fail "the JSON is not what was printed"
import json
rows = json.load(open("found.json"))["rows"]
assert len(rows) == 3 and len(rows[0]["rounds_us"]) == 6 and rows[0]["peers"][0]["ratio"]["interval_is_95"]
assert rows[0]["floor_ceiling"] == "dram_copy" and rows[2]["floor_us"] is None
assert rows[0]["peers"][0]["verdict"] == "met" and "has no operation" in rows[0]["peers"][1]["reason"]
assert rows[1]["time_us"]["median"] > rows[0]["time_us"]["median"] and rows[2]["time_us"]["median"] is None
PY
status=0
"$peers" --device "replay:$recorded/copy_scale.json.gz" --runs "$recorded" --table table.json --script peer.py nowhere \
    >out 2>&1 || status=$?
[ "$status" = 77 ] || fail "where nothing could be measured the status is 77, not $status"

# The library's times are those of the run: no peer is asked.
"$peers" --runs "$recorded" "matmul tf32 8192" >out 2>&1 || fail "a row beside the library needs no GPU"
grep -q '^| matmul tf32 8192 | [0-9.]* \[.*\] | 1[0-9]* | [-0-9]* | - .* | cuBLASLt tf32 | [0-9.]* \[.*\] | 1[0-9]* | - | 1\.[0-9]* \[[01]\.[0-9]*, [0-9.]*\] | 1.10 | .*met.* |$' out ||
    fail "no line of the row beside the library"
