-- SPDX-License-Identifier: Apache-2.0
-- The variants of matmul_skinny.lua and matmul_llm.lua, which multiply m tokens by the weights of a layer: a function of
-- the type's name, and of whether there is a problem of one token. Each has a few configurations a problem: those that fill
-- the card. Below n = 2048 none does, and all are valid: on the odd problem, say.
local skinny = require "kernels.matmul_skinny"
local tensor = require "kernels.matmul_tensor"
local wgmma = require "kernels.matmul_wgmma"

local function all_of(list, ...)
  local all = { table.unpack(list) }
  for _, constraint in ipairs { ... } do all[#all + 1] = constraint end
  return all
end

-- The smallest power of two from `least` to `most` that holds m, or the largest of them.
local function holding(m, least, most)
  while least < m and least < most do least = least * 2 end
  return least
end

-- One to four tiles with hardly a row too many.
local function exact(m, BLOCK_M)
  for tiles = 1, 4 do
    if BLOCK_M == 16 * ceil_div(m, 16 * tiles) then return true end
  end
  return false
end

-- `few`: what constraints of few tokens ask where there are weights enough.
local function where_wide(few)
  return "n < 2048 or (" .. few .. ")"
end

return function(dtype, one_token)
  local few = skinny[dtype]
  local variants = {
    {
      "mma.sync from registers",
      kernel = few.skinny,
      tune = { BLOCK_M = values(8, 16, 32), BLOCK_N = values(16, 32, 64), WARPS = values(4, 8, 16), AHEAD = values(1, 2, 4) },
      where = {
        "gpu.cc >= 80",
        where_wide "m <= 64",
        function(m, n, BLOCK_M) return n < 2048 or BLOCK_M == holding(m, 8, 32) end,
        "AHEAD * (BLOCK_M + BLOCK_N) >= 48 and AHEAD * (BLOCK_M + BLOCK_N) <= 128", -- 24 to 64 registers on their way
        -- Most SMs have 8 warps or more, and a warp some turns of k.
        function(m, n, k, BLOCK_M, BLOCK_N, WARPS, AHEAD, gpu)
          local warps = ceil_div(m, BLOCK_M) * ceil_div(n, BLOCK_N) * WARPS
          return n < 2048 or warps >= 7 * gpu.sms and warps <= 64 * gpu.sms and k >= 64 * AHEAD * WARPS
        end,
      },
    },
    {
      "mma.sync, tiles",
      kernel = tensor[dtype].mma,
      tune = {
        BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), WARP_M = values(32, 64), WARP_N = values(32), STAGES = values(4),
      },
      where = {
        "gpu.cc >= 80",
        where_wide "m > 64 or gpu.arch ~= 'sm_90a' and m > 16",
        "BLOCK_M == 2 * WARP_M and (BLOCK_N == 128 or BLOCK_M == 64)",
      },
    },
    {
      "FMA, tiles", -- before sm_80
      kernel = tensor[dtype].mma,
      tune = { BLOCK_M = values(64), BLOCK_N = values(64, 128), WARP_M = values(32), WARP_N = values(32), STAGES = values(2) },
      where = { "gpu.cc < 80" },
    },
    {
      "wgmma, k shared by a cluster",
      kernel = few.split,
      tune = {
        BLOCK_M = range(16, 256, 16), BLOCK_N = values(64, 128, 256), BLOCK_K = values(64, 128, 256), STAGES = range(3, 12),
        CONSUMERS = values(1, 2), CLUSTER_M = values(1, 2), CLUSTER_N = values(1, 2), SPLIT = values(1, 2, 4, 8),
      },
      where = all_of(
        few.fits, few.full,
        where_wide "m <= 1024",
        function(m, n, BLOCK_M)
          local held = holding(m, 16, 256)
          return n < 2048 or BLOCK_M == held or m > 64 and (2 * BLOCK_M == held or BLOCK_M >= 64 and exact(m, BLOCK_M))
        end,
        "CONSUMERS == (BLOCK_N == 64 and 1 or 2)",
        "BLOCK_K == 64 or BLOCK_M <= 64 and BLOCK_N <= 128", -- for many short stages, few long ones
        "BLOCK_K < 256 or BLOCK_M == 16 and BLOCK_N == 64",
        "BLOCK_N > 64 or BLOCK_M <= 64 and BLOCK_K >= 128",
        -- Few tokens cost little to read again; many are worth sharing, and so are the weights of several tiles.
        "CLUSTER_N == 1 or CLUSTER_M == 1 and BLOCK_N == 128 and BLOCK_M >= 64",
        "CLUSTER_M == 1 or BLOCK_M >= 64",
        where_wide "(CLUSTER_N == 1 or m > 64) and (CLUSTER_M == 1 or m > BLOCK_M)"
      ),
    },
    {
      "wgmma, k begun apart",
      kernel = few.few,
      tune = { BLOCK_M = values(16), BLOCK_K = values(128, 256), STAGES = range(3, 12), CREWS = values(1, 2), TURNS = values(8) },
      where = all_of(few.few_fits, where_wide "m <= 16"),
    },
    {
      "wgmma, steps of k shared evenly",
      kernel = few.stream,
      tune = {
        BLOCK_M = values(128, 256), BLOCK_N = values(128, 256), STAGES = range(3, 7), CLUSTER_M = values(1, 2),
        CLUSTER_N = values(1, 2),
      },
      where = all_of(
        few.stream_fits, "CLUSTER_M * CLUSTER_N == 2",
        where_wide "m > 64 and m <= 2048 and (CLUSTER_M == 1 or m > BLOCK_M) and (BLOCK_M == 128 or m > 128)"
      ),
    },
    {
      "wgmma, tiles in turn",
      kernel = wgmma[dtype].overlapping,
      tune = {
        BLOCK_M = values(64, 128, 256), BLOCK_N = range(128, 256, 32), STAGES = range(3, 9), CONSUMERS = values(1, 2),
        CLUSTER_M = values(1, 2), CLUSTER_N = values(1, 2), IDLE = values(0, 4), STORES = values(0, 2),
      },
      where = all_of(
        wgmma[dtype].fits, wgmma[dtype].deepest, "CONSUMERS == (BLOCK_M == 64 and 1 or 2)",
        "STORES == (BLOCK_M == 64 and 0 or 2)", -- a stage more in place of C
        where_wide "m >= 128 and (CLUSTER_M == 1 or m > BLOCK_M)",
        where_wide "BLOCK_N % 128 == 0 or BLOCK_M == 128 and m >= 384", -- fewer SMs wait for the last tiles
        -- Of few tiles each has an SM of its own: a cluster's blocks would only wait for each other.
        "CLUSTER_M * CLUSTER_N == 2 and BLOCK_M > 64 or CLUSTER_M * CLUSTER_N == 1 and m < 1024 and BLOCK_M * BLOCK_N <= 128 * 224",
        where_wide("m >= 2048 and BLOCK_M * BLOCK_N == 128 * 256"
          .. " or m < 2048 and IDLE == 0 and (BLOCK_M == 128 or BLOCK_M == 64 and BLOCK_N == 128 and m <= 512)")
      ),
    },
  }
  if one_token then
    table.insert(variants, 1, {
      "16-byte loads, one token",
      kernel = few.wide,
      tune = { BLOCK = values(128, 256, 512), ROWS = values(1, 2, 4), UNROLL = values(1, 2, 4) },
      where = {
        "ROWS * UNROLL == 4 or ROWS == 4 and UNROLL == 2",
        where_wide "m == 1",
        -- Every load of a batch has something to read. Odd rows take the naive kernel, whatever is asked.
        function(n, k, BLOCK, ROWS, UNROLL) return n >= 2048 and k >= 8 * BLOCK * UNROLL or n < 2048 and ROWS == 2 end,
      },
    })
  end
  return variants
end
