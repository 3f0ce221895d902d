-- SPDX-License-Identifier: Apache-2.0
-- References of every shape: launched as the script says, several launches with scratch, a variant of the sweep.
local D = 64

-- Bytes are counted by a kernel of a few threads an output; `order` is compiled and comes first, but the reference has
-- no parameter for it.
local function count(name, entry, reference)
  return kernel {
    name = name,
    source = "references.cu",
    entry = entry,
    problem = { "order", "n" },
    compiled = { "order" },
    params = { { "BLOCK", 256, "threads a block" } },
    buffers = function(p)
      return { x = input(u8, p.n, integers { below = 256, order = p.order }), h = output(u32, 256) }
    end,
    launch = function(p, c, gpu, b)
      return { memset(b.h, 0), { args = { b.x, b.h, i64(p.n) }, grid = 4 * gpu.sms, block = c.BLOCK } }
    end,
    work = function(p) return { int32 = p.n, read = p.n, write = 1024 } end,
    check = { reference = reference, odd = { n = 100003 } },
  }
end

-- Three launches in double with the scores between them: each element is computed once.
local attention = kernel {
  name = "attention",
  source = "references.cu",
  entry = "attention<ROWS>",
  problem = { "heads", "length" },
  params = { { "ROWS", 4, "rows of a block" } },
  buffers = function(p)
    local n = p.heads * p.length * D
    return { q = input(f32, n), k = input(f32, n), v = input(f32, n), o = output(f32, n) }
  end,
  launch = function(p, c, gpu, b)
    return {
      args = { b.q, b.k, b.v, b.o, i32(p.length) },
      grid = { ceil_div(p.length, c.ROWS), p.heads },
      block = { D, c.ROWS },
    }
  end,
  work = function(p)
    local rows = p.heads * p.length
    return { fp32 = 4 * rows * p.length * D, sfu = rows * p.length, read = 12 * rows * D, write = 4 * rows * D }
  end,
  check = {
    reference = {
      "references_reference.cu",
      buffers = function(p) return { s = temp(f64, p.heads * p.length * p.length) } end,
      launch = function(p, c, gpu, b)
        local rows = p.heads * p.length
        return {
          { entry = "scores", args = { b.q, b.k, b.s, i64(p.length) },
            grid = { ceil_div(p.length, 256), p.length, p.heads }, block = 256 },
          { entry = "softmax_rows", args = { b.s, i64(p.length) }, grid = rows, block = 256, shared = 256 * 8 },
          { entry = "mix", args = { b.s, b.v, b.o, i64(p.length) }, grid = rows, block = D },
        }
      end,
    },
    tol = 1e-4,
  },
}

-- y += a x, rounded to half: the plain kernel is what the others are compared with.
local function scale(name, reference)
  return kernel {
    name = name,
    source = "references.cu",
    entry = name,
    problem = { "n" },
    params = { { "THREADS", 64, "threads a block" } },
    buffers = function(p, c)
      return { x = input(f16, p.n), y = inout(f16, p.n), before = temp(f32, c.THREADS) }
    end,
    prepare = name == "scale_plain" and function(p, c, gpu, b)
      return { entry = "scale_prepare", args = { b.before }, grid = 1, block = c.THREADS }
    end or nil,
    launch = function(p, c, gpu, b)
      return { args = { b.x, b.y, b.before, i64(p.n) }, grid = ceil_div(p.n, c.THREADS), block = c.THREADS }
    end,
    work = function(p) return { fp32 = 2 * p.n, bytes = 6 * p.n } end,
    check = { reference = reference },
  }
end

local function scales(name, truth)
  return sweep {
    name = name,
    variants = {
      { "plain", kernel = scale("scale_plain", truth), tune = { THREADS = values(32, 128) } },
      { "pairs", kernel = scale("scale_pairs", { variant "plain", set = { THREADS = 128 } }) },
    },
    over = { n = values(2^16, 2^20) },
    measure = require "short_measure",
  }
end

return {
  sweep {
    name = "reference_shape",
    variants = {
      { "global", kernel = count("global", "count_global", {
        "references_count.cu:count_reference",
        grid = function(p) return math.min(ceil_div(p.n, 1024), 1024) end,
        block = { 128, 2 },
        shared = 1024,
      }) },
      { "shared", kernel = count("shared", "count_shared", {
        "references_count.cu:count_reference", grid = resident(), shared = 1024,
      }) },
    },
    over = { order = values("random", "zipf", "sorted"), n = values(2^20) },
    tune = { BLOCK = values(128, 256) },
    measure = require "short_measure",
  },
  sweep {
    name = "reference_steps",
    kernel = attention,
    over = { length = values(128, 512) },
    with = { heads = 2 },
    tune = { ROWS = values(2, 4) },
    measure = require "short_measure",
  },
  scales("reference_truth", "references_reference.cu:scale_reference"),
  scales("reference_itself", variant "plain"),
}
