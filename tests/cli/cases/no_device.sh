# SPDX-License-Identifier: Apache-2.0
# No driver, no such device, and what -d does not take.
write_saxpy
sweep s 'over = { n = values(4) }'
rooftune devices
expect_status 0
expect_out '^what works here$'
for what in driver NVRTC 'clocks and power' counters cuBLASLt; do expect_out "^  $what.*: "; done
rooftune devices 0
expect_error 2 'devices takes no "0"'
for device in seven -1 0.5 300; do
    rooftune run s.lua -d "$device"
    expect_error 2 "\"$device\" is no device"
done
rooftune point s.lua -d 0,1
expect_error 2 'one device at a time'
rooftune run s.lua -d 0,seven
[ "$status" = 2 ] || [ "$status" = 6 ] || fail "expected exit status 2 or 6, got $status"
grep -q 'driver\|is no device\|built without CUDA headers' err || fail "neither the driver nor the device is named"
rooftune run s.lua -d replay:
expect_error 2 'names no recording'
rooftune devices
if grep -q '^device 0' out; then
    rooftune run s.lua -d 250
    expect_error 6 '250'
elif grep -q 'driver: no, .*built without CUDA headers' out; then
    rooftune run s.lua
    expect_error "$status" 'built without CUDA headers'
    [ "$status" = 6 ] || [ "$status" = 7 ] || fail "expected exit status 6 or 7, got $status"
else
    expect_out '^no device$'
    expect_out '^    remedy: install the NVIDIA driver'
    for arguments in 'run s.lua' 'run s.lua -d 1' 'run s.lua -d 0,1' 'run s.lua -d all' 'point s.lua' 'point s.lua --in-process' ceilings; do
        rooftune $arguments
        expect_error 6 'driver'
    done
    rooftune point s.lua --emit ptx
    expect_error 6 'driver'
    expect_err 'remedy: this needs no GPU: name an architecture'
fi
[ -z "$(ls ./*.db 2>/dev/null)" ] || fail "a run file was left behind"
