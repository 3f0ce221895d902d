-- SPDX-License-Identifier: Apache-2.0
-- Cross-entropy of logits in bf16: the loss alone, which only reads, and with its gradient, which is a softmax. 50257
-- columns are no multiple of any vector: most rows begin between multiples of 16 bytes.
local cross_entropy = require "kernels.cross_entropy"
local rows = require "kernels.rows"

local blocks = values(128, 256, 512, 1024)

return {
  sweep {
    name = "cross_entropy",
    variants = {
      { "two passes", kernel = cross_entropy.two_passes, tune = { BLOCK = blocks } },
      {
        "online, one pass",
        kernel = cross_entropy.online,
        tune = {
          THREADS = pow2_values(32, 1024),
          BLOCK = blocks,
          UNROLL = values(1, 2, 4, 8),
          STREAM = values(false, true),
        },
        where = { rows.whole_groups, "THREADS * UNROLL * 8 <= 2 * cols" },
      },
    },
    over = { cols = values(4096, 32768, 50257, 128256) },
    with = { rows = function(p) return p.cols <= 4096 and 32768 or 4096 end },
  },
  sweep {
    name = "cross_entropy_gradient",
    variants = {
      {
        "online, two passes",
        kernel = cross_entropy.gradient_online,
        tune = { BLOCK = blocks, UNROLL = values(1, 2, 4), STREAM = values(false, true) },
      },
      {
        "row in registers",
        kernel = cross_entropy.gradient_registers,
        tune = {
          THREADS = pow2_values(32, 1024),
          BLOCK = blocks,
          CLUSTER = values(1),
          HELD = values(1024, 1536, 2048),
          FLOATS = values(false, true),
          STREAM = values(false, true),
        },
        where = { rows.fits_registers, rows.whole_groups, rows.held_blocks, rows.holds_floats },
      },
      {
        "row over a cluster",
        kernel = cross_entropy.gradient_registers,
        tune = {
          THREADS = values(256, 512, 1024),
          BLOCK = values(256, 512, 1024),
          CLUSTER = values(2, 4, 8),
          HELD = values(1024, 1536, 2048),
          FLOATS = values(false, true),
          STREAM = values(false, true),
        },
        where = { rows.fits_cluster, rows.cluster_held, rows.cluster_floats },
      },
    },
    over = { cols = values(4096, 32768, 128256) },
    with = { rows = function(p) return p.cols <= 4096 and 16384 or p.cols <= 32768 and 4096 or 1024 end },
  },
}
