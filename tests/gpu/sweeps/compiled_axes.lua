-- SPDX-License-Identifier: Apache-2.0
-- compiled: dimensions as template argument and as macro; booleans; a list of problems in the second sweep.
local sums = kernel {
  source = "compiled_axes.cu",
  entry = "sum_groups<d>",
  problem = { "n", "d", "causal" },
  compiled = { "d", "causal" },
  params = { { "GROUPS", 1, "groups a thread" } },
  buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
  launch = function(p, c, gpu, b)
    return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, 128 * p.d * c.GROUPS), block = 128 }
  end,
  work = function(p) return { fp32 = p.n, bytes = 8 * p.n } end,
  check = { reference = "compiled_axes_reference.cu:sum_groups_reference", length = function(p) return p.d end },
}

return {
  sweep {
    name = "compiled_axes",
    kernel = sums,
    over = { d = values(4, 16), causal = values(false, true) },
    with = { n = 2^18 },
    tune = { GROUPS = values(1, 2) },
    measure = require "short_measure",
  },
  sweep {
    name = "listed_problems",
    kernel = sums,
    problems = { { n = 2^16, d = 8, causal = true }, { n = 2^17, d = 2, causal = false } },
    tune = { GROUPS = 2 },
    measure = require "short_measure",
  },
}
