-- SPDX-License-Identifier: Apache-2.0
-- Does it matter how the operands of a matrix product in bf16 lie? wgmma takes either, its swizzled tiles differ. By rows:
-- A m x k and B n x k (what libraries call TN, k contiguous in both), B k x n (NN), A k x m as well (NT).
local wgmma = require "kernels.matmul_wgmma"

local function layout(name, kernel, library)
  library.math = "bf16"
  return sweep {
    name = "matmul_" .. name,
    kernel = kernel,
    problems = { { m = 1024, n = 1024, k = 1024 }, { m = 4096, n = 4096, k = 4096 }, { m = 8192, n = 8192, k = 8192 } },
    tune = {
      BLOCK_M = values(128, 256), BLOCK_N = values(128, 256), STAGES = range(3, 6), CLUSTER_M = values(1, 2),
      CLUSTER_N = values(1, 2), ORDER = values("rows", "hilbert"), IDLE = values(0, 4), STORES = values(0, 2),
    },
    where = {
      wgmma.bf16.deepest,
      "CLUSTER_M * CLUSTER_N == 2",
      "BLOCK_M * BLOCK_N == (m <= 1024 and 128 * 128 or 128 * 256)",
      "m > 1024 or (IDLE == 0 and ORDER == 'rows')",
      table.unpack(wgmma.bf16.fits),
    },
    baseline = { vendor.matmul(library) },
  }
end

return {
  layout("tn", wgmma.bf16.roles, { transpose_b = true }),
  layout("nn", wgmma.bf16.roles_nn, {}),
  layout("nt", wgmma.bf16.roles_nt, { transpose_a = true }),
}
