-- SPDX-License-Identifier: Apache-2.0
-- Cells and their neighbours. plain, tile, march: one step of 7 points on width x height x depth. blocked: `steps` steps of
-- 5 points on width x height, STEPS of them a launch.
local BLOCK_X = { "BLOCK_X", 32, "cells of a row" }
local BLOCK_Y = { "BLOCK_Y", 8, "rows" }
local PLANES = { "PLANES", 8, "planes that a block goes through" }

local function cube(kind, facts)
  return kernel {
    name = "stencil_" .. kind,
    source = "stencil.cu",
    entry = facts.entry,
    problem = { "width", "height", "depth" },
    params = facts.params,
    buffers = function(p)
      local cells = p.width * p.height * p.depth
      return { x = input(f32, cells), y = output(f32, cells) }
    end,
    launch = function(p, c, gpu, b)
      return {
        args = { b.x, b.y, i32(p.width), i32(p.height), i32(p.depth) },
        grid = {
          ceil_div(p.width, c.BLOCK_X),
          ceil_div(p.height, c.BLOCK_Y),
          facts.planes and ceil_div(p.depth, c.PLANES) or p.depth,
        },
        block = c.BLOCK_X * c.BLOCK_Y,
      }
    end,
    -- Six additions and two products.
    work = function(p)
      local cells = p.width * p.height * p.depth
      return { fp32 = 8 * cells, read = 4 * cells, write = 4 * cells, items = { "cell", cells } }
    end,
    check = { reference = "stencil_reference.cu:stencil_7", length = 7, odd = { width = 131, height = 67, depth = 41 } },
  }
end

-- Launch i of so many reads what launch i - 1 wrote.
local function in_turn(x, y, others, i, last)
  return i == 1 and x or others[i % 2 + 1], i == last and y or others[(i + 1) % 2 + 1]
end

return {
  plain = cube("plain", { entry = "stencil_plain<BLOCK_X, BLOCK_Y>", params = { BLOCK_X, BLOCK_Y } }),
  tile = cube("tile", {
    entry = "stencil_tile<BLOCK_X, BLOCK_Y, PLANES>",
    params = { BLOCK_X, BLOCK_Y, PLANES },
    planes = true,
  }),
  march = cube("march", {
    entry = "stencil_march<BLOCK_X, BLOCK_Y, PLANES, SHARED>",
    params = { BLOCK_X, BLOCK_Y, PLANES, { "SHARED", false, "neighbours in the plane come from shared memory" } },
    planes = true,
  }),

  blocked = kernel {
    name = "stencil_blocked",
    source = "stencil.cu",
    entry = "stencil_blocked<BLOCK, TILE_X, TILE_Y, STEPS>",
    problem = { "width", "height", "steps" },
    params = {
      { "BLOCK", 256, "threads a block" },
      { "TILE_X", 64, "cells of a tile's row" },
      { "TILE_Y", 32, "rows of a tile" },
      { "STEPS", 1, "steps a launch, of which `steps` is a multiple" },
    },
    buffers = function(p)
      local cells = p.width * p.height
      return { x = input(f32, cells), y = output(f32, cells), even = temp(f32, cells), odd = temp(f32, cells) }
    end,
    launch = function(p, c, gpu, b)
      if p.steps % c.STEPS > 0 then error("steps is no multiple of STEPS: constrain it by `where`") end
      local list, last = {}, p.steps // c.STEPS
      for i = 1, last do
        local from, to = in_turn(b.x, b.y, { b.even, b.odd }, i, last)
        list[i] = {
          args = { from, to, i32(p.width), i32(p.height) },
          grid = { ceil_div(p.width, c.TILE_X), ceil_div(p.height, c.TILE_Y) },
          block = c.BLOCK,
        }
      end
      return list
    end,
    -- Four additions and two products a step; what lies between steps need not leave the chip.
    work = function(p)
      local cells = p.width * p.height
      return { fp32 = 6 * p.steps * cells, read = 4 * cells, write = 4 * cells, items = { "cell step", cells * p.steps } }
    end,
    traffic = function(p, c, gpu)
      local cells, launches = p.width * p.height, p.steps // c.STEPS
      if 8 * cells < 4 * gpu.l2_bytes then return {} end -- what stays in L2 is not known
      return { dram_read = 4 * cells * launches, dram_write = 4 * cells * launches }
    end,
    check = {
      reference = {
        "stencil_reference.cu",
        buffers = function(p)
          return { even = temp(f64, p.width * p.height), odd = temp(f64, p.width * p.height) }
        end,
        launch = function(p, c, gpu, b)
          local list = {}
          for i = 1, p.steps do
            local from, to = in_turn(b.x, b.y, { b.even, b.odd }, i, p.steps)
            list[i] = {
              entry = i == 1 and "stencil_5_first" or "stencil_5_next",
              args = { from, to, i64(p.width), i64(p.height) },
              grid = ceil_div(p.width * p.height, 256),
              block = 256,
            }
          end
          return list
        end,
      },
      length = function(p) return 5 * p.steps end,
      odd = { width = 517, height = 1027, steps = 4 },
    },
  },
}
