-- SPDX-License-Identifier: Apache-2.0
-- C = A B on the tensor cores of sm_90a alone (wgmma): A is m x k, B lies as n x k, C is m x n, sums are fp32. Returns
-- { bf16, fp16 }, each { stored, tma, roles }: a ladder that goes on from matmul_tensor.lua; and constraints of the last.
local tensor = require "kernels.matmul_tensor"
local tiles = require "kernels.tiles"

local BYTES = 2 -- an element of A, B and C

local wgmma = {}

local BLOCK_M = { "BLOCK_M", 128, "rows of a tile of C" }
local BLOCK_N = { "BLOCK_N", 128, "columns of a tile of C" }
local BLOCK_K = { "BLOCK_K", 64, "depth of a stage" }
local GROUPS = { "GROUPS", 2, "warpgroups that share a tile" }
local STAGES = { "STAGES", 4, "places for tiles of A and B in shared memory" }

-- Shared memory, bytes; the barriers take 16 bytes a stage.
local function stage_bytes(c) return BYTES * (c.BLOCK_M + c.BLOCK_N) * c.BLOCK_K end
local function piece_bytes(c) return 64 * BYTES * (c.BLOCK_N % 64 == 0 and 64 or 32) end
local function roles_bytes(c)
  return c.STAGES * (stage_bytes(c) + 16) + c.CONSUMERS * c.STORES * piece_bytes(c)
end

-- Constraints of `roles`: whole instructions of 64 rows; a thread's sums beside some 40 other registers (of three consumers a
-- thread begins with 128, of two it takes 240); the stages in shared memory.
wgmma.fits = {
  "gpu.arch == 'sm_90a'",
  "not PINGPONG or CONSUMERS == 2",
  "BLOCK_M % (PINGPONG and 64 or 64 * CONSUMERS) == 0",
  "BLOCK_M * BLOCK_N <= 128 * (PINGPONG and 192 or CONSUMERS == 3 and 3 * 96 or CONSUMERS * 192)",
  function(BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, STORES, gpu)
    local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES, CONSUMERS = CONSUMERS, STORES = STORES }
    return roles_bytes(c) <= gpu.shared_per_block
  end,
  "BLOCK_M % (8 * CLUSTER_N) == 0 and BLOCK_N % (8 * CLUSTER_M) == 0", -- parts of a tile
  "STORES == 0 or BLOCK_N % 32 == 0",
}

-- One stage more would not fit.
function wgmma.deepest(BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, STORES, gpu)
  local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES, CONSUMERS = CONSUMERS, STORES = STORES }
  return roles_bytes(c) + stage_bytes(c) + 16 > gpu.shared_per_block
end

-- What instructions of 64 x columns x 16 read from shared memory, bytes.
local function instruction_reads(executed, columns) return executed / 2 * BYTES * (1 / columns + 1 / 64) end

local function ladder(dtype, cuda_type)
  local describe, pipe = tensor[dtype].kernel, "tensor_" .. dtype

  -- Blocks of a cluster (blocks_m x blocks_n) read as one; `stored`: passes of C through shared memory.
  local function moved(p, c, gpu, blocks_m, blocks_n, group, stored)
    local executed = tiles.executed(p, c.BLOCK_M, c.BLOCK_N, c.BLOCK_K)
    local filled = tiles.reads(p, BYTES, c.BLOCK_M, c.BLOCK_N)
    local from_l2 = tiles.reads(p, BYTES, c.BLOCK_M * blocks_m, c.BLOCK_N * blocks_n)
    local written = BYTES * p.m * p.n
    return {
      [pipe] = executed,
      shared = instruction_reads(executed, c.BLOCK_N) + filled + stored * written,
      l2 = from_l2 + written,
      dram_read = tiles.dram_reads(p, BYTES, c.BLOCK_M * blocks_m, c.BLOCK_N * blocks_n,
        gpu.sms // (blocks_m * blocks_n), gpu.l2_bytes, group),
      dram_write = written,
    }
  end

  local STORED = "BLOCK_M, BLOCK_N, BLOCK_K, GROUPS"
  local stored = describe {
    name = "wgmma_stored",
    source = "matmul_wgmma.cu",
    entry = ("matmul_wgmma_stored<%s, true, %s>"):format(cuda_type, STORED),
    params = { BLOCK_M, BLOCK_N, BLOCK_K, GROUPS },
    launch = function(p, c, gpu, b)
      return {
        entry = ("matmul_wgmma_stored<%s, %s, %s>"):format(cuda_type, tostring(p.k % 8 == 0), STORED),
        args = { b.a, b.b, b.c, i64(p.m), i64(p.n), i64(p.k) },
        grid = { ceil_div(p.n, c.BLOCK_N), ceil_div(p.m, c.BLOCK_M) },
        block = 128 * c.GROUPS,
        shared = stage_bytes(c),
      }
    end,
    traffic = function(p, c, gpu) return moved(p, c, gpu, 1, 1, 1, 0) end,
  }

  -- Tensor maps want rows of multiples of 16 bytes: where k gives none, A and B are copied to such rows first.
  local function wide(k) return ceil_div(k, 8) * 8 end
  local function temps(p)
    if p.k % 8 == 0 then return {} end
    local element = dtype == "bf16" and bf16 or f16
    return { a_wide = temp(element, p.m * wide(p.k)), b_wide = temp(element, p.n * wide(p.k)) }
  end
  local function pad(p, from, to, rows)
    return {
      entry = ("pad_rows<%s>"):format(cuda_type),
      args = { from, to, i64(rows), i32(p.k), i32(wide(p.k)) },
      grid = ceil_div(rows * wide(p.k), 256),
      block = 256,
    }
  end
  -- The launch behind what it needs; `multiply` gets the maps of A and B.
  local function with_maps(p, c, b, lines_a, lines_b, multiply)
    local odd = p.k % 8 ~= 0
    local function map(operand, rows, lines)
      return tensor_map(operand, { p.k, rows },
        { strides = { BYTES * wide(p.k) }, box = { 64, lines }, swizzle = 128, l2_promotion = 256 })
    end
    local launch = multiply(map(odd and b.a_wide or b.a, p.m, lines_a), map(odd and b.b_wide or b.b, p.n, lines_b))
    if not odd then return launch end
    return { pad(p, b.a, b.a_wide, p.m), pad(p, b.b, b.b_wide, p.n), launch }
  end

  local tma = describe {
    name = "wgmma_tma",
    source = "matmul_wgmma.cu",
    entry = ("matmul_wgmma_tma<%s, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, GROUPS>"):format(cuda_type),
    params = { BLOCK_M, BLOCK_N, BLOCK_K, STAGES, GROUPS },
    temps = temps,
    launch = function(p, c, gpu, b)
      return with_maps(p, c, b, c.BLOCK_M, c.BLOCK_N, function(a_map, b_map)
        return {
          args = { a_map, b_map, b.c, i64(p.m), i64(p.n), i32(p.k) },
          grid = { ceil_div(p.n, c.BLOCK_N), ceil_div(p.m, c.BLOCK_M) },
          block = 128 * c.GROUPS,
          shared = c.STAGES * (stage_bytes(c) + 8),
        }
      end)
    end,
    traffic = function(p, c, gpu) return moved(p, c, gpu, 1, 1, 1, 0) end,
  }

  local roles = describe {
    name = "wgmma_roles",
    source = "matmul_wgmma_roles.cu",
    entry = ("matmul_wgmma_roles<%s, true, true, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N,"
      .. " GROUP, PINGPONG, IN_FLIGHT, STORES>"):format(cuda_type),
    params = {
      BLOCK_M, { "BLOCK_N", 256, BLOCK_N[3] }, BLOCK_K, STAGES,
      { "CONSUMERS", 2, "warpgroups that multiply; one more brings tiles" },
      { "CLUSTER_M", 2, "tiles of a cluster along m: its blocks share what they read of B" },
      { "CLUSTER_N", 1, "tiles of a cluster along n: its blocks share what they read of A" },
      { "ORDER", "rows", "what GROUP counts: rows of clusters' tiles, or columns" },
      { "GROUP", 8, "so many that clusters go through together" },
      { "IDLE", 0, "SMs left without a block that stays; -1: none stays, a block has one tile" },
      { "PINGPONG", false, "consumers have tiles of their own, in turn" },
      { "IN_FLIGHT", 1, "stages still being multiplied when the next is begun" },
      { "STORES", 2, "pieces of C on their way in shared memory, each consumer; 0: from registers" },
    },
    temps = temps,
    launch = function(p, c, gpu, b)
      local cluster = c.CLUSTER_M * c.CLUSTER_N
      local all = ceil_div(p.m, c.BLOCK_M * c.CLUSTER_M) * ceil_div(p.n, c.BLOCK_N * c.CLUSTER_N)
      local clusters = c.IDLE < 0 and all or math.min(all, (gpu.sms - c.IDLE) // cluster)
      return with_maps(p, c, b, c.BLOCK_M // c.CLUSTER_N, c.BLOCK_N // c.CLUSTER_M, function(a_map, b_map)
        local boxes = p.n % 8 == 0
        local piece = c.BLOCK_N % 64 == 0 and 64 or 32
        local c_map = boxes and tensor_map(b.c, { p.n, p.m }, { box = { piece, 64 }, swizzle = BYTES * piece })
        return {
          args = { a_map, b_map, c_map or a_map, b.c, i32(p.m), i32(p.n), i32(p.k), i32(boxes and 1 or 0) },
          grid = clusters * cluster,
          cluster = cluster,
          block = 128 * (c.CONSUMERS + 1),
          shared = roles_bytes(c),
        }
      end)
    end,
    traffic = function(p, c, gpu)
      return moved(p, c, gpu, c.CLUSTER_M, c.CLUSTER_N, c.GROUP, c.STORES > 0 and 2 or 0)
    end,
  }

  return { stored = stored, tma = tma, roles = roles }
end

wgmma.bf16, wgmma.fp16 = ladder("bf16", "__nv_bfloat16"), ladder("fp16", "__half")
return wgmma
