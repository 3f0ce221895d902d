-- SPDX-License-Identifier: Apache-2.0
-- RMSNorm over rows of bf16: an element a load, then pairs with the row in shared memory (the seeds' two steps), then
-- the row in registers, then the next rows on their way meanwhile. At which length does a row become too long for one block?
local rmsnorm = require "kernels.rmsnorm"
local l2 = require "kernels.l2_policy"
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
      },
      where = { rows.fits_registers, rows.whole_groups, rows.held_blocks },
    },
    {
      "row in registers, L2 hints",
      kernel = rmsnorm.registers,
      tune = {
        THREADS = pow2_values(8, 1024),
        BLOCK = values(128, 256, 512, 1024),
        CLUSTER = values(1),
        HELD = values(1024, 1536, 2048),
        READ = l2.hints("plain", "first", "fetch_128"),
        WRITE = l2.stores,
      },
      where = { rows.fits_registers, rows.held_blocks, rows.usual, rows.hinted, rows.keeps },
    },
    {
      "row read twice, L2 hints",
      kernel = rmsnorm.twice,
      tune = {
        BLOCK = values(128, 256, 512, 1024),
        UNROLL = values(1, 2, 4),
        READ = l2.hints("plain", "last"),
        AGAIN = l2.hints("plain", "first"),
        WRITE = l2.stores,
      },
      where = { rows.reads_twice, rows.share_in_flight, rows.keeps },
    },
    {
      "row over a cluster",
      kernel = rmsnorm.registers,
      tune = {
        THREADS = values(256, 512, 1024),
        BLOCK = values(256, 512, 1024),
        CLUSTER = values(2, 4, 8),
        HELD = values(1024, 1536, 2048),
      },
      where = { rows.fits_cluster, rows.cluster_held },
    },
    {
      "next rows fetched meanwhile",
      kernel = rmsnorm.staged,
      tune = {
        THREADS = pow2_values(32, 1024),
        BLOCK = values(128, 256, 512, 1024),
        STAGES = values(2, 3),
        BULK = values(false, true),
        STREAM = values(false, true),
      },
      where = { rows.fits_registers, rows.whole_groups, rows.fits_shared, rows.can_bulk },
    },
  },
  over = { cols = values(1024, 4096, 5120, 8192, 32768) },
  with = { rows = rows.of },
}
