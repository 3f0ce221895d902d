-- SPDX-License-Identifier: Apache-2.0
-- Running sums: what a tile needs from outside is one number, the sum of all before it. Reading twice to know it costs a
-- third of the bytes; reading once makes tiles wait for each other, and the ladder is what they do meanwhile.
local fitting = require "kernels.fitting"
local scan = require "kernels.scan"

-- As many threads as have registers for their rows and some 24 more; fewer would be the same code.
local function fill(ROWS, HELD)
  local next = HELD < 1024 and 256 or 512
  return 4 * ROWS + 24 <= 2^16 // HELD and (ROWS == 16 or 4 * ROWS + 24 > 2^16 // (HELD + next))
end

-- The whole space for one type, its centre for the others.
local function ladder(name, kernels, bytes, full)
  return sweep {
    name = name,
    variants = {
      {
        "three kernels",
        kernel = kernels.three,
        tune = {
          BLOCK = full and values(128, 256, 512) or values(256),
          ROWS = full and values(2, 4, 8) or values(4),
          REVERSE = full and values(false, true) or values(false),
        },
      },
      {
        "look-back",
        kernel = kernels.look_back,
        tune = {
          BLOCK = full and values(128, 256, 512) or values(256),
          ROWS = full and values(2, 4, 8, 12, 16) or values(8, 12, 16),
          HELD = full and values(512, 768, 1024, 1536, 2048) or values(512, 768, 1024),
          DELAY = full and values(0, 300) or values(0),
        },
        where = {
          fill,
          "HELD % BLOCK == 0 and HELD <= gpu.max_threads_per_sm",
          "DELAY == 0 or ROWS == 8",
        },
      },
      {
        "look-ahead",
        kernel = kernels.look_ahead,
        tune = {
          TILE_KIB = full and values(8, 16, 32) or values(16, 32),
          STAGES = full and values(3, 4, 6, 8, 12) or values(3, 6, 12),
          WARPS = full and values(4, 8) or values(8),
          SUMMERS = full and values(2, 4) or values(4),
          PER_SM = values(1, 2),
        },
        where = {
          "gpu.cc >= 90",
          "PER_SM * STAGES * (1024 * TILE_KIB + 1024) <= gpu.shared_per_sm",
          "PER_SM * STAGES * TILE_KIB >= 96", -- KiB that an SM has on their way or in hand
        },
      },
    },
    over = function(gpu) return { n = fitting(gpu, 2 * bytes + 8, 2^16, 2^22, 2^28) } end,
  }
end

return {
  ladder("scan_i32", scan.i32, 4, true),
  ladder("scan_f32", scan.f32, 4, false),
  ladder("scan_f64", scan.f64, 8, false),
}
