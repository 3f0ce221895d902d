-- SPDX-License-Identifier: Apache-2.0
-- A step of 7 or 27 points in three dimensions moves what a copy does, if neighbours are read once: who keeps them, L1, shared
-- memory or registers? In two dimensions several steps a launch move less than one each.
local stencil = require "kernels.stencil"

local function cube(name, kernels, problems)
  return sweep {
    name = name,
    variants = {
      {
        "a thread a cell",
        kernel = kernels.plain,
        tune = { BLOCK_X = values(32, 64, 128, 256), BLOCK_Y = values(1, 2, 4, 8) },
        where = { "BLOCK_X * BLOCK_Y >= 128 and BLOCK_X * BLOCK_Y <= 512" },
      },
      {
        "tile with its neighbours",
        kernel = kernels.tile,
        tune = { BLOCK_X = values(32, 64), BLOCK_Y = values(8), PLANES = values(4, 8) },
        where = { "BLOCK_X == 32 or PLANES == 4" },
      },
      {
        "through planes",
        kernel = kernels.march,
        tune = { BLOCK_X = values(32, 64, 128), BLOCK_Y = values(4, 8), PLANES = values(8, 32, 128) },
      },
      {
        "a ring of planes by TMA",
        kernel = kernels.ring,
        tune = {
          WARPS = values(4, 8, 16), EACH = values(1, 2, 4), PLANES = values(32, 64, 128), STAGES = values(3, 4, 6),
        },
        where = { "gpu.cc >= 90", "width % 4 == 0", "WARPS * EACH >= 8 and WARPS * EACH <= 32 or WARPS * EACH == 64 and PLANES == 64" },
      },
    },
    problems = problems,
  }
end

local plane = sweep {
  name = "stencil_steps",
  variants = {
    {
      "steps together",
      kernel = stencil.blocked,
      tune = {
        BLOCK = values(256, 512),
        TILE_X = values(32, 64),
        TILE_Y = values(16, 32, 64),
        STEPS = values(1, 2, 4),
      },
      where = {
        "steps % STEPS == 0",
        "2 * 4 * (TILE_X + 2 * STEPS) * (TILE_Y + 2 * STEPS) <= 48 * 1024", -- of a block, without asking for more
        "TILE_X * TILE_Y >= 1024",
      },
    },
    {
      "rows in registers",
      kernel = stencil.rows,
      tune = {
        BLOCK = values(64, 128, 256),
        ROWS = values(32, 64, 128, 256),
        STEPS = values(1, 2, 4),
        AHEAD = values(1, 2, 3, 6),
      },
      where = { "steps % STEPS == 0", "STEPS == steps or (ROWS == 128 and AHEAD == 3)" },
    },
    {
      "every other warp upwards",
      kernel = stencil.turning,
      tune = { BLOCK = values(64, 128, 256), ROWS = values(16, 32, 64), STEPS = values(1, 4), AHEAD = values(1, 2, 6) },
      where = { "STEPS == steps" },
    },
  },
  problems = { { width = 8192, height = 8192, steps = 1 }, { width = 8192, height = 8192, steps = 4 } },
}

local small, large = { width = 256, height = 256, depth = 256 }, { width = 512, height = 512, depth = 512 }
return { cube("stencil_3d", stencil.points_7, { small, large }), cube("stencil_27", stencil.points_27, { large }), plane }
