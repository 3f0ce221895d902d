-- SPDX-License-Identifier: Apache-2.0
-- A linear layer in bf16, y = x W^T, by kernels of our own beside the vendor's library: x is m x k (m tokens), W is n x k
-- and square. Where does the layer turn from waiting for W to waiting for the tensor units? (linear_fp16.lua asks that of
-- the library alone.)
--   rooftune run sweeps/matmul_skinny.lua                   n = k = 8192
--   rooftune run sweeps/matmul_skinny.lua -- 4096 16384     these instead
--   rooftune run sweeps/matmul_skinny.lua -- fp8            x and W in e4m3, 16 to 128 tokens (sm_90a)
local layers = require "kernels.matmul_layers"
local lists = require "kernels.lists"
local skinny = require "kernels.matmul_skinny"

local sides, dtype = {}, "bf16"
for _, word in ipairs(arg) do
  if word == "fp8" then dtype = word
  else sides[#sides + 1] = tonumber(word) or error(("an argument is fp8 or a side of W, not \"%s\""):format(word))
  end
end
if #sides == 0 then sides = { 8192 } end

local function sweep_of(facts)
  facts.over.n, facts.with, facts.along = values(table.unpack(sides)), { k = function(p) return p.n end }, "m"
  facts.baseline = { vendor.matmul { math = dtype, transpose_b = true } }
  return sweep(facts)
end

if dtype == "bf16" then
  return sweep_of {
    variants = layers("bf16", true),
    over = { m = refine(values(1, 2, 4, 8, 16, 32, 64, 128, 160, 192, 256, 320, 384, 512, 640, 768, 1024, 2048, 4096, 8192), 1) },
    measure = { max_time = 0.1 },
  }
end

-- The card is filled by one launch, or by two, where the next begins early; on the odd problem by what does so elsewhere.
local function fills(early)
  return function(m, n, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CLUSTER_M, CLUSTER_N, SPLIT, gpu)
    local own_m, own_n = n < 2048 and BLOCK_M or m, n < 2048 and 8192 or n
    local function full(rule) return rule(own_m, own_n, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CLUSTER_M, CLUSTER_N, SPLIT, gpu) end
    return full(skinny.fp8.full) or early and full(skinny.fp8.full_of_two)
  end
end

local function variant(name, early)
  return {
    name,
    kernel = skinny.fp8.split,
    tune = {
      BLOCK_M = values(16, 32, 64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(128, 256), STAGES = range(3, 24),
      CONSUMERS = values(1, 2), CLUSTER_M = values(1), CLUSTER_N = values(1, 2), SPLIT = values(1, 2, 4, 8), EARLY = values(early),
    },
    where = lists.join(skinny.fp8.fits, {
      "n < 2048 or BLOCK_M >= m and BLOCK_M < 2 * math.max(m, 16)", "CONSUMERS == BLOCK_N // 64", fills(early),
    }),
  }
end

return sweep_of {
  name = "matmul_skinny_fp8",
  variants = {
    variant("wgmma, k shared by a cluster", false), variant("begun before the layer in front ends (PDL)", true),
    {
      "begun early, k begun apart (PDL)",
      kernel = skinny.fp8.few,
      tune = {
        BLOCK_M = values(16), BLOCK_K = values(128, 256), STAGES = range(3, 24), CREWS = values(1, 2), TURNS = values(8), EARLY = values(true),
      },
      where = lists.join(skinny.fp8.few_fits, { "n < 2048 or m <= 16" }),
    },
  },
  over = { m = values(16, 32, 64, 128) },
  measure = { cache = "rotating", mode = "graph", max_time = 0.1 },
}
