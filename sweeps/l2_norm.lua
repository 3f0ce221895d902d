-- SPDX-License-Identifier: Apache-2.0
-- y = x / ||x||: five passes over memory become three, of which the last may find in L2 what the one before left there.
-- While x fits the L2, and beyond.
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
      tune = { BLOCK = blocks, ITEMS = items, PER_SM = values(1, 2, 4), REVERSE = either, STREAM = either },
      where = { resident(1024) },
    },
    {
      "fused, one cooperative launch",
      kernel = l2_norm.cooperative,
      tune = { BLOCK = blocks, ITEMS = items, PER_SM = values(1, 2, 4), REVERSE = either, STREAM = either },
      where = { resident(1024) },
    },
  },
  over = { n = values(2^20, 2^22, 2^24, 2^26, 2^28) }, -- 4 MiB to 1 GiB
}
