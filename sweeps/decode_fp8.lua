-- SPDX-License-Identifier: Apache-2.0
-- The cache of decode.lua as e4m3, a scale a head for K and for V: half the bytes, if making 16-bit numbers of them keeps up.
local decode = require "kernels.decode"
local lists = require "kernels.lists"

local fp8 = decode.e4m3
local splits, convert = values(0, 1, 2, 4, 8, 16, 32, 64, 128), values("cvt", "integer")

return sweep {
  variants = {
    {
      "mma.sync from registers",
      kernel = fp8.mma,
      tune = { RESIDENT = values(3, 4), SPLIT = splits, CONVERT = convert },
      where = lists.join(fp8.fits, { decode.shared_out(2, 12) }),
    },
    {
      "TMA",
      kernel = fp8.tma,
      tune = {
        WARPS = values(4, 8), TOKENS = values(128), STAGES = values(3, 6), SPLIT = splits, CONVERT = convert,
        COMBINE = values("last_block", "pdl"),
      },
      where = lists.join(fp8.fits, fp8.tma_fits, { decode.shared_out(0.9, 8), "COMBINE == 'last_block' or STAGES == 3" }),
    },
  },
  over = problems {
    { batch = 1, l = 131072, page = 64, ragged = 0 },
    { batch = 16, l = 8192, page = 64, ragged = 0 },
    { batch = 16, l = 32768, page = 64, ragged = 0 },
    { batch = 64, l = 16384, page = 16, ragged = 1 },
  },
  with = { group = 4, kv_heads = 8, d = 128 },
  measure = { max_time = 0.04 },
}
