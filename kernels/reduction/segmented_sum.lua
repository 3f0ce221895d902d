-- SPDX-License-Identifier: Apache-2.0
-- y[s] = sum of segment s of x: n whole numbers in segments as offsets say, of one length on average. `lengths` is even or
-- skewed. Returns { teams, stretches }.
local BLOCK = { "BLOCK", 256, "threads a block" }

local function segmented_sum(kind, facts)
  return kernel {
    name = "segmented_sum_" .. kind,
    source = "segmented_sum.cu",
    entry = facts.entry,
    problem = { "n", "segments", "lengths" },
    compiled = { "lengths" },
    params = facts.params,
    buffers = function(p)
      local offsets = from { "segmented_sum_inputs.cu:" .. p.lengths .. "_offsets", args = { i64(p.n) } }
      return { x = input(i32, p.n), offsets = input(i32, p.segments + 1, offsets), y = output(i32, p.segments) }
    end,
    launch = facts.launch,
    work = function(p)
      return { int32 = p.n, read = 4 * (p.n + p.segments + 1), write = 4 * p.segments, items = { "segment", p.segments } }
    end,
    traffic = facts.traffic,
    check = {
      reference = {
        "segmented_sum_reference.cu:segmented_sum_reference",
        grid = function(p) return math.min(p.segments, 2^16) end,
        block = 128,
      },
    },
  }
end

return {
  teams = segmented_sum("teams", {
    entry = "segmented_teams<BLOCK, TEAM>",
    params = { BLOCK, { "TEAM", 32, "threads that share a segment: up to 32, or BLOCK" } },
    launch = function(p, c, gpu, b)
      return {
        args = { b.x, b.offsets, b.y, i32(p.segments) },
        grid = ceil_div(p.segments, c.BLOCK // c.TEAM),
        block = c.BLOCK,
      }
    end,
  }),

  stretches = segmented_sum("stretches", {
    entry = "segmented_stretches<BLOCK, STRETCH>",
    params = { BLOCK, { "STRETCH", 2048, "elements of a warp" } },
    launch = function(p, c, gpu, b)
      return {
        memset(b.y, 0),
        {
          args = { b.x, b.offsets, b.y, i64(p.n), i32(p.segments) },
          grid = ceil_div(p.n, c.BLOCK // 32 * c.STRETCH),
          block = c.BLOCK,
        },
      }
    end,
    -- A segment, and another piece of one for each warp; the longest takes a piece from each of its warps.
    traffic = function(p, c) return { atomics = { l2 = p.segments + p.n // c.STRETCH } } end,
  }),
}
