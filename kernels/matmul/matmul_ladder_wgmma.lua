-- SPDX-License-Identifier: Apache-2.0
-- Hopper's steps of the ladder in matmul_ladder.lua: a function of the type's name that returns variants.
local wgmma = require "kernels.matmul_wgmma"

-- Large tiles for large matrices: others leave most SMs idle. Beyond 1024 no tile smaller than 128 x 128.
local function suits(n, BLOCK_M, BLOCK_N)
  return BLOCK_M * BLOCK_N <= 32 * n and (n <= 1024 or BLOCK_M * BLOCK_N >= 128 * 128)
end

-- Those that fill the SM: one side of 256, or as near as registers allow.
local function is_large(BLOCK_M, BLOCK_N)
  local tile = BLOCK_M .. "x" .. BLOCK_N
  return tile == "128x256" or tile == "256x128" or tile == "128x192" or tile == "128x224" or tile == "192x192"
    or tile == "256x192"
end

local function both(...)
  local all = { table.unpack(wgmma.bf16.fits) }
  for _, constraint in ipairs { ... } do all[#all + 1] = constraint end
  return all
end

return function(dtype)
  local matmul = wgmma[dtype]
  local here = "gpu.arch == 'sm_90a'"
  return {
    {
      "wgmma, stored tiles",
      kernel = matmul.stored,
      tune = { BLOCK_M = values(64, 128), BLOCK_N = values(64, 128, 256), GROUPS = values(1, 2) },
      where = { here, "BLOCK_M == 64 * GROUPS", suits },
    },
    {
      "TMA and barriers",
      kernel = matmul.tma,
      tune = { BLOCK_M = values(64, 128), BLOCK_N = values(64, 128, 256), STAGES = values(2, 3, 4), GROUPS = values(1, 2) },
      where = { here, "BLOCK_M == 64 * GROUPS", suits },
    },
    {
      "a producer warp",
      kernel = matmul.roles,
      tune = {
        BLOCK_M = values(64, 128), BLOCK_N = values(64, 128, 256), STAGES = values(3, 4, 6), CONSUMERS = values(1, 2),
        CLUSTER_M = values(1), GROUP = values(1), IDLE = values(-1), IN_FLIGHT = values(0, 1), STORES = values(0),
      },
      where = both("BLOCK_M == 64 * CONSUMERS", "IN_FLIGHT == 1 or STAGES == 4", suits),
    },
    {
      "cluster multicast",
      kernel = matmul.roles,
      tune = {
        BLOCK_M = values(128), BLOCK_N = values(64, 128, 256), STAGES = values(4, 6),
        CLUSTER_M = values(1, 2), CLUSTER_N = values(1, 2), GROUP = values(1), IDLE = values(-1), STORES = values(0),
      },
      where = both("CLUSTER_M * CLUSTER_N >= 2", suits),
    },
    {
      "tiles in turn, grouped",
      kernel = matmul.roles,
      tune = {
        BLOCK_M = values(128, 256), BLOCK_N = values(128, 256), STAGES = values(4, 6, 7), CLUSTER_M = values(1, 2),
        CLUSTER_N = values(1, 2), ORDER = values("rows", "columns"), GROUP = values(1, 4, 8, 16), IDLE = values(0, 4),
        STORES = values(0),
      },
      where = both(
        "CLUSTER_M * CLUSTER_N == 2", suits, wgmma.bf16.deepest,
        "IDLE == 0 or (GROUP == 8 and n >= 4096)",
        function(BLOCK_M, BLOCK_N, ORDER, GROUP, n)
          if n > 1024 then return is_large(BLOCK_M, BLOCK_N) and (n >= 4096 or GROUP == 1 or GROUP == 8) end
          return BLOCK_M == 128 and BLOCK_N == 128 and GROUP == 8 and ORDER == "rows"
        end
      ),
    },
    {
      "C by TMA",
      kernel = matmul.roles,
      tune = {
        BLOCK_M = values(64, 128, 192, 256), BLOCK_N = values(64, 128, 192, 224, 256), STAGES = range(3, 9),
        CONSUMERS = values(1, 2, 3), CLUSTER_M = values(1, 2), CLUSTER_N = values(1, 2),
        ORDER = values("rows", "columns", "hilbert"), GROUP = values(4, 8, 16), IDLE = values(0, 4), LAG = values(0, 2),
        STORES = values(1, 2, 4),
      },
      where = both(
        "BLOCK_M % 128 ~= 0 or CONSUMERS == 2", "BLOCK_M == 64 * CONSUMERS or BLOCK_M == 256", suits, wgmma.bf16.deepest,
        function(BLOCK_M, BLOCK_N, n)
          if n <= 1024 then return BLOCK_M <= 128 and BLOCK_N <= 128 end
          return is_large(BLOCK_M, BLOCK_N) or n == 2048 and BLOCK_M * BLOCK_N == 128 * 128
        end,
        -- Clusters of four leave SMs without one; without clusters L2 is too slow.
        "CLUSTER_M * CLUSTER_N ~= 4 or (IDLE == 4 and BLOCK_M * BLOCK_N == 128 * 256)",
        "CLUSTER_M * CLUSTER_N ~= 1 or GROUP == 8 and (n <= 1024 or BLOCK_M * BLOCK_N == 128 * 256 and IDLE == 0)",
        "STORES == (BLOCK_M == 192 and 1 or 2) or (STORES == 4 and BLOCK_M * BLOCK_N == 128 * 256 and GROUP == 8)",
        "ORDER ~= 'hilbert' or GROUP == 8", -- which is not asked
        "LAG == 0 or (STORES == 2 and GROUP == 8 and BLOCK_M * BLOCK_N == 128 * 256 and n >= 2048)",
        "IDLE == 0 or (GROUP == 8 and n >= 4096)",
        "n >= 4096 or (GROUP == 8 and ORDER == 'rows')" -- small operands stay in L2 in any order
      ),
    },
    {
      "ping-pong",
      kernel = matmul.roles,
      tune = {
        BLOCK_M = values(64, 128), BLOCK_N = values(64, 128, 192, 256), STAGES = range(3, 9), CLUSTER_M = values(1, 2),
        CLUSTER_N = values(1, 2), ORDER = values("rows", "columns", "hilbert"), GROUP = values(8, 16), PINGPONG = values(true),
        STORES = values(2),
      },
      where = both(
        "CLUSTER_M * CLUSTER_N <= 2", suits, wgmma.bf16.deepest,
        "n > 1024 and BLOCK_M * BLOCK_N >= 128 * 128 or n <= 1024 and BLOCK_M == 64 and BLOCK_N <= 128",
        "CLUSTER_M * CLUSTER_N == 2 or GROUP == 8", "ORDER ~= 'hilbert' or GROUP == 8",
        "n >= 4096 or (GROUP == 8 and ORDER == 'rows')"
      ),
    },
  }
end
