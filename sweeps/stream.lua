-- SPDX-License-Identifier: Apache-2.0
-- The four kernels of STREAM at 64 MiB and 1 GiB an array: what does each way of keeping loads in flight reach?
local fitting = require "kernels.fitting"
local l2 = require "kernels.l2_policy"
local stream = require "kernels.stream"

local function cache(...)
  local operators = {}
  for i, name in ipairs { ... } do operators[i] = ctype(name) end
  return values(operators)
end

local function sweep_of(name, inputs)
  local of = stream[name]
  local one_pass = values(0)
  return sweep {
    name = "stream_" .. name,
    variants = {
      { "4 B loads", kernel = of.vectors, tune = { VEC = values(1), BLOCK = values(256, 512), ITEMS = values(1, 4) } },
      {
        "8 and 16 B loads",
        kernel = of.vectors,
        tune = { VEC = values(2, 4), BLOCK = values(128, 256, 512, 768, 1024), ITEMS = values(1, 2, 4) },
      },
      {
        "cache operators",
        kernel = of.vectors,
        tune = {
          VEC = values(4),
          BLOCK = values(256, 512),
          ITEMS = values(1, 2, 4),
          LOAD = cache("ca", "cg", "na"),
          STORE = cache("wb", "cg", "cs"),
        },
        where = { 'LOAD ~= "ca" or STORE == "cs"', '(LOAD == "cg") == (STORE == "cg")' }, -- both plain: the step before
      },
      {
        "L2 hints",
        kernel = of.vectors,
        tune = {
          VEC = values(4),
          BLOCK = values(128, 256, 768, 1024),
          ITEMS = values(1, 2),
          LOAD = l2.hints("plain", "first", "fetch_128"),
          STORE = l2.hints("plain", "first", "last", "last_2", "last_16", "last_32"),
        },
        where = {
          'BLOCK * ITEMS <= 1024 and (LOAD ~= "plain" or STORE ~= "plain")',
          'LOAD ~= "first" or STORE == "plain" or STORE == "first"',
          function(n, STORE, gpu) return l2.fits(4 * n, STORE, gpu) end,
        },
      },
      {
        "persistent grid",
        kernel = of.vectors,
        tune = {
          VEC = values(4),
          BLOCK = values(256, 512, 1024),
          ITEMS = values(1, 2, 4, 8),
          GRID = values(1, 2, 4, 8),
        },
        where = {
          function(BLOCK, GRID, gpu) return BLOCK * GRID >= 1024 and BLOCK * GRID <= gpu.max_threads_per_sm end,
        },
      },
      {
        "bulk copies",
        kernel = of.bulk,
        tune = {
          BLOCK = name == "copy" and values(32) or values(128, 256),
          CHUNK = values(1024, 2048, 4096, 8192),
          STAGES = values(2, 3, 4),
          GRID = values(1, 2, 4),
          HINT = values(false, true),
        },
        where = {
          "gpu.cc >= 90",
          "not HINT or BLOCK <= 128",
          -- In flight an SM: at least 32 KiB; all rings must find room beside each other.
          function(CHUNK, STAGES, GRID) return 4 * inputs * CHUNK * (STAGES - 1) * GRID >= 32 * KiB end,
          function(CHUNK, STAGES, GRID, gpu)
            return (4 * inputs * CHUNK * STAGES + KiB) * GRID + KiB <= gpu.shared_per_sm
          end,
        },
      },
    },
    tune = { LOAD = cache("ca"), STORE = cache("wb"), GRID = one_pass },
    over = function(gpu) return { n = fitting(gpu, 4 * inputs + 12, 2^24, 2^28) } end,
  }
end

return { sweep_of("copy", 1), sweep_of("scale", 1), sweep_of("add", 2), sweep_of("triad", 2) }
