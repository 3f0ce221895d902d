-- SPDX-License-Identifier: Apache-2.0
-- cooperative: all blocks of the grid meet; as many as fit at once, or one an SM.
return sweep {
  name = "cooperative",
  kernel = kernel {
    source = "cooperative.cu",
    entry = "remove_mean",
    problem = { "n" },
    params = { { "WHOLE", true, "as many blocks as fit, else one an SM" }, { "BLOCK", 256, "threads a block" } },
    buffers = function(p, c, gpu)
      return {
        x = input(f32, p.n, uniform(0, 1)),
        y = output(f32, p.n),
        part = temp(f32, gpu.sms * gpu.max_blocks_per_sm),
      }
    end,
    launch = function(p, c, gpu, b)
      return {
        args = { b.x, b.y, b.part, i64(p.n) },
        grid = c.WHOLE and resident() or gpu.sms,
        block = c.BLOCK,
        cooperative = true,
      }
    end,
    work = function(p) return { fp32 = 2 * p.n, bytes = 8 * p.n } end,
    check = { reference = "cooperative_reference.cu:remove_mean_reference", length = function(p) return p.n end },
  },
  over = { n = values(2^14) },
  tune = { WHOLE = values(false, true), BLOCK = values(128, 256) },
  measure = require "short_measure",
}
