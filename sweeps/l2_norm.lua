-- SPDX-License-Identifier: Apache-2.0
-- y = x / ||x||: five passes over memory become three, of which the last may find in L2 what the one before left there.
-- While x fits the L2, and beyond.
local fitting = require "kernels.fitting"
local l2 = require "kernels.l2_policy"
local l2_norm = require "kernels.l2_norm"

local blocks, items = values(256, 512, 1024), values(2, 4, 8)
local either = values(false, true)

local function resident(most)
  return { "BLOCK", "PER_SM", function(block, per_sm) return block * per_sm >= 512 and block * per_sm <= most end }
end

return sweep {
  variants = {
    {
      "unfused: square, add, divide",
      kernel = l2_norm.unfused,
      tune = { BLOCK = blocks, ITEMS = items, PER_SM = values(1, 2, 4) },
      where = { resident(1024) },
    },
    {
      "fused, two launches",
      kernel = l2_norm.two_launches,
      tune = { BLOCK = blocks, ITEMS = items, PER_SM = values(1, 2, 4), REVERSE = either },
      where = { resident(1024) },
    },
    {
      "fused, two launches, L2 hints",
      kernel = l2_norm.two_launches,
      tune = {
        BLOCK = values(512, 1024),
        ITEMS = values(4, 8),
        PER_SM = values(1, 2),
        REVERSE = values(true),
        KEPT_MIB = values(0, 16, 32, 48),
        READ = l2.hints("plain", "first", "streaming"),
        WRITE = l2.hints("plain", "first", "streaming", "last_16"),
      },
      where = {
        'READ ~= "plain" or WRITE ~= "plain" or KEPT_MIB > 0',
        '(READ == "streaming") == (WRITE == "streaming") and (KEPT_MIB == 0 or READ == "first")',
        function(KEPT_MIB, n, gpu) return 4 * n > gpu.l2_bytes and KEPT_MIB * MiB <= gpu.l2_bytes end,
        function(n, WRITE, gpu) return l2.fits(4 * n, WRITE, gpu) end,
        resident(1024),
      },
    },
    {
      "fused, one cooperative launch",
      kernel = l2_norm.cooperative,
      tune = { BLOCK = blocks, ITEMS = items, PER_SM = values(1, 2, 4), REVERSE = either, STREAM = either },
      where = { resident(1024) },
    },
  },
  over = function(gpu) return { n = fitting(gpu, 16, 2^20, 2^22, 2^24, 2^26, 2^28) } end, -- 4 MiB to 1 GiB
}
