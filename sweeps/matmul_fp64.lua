-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp64, B lying as n x k: the FP64 pipe, then tensor cores, then with the next tiles on their way, then by
-- blocks that stay. Few configurations: a run takes about a minute.
local lists = require "kernels.lists"
local matmul = require "kernels.matmul_fp64"
local tiles = require "kernels.tiles"

-- Small tiles for small matrices: large ones leave SMs idle there.
local function suits(n, BLOCK_M, BLOCK_N, WARP_M, WARP_N)
  if n <= 1024 then return BLOCK_M == 64 and BLOCK_N == 64 and WARP_M == 32 and WARP_N == 32 end
  return BLOCK_M == 128 and BLOCK_N == 128 and WARP_M * WARP_N == 64 * 32
end

-- Also half of that, of which two blocks fit an SM: one stores while the other multiplies.
local function suits_turns(n, BLOCK_M, BLOCK_N, WARP_M, WARP_N)
  if n <= 1024 then return BLOCK_M == 64 and BLOCK_N == 64 and WARP_M == 32 and WARP_N == 32 end
  return BLOCK_M == 128 and (BLOCK_N == 64 and WARP_M == 64 and WARP_N == 32 or BLOCK_N == 128 and WARP_M * WARP_N == 64 * 32)
end

local instruction = { "gpu.cc >= 80", "DEPTH == 4 or gpu.cc >= 90", tiles.fits(matmul.shared_of) }

return sweep {
  variants = {
    {
      "naive",
      kernel = matmul.naive,
      tune = { BLOCK_X = values(32), BLOCK_Y = values(4, 8) },
      where = { "n <= 2048" }, -- a second a run beyond
    },
    {
      "mma.sync",
      kernel = matmul.dmma,
      tune = {
        DEPTH = values(4, 8, 16), BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(16),
        WARP_M = values(32, 64), WARP_N = values(32), STAGES = values(1), GROUP = values(1),
      },
      where = lists.join({ suits }, instruction),
    },
    {
      "cp.async stages, grouped tiles",
      kernel = matmul.dmma,
      tune = {
        DEPTH = values(4, 8, 16), BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(16),
        WARP_M = values(32, 64), WARP_N = values(32), STAGES = values(3, 4), GROUP = values(8),
      },
      where = lists.join({ suits }, instruction),
    },
    {
      "fragments ahead, tiles in turn",
      kernel = matmul.turns,
      tune = {
        DEPTH = values(4, 8, 16), BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(16),
        WARP_M = values(32, 64), WARP_N = values(32, 64), STAGES = values(4, 6), RESIDENT = values(1, 2),
      },
      where = lists.join({ suits_turns, tiles.stay(matmul.shared_of) }, instruction),
    },
  },
  over = { n = values(512, 1000, 1024, 2048, 4096, 8192) }, -- 1000: no multiple of any tile
  with = { m = function(p) return p.n end, k = function(p) return p.n end },
  baseline = { vendor.matmul { math = "fp64", transpose_b = true } },
}
