-- SPDX-License-Identifier: Apache-2.0
-- Cells and their neighbours. points_7, points_27, each { plain, tile, march, ring (sm_90 and newer, by TMA) }: one step on
-- width x height x depth. blocked, rows, turning (rows, every other warp upwards): `steps` steps of 5 points on width x
-- height, STEPS of them a launch.
local BLOCK_X = { "BLOCK_X", 32, "cells of a row" }
local BLOCK_Y = { "BLOCK_Y", 8, "rows" }
local PLANES = { "PLANES", 8, "planes that a block goes through" }

local function cube(points, kind, facts)
  return kernel {
    name = ("stencil_%d_%s"):format(points, kind),
    source = "stencil.cu",
    entry = ("stencil_%s<%d, %s>"):format(kind, points, facts.parameters),
    problem = { "width", "height", "depth" },
    params = facts.params,
    buffers = function(p)
      local cells = p.width * p.height * p.depth
      return { x = input(f32, cells), y = output(f32, cells) }
    end,
    launch = facts.launch or function(p, c, gpu, b)
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
    -- Additions, and a product for each kind of neighbour and for the cell itself.
    work = function(p)
      local cells = p.width * p.height * p.depth
      return {
        fp32 = (points - 1 + (points == 27 and 4 or 2)) * cells,
        read = 4 * cells,
        write = 4 * cells,
        items = { "cell", cells },
      }
    end,
    traffic = facts.traffic,
    check = {
      reference = "stencil_reference.cu:stencil_" .. points,
      length = points,
      odd = { width = 132, height = 67, depth = 41 },
    },
  }
end

-- A plane's part in shared memory, bytes.
local function ring_stage(c) return ceil_div(136 * (c.WARPS * c.EACH + 2) * 4, 128) * 128 end

local function cubes(points)
  return {
    plain = cube(points, "plain", { parameters = "BLOCK_X, BLOCK_Y", params = { BLOCK_X, BLOCK_Y } }),
    tile = cube(points, "tile", {
      parameters = "BLOCK_X, BLOCK_Y, PLANES",
      params = { BLOCK_X, BLOCK_Y, PLANES },
      planes = true,
    }),
    march = cube(points, "march", {
      parameters = "BLOCK_X, BLOCK_Y, PLANES",
      params = { BLOCK_X, BLOCK_Y, PLANES },
      planes = true,
    }),
    ring = cube(points, "ring", {
      parameters = "WARPS, EACH, PLANES, STAGES",
      params = {
        { "WARPS", 8, "warps of a block, 128 columns each" },
        { "EACH", 2, "rows of a warp" },
        { "PLANES", 64, PLANES[3] },
        { "STAGES", 4, "planes in shared memory" },
      },
      launch = function(p, c, gpu, b)
        if p.width % 4 > 0 then error("rows are no multiple of 4, which tensor maps demand: constrain width by `where`") end
        local rows = c.WARPS * c.EACH
        return {
          args = {
            tensor_map(b.x, { p.width, p.height, p.depth }, { box = { 136, rows + 2, 1 }, l2_promotion = 128 }),
            b.y, i32(p.width), i32(p.height), i32(p.depth),
          },
          grid = { ceil_div(p.width, 128), ceil_div(p.height, rows), ceil_div(p.depth, c.PLANES) },
          block = 32 * c.WARPS,
          shared = c.STAGES * (ring_stage(c) + 8),
        }
      end,
      -- Written once; a warp reads EACH + 2 rows.
      traffic = function(p, c)
        local blocks = ceil_div(p.width, 128) * ceil_div(p.height, c.WARPS * c.EACH)
        local planes = p.depth + 2 * ceil_div(p.depth, c.PLANES)
        return { shared = blocks * planes * (ring_stage(c) + c.WARPS * (c.EACH + 2) * 512) }
      end,
    }),
  }
end

-- Launch i of so many reads what launch i - 1 wrote.
local function in_turn(x, y, others, i, last)
  return i == 1 and x or others[i % 2 + 1], i == last and y or others[(i + 1) % 2 + 1]
end

local STEPS = { "STEPS", 1, "steps a launch, of which `steps` is a multiple" }

local function steps_together(kind, facts)
  return kernel {
    name = "stencil_" .. kind,
    source = "stencil.cu",
    entry = facts.entry,
    problem = { "width", "height", "steps" },
    params = facts.params,
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
          entry = facts.entry_of and facts.entry_of(p) or nil,
          args = { from, to, i32(p.width), i32(p.height) },
          grid = facts.grid(p, c),
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
      odd = { width = 517, height = 1027, steps = 24 }, -- a multiple of all STEPS
    },
  }
end

local function by_rows(way)
  return steps_together(way, {
    entry = ("stencil_%s<BLOCK, ROWS, STEPS, AHEAD, true>"):format(way),
    entry_of = function(p) return ("stencil_%s<BLOCK, ROWS, STEPS, AHEAD, %s>"):format(way, p.width % 4 == 0) end,
    params = {
      { "BLOCK", 128, "threads a block" },
      { "ROWS", 128, "rows that a warp goes down" },
      STEPS,
      { "AHEAD", 3, "rows on their way: 1, 2, 3 or 6" },
    },
    grid = function(p, c)
      local kept = 128 - 2 * ceil_div(c.STEPS, 4) * 4 -- columns of a warp's 128 that stay right
      return ceil_div(32 * ceil_div(p.width, kept) * ceil_div(p.height, c.ROWS), c.BLOCK)
    end,
  })
end

return {
  points_7 = cubes(7),
  points_27 = cubes(27),
  blocked = steps_together("blocked", {
    entry = "stencil_blocked<BLOCK, TILE_X, TILE_Y, STEPS>",
    params = {
      { "BLOCK", 256, "threads a block" },
      { "TILE_X", 64, "cells of a tile's row" },
      { "TILE_Y", 32, "rows of a tile" },
      STEPS,
    },
    grid = function(p, c) return { ceil_div(p.width, c.TILE_X), ceil_div(p.height, c.TILE_Y) } end,
  }),
  rows = by_rows "rows",
  turning = by_rows "turning",
}
