-- SPDX-License-Identifier: Apache-2.0
-- A new token attends through multi-head latent attention: one row of 576 numbers a token for all heads. With few heads, as
-- where the 128 of a model are shared among cards, memory bounds it; where do the tensor cores?
local mla = require "kernels.decode_mla"

local lists = require "kernels.lists"
local arch = "gpu.arch == 'sm_90a'"
local function by_pairs(heads, PAIR) return ceil_div(heads, 64) % PAIR == 0 end
local function parts(batch, l, heads, ragged, SPLIT, gpu) -- enough for every SM, and not too many
  local blocks = batch * ceil_div(heads, 64) * SPLIT
  return SPLIT == 0 or SPLIT * 256 <= l and blocks <= (6 + 10 * ragged) * gpu.sms and blocks >= 0.9 * gpu.sms
end
local function tuned(tune)
  local all = {
    SPLIT = values(0), CLUSTER = values(1), PAIR = values(1), COMBINE = values("pdl"),
  }
  for name, list in pairs(tune) do all[name] = list end
  return all
end

-- By mma.sync; on sm_90a with what fits best there. Blocks of more heads than there are would idle.
local function few(batch, l, heads, ragged, BANDS, SPLIT, STAGES, gpu)
  local units, most = batch * ceil_div(heads, 16 * BANDS), 6 + 10 * ragged
  if BANDS > 1 and 16 * BANDS >= 2 * heads then return false end
  if gpu.arch == "sm_90a" and (STAGES ~= 3 or BANDS ~= (heads > 32 and 4 or heads > 16 and 2 or 1)) then return false end
  if SPLIT == 0 then return units <= gpu.sms end
  return SPLIT == 1 or SPLIT * 256 <= l and units * SPLIT <= most * gpu.sms and units * SPLIT >= 0.9 * gpu.sms
end

return sweep {
  variants = {
    {
      "mma.sync",
      kernel = mla.mma,
      tune = {
        BANDS = values(1, 2, 4), STAGES = values(2, 3), SPLIT = values(0, 1, 2, 4, 8), COMBINE = values("launch", "pdl"),
      },
      where = lists.join(mla.mma_fits, {
        "gpu.cc >= 80 -- tensor cores multiply bf16 from sm_80 on: take FMA", few, "COMBINE == (gpu.cc >= 90 and 'pdl' or 'launch')",
      }),
    },
    {
      "FMA", -- with room for one tile in the 64 KiB of sm_75
      kernel = mla.mma,
      tune = { BANDS = values(1), STAGES = values(1), SPLIT = values(0, 1, 2, 4, 8), COMBINE = values("launch") },
      where = lists.join(mla.mma_fits, { "gpu.cc < 80 -- from sm_80 on tensor cores multiply bf16: take mma.sync", few }),
    },
    {
      "a block 64 heads",
      kernel = mla.wgmma,
      tune = tuned { SPLIT = values(1), COMBINE = values("launch") },
      where = { arch },
    },
    {
      "split",
      kernel = mla.wgmma,
      tune = tuned { SPLIT = values(0, 2, 4), COMBINE = values("launch", "pdl") },
      where = { arch, parts },
    },
    {
      "clusters",
      kernel = mla.wgmma,
      tune = tuned { SPLIT = values(0, 1, 2, 4), CLUSTER = values(1, 2), PAIR = values(1, 2) },
      where = { arch, parts, "CLUSTER * PAIR == 2", "SPLIT % CLUSTER == 0", "SPLIT == 0 or ragged == 1", by_pairs },
    },
    {
      "clusters, values between scores", -- with 64 heads memory is what it waits for
      kernel = mla.spread,
      tune = tuned { CLUSTER = values(2) },
      where = { arch, parts, "heads > 64" },
    },
  },
  over = { heads = refine(values(1, 16, 32, 64, 128), 1), batch = values(1, 32, 128) },
  with = {
    l = function(p) return p.batch == 1 and 65536 or p.batch == 32 and 32768 or 4096 end,
    ragged = function(p) return p.batch == 128 and 1 or 0 end,
    page = 64,
  },
  along = "heads",
  measure = { max_time = 0.04 },
}
