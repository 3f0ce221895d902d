-- SPDX-License-Identifier: Apache-2.0
-- An embedding and the RMSNorm behind it, as two kernels and as one: what is the row that never goes back to memory worth?
local l2 = require "kernels.l2_policy"
local norm = require "kernels.embedding_norm"
local rows = require "kernels.rows"

local blocks = values(128, 256, 512, 1024)
local team = {
  BLOCK = values(128, 256, 512),
  TEAM = values(32, 64, 128, 256, 512),
  ROWS = values(1, 2, 4),
}
local function extended(list, more)
  for _, constraint in ipairs(more or {}) do list[#list + 1] = constraint end
  return list
end
local function stays(t, d, WRITE, gpu) return l2.fits(2 * t * d, WRITE, gpu) end
local function fits(more) -- eight 16-byte words of a row in a thread, or four where more would spill
  return extended({
    "TEAM <= BLOCK",
    "TEAM * 8 * (BLOCK * ROWS > 512 and 4 or 8) >= d",
    "TEAM * 4 <= math.max(d, 512)",
  }, more)
end

local ring = { BLOCK = values(64, 128, 256, 512), STAGES = values(2, 3, 4, 6, 8), RESIDENT = values(1, 2, 3, 4, 6, 8) }
local function ring_fits(more)
  return extended({
    function(gpu) return gpu.cc >= 90 end,
    "BLOCK * 8 * 8 >= d and BLOCK * 4 <= math.max(d, 512)",
    function(STAGES, RESIDENT, d, gpu) -- 64 KiB an SM and more are on their way
      local held = 2 * d * STAGES * RESIDENT
      return (held >= 64 * KiB or d < 1024) and held <= gpu.shared_per_sm - 2 * KiB * RESIDENT
    end,
  }, more)
end

return sweep {
  variants = {
    { "two kernels", kernel = norm.unfused, tune = team, where = fits() },
    {
      "fused, 2 B loads, row in shared memory",
      kernel = norm.block,
      tune = { VEC = values(1), BLOCK = blocks, KEEP = values(true) },
    },
    {
      "fused, half2, row in shared memory",
      kernel = norm.block,
      tune = { VEC = values(2), BLOCK = blocks, KEEP = values(true) },
    },
    { "fused, 16 B loads, row in shared memory", kernel = norm.block, tune = { BLOCK = blocks, KEEP = values(true) } },
    { "fused, 16 B loads, row read again", kernel = norm.block, tune = { BLOCK = blocks, KEEP = values(false) } },
    {
      "fused, row in shared memory or read again, L2 hints",
      kernel = norm.block,
      tune = {
        BLOCK = values(256, 512),
        KEEP = values(true, false),
        READ = l2.hints("plain", "first", "last"),
        AGAIN = l2.hints("plain", "first"),
        WRITE = l2.stores,
      },
      where = {
        -- Kept, a row is read once; else it shall stay for the second time.
        'KEEP and READ ~= "last" and AGAIN == "plain" or not KEEP and READ == "last" and AGAIN == "first"',
        'READ ~= "plain" or WRITE ~= "plain"',
        stays,
      },
    },
    { "fused, row in registers", kernel = norm.registers, tune = team, where = fits() },
    {
      "fused, row in registers, L2 hints",
      kernel = norm.registers,
      tune = {
        BLOCK = values(256, 512),
        TEAM = team.TEAM,
        ROWS = values(1),
        READ = l2.hints("plain", "first", "fetch_128"),
        WRITE = l2.stores,
      },
      where = fits { rows.hinted, stays },
    },
    { "fused, rows by the copy engine", kernel = norm.bulk, tune = ring, where = ring_fits() },
    {
      "fused, rows by the copy engine, L2 hints",
      kernel = norm.bulk,
      tune = { BLOCK = values(64, 128), STAGES = values(2, 3), RESIDENT = values(6, 8), WRITE = l2.stores },
      where = ring_fits { 'WRITE ~= "plain"', stays },
    },
  },
  problems = {
    { t = 509, d = 768, v = 50257 },
    { t = 8192, d = 4096, v = 128256 },
    { t = 65536, d = 4096, v = 128256 },
  },
}
