-- SPDX-License-Identifier: Apache-2.0
-- memset() and two launches as one point; integers in every order; a dimension of texts; integer outputs.
return sweep {
  name = "histogram",
  kernel = kernel {
    source = "histogram.cu",
    entry = { "count_values", "finish_counts" },
    problem = { "n", "arrival" },
    compiled = { "arrival" },
    params = { { "BLOCK", 256, "threads a block" } },
    buffers = function(p)
      return {
        x = input(i32, p.n, integers { below = 256, order = p.arrival }),
        bins = temp(u32, 257),
        counts = output(i32, 256),
        facts = output(i32, 2),
      }
    end,
    launch = function(p, c, gpu, b)
      return {
        memset(b.bins, 0),
        { args = { b.x, b.bins, i64(p.n) }, grid = ceil_div(p.n, c.BLOCK), block = c.BLOCK },
        { entry = "finish_counts", args = { b.bins, b.counts, b.facts, i64(p.n) }, grid = 1, block = 256 },
      }
    end,
    work = function(p) return { int32 = p.n, read = 4 * p.n, write = 1024 } end,
    check = { reference = "histogram.cu:histogram_reference" },
  },
  over = { arrival = values("random", "sorted", "zipf") },
  with = { n = 2^18 },
  tune = { BLOCK = values(128, 256) },
  measure = require "short_measure",
}
