-- SPDX-License-Identifier: Apache-2.0
-- Sparse matrix times vector: how many threads should share a row, and what when rows differ a thousandfold? What it costs to
-- read x at random is the difference between band and uniform; the last variant keeps A in an order in which x is not.
local spmv = require "kernels.spmv"

local function matrices()
  local list = { { n = 65539, mean = 7, shape = "uniform" } } -- neither fills what a block takes
  for _, shape in ipairs { "band", "uniform", "power", "block" } do
    list[#list + 1] = { n = 2^22, mean = 16, shape = shape }
  end
  return list
end

local ladder_of = {
  { "a thread a row", "teams", tune = { BLOCK = values(256), TEAM = values(1), LOAD = values(ctype "ca") } },
  {
    "a team a row", "teams",
    tune = { BLOCK = values(256), TEAM = values(4, 8, 16, 32), LOAD = values(ctype "ca", ctype "na") },
    where = { "LOAD == 'na' or TEAM == 8" },
  },
  {
    "merge path", "merge",
    tune = { BLOCK = values(128, 256), ITEMS = values(5, 7, 11) },
    where = { "BLOCK == 256 or ITEMS == 7" },
  },
}

local function ladder(name, kernels, ordered)
  local variants = {}
  for i, step in ipairs(ladder_of) do
    variants[i] = { step[1], kernel = kernels[step[2]], tune = step.tune, where = step.where }
  end
  variants[#variants + 1] = {
    "by columns, A in another order",
    kernel = kernels.sorted,
    tune = ordered,
    where = kernels.sorted_fit,
  }
  return sweep { name = name, problems = matrices(), variants = variants }
end

return {
  ladder("spmv_f32", spmv.f32, { SUMS = values(12288, 24576, 36864), BLOCK = values(512, 1024), UNROLL = values(1, 2) }),
  ladder("spmv_f64", spmv.f64, { SUMS = values(6144, 12288, 18432), BLOCK = values(512, 1024), GROUPS = values(2, 4) }),
}
