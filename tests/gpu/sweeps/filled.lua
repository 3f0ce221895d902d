-- SPDX-License-Identifier: Apache-2.0
-- Inputs that kernels of the sweep's fill, and one from a file: y = A x + y, with A in CSR. Rows have 0 to 2 * PER - 1
-- entries; two copies of the same data at once show whether every copy and every process got them.
local PER = 8

return sweep {
  name = "filled",
  kernel = kernel {
    source = "filled.cu",
    entry = "spmv<LANES>",
    problem = { "m", "n" },
    params = { { "LANES", 8, "threads that share a row" } },
    buffers = function(p)
      local entries = p.m * PER
      return {
        rows = input(i32, p.m + 1, from { "filled_inputs.cu:rows", args = { i32(p.m), i32(entries) } }),
        cols = input(i32, entries, from { "filled_inputs.cu:cols", args = { "rows", i32(p.m), i32(p.n) },
                                          grid = ceil_div(p.m, 64), block = 64 }),
        vals = input(f32, entries),
        order = input(i32, p.m, from { "filled_inputs.cu:shuffle", grid = 1, block = 1 }),
        x = input(f32, p.n, file "filled_x.npy"),
        y = inout(f32, p.m, from { "filled_inputs.cu:ramp<float>", args = { f32(0.5) } }),
      }
    end,
    launch = function(p, c, gpu, b)
      return { args = { b.rows, b.cols, b.vals, b.order, b.x, b.y, i32(p.m) },
               grid = ceil_div(p.m * c.LANES, 256), block = 256 }
    end,
    work = function(p) return { fp32 = 2 * p.m * PER, read = 8 * p.m * PER + 16 * p.m, write = 4 * p.m } end,
    check = { reference = "filled.cu:spmv_reference", length = 2 * PER, odd = { m = 1021, n = 512 } },
  },
  over = { m = values(4096, 65536) },
  with = { n = 512 },
  tune = { LANES = values(1, 2, 8, 32) },
  measure = { cache = "rotating", max_samples = 20, max_time = 0.05, timeout = "5s", processes = 2 },
}
