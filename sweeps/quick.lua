-- SPDX-License-Identifier: Apache-2.0
-- Four families in a few minutes: the first report of a new GPU. At most 200 points; fits 2 GiB, sm_80 and newer.
local copy_scale = require "kernels.copy_scale"
local strided_read = require "kernels.strided_read"
local gemv = require "kernels.gemv_fp16"
local matmul = require "kernels.matmul_fp32"

local function copy_step(name, vec)
  return { name, kernel = copy_scale.fp16, tune = { VEC = values(vec), BLOCK = values(256), ITEMS = values(1, 4) } }
end

return {
  sweep {
    name = "copy_scale",
    variants = {
      copy_step("2 B loads", 1),
      copy_step("4 B loads (half2)", 2),
      copy_step("16 B loads", 8),
    },
    over = { n = values(2^16, 2^19, 2^22, 2^25, 2^27) },
  },
  sweep {
    name = "strided_read",
    diagnostic = true,
    kernel = strided_read,
    over = { stride = values(1, 2, 4, 8, 16, 32) },
    with = { n = 2^23 }, -- to 1 GiB
    tune = { ITEMS = values(1, 4, 8) },
  },
  sweep {
    name = "gemv_fp16",
    variants = {
      { "naive", kernel = gemv.naive, where = { function(n) return n <= 4096 end } },
      {
        "vectorised",
        kernel = gemv.vectorised,
        tune = { BLOCK = values(128, 256), ROWS = values(1, 2), UNROLL = values(2, 4) },
      },
      { "x in shared memory", kernel = gemv.shared, tune = { ROWS = values(8, 16, 32) } },
    },
    over = { n = pow2_values(1024, 16384) },
    with = { k = function(p) return p.n end },
  },
  sweep {
    name = "matmul_fp32",
    variants = {
      { "naive", kernel = matmul.naive, where = { function(n) return n <= 1024 end } },
      { "tiled", kernel = matmul.tiled, tune = { TILE = values(16, 32) } },
      {
        "register-tiled",
        kernel = matmul.register,
        tune = {
          TILE_M = values(32, 64, 128),
          TILE_N = values(32, 64, 128),
          REG_M = values(4, 8),
          REG_N = values(4, 8),
          TILE_K = values(8, 16, 32),
          RESIDENT = values(2, 3, 6, 12),
        },
        where = {
          "TILE_M == TILE_N and REG_M == REG_N",
          "TILE_K < 32 or TILE_M == 32", -- deep steps pay on small matrices, with small tiles
          -- 8 x 8 sums with 256 threads, or 64 in a smaller tile; 4 x 4 sums need fewer registers: more threads an SM.
          function(TILE_M, TILE_N, REG_M, REG_N, RESIDENT)
            local threads = (TILE_M // REG_M) * (TILE_N // REG_N)
            if REG_M == 4 then return threads <= 256 and threads * RESIDENT == 768 end
            return threads * RESIDENT == (threads == 64 and 384 or 512)
          end,
        },
      },
    },
    over = { n = pow2_values(128, 4096) },
    with = { m = function(p) return p.n end, k = function(p) return p.n end },
  },
}
