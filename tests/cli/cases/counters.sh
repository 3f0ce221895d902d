# SPDX-License-Identifier: Apache-2.0
# What can be asked of hardware counters, and what a run without them says.
need_recording
export RFT_NVRTC=off # compiling changes nothing of it
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" --counters dram_read_byte
expect_status 2
expect_err 'there is no counter "dram_read_byte"; did you mean "dram_read_bytes"?'
expect_err 'docs/counters.md'
rooftune point "$SOURCE/sweeps/quick.lua" --counters occupancy -d replay:"$QUICK"
expect_status 2
expect_err 'there is no counter "occupancy"'
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o none.db --counters none --budget 20 --no-report
expect_status 0
expect_err 'counters off (--counters none)$'
rooftune run "$SOURCE/sweeps/quick.lua" -d replay:"$QUICK" -o quick.db --counters all --budget 20
expect_status 0
expect_err 'counters as recorded$'
rooftune show quick.db --point 1
expect_status 0
expect_out '^point 1: '
expect_out '^work         reads '
expect_out '^counters     '
rooftune show quick.db --point 123456
[ "$status" -ne 0 ] || fail "there is no such point"
expect_err 'the run has no point 123456'
rooftune show quick.db --point one
expect_status 2
expect_err 'takes the id of a point, not "one"'
rooftune show quick.db --json -
expect_status 0
expect_out '"counters":'
rooftune point "$SOURCE/sweeps/quick.lua" --sweep gemv_fp16 -d replay:"$QUICK" --at n=1024 --counters default
expect_status 0
expect_out '^outcome        ok'
