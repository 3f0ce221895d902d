-- SPDX-License-Identifier: Apache-2.0
-- Rows added onto a table of 512 MiB, whose rows may be met several times: what does an atomic addition cost, by the width
-- of an instruction, and what when half of all ids are one row?
local scatter_add = require "kernels.scatter_add"
local ids = require "kernels.gather_ids"
local l2 = require "kernels.l2_policy"

-- t rows of d floats onto v: a quarter of the table, less a few, so that the last batch is never full.
local problems_of = { { t = 10007, d = 67, v = 40009, order = "duplicated" } } -- no vectors
local function add(d, order)
  problems_of[#problems_of + 1] = { t = 2^25 // d - 3, d = d, v = 2^27 // d, order = order }
end
for _, order in ipairs(ids.kinds) do
  add(1, order)
  add(64, order)
end
add(8, "random")
add(1024, "random")

local function words(name, vec)
  return {
    name,
    kernel = scatter_add.words,
    tune = { VEC = values(vec), BLOCK = values(256, 512), ITEMS = values(1, 2, 4) },
    where = { "d % VEC == 0" },
  }
end

return sweep {
  name = "scatter_add",
  problems = problems_of,
  variants = {
    words("a float an instruction", 1),
    words("two floats (sm_90)", 2),
    words("four floats (sm_90)", 4),
    {
      "their lines fetched ahead",
      kernel = scatter_add.fetched,
      tune = { VEC = values(1, 2, 4), BLOCK = values(256, 512), ITEMS = values(2, 4, 8) },
      where = { "d % VEC == 0", "VEC > 1 or d == 1 or d % 2 == 1" },
    },
    {
      "their lines stay in L2 (sm_90)",
      kernel = scatter_add.kept,
      tune = {
        VEC = values(4),
        BLOCK = values(128, 256, 512),
        ITEMS = values(2, 4),
        READ = l2.hints("streaming", "plain"),
        WRITE = l2.hints("last_2", "last_4"),
      },
      where = { "gpu.cc >= 90", "d % VEC == 0" },
    },
    {
      "rows combined first",
      kernel = scatter_add.combined,
      tune = { BLOCK = values(256, 512), TEAM = values(1, 2, 16, 64), ROWS = values(4, 8, 16) },
      where = {
        { "TEAM", "d", function(team, d) return team == (d < 8 and 1 or d < 64 and 2 or d < 1024 and 16 or 64) end },
        "BLOCK * ROWS <= 4096", -- registers
      },
    },
    {
      "copy engine (sm_90)",
      kernel = scatter_add.bulk,
      tune = { ROWS = values(4, 8, 16, 32), STAGES = values(4, 6), PER_SM = values(4, 8, 16) },
      where = {
        "gpu.cc >= 90",
        "d % 4 == 0 and d >= 64 and (order == 'random' or order == 'duplicated')", -- the ladder is drawn where all steps are
        function(PER_SM, STAGES, ROWS, d, gpu) -- 32 KiB an SM and more are on their way
          local held = PER_SM * STAGES * ROWS * 4 * d
          return held >= math.min(32, 2 * d) * KiB and held <= gpu.shared_per_sm - PER_SM * 2 * KiB
        end,
      },
    },
  },
}
