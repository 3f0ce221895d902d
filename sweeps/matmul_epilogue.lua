-- SPDX-License-Identifier: Apache-2.0
-- What does an epilogue cost a matrix product in bf16, and what the library's own? C = gelu(A B + bias) beside plain C = A B,
-- and the other epilogues of kernels/matmul/matmul_epilogue.lua, one with C in fp32. B lies as n x k; by
-- mma.sync, and by wgmma (sm_90a).
local lists = require "kernels.lists"
local tensor = require "kernels.matmul_tensor"
local wgmma = require "kernels.matmul_wgmma"

-- By mma.sync, of a name or nil: no epilogue. Before sm_80 by FMA.
local function by_mma(epilogue, stages, fma)
  local kernel, fits = tensor.bf16.finish { epilogue = epilogue, fma = fma }
  return {
    fma and "FMA" or "mma.sync",
    kernel = kernel,
    tune = { BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), WARP_M = values(32, 64), STAGES = stages },
    where = lists.join(fits, { "BLOCK_M == BLOCK_N and WARP_M == BLOCK_M // 2", "BLOCK_M == 128 or n <= 1024" }),
  }
end

-- The variants by wgmma have the names that their recordings have: "matmul_bf16_wgmma_" and the epilogue's, or roles.
local function compared(name, epilogue, kernel, sizes, space, where, library)
  library.math, library.transpose_b = "bf16", true
  return sweep {
    name = name,
    variants = {
      by_mma(epilogue, values(2, 3)), by_mma(epilogue, values(2), true),
      { "matmul_bf16_wgmma_" .. (epilogue or "roles"), kernel = kernel, tune = space, where = where },
    },
    over = { n = sizes },
    with = { m = function(p) return p.n end, k = function(p) return p.n end },
    baseline = { vendor.matmul(library) },
  }
end

-- Of 64 x 128 there is one for nearly every SM at 1000: no cluster of two then leaves one without.
local SMALL = "n <= 1000 and BLOCK_M * BLOCK_N == 64 * 128"
local CONSUMERS = "CONSUMERS == ((PINGPONG or BLOCK_M > 64) and 2 or 1)"

-- Tiles that fill the SM; where an epilogue takes long, one consumer multiplies during the other's (ping-pong, LAG).
local function large(fits, deepest)
  return {
    deepest, CONSUMERS, "BLOCK_N > 64 or " .. SMALL,
    "n > 1000 and BLOCK_M * BLOCK_N == (PINGPONG and 64 * 256 or 128 * 256) or n <= 1000 and BLOCK_M * BLOCK_N <= 128 * 128",
    "CLUSTER_M * CLUSTER_N == 2 or CLUSTER_M * CLUSTER_N == 1 and " .. SMALL,
    "n > 1000 or ORDER == 'rows' and IDLE == 0 and LAG == 0", "ORDER == 'rows' or IDLE == 4",
    table.unpack(fits),
  }
end
local space = {
  BLOCK_M = values(64, 128, 256), BLOCK_N = values(64, 128, 256), STAGES = range(3, 8), CONSUMERS = values(1, 2),
  CLUSTER_M = values(1, 2), CLUSTER_N = values(1, 2), ORDER = values("rows", "hilbert"), IDLE = values(0, 4),
  PINGPONG = values(false, true), LAG = values(0, 2), STORES = values(2),
}

-- The others as they are described, and by small tiles.
local function other(name, library)
  local kernel, fits, deepest = wgmma.bf16.with_epilogue(name)
  return sweep {
    name = "matmul_" .. name,
    variants = {
      by_mma(name, values(2)), by_mma(name, values(2), true),
      {
        "matmul_bf16_wgmma_" .. name,
        kernel = kernel,
        tune = {
          BLOCK_M = values(64, 128), BLOCK_N = values(64, 128, 256), STAGES = range(3, 8), CONSUMERS = values(1, 2),
          CLUSTER_M = values(1, 2), CLUSTER_N = values(1, 2), PINGPONG = values(false, true),
        },
        where = lists.join(fits, {
          deepest, CONSUMERS, "CLUSTER_M * CLUSTER_N <= 2",
          "BLOCK_M * BLOCK_N == 128 * 256 and CLUSTER_M == 2 or " .. SMALL,
        }),
      },
    },
    over = { n = values(1000, 4096) },
    with = { m = function(p) return p.n end, k = function(p) return p.n end },
    baseline = library and { vendor.matmul { math = "bf16", transpose_b = true, epilogue = name } } or nil,
  }
end

-- Sums that stay fp32 in C: twice the bytes. By wgmma alone.
local function to_fp32(name)
  local kernel, fits, deepest = wgmma.bf16.with_epilogue(name, { fp32 = true })
  return sweep {
    name = "matmul_" .. name .. "_fp32",
    kernel = kernel,
    tune = {
      BLOCK_M = values(128), BLOCK_N = values(128, 192, 256), STAGES = range(3, 8), CONSUMERS = values(2),
      CLUSTER_M = values(1, 2), CLUSTER_N = values(1), PINGPONG = values(false, true), STORES = values(0, 1, 2),
    },
    where = lists.join(fits, { deepest }),
    over = { n = values(1000, 4096) },
    with = { m = function(p) return p.n end, k = function(p) return p.n end },
  }
end

local gelu, fits, deepest = wgmma.bf16.with_epilogue "bias_gelu"
return {
  compared("matmul_plain", nil, wgmma.bf16.roles, values(4096, 8192), space, large(wgmma.bf16.fits, wgmma.bf16.deepest), {}),
  compared("matmul_bias_gelu", "bias_gelu", gelu, values(1000, 4096, 8192), space, large(fits, deepest), { epilogue = "bias_gelu" }),
  other("bias", true), other("bias_relu", true), other("residual", true), other "bias_gelu_erf", other "scale",
  to_fp32 "scale",
}
