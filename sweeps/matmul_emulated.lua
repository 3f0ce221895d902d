-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp32 on tensor cores that multiply bf16 or TF32, by wgmma (sm_90a) or mma.sync: how fast beside plain FMA and
-- the library, and how exact, of inputs of three kinds.
local lists = require "kernels.lists"
local matmul = require "kernels.matmul_emulated"

-- Which blocks are fastest is asked where matrices are large and inputs uniform; how exact a product is depends on PRODUCTS
-- and CHUNK alone.
local function where(size)
  return {
    "BLOCK_M * BLOCK_N == 128 * 128 and CLUSTER_M == 2 and LAG or n >= 4096 and inputs == 'uniform'",
    "CLUSTER_M * CLUSTER_N == 2", "STORES == (BLOCK_M * BLOCK_N == 128 * 128 and 2 or 1)",
    "LAG or BLOCK_M * BLOCK_N == 128 * 128 and CLUSTER_M == 2 or CONSUMERS == 3",
    table.unpack(matmul.fits(size)),
  }
end

local function tune(products, chunk)
  return {
    PRODUCTS = values(products), CHUNK = values(chunk), BLOCK_M = values(128, 192), BLOCK_N = values(128, 192),
    STAGES = range(5, 6), CONSUMERS = values(2, 3), CLUSTER_M = values(2, 1), CLUSTER_N = values(1, 2),
    LAG = values(true, false), STORES = values(1, 2),
  }
end

-- One block, for the price of exactness.
local function as(products, chunk)
  return { PRODUCTS = values(products), CHUNK = values(chunk), CLUSTER_M = values(2) }
end

-- By mma.sync, one block on sm_90a.
local function by_mma(name, kernel, size)
  return {
    name .. ", mma.sync",
    kernel = kernel,
    tune = { BLOCK_M = values(64, 128), WARP_M = values(32, 64), STAGES = values(2, 3) },
    where = lists.join(matmul.mma_fits(size), {
      "WARP_M == BLOCK_M // 2", "gpu.arch ~= 'sm_90a' or BLOCK_M == 128 and STAGES == 2 and n <= 4096",
    }),
  }
end

local function on(n, inputs) return { m = n, n = n, k = n, inputs = inputs } end

return sweep {
  variants = {
    { "fp32 FMA", kernel = matmul.fma },
    by_mma("bf16 x 3", matmul.mma.bf16_short, 2),
    by_mma("tf32 x 3", matmul.mma.tf32, 4),
    by_mma("bf16 x 6", matmul.mma.bf16, 2),
    { "bf16 x 3", kernel = matmul.bf16_short, tune = as(3, 64), where = matmul.fits(2) },
    { "tf32 x 3", kernel = matmul.tf32, tune = tune(3, 64), where = where(4) },
    { "bf16 x 6, sums of 512", kernel = matmul.bf16, tune = as(6, 512), where = matmul.fits(2) },
    { "bf16 x 6, sums of 256", kernel = matmul.bf16, tune = as(6, 256), where = matmul.fits(2) },
    { "bf16 x 6", kernel = matmul.bf16, tune = tune(6, 64), where = where(2) },
    {
      "bf16 x 6, begun early",
      kernel = matmul.bf16_early,
      tune = { PRODUCTS = values(6), CHUNK = values(64), CLUSTER_M = values(2), PDL = values(false, true) },
      where = matmul.fits(2),
    },
    { "bf16 x 9", kernel = matmul.bf16, tune = as(9, 64), where = matmul.fits(2) },
  },
  problems = {
    on(1000, "uniform"), on(4096, "uniform"), on(8192, "uniform"), on(4096, "wide"), on(4096, "cancelling"),
  },
  baseline = { "cublaslt", vendor.matmul { math = "tf32", tol = 1 / 4 } }, -- whatever its error, which is what is asked
}
