-- SPDX-License-Identifier: Apache-2.0
-- A ladder for W x in fp16: a thread a row, then wide loads by a block a row, then x in shared memory.
local gemv = require "kernels.gemv_fp16"

return sweep {
  variants = {
    { "naive", kernel = gemv.naive, tune = { BLOCK = values(32, 64, 128, 256) } },
    {
      "vectorised",
      kernel = gemv.vectorised,
      tune = { BLOCK = values(32, 64, 128, 256, 512), ROWS = values(1, 2, 4), UNROLL = values(1, 2, 4, 8) },
      where = { "ROWS * UNROLL <= 8" }, -- 16-byte loads in flight: what registers hold without spilling
    },
    {
      "x in shared memory",
      kernel = gemv.shared,
      tune = { BLOCK = values(128, 256, 512), ROWS = values(8, 16, 32, 64), UNROLL = values(2, 4, 8) },
      where = { "ROWS >= BLOCK / 32" }, -- a row for every warp
    },
  },
  over = { n = pow2_values(1024, 16384) },
  with = { k = function(p) return p.n end },
}
