-- SPDX-License-Identifier: Apache-2.0
-- Sparse matrix times vector: how many threads should share a row, and what when rows differ a thousandfold? What it costs to
-- read x at random is the difference between band and uniform.
local spmv = require "kernels.spmv"

local function matrices(shapes)
  local list = { { n = 65539, mean = 7, shape = "uniform" } } -- neither fills what a block takes
  for _, shape in ipairs(shapes) do
    list[#list + 1] = { n = 2^22, mean = 16, shape = shape }
  end
  return list
end

local function ladder(name, kernels, list)
  return sweep {
    name = name,
    problems = list,
    variants = {
      { "a thread a row", kernel = kernels.teams, tune = { BLOCK = values(256), TEAM = values(1), LOAD = values(ctype "ca") } },
      {
        "a team a row",
        kernel = kernels.teams,
        tune = { BLOCK = values(256), TEAM = values(4, 8, 16, 32), LOAD = values(ctype "ca", ctype "na") },
        where = { "LOAD == 'na' or TEAM == 8" },
      },
      {
        "merge path",
        kernel = kernels.merge,
        tune = { BLOCK = values(128, 256), ITEMS = values(5, 7, 11) },
        where = { "BLOCK == 256 or ITEMS == 7" },
      },
    },
  }
end

return {
  ladder("spmv_f32", spmv.f32, matrices { "band", "uniform", "power", "block" }),
  ladder("spmv_f64", spmv.f64, matrices { "band", "power" }),
}
