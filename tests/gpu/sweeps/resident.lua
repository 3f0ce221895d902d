-- SPDX-License-Identifier: Apache-2.0
-- grid = resident() with more and more shared memory a block; as a ladder with a grid of two dimensions, in two launches
-- of which the second begins in the middle of the buffers.
local buffers = function(p) return { x = input(f32, p.n), y = output(f32, p.n) } end
local work = function(p) return { fp32 = p.n, bytes = 8 * p.n } end
local check = { reference = "double_reference.cu:double_reference" }

local persistent = kernel {
  name = "persistent",
  source = "resident.cu",
  entry = "double_by_stride",
  problem = { "n" },
  params = { { "SHARED_KIB", 16, "shared memory a block" } },
  buffers = buffers,
  launch = function(p, c, gpu, b)
    return {
      args = { b.x, b.y, i32(256 * c.SHARED_KIB), i64(p.n) },
      grid = resident(),
      block = 256,
      shared = 1024 * c.SHARED_KIB,
    }
  end,
  work = work,
  check = check,
}

local halves = kernel {
  name = "halves",
  source = "resident.cu",
  entry = "double_by_tile",
  problem = { "n" },
  params = { { "ROWS", 4, "rows a block" } },
  buffers = buffers,
  launch = function(p, c, gpu, b)
    local middle = p.n // 2
    local function half(x, y, n)
      return {
        args = { x, y, i64(n), i32(1000) },
        grid = { ceil_div(1000, 32), ceil_div(n, 1000 * c.ROWS) },
        block = { 32, c.ROWS },
      }
    end
    return { half(b.x, b.y, middle), half(b.x:offset(4 * middle), b.y:offset(4 * middle), p.n - middle) }
  end,
  work = work,
  check = check,
}

return sweep {
  name = "resident",
  variants = {
    { "persistent", kernel = persistent, tune = { SHARED_KIB = values(1, 48, 100, 200) },
      where = { "1024 * SHARED_KIB <= gpu.shared_per_block" } },
    { "two launches", kernel = halves, tune = { ROWS = values(1, 8) } },
  },
  over = { n = values(2^20) },
  measure = require "short_measure",
}
