-- SPDX-License-Identifier: Apache-2.0
-- Softmax over rows of bf16: three passes, then the online sum in two, then one with the row in registers, then with the
-- next rows on their way meanwhile. At which length does a row become too long for one block?
local softmax = require "kernels.softmax"
local ladder = require "kernels.row_ladder"
local rows = require "kernels.rows"

local words, either = { FLOATS = values(false) }, { FLOATS = values(false, true) }

return sweep {
  variants = {
    { "three passes", kernel = softmax.three_passes, tune = { BLOCK = ladder.blocks } },
    ladder.twice("online, two passes", softmax.online),
    ladder.registers(softmax.registers, either),
    ladder.hints(softmax.registers, words),
    ladder.cluster(softmax.registers, either),
    ladder.staged(softmax.staged, words),
  },
  over = { cols = values(1024, 4096, 8192, 32768, 131072) },
  with = { rows = rows.of },
}
