# SPDX-License-Identifier: Apache-2.0
write_saxpy
mkdir kernels && mv saxpy_kernel.lua saxpy.cu saxpy_reference.cu kernels/
cat >s.lua <<'LUA'
return sweep {
  kernel = require "kernels.saxpy_kernel",
  over = { n = values(2^10, 2^20) },
  tune = { VEC = values(1, 2, 4), BLOCK = values(128, 256, 512, 1024) },
  where = { function(VEC, BLOCK) return VEC * BLOCK <= 2048 end },
}
LUA
rooftune check s.lua --sample 0 --json -
expect_status 0
expect_out '"configurations":24'
expect_out '"valid":22'
need_nvrtc
rooftune check s.lua --arch sm_90a
expect_status 0
expect_out 'registers'
expect_out '22 of 24 valid'
rooftune check s.lua --arch sm_12
expect_status 2
expect_err 'sm_90a'
