-- SPDX-License-Identifier: Apache-2.0
-- A linear layer of narrow weights, y = x W^T for m tokens: what do 8 and 4 bits save where the layer waits for W? A sweep
-- for each format, with a 16-bit layer of the vendor's library beside it.
--   rooftune run sweeps/linear_weights.lua                         plain fp8 int4
--   rooftune run sweeps/linear_weights.lua -- int8 int4_32_zeros   these instead; _bf16 behind a name: x and y in bf16
local linear = require "kernels.linear_weights"

local words = #arg > 0 and arg or { "plain", "fp8_bf16", "int4" }

-- Where W is small all are valid: on the odd problem, say.
local function where_large(few) return "n < 2048 or (" .. few .. ")" end
local HOLDS_M = where_large "BLOCK_M == (m <= 8 and 8 or m <= 16 and 16 or 64)"

local function with(list, ...)
  local all = { ... }
  for _, constraint in ipairs(list) do all[#all + 1] = constraint end
  return all
end

-- "int4_32_zeros_bf16": a format, the size of a group, and what else there is.
local function facts_of(word)
  local kind, facts = word:match("^[^_]*"), { x = f16 }
  facts.weights = kind
  for part in word:sub(#kind + 1):gmatch("[^_]+") do
    if part == "bf16" then facts.x = bf16
    elseif kind == "int4" and part == "zeros" then facts.zeros = true
    elseif kind == "int4" and (part == "32" or part == "64" or part == "128") then facts.group = tonumber(part)
    else error(("\"%s\" in \"%s\": an argument is plain, fp8, int8 or int4, of int4 with _32, _64, _128 or _zeros, each with _bf16")
      :format(part, word))
    end
  end
  return facts
end

local function sweep_of(word)
  local facts = facts_of(word)
  local kind, type_of_x = facts.weights, facts.x
  local layer = linear(facts)
  local math_of_x = type_of_x == bf16 and "bf16" or "fp16"

  -- Warps enough for the card, and a record at least for each.
  local function enough(most)
    return function(n, k, DOWN, WARPS_N, WARPS_K, SPLIT, gpu)
      local warps = ceil_div(n, 16 * DOWN) * WARPS_K * SPLIT
      return n < 2048 or warps >= 7 * gpu.sms and warps <= most * gpu.sms and k >= layer.record_k * WARPS_K * SPLIT
    end
  end

  local variants = {
    { "a warp a row", kernel = layer.naive, where = { where_large "m == 1" } },
    {
      "16-byte loads",
      kernel = layer.wide,
      tune = { BLOCK = values(128, 256), ROWS = values(1, 2, 4), UNROLL = values(1, 2, 4), SPLIT = values(1, 2) },
      where = with(
        layer.fits.wide, where_large "m == 1", "ROWS * UNROLL == 4",
        -- Every load of a batch has something to read. Odd rows take the naive kernel, whatever is asked.
        function(n, k, BLOCK, ROWS, UNROLL, SPLIT)
          return n >= 2048 and k * 4 >= layer.record_k * BLOCK * UNROLL * SPLIT or n < 2048 and ROWS == 2 and SPLIT == 1
        end
      ),
    },
    {
      "mma.sync from registers",
      kernel = layer.registers,
      tune = {
        BLOCK_M = values(8, 16, 64), DOWN = values(1, 2), WARPS_N = values(1, 2), WARPS_K = values(4, 8), AHEAD = values(1, 2, 4),
        SPLIT = values(1, 2), LAST_BLOCK = values(true),
      },
      where = with(
        layer.fits.registers, HOLDS_M, enough(40), "DOWN == (BLOCK_M == 8 and 1 or 2)", "WARPS_N == 1 or WARPS_K == 4 and BLOCK_M > 8",
        "BLOCK_M < 64 or WARPS_N == 2", where_large("k >= WARPS_K * SPLIT * AHEAD * " .. layer.record_k)
      ),
    },
    {
      "mma.sync, bulk copies",
      kernel = layer.bulk,
      tune = {
        BLOCK_M = values(8, 16, 64), DOWN = values(1, 2, 4), WARPS_N = values(1, 2, 4), WARPS_K = values(2, 4, 8),
        CHUNK = values(1, 2), STAGES = values(2, 4, 8), SPLIT = values(1, 2), LAST_BLOCK = values(true),
      },
      where = with(
        layer.fits.bulk, HOLDS_M, enough(40), "WARPS_N * WARPS_K == 8 or BLOCK_M == 8 and WARPS_K == 4",
        "BLOCK_M == 8 and WARPS_N == 1 and DOWN == 1 or BLOCK_M == 16 and WARPS_N * DOWN == 4 or BLOCK_M == 64 and WARPS_N * DOWN == 8",
        "DOWN * CHUNK * STAGES <= 16 and CHUNK * STAGES >= 2 * CHUNK * CHUNK",
        -- As many places as a warp has chunks, up to 8 KiB.
        function(n, k, DOWN, WARPS_K, CHUNK, STAGES, SPLIT)
          local chunks = k // (layer.record_k * WARPS_K * SPLIT * CHUNK)
          return n < 2048 or chunks >= STAGES and (DOWN * CHUNK * STAGES >= 8 or chunks < 2 * STAGES)
        end
      ),
    },
  }
  variants[#variants + 1] = {
    "wgmma, widened on the way",
    kernel = layer.wgmma,
    tune = {
      BLOCK_M = values(8, 16, 64), BLOCK_K = values(128, 256), STAGES = range(2, 12), CONSUMERS = values(1, 2),
      IN_TURN = values(1, 2, 3, 4), CLUSTER_N = values(1, 2), SPLIT = values(1, 2), RESIDENT = values(1, 2),
    },
    where = with(
      layer.fits.wgmma, HOLDS_M, "CONSUMERS * IN_TURN * RESIDENT <= 4 and CLUSTER_N * SPLIT <= 2",
      -- One round of blocks, which leaves few SMs idle; on the odd problem what does so on another.
      function(n, CONSUMERS, SPLIT, RESIDENT, gpu)
        local function fills(rows)
          local blocks = ceil_div(rows, 64 * CONSUMERS) * SPLIT
          return blocks <= RESIDENT * gpu.sms and blocks > (RESIDENT - 0.2) * gpu.sms
        end
        return fills(n) or n < 2048 and (fills(4096) or fills(8192))
      end
    ),
  }
  for _, way in ipairs(layer.early and {
    { "begun before the layer in front ends (PDL)", layer.early },
    { "begun early, x fetched into L2 (PDL)", layer.early_fetched },
  } or {}) do
    variants[#variants + 1] = {
      way[1],
      kernel = way[2],
      tune = {
        BLOCK_M = values(8, 16), DOWN = values(2, 4), WARPS_N = values(1, 2), WARPS_K = values(4, 8), STAGES = range(2, 7),
        X_STAGES = values(1, 2), SPLIT = values(1, 2), AHEAD = values(-1, 0, 1),
      },
      where = with(
        layer.fits.early, HOLDS_M, "WARPS_N * WARPS_K == 8",
        -- A block an SM, on the odd problem what is so elsewhere; no stage more would fit.
        function(n, DOWN, WARPS_N, SPLIT, gpu)
          local blocks = ceil_div(n < 2048 and 8192 or n, 16 * DOWN * WARPS_N) * SPLIT
          return blocks >= 0.8 * gpu.sms and blocks <= gpu.sms
        end,
        layer.fits.early_deepest
      ),
    }
  end
  if layer.early_wide then
    variants[#variants + 1] = {
      "begun early, wgmma (PDL)",
      kernel = layer.early_wide,
      tune = { BLOCK_M = values(16), CREWS = values(2, 3), TURNS = values(1, 2) },
      where = with(
        layer.fits.early_wide, HOLDS_M, "TURNS == (CREWS == 2 and 2 or 1)", -- what registers hold
        function(n, gpu) return n < 2048 or ceil_div(n, 64) <= gpu.sms and ceil_div(n, 64) >= 0.8 * gpu.sms end
      ),
    }
  end
  local baseline
  if kind == "plain" then
    baseline = { vendor.matmul { a = "x", b = "w", c = "y", math = math_of_x, transpose_b = true } }
  else
    local tune = { ALGO = range(0, 2) }
    variants[#variants + 1] = { "cuBLASLt in 16 bits", kernel = vendor.matmul { math = math_of_x, transpose_b = true }, tune = tune }
    if kind == "fp8" then
      variants[#variants + 1] = {
        "cuBLASLt in fp8", kernel = vendor.matmul { math = "fp8", transpose_b = true }, tune = tune, where = { "m % 16 == 0" },
      }
    end
  end
  return sweep {
    name = "linear_" .. word,
    variants = variants,
    over = { m = values(1, 16, 64), n = values(4096, 8192) },
    with = { k = function(p) return p.n end },
    along = "m",
    measure = { cache = "rotating", mode = "graph", max_time = 0.1 },
    baseline = baseline,
  }
end

local sweeps = {}
for i, word in ipairs(words) do sweeps[i] = sweep_of(word) end
return sweeps
