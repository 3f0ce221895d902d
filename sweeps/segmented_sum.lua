-- SPDX-License-Identifier: Apache-2.0
-- Sums of segments, as rows of a sparse matrix are: how many threads should share one, by its length, and what when lengths
-- differ? Equal stretches do not ask.
local segmented_sum = require "kernels.segmented_sum"

local variants = {
  { "a thread a segment", kernel = segmented_sum.teams, tune = { BLOCK = values(128, 256), TEAM = values(1) } },
  { "a team a segment", kernel = segmented_sum.teams, tune = { BLOCK = values(128, 256), TEAM = values(2, 4, 8, 16, 32) } },
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
list[#list + 1] = { n = 65539, segments = 1031, lengths = "skewed" } -- neither fills what a block takes

return sweep { name = "segmented_sum", variants = variants, problems = list }
