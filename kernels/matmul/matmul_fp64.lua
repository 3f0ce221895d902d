-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp64: A is m x k, B lies as n x k. Returns { naive, dmma }: without tensor cores, and on them.
local intensity = require "kernels.intensity"
local tiles = require "kernels.tiles"

local DOUBLE = 8 -- bytes

local function matmul(facts)
  return kernel {
    name = facts.name,
    source = "matmul_dmma.cu",
    entry = facts.entry,
    problem = { "m", "n", "k" },
    params = facts.params,
    buffers = function(p)
      return { a = input(f64, p.m * p.k), b = input(f64, p.n * p.k), c = output(f64, p.m * p.n) }
    end,
    launch = facts.launch,
    work = function(p) return intensity.gemm { m = p.m, n = p.n, k = p.k, dtype = "fp64" } end,
    traffic = facts.traffic,
    check = {
      reference = "vendor_matmul_reference.cu:vendor_matmul_reference<double, double, false, true, false>",
      length = function(p) return p.k end,
    },
  }
end

local function args(p, b) return { b.a, b.b, b.c, i64(p.m), i64(p.n), i64(p.k) } end

local naive = matmul {
  name = "matmul_fp64_naive",
  entry = "matmul_naive<BLOCK_X, BLOCK_Y>",
  params = { { "BLOCK_X", 32, "columns a block" }, { "BLOCK_Y", 8, "rows a block" } },
  launch = function(p, c, gpu, b)
    return {
      args = args(p, b),
      grid = { ceil_div(p.n, c.BLOCK_X), ceil_div(p.m, c.BLOCK_Y) },
      block = { c.BLOCK_X, c.BLOCK_Y },
    }
  end,
  traffic = function(p, c)
    return {
      tensor_fp64 = 0,
      fp64 = 2 * p.m * p.n * p.k,
      l2 = tiles.reads(p, DOUBLE, c.BLOCK_Y, c.BLOCK_X) + DOUBLE * p.m * p.n,
    }
  end,
}

-- Shared memory, bytes.
local function shared_of(c) return DOUBLE * c.STAGES * (c.BLOCK_M + c.BLOCK_N) * c.BLOCK_K end

local DMMA = "DEPTH, BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, STAGES, GROUP>"
local dmma = matmul {
  name = "matmul_fp64_dmma",
  entry = "matmul_dmma<true, " .. DMMA,
  params = {
    { "DEPTH", 4, "k of the instruction: 4, m8n8k4; 8 and 16, m16n8k8 and m16n8k16 from sm_90 on" },
    { "BLOCK_M", 128, "rows of a block's tile" },
    { "BLOCK_N", 128, "columns of a block's tile" },
    { "BLOCK_K", 16, "depth of a tile in shared memory" },
    { "WARP_M", 64, "rows a warp computes" },
    { "WARP_N", 32, "columns a warp computes" },
    { "STAGES", 3, "tiles in shared memory: one in use, the others on their way" },
    { "GROUP", 8, "rows of tiles that blocks go through together, column by column" },
  },
  launch = function(p, c, gpu, b)
    return {
      entry = ("matmul_dmma<%s, "):format(tostring(p.k % 2 == 0)) .. DMMA, -- else rows do not begin at 16 bytes
      args = args(p, b),
      grid = ceil_div(p.n, c.BLOCK_N) * ceil_div(p.m, c.BLOCK_M),
      block = tiles.threads(c),
      shared = shared_of(c),
    }
  end,
  traffic = function(p, c, gpu)
    return tiles.traffic("tensor_fp64", p, c, gpu, { bytes = DOUBLE, shared = shared_of(c), group = c.GROUP })
  end,
}

return { naive = naive, dmma = dmma, shared_of = shared_of }
