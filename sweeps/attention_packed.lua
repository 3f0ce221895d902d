-- SPDX-License-Identifier: Apache-2.0
-- Attention in fp16 of 16 sequences behind one another, l tokens on average, up to `spread` percent more or less: what do
-- different lengths cost, and what evens them out: the hardware, which gives each SM the next tile, or an order? By mma.sync
-- the longest come first; the rest is sm_90a's.
local attention = require "kernels.attention_packed"
local lists = require "kernels.lists"
local packed = attention.fp16

local function step(name, tune)
  tune.BLOCK_N = values(128, 176)
  return { name, kernel = packed.kernel, tune = tune, where = packed.fits }
end

return sweep {
  variants = {
    {
      "mma.sync",
      kernel = packed.mma,
      tune = { BLOCK_N = values(64, 128), WARPS = values(4, 8), BANDS = values(1, 2), SLOTS = values(2) },
      where = lists.join(packed.mma_fits, { "WARPS * BANDS == 8" }),
    },
    step("a block for every tile", { STAY = values(false), LONGEST = values(false) }),
    step("longest first", { STAY = values(false), HEADS = values(1, 16) }),
    step("blocks stay", { HEADS = values(1, 16) }),
  },
  over = { l = values(512, 1024, 2048), spread = values(0, 50, 95), causal = values(false, true) },
  with = { h = 16, kv = 16, d = 128 },
  along = "l",
  measure = { max_time = 0.1 },
}
