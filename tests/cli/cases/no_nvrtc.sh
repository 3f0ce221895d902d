# SPDX-License-Identifier: Apache-2.0
# Without NVRTC everything but compiling works, and says so.
write_saxpy
sweep s 'over = { n = values(4) }'
export RFT_NVRTC=off
rooftune devices
expect_out '^  NVRTC: no, '
expect_out '^    remedy: unset RFT_NVRTC'
rooftune check s.lua
expect_status 0
expect_err 'counted only, nothing compiled'
expect_err '^  remedy: '
expect_out '1 of 1 valid'
rooftune point s.lua --arch sm_90a --emit ptx
expect_error 7 'NVRTC'
need_recording
rooftune run "$SOURCE/sweeps/quick.lua" -d "replay:$QUICK" -o quick.db
expect_status 0
expect_err 'nothing is compiled in this replay'
expect_err 'times are the recording.s, nothing is compiled here'
expect_out '^nothing was compiled here: NVRTC'
expect_file quick.pdf
