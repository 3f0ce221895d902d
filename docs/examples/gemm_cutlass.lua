-- SPDX-License-Identifier: Apache-2.0
-- gemm_cutlass.lua: tiles of a kernel from a header library. CUTLASS's include folder is expected as `cutlass/include`
-- beside this file: git clone --depth 1 https://github.com/NVIDIA/cutlass

-- Columns of tiles that blocks walk through together: GemmIdentityThreadblockSwizzle::get_log_tile().
local function walked(tiles_n, swizzle)
  return swizzle >= 8 and tiles_n >= 6 and 8 or swizzle >= 4 and tiles_n >= 3 and 4 or swizzle >= 2 and tiles_n >= 2 and 2 or 1
end

return sweep {
  kernel = kernel {
    source  = "gemm_cutlass.cu",
    entry   = "gemm<BM, BN, BK, WM, WN, STAGES, SWIZZLE>",
    options = { "-Icutlass/include" },
    problem = { "m", "n", "k" },
    params  = {
      { "BM", 128, "rows of a block's tile" }, { "BN", 128, "its columns" }, { "BK", 32, "its depth" },
      { "WM", 64, "rows of a warp's tile" }, { "WN", 64, "its columns" }, { "STAGES", 3, "tiles on their way" },
      { "SWIZZLE", 8, "columns of tiles that blocks walk through together, for L2" },
    },
    buffers = function(p)
      return { a = input(f16, p.m * p.k), b = input(f16, p.n * p.k), c = output(f16, p.m * p.n) }
    end,
    launch  = function(p, c, gpu, b)
      local tiles_n = ceil_div(p.n, c.BN)
      local columns = walked(tiles_n, c.SWIZZLE)
      local warps = (c.BM // c.WM) * (c.BN // c.WN)
      return {
        args   = { b.a, b.b, b.c, i32(p.m), i32(p.n), i32(p.k) },
        grid   = { ceil_div(p.m, c.BM) * columns, ceil_div(tiles_n, columns) },
        block  = 32 * warps,
        shared = math.max((c.BM + c.BN) * c.BK * 2 * c.STAGES, warps * 16 * (c.BN + 8) * 4),
      }
    end,
    work    = function(p)
      return { tensor_fp16 = 2 * p.m * p.n * p.k, read = 2 * p.k * (p.m + p.n), write = 2 * p.m * p.n }
    end,
    check   = {
      reference = "gemm_cutlass_reference.cu:reference", length = function(p) return p.k end,
      odd = { m = 264, n = 136, k = 72 }, -- CUTLASS loads eight halves at a time
    },
  },
  over = { m = values(1024, 4096) },
  with = { n = 4096, k = 4096 },
  tune = {
    BM = values(64, 128, 256), BN = values(64, 128, 256), BK = values(32, 64), STAGES = values(3, 4),
    WM = values(32, 64), WN = values(32, 64), SWIZZLE = values(1, 8),
  },
  where = { "(BM // WM) * (BN // WN) <= 16", "(BM // WM) * (BN // WN) >= 2" },
}
