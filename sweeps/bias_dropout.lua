-- SPDX-License-Identifier: Apache-2.0
-- Bias, ReLU and dropout: six accesses an element become two; and what do random bits cost once nothing else does?
local dropout = require "kernels.bias_dropout"

local few = { WIDTH = values(128, 256, 512), ROWS = values(1, 2, 4), GRID = values(0, 4) }

return sweep {
  variants = {
    { "three kernels", kernel = dropout.unfused, tune = few },
    { "fused, a Philox call an element", kernel = dropout.fused_each, tune = { WIDTH = values(128, 256), ROWS = values(1, 2) } },
    {
      "fused, a call for 8 elements",
      kernel = dropout.fused,
      tune = {
        WIDTH = values(64, 128, 256, 512),
        HEIGHT = values(1, 2, 4),
        ROWS = values(1, 2, 4, 8),
        STREAM = values(false, true),
        GRID = values(0, 2, 4, 8),
      },
      where = {
        "WIDTH * HEIGHT >= 128 and WIDTH * HEIGHT <= 512",
        "GRID == 0 or WIDTH * HEIGHT * GRID == 1024 or WIDTH * HEIGHT * GRID == 2048 and ROWS <= 2",
        "not STREAM or ROWS >= 2",
      },
    },
    { "fused, 7 rounds", kernel = dropout.fused_7, tune = few },
  },
  over = problems {
    { rows = 2048, columns = 4096 }, -- 16 MiB an array: what lies between may stay in L2
    { rows = 16381, columns = 5000 }, -- neither rows nor columns fill their blocks
    { rows = 2^18, columns = 1024 },
    { rows = 2^16, columns = 4096 }, -- 2^28 elements, 512 MiB an array
  },
}
