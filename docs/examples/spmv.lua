-- SPDX-License-Identifier: Apache-2.0
-- spmv.lua: sparse rows. Kernels of one's own make the structure; the same seed makes the same matrix.
local EACH = 32 -- entries of a row, in the mean

return sweep {
  kernel = kernel {
    source  = "spmv.cu",
    entry   = "spmv<LANES>",
    problem = { "m" },
    params  = { { "LANES", 8, "threads that share a row" }, { "BLOCK", 256, "threads of a block" } },
    buffers = function(p)
      local entries = p.m * EACH
      return {
        rows = input(i32, p.m + 1, from { "spmv_inputs.cu:rows", args = { i32(EACH) } }),
        cols = input(i32, entries, from { "spmv_inputs.cu:cols", args = { "rows", i32(p.m), i32(p.m) } }),
        vals = input(f32, entries),
        x    = input(f32, p.m),
        y    = output(f32, p.m),
      }
    end,
    launch  = function(p, c, gpu, b)
      return {
        args  = { b.rows, b.cols, b.vals, b.x, b.y, i32(p.m) },
        grid  = ceil_div(p.m * c.LANES, c.BLOCK),
        block = c.BLOCK,
      }
    end,
    -- Every entry has a value and a column; x is read at least once.
    work    = function(p) return { fp32 = 2 * p.m * EACH, read = 8 * p.m * EACH + 4 * (2 * p.m + 1), write = 4 * p.m } end,
    check   = { reference = "spmv_reference.cu:reference", length = 2 * EACH },
  },
  over = { m = values(2^16, 2^20, 2^22) },
  tune = { LANES = pow2_values(1, 32), BLOCK = values(128, 256, 512) },
}
