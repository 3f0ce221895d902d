-- SPDX-License-Identifier: Apache-2.0
-- Decode of multi-head latent attention: `batch` sequences of at most `l` tokens, a row of 576 bf16 a token, which is K of all
-- `heads` query heads and whose first 512 elements are V. Pages and ragged as in decode.lua. Returns { wgmma, spread, mma, mma_fits }:
-- on sm_90a in two orders, and by mma.sync (before sm_80 FMA) with its constraints.
local decode = require "kernels.decode"

local KEYS, VALUES, TOKENS, HEADS = 576, 512, 64, 64

local function pages_of(p) return ceil_div(p.l, p.page) end
local function tiles_of(p) return ceil_div(p.heads, HEADS) end
-- Tokens of a block; one fills an SM.
local function chunk_of(p, c, gpu)
  local split = c.SPLIT > 0 and c.SPLIT or gpu.sms // (p.batch * tiles_of(p)) // c.CLUSTER * c.CLUSTER
  return ceil_div(ceil_div(p.l, math.max(1, split)), TOKENS) * TOKENS
end
-- What clusters leave to be joined; a sequence's last may have less.
local function parts_of(p, c, gpu) return ceil_div(p.l, chunk_of(p, c, gpu) * c.CLUSTER) end

local SPLIT = { "SPLIT", 1, "blocks that share a sequence's tokens; 0: as many as run at once" }

-- facts: name, source, entry, options, params, parts_of (as above), attend(p, c, gpu, b, split, of), which returns the launch and how
-- many tokens what it leaves has, traffic, prior.
local function describe(facts)
  return kernel {
    name = facts.name,
    source = facts.source,
    entry = facts.entry,
    options = facts.options,
    problem = { "batch", "l", "heads", "page", "ragged" },
    params = facts.params,
    buffers = function(p, c, gpu)
      local pages, parts = p.batch * pages_of(p), facts.parts_of(p, c, gpu)
      local rows = parts > 1 and p.batch * p.heads * parts or 1
      return {
        q = input(bf16, p.batch * p.heads * KEYS, uniform(-4, 4)), -- so that some tokens count more than others
        cache = input(bf16, pages * p.page * KEYS),
        tables = input(i32, pages, from "decode_data.cu:pages"),
        lengths = input(i32, p.batch, from { "decode_data.cu:lengths", args = { i64(p.l), i32(p.ragged) } }),
        out = output(bf16, p.batch * p.heads * VALUES),
        stats = temp(f32, 2 * rows),
        sums = temp(f32, rows * VALUES),
      }
    end,
    launch = function(p, c, gpu, b)
      local parts = facts.parts_of(p, c, gpu)
      local function of(chunk)
        return struct {
          i32(p.heads), i32(1), i32(pages_of(p)), i32(decode.page_shift_of(p)), i32(chunk),
          f32(decode.LOG2_E / math.sqrt(KEYS)), f32(1), u64(0),
        }
      end
      local split = struct { b.stats, b.sums }
      local attend, tokens = facts.attend(p, c, gpu, b, split, of)
      if parts == 1 then return attend end
      local lines = parts <= 8 and 1 or 8
      return {
        attend,
        {
          entry = ("mla_join<%d>"):format(lines),
          args = { b.lengths, split, b.out, of(tokens), i32(parts) },
          grid = p.batch * p.heads,
          block = 128 * lines,
          pdl = c.COMBINE == "pdl",
        },
      }
    end,
    -- The cache once, whatever the heads.
    work = function(p)
      local tokens = decode.tokens_of(p)
      return {
        tensor_bf16 = 2 * (KEYS + VALUES) * p.heads * tokens,
        fp32 = 4 * p.heads * tokens,
        sfu = p.heads * tokens,
        read = 2 * KEYS * (tokens + p.batch * p.heads) + 4 * p.batch + 4 * ceil_div(tokens, p.page),
        write = 2 * VALUES * p.batch * p.heads,
        items = { "token", p.batch },
      }
    end,
    traffic = facts.traffic,
    prior = facts.prior,
    check = {
      reference = {
        "decode_reference.cu",
        buffers = function(p) return { scores = temp(f64, p.batch * p.heads * p.l) } end,
        launch = function(p, c, gpu, b)
          local l, heads, one, page, pages = i64(p.l), i32(p.heads), i32(1), i32(p.page), i32(pages_of(p))
          return {
            {
              entry = ("decode_scores<__nv_bfloat16, __nv_bfloat16, %d>"):format(KEYS),
              args = { b.q, b.cache, b.tables, b.lengths, b.scores, l, heads, one, page, pages },
              grid = { ceil_div(p.l, 256), p.heads, p.batch },
              block = 256,
            },
            {
              entry = ("decode_values<__nv_bfloat16, %d, %d>"):format(VALUES, KEYS),
              args = {
                b.cache, b.tables, b.lengths, b.scores, b.out, l, heads, one, page, pages, f64(1 / math.sqrt(KEYS)), u64(0),
              },
              grid = { p.heads, p.batch },
              block = 512,
            },
          }
        end,
      },
      tol = 0.03, -- as in decode.lua
      odd = { batch = 3, l = 1021, heads = 70, page = 32, ragged = 1 },
    },
  }
end

-- What a prior makes of `seconds` on all SMs: they wait for those with a block more or, of ragged sequences, for half the last
-- block, of `chunk` tokens; parts are joined, a head's in half a nanosecond. tiles, of heads; cluster, blocks a part.
local function waited(p, gpu, seconds, tiles, parts, cluster, chunk)
  local rounds = parts * cluster * tiles * p.batch / gpu.sms
  local late = p.ragged == 1 and 1 + gpu.sms * chunk / (decode.tokens_of(p) * tiles) / 2 or math.ceil(rounds) / rounds
  return seconds * late + (parts > 1 and 2 * us + parts * p.batch * p.heads * 0.5 * ns or 0)
end

-- spread: scores and values take turns (decode_mla.cu).
local function by_wgmma(spread)
  return describe {
    name = spread and "decode_mla_spread" or "decode_mla",
    source = "decode_mla.cu",
    options = spread and { "-DSPREAD=true" } or nil,
    entry = "decode_mla<64, CLUSTER, PAIR, SPLIT, COMBINE>", -- the last are of launches: so they are no macros
    params = {
      SPLIT,
      { "CLUSTER", 1, "of these, blocks (pairs) that join their sums in shared memory" },
      { "PAIR", 1, "blocks with the same tokens and other heads that share what they read" },
      { "COMBINE", "pdl", "what joins the parts: a launch, or one that starts early" },
    },
    parts_of = parts_of,
    attend = function(p, c, gpu, b, split, of)
      local box, chunk = math.min(p.page, TOKENS), chunk_of(p, c, gpu)
      return {
        entry = ("decode_mla<%d, %d, %d>"):format(box, c.CLUSTER, c.PAIR),
        args = {
          tensor_map(b.q, { KEYS, p.batch * p.heads }, { box = { 64, HEADS }, swizzle = 128 }),
          tensor_map(b.cache, { KEYS, p.batch * pages_of(p) * p.page }, { box = { 64, box }, swizzle = 128 }),
          b.tables, b.lengths, b.out, split, of(chunk),
        },
        grid = { parts_of(p, c, gpu) * c.CLUSTER * c.PAIR, tiles_of(p) // c.PAIR, p.batch },
        cluster = c.CLUSTER * c.PAIR,
        block = 384,
        shared = 2 * (HEADS + 128) * KEYS + 144 * HEADS + 184, -- q, two tiles, weights, maxima and sums, barriers
      }, chunk * c.CLUSTER
    end,
    -- An instruction has 64 heads. Scores read their rows for each tile; weights go through shared memory.
    traffic = function(p, c, gpu)
      local parts, tokens = parts_of(p, c, gpu), decode.tokens_of(p)
      local handed = parts > 1 and 4 * p.batch * p.heads * parts * (VALUES + 2) or 0
      local read, tiles = 2 * KEYS * tokens, tiles_of(p) * tokens / TOKENS
      return {
        tensor_bf16 = 2 * (KEYS + VALUES) * HEADS * tiles_of(p) * tokens,
        l2 = tiles_of(p) // c.PAIR * read + 2 * (KEYS + VALUES) * p.batch * p.heads + 2 * handed + 4 * p.batch * (1 + pages_of(p)),
        shared = tiles_of(p) * read + tiles * (KEYS // 16 * 4096 + 2 * TOKENS * (VALUES + 2 * HEADS)),
      }
    end,
    prior = function(p, c, gpu, t)
      return waited(p, gpu, math.max(t.floor, t.shared), tiles_of(p), parts_of(p, c, gpu), c.CLUSTER, chunk_of(p, c, gpu))
    end,
  }
end

-- By mma.sync, before sm_80 by FMA: so many heads a block, tiles of 32 tokens.
local function few_of(p, c) return ceil_div(p.heads, 16 * c.BANDS) end
local function short_of(p, c, gpu)
  local split = c.SPLIT > 0 and c.SPLIT or gpu.sms // (p.batch * few_of(p, c))
  return ceil_div(ceil_div(p.l, math.max(1, split)), 32) * 32
end
local function short_parts_of(p, c, gpu) return ceil_div(p.l, short_of(p, c, gpu)) end
-- q, tiles, scores, weights, and what sums are scaled by.
local function mma_shared(BANDS, STAGES) return 2 * KEYS * (16 * BANDS + 32 * STAGES) + 16 * BANDS * (4 * 33 + 2 * 32 + 8) end

local mma = describe {
  name = "decode_mla_mma",
  source = "decode_mla_mma.cu",
  entry = "decode_mla_mma<BANDS, STAGES, SPLIT, COMBINE>",
  options = { "-I../matmul" },
  params = {
    { "BANDS", 1, "times 16 heads of a block" }, { "STAGES", 2, "places for 32 tokens in shared memory" }, SPLIT,
    { "COMBINE", "launch", "what joins the parts: a launch, or one that starts early" },
  },
  parts_of = short_parts_of,
  attend = function(p, c, gpu, b, split, of)
    local chunk = short_of(p, c, gpu)
    return {
      entry = ("decode_mla_mma<%d, %d>"):format(c.BANDS, c.STAGES),
      args = { b.q, b.cache, b.tables, b.lengths, b.out, split, of(chunk) },
      grid = { short_parts_of(p, c, gpu), few_of(p, c), p.batch },
      block = 256,
      shared = mma_shared(c.BANDS, c.STAGES),
    }, chunk
  end,
  -- Scores read q and K for 8 tokens at a time; values read V once and weights for each warp.
  traffic = function(p, c, gpu)
    local parts, tokens = short_parts_of(p, c, gpu), decode.tokens_of(p)
    local handed = parts > 1 and 4 * p.batch * p.heads * parts * (VALUES + 2) or 0
    local read, heads = 2 * KEYS * tokens, 16 * c.BANDS
    local multiplied = 2 * (KEYS + VALUES) * heads * few_of(p, c) * tokens
    return {
      tensor_bf16 = gpu.cc >= 80 and multiplied or 0,
      fp32 = gpu.cc < 80 and multiplied + 4 * p.heads * tokens or nil, -- nothing else multiplies bf16 there
      l2 = few_of(p, c) * read + 2 * (KEYS + VALUES) * p.batch * p.heads + 2 * handed + 4 * p.batch * (1 + pages_of(p)),
      shared = few_of(p, c) * tokens * (2 * KEYS * (1 + c.BANDS + heads // 8) + 2 * VALUES + 8 * heads * 3),
    }
  end,
  prior = function(p, c, gpu, t)
    return waited(p, gpu, math.max(t.floor, t.shared), few_of(p, c), short_parts_of(p, c, gpu), 1, short_of(p, c, gpu))
  end,
}

return {
  wgmma = by_wgmma(false), spread = by_wgmma(true), mma = mma,
  mma_fits = {
    "page >= 32", "COMBINE ~= 'pdl' or gpu.cc >= 90",
    function(BANDS, STAGES, gpu) return mma_shared(BANDS, STAGES) <= gpu.shared_per_block end,
  },
}
