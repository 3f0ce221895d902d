-- SPDX-License-Identifier: Apache-2.0
-- RMSNorm over rows of bf16: an element a load, then pairs with the row in shared memory, then
-- the row in registers, then the next rows on their way meanwhile. At which length does a row become too long for one block?
local rmsnorm = require "kernels.rmsnorm"
local ladder = require "kernels.row_ladder"
local rows = require "kernels.rows"

return sweep {
  variants = {
    { "scalar", kernel = rmsnorm.scalar, tune = { BLOCK = ladder.blocks } },
    {
      "pairs (half2), row in shared memory",
      kernel = rmsnorm.shared,
      tune = { VEC = values(2), BLOCK = ladder.blocks },
    },
    ladder.registers(rmsnorm.registers, {}),
    ladder.hints(rmsnorm.registers, {}),
    ladder.twice("row read twice, L2 hints", rmsnorm.twice),
    ladder.cluster(rmsnorm.registers, {}),
    ladder.staged(rmsnorm.staged, {}),
  },
  over = { cols = values(1024, 4096, 5120, 8192, 32768) },
  with = { rows = rows.of },
}
