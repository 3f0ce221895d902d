# SPDX-License-Identifier: Apache-2.0
# What the recording does not hold is not made up.
need_recording
sed 's/values(/values(/' "$SOURCE/sweeps/quick.lua" >/dev/null
write_saxpy
mkdir kernels && mv saxpy_kernel.lua saxpy.cu saxpy_reference.cu kernels/
printf 'return sweep { kernel = require "kernels.saxpy_kernel", over = { n = values(1024) } }\n' >s.lua
rooftune run s.lua -d replay:"$QUICK" -o s.db
expect_status 12
expect_err 'not_recorded\|recording'
rooftune show s.db
expect_out 'not_recorded'
