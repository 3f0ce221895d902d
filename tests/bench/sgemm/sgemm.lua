-- SPDX-License-Identifier: Apache-2.0
-- The space of kernel_tuner_sgemm.py: 128 configurations. Arguments: n, then "wide" for the space of over 500, and "hot"
-- to leave the caches as they are between samples.
local n = tonumber(arg[1] or 4096)
local wide, hot = arg[2] == "wide", arg[3] == "hot"

return sweep {
  kernel = kernel {
    source = "sgemm.cu",
    entry = "sgemm",
    problem = { "n" },
    params = {
      { "BM", 64, "rows of a tile" },
      { "BN", 64, "columns of a tile" },
      { "BK", 8, "depth of a tile" },
      { "TM", 4, "rows a thread" },
      { "TN", 4, "columns a thread" },
      { "PAD", 0, "floats behind a row of A in shared memory" },
      { "BLOCK", 256, "threads a block" },
    },
    buffers = function(p)
      return { a = input(f32, p.n * p.n), b = input(f32, p.n * p.n), c = output(f32, p.n * p.n) }
    end,
    launch = function(p, c, gpu, b)
      return {
        args = { b.a, b.b, b.c, i32(p.n), i32(p.n), i32(p.n) },
        grid = { p.n // c.BN, p.n // c.BM },
        block = c.BLOCK,
      }
    end,
    work = function(p) return { fp32 = 2 * p.n ^ 3, read = 8 * p.n ^ 2, write = 4 * p.n ^ 2 } end,
    check = {
      reference = {
        "sgemm_reference.cu:sgemm_reference",
        grid = function(p) return { ceil_div(p.n, 64), ceil_div(p.n, 64) } end,
        block = 256,
      },
      length = function(p) return p.n end,
    },
  },
  over = { n = values(n) },
  tune = {
    BM = wide and values(32, 64, 128) or values(64, 128),
    BN = wide and values(32, 64, 128) or values(64, 128),
    BK = wide and values(8, 16, 32) or values(8, 16),
    TM = wide and values(2, 4, 8) or values(4, 8),
    TN = wide and values(2, 4, 8) or values(4, 8),
    PAD = values(0, 1, 2, 4),
    BLOCK = values(64, 128, 256, 512, 1024),
  },
  where = {
    "BLOCK * TM * TN == BM * BN",
    function(n, BM, BN, BK) return n % BM == 0 and n % BN == 0 and n % BK == 0 end, -- it checks no bounds
  },
  measure = { cache = hot and "hot" or "cold" },
}
