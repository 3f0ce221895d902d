# SPDX-License-Identifier: Apache-2.0
# run --mix --package: one command measures a workload's problems and packs what is sent; the receiver opens it as it is.
need_recording
command -v python3 >/dev/null || skip "no python3"
export RFT_NVRTC=off
cat >quick.mix.lua <<'LUA'
return mix {
  name = "quick", unit = "token", per = 4, sweeps = { "quick.lua" }, memory = { weights = 16e9 },
  { "gemv_fp16", { n = 8192 }, count = 160 },
}
LUA
price() {
    echo "return mix { prices = { currency = \"$2\", date = \"2026-11\", years = 4, devices = { [\"NVIDIA H200\"] = $1 } } }"
}
price 32000 EUR >a.lua
price 21000 EUR >b.lua
price 21000 USD >usd.lua
rooftune run --mix quick.mix.lua --mix a.lua -d "replay:$QUICK" --package a.tar.gz --no-report
expect_status 0
expect_out '^Mix: quick, on NVIDIA H200$'
expect_out '^  of it the device  *[0-9.]* EUR'
expect_out '^package a.tar.gz$'
expect_err 'the receiver the digest by another way'
digest=$(sed -n 's/^digest  *//p' out)
[ ${#digest} = 64 ] || fail "no digest: $digest"
ls quick-h200-replay-20*.db >/dev/null || fail "the run is not called like the mix"
# Only what the mix names was measured.
rooftune show a.tar.gz --json a.json
expect_status 0
python3 - "$digest" <<'PY' || fail "the JSON of the package"
import json, sys
root = json.load(open("a.json"))
assert [s["name"] for s in root["sweeps"]] == ["gemv_fp16"], root["sweeps"]
assert root["package"]["digest"] == sys.argv[1]
what = [row["what"] for row in root["package"]["unchecked"]]
assert "who made it, on what" in what and "that it was measured" in what and "load that lasts" in what, what
mix, = root["mixes"]
assert mix["price"]["device"] == 32000 and mix["memory"]["fits"] is True
PY
# What every tool can look at.
tar xzf a.tar.gz || fail "tar does not read it"
(cd rooftune-package && sha256sum -c --quiet SHA256SUMS) || fail "sha256sum does not agree"
[ "$(sha256sum <rooftune-package/SHA256SUMS | cut -d' ' -f1)" = "$digest" ] || fail "the digest is not that of SHA256SUMS"
grep -q '^# What was not checked$' rooftune-package/README.md || fail "the page of what was not checked"
grep -q 'gemv_fp16.cu | [0-9a-f]\{64\} |' rooftune-package/README.md || fail "the hashes of the sources"
# A mix that is none is told with its package's run: several packages have one each.
(cd rooftune-package && echo '[{' >mix.json && sha256sum run.json mix.json README.md >SHA256SUMS)
tar --format=ustar -czf bad.tar.gz rooftune-package/SHA256SUMS rooftune-package/run.json rooftune-package/mix.json rooftune-package/README.md
rooftune show bad.tar.gz
expect_error 8 'mix.json in the package of run [0-9a-f]*:[0-9:]* .*is not JSON'
# People read the same.
rooftune show a.tar.gz
expect_out '^What was not checked$'
expect_out "$digest"
sed -n '/^What was not/,$p' out >unchecked
expect_narrow unchecked
if command -v pdftotext >/dev/null; then
    rooftune report a.tar.gz --part 1
    expect_status 0
    pdftotext -layout a.pdf a.txt
    grep -q 'What was not checked' a.txt && grep -q "$digest" a.txt || fail "the report lacks the package"
    grep -q '32,000 EUR (2026-11)' a.txt || fail "the report lacks the mix of the package"
fi
rooftune import a.tar.gz -o imported.db
expect_status 0
rooftune show imported.db
grep -q 'not checked' out && fail "an imported run is said to be a package"
# Another bidder, the same model: each has its own price.
python3 - "$QUICK" <<'PY'
import gzip, json, sys
run = json.load(gzip.open(sys.argv[1]))
run["rooftune"]["run"]["id"] = "b" * 12
run["rooftune"]["gpu"]["uuid"] = "GPU-b"
gzip.open("b.json.gz", "wt").write(json.dumps(run))
PY
rooftune run --mix quick.mix.lua --mix b.lua -d replay:b.json.gz --package b.tar.gz --no-report -o b.db
expect_status 0
rooftune compare a.tar.gz b.tar.gz --json c.json
expect_status 0
python3 - <<'PY' || fail "prices of two bids"
import json
root = json.load(open("c.json"))
a, b = root["mixes"][0]["sides"]
assert (a["price"]["device"], b["price"]["device"]) == (32000, 21000), (a["price"], b["price"])
assert b["break_even"]["decision"] == "wins" and abs(b["break_even"]["price"] / 32000 - 1) < 0.02, b["break_even"]
assert any("came in a package" in c for c in root["caveats"]), root["caveats"]
PY
# The receiver's own mix goes before that of the package; two currencies, or two workloads, are not mixed.
rooftune show a.tar.gz --mix quick.mix.lua
grep -q '32,000 EUR' out && fail "the package's price in spite of --mix"
rooftune run --mix quick.mix.lua --mix usd.lua -d replay:b.json.gz --package usd.tar.gz --no-report -o usd.db
rooftune compare a.tar.gz usd.tar.gz
expect_error 3 'prices are in USD here, in EUR in a file before'
sed 's/160/161/' quick.mix.lua >other.lua
rooftune run --mix other.lua -d replay:b.json.gz --package other.tar.gz --no-report -o other.db
rooftune compare a.tar.gz other.tar.gz
expect_error 2 'hold different mixes'
# Damage, change, and what is no package.
python3 - <<'PY'
import gzip, io, tarfile
data = gzip.open("a.tar.gz").read()
at = data.index(b'"median":')
gzip.open("changed.tar.gz", "wb").write(data[:at] + data[at:].replace(b"1", b"2", 1))
packed = open("a.tar.gz", "rb").read()
open("cut.tar.gz", "wb").write(packed[: len(packed) // 2])
with tarfile.open("evil.tar.gz", "w:gz") as evil:
    info = tarfile.TarInfo("../escaped.lua")
    info.size = 4
    evil.addfile(info, io.BytesIO(b"evil"))
PY
rooftune show changed.tar.gz
expect_error 8 'changed.tar.gz: run.json is not what its checksum says: it was damaged or changed'
rooftune report cut.tar.gz
expect_error 8 'ends in the middle: it is truncated'
rooftune compare a.tar.gz evil.tar.gz
expect_error 8 'holds "../escaped.lua", which no package of rooftune does'
[ ! -e ../escaped.lua ] || fail "a file was unpacked"
# The example of the documentation names its sweeps.
rooftune run --mix "$SOURCE/docs/examples/decode.lua" --dry-run --arch sm_90a
expect_status 0
expect_out '^linear_fp16 .* n=16384 k=16384: 8 configurations$'
# Before anything is measured: operations that no sweep has, files that are not there, places that cannot be written.
sed 's/8192/8191/' quick.mix.lua >missing.lua
rooftune run --mix missing.lua -d "replay:$QUICK" --package x.tar.gz
expect_error 2 'gemv_fp16 n=8191: gemv_fp16 has n = 1024, 2048, 4096, 8192'
expect_err 'missing.lua'
sed '/sweeps/s/sweeps = { "quick.lua" },//' quick.mix.lua >nofile.lua
rooftune run --mix nofile.lua -d "replay:$QUICK"
expect_error 2 'no sweep gemv_fp16.lua lies beside the mix or among the program'
rooftune run --mix a.lua -d "replay:$QUICK"
expect_error 2 'no file has operations'
rooftune run --mix quick.mix.lua -d "replay:$QUICK" --package none/x.tar.gz
expect_error 11 'the package cannot be written to none/x.tar.gz'
rooftune run --mix quick.mix.lua -d "replay:$QUICK" --package a.tar.gz
expect_error 11 'a.tar.gz holds a recording, which would be lost'
rooftune run --mix quick.mix.lua -d "replay:$QUICK,replay:b.json.gz" --package x.tar.gz
expect_error 2 'package is of one run'
[ ! -e x.tar.gz ] || fail "a package in spite of the error"
