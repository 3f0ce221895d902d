-- SPDX-License-Identifier: Apache-2.0
-- Attention of one new token a sequence over a cache in pages: `batch` sequences of at most `l` tokens, kv_heads heads of K
-- and V of d elements, each read by `group` query heads, pages of `page` tokens in random order. ragged: 0, all have
-- l, or 1, from there down to an eighth. Returns { bf16, fp16, e4m3 }, the type of the cache, each { cores (not e4m3), mma, tma, wgmma (not e4m3) } with
-- constraints: cores_fits, fits of all others, and tma_fits and wgmma_fits beside.
local LOG2_E = 1.4426950408889634
local COMBINE = { "COMBINE", "last_block", "what joins the parts: the block that comes last, a launch, or one that starts early" }
local SPLIT = { "SPLIT", 1, "blocks that share a sequence's tokens; 0: as many as run at once" }
local WARPS = { "WARPS", 4, "warps that multiply" }
local HEADS = { "HEADS", 8, "query heads that a block has at once" }

-- log2 of a page's tokens: kernels shift, and take 16 tokens of a page at a time.
local function page_shift_of(p)
  local shift = 4
  while 2^shift < p.page do shift = shift + 1 end
  if 2^shift ~= p.page then error(("page = %d: a page has 16, 32, 64, ... tokens, a power of two"):format(p.page)) end
  return shift
end

local function pages_of(p) return ceil_div(p.l, p.page) end -- of a sequence

-- Tokens of all sequences, as decode_data.cu makes them.
local function tokens_of(p)
  if p.ragged == 0 then return p.batch * p.l end
  local tokens = 0
  for i = 0, p.batch - 1 do tokens = tokens + p.l - 7 * p.l * (i * 5 % p.batch) // (8 * p.batch) end
  return tokens
end

local function decode(facts, kind)
  local bytes = facts.bytes -- an element of the cache
  local function heads_of(p) return p.kv_heads * p.group end
  local function tiles_of(p, c) return ceil_div(p.group, c.HEADS) end
  local function cache_of(p) return 2 * bytes * p.kv_heads * p.d * tokens_of(p) end
  -- Tokens of a block, a multiple of what it takes at once.
  local function chunk_of(p, c, gpu)
    local step, units = kind.step(c), p.batch * p.kv_heads * tiles_of(p, c)
    local split = c.SPLIT > 0 and c.SPLIT or math.max(1, gpu.sms * kind.resident(p, c, gpu) // units)
    return ceil_div(ceil_div(p.l, split), step) * step
  end
  local function parts_of(p, c, gpu) return ceil_div(p.l, chunk_of(p, c, gpu)) end
  local function joining(width, threads, parts) return 4 * (parts + (threads // (width // 4) + 1) * width) end

  return kernel {
    name = "decode_" .. facts.name .. "_" .. kind.name,
    source = "decode_" .. kind.name .. ".cu",
    -- SPLIT and COMBINE choose between launches of the same code: named here, they are no macros.
    entry = "decode_" .. kind.name .. "<" .. kind.named .. ", SPLIT, COMBINE>",
    problem = { "batch", "l", "group", "kv_heads", "d", "page", "ragged" },
    params = kind.params,
    buffers = function(p, c, gpu)
      local pages, parts = p.batch * pages_of(p), parts_of(p, c, gpu)
      local rows = parts > 1 and p.batch * heads_of(p) * parts or 1
      local cache = pages * p.page * p.kv_heads * p.d
      local all = {
        q = input(facts.number, p.batch * heads_of(p) * p.d, uniform(-4, 4)), -- so that some tokens count more than others
        k = input(facts.element, cache),
        v = input(facts.element, cache),
        tables = input(i32, pages, from "decode_data.cu:pages"),
        lengths = input(i32, p.batch, from {
          "decode_data.cu:lengths", args = { i64(p.l), i32(p.ragged) },
        }),
        out = output(facts.number, p.batch * heads_of(p) * p.d),
        stats = temp(f32, 2 * rows),
        sums = temp(f32, rows * p.d),
        arrived = temp(u32, p.batch * p.kv_heads * tiles_of(p, c)),
      }
      if facts.scaled then all.scales = input(f32, 2 * p.kv_heads, uniform(0.5, 2)) end
      return all
    end,
    prepare = function(p, c, gpu, b) return { memset(b.arrived, 0) } end, -- each launch leaves zeros behind
    launch = function(p, c, gpu, b)
      local parts, integer = parts_of(p, c, gpu), kind.integer and kind.integer(c)
      local scale = (integer and 256 or 1) * LOG2_E / math.sqrt(p.d) -- the cache's numbers are then 2^-8 of what they are
      if not (p.d == 128 or p.d == 256 or p.d == 64 and not facts.scaled) then
        error(("d = %d: a head has %s128 or 256 elements"):format(p.d, facts.scaled and "" or "64, "))
      end
      local of = struct {
        i32(p.group), i32(p.kv_heads), i32(pages_of(p)), i32(page_shift_of(p)), i32(chunk_of(p, c, gpu)), f32(scale),
        f32(integer and 256 or 1), facts.scaled and b.scales or u64(0),
      }
      local split = struct { b.stats, b.sums }
      local threads, last = kind.threads(c), parts > 1 and c.COMBINE == "last_block"
      local attend = {
        entry = ("decode_%s<%s, %s>"):format(kind.name, kind.entry(p, c, facts.ctype), tostring(last)),
        args = kind.args(p, c, b, split, of),
        grid = { parts, p.kv_heads * tiles_of(p, c), p.batch },
        block = threads,
        shared = math.max(kind.shared(p, c), 4 * (kind.sums(c) * c.HEADS * (p.d + 4) + 1)),
      }
      if parts == 1 or last then return attend end
      return {
        attend,
        {
          entry = ("decode_join<%s, %d>"):format(facts.out_ctype, p.d),
          args = { b.lengths, split, b.out, of, i32(parts) },
          grid = { p.batch * heads_of(p), ceil_div(p.d, 128) },
          block = 256,
          shared = joining(math.min(p.d, 128), 256, parts),
          pdl = c.COMBINE == "pdl",
        },
      }
    end,
    -- The cache once, whatever the heads; a multiplication each by K and by V.
    work = function(p)
      local tokens, rows = tokens_of(p), p.batch * heads_of(p) * p.d
      return {
        ["tensor_" .. facts.pipe] = 4 * p.d * heads_of(p) * tokens,
        fp32 = 4 * heads_of(p) * tokens,
        sfu = heads_of(p) * tokens,
        read = cache_of(p) + 2 * rows + 4 * p.batch + 4 * ceil_div(tokens, p.page),
        write = 2 * rows,
        items = { "token", p.batch },
      }
    end,
    traffic = function(p, c, gpu)
      local parts, tiles = parts_of(p, c, gpu), tiles_of(p, c)
      local handed = parts > 1 and 4 * p.batch * heads_of(p) * parts * (p.d + 2) or 0
      local rows = 2 * p.batch * heads_of(p) * p.d
      local all = { l2 = tiles * cache_of(p) + 2 * rows + 2 * handed + 4 * (p.batch + p.batch * pages_of(p)) }
      kind.executed(all, p, c, tiles * p.kv_heads * tokens_of(p), tiles * cache_of(p), facts)
      return all
    end,
    -- Memory waits for bytes in flight, in as many blocks as there are; warps take 16 tokens a step; none ends before the
    -- block of the longest sequence. To join parts takes some 2 us, a launch one more.
    prior = function(p, c, gpu, t)
      local parts, tiles, in_flight = parts_of(p, c, gpu), tiles_of(p, c), kind.in_flight(p, c, facts)
      local blocks, places = parts * p.kv_heads * tiles * p.batch, gpu.sms * kind.resident(p, c, gpu)
      local running = math.min(blocks, places)
      local late = p.ragged == 0 and math.ceil(blocks / places) * running / blocks or 1 -- else the hardware evens out
      local moved = math.max(t.dram, 0.6 * t.l2, 0.6 * t.l1, t.shared) * math.max(late, 48 * KiB * gpu.sms / (running * in_flight))
      local steps = tiles * p.kv_heads * tokens_of(p) / 16 / (running * kind.threads(c) / 32) * late
      local longest = 2 * chunk_of(p, c, gpu) * p.d * facts.bytes / in_flight
      local slow = kind.integer and kind.integer(c) and gpu.cc >= 89 -- shifts are slower than cvt
      return (moved ^ 6 + (steps * (0.3 + 0.02 * c.HEADS) * us) ^ 6 + (longest * 1.2 * us) ^ 6) ^ (1 / 6) * (slow and 1.06 or 1)
        + (parts > 1 and ((c.COMBINE == "last_block" and 2 or 3) + parts / 20) * us or 0)
    end,
    check = {
      reference = {
        "decode_reference.cu",
        buffers = function(p) return { scores = temp(f64, p.batch * heads_of(p) * p.l) } end,
        launch = function(p, c, gpu, b)
          local shape = { i64(p.l), i32(p.group), i32(p.kv_heads), i32(p.page), i32(pages_of(p)) }
          return {
            {
              entry = ("decode_scores<%s, %s, %d>"):format(facts.out_ctype, facts.ctype, p.d),
              args = { b.q, b.k, b.tables, b.lengths, b.scores, table.unpack(shape) },
              grid = { ceil_div(p.l, 256), heads_of(p), p.batch },
              block = 256,
            },
            {
              entry = ("decode_values<%s, %d>"):format(facts.ctype, p.d),
              args = {
                b.v, b.tables, b.lengths, b.scores, b.out, shape[1], shape[2], shape[3], shape[4], shape[5],
                f64(1 / math.sqrt(p.d)), facts.scaled and b.scales or u64(0),
              },
              grid = { heads_of(p), p.batch },
              block = 512,
            },
          }
        end,
      },
      tol = 0.03, -- weights and results are rounded to 16 bits, and a short sequence's are larger than the mean
      -- Ragged, pages that are not full, heads that fill no tile.
      odd = { batch = 3, l = 1021, group = 5, kv_heads = 2, d = 128, page = 32, ragged = 1 },
    },
  }
end

local function sums_of_warps(c) return c.WARPS end

-- What loads read passes L1, where blocks of an SM that read the same may meet: of L2 less is known then.
local function through_l1(all, p, c, read)
  all.l1 = read
  if p.group > c.HEADS then all.l2 = nil end
end

local cores = {
  name = "cores",
  sums = sums_of_warps,
  params = {
    { "HEADS", 1, "query heads that a block has at once" }, { "WARPS", 4, "warps of a block" },
    { "AHEAD", 4, "loads of K and of V that a lane asks for at once" }, SPLIT, COMBINE,
  },
  named = "HEADS, WARPS, AHEAD",
  step = function() return 16 end,
  threads = function(c) return 32 * c.WARPS end,
  entry = function(p, c, ctype) return ("%s, %d, HEADS, WARPS, AHEAD"):format(ctype, p.d) end,
  args = function(p, c, b, split, of) return { b.q, b.k, b.v, b.tables, b.lengths, b.out, split, b.arrived, of } end,
  shared = function() return 0 end,
  -- A product and a conversion of each element, sums over the lanes of a token.
  executed = function(all, p, c, tokens, read)
    through_l1(all, p, c, read)
    all.fp32 = (4 * c.HEADS + 2) * p.d * tokens
    all.sfu = c.HEADS * p.d // 8 * tokens
  end,
  resident = function(p, c, gpu)
    local registers = 20 * c.HEADS + 8 * c.AHEAD + 40
    return math.max(1, math.min(gpu.max_threads_per_sm, gpu.registers_per_sm // registers) // (32 * c.WARPS))
  end,
  in_flight = function(p, c) return c.WARPS * c.AHEAD * 1024 end,
}

-- Eight heads an instruction; V's elements turn by an instruction each two.
local function multiplied(all, p, c, tokens, facts)
  all["tensor_" .. facts.pipe] = 4 * p.d * c.HEADS * tokens
end
local function is_integer(c) return c.CONVERT == "integer" end

local function mma_of(facts)
  local own = facts.scaled
  return {
    name = "mma",
    sums = sums_of_warps,
    params = {
      HEADS, WARPS, { "RESIDENT", 3, "blocks that an SM shall hold, which bounds a thread's registers" }, SPLIT, COMBINE,
      own and { "CONVERT", "cvt", "e4m3 to fp16: by cvt, or by shifts" } or nil,
    },
    named = "HEADS, WARPS, RESIDENT" .. (own and ", CONVERT" or ""),
    integer = own and is_integer or nil,
    step = function() return 16 end,
    threads = function(c) return 32 * c.WARPS end,
    entry = function(p, c, ctype)
      return ("%s, %d, %d, WARPS, RESIDENT, %s"):format(ctype, p.d, c.HEADS // 8, tostring(own and is_integer(c) or false))
    end,
    args = cores.args,
    shared = function() return 0 end,
    executed = function(all, p, c, tokens, read)
      through_l1(all, p, c, read)
      multiplied(all, p, c, tokens, facts)
    end,
    resident = function(p, c) return c.RESIDENT end,
    in_flight = function(p, c) return c.WARPS * 32 * p.d * facts.bytes end,
  }
end

local function tma_of(facts)
  local own = facts.scaled
  local function stage_of(p, c) return 2 * c.TOKENS * p.d * facts.bytes end
  local function shared(p, c) return c.STAGES * (stage_of(p, c) + 16) end
  return {
    name = "tma",
    sums = sums_of_warps,
    params = {
      HEADS, WARPS, { "TOKENS", 64, "tokens of a stage" }, { "STAGES", 3, "places for tokens in shared memory" },
      SPLIT, COMBINE, own and { "CONVERT", "cvt", "e4m3 to fp16: by cvt, or by shifts" } or nil,
    },
    named = "HEADS, WARPS, TOKENS, STAGES" .. (own and ", CONVERT" or ""),
    integer = own and is_integer or nil,
    step = function(c) return c.TOKENS end,
    threads = function(c) return 32 * c.WARPS + 32 end,
    entry = function(p, c, ctype)
      return ("%s, %d, %d, TOKENS, %d, STAGES, WARPS, %s"):format(
        ctype, p.d, c.HEADS // 8, math.min(p.page, c.TOKENS), tostring(own and is_integer(c) or false)
      )
    end,
    args = function(p, c, b, split, of)
      local rows = p.batch * pages_of(p) * p.kv_heads * p.page
      local options = { box = { 128 // facts.bytes, math.min(p.page, c.TOKENS) }, swizzle = 128 }
      return {
        tensor_map(b.k, { p.d, rows }, options), tensor_map(b.v, { p.d, rows }, options), b.q, b.tables, b.lengths, b.out,
        split, b.arrived, of,
      }
    end,
    shared = shared,
    executed = function(all, p, c, tokens, read)
      multiplied(all, p, c, tokens, facts)
      all.shared = 2 * read -- in and out
    end,
    resident = function(p, c, gpu) return math.max(1, gpu.shared_per_sm // (shared(p, c) + 1024)) end,
    in_flight = function(p, c) return c.STAGES * stage_of(p, c) end,
  }
end

local function wgmma_of(facts)
  local function stage_of(p) return 2 * 64 * p.d * facts.bytes end
  local function shared(p, c) return c.STAGES * (stage_of(p) + 16) + c.CONSUMERS * 8192 + 64 * p.d * facts.bytes + 8 end
  return {
    name = "wgmma",
    sums = function(c) return c.CONSUMERS end,
    params = {
      { "HEADS", 64, "query heads that a block has at once; an instruction has 64" },
      { "CONSUMERS", 2, "warpgroups that multiply" }, { "STAGES", 4, "places for 64 tokens in shared memory, as many for each warpgroup" }, SPLIT, COMBINE,
    },
    named = "HEADS, CONSUMERS, STAGES",
    step = function() return 64 end,
    threads = function(c) return 128 * c.CONSUMERS + 32 end,
    entry = function(p, c, ctype) return ("%s, %d, %d, STAGES, CONSUMERS"):format(ctype, p.d, math.min(p.page, 64)) end,
    args = function(p, c, b, split, of)
      local pages, options = p.batch * pages_of(p) * p.kv_heads * p.page, { box = { 64, math.min(p.page, 64) }, swizzle = 128 }
      return {
        tensor_map(b.q, { p.d, p.batch * p.kv_heads * p.group }, { box = { 64, 64 }, swizzle = 128 }),
        tensor_map(b.k, { p.d, pages }, options), tensor_map(b.v, { p.d, pages }, options), b.tables, b.lengths, b.out, split,
        b.arrived, of,
      }
    end,
    shared = shared,
    -- Of 64 tokens: in; scores read q and K, values weights and V; weights in.
    executed = function(all, p, c, tokens, read)
      multiplied(all, p, c, tokens, facts)
      all.shared = read + tokens / 64 * (p.d // 16 * 4096 + 4 * (2048 + 32 * p.d) + 8192)
    end,
    resident = function(p, c, gpu) return math.max(1, gpu.shared_per_sm // (shared(p, c) + 1024)) end,
    in_flight = function(p, c) return c.STAGES * stage_of(p) end,
  }
end

-- As many blocks as the card has places for, or up to so many times that; one part where one is enough.
local function shared_out(least, most)
  return function(batch, l, group, kv_heads, ragged, HEADS, SPLIT, gpu)
    local units = batch * kv_heads * ceil_div(group, HEADS)
    if ragged == 1 then units = units / 4 end -- the longest sequence must not be what all wait for
    if SPLIT == 0 then return true end
    if SPLIT > 1 and SPLIT * 256 > l then return false end -- too little for each
    return units * SPLIT <= most * gpu.sms and (units * SPLIT >= least * gpu.sms or SPLIT == 1 or SPLIT * 512 > l)
  end
end

local kinds = {
  bf16 = { element = bf16, number = bf16, ctype = "__nv_bfloat16", out_ctype = "__nv_bfloat16", bytes = 2, pipe = "bf16" },
  fp16 = { element = f16, number = f16, ctype = "__half", out_ctype = "__half", bytes = 2, pipe = "fp16" },
  e4m3 = { element = e4m3, number = f16, ctype = "unsigned char", out_ctype = "__half", bytes = 1, pipe = "fp16", scaled = true },
}
local decodes = { shared_out = shared_out, tokens_of = tokens_of, page_shift_of = page_shift_of, LOG2_E = LOG2_E }
for name, facts in pairs(kinds) do
  facts.name = name
  decodes[name] = {
    cores = not facts.scaled and decode(facts, cores) or nil,
    mma = decode(facts, mma_of(facts)),
    tma = decode(facts, tma_of(facts)),
    wgmma = not facts.scaled and decode(facts, wgmma_of(facts)) or nil,
    -- Sums of 16 bits are made by instructions of sm_80; CUDA cores do without.
    cores_fits = { "COMBINE ~= 'pdl' or gpu.cc >= 90", "COMBINE == 'last_block' or SPLIT ~= 1" },
    fits = {
      name == "bf16" and "gpu.cc >= 80 -- tensor cores multiply bf16 from sm_80 on" or "gpu.cc >= 75", "COMBINE ~= 'pdl' or gpu.cc >= 90", "COMBINE == 'last_block' or SPLIT ~= 1",
      facts.scaled and "CONVERT == 'integer' or gpu.cc >= 89" or nil,
    },
    tma_fits = {
      "gpu.cc >= 90", "TOKENS % (16 * WARPS) == 0",
      function(d, TOKENS, STAGES, gpu)
        return STAGES * (2 * TOKENS * d * facts.bytes + 16) <= gpu.shared_per_block
      end,
    },
    wgmma_fits = {
      "gpu.arch == 'sm_90a'", "HEADS == 64", "STAGES % CONSUMERS == 0",
      function(d, CONSUMERS, STAGES, gpu)
        return STAGES * (256 * d + 16) + CONSUMERS * 8192 + 128 * d + 8 <= gpu.shared_per_block
      end,
    },
  }
end
return decodes
