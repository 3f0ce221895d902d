-- SPDX-License-Identifier: Apache-2.0
-- Attention as in attention.lua, of e4m3 with a scale a head for Q, K and V; O is bf16. V is b x kv x d x l, keys contiguous, in
-- the order that attention_fp8.cu tells; a cache can be written so. d is 128 or 256. Returns { wgmma, codes, wgmma_fits }: by
-- ex2, and with powers taken as codes of e4m3, which needs ABOVE <= 4.
local attention = require "kernels.attention"
local intensity = require "kernels.intensity"

local of = attention.fp16 -- parameters, and how tiles go round, are the same

local params_of_codes = { table.unpack(of.params) }
for i, param in ipairs(params_of_codes) do
  if param[1] == "ABOVE" then params_of_codes[i] = { param[1], 4, param[3] } end -- codes end at 2^-7
end

local function heads(p) return p.b * p.h end
local function pitch(p) return ceil_div(p.l, 16) * 16 end
local function tiles_of(p, c) return heads(p) * ceil_div(p.l, 64 * c.CONSUMERS * c.CLUSTER) end -- of clusters
local function shared(d, c) return d * (64 * c.CONSUMERS + c.SLOTS * c.BLOCK_N) + 8 * (2 * c.SLOTS + 2) end

-- facts: name, entry, params; behind(c), bytes behind the barriers; polynomial(c), as attention.moved has it.
local function describe(facts) return attention.kernel {
  name = facts.name,
  source = facts.entry .. ".cu",
  entry = facts.entry .. "<d, causal, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE, POLYNOMIAL, HEADS, LONGEST>",
  problem = { "l", "b", "h", "kv", "d", "causal" },
  params = facts.params,
  buffers = function(p)
    attention.check_problem(p)
    if p.d == 64 then error "a head has 128 or 256 elements of e4m3, not d = 64: give -- 128 or -- 256" end
    local spread = p.l % 2 == 1 and 60 or 4 -- as in attention.lua
    return {
      q = input(e4m3, heads(p) * p.l * p.d, uniform(-spread, spread)),
      k = input(e4m3, p.b * p.kv * p.l * p.d),
      v = input(e4m3, p.b * p.kv * p.d * pitch(p), from { "attention_data.cu:values_e4m3", args = { i64(pitch(p)), i64(p.l) } }),
      scales = input(f32, heads(p) + 2 * p.b * p.kv, uniform(0.5, 1)),
      o = output(bf16, heads(p) * p.l * p.d),
    }
  end,
  launch = function(p, c, gpu, b)
    local clusters = c.STAY and math.min(tiles_of(p, c), gpu.sms // c.CLUSTER) or tiles_of(p, c)
    local function map(source, columns, rows, lines)
      return tensor_map(source, { columns, rows }, { box = { 128, lines }, swizzle = 128, l2_promotion = 256 })
    end
    return {
      args = {
        map(b.q, p.d, heads(p) * p.l, 64 * c.CONSUMERS), map(b.k, p.d, p.b * p.kv * p.l, c.BLOCK_N // c.CLUSTER),
        map(b.v, pitch(p), p.b * p.kv * p.d, p.d // c.CLUSTER), b.o, b.scales, i32(p.l), i32(heads(p)), i32(p.h // p.kv),
        attention.scale(p),
      },
      grid = clusters * c.CLUSTER,
      cluster = c.CLUSTER,
      block = 128 * (c.CONSUMERS + 1),
      shared = shared(p.d, c) + facts.behind(c),
    }
  end,
  work = function(p)
    return intensity.flash {
      l = p.l, d = p.d, heads = p.h, kv_heads = p.kv, batch = p.b, causal = p.causal, dtype = "fp8", out = "bf16",
    }
  end,
  traffic = function(p, c)
    local facts = { sharing = c.CLUSTER, each = 64, polynomial = facts.polynomial(c), bytes = 1 }
    return attention.moved("fp8", attention.shape_of(p), 64 * c.CONSUMERS, c.BLOCK_N, facts)
  end,
  prior = attention.wgmma_prior("fp8"),
  reference = function(p, b, sum)
    return {
      entry = ("attention_fp8_reference<%s, %d, %s>"):format(sum, p.d, tostring(p.causal)),
      args = { b.q, b.k, b.v, b.scales, b.o, i64(p.l), i64(pitch(p)), i32(heads(p)), i32(p.h // p.kv) },
      grid = { ceil_div(p.l, 32), heads(p) },
    }
  end,
  tol = 2^-1, -- powers have errors of 2^-4 at most, O of 2^-5 in the mean square; 16 of them, as in attention.lua
  odd = { l = 515, b = 1, h = 4, kv = 2, causal = true }, -- some variants are nothing else
} end

return {
  wgmma = describe {
    name = "attention_fp8_wgmma",
    entry = "attention_fp8",
    params = of.params,
    behind = function() return 0 end,
    polynomial = function(c) return c.POLYNOMIAL end,
  },
  codes = describe {
    name = "attention_fp8_codes",
    entry = "attention_fp8_codes",
    params = params_of_codes,
    behind = function(c) return 1024 * (1 + c.CONSUMERS) end, -- ones of each
    polynomial = function() return 1 end, -- none is taken by the special-function unit
  },
  wgmma_fits = {
    "gpu.arch == 'sm_90a'", "not PINGPONG or CONSUMERS == 2", "BLOCK_N % 128 == 0", "ABOVE <= 8",
    "d // 2 + BLOCK_N // 2 + BLOCK_N // 8 <= (CONSUMERS == 3 and 128 or 216)",
    function(BLOCK_N, SLOTS, CONSUMERS, d, gpu)
      return shared(d, { BLOCK_N = BLOCK_N, SLOTS = SLOTS, CONSUMERS = CONSUMERS }) <= gpu.shared_per_block
    end,
  },
}
