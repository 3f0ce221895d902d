-- SPDX-License-Identifier: Apache-2.0
-- a = b + 1.5 * c: two reads and a write an element, 12 bytes in fp32. Returns { fp32 = kernel, fp16 = kernel }.
local FACTOR = 1.5 -- exact in half precision; triad_reference.cu has the same

local function triad(precision, element, ctype, bytes)
  return kernel {
    name = "triad_" .. precision,
    source = "triad.cu",
    entry = "triad<" .. ctype .. ", VEC, BLOCK, ITEMS, STREAM>",
    problem = { "n" },
    params = {
      { "VEC", 1, "elements a load" },
      { "BLOCK", 256, "threads a block" },
      { "ITEMS", 1, "loads of each input in flight in a thread" },
      { "STREAM", false, "evict-first loads and stores" },
    },
    buffers = function(p)
      return { a = output(element, p.n), b = input(element, p.n), c = input(element, p.n) }
    end,
    launch = function(p, c, gpu, b)
      return {
        args = { b.a, b.b, b.c, f32(FACTOR), i64(p.n) },
        grid = ceil_div(p.n, c.BLOCK * c.ITEMS * c.VEC),
        block = c.BLOCK,
      }
    end,
    work = function(p) return { [precision] = 2 * p.n, read = 2 * bytes * p.n, write = bytes * p.n } end,
    check = { reference = "triad_reference.cu:triad_" .. precision .. "_reference" },
  }
end

return { fp32 = triad("fp32", f32, "float", 4), fp16 = triad("fp16", f16, "__half", 2) }
