-- SPDX-License-Identifier: Apache-2.0
-- y = x convolved with 3 x 3 taps for each channel, zeros around: n images of h by w pixels of c channels. Returns { f16, bf16,
-- ring_f16, ring_bf16, turning_f16, turning_bf16, kept_f16, kept_bf16 }, the latter six by TMA (sm_90 and newer).
local l2 = require "kernels.l2_policy"

local function elements(p) return p.n * p.h * p.w * p.c end

local function describe(name, element, facts)
  return kernel {
    name = ("depthwise_%s%s"):format(facts.prefix or "", name),
    source = "depthwise.cu",
    entry = facts.entry,
    problem = { "n", "h", "w", "c" },
    params = facts.params,
    buffers = function(p)
      return { x = input(element, elements(p)), taps = input(element, 9 * p.c), y = output(element, elements(p)) }
    end,
    launch = facts.launch,
    work = function(p)
      return {
        fp32 = 18 * elements(p),
        read = 2 * (elements(p) + 9 * p.c),
        write = 2 * elements(p),
        items = { "image", p.n },
      }
    end,
    traffic = facts.traffic,
    check = {
      reference = "depthwise_reference.cu:depthwise_" .. name .. "_reference",
      length = 9,
      odd = { n = 2, h = 37, w = 29, c = 72 },
    },
  }
end

local function widest(p) return p.c % 8 == 0 and 8 or p.c % 4 == 0 and 4 or p.c % 2 == 0 and 2 or 1 end

local function threads(type_name, p, b, block, vec, cols, rows)
  return {
    args = { b.x, b.taps, b.y, i32(p.h), i32(p.w), i32(p.c) },
    grid = { ceil_div(p.c // vec * ceil_div(p.w, cols) * ceil_div(p.h, rows), block), p.n },
    block = block,
  }
end

local function by_threads(name, element, type_name)
  return describe(name, element, {
    entry = "depthwise<" .. type_name .. ", BLOCK, VEC, COLS, ROWS>",
    params = {
      { "BLOCK", 128, "threads a block" },
      { "VEC", 4, "channels of a thread, in one load" },
      { "COLS", 2, "neighbouring pixels of a thread" },
      { "ROWS", 4, "rows that it goes down" },
    },
    launch = function(p, c, gpu, b)
      local vec = math.min(c.VEC, widest(p))
      local own = threads(type_name, p, b, c.BLOCK, vec, c.COLS, c.ROWS)
      own.entry = ("depthwise<%s, BLOCK, %s, COLS, ROWS>"):format(type_name, vec == c.VEC and "VEC" or vec)
      return own
    end,
    -- A thread reads a pixel more on each side, where the image does not end. Taps: 9 for each of its channels.
    traffic = function(p, c)
      local groups, strips = ceil_div(p.w, c.COLS), ceil_div(p.h, c.ROWS)
      local pixels = (p.w + 2 * (groups - 1)) * (p.h + 2 * (strips - 1))
      return { l1 = 2 * p.n * p.c * (pixels + 9 * groups * strips + p.h * p.w) }
    end,
  })
end

-- Where channels are no multiple of 8, which tensor maps demand, the threads' way.
local function by_ring(name, element, type_name, way, hint)
  return describe(name, element, {
    prefix = way .. "_",
    entry = ("depthwise_%s<%s, WARPS, COLS, ROWS, STAGES%s>"):format(way, type_name, hint and ", WRITE" or ""),
    params = {
      { "WARPS", 8, "warps of a block, beside each other" },
      { "COLS", 7, "neighbouring pixels of a warp" },
      { "ROWS", 28, "rows that it goes down" },
      { "STAGES", 4, "rows in shared memory" },
      hint,
    },
    launch = function(p, c, gpu, b)
      if p.c % 8 > 0 then
        local own = threads(type_name, p, b, 128, widest(p), 2, 4)
        own.entry = ("depthwise<%s, 128, %d, 2, 4>"):format(type_name, widest(p))
        return own
      end
      local pixels = c.WARPS * c.COLS
      return {
        args = {
          tensor_map(b.x, { p.c, p.w, p.h, p.n }, { box = { 64, pixels + 2, 1, 1 }, l2_promotion = 128 }),
          b.taps, b.y, i32(p.h), i32(p.w), i32(p.c),
        },
        grid = ceil_div(p.c, 64) * ceil_div(p.w, pixels) * ceil_div(p.h, c.ROWS) * p.n,
        block = 32 * c.WARPS,
        shared = c.STAGES * ((pixels + 2) * 128 + 8),
      }
    end,
    -- Rows enter shared memory with a pixel on both sides, and two more a strip; a warp reads COLS + 2 for COLS.
    traffic = function(p, c)
      local pixels, strips = c.WARPS * c.COLS, ceil_div(p.h, c.ROWS)
      local rows = ceil_div(p.c, 64) * ceil_div(p.w, pixels) * (p.h + 2 * strips) * p.n
      return { shared = 128 * rows * (pixels + 2 + c.WARPS * (c.COLS + 2)) }
    end,
  })
end

return {
  f16 = by_threads("f16", f16, "__half"),
  bf16 = by_threads("bf16", bf16, "__nv_bfloat16"),
  ring_f16 = by_ring("f16", f16, "__half", "ring"),
  ring_bf16 = by_ring("bf16", bf16, "__nv_bfloat16", "ring"),
  turning_f16 = by_ring("f16", f16, "__half", "turning"),
  turning_bf16 = by_ring("bf16", bf16, "__nv_bfloat16", "turning"),
  kept_f16 = by_ring("f16", f16, "__half", "kept", l2.WRITE),
  kept_bf16 = by_ring("bf16", bf16, "__nv_bfloat16", "kept", l2.WRITE),
}
