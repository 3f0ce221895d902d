-- SPDX-License-Identifier: Apache-2.0
-- What does it take to turn a matrix at the rate of a copy? The naive kernel coalesces one side only; a tile in shared
-- memory coalesces both and then waits for its banks, until rows are padded or columns exchanged; then loads get wider, and
-- at last the tensor memory accelerator moves the tiles. Along PAD stands what a bank conflict costs.
local transpose = require "kernels.transpose"

local all_orders = values("rows", "columns", "diagonal", "band8", "band32")
local rows = values("rows")
local sides = values(32, 64)

-- Threads of a block that moves squares of V x V elements.
local function squares(lanes, most)
  return { "TILE_M", "TILE_N", "ITEMS", function(tile_m, tile_n, items)
    local threads = tile_m * tile_n // (lanes * lanes * items)
    return threads >= 64 and threads <= most
  end }
end

return {
  sweep {
    name = "transpose_fp32",
    variants = {
      {
        "naive",
        kernel = transpose.f32.naive,
        tune = { SIDE = values("read", "write"), BLOCK_X = values(32), BLOCK_Y = values(4, 8, 16, 32) },
      },
      {
        "shared tile",
        kernel = transpose.f32.tile,
        tune = { TILE_M = sides, TILE_N = sides, ITEMS = values(4, 8, 16), ORDER = rows },
      },
      {
        "padded tile",
        kernel = transpose.f32.padded,
        tune = {
          TILE_M = sides, TILE_N = sides, PAD = values(0, 1, 2, 4, 8, 16), ITEMS = values(4, 8, 16), ORDER = rows,
        },
        where = { "PAD == 1 or (TILE_M == 32 and TILE_N == 32)" }, -- the price of a conflict, on one tile
      },
      {
        "swizzled tile",
        kernel = transpose.f32.swizzled,
        tune = { TILE_M = sides, TILE_N = sides, ITEMS = values(4, 8, 16), ORDER = values("rows", "columns", "diagonal") },
      },
      {
        "16 B, registers only",
        kernel = transpose.f32.registers,
        tune = {
          TILE_M = values(32, 64, 128), TILE_N = values(32, 64, 128), LANES_N = values(4, 8),
          STREAM = values(false), ORDER = values("rows", "columns"),
        },
        where = { "TILE_M * TILE_N <= 8192 and TILE_M * TILE_N >= 2048" },
      },
      {
        "16 B, swizzled tile",
        kernel = transpose.f32.vectors,
        tune = {
          TILE_M = values(32, 64, 128), TILE_N = values(32, 64, 128), ITEMS = values(1, 2, 4),
          STREAM = values(false, true), ORDER = all_orders,
        },
        where = {
          squares(4, 512),
          "ORDER == 'rows' or (TILE_M >= 64 and TILE_N >= 64)",
          "not STREAM or (ORDER == 'rows' and ITEMS <= 2)",
        },
      },
      {
        "TMA",
        kernel = transpose.f32.tma,
        tune = {
          TILE_M = values(32, 64, 128, 256), TILE_N = values(32, 64, 128, 256), ITEMS = values(1, 2, 4),
          PROMOTE = values(128, 256), ORDER = all_orders,
        },
        where = {
          squares(4, 512),
          "gpu.cc >= 90",
          "TILE_M * TILE_N <= 128 * 128",
          "ORDER == 'rows' or (TILE_M >= 64 and TILE_N >= 64)",
          "PROMOTE == 256 or (ORDER == 'rows' and ITEMS == 2)",
        },
      },
    },
    problems = {
      { m = 1000, n = 2008 }, -- no multiples of any tile; fits the L2
      { m = 16384, n = 16384 }, -- 1 GiB each
    },
  },
  sweep {
    name = "transpose_fp16",
    variants = {
      {
        "padded tile",
        kernel = transpose.f16.padded,
        tune = { TILE_M = values(64), TILE_N = values(64), PAD = values(0, 1, 2, 4), ITEMS = values(8, 16), ORDER = rows },
      },
      {
        "16 B, swizzled tile",
        kernel = transpose.f16.vectors,
        tune = {
          TILE_M = values(64, 128), TILE_N = values(64, 128), ITEMS = values(1, 2),
          STREAM = values(false), ORDER = all_orders,
        },
        where = { squares(8, 512) },
      },
      {
        "TMA",
        kernel = transpose.f16.tma,
        tune = {
          TILE_M = values(64, 128), TILE_N = values(64, 128), ITEMS = values(1, 2),
          PROMOTE = values(256), ORDER = all_orders,
        },
        where = { squares(8, 512), "gpu.cc >= 90" },
      },
    },
    problems = { { m = 1000, n = 2008 }, { m = 16384, n = 16384 } },
  },
  sweep {
    name = "transpose_fp64",
    variants = {
      {
        "padded tile",
        kernel = transpose.f64.padded,
        tune = { TILE_M = values(32), TILE_N = values(32, 64), PAD = values(0, 1, 2, 4), ITEMS = values(4), ORDER = rows },
      },
      {
        "16 B, swizzled tile",
        kernel = transpose.f64.vectors,
        tune = {
          TILE_M = values(32, 64), TILE_N = values(32, 64), ITEMS = values(1, 2, 4, 8),
          STREAM = values(false), ORDER = all_orders,
        },
        where = { squares(2, 512) },
      },
      {
        "TMA",
        kernel = transpose.f64.tma,
        tune = {
          TILE_M = values(32, 64), TILE_N = values(32, 64), ITEMS = values(1, 2, 4, 8),
          PROMOTE = values(256), ORDER = all_orders,
        },
        where = { squares(2, 512), "gpu.cc >= 90" },
      },
    },
    problems = { { m = 1002, n = 2006 }, { m = 8192, n = 16384 } },
  },
}
