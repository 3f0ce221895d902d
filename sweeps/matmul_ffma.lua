-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp32 without tensor cores: how far beyond register tiles (matmul_fp32.lua), and why.
local matmul = require "kernels.matmul_ffma"
local before = require "kernels.matmul_fp32"

-- 128 sums a thread in two blocks of 128 threads an SM, or one of 256; small matrices want 64 sums in four blocks.
local function suits(n, TILE_M, TILE_N, REG_M, REG_N, RESIDENT)
  local threads, sums = (TILE_M // REG_M) * (TILE_N // REG_N), REG_M * REG_N
  return RESIDENT * threads * sums == 256 * 128 and sums == 128 and (n > 1024 or TILE_M * TILE_N == 128 * 128)
    or n <= 1024 and sums == 64 and RESIDENT * threads == 512 and TILE_M * TILE_N == 64 * 128
end

local function where(...)
  local all = { suits, ... }
  for _, constraint in ipairs(matmul.fits) do all[#all + 1] = constraint end
  return all
end

-- As deep as two blocks of 128 x 128 allow.
local function deep(TILE_K, gpu) return TILE_K == (gpu.shared_per_sm > 200 * KiB and 32 or 16) end

-- The same block for all steps but the last two.
local function step(serpentine, ptxas)
  return {
    TILE_M = values(128), TILE_N = values(128), REG_M = values(8), REG_N = values(16), TILE_K = values(32, 16), RESIDENT = values(2),
    SERPENTINE = values(serpentine), AHEAD = values(false), PTXAS = values(ptxas),
  }
end

local blocks = {
  TILE_M = values(128, 64), TILE_N = values(128, 256), TILE_K = values(32, 16), REG_M = values(8, 16), REG_N = values(16, 8),
  STAGES = values(3, 4), RESIDENT = values(2, 1, 4), UNROLL = values(8, 16), AHEAD = values(true, false),
}
local short = "n > 1024 or UNROLL == 8"
local few = "STAGES == 3 or TILE_K == 16 and UNROLL == 8"

return sweep {
  variants = {
    {
      "register-tiled",
      kernel = before.register,
      tune = { TILE_M = values(64, 128), TILE_N = values(128, 256), REG_M = values(8, 16), STAGES = values(2, 3), RESIDENT = values(1, 3) },
      where = {
        "TILE_M == 64 and TILE_N == 128 and REG_M == 8 and STAGES == 3 and RESIDENT == 3"
          .. " or TILE_M == 128 and TILE_N == 256 and REG_M == 16 and STAGES == 2 and RESIDENT == 1",
      },
    },
    { "8 x 16 sums, TMA ring", kernel = matmul.bulk, tune = step(false, 3), where = where(deep, "gpu.cc >= 90") },
    { "serpentine", kernel = matmul.bulk, tune = step(true, 3), where = where(deep, "gpu.cc >= 90") },
    { "in that order", kernel = matmul.bulk, tune = step(true, 1), where = where(deep, "gpu.cc >= 90") },
    { "factors read ahead", kernel = matmul.bulk, tune = blocks, where = where("gpu.cc >= 90", short, few, "AHEAD") },
    {
      "the same by cp.async",
      kernel = matmul.async,
      tune = blocks,
      where = where(short, deep, "STAGES == 3", "REG_M == 8 or n <= 1024"),
    },
  },
  over = { n = values(1000, 1024, 2048, 4096, 8192) }, -- 1000: no multiple of any tile
  with = { m = function(p) return p.n end, k = function(p) return p.n end },
  baseline = { "cublaslt" },
}
