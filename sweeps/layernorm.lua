-- SPDX-License-Identifier: Apache-2.0
-- LayerNorm over rows of bf16: three passes, then mean and variance in one (Welford), then the row in registers, then
-- with the next rows on their way meanwhile. At which length does a row become too long for one block?
local layernorm = require "kernels.layernorm"
local ladder = require "kernels.row_ladder"
local rows = require "kernels.rows"

local once, either = { ONCE = values(false) }, { ONCE = values(false, true) }

return sweep {
  variants = {
    { "three passes", kernel = layernorm.three_passes, tune = { BLOCK = ladder.blocks } },
    ladder.twice("Welford, two passes", layernorm.welford),
    ladder.registers(layernorm.registers, either),
    ladder.hints(layernorm.registers, once),
    ladder.cluster(layernorm.registers, either),
    ladder.staged(layernorm.staged, once),
  },
  over = { cols = values(1024, 4096, 8192, 32768, 131072) },
  with = { rows = rows.of },
}
