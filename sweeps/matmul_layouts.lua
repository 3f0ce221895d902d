-- SPDX-License-Identifier: Apache-2.0
-- Does it matter how the operands of a matrix product lie? wgmma takes either, its swizzled tiles differ; for
-- mma.sync ldmatrix turns them. By rows: A m x k and B n x k (what libraries call TN, k contiguous in both), B k x n (NN), A
-- k x m as well (NT). `-- fp16`: in fp16.
local lists = require "kernels.lists"
local tensor = require "kernels.matmul_tensor"
local wgmma = require "kernels.matmul_wgmma"

local dtype = arg[1] or "bf16"
assert(dtype == "bf16" or dtype == "fp16", "the argument is bf16 or fp16")

-- Before sm_80 by FMA.
local function by_mma(layout, fma)
  local kernel, fits = tensor[dtype].finish { layout = layout, fma = fma }
  return {
    fma and "FMA" or "mma.sync",
    kernel = kernel,
    tune = { BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), WARP_M = values(32, 64), STAGES = values(2, 3) },
    where = lists.join(fits, { "BLOCK_M == BLOCK_N and WARP_M == BLOCK_M // 2", "BLOCK_M == 128 or m <= 1027" }),
  }
end

local function layout(name, library, of)
  library.math = dtype
  local by_wgmma = {
    "matmul_" .. dtype .. "_wgmma_roles" .. (of and "_" .. of or ""),
    kernel = wgmma[dtype][of and "roles_" .. of or "roles"],
    tune = {
      BLOCK_M = values(64, 128, 256), BLOCK_N = values(64, 128, 256), STAGES = range(3, 9), CONSUMERS = values(1, 2),
      CLUSTER_M = values(1, 2), CLUSTER_N = values(1, 2), ORDER = values("rows", "hilbert"), IDLE = values(0, 4),
      STORES = values(0, 2),
    },
    where = {
      wgmma[dtype].deepest,
      "CONSUMERS == (BLOCK_M == 64 and 1 or 2)",
      -- Of 64 x 128 there is one for nearly every SM at 1024: no cluster of two then leaves one without.
      "CLUSTER_M * CLUSTER_N == 2 or CLUSTER_M * CLUSTER_N == 1 and BLOCK_M * BLOCK_N == 64 * 128",
      "m > 1024 and BLOCK_M * BLOCK_N == 128 * 256 or m <= 1024 and BLOCK_M <= 128 and BLOCK_N <= 128",
      "BLOCK_M + BLOCK_N > 128",
      "m > 1024 or (IDLE == 0 and ORDER == 'rows')",
      table.unpack(wgmma[dtype].fits),
    },
  }
  return sweep {
    name = "matmul_" .. (dtype == "fp16" and "fp16_" or "") .. name,
    variants = { by_mma(of), by_mma(of, true), by_wgmma },
    problems = { { m = 1024, n = 1024, k = 1024 }, { m = 4096, n = 4096, k = 4096 }, { m = 8192, n = 8192, k = 8192 } },
    baseline = { vendor.matmul(library) },
  }
end

return {
  layout("tn", { transpose_b = true }),
  layout("nn", {}, "nn"),
  layout("nt", { transpose_a = true }, "nt"),
}
