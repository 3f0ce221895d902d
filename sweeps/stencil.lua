-- SPDX-License-Identifier: Apache-2.0
-- A step of 7 or 27 points in three dimensions moves what a copy does, if neighbours are read once: who keeps them, L1, shared
-- memory or registers? In two dimensions several steps a launch move less than one each. (In three the rim of a step is a
-- surface, not a line: of 16 x 16 x 16 cells four steps need 24 x 24 x 24, 3.4 times as many.)
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

-- All of one step and of four; of others what is near these; of the odd problem's 24 every STEPS once.
local function steps_taken(kept, odd)
  return function(steps, STEPS, BLOCK, ROWS, AHEAD)
    local is_odd = BLOCK == 64 and ROWS == odd.ROWS and AHEAD == odd.AHEAD
    if steps == 24 then return is_odd end
    if STEPS ~= steps then return kept and steps == 4 and 4 % STEPS == 0 and ROWS == 128 and AHEAD == 3 end
    return steps == 1 or steps == 4 or BLOCK <= 128 and (ROWS == 64 or ROWS == 2 * odd.ROWS)
      and (AHEAD == 6 or AHEAD == 2 and STEPS <= 3)
  end
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
        STEPS = values(1, 2, 3, 4, 6, 8),
      },
      where = {
        "steps % STEPS == 0 and (STEPS == steps or steps == 4 or steps == 24 and BLOCK == 256 and TILE_X == 32)",
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
        STEPS = values(1, 2, 3, 4, 6, 8),
        AHEAD = values(1, 2, 3, 6),
      },
      where = { steps_taken(true, { ROWS = 64, AHEAD = 6 }) },
    },
    {
      "every other warp upwards",
      kernel = stencil.turning,
      tune = {
        BLOCK = values(64, 128, 256), ROWS = values(16, 32, 64), STEPS = values(1, 2, 3, 4, 6, 8), AHEAD = values(1, 2, 6),
      },
      where = { steps_taken(false, { ROWS = 32, AHEAD = 6 }) },
    },
  },
  over = { steps = values(1, 2, 3, 4, 6, 8) },
  with = { width = 8192, height = 8192 },
}

local small, large = { width = 256, height = 256, depth = 256 }, { width = 512, height = 512, depth = 512 }
return { cube("stencil_3d", stencil.points_7, { small, large }), cube("stencil_27", stencil.points_27, { large }), plane }
