-- SPDX-License-Identifier: Apache-2.0
-- struct { ... }: several fields in one argument, whose addresses follow rotating buffers.
local measure = require "short_measure"

local function scale(name, cache)
  local options = { cache = cache }
  for key, value in pairs(measure) do options[key] = options[key] or value end
  return sweep {
    name = name,
    kernel = kernel {
      source = "struct_arguments.cu",
      entry = "scale<BLOCK>",
      problem = { "n" },
      params = { { "BLOCK", 256, "threads a block" } },
      buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end,
      launch = function(p, c, gpu, b)
        local offsets = struct { align = 16, f32(1), f32(2), f32(3), f32(4) }
        return {
          args = {
            struct {},
            struct { i8(string.byte("r")), i32(p.n), { f64(1.5), f64(2.5) } },
            struct { offsets, b.x, struct { i16(-12), b.y } },
          },
          grid = ceil_div(p.n, c.BLOCK),
          block = c.BLOCK,
        }
      end,
      work = function(p) return { fp32 = 4 * p.n, bytes = 8 * p.n } end,
      check = { reference = "struct_arguments_reference.cu:scale_reference" },
    },
    over = { n = values(2^16) },
    tune = { BLOCK = values(128, 256) },
    measure = options,
  }
end

return { scale("struct_arguments", "cold"), scale("struct_arguments_rotating", "rotating") }
