# SPDX-License-Identifier: Apache-2.0
# A part of a sweep: what is run, stored, continued and compared is that part; what is not there is told with the nearest.
need_recording
export RFT_NVRTC=off
recorded=$SOURCE/sweeps/recorded/nvidia-h200
cat >r.lua <<'LUA'
local s = require "kernels.copy_scale"
local function step(name, vec, items) return { name, kernel = s.fp16, tune = { VEC = values(vec), BLOCK = values(256), ITEMS = items } } end
return sweep {
  name = "copy_scale",
  variants = { step("2 B loads", 1, values(1, 4)), step("4 B loads (half2)", 2, values(1, 4)), step("16 B loads", 8, values(1)) },
  over = { n = values(2^16, 2^19, 2^22, 2^25, 2^27) },
}
LUA
part() { rooftune run r.lua -d "replay:$QUICK" --no-report "$@"; }
rooftune run r.lua -d "replay:$QUICK" --no-report -o whole.db
expect_status 0
# Variants behind one that is left out keep their own code and constraints.
part -o part.db --at n=4194304 --variant '4 B loads (half2)' --set ITEMS=4
expect_status 0
rooftune export part.db -o part.json
python3 - <<'PY' || fail "the part holds something else"
import json
run = json.load(open("part.json"))["rooftune"]
sweep = run["sweeps"][0]
assert [v["name"] for v in sweep["variants"]] == ["4 B loads (half2)"], sweep["variants"]
assert [p["values"] for p in sweep["variants"][0]["params"]] == [[2], [256], [4], [False]], sweep["variants"][0]["params"]
assert [p["values"] for p in sweep["problems"] if not p["odd"]] == [[4194304]], sweep["problems"]
assert [a["values"] for a in sweep["axes"]] == [[4194304]]
PY
grep -q '"run.part", *"--at n=4194304 --variant .4 B loads (half2). --set ITEMS=4"' part.json || fail "the part is not stored in words"
# Of the same point both runs tell the same, but for its time: what is alone is in the final round.
for run in whole part; do
    rooftune show $run.db --csv -
    grep ',n=4194304,VEC=2 BLOCK=256 ITEMS=4 ' out | cut -d, -f2-6,18-20 >of_$run || true
done
[ -s of_part ] && cmp of_whole of_part || fail "a point of the part is told otherwise than in the whole"
rooftune compare whole.db part.db
expect_status 0
# Continuing wants the same part.
part -o part.db --variant '4 B loads (half2)' --at n=4194304 --set ITEMS=4
expect_status 0
expect_err 'part.db holds this run, finished'
for other in '' '--at n=4194304' '--at n=524288 --set ITEMS=4' '--at n=4194304 --set ITEMS=1'; do
    part -o part.db $other
    expect_error 9 'part.db: the file holds another part of the sweep'
done
part -o whole.db --set ITEMS=4
expect_error 9 'whole.db: the file holds another part of the sweep'
# Values of one name add up; a variant without the value goes.
part --dry-run --at n=65536 --at n=524288 --set ITEMS=4
expect_status 0
expect_out '^4 of 4 combinations are valid'
expect_out 'copy_scale  2 B loads  n=65536: 1 configuration$'
! grep -q '16 B loads\|n=4194304' out || fail "more is left than was asked for"
# Without -o a part has a name of its own.
part --at n=65536 --set ITEMS=4
expect_status 0
expect_file "$(ls r-n-65536-ITEMS-4-h200-replay-20*.db)"
# What is not there.
part --at n=65535
expect_error 2 'sweep copy_scale: the sweep has no n=65535, the nearest is 65536'
expect_err 'values of n: 65536, 524288, 4194304, 33554432, 134217728'
part --at m=1
expect_error 2 'no axis "m"'
part --at n
expect_error 2 '"n": expected AXIS=VALUE'
part --variant '2 B load'
expect_error 2 'no variant "2 B load", did you mean "2 B loads"?'
part --set ITEM=4
expect_error 2 'no parameter "ITEM", did you mean "ITEMS"?'
part --set ITEMS=5
expect_error 2 'has no ITEMS=5, the nearest is 4'
part --set VEC=8 --set ITEMS=4
expect_error 2 'no variant has all of them'
# Of several sweeps those without it are left out, and said to be.
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK" --dry-run --at stride=2
expect_status 0
expect_err 'left out: sweep copy_scale: no axis "stride"'
expect_out '^strided_read  .*stride=2: 3 configurations$'
! grep -q '^gemv_fp16' out || fail "a sweep without the axis is run"

# A plan needs no device and no compiler: an architecture's facts do.
rooftune run r.lua --dry-run --arch sm_80 --set ITEMS=4
expect_status 0
expect_out 'combinations are valid'
rooftune devices
if ! grep -q '^device 0' out; then
    rooftune run r.lua --dry-run --at n=65536
    expect_status 0
    expect_err 'no device here: planned for sm_90a; --arch names another'
    expect_out '^5 of 5 combinations are valid'
fi
rooftune run r.lua --dry-run -d 250
[ "$status" = 6 ] || [ "$status" = 7 ] || fail "a device that was named is not asked for"
rooftune run r.lua --dry-run --arch sm_9
expect_error 2 'unknown architecture "sm_9"'
rooftune run r.lua --arch sm_90a
expect_error 2 '--arch stands for the device of --dry-run'
[ -z "$(ls r-*sm* 2>/dev/null)" ] || fail "a plan was written to a file"

# Of several sweeps those of whose part constraints leave nothing are left out; of all of them: an error.
write_saxpy
k='kernel = require "kernels.saxpy_kernel", over = { n = values(64, 1024) }, tune = { VEC = values(1, 2) }'
cat >wheres.lua <<LUA
return { sweep { name = "small", $k, where = { "n < 100" } }, sweep { name = "any", $k, where = { "VEC < 4" } } }
LUA
rooftune run wheres.lua --dry-run --arch sm_80 --at n=1024
expect_status 0
expect_err 'left out: sweep small: no configuration is valid'
expect_out '^2 of 2 combinations are valid on NVIDIA A100'
rooftune run wheres.lua --dry-run --arch sm_80
expect_status 0
expect_out '^6 of 8 combinations are valid'
sed -i 's/VEC < 4/n < 100/' wheres.lua
rooftune run wheres.lua --dry-run --arch sm_80 --at n=1024
expect_error 4 'sweep small: no configuration is valid; this constraint alone leaves nothing: n < 100'
