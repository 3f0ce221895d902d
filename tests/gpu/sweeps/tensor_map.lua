-- SPDX-License-Identifier: Apache-2.0
-- tensor_map(): two dimensions with every swizzle, three with rows that are not dense, pixels of images by im2col.
local measure = require "short_measure"

return {
  sweep {
    name = "tensor_map_2d",
    kernel = kernel {
      source = "tensor_map.cu",
      entry = "double_tiles<BOX_W, BOX_H, SWIZZLE>",
      problem = { "h", "w" },
      params = { { "BOX_W", 32, "columns" }, { "BOX_H", 16, "rows" }, { "SWIZZLE", 0, "bytes" } },
      buffers = function(p) return { x = input(f32, p.h * p.w), y = output(f32, p.h * p.w) } end,
      launch = function(p, c, gpu, b)
        local map = tensor_map(b.x, { p.w, p.h }, { box = { c.BOX_W, c.BOX_H }, swizzle = c.SWIZZLE, l2_promotion = 128 })
        return {
          args = { map, b.y, i32(p.h), i32(p.w) },
          grid = { ceil_div(p.w, c.BOX_W), ceil_div(p.h, c.BOX_H) },
          block = 128,
        }
      end,
      work = function(p) return { fp32 = p.h * p.w, bytes = 8 * p.h * p.w } end,
      check = { reference = "tensor_map.cu:double_tiles_reference", odd = { h = 53, w = 100 } },
    },
    with = { h = 512, w = 1024 },
    tune = { BOX_W = values(8, 16, 32, 64), SWIZZLE = values(0, 32, 64, 128) },
    where = { "SWIZZLE == 0 or 4 * BOX_W == SWIZZLE" },
    measure = measure,
  },
  sweep {
    name = "tensor_map_3d",
    kernel = kernel {
      source = "tensor_map.cu",
      entry = "double_bricks",
      problem = { "d", "h", "w", "pitch" },
      buffers = function(p) return { x = input(f16, p.d * p.h * p.pitch), y = output(f32, p.d * p.h * p.w) } end,
      launch = function(p, c, gpu, b)
        local map = tensor_map(b.x, { p.w, p.h, p.d }, {
          box = { 32, 4, 2 },
          strides = { 2 * p.pitch, 2 * p.pitch * p.h },
        })
        return {
          args = { map, b.y, i32(p.d), i32(p.h), i32(p.w) },
          grid = { ceil_div(p.w, 32), ceil_div(p.h, 4), ceil_div(p.d, 2) },
          block = { 32, 4, 2 },
        }
      end,
      work = function(p) return { fp32 = p.d * p.h * p.w, bytes = 6 * p.d * p.h * p.w } end,
      check = { reference = "tensor_map.cu:double_bricks_reference", odd = { d = 5, h = 17, w = 45 } },
    },
    with = { d = 16, h = 64, w = 128, pitch = function(p) return 16 * ceil_div(p.w, 16) + 16 end },
    measure = measure,
  },
  sweep {
    name = "tensor_map_im2col",
    kernel = kernel {
      source = "tensor_map.cu",
      entry = "sum_neighbours",
      problem = { "n", "h", "w" },
      buffers = function(p)
        return { x = input(f32, 8 * p.n * p.h * p.w), y = output(f32, 8 * p.n * p.h * p.w) }
      end,
      launch = function(p, c, gpu, b)
        local map = tensor_map(b.x, { 8, p.w, p.h, p.n }, {
          box = { 8, 16 },
          im2col = { lower = { -1, -1 }, upper = { -1, -1 } },
        })
        return {
          args = { map, b.y, i32(p.n), i32(p.h), i32(p.w) },
          grid = ceil_div(p.n * p.h * p.w, 16),
          block = 128,
        }
      end,
      work = function(p) return { fp32 = 72 * p.n * p.h * p.w, bytes = 64 * p.n * p.h * p.w } end,
      check = { reference = "tensor_map.cu:sum_neighbours_reference", length = 9, odd = { n = 3, h = 5, w = 7 } },
    },
    with = { n = 4, h = 32, w = 64 },
    measure = measure,
  },
}
