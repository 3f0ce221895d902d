-- SPDX-License-Identifier: Apache-2.0
-- out[i] = table[ids[i]]: t rows of d floats out of v; `order` says which (gather_ids.lua). Returns { words, floats, teams,
-- bulk, binned }: one kernel for each way to have rows on their way; floats and binned (sm_80 and newer) for d = 1.
local ids = require "kernels.gather_ids"

local function gather(facts)
  return kernel {
    name = "gather_" .. facts.name,
    source = facts.source or "gather.cu",
    entry = facts.entry,
    problem = { "t", "d", "v", "order" },
    compiled = { "order" },
    params = facts.params,
    buffers = function(p, c)
      local all = facts.temps and facts.temps(p, c) or {}
      all.ids, all.table, all.out = input(i32, p.t, ids.fill(p)), input(f32, p.v * p.d), output(f32, p.t * p.d)
      return all
    end,
    launch = facts.launch,
    -- Each row that is asked for is read once, and written for each id.
    work = function(p)
      return { read = 4 * p.d * ids.distinct(p) + 4 * p.t, write = 4 * p.t * p.d, items = { "row", p.t } }
    end,
    traffic = facts.traffic or function(p)
      local own = 4 * p.t * p.d -- written
      local sectors, granules = ids.moved(p, 32), ids.moved(p, 64)
      return {
        l2 = sectors and sectors + own + 4 * p.t,
        dram_read = granules and granules + 4 * p.t,
        dram_write = own,
        shared = facts.shared and 2 * own,
      }
    end,
    check = {
      reference = "gather_reference.cu:gather_reference",
      tol = 0, -- a copy is exact
      odd = { {}, { d = 68 }, { d = 1 } }, -- no vectors; vectors, which the copy engine needs; single floats
    },
  }
end

local function vector(p) return p.d % 4 == 0 and 4 or p.d % 2 == 0 and 2 or 1 end
local function args(p, b) return { b.ids, b.table, b.out, i64(p.t), i64(p.d) } end
local BLOCK = { "BLOCK", 256, "threads a block" }
local LOAD = { "LOAD", ctype "na", "cache operator of loads; na: no place in L1" }

local function teams_launch(p, b, block, team, rows, load)
  return {
    entry = ("gather_teams<%d, %d, %d, %d, %s>"):format(vector(p), block, team, rows, load),
    args = args(p, b),
    grid = ceil_div(p.t, block // team * rows),
    block = block,
  }
end

-- Ids of a tile; tiles; floats of a segment, as a power of two, so that BINS segments hold v.
local function tile_of(c) return 4 * c.BLOCK * c.FOURS end
local function tiles_of(p, c) return ceil_div(p.t, tile_of(c)) end
local function shift_of(p, c)
  local shift = 0
  while c.BINS << shift < p.v do shift = shift + 1 end
  return shift
end

return {
  words = gather {
    name = "words",
    entry = "gather_words<VEC, BLOCK>",
    params = { { "VEC", 1, "floats a load" }, BLOCK },
    launch = function(p, c, gpu, b)
      local vec = math.min(c.VEC, vector(p))
      return {
        entry = ("gather_words<%s, BLOCK>"):format(vec == c.VEC and "VEC" or vec),
        args = args(p, b),
        grid = ceil_div(p.t * p.d // vec, c.BLOCK),
        block = c.BLOCK,
      }
    end,
  },

  floats = gather {
    name = "floats",
    entry = "gather_floats<BLOCK, ITEMS, LOAD>",
    params = { BLOCK, { "ITEMS", 2, "times four loads in flight in a thread" }, LOAD },
    launch = function(p, c, gpu, b)
      return {
        args = { b.ids, b.table, b.out, i64(p.t) },
        grid = math.max(1, ceil_div(p.t // 4, c.BLOCK * c.ITEMS)),
        block = c.BLOCK,
      }
    end,
  },

  teams = gather {
    name = "teams",
    entry = "gather_teams<4, BLOCK, TEAM, ROWS, LOAD>",
    params = {
      BLOCK,
      { "TEAM", 16, "threads that share a row" },
      { "ROWS", 4, "rows of a team at once" },
      LOAD,
    },
    launch = function(p, c, gpu, b)
      return {
        entry = ("gather_teams<%d, BLOCK, TEAM, ROWS, LOAD>"):format(vector(p)),
        args = args(p, b),
        grid = ceil_div(p.t, c.BLOCK // c.TEAM * c.ROWS),
        block = c.BLOCK,
      }
    end,
  },

  bulk = gather {
    name = "bulk",
    shared = true,
    entry = "gather_bulk<ROWS, STAGES>",
    params = {
      { "ROWS", 16, "rows in a place in shared memory, a copy each" },
      { "STAGES", 4, "such places in a block; two of them leave" },
      { "PER_SM", 8, "blocks an SM, a warp each" },
    },
    launch = function(p, c, gpu, b)
      if gpu.cc < 90 or p.d % 4 ~= 0 then return teams_launch(p, b, 256, 16, 4, "na") end
      return {
        args = { b.ids, b.table, b.out, i64(p.t), i32(4 * p.d) },
        grid = math.min(ceil_div(p.t, c.ROWS), gpu.sms * c.PER_SM),
        block = 32,
        shared = c.STAGES * (c.ROWS * 4 * p.d + 8),
      }
    end,
  },

  binned = gather {
    name = "binned",
    source = "gather_binned.cu",
    entry = "gather_segments<256, 4 * BLOCK * FOURS, BINS, PIECES, AHEAD>",
    params = {
      { "BLOCK", 512, "threads of a tile" },
      { "FOURS", 4, "times four ids of a thread" },
      { "BINS", 128, "segments of the table" },
      { "PIECES", 4, "tiles whose floats a warp fetches together" },
      { "AHEAD", 2, "floats of each on their way in a thread" },
    },
    temps = function(p, c)
      local all = tiles_of(p, c) * tile_of(c)
      return { binned = temp(i32, all), places = temp(u16, all), starts = temp(u16, (c.BINS + 1) * tiles_of(p, c)) }
    end,
    launch = function(p, c, gpu, b)
      local tiles, shift = tiles_of(p, c), i32(shift_of(p, c))
      local blocks = ceil_div(tiles, 8 * c.PIECES) -- of a segment
      return {
        {
          entry = "gather_bin<BLOCK, FOURS, BINS>",
          args = { b.ids, b.binned, b.places, b.starts, i64(p.t), shift },
          grid = tiles, block = c.BLOCK, shared = 4 * tile_of(c),
        },
        {
          entry = "gather_segments<256, 4 * BLOCK * FOURS, BINS, PIECES, AHEAD>",
          args = { b.binned, b.starts, b.table, i32(tiles), i32(blocks), shift },
          grid = blocks * c.BINS, block = 256,
        },
        {
          entry = "gather_back<BLOCK, FOURS>",
          args = { b.binned, b.places, b.out, i64(p.t) },
          grid = tiles, block = c.BLOCK, shared = 4 * tile_of(c),
        },
      }
    end,
    -- Ids, places and floats pass memory between launches; of the table every line that is asked for, once.
    traffic = function(p)
      local lines = ids.distinct { t = p.t, v = p.v // 16, d = 1, order = p.order == "sorted" and "sorted" or "random" }
      return {
        dram_read = 4 * p.t + 4 * p.t + 6 * p.t + 64 * math.min(lines, p.t), dram_write = 6 * p.t + 4 * p.t + 4 * p.t,
        l2 = 28 * p.t + 32 * p.t,
      }
    end,
  },
}
