-- SPDX-License-Identifier: Apache-2.0
-- C = A B on the tensor cores of sm_100a (tcgen05): a function of the type's name, "bf16" or "fp16", that returns the
-- kernel. A is m x k, B lies as n x k. No card has run it.
local tensor = require "kernels.matmul_tensor"
local wgmma = require "kernels.matmul_wgmma"
local tiles = require "kernels.tiles"

local BYTES, BLOCK_M, BLOCK_K = 2, 128, 64
local names = { bf16 = "__nv_bfloat16", fp16 = "__half" }

return function(dtype)
  local base = wgmma[dtype]
  -- Behind the stages two barriers for each, one for the sums, and where tensor memory begins.
  local function shared_of(c) return c.STAGES * (BYTES * (BLOCK_M + c.BLOCK_N) * BLOCK_K + 16) + 16 end

  return tensor[dtype].kernel {
    name = "tcgen05",
    source = "matmul_tcgen05.cu",
    entry = ("matmul_tcgen05<%s, BLOCK_N, STAGES>"):format(names[dtype]),
    params = {
      { "BLOCK_N", 256, "columns of a tile of C, whose 128 rows are tensor memory's lanes" },
      { "STAGES", 4, "places for tiles of A and B in shared memory" },
    },
    temps = base.temps,
    launch = function(p, c, gpu, b)
      return base.with_maps(p, b, { a = true, b = true }, function(map)
        return {
          args = { map("a", BLOCK_M, 1), map("b", c.BLOCK_N, 1), b.c, i32(p.m), i32(p.n), i32(p.k) },
          grid = { ceil_div(p.n, c.BLOCK_N), ceil_div(p.m, BLOCK_M) },
          block = 192,
          shared = shared_of(c),
        }
      end)
    end,
    traffic = function(p, c, gpu)
      local written = BYTES * p.m * p.n
      return {
        ["tensor_" .. dtype] = tiles.executed(p, BLOCK_M, c.BLOCK_N, BLOCK_K),
        l2 = tiles.reads(p, BYTES, BLOCK_M, c.BLOCK_N) + written,
        dram_read = tiles.dram_reads(p, BYTES, BLOCK_M, c.BLOCK_N, gpu.sms, gpu.l2_bytes, 1),
        dram_write = written,
      }
    end,
  }
end
