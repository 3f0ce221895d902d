-- SPDX-License-Identifier: Apache-2.0
-- C = A B in fp32 by FMA, on from matmul_fp32.lua's ladder: A is m x k, B is k x n. Returns { bulk, async, fits }: tiles by
-- TMA (sm_90 and newer), by cp.async (sm_80 and newer); and constraints of both.
local intensity = require "kernels.intensity"
local tiles = require "kernels.tiles"

local FLOAT = 4 -- bytes

local function threads_of(c) return (c.TILE_M // c.REG_M) * (c.TILE_N // c.REG_N) end
local function stages_of(c) return FLOAT * c.STAGES * (c.TILE_M + c.TILE_N) * c.TILE_K end

-- Rows become multiples of 16 bytes.
local function wide(columns) return ceil_div(columns, 4) * 4 end

-- What goes in front of the product: copies of operands whose rows are no such multiples. And where the operands lie then.
local function padded(p, b)
  local copies, at = {}, {}
  for name, lies in pairs { a = { p.m, p.k }, b = { p.k, p.n } } do
    local rows, columns = lies[1], lies[2]
    at[name] = b[name]
    if wide(columns) ~= columns then
      at[name] = b[name .. "_wide"]
      copies[#copies + 1] = {
        entry = "pad_rows<float>",
        args = { b[name], at[name], i64(rows), i32(columns), i32(wide(columns)) },
        grid = ceil_div(rows * wide(columns), 256),
        block = 256,
      }
    end
  end
  return copies, at
end

local params = {
  { "TILE_M", 128, "rows of a block's tile" },
  { "TILE_N", 128, "columns of a block's tile" },
  { "TILE_K", 32, "depth of a tile in shared memory" },
  { "REG_M", 8, "rows a thread keeps in registers" },
  { "REG_N", 16, "columns a thread keeps in registers" },
  { "STAGES", 3, "tiles in shared memory: in use, on their way, and not yet left by all warps" },
  { "GROUP", 8, "rows of tiles that blocks go through together, column by column" },
  { "RESIDENT", 2, "blocks an SM shall hold, which limits the registers of a thread" },
  { "UNROLL", 8, "steps of k that stand one behind the other in code" },
  { "SERPENTINE", true, "neighbouring multiplications share a factor, at a row's end too" },
  { "AHEAD", true, "the next step's factors are read during this one's multiplications" },
  { "PTXAS", 1, "its -O: 1 keeps the order of multiplications, 3 makes another" },
}
local ENTRY = "<TILE_M, TILE_N, TILE_K, REG_M, REG_N, STAGES, GROUP, RESIDENT, UNROLL, SERPENTINE, AHEAD>"

-- `args(p, c, at)` are those of the entry, `at` the operands' buffers.
local function matmul(name, entry, barriers, args)
  return kernel {
    name = "matmul_ffma_" .. name,
    source = "matmul_ffma.cu",
    entry = entry .. ENTRY,
    problem = { "m", "n", "k" },
    params = params,
    options = function(c) return { "-Xptxas", "-O" .. c.PTXAS } end,
    buffers = function(p)
      return {
        a = input(f32, p.m * p.k), b = input(f32, p.k * p.n), c = output(f32, p.m * p.n),
        a_wide = wide(p.k) ~= p.k and temp(f32, p.m * wide(p.k)) or nil,
        b_wide = wide(p.n) ~= p.n and temp(f32, p.k * wide(p.n)) or nil,
      }
    end,
    launch = function(p, c, gpu, b)
      local launches, at = padded(p, b)
      launches[#launches + 1] = {
        args = args(p, c, at, b.c),
        grid = ceil_div(p.m, c.TILE_M) * ceil_div(p.n, c.TILE_N),
        block = threads_of(c),
        shared = stages_of(c) + barriers * c.STAGES,
      }
      return launches
    end,
    work = function(p) return intensity.gemm { m = p.m, n = p.n, k = p.k, dtype = "fp32" } end,
    traffic = function(p, c, gpu)
      local read, written = tiles.reads(p, FLOAT, c.TILE_M, c.TILE_N), FLOAT * p.m * p.n
      -- A thread reads REG_M + REG_N floats for REG_M * REG_N multiplications, half a warp in a pass of 128 bytes.
      local fragments = FLOAT * (c.REG_M + c.REG_N) / (c.REG_M * c.REG_N) / 2
      return {
        fp32 = tiles.executed(p, c.TILE_M, c.TILE_N, c.TILE_K),
        shared = fragments * p.m * p.n * p.k + read,
        l2 = read + written,
        dram_read = tiles.dram_reads(p, FLOAT, c.TILE_M, c.TILE_N, gpu.sms * c.RESIDENT, gpu.l2_bytes, c.GROUP),
        dram_write = written,
      }
    end,
    -- The pipe of the SM that has most tiles: a warp alone on its scheduler multiplies half of the time, each tile waits at its
    -- barriers. Multiplications whose order is ptxas' fetch more registers, factors of 16 rows fill them; a tile without a
    -- loop over its steps has none of them ahead.
    prior = function(p, c, gpu, t)
      local blocks = ceil_div(p.m, c.TILE_M) * ceil_div(p.n, c.TILE_N)
      local busiest = ceil_div(blocks, gpu.sms)
      local warps = math.min(busiest, c.RESIDENT) * threads_of(c) / 128 -- of a scheduler
      local ordered = c.SERPENTINE and c.PTXAS == 1
      return math.max(t.fp32, t.shared, t.l2) * busiest * gpu.sms / blocks * (1 + 1 / warps) * (1 + 2 / c.TILE_K)
        * (c.UNROLL == c.TILE_K and 1.8 or 1) * (ordered and 1 or 1.2) * (c.AHEAD and 1 or 1.05) * (c.REG_M > 8 and 1.03 or 1)
    end,
    check = { reference = "matmul_fp32_reference.cu:matmul_fp32_reference", length = function(p) return p.k end },
  }
end

local bulk = matmul("bulk", "matmul_ffma", 16, function(p, c, at, out)
  return {
    tensor_map(at.a, { wide(p.k), p.m }, { box = { c.TILE_K, c.TILE_M }, swizzle = FLOAT * c.TILE_K, l2_promotion = 256 }),
    tensor_map(at.b, { wide(p.n), p.k }, { box = { c.TILE_N, c.TILE_K }, l2_promotion = 256 }),
    out, i32(p.m), i32(p.n), i32(p.k), f32(1),
  }
end)

local async = matmul("async", "matmul_ffma_async", 0, function(p, c, at, out)
  return { at.a, at.b, out, i32(p.m), i32(p.n), i32(p.k), i32(wide(p.k)), i32(wide(p.n)), f32(1) }
end)

-- Whole warps, a tile's pieces shared by all threads of cp.async; places in shared memory, sums beside some 60 registers.
local fits = {
  "TILE_M % (8 * REG_M) == 0 and TILE_N % (4 * REG_N) == 0",
  function(TILE_M, TILE_N, TILE_K, REG_M, REG_N, STAGES, RESIDENT, gpu)
    local c = { TILE_M = TILE_M, TILE_N = TILE_N, TILE_K = TILE_K, REG_M = REG_M, REG_N = REG_N, STAGES = STAGES }
    local threads = threads_of(c)
    local registers = math.min(255, gpu.registers_per_sm // (threads * RESIDENT))
    return threads >= 128 and threads <= 256 and registers >= REG_M * REG_N + 56
      and (stages_of(c) + 16 * STAGES) <= gpu.shared_per_block
      and (stages_of(c) + 16 * STAGES + 1024) * RESIDENT <= gpu.shared_per_sm
  end,
}

return { bulk = bulk, async = async, fits = fits }
