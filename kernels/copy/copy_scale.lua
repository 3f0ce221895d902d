-- SPDX-License-Identifier: Apache-2.0
-- y = 1.5 * x: one read, one write and one multiplication an element. Returns { fp32 = kernel, fp16 = kernel }.
local FACTOR = 1.5 -- exact in half precision; copy_scale_reference.cu has the same

local function copy_scale(precision, element, ctype, bytes)
  return kernel {
    name = "copy_scale_" .. precision,
    source = "copy_scale.cu",
    entry = "copy_scale<" .. ctype .. ", VEC, BLOCK, ITEMS, STREAM>",
    problem = { "n" },
    params = {
      { "VEC", 1, "elements a load" },
      { "BLOCK", 256, "threads a block" },
      { "ITEMS", 1, "loads in flight in a thread" },
      { "STREAM", false, "evict-first loads and stores" },
    },
    buffers = function(p) return { x = input(element, p.n), y = output(element, p.n) } end,
    launch = function(p, c, gpu, b)
      return {
        args = { b.x, b.y, f32(FACTOR), i64(p.n) },
        grid = ceil_div(p.n, c.BLOCK * c.ITEMS * c.VEC),
        block = c.BLOCK,
      }
    end,
    work = function(p) return { [precision] = p.n, read = bytes * p.n, write = bytes * p.n } end,
    check = { reference = "copy_scale_reference.cu:copy_scale_" .. precision .. "_reference" },
  }
end

return { fp32 = copy_scale("fp32", f32, "float", 4), fp16 = copy_scale("fp16", f16, "__half", 2) }
