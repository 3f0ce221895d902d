-- SPDX-License-Identifier: Apache-2.0
-- A filter of 17 x 17 over an image of 4096 x 4096, as autotuners' papers have it: 289 products a pixel, so memory is no limit
-- for long. What is the time spent on: reading each operand again, or multiplying?
local convolution = require "kernels.convolution"

return sweep {
  name = "convolution",
  problems = {
    { height = 4096, width = 4096, filter = 17 },
    { height = 4096, width = 4096, filter = 5 },
    { height = 517, width = 1003, filter = 9 }, -- fills no tile, and rows are no vectors
  },
  variants = {
    {
      "a pixel a thread",
      kernel = convolution.pixels,
      tune = { BLOCK_X = values(32, 64), BLOCK_Y = values(4, 8) },
      where = { "BLOCK_X * BLOCK_Y == 256" },
    },
    {
      "tile in shared memory",
      kernel = convolution.tile,
      tune = {
        BLOCK_X = values(32, 64),
        BLOCK_Y = values(4, 8),
        TILE_X = values(1, 4),
        TILE_Y = values(1, 4),
      },
      where = { "BLOCK_X * BLOCK_Y == 256" },
    },
    {
      "rows in registers",
      kernel = convolution.registers,
      tune = {
        BLOCK_X = values(16, 32),
        BLOCK_Y = values(4, 8, 16),
        TILE_X = values(4, 8),
        TILE_Y = values(4, 8),
        UNROLLED = values(false, true),
      },
      where = {
        "BLOCK_X * BLOCK_Y == 128 or BLOCK_X * BLOCK_Y == 256",
        "TILE_X * TILE_Y <= 32",
        "not UNROLLED or (TILE_X == 4 and TILE_Y == 4 and BLOCK_X == 32)",
      },
    },
  },
}
