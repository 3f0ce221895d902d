-- SPDX-License-Identifier: Apache-2.0
-- The steps by mma.sync (sm_80 and newer; fp16, int8, and fp8 widened to fp16: sm_75) of the ladders in matmul_ladder.lua and matmul_types.lua: a function
-- of the type's name that returns variants. bf16 has all values; the others those that were near the best there.
local boxes = require "kernels.matmul_mma_boxes"
local lists = require "kernels.lists"
local tensor = require "kernels.matmul_tensor"
local tiles = require "kernels.tiles"

return function(dtype)
  local matmul, bytes, few = tensor[dtype], tensor[dtype].element[3], dtype ~= "bf16"
  local shallow, deep = 64 // bytes, 128 // bytes -- rows of a tile of 64 or 128 bytes
  local here = (dtype == "bf16" or dtype == "tf32")
      and "gpu.cc >= 80 -- tensor cores multiply bf16 and TF32 from sm_80 on: take sweeps/matmul_fp16.lua"
    or "gpu.cc >= 75"
  local fits = tiles.fits(matmul.shared_of)

  -- Much the same bytes on their way.
  local function same_bytes(BLOCK_K, STAGES) return STAGES == (BLOCK_K == shallow and 4 or 3) end
  local function in_flight(BLOCK_K, STAGES)
    if few then return same_bytes(BLOCK_K, STAGES) end
    return BLOCK_K == shallow and STAGES >= 3 or BLOCK_K == deep and STAGES <= 3
  end

  -- Two squares on an SM where they fit: one block multiplies while the other waits.
  local function squares_beside(BLOCK_M, BLOCK_N, BLOCK_K, WARP_N, STAGES, RESIDENT, gpu)
    local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, WARP_N = WARP_N, STAGES = STAGES }
    local two = 2 * (matmul.shared_of(c) + 1024) <= gpu.shared_per_sm
    return RESIDENT == (two and 2 or 1)
  end

  -- Two residents of 256 threads leave a thread 128 registers: enough for 64 sums and the fragments of shallow tiles. Two
  -- of 128 threads fit unasked.
  local function residents(BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, RESIDENT)
    return RESIDENT == 1 or (BLOCK_M == 128 and BLOCK_N == 128 and BLOCK_K == shallow and WARP_M * WARP_N == 64 * 32)
  end

  -- 128 x 128 or twice that where it leaves few SMs idle, else 64 x 64 or twice that.
  local function tile_of_size(BLOCK_M, BLOCK_N, n)
    local side = n > 1024 and 128 or 64
    return math.min(BLOCK_M, BLOCK_N) == side and BLOCK_M * BLOCK_N <= 2 * side * side
  end

  -- As many sums a warp as registers allow; two blocks of 128 x 128 hold deep tiles.
  local function large_warps(BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, n)
    local block, warp = BLOCK_M * BLOCK_N, WARP_M * WARP_N
    if n <= 1024 then return block == 64 * 64 and (few or BLOCK_K == shallow) or few and warp == 32 * 64 end
    return warp == 64 * 64 and (block == 128 * 128 and BLOCK_K == deep or block > 128 * 128 and (few or n >= 4096))
  end

  -- By TMA: one side of 256 where few SMs idle and shared memory has room, as warps of 64 x 64 read least.
  local function box_tiles(n, BLOCK_M, BLOCK_N, WARP_M, WARP_N, STAGES, gpu)
    if n <= 1024 then return BLOCK_M * BLOCK_N <= 64 * 128 and WARP_M * WARP_N == 32 * 32 and STAGES == 6 end
    local large = gpu.shared_per_block >= 160 * KiB
    return math.min(BLOCK_M, BLOCK_N) == 128 and BLOCK_M * BLOCK_N == (large and 128 * 256 or 128 * 128)
      and WARP_M * WARP_N >= 64 * (large and 64 or 32)
  end

  local squares = {
    here, "BLOCK_M == BLOCK_N and WARP_M == BLOCK_M / 2", tiles.suit, fits, squares_beside,
  }
  return {
    {
      "mma.sync and ldmatrix",
      kernel = matmul.mma,
      tune = {
        BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(shallow, deep), WARP_M = values(32, 64),
        WARP_N = values(32), STAGES = values(1), SWIZZLE = values(false, true), AHEAD = values(false), GROUP = values(1),
        RESIDENT = values(1, 2),
      },
      where = squares,
    },
    {
      "cp.async stages",
      kernel = matmul.mma,
      tune = {
        BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(shallow, deep), WARP_M = values(32, 64),
        WARP_N = values(32), STAGES = values(2, 3, 4), AHEAD = values(false), GROUP = values(1), RESIDENT = values(1, 2),
      },
      where = squares,
    },
    {
      "fragments ahead, grouped tiles",
      kernel = matmul.mma,
      tune = {
        BLOCK_M = values(64, 128, 256), BLOCK_N = values(64, 128, 256), BLOCK_K = values(shallow, deep),
        WARP_M = values(32, 64), WARP_N = values(32, 64),
        STAGES = values(2, 3, 4), GROUP = values(1, 8), RESIDENT = few and values(1) or values(1, 2),
      },
      where = {
        here, tiles.four_or_eight_warps, tiles.suit, fits, in_flight, residents,
        "BLOCK_M * BLOCK_N <= 128 * 256",
        "WARP_M * WARP_N >= 32 * 64 or BLOCK_M * BLOCK_N == 64 * 64", -- 32 x 32 reads twice as much as 64 x 64
        "GROUP == 8 and n > 1024 or GROUP == 1 and n <= 1024", -- small operands stay in L2 in any order
        few and tile_of_size or nil,
      },
    },
    {
      "mma.sync, tiles in turn",
      kernel = matmul.turns,
      tune = {
        BLOCK_M = values(64, 128, 256), BLOCK_N = values(64, 128, 256), BLOCK_K = values(shallow, deep),
        WARP_M = values(32, 64), WARP_N = values(32, 64), STAGES = values(3, 4), RESIDENT = values(1, 2),
      },
      where = {
        here, tile_of_size, tiles.stay(matmul.turns_shared_of), same_bytes, large_warps,
      },
    },
    {
      "mma.sync, tiles by TMA",
      kernel = boxes[dtype].kernel,
      tune = {
        BLOCK_M = values(64, 128, 256), BLOCK_N = values(64, 128, 256), WARP_M = values(32, 64), WARP_N = values(32, 64),
        STAGES = values(3, 4, 6),
      },
      where = lists.join(boxes[dtype].fits, { box_tiles }),
    },
    {
      "mma.sync, a producer warp",
      kernel = boxes[dtype].roles,
      tune = { BLOCK_M = values(128, 256), BLOCK_N = values(128, 256), LAG = values(0, 1) },
      where = lists.join(boxes[dtype].roles_fits, { "n == 4096 or LAG == 1 and (n > 2048 or BLOCK_M == 128)" }), -- LAG by one size tells enough
    },
  }
end
