-- SPDX-License-Identifier: Apache-2.0
-- The last step of matmul_bf16.lua's ladder on one problem, with little ruled out beforehand: how many of these
-- configurations must a search try to find what going through them all does (docs/search.md)?
local wgmma = require "kernels.matmul_wgmma"

local where = {
  "gpu.arch == 'sm_90a' -- wgmma's configurations are sm_90a's alone: take sweeps/matmul_search.lua, a space as large of FMA",
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
  table.unpack(wgmma.bf16.fits),
}

return sweep {
  diagnostic = true, -- matmul_bf16.lua is the workload
  kernel = wgmma.bf16.roles,
  over = { n = values(4096) },
  with = { m = function(p) return p.n end, k = function(p) return p.n end },
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
  where = where,
}
