-- SPDX-License-Identifier: Apache-2.0
-- The ladder of matmul_bf16.lua and matmul_fp16.lua: a function of the type's name that returns the sweep.
local lists = require "kernels.lists"
local tensor = require "kernels.matmul_tensor"
local mma = require "kernels.matmul_ladder_mma"
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

-- At n = 16384, where a product takes 12 ms on an H200, the last steps alone, with tiles that fill the SM.
local function few_at_most(variants, turns, roles)
  for _, variant in ipairs(variants) do
    local few = variant.kernel == turns and "BLOCK_M * BLOCK_N == 128 * 256"
      or variant.kernel == roles and variant.tune.ORDER
        and "BLOCK_M * BLOCK_N >= 128 * 192 and BLOCK_M * BLOCK_N <= 128 * 256 and CLUSTER_M * CLUSTER_N == 2 and GROUP == 8"
          .. " and IDLE == 0 and LAG == 0 and STORES <= 2"
    variant.where = lists.join(variant.where, { "n <= 8192" .. (few and " or " .. few or "") })
  end
  return variants
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
  local matmul, sizes = tensor[dtype], { 512, 1000, 1024, 2048, 4096, 8192 } -- 1000: no multiple of any tile
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
  }, mma(dtype), on_hopper(dtype), asked(dtype))
  if dtype == "bf16" then
    sizes[#sizes + 1] = 16384
    variants = few_at_most(variants, matmul.turns, wgmma.bf16.roles)
  end
  return sweep {
    variants = variants,
    over = { n = values(table.unpack(sizes)) },
    with = { m = function(p) return p.n end, k = function(p) return p.n end },
    baseline = { vendor.matmul { math = dtype, transpose_b = true } },
  }
end
