-- SPDX-License-Identifier: Apache-2.0
-- y = x convolved with 3 x 3 taps for each channel, zeros around: n images of h by w pixels of c channels. Returns { f16, bf16 }.
local function depthwise(name, element, type_name)
  local function vector(p) return p.c % 8 == 0 and 8 or p.c % 4 == 0 and 4 or p.c % 2 == 0 and 2 or 1 end
  return kernel {
    name = "depthwise_" .. name,
    source = "depthwise.cu",
    entry = "depthwise<" .. type_name .. ", BLOCK, VEC, COLS, ROWS>",
    problem = { "n", "h", "w", "c" },
    params = {
      { "BLOCK", 128, "threads a block" },
      { "VEC", 4, "channels of a thread, in one load" },
      { "COLS", 2, "neighbouring pixels of a thread" },
      { "ROWS", 4, "rows that it goes down" },
    },
    buffers = function(p)
      local elements = p.n * p.h * p.w * p.c
      return { x = input(element, elements), taps = input(element, 9 * p.c), y = output(element, elements) }
    end,
    launch = function(p, c, gpu, b)
      local vec = math.min(c.VEC, vector(p))
      local threads = p.c // vec * ceil_div(p.w, c.COLS) * ceil_div(p.h, c.ROWS)
      return {
        entry = ("depthwise<%s, BLOCK, %s, COLS, ROWS>"):format(type_name, vec == c.VEC and "VEC" or vec),
        args = { b.x, b.taps, b.y, i32(p.h), i32(p.w), i32(p.c) },
        grid = { ceil_div(threads, c.BLOCK), p.n },
        block = c.BLOCK,
      }
    end,
    work = function(p)
      local elements = p.n * p.h * p.w * p.c
      return {
        fp32 = 18 * elements,
        read = 2 * (elements + 9 * p.c),
        write = 2 * elements,
        items = { "image", p.n },
      }
    end,
    -- A thread reads a pixel more on each side, where the image does not end. Taps: 9 for each of its channels.
    traffic = function(p, c)
      local groups, strips = ceil_div(p.w, c.COLS), ceil_div(p.h, c.ROWS)
      local pixels = (p.w + 2 * (groups - 1)) * (p.h + 2 * (strips - 1))
      return { l1 = 2 * p.n * p.c * (pixels + 9 * groups * strips + p.h * p.w) }
    end,
    check = { reference = "depthwise_reference.cu:depthwise_" .. name .. "_reference", length = 9 },
  }
end

return { f16 = depthwise("f16", f16, "__half"), bf16 = depthwise("bf16", bf16, "__nv_bfloat16") }
