-- SPDX-License-Identifier: Apache-2.0
-- Softmax over rows of bf16: three passes, then the online sum in two, then one with the row in registers, then with the
-- next rows on their way meanwhile. At which length does a row become too long for one block?
local softmax = require "kernels.softmax"
local l2 = require "kernels.l2_policy"
local rows = require "kernels.rows"

return sweep {
  variants = {
    { "three passes", kernel = softmax.three_passes, tune = { BLOCK = values(128, 256, 512, 1024) } },
    {
      "online, two passes",
      kernel = softmax.online,
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
      kernel = softmax.registers,
      tune = {
        THREADS = pow2_values(8, 1024),
        BLOCK = values(64, 128, 256, 512, 1024),
        CLUSTER = values(1),
        HELD = values(1024, 1536, 2048),
        FLOATS = values(false, true),
      },
      where = { rows.fits_registers, rows.whole_groups, rows.held_blocks, rows.holds_floats },
    },
    {
      "row in registers, L2 hints",
      kernel = softmax.registers,
      tune = {
        THREADS = pow2_values(8, 1024),
        BLOCK = values(128, 256, 512, 1024),
        CLUSTER = values(1),
        HELD = values(1024, 1536, 2048),
        FLOATS = values(false),
        READ = l2.hints("plain", "first", "fetch_128"),
        WRITE = l2.stores,
      },
      where = { rows.fits_registers, rows.held_blocks, rows.usual, rows.hinted, rows.keeps },
    },
    {
      "row over a cluster",
      kernel = softmax.registers,
      tune = {
        THREADS = values(256, 512, 1024),
        BLOCK = values(256, 512, 1024),
        CLUSTER = values(2, 4, 8),
        HELD = values(1024, 1536, 2048),
        FLOATS = values(false, true),
      },
      where = { rows.fits_cluster, rows.cluster_held, rows.cluster_floats },
    },
    {
      "next rows fetched meanwhile",
      kernel = softmax.staged,
      tune = {
        THREADS = pow2_values(32, 1024),
        BLOCK = values(128, 256, 512, 1024),
        STAGES = values(2, 3),
        BULK = values(false, true),
        FLOATS = values(false),
        STREAM = values(false, true),
      },
      where = { rows.fits_registers, rows.whole_groups, rows.fits_shared, rows.can_bulk },
    },
  },
  over = { cols = values(1024, 4096, 8192, 32768, 131072) },
  with = { rows = rows.of },
}
