-- SPDX-License-Identifier: Apache-2.0
-- A new token attends through multi-head latent attention: one row of 576 numbers a token for all heads. With few heads, as
-- where the 128 of a model are shared among cards, memory bounds it; where do the tensor cores?
local mla = require "kernels.decode_mla"

local arch = "gpu.arch == 'sm_90a'"
return sweep {
  variants = {
    { "a block 64 heads", kernel = mla, tune = { SPLIT = values(1), COMBINE = values("launch") }, where = { arch } },
    {
      "split",
      kernel = mla,
      tune = { SPLIT = values(0, 2, 4, 8, 16, 32, 64), COMBINE = values("launch", "pdl") },
      where = {
        arch,
        function(batch, l, heads, ragged, SPLIT, gpu)
          local blocks = batch * ceil_div(heads, 64) * SPLIT
          return SPLIT == 0 or SPLIT * 256 <= l and blocks <= (6 + 10 * ragged) * gpu.sms and blocks >= 0.9 * gpu.sms
        end,
      },
    },
  },
  over = { heads = refine(values(1, 16, 32, 64, 128), 1), batch = values(1, 32, 128) },
  with = {
    l = function(p) return p.batch == 1 and 65536 or p.batch == 32 and 8192 or 4096 end,
    ragged = function(p) return p.batch == 128 and 1 or 0 end,
    page = 64,
  },
  along = "heads",
  measure = { max_time = 0.04 },
}
