-- SPDX-License-Identifier: Apache-2.0
-- table[ids[i]] += x[i]: t rows of d floats onto v; `order` says which (gather_ids.lua). Returns { words,
-- fetched, kept, combined, bulk }; fetched: words, whose lines L2 asks for ahead; kept: and keeps.
local ids = require "kernels.gather_ids"
local l2 = require "kernels.l2_policy"

local whole = from "gather_ids.cu:whole_numbers" -- added up exactly, in whatever order

local function scatter_add(facts)
  return kernel {
    name = "scatter_add_" .. facts.name,
    source = "scatter_add.cu",
    entry = facts.entry,
    problem = { "t", "d", "v", "order" },
    compiled = { "order" },
    params = facts.params,
    buffers = function(p)
      return {
        ids = input(i32, p.t, ids.fill(p)),
        x = input(f32, p.t * p.d, whole),
        table = inout(f32, p.v * p.d, whole),
      }
    end,
    launch = facts.launch,
    -- Each row that is met is read and written once, each that is added read once.
    work = function(p)
      local met = 4 * p.d * ids.distinct(p)
      return { fp32 = p.t * p.d, read = 4 * p.t * p.d + 4 * p.t + met, write = met, items = { "row", p.t } }
    end,
    traffic = function(p, c)
      local own = 4 * p.t * p.d + 4 * p.t
      local sectors, granules, busiest = ids.moved(p, 32), ids.moved(p, 64), ids.busiest(p)
      return {
        l2 = sectors and sectors + own,
        dram_read = granules and granules + own,
        dram_write = sectors, -- what is written goes by sectors
        shared = facts.shared and 2 * own,
        -- Sectors of rows; and the row that is asked for most, an element of it.
        atomics = facts.combines and { l2_f32_one = ceil_div(busiest, c.ROWS) } -- at least
          or { l2_f32 = p.t * ceil_div(p.d, 8), l2_f32_one = busiest },
      }
    end,
    check = {
      reference = {
        "scatter_add_reference.cu:scatter_add_reference",
        grid = function(p) return math.min(ceil_div(p.t * p.d, 256), 2^20) end,
        block = 256,
      },
      tol = 0,
      odd = { {}, { d = 68 } }, -- no vectors; vectors, which some instructions need
    },
  }
end

local function vector(p) return p.d % 4 == 0 and 4 or p.d % 2 == 0 and 2 or 1 end

local function words_launch(p, b, vec, block, items, name, hints)
  return {
    entry = ("scatter_%s<%d, %d, %d%s>"):format(name or "words", vec, block, items, hints or ""),
    args = { b.ids, b.x, b.table, i64(p.t), i64(p.d) },
    grid = ceil_div(p.t * p.d // vec, block * items),
    block = block,
  }
end

local function by_words(name, read, write)
  local hints = read and ", READ, WRITE" or ""
  return scatter_add {
    name = name,
    entry = ("scatter_%s<VEC, BLOCK, ITEMS%s>"):format(name, hints),
    params = {
      { "VEC", 1, "floats an instruction adds" },
      { "BLOCK", 256, "threads a block" },
      { "ITEMS", 1, "instructions on their way in a thread" },
      read,
      write,
    },
    launch = function(p, c, gpu, b)
      return words_launch(p, b, math.min(c.VEC, vector(p)), c.BLOCK, c.ITEMS, name, hints)
    end,
  }
end

return {
  words = by_words "words",
  fetched = by_words "fetched",
  kept = by_words("kept", l2.READ, l2.WRITE),

  combined = scatter_add {
    name = "combined",
    combines = true,
    entry = "scatter_combined<4, BLOCK, TEAM, ROWS>",
    params = {
      { "BLOCK", 256, "threads a block" },
      { "TEAM", 16, "threads that share rows" },
      { "ROWS", 8, "rows of a team at once, of which equal ones are added up" },
    },
    launch = function(p, c, gpu, b)
      return {
        entry = ("scatter_combined<%d, BLOCK, TEAM, ROWS>"):format(vector(p)),
        args = { b.ids, b.x, b.table, i64(p.t), i64(p.d) },
        grid = ceil_div(p.t, c.BLOCK // c.TEAM * c.ROWS),
        block = c.BLOCK,
      }
    end,
  },

  bulk = scatter_add {
    name = "bulk",
    shared = true,
    entry = "scatter_bulk<ROWS, STAGES>",
    params = {
      { "ROWS", 16, "rows in a place in shared memory, a reduction each" },
      { "STAGES", 4, "such places in a block; two of them leave" },
      { "PER_SM", 8, "blocks an SM, a warp each" },
    },
    launch = function(p, c, gpu, b)
      if gpu.cc < 90 or p.d % 4 ~= 0 then return words_launch(p, b, vector(p), 256, 1) end
      return {
        args = { b.ids, b.x, b.table, i64(p.t), i32(4 * p.d) },
        grid = math.min(ceil_div(p.t, c.ROWS), gpu.sms * c.PER_SM),
        block = 32,
        shared = c.STAGES * (c.ROWS * 4 * p.d + 8),
      }
    end,
  },
}
