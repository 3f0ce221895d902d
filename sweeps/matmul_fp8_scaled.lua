-- SPDX-License-Identifier: Apache-2.0
-- fp8 as it is used, by wgmma (sm_90a) or mma.sync, B lying as n x k: sums added up in fp32 every 128 k's (precise); a scale for every
-- row and column (rows); a scale for every 128 k's (blocks, as DeepSeek-V3 has them). And what a sum that the tensor cores
-- keep costs in error, with C in fp32 so that its own rounding does not hide it.
local scaled = require "kernels.matmul_fp8_scaled"

local precise, fast = 2^-7 + 2^-8, 2^-5 + 2^-7 -- tolerances: of 128 k's, of 16,384

local function cube(n) return { m = n, n = n, k = n } end
local problems = { cube(1000), cube(4096), cube(8192), { m = 4096, n = 7168, k = 16384 } }

local function with(list, ...)
  local all = { table.unpack(list) }
  for _, one in ipairs { ... } do all[#all + 1] = one end
  return all
end

-- Large tiles for large matrices: others leave most SMs idle.
local suits = "m > 1024 and BLOCK_M * BLOCK_N >= 128 * 160 or m <= 1024 and BLOCK_M * BLOCK_N <= 128 * 128"

-- By mma.sync; on sm_90a one block. Before sm_89 and on sm_100 fp8 is widened to fp16, whose rate it then has.
local function by_mma(name, matmul, promote)
  return {
    name .. ", mma.sync",
    kernel = matmul.mma,
    tune = {
      BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), BLOCK_K = values(64, 128), WARP_M = values(32, 64),
      STAGES = values(2, 3), PROMOTE = values(promote),
    },
    where = with(
      matmul.mma_fits, "BLOCK_M == BLOCK_N and WARP_M == BLOCK_M // 2", "BLOCK_M == 128 or m <= 1024",
      "gpu.arch ~= 'sm_90a' or BLOCK_K == 64 and STAGES == 3"
    ),
  }
end

-- Sums of 128 x 128 leave registers for a second set, which scales of blocks hold up; larger ones for two pieces.
local function promoted(scale)
  local matmul, blocks = scaled { scale = scale, tol = precise }, scale == "blocks"
  return by_mma("added up in fp32", matmul, 128), {
    "added up in fp32",
    kernel = matmul.kernel,
    tune = {
      BLOCK_M = values(128, 192, 256), BLOCK_N = values(96, 128, 160, 192), STAGES = range(3, 7), CONSUMERS = values(2, 3),
      CLUSTER_M = values(1, 2), CLUSTER_N = values(1, 2), TURNS = values(false, true), LAG = values(0, 2), STORES = values(1, 2),
    },
    where = with(
      matmul.fits, matmul.deepest,
      blocks and suits or suits .. " or BLOCK_M * BLOCK_N == 128 * 128 and LAG == 0 and not TURNS",
      "CLUSTER_M * CLUSTER_N == (m > 1024 and 2 or 1)", "LAG == 0 or m > 1024",
      "BLOCK_M % 128 == 0 or CONSUMERS == 3" .. (blocks and " and CLUSTER_N == 1" or ""), -- else the producer spills
      blocks and "STORES == (BLOCK_M == 256 and 1 or 2)" or "STORES == 2 or BLOCK_M == 256" -- scales take its place
    ),
  }, {
    "added up in pieces",
    kernel = matmul.pieces.kernel,
    tune = {
      BLOCK_M = values(128, 256), BLOCK_N = values(128, 256), STAGES = range(3, 5), CLUSTER_M = values(1, 2), CLUSTER_N = values(1, 2),
      IDLE = values(0, 4), STORES = values(1, 2), ACROSS = values(2, 4),
    },
    where = with(
      matmul.pieces.fits, matmul.deepest, "m > 1024 or m % 2 == 1", -- and the odd problem
      "BLOCK_M * BLOCK_N == 128 * 256 and ACROSS == BLOCK_N // 64",
      "CLUSTER_M * CLUSTER_N <= 2", blocks and "STORES == (BLOCK_M == 256 and 1 or 2)" or "STORES == 2"
    ),
  }
end

-- An element's error grows with its two scales, the tolerance with their mean: 1.25 each, at most 2.
local function alone(scale)
  local matmul = scaled { scale = scale, tol = fast * (2 / 1.25)^2 }
  return by_mma("tensor cores alone", matmul, 0), {
    "tensor cores alone",
    kernel = matmul.kernel,
    tune = {
      BLOCK_M = values(64, 128, 256), BLOCK_N = values(128, 192, 256), STAGES = range(3, 7), CLUSTER_M = values(1, 2),
      CLUSTER_N = values(1, 2), PINGPONG = values(false, true), IDLE = values(0, 4),
    },
    where = with(
      matmul.fits, matmul.deepest, suits .. " or PINGPONG and BLOCK_M * BLOCK_N == 128 * 128",
      "CLUSTER_M * CLUSTER_N <= (m > 1024 and 2 or 1)", "IDLE == 0 or m > 1024"
    ),
  }
end

local function library(facts)
  facts.math, facts.transpose_b = "fp8", true
  return vendor.matmul(facts)
end

-- The same sum, cut into partial sums of so many k's.
local in_fp32 = scaled { scale = "tensor", out = f32, tol = fast }
local function cut(name, k)
  return { name, kernel = in_fp32.kernel, tune = { PROMOTE = values(k) }, where = in_fp32.fits }
end

local e5m2_by_e4m3 = scaled { scale = "tensor", a = e5m2, tol = precise } -- gradients by weights

return {
  sweep {
    name = "matmul_fp8_precise",
    variants = { promoted "tensor" },
    problems = problems,
    baseline = { library { scale = "tensor", exact = true }, library { scale = "tensor" } },
  },
  sweep {
    name = "matmul_fp8_rows",
    variants = { alone "rows" },
    problems = problems,
    baseline = { library { scale = "rows" }, library { scale = "rows", exact = true } },
  },
  sweep {
    name = "matmul_fp8_blocks",
    variants = { promoted "blocks" },
    problems = problems,
    baseline = { library { scale = "blocks" } },
  },
  sweep {
    name = "matmul_fp8_error",
    variants = {
      by_mma("tensor cores alone", in_fp32, 0), by_mma("every 128", in_fp32, 128),
      cut("tensor cores alone", 0), cut("every 512", 512), cut("every 256", 256), cut("every 128", 128),
    },
    problems = { cube(4096) },
    baseline = { library { scale = "tensor", exact = true }, library { scale = "tensor" } },
  },
  sweep {
    name = "matmul_fp8_e5m2",
    variants = {
      by_mma("added up in fp32", e5m2_by_e4m3, 128),
      { "matmul_fp8_tensor", kernel = e5m2_by_e4m3.kernel, where = e5m2_by_e4m3.fits }, -- as its recording has it
    },
    problems = { cube(4096) },
    baseline = { library { scale = "tensor", exact = true } },
  },
}
