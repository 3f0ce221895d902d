-- SPDX-License-Identifier: Apache-2.0
-- A residual is added and the sum normalised: what is it worth to do both in one kernel?
local add_rmsnorm = require "kernels.add_rmsnorm"
local rows = require "kernels.rows"

local tune = {
  THREADS = pow2_values(8, 1024),
  BLOCK = values(64, 128, 256, 512, 1024),
  HELD = values(512, 1024, 1536, 2048),
  STREAM = values(false, true),
}

return sweep {
  variants = {
    { "two kernels", kernel = add_rmsnorm.two_kernels, tune = tune },
    { "fused", kernel = add_rmsnorm.fused, tune = tune, where = { rows.holds_two } },
  },
  over = { cols = values(1024, 4096, 7168, 16384) },
  with = { rows = function(p) return p.cols <= 7168 and 16384 or 2^27 // p.cols end },
  where = { rows.fits_registers, rows.whole_groups, rows.held_blocks },
}
