-- SPDX-License-Identifier: Apache-2.0
-- A 3 x 3 filter for each channel: 18 operations an element of 4 bytes moved, so it should take a copy's time. How many pixels
-- must a thread have, so that reading and widening each of them nine times does not?
local depthwise = require "kernels.depthwise"
local l2 = require "kernels.l2_policy"

local function ladder(name, kernel, ring, turning, kept, full)
  return sweep {
    name = name,
    problems = {
      { n = 3, h = 37, w = 29, c = 60 }, -- fills no strip, and 8 channels do not divide it
      { n = 64, h = 56, w = 56, c = 256 },
      full and { n = 128, h = 112, w = 112, c = 64 } or nil,
    },
    variants = {
      {
        "an element a thread",
        kernel = kernel,
        tune = { BLOCK = values(256), VEC = values(1), COLS = values(1), ROWS = values(1) },
      },
      {
        "a vector a thread",
        kernel = kernel,
        tune = { BLOCK = values(128, 256), VEC = values(8), COLS = values(1), ROWS = values(1) },
      },
      {
        "going down rows",
        kernel = kernel,
        tune = {
          BLOCK = values(128, 256),
          VEC = full and values(2, 4, 8) or values(4, 8),
          COLS = values(1, 2, 4),
          ROWS = values(4, 8),
        },
        where = { "VEC * COLS <= 16", "VEC * COLS >= 8", "BLOCK == 128 or ROWS == 4" },
      },
      {
        "a ring of rows by TMA",
        kernel = ring,
        tune = {
          WARPS = values(4, 7, 8),
          COLS = values(4, 7, 8),
          ROWS = values(14, 28, 56),
          STAGES = full and values(3, 4, 6, 8) or values(4, 6),
        },
        where = { "gpu.cc >= 90", "w % (WARPS * COLS) == 0 or (w < 56 and WARPS * COLS == 28)" },
      },
      {
        "every other strip upwards",
        kernel = turning,
        tune = { WARPS = values(4, 7, 8, 14), COLS = values(4, 7), ROWS = values(14, 28), STAGES = values(3, 4, 6) },
        where = { "gpu.cc >= 90", "w % (WARPS * COLS) == 0 or (w < 56 and WARPS * COLS % 28 == 0)" },
      },
      {
        "y stays in L2",
        kernel = kept,
        tune = {
          WARPS = values(4),
          COLS = values(4, 7),
          ROWS = values(7, 14),
          STAGES = values(3, 4),
          WRITE = l2.hints("last", "last_2"),
        },
        where = { "gpu.cc >= 90", "w % (WARPS * COLS) == 0 or (w < 56 and COLS == 7)" },
      },
    },
  }
end

return {
  ladder("depthwise_f16", depthwise.f16, depthwise.ring_f16, depthwise.turning_f16, depthwise.kept_f16, true),
  ladder("depthwise_bf16", depthwise.bf16, depthwise.ring_bf16, depthwise.turning_bf16, depthwise.kept_bf16, false),
}
