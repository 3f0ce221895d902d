-- SPDX-License-Identifier: Apache-2.0
-- C = A B by mma.sync from tiles that TMA brings (sm_90 and newer), B lying as n x k: { bf16, fp16, tf32, fp8, int8 }, a kernel
-- each with fits, its constraints.
local tensor = require "kernels.matmul_tensor"
local tiles = require "kernels.tiles"
local wgmma = require "kernels.matmul_wgmma"

local by_k = { a = true, b = true }

-- Bytes of shared memory: a stage is 128 bytes of k deep, and has two barriers.
local function shared_of(c) return c.STAGES * (128 * (c.BLOCK_M + c.BLOCK_N) + 16) end

local function fits(BLOCK_M, BLOCK_N, WARP_M, WARP_N, STAGES, gpu)
  local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, WARP_M = WARP_M, WARP_N = WARP_N, STAGES = STAGES }
  local threads = tiles.threads(c)
  return threads >= 128 and threads <= 256 and shared_of(c) <= gpu.shared_per_block
end

local function boxes(dtype)
  local BYTES, out_bytes, matmul = tensor[dtype].element[3], tensor[dtype].out[3], wgmma[dtype]
  local kernel = tensor[dtype].kernel {
    name = "mma_boxes",
    source = "matmul_mma_boxes.cu",
    entry = ("matmul_mma_boxes<%s, BLOCK_M, BLOCK_N, WARP_M, WARP_N, STAGES, GROUP>"):format(tensor[dtype].cuda),
    params = {
      { "BLOCK_M", 128, "rows of a block's tile" },
      { "BLOCK_N", 256, "columns of a block's tile" },
      { "WARP_M", 64, "rows a warp computes" },
      { "WARP_N", 64, "columns a warp computes" },
      { "STAGES", 4, "places for tiles of A and B in shared memory" },
      { "GROUP", 8, "rows of tiles that blocks go through together, column by column" },
    },
    temps = matmul.temps,
    launch = function(p, c, gpu, b)
      return matmul.with_maps(p, b, by_k, function(map)
        return {
          args = { map("a", c.BLOCK_M, 1), map("b", c.BLOCK_N, 1), b.c, i32(p.m), i32(p.n), i32(p.k) },
          grid = math.min(ceil_div(p.n, c.BLOCK_N) * ceil_div(p.m, c.BLOCK_M), gpu.sms),
          block = tiles.threads(c),
          shared = shared_of(c),
        }
      end)
    end,
    traffic = function(p, c, gpu)
      return tiles.traffic("tensor_" .. dtype, p, { BLOCK_M = c.BLOCK_M, BLOCK_N = c.BLOCK_N, BLOCK_K = 128 // BYTES,
        WARP_M = c.WARP_M, WARP_N = c.WARP_N }, gpu, {
        bytes = BYTES, out_bytes = out_bytes, shared = shared_of(c), group = c.GROUP,
      })
    end,
  }
  return { kernel = kernel, fits = { "gpu.cc >= 90", fits } }
end

local all = {}
for _, dtype in ipairs { "bf16", "fp16", "tf32", "fp8", "int8" } do all[dtype] = boxes(dtype) end
return all
