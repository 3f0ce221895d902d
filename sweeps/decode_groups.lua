-- SPDX-License-Identifier: Apache-2.0
-- Query heads that share a KV head, from 1 (multi-head attention) to 256: the cache's bytes stay what they are, what is done
-- with each grows. Where does memory stop being what a new token waits for?
local decode = require "kernels.decode"
local lists = require "kernels.lists"

local some = decode.bf16
local function heads(group, HEADS) return HEADS == 8 or group > HEADS // 2 end -- no tile that is half empty

return sweep {
  variants = {
    {
      "CUDA cores",
      kernel = some.cores,
      tune = { HEADS = values(1, 4), AHEAD = values(2, 4), SPLIT = values(0, 4) },
      where = lists.join(some.cores_fits, { "HEADS == (group >= 4 and 4 or 1)", decode.shared_out(2, 400), "group <= 32" }),
    },
    {
      "mma.sync from registers",
      kernel = some.mma,
      tune = { HEADS = values(8, 16), RESIDENT = values(2, 3), SPLIT = values(0, 2) },
      where = lists.join(some.fits, { heads, "RESIDENT == (HEADS == 8 and 3 or 2)", decode.shared_out(2, 64) }),
    },
    {
      "TMA",
      kernel = some.tma,
      tune = { HEADS = values(8, 16, 32), WARPS = values(4, 8), TOKENS = values(128), STAGES = values(3), SPLIT = values(0, 2) },
      where = lists.join(some.fits, some.tma_fits, { heads, "HEADS < 32 or WARPS == 4", decode.shared_out(0.9, 64) }),
    },
    {
      "wgmma",
      kernel = some.wgmma,
      tune = { CONSUMERS = values(2), STAGES = values(4, 6), SPLIT = values(0, 1, 2) },
      where = lists.join(some.fits, some.wgmma_fits, { "group >= 16 or l < 2048", decode.shared_out(0.9, 16) }),
    },
  },
  over = { group = refine(values(1, 2, 4, 8, 16, 32, 64, 128, 256), 1) },
  with = { batch = 16, l = 8192, kv_heads = 8, d = 128, page = 64, ragged = 0 },
  along = "group",
  measure = { max_time = 0.04 },
}
