-- SPDX-License-Identifier: Apache-2.0
-- The last step of matmul_bf16.lua's ladder on one problem, with little ruled out beforehand: how many of these
-- configurations must a search try to find what going through them all does (docs/search.md)? By wgmma on sm_90a, on other
-- cards by mma.sync, on sm_75, which multiplies no bf16, by FMA.
local lists = require "kernels.lists"
local tensor = require "kernels.matmul_tensor"
local tiles = require "kernels.tiles"
local wgmma = require "kernels.matmul_wgmma"

local roles = {
  "gpu.arch == 'sm_90a'",
  -- A consumer has 64 rows, or 128 where there are two.
  "BLOCK_M == 64 * CONSUMERS or BLOCK_M == 256 and CONSUMERS == 2 or PINGPONG and BLOCK_M == 128",
  "BLOCK_M * BLOCK_N >= 128 * 128", -- smaller tiles read L2 too often
  "CLUSTER_M * CLUSTER_N == 2 or CLUSTER_M * CLUSTER_N == 1 and GROUP == 8",
  "ORDER ~= 'hilbert' or GROUP == 8", -- which is not asked
  "LAG == 0 or STORES > 0", -- who stores from registers holds them meanwhile
  -- The deepest ring that fits, or one stage less.
  function(BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, STORES, gpu)
    return wgmma.bf16.deepest(BLOCK_M, BLOCK_N, BLOCK_K, STAGES + 1, CONSUMERS, STORES, gpu)
  end,
}

local warps = {
  "gpu.cc >= 75 and gpu.arch ~= 'sm_90a'",
  tiles.four_or_eight_warps,
  tiles.fits(tensor.bf16.shared_of),
  "BLOCK_M * BLOCK_N <= 128 * 256",
  "STAGES > 1 or not AHEAD", -- the next fragments come from another place
  -- The sums and the fragments beside them must fit the registers that the residents leave a thread.
  function(BLOCK_M, BLOCK_N, WARP_M, WARP_N, RESIDENT)
    local threads = tiles.threads { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, WARP_M = WARP_M, WARP_N = WARP_N }
    return 65536 // (threads * RESIDENT) >= WARP_M * WARP_N // 32 + 48
  end,
  "gpu.cc >= 80 or STAGES == 2 and not AHEAD", -- nothing is on its way meanwhile
}

return sweep {
  diagnostic = true, -- matmul_bf16.lua is the workload
  variants = {
    {
      "matmul_bf16_wgmma_roles",
      kernel = wgmma.bf16.roles,
      tune = {
        BLOCK_M = values(64, 128, 192, 256),
        BLOCK_N = values(128, 192, 256),
        STAGES = range(2, 8),
        CONSUMERS = values(1, 2, 3),
        CLUSTER_M = values(1, 2),
        CLUSTER_N = values(1, 2),
        ORDER = values("rows", "columns", "hilbert"),
        GROUP = values(8, 16),
        IDLE = values(0, 4),
        PINGPONG = values(false, true),
        LAG = values(0, 2),
        STORES = values(0, 2),
      },
      where = lists.join(roles, wgmma.bf16.fits),
    },
    {
      "mma.sync",
      kernel = tensor.bf16.mma,
      tune = {
        BLOCK_M = values(64, 128, 256),
        BLOCK_N = values(64, 128, 256),
        BLOCK_K = values(32, 64),
        WARP_M = values(32, 64),
        WARP_N = values(32, 64),
        STAGES = range(1, 5),
        AHEAD = values(false, true),
        GROUP = values(1, 8),
        RESIDENT = values(1, 2),
      },
      where = warps,
    },
  },
  over = { n = values(4096) },
  with = { m = function(p) return p.n end, k = function(p) return p.n end },
}
