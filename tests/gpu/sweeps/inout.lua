-- SPDX-License-Identifier: Apache-2.0
-- inout(): restored before every launch, in three types.
local measure = require "short_measure"

local function raise(name, element, type, reference)
  return sweep {
    name = "inout_" .. name,
    kernel = kernel {
      source = "inout.cu",
      entry = "raise<" .. type .. ">",
      problem = { "n" },
      params = { { "BLOCK", 256, "threads a block" } },
      buffers = function(p) return { x = input(element, p.n), y = inout(element, p.n) } end,
      launch = function(p, c, gpu, b)
        return { args = { b.x, b.y, i64(p.n) }, grid = ceil_div(p.n, c.BLOCK), block = c.BLOCK }
      end,
      work = function(p) return { bytes = 12 * p.n } end,
      check = { reference = "inout.cu:raise_reference<" .. type .. ", " .. reference .. ">" },
    },
    over = { n = values(2^16) },
    tune = { BLOCK = values(128, 256) },
    measure = measure,
  }
end

return {
  raise("f32", f32, "float", "double"),
  raise("f16", f16, "__half", "double"),
  raise("i32", i32, "int", "int"),
}
