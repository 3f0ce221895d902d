-- SPDX-License-Identifier: Apache-2.0
-- A residual is added and the sum normalised: what is it worth to do both in one kernel?
local add_rmsnorm = require "kernels.add_rmsnorm"
local l2 = require "kernels.l2_policy"
local rows = require "kernels.rows"

local tune = {
  THREADS = pow2_values(8, 1024),
  BLOCK = values(64, 128, 256, 512, 1024),
  HELD = values(512, 1024, 1536, 2048),
}

return sweep {
  variants = {
    { "two kernels", kernel = add_rmsnorm.two_kernels, tune = tune },
    { "fused", kernel = add_rmsnorm.fused, tune = tune, where = { rows.holds_two } },
    {
      "fused, L2 hints",
      kernel = add_rmsnorm.fused,
      tune = {
        THREADS = tune.THREADS,
        BLOCK = tune.BLOCK,
        HELD = values(1024, 1536, 2048),
        READ = l2.hints("plain", "first", "fetch_128"),
        WRITE = l2.stores,
      },
      where = {
        rows.holds_two,
        rows.hinted,
        "BLOCK >= 256 and HELD >= 1024",
        function(cols, rows, WRITE, gpu) return l2.fits(4 * rows * cols, WRITE, gpu) end,
      },
    },
  },
  over = { cols = values(1024, 4096, 7168, 16384) },
  with = { rows = function(p) return p.cols <= 7168 and 16384 or 2^27 // p.cols end },
  where = { rows.fits_registers, rows.whole_groups, rows.held_blocks },
}
