-- SPDX-License-Identifier: Apache-2.0
-- Filters of 3 x 3 over all channels, bf16 in NHWC: a product of matrices whose left one lies in no memory. What looks for its
-- rows, threads (cp.async, mma.sync) or the accelerator (TMA im2col, wgmma)?
local convolution = require "kernels.convolution_nhwc"
local lists = require "kernels.lists"

return sweep {
  problems = {
    { n = 64, h = 56, w = 56, c = 256, k = 256 },
    { n = 64, h = 112, w = 112, c = 64, k = 64 },
    { n = 64, h = 14, w = 14, c = 512, k = 512 },
  },
  variants = {
    {
      "mma.sync",
      kernel = convolution.mma,
      tune = {
        BLOCK_M = values(128, 256), BLOCK_N = values(64, 128), BLOCK_K = values(32, 64), WARP_M = values(64),
        WARP_N = values(32, 64), STAGES = values(3, 4), RESIDENT = values(1, 2),
      },
      where = {
        "gpu.cc >= 80",
        "BLOCK_N <= k",
        "BLOCK_M * BLOCK_N / (WARP_M * WARP_N) == 8 / RESIDENT",
        function(BLOCK_M, BLOCK_N, BLOCK_K, STAGES, RESIDENT, gpu)
          local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES }
          local shared = convolution.shared_of(c)
          return shared <= gpu.shared_per_block and RESIDENT * (shared + 1024) <= gpu.shared_per_sm
        end,
      },
    },
    {
      "FMA", -- before sm_80
      kernel = convolution.mma,
      tune = { BLOCK_M = values(128), BLOCK_N = values(64), BLOCK_K = values(32, 64), WARP_M = values(32, 64), STAGES = values(2) },
      where = { "gpu.cc < 80" },
    },
    {
      "TMA im2col",
      kernel = convolution.im2col,
      tune = {
        BLOCK_M = values(128, 256), BLOCK_N = values(64, 128, 192, 256), STAGES = range(3, 9), CLUSTER_M = values(1, 2),
        CLUSTER_N = values(1, 2), GROUP = values(1, 8), LAG = values(0, 1), PINGPONG = values(false, true), STORES = values(2),
      },
      where = lists.join(convolution.fits, {
        "CLUSTER_M * CLUSTER_N <= 2",
        "BLOCK_N * CLUSTER_N <= k",
        "BLOCK_M * BLOCK_N >= 128 * (k < 128 and 64 or 128)",
        "GROUP == 1 or CLUSTER_M == 2",
        convolution.deepest,
      }),
    },
  },
}
