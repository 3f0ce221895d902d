-- SPDX-License-Identifier: Apache-2.0
-- cluster: 1 (none) to 16 blocks; 16 need the permission for clusters that are not portable, and a device with so many
-- SMs together.
return sweep {
  name = "cluster",
  kernel = kernel {
    source = "cluster.cu",
    entry = "exchange_tiles",
    problem = { "n" },
    params = { { "CLUSTER", 1, "blocks a cluster" }, { "BLOCK", 256, "threads a block" } },
    buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
    launch = function(p, c, gpu, b)
      return {
        args = { b.x, b.y, i64(p.n) },
        grid = 16 * ceil_div(p.n, 16 * c.BLOCK),
        block = c.BLOCK,
        cluster = c.CLUSTER,
      }
    end,
    work = function(p) return { fp32 = p.n, bytes = 8 * p.n } end,
    check = { reference = "cluster_reference.cu:exchange_tiles_reference" },
  },
  over = { n = values(2^20) },
  tune = { CLUSTER = values(1, 2, 4, 8, 16), BLOCK = values(128, 256) },
  where = { "BLOCK == 256 or CLUSTER >= 4" },
  measure = require "short_measure",
}
