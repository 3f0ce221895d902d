-- SPDX-License-Identifier: Apache-2.0
-- A copy whose lines ask to stay in L2, beside one that asks for nothing, on the same buffers and in turns.
return sweep {
  name = "stays",
  kernel = kernel {
    source = "stays.cu",
    entry = "copy_staying<STAY>",
    problem = { "n" },
    params = { { "STAY", 0, "0: nothing is asked; 1: stores stay; 2: loads stay" } },
    buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
    launch = function(p, c, gpu, b)
      return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, 256 * 4), block = 256 }
    end,
    work = function(p) return { read = 4 * p.n, write = 4 * p.n } end,
    check = { reference = "stays.cu:copy_reference" },
  },
  over = { n = values(2^24) },
  tune = { STAY = values(0, 1, 2) },
  measure = { min_samples = 40, race = false },
}
