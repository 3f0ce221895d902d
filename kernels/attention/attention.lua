-- SPDX-License-Identifier: Apache-2.0
-- O = softmax(Q K^T / sqrt(d)) V: Q and O are b x h x l x d, K and V b x kv x l x d; h / kv neighbouring heads of Q share
-- those of K and V. causal: query i sees the keys 0 to i. Returns { fp16, bf16 }, each { memory, mma, wgmma } and the
-- constraints of the last two, mma_fits and wgmma_fits, and `here`, mma_fits' of the card; all else is for attention_packed.lua and attention_fp8.lua. Sums and powers are fp32, powers
-- rounded for the second product.
local intensity = require "kernels.intensity"

local BYTES = 2 -- an element

-- Powers are rounded before they are multiplied, O once more: errors of 2^-9 each in bf16, which mostly cancel, as what is
-- added up does. 16 of them are beyond what chance brings.
local TOL = { fp16 = 2^-8, bf16 = 2^-5 }

local function heads(p) return p.b * p.h end
local function check_problem(p)
  if p.d ~= 64 and p.d ~= 128 and p.d ~= 256 then error(("a head has 64, 128 or 256 elements, not d = %d"):format(p.d)) end
  if p.h % p.kv ~= 0 then error(("h = %d heads cannot share kv = %d: give a divisor"):format(p.h, p.kv)) end
end
local function shape_of(p) return { lengths = { p.l }, count = p.b, h = p.h, kv = p.kv, d = p.d, causal = p.causal } end
local function scale(p) return f32(math.log(math.exp(1), 2) / math.sqrt(p.d)) end -- of exponents of two

-- What a fused kernel moves and executes in blocks of BLOCK_M queries by BLOCK_N keys. shape: lengths, a list, of sequences
-- with `count` of each; h, kv, d, causal. facts: sharing, blocks that share what they read of K and V; each, queries that
-- share a reading of a row of K or V in shared memory; polynomial, one power in so many needs no sfu (0: none). O has 2 bytes
-- an element; bytes, of all else.
local function moved(dtype, shape, BLOCK_M, BLOCK_N, facts)
  local rows, tokens = 0, 0 -- rows of K, of V, that the blocks of a head bring
  for _, l in ipairs(shape.lengths) do
    tokens = tokens + shape.count * l
    for first = 0, l - 1, BLOCK_M do
      local together = BLOCK_M * facts.sharing -- blocks of a cluster go over the same keys
      local seen = shape.causal and math.min(l, (first // together + 1) * together) or l
      rows = rows + shape.count * ceil_div(seen, BLOCK_N) * BLOCK_N
    end
  end
  local bytes = facts.bytes or BYTES
  local computed, io, queries = shape.h * rows * BLOCK_M, BYTES * shape.h * tokens * shape.d, bytes * shape.h * tokens * shape.d
  local kv_read = 2 * bytes * shape.h * rows * shape.d
  return {
    ["tensor_" .. dtype] = 4 * computed * shape.d,
    sfu = computed * (facts.polynomial > 0 and 1 - 1 / facts.polynomial or 1),
    shared = kv_read + queries + bytes * computed * shape.d * (2 / facts.each + 1 / BLOCK_N), -- Q is read for each block of keys
    l2 = kv_read / facts.sharing + queries + io,
    dram_read = queries + 2 * bytes * shape.kv * tokens * shape.d, -- blocks that run together read the same heads, out of L2
    dram_write = io,
  }
end

-- Blocks of keys that all tiles of queries see, those of the cluster that has most of them, and tiles a cluster, as
-- attention_roles.cuh deals them: clusters that stay have one a round, every second round backwards; else the hardware gives
-- them out in their order, so that some wait for half of the last.
local function dealt(p, c, gpu)
  local rows, all = ceil_div(p.l, 64 * c.CONSUMERS * c.CLUSTER), heads(p)
  local tiles, together = rows * all, math.min(c.HEADS, all)
  local clusters = math.min(tiles, gpu.sms // c.CLUSTER)
  local function blocks_of(row)
    return ceil_div(p.causal and math.min(p.l, (row + 1) * 64 * c.CONSUMERS * c.CLUSTER) or p.l, c.BLOCK_N)
  end
  if not p.causal then return tiles * blocks_of(0), ceil_div(tiles, clusters) * blocks_of(0), tiles / clusters end
  local loads, total, most, at, step = {}, 0, 0, 1, 1
  if not c.STAY then
    for row = 0, rows - 1 do total = total + all * blocks_of(row) end
    return total, total / clusters + blocks_of(c.LONGEST and 0 or rows - 1) / 2, tiles / clusters
  end
  for i = 1, clusters do loads[i] = 0 end
  for first = 0, all - 1, together do -- heads that are gone through together
    local heads_here = math.min(together, all - first)
    for column = 0, rows - 1 do
      local blocks = blocks_of(c.LONGEST and rows - 1 - column or column)
      total = total + heads_here * blocks
      for _ = 1, heads_here do
        loads[at], at = loads[at] + blocks, at + step
        if at > clusters or at < 1 then
          if c.LONGEST then step, at = -step, at - step else at = 1 end
        end
      end
    end
  end
  for i = 1, clusters do most = math.max(most, loads[i]) end
  return total, most, tiles / clusters
end

-- How often memory has to bring K and V: once where those of the heads that are gone through together fit half of the L2, else
-- for all rows of queries that run together.
local function passes(p, c, gpu, bytes)
  local rows = ceil_div(p.l, 64 * c.CONSUMERS)
  local together = c.HEADS > 1 and math.min(c.HEADS, heads(p)) or math.max(1, gpu.sms // rows)
  if ceil_div(together, p.h // p.kv) * 2 * bytes * p.l * p.d <= gpu.l2_bytes / 2 then return 1 end
  return math.max(1, rows * together / gpu.sms * (p.causal and 0.5 or 1))
end

-- Products, and powers as far as other warps' products do not hide them, of the SM that has most to do; a block that does not
-- stay takes some 3 us to begin and end. What memory brings costs power.
local function wgmma_prior(dtype)
  local bytes = dtype == "fp8" and 1 or BYTES
  return function(p, c, gpu, t)
    local total, most, rounds = dealt(p, c, gpu)
    local hidden = (c.OVERLAP and 0.7 or 0) + (c.PINGPONG and 0.2 or 0) + (c.CONSUMERS == 3 and 0.3 or 0)
    local multiplied = t["tensor_" .. dtype] + math.max(0, 1 - hidden) * t.sfu
    local busy = (multiplied ^ 6 + t.shared ^ 6 + t.l2 ^ 6) ^ (1 / 6)
    local keys = 2 * bytes * p.kv / (2 * bytes * p.kv + (bytes + BYTES) * p.h) -- their share of what memory moves
    return busy * gpu.sms * most / (total * c.CLUSTER) + (c.STAY and 0 or 3 * us * rounds)
      + 0.2 * t.dram * (1 + keys * (passes(p, c, gpu, bytes) - 1))
  end
end

-- A kernel of attention: facts are those of kernel{}, but for what all have alike. reference(p, b, sum): entry, args and grid
-- of the reference that adds up in `sum`; tol and odd are for its check.
local function attention_kernel(facts)
  local of, tol, odd = facts.reference, facts.tol, facts.odd
  facts.reference, facts.tol, facts.odd = nil, nil, nil
  facts.options, facts.compiled = { "-I../matmul" }, { "d", "causal" }
  local function launch(p, c, gpu, b)
    local launches = { of(p, b, "double"), of(p, b, "float") }
    for _, one in ipairs(launches) do one.block = 256 end
    return launches
  end
  facts.check = { reference = { "attention_reference.cu", launch = launch }, tol = tol, odd = odd }
  return kernel(facts)
end

local function ladder(dtype, cuda_type)
  local element = dtype == "fp16" and f16 or bf16

  -- facts: name, source, entry, params, launch, traffic; temps and prior where there are any.
  local function describe(facts)
    return attention_kernel {
      name = "attention_" .. dtype .. "_" .. facts.name,
      source = facts.source,
      entry = facts.entry,
      problem = { "l", "b", "h", "kv", "d", "causal" },
      params = facts.params,
      buffers = function(p, c)
        check_problem(p)
        local all = facts.temps and facts.temps(p) or {}
        -- Scores spread by some 4/3 around 0, so that few keys count most. In the odd problem by 20: there a row's highest
        -- rises late and far, and what was added up before is scaled down.
        local spread = p.l % 2 == 1 and 60 or 4
        all.q = input(element, heads(p) * p.l * p.d, uniform(-spread, spread))
        all.k = input(element, p.b * p.kv * p.l * p.d)
        all.v = input(element, p.b * p.kv * p.l * p.d, from { "attention_data.cu:values_" .. dtype, args = { i64(p.d), i64(p.l) } })
        all.o = output(element, heads(p) * p.l * p.d)
        return all
      end,
      launch = facts.launch,
      -- Of the pairs that are seen alone: half of them, and half the diagonal, where causal.
      work = function(p)
        return intensity.flash { l = p.l, d = p.d, heads = p.h, kv_heads = p.kv, batch = p.b, causal = p.causal, dtype = dtype }
      end,
      traffic = facts.traffic,
      prior = facts.prior,
      reference = function(p, b, sum)
        return {
          entry = ("attention_reference<%s, %s, %d, %s>"):format(cuda_type, sum, p.d, tostring(p.causal)),
          args = { b.q, b.k, b.v, b.o, i64(p.l), i32(p.h // p.kv) },
          grid = { ceil_div(p.l, 32), heads(p) },
        }
      end,
      tol = TOL[dtype],
      odd = { l = 515, b = 1, h = 4, kv = 2, causal = true }, -- some variants are nothing else
    }
  end

  local function pitch(p) return ceil_div(p.l, 64) * 64 end
  local memory = describe {
    name = "memory",
    source = "attention_memory.cu",
    entry = { ("attention_scores<%s, d, BLOCK>"):format(cuda_type), ("attention_softmax<%s, causal>"):format(cuda_type),
      ("attention_values<%s, d, BLOCK>"):format(cuda_type) },
    params = { { "BLOCK", 64, "queries of a block, 16 a warp" } },
    temps = function(p)
      return { scores = temp(f32, heads(p) * p.l * pitch(p)), powers = temp(element, heads(p) * p.l * pitch(p)) }
    end,
    launch = function(p, c, gpu, b)
      local all, io, kv_once = heads(p) * p.l * pitch(p), BYTES * heads(p) * p.l * p.d, BYTES * p.b * p.kv * p.l * p.d
      local flops, rows = 2 * heads(p) * p.l * p.l * p.d, heads(p) * p.l
      local pipe, blocks = "tensor_" .. dtype, ceil_div(p.l, c.BLOCK)
      local executed = 2 * heads(p) * blocks * c.BLOCK * pitch(p) * p.d
      return {
        {
          entry = ("attention_scores<%s, d, BLOCK>"):format(cuda_type),
          args = { b.q, b.k, b.scores, i32(p.l), i32(pitch(p)), i32(p.h // p.kv), scale(p) },
          grid = { pitch(p) // 64, blocks, heads(p) },
          block = 2 * c.BLOCK,
          shared = BYTES * (c.BLOCK + 64) * p.d,
          work = { [pipe] = flops, read = io + kv_once, write = 4 * rows * p.l },
          traffic = {
            [pipe] = executed, l2 = io * pitch(p) // 64 + BYTES * heads(p) * blocks * pitch(p) * p.d + 4 * all,
            dram_read = io + kv_once, dram_write = 4 * all,
          },
        },
        {
          entry = ("attention_softmax<%s, causal>"):format(cuda_type),
          args = { b.scores, b.powers, i64(rows), i32(p.l), i32(pitch(p)) },
          grid = ceil_div(rows, 8),
          block = 256,
          work = { fp32 = 4 * rows * p.l, sfu = rows * p.l, read = 4 * rows * p.l, write = BYTES * rows * p.l },
          traffic = {
            sfu = 3 * rows * p.l * (p.causal and 0.5 or 1), l2 = (p.causal and 4 or 8) * all + BYTES * all,
            dram_read = (p.causal and 2 or 4) * all, dram_write = BYTES * all,
          },
        },
        {
          entry = ("attention_values<%s, d, BLOCK>"):format(cuda_type),
          args = { b.powers, b.v, b.o, i32(p.l), i32(pitch(p)), i32(p.h // p.kv) },
          grid = { blocks, heads(p) },
          block = 2 * c.BLOCK,
          shared = 2 * BYTES * 64 * (c.BLOCK + p.d),
          work = { [pipe] = flops, read = BYTES * rows * p.l + kv_once, write = io },
          traffic = {
            [pipe] = executed, l2 = BYTES * all + BYTES * heads(p) * blocks * pitch(p) * p.d + io,
            dram_read = BYTES * all + kv_once, dram_write = io,
          },
        },
      }
    end,
  }

  local BLOCK_N = { "BLOCK_N", 64, "keys that are gone through at a time" }
  local ABOVE = { "ABOVE", 8, "sums are scaled down where a power would pass two to this; 0: wherever a row's highest rises" }
  local POLYNOMIAL = { "POLYNOMIAL", 0, "one power in so many without the special-function unit; 0: none" }

  local here = dtype == "fp16" and "gpu.cc >= 75" or "gpu.cc >= 80" -- for mma.sync
  local function mma_moved(shape, c, polynomial)
    return moved(dtype, shape, 16 * c.WARPS * c.BANDS, c.BLOCK_N, { sharing = 1, each = 16 * c.BANDS, polynomial = polynomial })
  end
  local function mma_shared(d, c) return BYTES * d * (16 * c.WARPS * c.BANDS + c.SLOTS * c.BLOCK_N) end
  local mma_entry = ("attention_mma<%s, d, causal, BLOCK_N, WARPS, BANDS, SLOTS, ABOVE, POLYNOMIAL>"):format(cuda_type)
  local mma = describe {
    name = "mma",
    source = "attention_mma.cu",
    entry = mma_entry,
    params = {
      BLOCK_N, { "WARPS", 4, "warps of a block" }, { "BANDS", 1, "times 16 queries of a warp" },
      { "SLOTS", 2, "places for tiles of K and V in shared memory" }, ABOVE, POLYNOMIAL,
    },
    launch = function(p, c, gpu, b)
      return {
        args = { b.q, b.k, b.v, b.o, i32(p.l), i32(p.h // p.kv), scale(p) },
        grid = { ceil_div(p.l, 16 * c.WARPS * c.BANDS), heads(p) },
        block = 32 * c.WARPS,
        shared = mma_shared(p.d, c),
      }
    end,
    traffic = function(p, c) return mma_moved(shape_of(p), c, c.POLYNOMIAL) end,
  }

  -- Bytes of shared memory: Q, the ring, the barriers. What it moves: 64 queries share a reading.
  local function wgmma_shared(d, c) return BYTES * d * (64 * c.CONSUMERS + c.SLOTS * c.BLOCK_N) + 8 * (2 * c.SLOTS + 2) end
  local function wgmma_moved(shape, c, cluster)
    local facts = { sharing = cluster, each = 64, polynomial = c.POLYNOMIAL }
    return moved(dtype, shape, 64 * c.CONSUMERS, c.BLOCK_N, facts)
  end
  local function tiles_of(p, c) return heads(p) * ceil_div(p.l, 64 * c.CONSUMERS * c.CLUSTER) end -- of clusters
  local wgmma_params = {
    { "BLOCK_N", 128, BLOCK_N[3] }, { "SLOTS", 4, "places for tiles of K and V in shared memory" },
    { "CONSUMERS", 2, "warpgroups of 64 queries each; one more brings tiles" },
    { "CLUSTER", 1, "blocks of a cluster, which share what they read of K and V" },
    { "OVERLAP", true, "powers are computed while the block of keys behind is multiplied" },
    { "PINGPONG", true, "two warpgroups ask for products in turn" },
    ABOVE, POLYNOMIAL, { "HEADS", 1, "heads whose queries are gone through together" },
    { "STAY", true, "blocks stay, one an SM, and go from tile to tile" },
    { "LONGEST", true, "queries that see most keys come first, and every second round of tiles goes backwards" },
  }
  local function by_wgmma(name, kernel) return describe {
    name = name,
    source = kernel .. ".cu",
    entry = (kernel .. "<%s, d, causal, BLOCK_N, SLOTS, CONSUMERS, CLUSTER, OVERLAP, PINGPONG, ABOVE, POLYNOMIAL,"
      .. " HEADS, LONGEST>"):format(cuda_type),
    params = wgmma_params,
    launch = function(p, c, gpu, b)
      local clusters = c.STAY and math.min(tiles_of(p, c), gpu.sms // c.CLUSTER) or tiles_of(p, c)
      local function map(source, all, lines)
        return tensor_map(source, { p.d, all * p.l }, { box = { 64, lines }, swizzle = 128, l2_promotion = 256 })
      end
      local lines = c.BLOCK_N // c.CLUSTER
      return {
        args = {
          map(b.q, heads(p), 64 * c.CONSUMERS), map(b.k, p.b * p.kv, lines), map(b.v, p.b * p.kv, lines), b.o,
          i32(p.l), i32(heads(p)), i32(p.h // p.kv), scale(p),
        },
        grid = clusters * c.CLUSTER,
        cluster = c.CLUSTER,
        block = 128 * (c.CONSUMERS + 1),
        shared = wgmma_shared(p.d, c),
      }
    end,
    traffic = function(p, c) return wgmma_moved(shape_of(p), c, c.CLUSTER) end,
    prior = wgmma_prior(dtype),
  } end

  return {
    memory = memory, mma = mma, wgmma = by_wgmma("wgmma", "attention_wgmma"), skips = by_wgmma("skips", "attention_skips"),
    element = element, cuda_type = cuda_type, scale = scale, params = wgmma_params, shared = wgmma_shared, moved = wgmma_moved,
    tol = TOL[dtype],
    mma_shared = mma_shared, mma_moved = mma_moved, here = here,
    -- Registers of a thread: sums, scores, and these rounded; whole rounds of all threads copy a tile.
    mma_fits = {
      here, "BANDS * (d // 2 + BLOCK_N // 2 + BLOCK_N // 4) <= 224", "BLOCK_N % (4 * WARPS) == 0",
      function(BLOCK_N, WARPS, BANDS, SLOTS, d, gpu)
        return mma_shared(d, { BLOCK_N = BLOCK_N, WARPS = WARPS, BANDS = BANDS, SLOTS = SLOTS }) <= gpu.shared_per_block
      end,
    },
    -- A thread's scores, sums and powers beside some 30 other registers: of three consumers it has 160.
    wgmma_fits = {
      "gpu.arch == 'sm_90a'", "not PINGPONG or CONSUMERS == 2", "BLOCK_N % (8 * CLUSTER) == 0",
      "d // 2 + BLOCK_N // 2 + BLOCK_N // 4 <= (CONSUMERS == 3 and 128 or 216)",
      function(BLOCK_N, SLOTS, CONSUMERS, d, gpu)
        return wgmma_shared(d, { BLOCK_N = BLOCK_N, SLOTS = SLOTS, CONSUMERS = CONSUMERS }) <= gpu.shared_per_block
      end,
    },
  }
end

return {
  fp16 = ladder("fp16", "__half"), bf16 = ladder("bf16", "__nv_bfloat16"), check_problem = check_problem, moved = moved,
  shape_of = shape_of, scale = scale, wgmma_prior = wgmma_prior, kernel = attention_kernel,
}
