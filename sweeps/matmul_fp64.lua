-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp64, B lying as n x k: the FP64 pipe, then tensor cores, then with the next tiles on their way.
local matmul = require "kernels.matmul_fp64"
local tiles = require "kernels.tiles"

local function warps(BLOCK_M, BLOCK_N, WARP_M, WARP_N)
  local threads = tiles.threads { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, WARP_M = WARP_M, WARP_N = WARP_N }
  return threads >= 128 and threads <= 256
end

local function fits(BLOCK_M, BLOCK_N, BLOCK_K, STAGES, gpu)
  local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES }
  return matmul.shared_of(c) <= gpu.shared_per_block
end

-- Small tiles for small matrices alone: large ones leave SMs idle there.
local function tile_suits(n, BLOCK_M, BLOCK_N)
  local sums = BLOCK_M * BLOCK_N
  return sums <= 16 * n and (sums >= 64 * 128 or n <= 1024)
end

local instruction = { "DEPTH == 4 or gpu.cc >= 90 and BLOCK_K >= DEPTH", warps, tile_suits, fits }

return sweep {
  variants = {
    {
      "naive",
      kernel = matmul.naive,
      tune = { BLOCK_X = values(16, 32), BLOCK_Y = values(4, 8, 16) },
      where = { "n <= 2048" }, -- a second a run beyond
    },
    {
      "mma.sync",
      kernel = matmul.dmma,
      tune = {
        DEPTH = values(4, 8, 16), BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(16),
        WARP_M = values(32, 64), WARP_N = values(32), STAGES = values(1), GROUP = values(1),
      },
      where = { "BLOCK_M == BLOCK_N and WARP_M == BLOCK_M / 2", table.unpack(instruction) },
    },
    {
      "cp.async stages, grouped tiles",
      kernel = matmul.dmma,
      tune = {
        DEPTH = values(4, 8, 16), BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(8, 16),
        WARP_M = values(32, 64), WARP_N = values(32, 64), STAGES = values(2, 3, 4), GROUP = values(1, 8),
      },
      where = {
        "WARP_M * WARP_N <= 64 * 32 and (BLOCK_K == 16 or STAGES == 4)",
        "GROUP == 8 and n > 1024 or GROUP == 1 and n <= 1024", -- small operands stay in L2 in any order
        table.unpack(instruction),
      },
    },
  },
  over = { n = values(512, 1000, 1024, 2048, 4096, 8192) }, -- 1000: no multiple of any tile
  with = { m = function(p) return p.n end, k = function(p) return p.n end },
  baseline = { vendor.matmul { math = "fp64", transpose_b = true } },
}
