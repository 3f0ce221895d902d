-- SPDX-License-Identifier: Apache-2.0
-- constants: in memory of both kinds, in kernel and reference, on cold and on rotating buffers.
local measure = require "short_measure"

local function filter(name, cache)
  local options = { cache = cache }
  for key, value in pairs(measure) do options[key] = options[key] or value end
  return sweep {
    name = name,
    kernel = kernel {
      source = "constants.cu",
      entry = "filter",
      problem = { "n" },
      params = { { "BLOCK", 256, "threads a block" } },
      buffers = function(p)
        return {
          table = input(i32, 1000, integers { below = 50 }),
          ["ns::weights"] = input(f32, 9),
          x = input(f32, p.n),
          y = output(f32, p.n),
        }
      end,
      constants = {
        table = input(i32, 1000, integers { below = 50 }),
        ["ns::weights"] = input(f32, 9),
        ["ns::shape"] = struct { i32(7), f32(3) },
        bias = f64(0.625),
      },
      launch = function(p, c, gpu, b)
        return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, c.BLOCK), block = c.BLOCK }
      end,
      work = function(p) return { fp32 = 20 * p.n, bytes = 8 * p.n } end,
      check = { reference = "constants_reference.cu:filter_reference", length = 9 },
    },
    over = { n = values(2^16) },
    tune = { BLOCK = values(128, 256) },
    measure = options,
  }
end

return {
  filter("constants", "cold"),
  filter("constants_rotating", "rotating"),
}
