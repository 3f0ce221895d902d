-- SPDX-License-Identifier: Apache-2.0
-- Rows of a table of 1 GiB by their numbers: how short may a row be, what does the order of ids matter, and what do single
-- floats cost? Memory hands out 64 bytes at a time, whoever asks for four.
local gather = require "kernels.gather"
local ids = require "kernels.gather_ids"

local blocks = values(256, 512)

-- t of v rows of d floats: a quarter of the table, less a few, so that the last batch is never full.
local problems_of = { { t = 10007, d = 67, v = 40009, order = "random" } } -- no vectors
local function add(d, order)
  problems_of[#problems_of + 1] = { t = 2^26 // d - 3, d = d, v = 2^28 // d, order = order }
end
for _, order in ipairs(ids.kinds) do
  add(1, order)
  add(64, order)
end
for _, d in ipairs { 8, 16, 256, 1024 } do add(d, "random") end

return sweep {
  name = "gather",
  problems = problems_of,
  variants = {
    { "a float a thread", kernel = gather.words, tune = { BLOCK = blocks } },
    {
      "floats in flight",
      kernel = gather.floats,
      tune = { BLOCK = values(128, 256, 512), ITEMS = values(1, 2, 4), LOAD = values(ctype "ca", ctype "na") },
      where = { "d == 1", "LOAD == 'na' or BLOCK == 256" },
    },
    {
      "floats by segments of the table",
      kernel = gather.binned,
      tune = {
        BLOCK = values(512, 1024), FOURS = values(4), BINS = values(128, 256), PIECES = values(1, 2, 4), AHEAD = values(2, 4),
      },
      where = { "d == 1", "PIECES * AHEAD >= 4" },
    },
    { "a vector a thread", kernel = gather.words, tune = { VEC = values(4), BLOCK = blocks }, where = { "d % 4 == 0" } },
    {
      "rows by teams",
      kernel = gather.teams,
      tune = {
        BLOCK = values(256),
        TEAM = values(2, 4, 8, 16, 32, 64),
        ROWS = values(1, 2, 4, 8),
        LOAD = values(ctype "ca", ctype "na"),
      },
      where = {
        "d > 1",
        -- A team has not more threads than a row has vectors, nor a quarter as many.
        { "TEAM", "d", function(team, d) return team * 4 <= math.max(d, 8) and team * 16 >= math.min(d, 256) end },
        "LOAD == 'na' or ROWS == 4",
      },
    },
    {
      "copy engine",
      kernel = gather.bulk,
      tune = { ROWS = values(4, 8, 16, 32), STAGES = values(4, 6, 8), PER_SM = values(2, 4, 8, 16) },
      where = {
        "gpu.cc >= 90",
        "d % 4 == 0 and d >= 64", -- 32 bytes a copy take 1.16 times as long as loads do; and the ladder is drawn where all steps are
        function(PER_SM, STAGES, ROWS, d, gpu) -- 48 KiB an SM and more are on their way
          local held = PER_SM * STAGES * ROWS * 4 * d
          return held >= math.min(48, 3 * d) * KiB and held <= gpu.shared_per_sm - PER_SM * 2 * KiB
        end,
      },
    },
  },
}
