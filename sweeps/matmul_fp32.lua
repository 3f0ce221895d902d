-- SPDX-License-Identifier: Apache-2.0
-- A ladder for C = A B in fp32: operands from L1, from tiles in shared memory, from tiles in registers.
local matmul = require "kernels.matmul_fp32"

return sweep {
  variants = {
    {
      "naive",
      kernel = matmul.naive,
      tune = { BLOCK_X = values(16, 32), BLOCK_Y = values(8, 16, 32) },
      where = { function(n) return n <= 4096 end }, -- half a second a run beyond
    },
    {
      "tiled",
      kernel = matmul.tiled,
      tune = { TILE = values(8, 16, 32), GUARD = values(true, false) },
      where = {
        function(n) return n <= 4096 end,
        function(TILE, GUARD, m, n, k) return GUARD or (m % TILE == 0 and n % TILE == 0 and k % TILE == 0) end,
      },
    },
    {
      "register-tiled",
      kernel = matmul.register,
      tune = {
        TILE_M = values(32, 64, 128, 256),
        TILE_N = values(32, 64, 128, 256),
        TILE_K = values(8, 16, 32),
        REG_M = values(4, 8, 16),
        REG_N = values(4, 8, 16),
        VEC = values(1, 4),
        STAGES = values(2, 3),
        RESIDENT = values(1, 2, 3, 4, 6, 8, 12),
      },
      where = {
        "REG_M >= REG_N or REG_M == 8", -- 8 x 16 stands for the wide register tiles
        "REG_N >= 8 or REG_M <= 8", -- 16 x 4 reads as much as 8 x 8 and keeps more
        "REG_M * REG_N <= 128", -- 16 x 16 sums leave no registers
        "TILE_M <= 2 * TILE_N and TILE_N <= 2 * TILE_M",
        function(TILE_M, TILE_N, REG_M, REG_N)
          local threads = (TILE_M // REG_M) * (TILE_N // REG_N)
          return threads >= 64 and threads <= 256
        end,
        -- Beside its sums a thread needs some 64 registers; many more than that do not help.
        function(TILE_M, TILE_N, REG_M, REG_N, RESIDENT)
          local threads, sums = (TILE_M // REG_M) * (TILE_N // REG_N), REG_M * REG_N
          local registers = 65536 // (threads * RESIDENT)
          return registers >= sums + 64 and registers <= 1.4 * (sums + 64)
        end,
        -- Large tiles for large matrices, small ones for small: the others leave SMs idle or reread too much.
        function(n, TILE_M, TILE_N)
          return TILE_M * TILE_N <= 32 * n and TILE_M * TILE_N >= math.min(2 * n, 128 * 128)
        end,
        -- Narrow copies and the deepest tiles are tried where they are most likely to pay.
        "VEC == 4 or (TILE_K == 16 and STAGES == 2 and REG_M * REG_N == 64)",
        "STAGES == 2 or (TILE_K == 16 and n >= 1024)",
        "TILE_K <= 16 or n >= 512 or TILE_M * TILE_N <= 32 * 64", -- small matrices want few, deep steps
      },
    },
  },
  over = { n = pow2_values(128, 8192) },
  with = { m = function(p) return p.n end, k = function(p) return p.n end },
  baseline = { "cublaslt" }, -- in fp32 as the kernels: without the matrix units
}
