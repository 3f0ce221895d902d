-- SPDX-License-Identifier: Apache-2.0
-- The ladder of matmul_bf16.lua and matmul_fp16.lua: a function of the type's name that returns the sweep.
local few_beyond = require "kernels.matmul_few"
local lists = require "kernels.lists"
local tensor = require "kernels.matmul_tensor"
local mma = require "kernels.matmul_ladder_mma"
local sizes_asked = require "kernels.matmul_sizes"
local hopper = require "kernels.matmul_ladder_wgmma"
local wgmma = require "kernels.matmul_wgmma"
local tiles = require "kernels.tiles"

-- Hopper's steps. Of fp16 only what was near the best of bf16, whose rates it has.
local function on_hopper(dtype)
  local variants = hopper(dtype)
  for _, variant in ipairs(dtype == "fp16" and variants or {}) do
    if variant.kernel == wgmma.fp16.roles then
      variant.where = lists.join(variant.where, {
        "GROUP == 8 or GROUP == 1", "ORDER ~= 'columns'", "STORES <= 2", "CLUSTER_M * CLUSTER_N <= 2",
        "BLOCK_M <= 128 or IDLE <= 0",
      })
    end
  end
  return variants
end

-- `-- tcgen05` adds the step of sm_100a, which no card has run.
local function asked(dtype, words)
  if #words == 0 then return {} end
  if #words > 1 or words[1] ~= "tcgen05" then
    error(("an argument is a size or tcgen05, not \"%s\""):format(table.concat(words, " ")))
  end
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
  local sizes, words = sizes_asked()
  local variants = lists.join({
    {
      "naive",
      kernel = matmul.naive,
      tune = { BLOCK_X = values(16, 32), BLOCK_Y = values(4, 8, 16) },
      where = { "n <= 4096", dtype == "fp16" and "n <= 2048 or BLOCK_X * BLOCK_Y == 64" or nil }, -- a second a run beyond
    },
    {
      "wmma, tiles in shared memory",
      kernel = matmul.wmma,
      tune = {
        BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(32, 64),
        WARP_M = values(32, 64), WARP_N = values(32, 64),
      },
      where = {
        "BLOCK_M == BLOCK_N and WARP_N == 32", tiles.four_or_eight_warps, tiles.suit,
        dtype == "bf16" and "gpu.cc >= 80" or "gpu.cc >= 75",
      },
    },
  }, mma(dtype), on_hopper(dtype), asked(dtype, words))
  return sweep {
    variants = few_beyond(variants, dtype),
    over = { n = values(table.unpack(sizes)) },
    with = { m = function(p) return p.n end, k = function(p) return p.n end },
    baseline = { vendor.matmul { math = dtype, transpose_b = true } },
  }
end
