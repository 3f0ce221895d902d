-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp32: A is m x k, B is k x n. Returns { naive, tiled, register }: a ladder of kernels.
local tensor = require "kernels.matmul_tensor"
local tiles = require "kernels.tiles"

local FLOAT = 4 -- bytes

local function matmul(facts)
  facts.source = "matmul_fp32.cu"
  return tensor.fp32.kernel(facts)
end

local function args(p, b) return { b.a, b.b, b.c, i64(p.m), i64(p.n), i64(p.k) } end

local naive = matmul {
  name = "naive",
  entry = "matmul_naive<BLOCK_X, BLOCK_Y>",
  params = { { "BLOCK_X", 32, "columns a block" }, { "BLOCK_Y", 8, "rows a block" } },
  launch = function(p, c, gpu, b)
    return {
      args = args(p, b),
      grid = { ceil_div(p.n, c.BLOCK_X), ceil_div(p.m, c.BLOCK_Y) },
      block = { c.BLOCK_X, c.BLOCK_Y },
    }
  end,
  -- Two floats a multiplication through L1; what the threads of a block share is fetched from L2 once.
  traffic = function(p, c)
    local written = FLOAT * p.m * p.n
    return {
      fp32 = 2 * p.m * p.n * p.k,
      l1 = 2 * FLOAT * p.m * p.n * p.k + written,
      l2 = tiles.reads(p, FLOAT, c.BLOCK_Y, c.BLOCK_X) + written,
    }
  end,
}

local tiled = matmul {
  name = "tiled",
  entry = "matmul_tiled<TILE, GUARD>",
  params = {
    { "TILE", 16, "rows and columns of a tile; TILE^2 threads a block" },
    { "GUARD", true, "checks bounds; without, sizes must be multiples of TILE" },
  },
  launch = function(p, c, gpu, b)
    return {
      args = args(p, b),
      grid = { ceil_div(p.n, c.TILE), ceil_div(p.m, c.TILE) },
      block = { c.TILE, c.TILE },
    }
  end,
  traffic = function(p, c, gpu)
    local read, written = tiles.reads(p, FLOAT, c.TILE, c.TILE), FLOAT * p.m * p.n
    local in_flight = gpu.sms * (gpu.max_threads_per_sm // (c.TILE * c.TILE))
    return {
      fp32 = tiles.executed(p, c.TILE, c.TILE, c.TILE),
      -- A float of B a multiplication; of A four at a time, the same for all lanes of a row.
      shared = (FLOAT + FLOAT / 4) * p.m * p.n * p.k + read,
      l2 = read + written,
      dram_read = tiles.dram_reads(p, FLOAT, c.TILE, c.TILE, in_flight, gpu.l2_bytes),
      dram_write = written,
    }
  end,
}

local function threads_of(c) return (c.TILE_M // c.REG_M) * (c.TILE_N // c.REG_N) end

local register_facts = {
  name = "register",
  entry = "matmul_register<VEC, TILE_M, TILE_N, TILE_K, REG_M, REG_N, STAGES, RESIDENT>",
  params = {
    { "TILE_M", 128, "rows of a block's tile" },
    { "TILE_N", 128, "columns of a block's tile" },
    { "TILE_K", 16, "depth of a tile in shared memory" },
    { "REG_M", 8, "rows a thread keeps in registers" },
    { "REG_N", 8, "columns a thread keeps in registers" },
    { "VEC", 4, "floats a copy from global to shared memory" },
    { "STAGES", 2, "tiles in shared memory: one in use, the others on their way" },
    { "RESIDENT", 2, "blocks an SM shall hold, which limits the registers of a thread" },
  },
  launch = function(p, c, gpu, b)
    local whole = p.n % 4 == 0 and p.k % 4 == 0 -- rows of 16-byte pieces
    return {
      entry = (whole and "matmul_register<VEC" or "matmul_register<1")
        .. ", TILE_M, TILE_N, TILE_K, REG_M, REG_N, STAGES, RESIDENT>",
      args = args(p, b),
      grid = { ceil_div(p.n, c.TILE_N), ceil_div(p.m, c.TILE_M) },
      block = threads_of(c),
      shared = FLOAT * c.STAGES * (c.TILE_M * (c.TILE_K + 4) + c.TILE_K * c.TILE_N),
    }
  end,
  traffic = function(p, c, gpu)
    local read, written = tiles.reads(p, FLOAT, c.TILE_M, c.TILE_N), FLOAT * p.m * p.n
    -- A thread reads REG_M + REG_N floats for REG_M * REG_N multiplications; half a warp is served in one pass of 128
    -- bytes, so the pipe is busy for half of the bytes that the threads ask for.
    local a_multiplication = FLOAT * (c.REG_M + c.REG_N) / (c.REG_M * c.REG_N) / 2
    return {
      fp32 = tiles.executed(p, c.TILE_M, c.TILE_N, c.TILE_K),
      shared = a_multiplication * p.m * p.n * p.k + read,
      l2 = read + written,
      dram_read = tiles.dram_reads(p, FLOAT, c.TILE_M, c.TILE_N, gpu.sms * c.RESIDENT, gpu.l2_bytes),
      dram_write = written,
    }
  end,
}

local register = matmul(register_facts)

-- The same without its odd problem, which is code of its own (copies of single floats): for spaces of thousands of
-- configurations, where it would double the compiling. `register` is verified on it.
register_facts.odd = false

return { naive = naive, tiled = tiled, register = register, register_even = matmul(register_facts) }
