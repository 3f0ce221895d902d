-- SPDX-License-Identifier: Apache-2.0
-- The register-tiled fp32 matmul of matmul_fp32.lua on one problem, with little ruled out beforehand: a space that is
-- worth searching rather than going through (`--budget 250`), and whose exhaustive recording tells how good a search is
-- (docs/search.md). Odd sizes are left to matmul_fp32.lua: here they would double what is compiled.
local matmul = require "kernels.matmul_fp32"

return sweep {
  diagnostic = true, -- matmul_fp32.lua is the workload
  kernel = matmul.register_even,
  over = { n = values(2048) },
  with = { m = function(p) return p.n end, k = function(p) return p.n end },
  tune = {
    TILE_M = values(32, 64, 128, 256),
    TILE_N = values(32, 64, 128, 256),
    TILE_K = values(8, 16, 32),
    REG_M = values(2, 4, 8, 16),
    REG_N = values(4, 8, 16),
    VEC = values(1, 4),
    STAGES = values(2, 3),
    RESIDENT = values(1, 2, 3, 4, 5, 6, 8),
  },
  where = {
    "REG_M * REG_N <= 128", -- 16 x 16 sums leave no registers
    function(TILE_M, TILE_N, REG_M, REG_N)
      local threads = (TILE_M // REG_M) * (TILE_N // REG_N)
      return threads >= 64 and threads <= 512
    end,
    -- Whole warps of neighbouring threads.
    function(TILE_M, TILE_N, REG_M, REG_N)
      local rows, columns = TILE_M // REG_M, TILE_N // REG_N
      local lanes = math.min(columns, 8)
      return rows % (32 // lanes) == 0 and columns % lanes == 0
    end,
    -- The sums and the operands beside them must fit the registers that the residents leave a thread.
    function(TILE_M, TILE_N, REG_M, REG_N, RESIDENT)
      local threads = (TILE_M // REG_M) * (TILE_N // REG_N)
      return 65536 // (threads * RESIDENT) >= REG_M * REG_N + 40
    end,
  },
}
