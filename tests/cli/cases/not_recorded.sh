# SPDX-License-Identifier: Apache-2.0
# What the recording does not hold is not made up.
need_recording
write_saxpy
sweep s 'over = { n = values(1024) }'
rooftune run s.lua -d "replay:$QUICK" -o s.db
expect_error 12 'sweep s, n=1024, VEC=1 BLOCK=256: no configuration was measured: the recording has no such point'
expect_err 'remedy: replay the sweep that the recording was made of'
expect_out 'nothing measured'
expect_file s.db
rooftune show s.db
expect_status 0
expect_out '2 not_recorded: the recording has no such point'
rooftune best s.db
expect_error 14 ''
rooftune point s.lua -d "replay:$QUICK"
expect_error 12 'not_recorded'
