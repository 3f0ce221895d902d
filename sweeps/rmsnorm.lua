-- SPDX-License-Identifier: Apache-2.0
-- RMSNorm over rows of bf16: an element a load, then pairs with the row in shared memory (the seeds' two steps), then
-- the row in registers, then the next rows on their way meanwhile. At which length does a row become too long for one block?
local rmsnorm = require "kernels.rmsnorm"
local rows = require "kernels.rows"

return sweep {
  variants = {
    { "scalar", kernel = rmsnorm.scalar, tune = { BLOCK = values(128, 256, 512, 1024) } },
    {
      "pairs (half2), row in shared memory",
      kernel = rmsnorm.shared,
      tune = { VEC = values(2), BLOCK = values(128, 256, 512, 1024) },
    },
    {
      "row in registers",
      kernel = rmsnorm.registers,
      tune = {
        THREADS = pow2_values(8, 1024),
        BLOCK = values(64, 128, 256, 512, 1024),
        CLUSTER = values(1),
        HELD = values(1024, 1536, 2048),
        STREAM = values(false, true),
      },
      where = { rows.fits_registers, rows.whole_groups, rows.held_blocks },
    },
    {
      "row over a cluster",
      kernel = rmsnorm.registers,
      tune = {
        THREADS = values(256, 512, 1024),
        BLOCK = values(256, 512, 1024),
        CLUSTER = values(2, 4, 8),
        HELD = values(1024, 1536, 2048),
        STREAM = values(false, true),
      },
      where = { rows.fits_cluster, rows.cluster_held },
    },
    {
      "next rows fetched meanwhile",
      kernel = rmsnorm.staged,
      tune = {
        THREADS = pow2_values(32, 1024),
        BLOCK = values(128, 256, 512, 1024),
        STAGES = values(2, 3, 4),
        BULK = values(false, true),
        STREAM = values(false, true),
      },
      where = { rows.fits_registers, rows.whole_groups, rows.fits_shared, rows.can_bulk },
    },
  },
  over = { cols = values(1024, 4096, 5120, 8192, 32768) },
  with = { rows = rows.of },
}
