-- SPDX-License-Identifier: Apache-2.0
-- A step of 7 points in three dimensions moves what a copy does, if neighbours are read once: who keeps them, L1, shared
-- memory or registers? In two dimensions several steps a launch move less than one each.
local stencil = require "kernels.stencil"

local cube = sweep {
  name = "stencil_3d",
  variants = {
    {
      "a thread a cell",
      kernel = stencil.plain,
      tune = { BLOCK_X = values(32, 64, 128, 256), BLOCK_Y = values(1, 2, 4, 8) },
      where = { "BLOCK_X * BLOCK_Y >= 128 and BLOCK_X * BLOCK_Y <= 512" },
    },
    {
      "tile with its neighbours",
      kernel = stencil.tile,
      tune = { BLOCK_X = values(32, 64), BLOCK_Y = values(8), PLANES = values(4, 8) },
      where = { "BLOCK_X == 32 or PLANES == 4" },
    },
    {
      "through planes",
      kernel = stencil.march,
      tune = {
        BLOCK_X = values(32, 64, 128),
        BLOCK_Y = values(4, 8),
        PLANES = values(8, 32, 128),
        SHARED = values(false),
      },
    },
    {
      "through planes, shared",
      kernel = stencil.march,
      tune = { BLOCK_X = values(32, 64), BLOCK_Y = values(8, 16), PLANES = values(8, 32), SHARED = values(true) },
    },
  },
  problems = { { width = 256, height = 256, depth = 256 }, { width = 512, height = 512, depth = 512 } },
}

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
  },
  problems = { { width = 8192, height = 8192, steps = 1 }, { width = 8192, height = 8192, steps = 4 } },
}

return { cube, plane }
