-- SPDX-License-Identifier: Apache-2.0
-- What do SMs cost that have no tile in the last round? C = A B in bf16, k = 4096, C of n x n, one tile size a variant, a
-- block an SM that goes from tile to tile. The note says what the picture shows; the prior says the same: rounds times what
-- a tile takes.
local tensor = require "kernels.matmul_tensor"
local wgmma = require "kernels.matmul_wgmma"

-- Rounds times what a tile takes.
local function by_rounds(p, c, gpu, t)
  local tiles = ceil_div(p.m, c.BLOCK_M) * ceil_div(p.n, c.BLOCK_N)
  return ceil_div(tiles, gpu.sms) * gpu.sms / tiles * t.tensor_bf16
end

-- One configuration of roles (sm_90a); the library's rate beside it tells how it gets round the steps (other tiles, split k).
local function tiles(block_n, stages)
  return {
    "tiles of 128 x " .. block_n,
    kernel = wgmma.bf16.roles,
    tune = {
      BLOCK_M = values(128), BLOCK_N = values(block_n), STAGES = values(stages), CLUSTER_M = values(1), CLUSTER_N = values(1),
      IDLE = values(0), STORES = values(2),
    },
    where = { "gpu.arch == 'sm_90a'" },
    prior = by_rounds,
  }
end

return sweep {
  diagnostic = true,
  note = "A product takes as many rounds as the SM with the most tiles, ceil(tiles / SMs), of the same time each, whether one SM "
    .. "or all but one idle in the last. So the rate climbs with n until all are busy and falls where one tile more begins a "
    .. "round: a sawtooth, whose teeth flatten as 1 / rounds and are half as high with tiles half as large. Dashed: rounds times "
    .. "what a tile takes; what stays below that is power.",
  variants = {
    tiles(256, 4), tiles(128, 6),
    {
      "mma.sync, tiles of 128 x 128",
      kernel = tensor.bf16.turns,
      where = { "gpu.cc >= 80 and gpu.arch ~= 'sm_90a'" },
      prior = by_rounds,
    },
    { "FMA, tiles of 128 x 128", kernel = tensor.bf16.turns, where = { "gpu.cc < 80" }, prior = by_rounds },
  },
  over = { n = range(4096, 7168, 128) },
  with = { m = function(p) return p.n end, k = 4096 },
  measure = { processes = 1, race = false }, -- short: under load the power limit blurs the teeth
  baseline = { vendor.matmul { math = "bf16", transpose_b = true } },
}
