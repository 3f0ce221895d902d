-- SPDX-License-Identifier: Apache-2.0
-- A chain of phases that need each other's results (phases.cu); exact. Returns { launches, meeting, drawing, fits }: a launch a
-- phase, one cooperative grid, blocks that draw tiles; fits: constraints of the last two.
local PHASES, TILE, BLOCK = 8, 1024, 256

local function tiles_of(p) return ceil_div(p.n, TILE) end

local function phases(name, facts)
  return kernel {
    name = "phases_" .. name,
    source = "phases.cu",
    entry = facts.entry,
    problem = { "n" },
    params = facts.entry ~= "phase" and { { "PER_SM", 2, "blocks an SM" } } or nil,
    buffers = function(p)
      return {
        x = input(u32, p.n), w = input(u32, p.n), y = output(u32, p.n), even = temp(u32, p.n), odd = temp(u32, p.n),
        state = temp(u64, 2), done = temp(u32, tiles_of(p)),
      }
    end,
    prepare = function(p, c, gpu, b) return { memset(b.state, 0), memset(b.done, 0) } end, -- which count on, and are not reset
    launch = function(p, c, gpu, b)
      local chain = struct { b.x, b.w, { b.even, b.odd }, b.y, i64(p.n), i32(PHASES), i32(tiles_of(p)) }
      return facts.launch(chain, tiles_of(p), c, gpu, b)
    end,
    work = function(p) return { int32 = 2 * PHASES * p.n, bytes = 12 * p.n, items = { "phase", PHASES } } end,
    traffic = function(p) return { l2 = 12 * PHASES * p.n } end,
    check = {
      reference = {
        "phases_reference.cu:phases_reference",
        launch = function(p, c, gpu, b)
          return { args = { b.w, b.x, b.y, i64(p.n), i32(PHASES) }, grid = ceil_div(p.n, BLOCK), block = BLOCK }
        end,
      },
      tol = 0,
      odd = { n = 65539 },
    },
  }
end

local function stay(tiles, c, gpu) return math.min(tiles, c.PER_SM * gpu.sms) end

return {
  launches = phases("launches", {
    entry = "phase",
    launch = function(chain, tiles)
      local list = {}
      for i = 1, PHASES do list[i] = { args = { chain, i32(i - 1) }, grid = tiles, block = BLOCK } end
      return list
    end,
  }),
  meeting = phases("meeting", {
    entry = "meeting<PER_SM>",
    launch = function(chain, tiles, c, gpu, b)
      return { args = { chain, b.state:as(u32) }, grid = stay(tiles, c, gpu), block = BLOCK, cooperative = true }
    end,
  }),
  drawing = phases("drawing", {
    entry = "drawing<PER_SM>",
    launch = function(chain, tiles, c, gpu, b)
      return { args = { chain, b.state, b.done }, grid = stay(tiles, c, gpu), block = BLOCK }
    end,
  }),
  fits = { "PER_SM * 256 <= gpu.max_threads_per_sm" },
}
