-- SPDX-License-Identifier: Apache-2.0
-- pdl: the second of two launches overlaps the first; the temp buffer between them shows whether it waited.
return sweep {
  name = "dependent",
  kernel = kernel {
    source = "dependent.cu",
    entry = { "make_double", "add_one" },
    problem = { "n" },
    params = { { "DEPENDENT", false, "programmatic dependent launch" } },
    buffers = function(p) return { x = input(f32, p.n), t = temp(f32, p.n), y = output(f32, p.n) } end,
    launch = function(p, c, gpu, b)
      local grid = ceil_div(p.n, 256)
      return {
        { args = { b.x, b.t, i64(p.n) }, grid = grid, block = 256 },
        { entry = "add_one", args = { b.t, b.y, i64(p.n) }, grid = grid, block = 256, pdl = c.DEPENDENT },
      }
    end,
    work = function(p) return { fp32 = 2 * p.n, bytes = 8 * p.n } end,
    check = { reference = "dependent_reference.cu:double_and_one_reference" },
  },
  over = { n = values(2^22) },
  tune = { DEPENDENT = values(false, true) },
  measure = require "short_measure",
}
