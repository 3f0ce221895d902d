-- SPDX-License-Identifier: Apache-2.0
-- The ladder of matmul_bf16.lua and matmul_fp16.lua: a function of the type's name that returns the sweep.
local tensor = require "kernels.matmul_tensor"
local hopper = require "kernels.matmul_ladder_wgmma"
local tiles = require "kernels.tiles"

-- 4 or 8 warps a block.
local function warps(BLOCK_M, BLOCK_N, WARP_M, WARP_N)
  local threads = tiles.threads { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, WARP_M = WARP_M, WARP_N = WARP_N }
  return threads >= 128 and threads <= 256
end

-- Large tiles for large matrices, small ones for small: the others leave SMs idle or reread too much.
local function tile_suits(n, BLOCK_M, BLOCK_N)
  local sums = BLOCK_M * BLOCK_N
  return sums <= 32 * n and sums >= math.min(4 * n, 128 * 128)
end

local function fits(BLOCK_M, BLOCK_N, BLOCK_K, WARP_N, STAGES, gpu)
  return tensor.shared_of {
    BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, WARP_N = WARP_N, STAGES = STAGES,
  } <= gpu.shared_per_block
end

-- Two residents of 256 threads leave a thread 128 registers: enough for 64 sums and the fragments of shallow tiles. Two
-- of 128 threads fit unasked.
local function residents(BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, RESIDENT)
  return RESIDENT == 1 or (BLOCK_M == 128 and BLOCK_N == 128 and BLOCK_K == 32 and WARP_M * WARP_N == 64 * 32)
end

-- `-- tcgen05` adds the step of sm_100a, which no card has run.
local function asked(dtype)
  if #arg == 0 then return {} end
  if #arg > 1 or arg[1] ~= "tcgen05" then error(("an argument is tcgen05, not \"%s\""):format(table.concat(arg, " "))) end
  return {
    {
      "tcgen05 (never run)",
      kernel = require "kernels.matmul_tcgen05"(dtype),
      tune = { BLOCK_N = values(64, 128, 256), STAGES = values(3, 4) },
      where = { "gpu.arch == 'sm_100a'" },
    },
  }
end

return function(dtype)
  local matmul = tensor[dtype]
  local newest = hopper(dtype)
  for _, variant in ipairs(asked(dtype)) do newest[#newest + 1] = variant end
  return sweep {
    variants = {
      {
        "naive",
        kernel = matmul.naive,
        tune = { BLOCK_X = values(16, 32), BLOCK_Y = values(4, 8, 16) },
        where = { "n <= 4096" }, -- a second a run beyond
      },
      {
        "wmma, tiles in shared memory",
        kernel = matmul.wmma,
        tune = {
          BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(32, 64),
          WARP_M = values(32, 64), WARP_N = values(32, 64),
        },
        where = { "BLOCK_M == BLOCK_N and WARP_N == 32", warps, tile_suits },
      },
      {
        "mma.sync and ldmatrix",
        kernel = matmul.mma,
        tune = {
          BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(32, 64),
          WARP_M = values(32, 64), WARP_N = values(32),
          STAGES = values(1), SWIZZLE = values(false, true), AHEAD = values(false), GROUP = values(1),
        },
        where = { "BLOCK_M == BLOCK_N and WARP_M == BLOCK_M / 2", tile_suits },
      },
      {
        "cp.async stages",
        kernel = matmul.mma,
        tune = {
          BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(32, 64),
          WARP_M = values(32, 64), WARP_N = values(32),
          STAGES = values(2, 3, 4), AHEAD = values(false), GROUP = values(1),
        },
        where = { "BLOCK_M == BLOCK_N and WARP_M == BLOCK_M / 2", tile_suits, fits },
      },
      {
        "fragments ahead, grouped tiles",
        kernel = matmul.mma,
        tune = {
          BLOCK_M = values(64, 128, 256), BLOCK_N = values(64, 128, 256), BLOCK_K = values(32, 64),
          WARP_M = values(32, 64), WARP_N = values(32, 64),
          STAGES = values(2, 3, 4), GROUP = values(1, 8), RESIDENT = values(1, 2),
        },
        where = {
          warps, tile_suits, fits,
          "BLOCK_M * BLOCK_N <= 128 * 256",
          "WARP_M * WARP_N >= 32 * 64 or BLOCK_M * BLOCK_N == 64 * 64", -- 32 x 32 reads twice as much as 64 x 64
          "BLOCK_K == 32 and STAGES >= 3 or BLOCK_K == 64 and STAGES <= 3", -- much the same bytes on their way
          "GROUP == 8 and n > 1024 or GROUP == 1 and n <= 1024", -- small operands stay in L2 in any order
          residents,
        },
      },
      table.unpack(newest),
    },
    over = { n = values(512, 1000, 1024, 2048, 4096, 8192) }, -- 1000: no multiple of any tile
    with = { m = function(p) return p.n end, k = function(p) return p.n end },
    baseline = { vendor.matmul { math = dtype, transpose_b = true } },
  }
end
