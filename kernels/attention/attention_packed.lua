-- SPDX-License-Identifier: Apache-2.0
-- Attention as in attention.lua, of SEQUENCES sequences of different lengths, l on average, behind one another: Q and O are
-- h x tokens x d, K and V kv x tokens x d. spread, percent: how they differ. Returns { fp16, bf16 }, each { kernel, fits, mma, mma_fits }: on sm_90a, and by mma.sync.
local attention = require "kernels.attention"
local intensity = require "kernels.intensity"
local lists = require "kernels.lists"

local SEQUENCES = 16

-- The lengths of a batch, the longest first, from `spread` percent of l above to as much below; their sum is SEQUENCES l.
local function lengths_of(p)
  local all, left = {}, SEQUENCES * p.l
  for i = 2, SEQUENCES do
    local share = 1 + p.spread / 100 * (SEQUENCES + 1 - 2 * i) / SEQUENCES
    all[i] = math.max(1, math.floor(p.l * share) - (p.spread > 0 and i % 3 or 0)) -- odd ones, too
    left = left - all[i]
  end
  all[1] = left
  return all
end

local function starts_of(p)
  local starts, at = { i32(0) }, 0
  for i, length in ipairs(lengths_of(p)) do
    at = at + length
    starts[i + 1] = i32(at)
  end
  for i = #starts + 1, 65 do starts[i] = i32(at) end
  return struct { starts }
end

local function packed(dtype)
  local of = attention[dtype]
  local params = {}
  for _, param in ipairs(of.params) do
    if param[1] ~= "CLUSTER" then params[#params + 1] = param end
  end
  local function tokens(p) return SEQUENCES * p.l end
  local function tiles_of(p, c)
    local all = 0
    for _, length in ipairs(lengths_of(p)) do all = all + p.h * ceil_div(length, 64 * c.CONSUMERS) end
    return all
  end
  local function shape_of(p)
    return { lengths = lengths_of(p), count = 1, h = p.h, kv = p.kv, d = p.d, causal = p.causal }
  end
  -- facts: name, source, entry, params, launch, traffic.
  local function describe(facts)
    return attention.kernel {
      name = "attention_" .. dtype .. "_" .. facts.name,
      source = facts.source,
      entry = facts.entry,
      problem = { "l", "spread", "h", "kv", "d", "causal" },
      params = facts.params,
      buffers = function(p)
        attention.check_problem(p)
        return {
          q = input(of.element, p.h * tokens(p) * p.d, uniform(-4, 4)),
          k = input(of.element, p.kv * tokens(p) * p.d),
          v = input(of.element, p.kv * tokens(p) * p.d),
          o = output(of.element, p.h * tokens(p) * p.d),
        }
      end,
      launch = facts.launch,
      work = function(p)
        local all = {}
        for _, length in ipairs(lengths_of(p)) do
          local work = intensity.flash { l = length, d = p.d, heads = p.h, kv_heads = p.kv, causal = p.causal, dtype = dtype }
          for key, amount in pairs(work) do all[key] = (all[key] or 0) + amount end
        end
        return all
      end,
      traffic = facts.traffic,
      reference = function(p, b, sum)
        return {
          entry = ("attention_packed_reference<%s, %s, %d, %s>"):format(of.cuda_type, sum, p.d, tostring(p.causal)),
          args = { b.q, b.k, b.v, b.o, starts_of(p), i32(tokens(p)), i32(p.h // p.kv) },
          grid = { ceil_div(lengths_of(p)[1], 32), p.h, SEQUENCES },
        }
      end,
      tol = 4 * of.tol, -- short sequences, and where causal first rows, are larger than the mean
      odd = { l = 77, spread = 90, h = 2, kv = 1 },
    }
  end

  local roles = describe {
    name = "packed",
    source = "attention_packed.cu",
    entry = ("attention_packed<%s, d, causal, BLOCK_N, SLOTS, CONSUMERS, OVERLAP, PINGPONG, ABOVE, POLYNOMIAL, HEADS,"
      .. " LONGEST>"):format(of.cuda_type),
    params = params,
    launch = function(p, c, gpu, b)
      local function map(source, heads, lines)
        return tensor_map(source, { p.d, heads * tokens(p) }, { box = { 64, lines }, swizzle = 128, l2_promotion = 256 })
      end
      return {
        args = {
          map(b.q, p.h, 64 * c.CONSUMERS), map(b.k, p.kv, c.BLOCK_N), map(b.v, p.kv, c.BLOCK_N), b.o, starts_of(p),
          i32(SEQUENCES), i32(tokens(p)), i32(p.h), i32(p.h // p.kv), of.scale(p),
        },
        grid = c.STAY and math.min(tiles_of(p, c), gpu.sms) or tiles_of(p, c),
        block = 128 * (c.CONSUMERS + 1),
        shared = of.shared(p.d, c),
      }
    end,
    traffic = function(p, c) return of.moved(shape_of(p), c, 1) end,
  }
  local mma = describe {
    name = "packed_mma",
    source = "attention_packed_mma.cu",
    entry = ("attention_packed_mma<%s, d, causal, BLOCK_N, WARPS, BANDS, SLOTS>"):format(of.cuda_type),
    params = {
      { "BLOCK_N", 64, "keys that are gone through at a time" }, { "WARPS", 8, "warps of a block" },
      { "BANDS", 1, "times 16 queries of a warp" }, { "SLOTS", 2, "places for tiles of K and V in shared memory" },
    },
    launch = function(p, c, gpu, b)
      return {
        args = { b.q, b.k, b.v, b.o, starts_of(p), i32(tokens(p)), i32(p.h // p.kv), of.scale(p) },
        grid = { ceil_div(lengths_of(p)[1], 16 * c.WARPS * c.BANDS), p.h, SEQUENCES },
        block = 32 * c.WARPS,
        shared = of.mma_shared(p.d, c),
      }
    end,
    traffic = function(p, c) return of.mma_moved(shape_of(p), c, 0) end,
  }
  return roles, mma
end

local all = {}
for _, dtype in ipairs { "fp16", "bf16" } do
  local fits = {}
  for _, constraint in ipairs(attention[dtype].wgmma_fits) do
    if type(constraint) ~= "string" or not constraint:find "CLUSTER" then fits[#fits + 1] = constraint end
  end
  local roles, mma = packed(dtype)
  all[dtype] = { kernel = roles, fits = lists.join(fits), mma = mma, mma_fits = attention[dtype].mma_fits }
end
return all
