-- SPDX-License-Identifier: Apache-2.0
-- LayerNorm over rows of bf16: three passes, then mean and variance in one (Welford), then the row in registers, then
-- with the next rows on their way meanwhile. At which length does a row become too long for one block?
local layernorm = require "kernels.layernorm"
local l2 = require "kernels.l2_policy"
local rows = require "kernels.rows"

return sweep {
  variants = {
    { "three passes", kernel = layernorm.three_passes, tune = { BLOCK = values(128, 256, 512, 1024) } },
    {
      "Welford, two passes",
      kernel = layernorm.welford,
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
      "row in registers",
      kernel = layernorm.registers,
      tune = {
        THREADS = pow2_values(8, 1024),
        BLOCK = values(64, 128, 256, 512, 1024),
        CLUSTER = values(1),
        HELD = values(1024, 1536, 2048),
        ONCE = values(false, true),
      },
      where = { rows.fits_registers, rows.whole_groups, rows.held_blocks },
    },
    {
      "row in registers, L2 hints",
      kernel = layernorm.registers,
      tune = {
        THREADS = pow2_values(8, 1024),
        BLOCK = values(128, 256, 512, 1024),
        CLUSTER = values(1),
        HELD = values(1024, 1536, 2048),
        ONCE = values(false),
        READ = l2.hints("plain", "first", "fetch_128"),
        WRITE = l2.stores,
      },
      where = { rows.fits_registers, rows.held_blocks, rows.usual, rows.hinted, rows.keeps },
    },
    {
      "row over a cluster",
      kernel = layernorm.registers,
      tune = {
        THREADS = values(256, 512, 1024),
        BLOCK = values(256, 512, 1024),
        CLUSTER = values(2, 4, 8),
        HELD = values(1024, 1536, 2048),
        ONCE = values(false, true),
      },
      where = { rows.fits_cluster, rows.cluster_held },
    },
    {
      "next rows fetched meanwhile",
      kernel = layernorm.staged,
      tune = {
        THREADS = pow2_values(32, 1024),
        BLOCK = values(128, 256, 512, 1024),
        STAGES = values(2, 3),
        BULK = values(false, true),
        ONCE = values(false),
        STREAM = values(false, true),
      },
      where = { rows.fits_registers, rows.whole_groups, rows.fits_shared, rows.can_bulk },
    },
  },
  over = { cols = values(1024, 4096, 8192, 32768, 131072) },
  with = { rows = rows.of },
}
