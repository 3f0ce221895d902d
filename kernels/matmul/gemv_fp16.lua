-- SPDX-License-Identifier: Apache-2.0
-- y = W x in fp16 with fp32 sums; W is n rows of k. Returns { naive, vectorised, shared }: a ladder of kernels.
local function gemv(facts)
  return kernel {
    name = facts.name,
    source = "gemv_fp16.cu",
    entry = facts.entry,
    problem = { "n", "k" },
    params = facts.params,
    buffers = function(p) return { w = input(f16, p.n * p.k), x = input(f16, p.k), y = output(f16, p.n) } end,
    launch = facts.launch,
    -- fp32: the products are formed and added there.
    work = function(p) return { fp32 = 2 * p.n * p.k, read = 2 * (p.n * p.k + p.k), write = 2 * p.n } end,
    traffic = facts.traffic,
    check = { reference = "gemv_fp16_reference.cu:gemv_fp16_reference", length = function(p) return p.k end },
  }
end

local function args(p, b) return { b.w, b.x, b.y, i64(p.n), i64(p.k) } end

-- Rows that are no multiples of 16 bytes are read a half at a time.
local function entry_for(p, name, parameters)
  return name .. (p.k % 8 == 0 and "<8, " or "<1, ") .. parameters .. ">"
end

local naive = gemv {
  name = "gemv_fp16_naive",
  entry = "gemv_naive<BLOCK>",
  params = { { "BLOCK", 128, "threads a block = rows a block" } },
  launch = function(p, c, gpu, b)
    return { args = args(p, b), grid = ceil_div(p.n, c.BLOCK), block = c.BLOCK }
  end,
}

local vectorised = gemv {
  name = "gemv_fp16_vectorised",
  entry = "gemv_vectorised<8, BLOCK, ROWS, UNROLL>",
  params = {
    { "BLOCK", 128, "threads that share a row" },
    { "ROWS", 1, "rows a block works on at once" },
    { "UNROLL", 4, "16-byte loads of a row in flight in a thread" },
  },
  launch = function(p, c, gpu, b)
    return {
      entry = entry_for(p, "gemv_vectorised", "BLOCK, ROWS, UNROLL"),
      args = args(p, b),
      grid = ceil_div(p.n, c.ROWS),
      block = c.BLOCK,
    }
  end,
  -- Every block reads all of x; L1 may spare some of that.
  traffic = function(p, c) return { l2 = 2 * (p.n * p.k + ceil_div(p.n, c.ROWS) * p.k + p.n) } end,
}

local shared = gemv {
  name = "gemv_fp16_shared",
  entry = "gemv_shared<8, BLOCK, ROWS, UNROLL>",
  params = {
    { "BLOCK", 256, "threads a block; a warp takes a row" },
    { "ROWS", 16, "rows a block computes from one copy of x" },
    { "UNROLL", 4, "16-byte loads of a row in flight in a thread" },
  },
  launch = function(p, c, gpu, b)
    return {
      entry = entry_for(p, "gemv_shared", "BLOCK, ROWS, UNROLL"),
      args = args(p, b),
      grid = ceil_div(p.n, c.ROWS),
      block = c.BLOCK,
      shared = 2 * p.k,
    }
  end,
  traffic = function(p, c)
    local staged = 2 * ceil_div(p.n, c.ROWS) * p.k
    return { l2 = 2 * (p.n * p.k + p.n) + staged, shared = 2 * p.n * p.k + staged }
  end,
}

return { naive = naive, vectorised = vectorised, shared = shared }
