-- SPDX-License-Identifier: Apache-2.0
-- Sums of segments, as rows of a sparse matrix are: how many threads should share one, by its length, and what when lengths
-- differ? Equal stretches do not ask.
local segmented_sum = require "kernels.segmented_sum"

-- A million elements of a long segment take a few threads half a second.
local few_wait = "lengths == 'even' or n < 2^20 or TEAM >= 8"

local variants = {
  {
    "a thread a segment",
    kernel = segmented_sum.teams,
    tune = { BLOCK = values(128, 256), TEAM = values(1) },
    where = { few_wait },
  },
  {
    "a team a segment",
    kernel = segmented_sum.teams,
    tune = { BLOCK = values(128, 256), TEAM = values(2, 4, 8, 16, 32) },
    where = { few_wait },
  },
  {
    "a block a segment",
    kernel = segmented_sum.teams,
    tune = { BLOCK = values(128, 256, 512), TEAM = values(128, 256, 512) },
    where = { "TEAM == BLOCK" },
  },
  {
    "equal stretches",
    kernel = segmented_sum.stretches,
    tune = { BLOCK = values(128, 256), STRETCH = values(1024, 2048, 4096, 8192) },
  },
}

local list = {}
for _, lengths in ipairs { "even", "skewed" } do
  for _, mean in ipairs { 16, 256, 16384 } do
    list[#list + 1] = { n = 2^28, segments = 2^28 // mean, lengths = lengths }
  end
end
for _, lengths in ipairs { "even", "skewed" } do
  list[#list + 1] = { n = 65539, segments = 1031, lengths = lengths } -- neither fills what a block takes
end

return sweep { name = "segmented_sum", variants = variants, problems = list }
