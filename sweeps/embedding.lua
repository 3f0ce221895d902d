-- SPDX-License-Identifier: Apache-2.0
-- How should the rows of an embedding be moved? Each step is one advice that is given for kernels which wait for memory;
-- on rows of several KiB the detours (blocked unrolling, shared memory, cp.async) cost and do not pay.
local embedding = require "kernels.embedding"
local l2 = require "kernels.l2_policy"

local blocks = values(128, 256, 512)

local function ladder(name, steps, bytes, problem_list)
  local wide = steps.wide
  return sweep {
    name = name,
    variants = {
      { "naive", kernel = steps.items, tune = { VEC = values(1), BLOCK = blocks, ITEMS = values(1) } },
      {
        "pointer cast, 16 B",
        kernel = steps.items,
        tune = { VEC = values(wide), BLOCK = blocks, ITEMS = values(1, 2, 4), BLOCKED = values(true, false) },
        where = { "ITEMS > 1 or not BLOCKED" }, -- a single item has no neighbour
      },
      { "vector pointers", kernel = steps.words, tune = { BLOCK = blocks } },
      {
        "unrolled",
        kernel = steps.items,
        tune = { VEC = values(1), BLOCK = blocks, ITEMS = values(2, 4, 8), BLOCKED = values(true, false) },
      },
      { "shared memory", kernel = steps.shared, tune = { VEC = values(1, wide), BLOCK = blocks } },
      {
        "cp.async",
        kernel = steps.async,
        tune = { BLOCK = values(64, 128, 256), STAGES = values(1, 2, 4), L1 = values(true, false) },
      },
      {
        "rows by teams",
        kernel = steps.rows,
        tune = {
          BLOCK = values(128, 256, 512),
          TEAM = values(32, 64, 128, 256),
          ITEMS = values(1, 2, 4, 8),
          RESIDENT = values(0, 4, 8),
        },
        where = {
          "TEAM <= BLOCK",
          -- A team has no more in flight than a row has.
          { "TEAM", "ITEMS", "d", function(team, in_flight, d) return team * in_flight * wide <= math.max(d, 256) end },
          "RESIDENT == 0 or (BLOCK * RESIDENT <= 2048 and BLOCK * RESIDENT * ITEMS >= 4096)",
        },
      },
      {
        "rows by teams, L2 hints",
        kernel = steps.rows,
        tune = {
          BLOCK = values(256),
          TEAM = values(64, 128, 256),
          ITEMS = values(4, 8),
          READ = l2.hints("plain", "first"),
          WRITE = l2.stores,
        },
        where = {
          { "TEAM", "ITEMS", "d", function(team, in_flight, d) return team * in_flight * wide <= math.max(d, 256) end },
          'READ ~= "plain" or WRITE ~= "plain"',
          "d % 8 == 0", -- single elements take no hints
          function(t, d, WRITE, gpu) return l2.fits(bytes * t * d, WRITE, gpu) end,
        },
      },
      {
        "copy engine",
        kernel = steps.bulk,
        tune = {
          PIECE = values(1024, 2048, 4096, 8192, 16384),
          STAGES = values(2, 4, 6, 8),
          STORES = values(1, 2, 4),
          RESIDENT = values(1, 2, 4, 8, 16),
        },
        where = {
          function(gpu) return gpu.cc >= 90 end,
          "STORES * 2 <= STAGES",
          { "PIECE", "d", function(piece, d) return piece <= math.max(bytes * d, 1024) end },
          function(PIECE, STAGES, RESIDENT, gpu) -- 96 KiB an SM and more are on their way
            local held = PIECE * STAGES * RESIDENT
            return held >= math.min(96 * KiB, gpu.shared_per_sm // 2) and held <= gpu.shared_per_sm - 2 * KiB * RESIDENT
          end,
        },
      },
    },
    problems = problem_list,
  }
end

return {
  ladder("embedding_fp16", embedding.fp16, 2, {
    { t = 509, d = 768, v = 50257 }, -- neither fills what a block takes at once
    { t = 8192, d = 4096, v = 128256 },
    { t = 65536, d = 4096, v = 128256 },
    { t = 8192, d = 4095, v = 128256 }, -- no row but the first is aligned: an element at a time
  }),
  ladder("embedding_fp32", embedding.fp32, 4, {
    { t = 509, d = 768, v = 50257 }, -- neither fills what a block takes at once
    { t = 8192, d = 4096, v = 128256 },
  }),
}
