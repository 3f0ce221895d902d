-- SPDX-License-Identifier: Apache-2.0
-- The sweep of matmul_tf32.lua, matmul_fp8.lua and matmul_int8.lua: a function of the type's name. matmul_ladder.lua's steps
-- from mma.sync on, of those by wgmma "TMA and barriers", "C by TMA" and "ping-pong", with operands of other widths: a stage
-- of wgmma is 128 bytes of k deep.
local few_beyond = require "kernels.matmul_few"
local lists = require "kernels.lists"
local mma = require "kernels.matmul_ladder_mma"
local sizes_asked = require "kernels.matmul_sizes"
local tensor = require "kernels.matmul_tensor"
local wgmma = require "kernels.matmul_wgmma"

-- Large tiles for large matrices: others leave most SMs idle.
local function suits(n, BLOCK_M, BLOCK_N)
  local sums = BLOCK_M * BLOCK_N
  return n <= 1024 and sums <= 128 * 128 or n > 1024 and sums >= 128 * 128
end

return function(dtype)
  local matmul, sizes, words = wgmma[dtype], sizes_asked()
  if #words > 0 then error(("an argument is a size, not \"%s\""):format(words[1])) end
  local function fits(...) return lists.join({ suits, matmul.deepest }, matmul.fits, { ... }) end
  return sweep {
    variants = few_beyond(lists.join(mma(dtype), dtype ~= "tf32" and {} or {
      {
        "FMA, tiles", -- before sm_80
        kernel = tensor.tf32.mma,
        tune = { BLOCK_M = values(64, 128), BLOCK_N = values(64, 128), WARP_M = values(32, 64), WARP_N = values(32), STAGES = values(2) },
        where = { "gpu.cc < 80", "BLOCK_M == BLOCK_N and WARP_M == BLOCK_M // 2" },
      },
    }, {
      {
        "TMA and barriers",
        kernel = matmul.tma,
        tune = { BLOCK_M = values(64, 128), BLOCK_N = values(128, 256), STAGES = values(3, 4), GROUPS = values(1, 2) },
        where = { "gpu.arch == 'sm_90a'", "BLOCK_M == 64 * GROUPS", "n > 1024 or BLOCK_N == 128" },
      },
      {
        "C by TMA",
        kernel = matmul.roles,
        tune = {
          BLOCK_M = values(128, 256), BLOCK_N = values(64, 128, 192, 256), STAGES = range(3, 9), CLUSTER_M = values(1, 2),
          CLUSTER_N = values(1, 2), ORDER = values("rows", "hilbert"), IDLE = values(0, 4), LAG = values(0, 2), STORES = values(0, 2),
        },
        where = fits(
          "CLUSTER_M * CLUSTER_N <= 2", "IDLE == 0 or n >= 4096",
          "n > 1024 and BLOCK_M * BLOCK_N >= 128 * 192 or n <= 1024 or n == 2048 and BLOCK_M == 128",
          "n >= 4096 or ORDER == 'rows'", "LAG == 0 or STORES == 2 and BLOCK_M == 128 and ORDER == 'rows'",
          "STORES > 0 or ORDER == 'rows'"
        ),
      },
      {
        "ping-pong",
        kernel = matmul.roles,
        tune = {
          BLOCK_M = values(64, 128), BLOCK_N = values(128, 192, 256), STAGES = range(3, 9), CLUSTER_M = values(1, 2),
          CLUSTER_N = values(1, 2), ORDER = values("rows", "hilbert"), IDLE = values(0, 4), PINGPONG = values(true), STORES = values(1, 2),
        },
        where = fits(
          "CLUSTER_M * CLUSTER_N <= 2", "n >= 4096 or ORDER == 'rows'",
          "IDLE == 0 or n >= 4096 and BLOCK_M * BLOCK_N == 128 * 128 and CLUSTER_M * CLUSTER_N == 1 and ORDER == 'rows'"
        ),
      },
    }), dtype),
    over = { n = values(table.unpack(sizes)) },
    with = { m = function(p) return p.n end, k = function(p) return p.n end },
    baseline = { vendor.matmul { math = dtype, transpose_b = true } },
  }
end
