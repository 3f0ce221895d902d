-- SPDX-License-Identifier: Apache-2.0
-- A new token for each of `batch` sequences attends to all tokens before it, whose K and V lie in pages (Llama 3's shape: 32
-- query heads over 8 KV heads of 128). Nothing is used twice, so the cache's bytes are the floor: who reads at memory's rate?
local decode = require "kernels.decode"
local lists = require "kernels.lists"

local few = decode.bf16
local splits = values(0, 1, 2, 4, 8, 16, 32, 64, 128)

return sweep {
  variants = {
    { "a block a query head", kernel = few.cores, tune = { WARPS = values(4, 8), AHEAD = values(2, 4) }, where = few.cores_fits },
    {
      "split",
      kernel = few.cores,
      tune = { AHEAD = values(2, 4), SPLIT = splits },
      where = lists.join(few.cores_fits, { decode.shared_out(3, 12), "SPLIT ~= 1" }),
    },
    {
      "a group together",
      kernel = few.cores,
      tune = { HEADS = values(4), AHEAD = values(2, 4), SPLIT = splits },
      where = lists.join(few.cores_fits, { decode.shared_out(2, 12) }),
    },
    {
      "mma.sync from registers",
      kernel = few.mma,
      tune = { WARPS = values(2, 4), RESIDENT = values(3, 6), SPLIT = splits, COMBINE = values("last_block", "launch", "pdl") },
      where = lists.join(few.fits, {
        decode.shared_out(2, 12), "WARPS * RESIDENT == 12", "COMBINE == 'last_block' or WARPS == 4",
      }),
    },
    {
      "TMA",
      kernel = few.tma,
      tune = {
        WARPS = values(2, 4), TOKENS = values(64, 128), STAGES = values(2, 3, 6), SPLIT = splits,
        COMBINE = values("last_block", "launch", "pdl"),
      },
      -- Stages that fill an SM, in one block or two.
      where = lists.join(few.fits, few.tma_fits, {
        decode.shared_out(0.9, 8), "WARPS == TOKENS // 32 or WARPS == 4", "TOKENS * STAGES == 384 or TOKENS * STAGES == 192",
        "COMBINE == 'last_block' or TOKENS * STAGES == 192",
      }),
    },
  },
  over = problems {
    { batch = 1, l = 131072, page = 64, ragged = 0 },
    { batch = 16, l = 8192, page = 64, ragged = 0 },
    { batch = 16, l = 8192, page = 16, ragged = 0 },
    { batch = 16, l = 32768, page = 64, ragged = 0 },
    { batch = 64, l = 16384, page = 256, ragged = 1 },
    { batch = 256, l = 2048, page = 16, ragged = 1 },
    { batch = 1, l = 1024, page = 16, ragged = 0 },
  },
  with = { group = 4, kv_heads = 8, d = 128 },
  measure = { max_time = 0.04 },
}
