-- SPDX-License-Identifier: Apache-2.0
-- Compaction: where an element goes depends on how many before it are kept. Reading once (look-back) against twice, and
-- stores of single elements against lines put together in shared memory, by the share that is kept.
local fitting = require "kernels.fitting"
local select_if = require "kernels.select"

return sweep {
  name = "select",
  variants = {
    {
      "three kernels",
      kernel = select_if.three,
      tune = { BLOCK = values(256), ROWS = values(2, 4, 8), STAGED = values(true) },
    },
    {
      "look-back",
      kernel = select_if.look_back,
      tune = { BLOCK = values(128, 256, 512), ROWS = values(2, 4, 8), STAGED = values(false), HELD = values(1024) },
    },
    {
      "look-back, lines",
      kernel = select_if.look_back,
      tune = {
        BLOCK = values(128, 256, 512),
        ROWS = values(2, 4, 8, 12, 16),
        STAGED = values(true),
        HELD = values(512, 640, 768, 1024, 1536),
      },
      where = {
        "HELD % BLOCK == 0 and BLOCK * ROWS <= 2048", -- 32 KiB of shared memory
        -- Registers for rows, and who is kept of them.
        "ROWS < 16 or HELD == 512",
        "ROWS ~= 12 or HELD == 640",
        "ROWS ~= 8 or HELD == 768 or HELD == 1024",
        "ROWS > 4 or HELD >= 1024",
      },
    },
  },
  over = function(gpu) return { n = fitting(gpu, 16, 2^20, 2^28), percent = values(1, 50, 99) } end,
}
