-- SPDX-License-Identifier: Apache-2.0
-- An embedding and the RMSNorm behind it, as two kernels and as one: what is the row that never goes back to memory worth?
local norm = require "kernels.embedding_norm"

local blocks = values(128, 256, 512, 1024)
local team = {
  BLOCK = values(128, 256, 512),
  TEAM = values(32, 64, 128, 256, 512),
  ROWS = values(1, 2, 4),
  STREAM = values(false, true),
}
local function fits() -- sixteen-byte words of a row in a thread; twice that with the next row on its way
  return {
    "TEAM <= BLOCK",
    "TEAM * 8 * (ROWS > 1 and 8 or 16) >= d",
    "TEAM * 4 <= math.max(d, 512)",
  }
end

return sweep {
  variants = {
    { "two kernels", kernel = norm.unfused, tune = team, where = fits() },
    { "fused, 2 B loads, row in shared memory", kernel = norm.block, tune = { VEC = values(1), BLOCK = blocks, KEEP = values(true) } },
    { "fused, half2, row in shared memory", kernel = norm.block, tune = { VEC = values(2), BLOCK = blocks, KEEP = values(true) } },
    { "fused, 16 B loads, row in shared memory", kernel = norm.block, tune = { BLOCK = blocks, KEEP = values(true) } },
    { "fused, 16 B loads, row read again", kernel = norm.block, tune = { BLOCK = blocks, KEEP = values(false) } },
    { "fused, row in registers", kernel = norm.registers, tune = team, where = fits() },
  },
  problems = {
    { t = 509, d = 768, v = 50257 },
    { t = 8192, d = 4096, v = 128256 },
    { t = 65536, d = 4096, v = 128256 },
  },
}
