-- SPDX-License-Identifier: Apache-2.0
-- Mistakes that `check` cannot tell: types, sizes and work fit, the results are wrong. The first verified launch tells.
local function add(name, facts)
  return kernel {
    name = name,
    source = "mistakes.cu",
    entry = facts.entry or "add<VEC>",
    problem = { "n" },
    params = { { "VEC", 4, "floats a thread" }, { "BLOCK", 128 } },
    buffers = function(p) return { a = input(f32, p.n), b = input(f32, p.n), c = output(f32, p.n) } end,
    launch = function(p, c, gpu, b)
      local first, second = b.a, b.b
      if facts.swapped then first, second = b.b, b.a end
      return { args = { first, second, b.c, i64(p.n) }, grid = ceil_div(p.n, c.BLOCK * c.VEC), block = c.BLOCK }
    end,
    work = function(p) return { fp32 = 2 * p.n, bytes = 12 * p.n } end,
    check = { reference = "mistakes.cu:add_reference" },
  }
end

return sweep {
  name = "mistakes",
  variants = {
    { "right", kernel = add("right", {}) },
    { "inputs swapped", kernel = add("swapped", { swapped = true }) },
    { "output read first", kernel = add("read_first", { entry = "add_to<VEC>" }) },
    { "tail left out", kernel = add("no_tail", { entry = "add_whole<VEC>" }) },
    { "another constant", kernel = add("constant", { entry = "add_thrice<VEC>" }) },
  },
  over = { n = values(2^16) },
  tune = { VEC = values(2, 4), BLOCK = values(128) },
  measure = require "short_measure",
}
