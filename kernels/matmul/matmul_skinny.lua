-- SPDX-License-Identifier: Apache-2.0
-- C = A B for few rows of A, or few tiles, on tensor cores: A is m x k (tokens), B lies as n x k (weights), C is m x n, sums
-- are fp32. Returns { bf16, fp16, fp8 }, each { wide, skinny, split, fits, full, few, few_fits, stream, stream_fits }: wide,
-- without tensor cores, and skinny from sm_80 on, split, few and stream on sm_90a alone, with their constraints. fp8 (C in
-- bf16) has split and few and their constraints alone.
local tensor = require "kernels.matmul_tensor"
local tiles = require "kernels.tiles"
local wgmma = require "kernels.matmul_wgmma"

local BYTES = 2 -- an element of A, B and C
local TOKENS = { "BLOCK_M", 16, "tokens of a tile: rows of A and C" }

-- A size that leaves an edge in every tile; of m too, which the smallest problem would leave at 1.
local ODD = { m = 83, n = 1021, k = 2053 }

-- linear_weights.lua's of the same name. Rows that are no multiples of 16 bytes take its naive one.
local function wide(dtype, cuda_type)
  local WIDE = ("linear_wide<Plain, %s, BLOCK, ROWS, UNROLL, 1, true>"):format(cuda_type)
  local none = u64(0) -- scales, zeros, parts and counters
  return tensor[dtype].kernel {
    name = "wide",
    source = "linear_weights.cu",
    entry = WIDE,
    params = {
      { "BLOCK", 128, "threads that share a row of weights" },
      { "ROWS", 2, "rows a block works on at once" },
      { "UNROLL", 2, "16-byte loads of a row in flight in a thread" },
    },
    odd = ODD,
    launch = function(p, c, gpu, b)
      if p.k % 8 ~= 0 then
        return {
          entry = ("linear_naive<Plain, %s, %d>"):format(cuda_type, c.BLOCK // 32),
          args = { b.b, none, none, b.a, b.c, i64(p.n), i64(p.k) },
          grid = { ceil_div(p.n, c.BLOCK // 32), p.m },
          block = c.BLOCK,
        }
      end
      return {
        args = { b.b, none, none, b.a, b.c, none, none, i64(p.m), i64(p.n), i64(p.k) },
        grid = { ceil_div(p.n, c.ROWS), p.m },
        block = c.BLOCK,
        shared = 4 * c.ROWS * c.BLOCK // 32,
      }
    end,
    -- Each token reads the weights; every block its share of A, which L1 may spare.
    traffic = function(p, c)
      local weights, tokens = BYTES * p.n * p.k, BYTES * p.m * p.k
      return {
        ["tensor_" .. dtype] = 0, fp32 = 2 * p.m * p.n * p.k,
        l2 = p.m * weights + tokens * ceil_div(p.n, c.ROWS) + BYTES * p.m * p.n,
        dram_read = weights + tokens, dram_write = BYTES * p.m * p.n,
      }
    end,
    -- Memory waits for bytes in flight, of 2,048 threads an SM.
    prior = function(p, c, gpu, t)
      local in_flight = math.min(ceil_div(p.n, c.ROWS) * c.BLOCK, 2048 * gpu.sms) * 16 * c.ROWS * c.UNROLL
      return math.max(t.dram * math.max(1, 48 * KiB * gpu.sms / in_flight), t.l2)
    end,
  }
end

local function skinny(dtype, cuda_type)
  local PARAMS = "BLOCK_M, BLOCK_N, WARPS, AHEAD"
  local function shared_of(c) return 4 * c.WARPS * c.BLOCK_M * (c.BLOCK_N + 4) end
  local function blocks(p, c) return ceil_div(p.m, c.BLOCK_M) * ceil_div(p.n, c.BLOCK_N) end
  return tensor[dtype].kernel {
    name = "skinny",
    source = "matmul_skinny.cu",
    entry = ("matmul_skinny<%s, true, %s>"):format(cuda_type, PARAMS),
    params = {
      { "BLOCK_M", 8, TOKENS[3] },
      { "BLOCK_N", 16, "columns of C, rows of weights, of a block" },
      { "WARPS", 8, "warps of a block, which share k" },
      { "AHEAD", 4, "times 32 k's that a warp asks for at once" },
    },
    odd = ODD,
    launch = function(p, c, gpu, b)
      return {
        entry = ("matmul_skinny<%s, %s, %s>"):format(cuda_type, tostring(p.k % 8 == 0), PARAMS),
        args = { b.a, b.b, b.c, i64(p.m), i64(p.n), i64(p.k) },
        grid = { ceil_div(p.m, c.BLOCK_M), ceil_div(p.n, c.BLOCK_N) },
        block = 32 * c.WARPS,
        shared = shared_of(c),
      }
    end,
    -- An instruction multiplies 8 tokens by 16 rows; rows of A beyond m are neither read nor stored.
    traffic = function(p, c, gpu)
      local read, sums = tiles.reads(p, BYTES, c.BLOCK_M, c.BLOCK_N), 4 * p.m * p.n
      return {
        ["tensor_" .. dtype] = tiles.executed(p, c.BLOCK_M, c.BLOCK_N, 32),
        shared = c.WARPS * (1 + c.BLOCK_M * blocks(p, c) * c.BLOCK_N / (p.m * p.n)) * sums,
        l2 = read + BYTES * p.m * p.n,
        dram_read = tiles.dram_reads(p, BYTES, c.BLOCK_M, c.BLOCK_N, gpu.sms, gpu.l2_bytes),
        dram_write = BYTES * p.m * p.n,
      }
    end,
    -- Beside memory's time, that of a warp's steps of 32 k's: it waits for what it has asked for, and multiplies, one
    -- instruction behind the other. Blocks beyond those whose registers find room begin a round later, which takes some 2 us.
    prior = function(p, c, gpu, t)
      local registers = math.min(c.AHEAD * (c.BLOCK_N + c.BLOCK_M) // 2 + c.BLOCK_M * c.BLOCK_N // 32 + 40, 2048 // c.WARPS)
      local resident = math.max(1, gpu.registers_per_sm // (32 * registers) // c.WARPS)
      local rounds, steps = ceil_div(blocks(p, c), resident * gpu.sms), p.k / 32 / c.WARPS
      return math.max(t.dram, t.l2) + rounds * (steps * (100 / c.AHEAD + 20 + 30 * c.BLOCK_M * c.BLOCK_N / 128) * ns + 2 * us)
    end,
  }
end

-- Bytes of shared memory: the ring, of elements of so many bytes, or the tile's sums as floats in its place; barriers.
local function stage_of(c, bytes) return (bytes or BYTES) * (c.BLOCK_M + c.BLOCK_N) * c.BLOCK_K end
local function sums_of(c) return 4 * c.BLOCK_M * (c.BLOCK_N + 4) end
local function shared_of(c, bytes) return c.STAGES * (stage_of(c, bytes) + 16) end

-- Blocks that an SM holds by their shared memory, of which the driver takes 1 KiB each.
local function resident_of(c, gpu, bytes) return gpu.shared_per_sm // (shared_of(c, bytes) + 1024) end

local function blocks_of(p, c)
  local cluster = c.CLUSTER_M * c.CLUSTER_N
  return ceil_div(p.m, c.BLOCK_M * c.CLUSTER_M) * ceil_div(p.n, c.BLOCK_N * c.CLUSTER_N) * cluster * c.SPLIT
end

local function split(dtype, cuda_type, bytes)
  local pipe, BYTES = "tensor_" .. dtype, bytes or BYTES
  local name = bytes == 1 and "matmul_wgmma_split_to<%s, __nv_bfloat16, " or "matmul_wgmma_split<%s, "
  return tensor[dtype].kernel {
    name = "wgmma_split",
    source = "matmul_wgmma_split.cu",
    options = wgmma.overlap,
    entry = (name .. "BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, SPLIT" .. (bytes == 1 and ", EARLY>" or ">")):format(cuda_type),
    params = {
      TOKENS,
      { "BLOCK_N", 128, "columns of a tile of C: rows of weights" },
      { "BLOCK_K", 64, "depth of a stage" },
      { "STAGES", 12, "places for tiles of A and B in shared memory" },
      { "CONSUMERS", 2, "warpgroups that multiply; one more warp brings tiles" },
      { "CLUSTER_M", 1, "tiles of a cluster along m: their blocks share what they read of B" },
      { "CLUSTER_N", 1, "tiles of a cluster along n: their blocks share what they read of A" },
      { "SPLIT", 2, "blocks of a cluster that share k" },
      bytes == 1 and { "EARLY", false, "asks for weights before the launch in front of it ends (PDL)" } or nil,
    },
    temps = wgmma[dtype].temps,
    odd = ODD,
    launch = function(p, c, gpu, b)
      return wgmma[dtype].with_maps(p, b, { a = true, b = true }, function(map)
        return {
          args = { map("a", c.BLOCK_M, c.CLUSTER_N), map("b", c.BLOCK_N, c.CLUSTER_M), b.c, i32(p.m), i32(p.n), i32(p.k) },
          grid = blocks_of(p, c),
          cluster = c.CLUSTER_M * c.CLUSTER_N * c.SPLIT,
          block = 128 * c.CONSUMERS + 32,
          shared = shared_of(c, BYTES),
          pdl = bytes == 1 and c.EARLY and p.k % 16 == 0, -- else a launch in front widens the weights' rows
        }
      end)
    end,
    -- An instruction reads 64 rows of weights and BLOCK_M tokens. Sums pass shared memory twice, as floats of each part.
    traffic = function(p, c, gpu)
      local executed = tiles.executed(p, c.BLOCK_M, c.BLOCK_N, c.BLOCK_K)
      local tile_m, tile_n, written = c.BLOCK_M * c.CLUSTER_M, c.BLOCK_N * c.CLUSTER_N, 2 * p.m * p.n
      return {
        [pipe] = executed,
        shared = executed / 2 * BYTES * (1 / c.BLOCK_M + 1 / 64) + tiles.reads(p, BYTES, c.BLOCK_M, c.BLOCK_N)
          + 8 * c.SPLIT * p.m * p.n,
        l2 = tiles.reads(p, BYTES, tile_m, tile_n) + written,
        dram_read = tiles.dram_reads(p, BYTES, tile_m, tile_n, gpu.sms // (c.CLUSTER_M * c.CLUSTER_N), gpu.l2_bytes),
        dram_write = written,
      }
    end,
    -- Memory waits for bytes in flight, the rest for the busiest SM; one read of the L2 serves several, boxes with rows
    -- behind A come slowly. Blocks of a cluster wait for each other, most where each has its own weights. To begin and end
    -- a round takes some 5 us, to add up a tile of 128 x 128 some 2.
    prior = function(p, c, gpu, t)
      local blocks, resident = blocks_of(p, c), math.max(1, resident_of(c, gpu, BYTES))
      local parts = ceil_div(p.m, c.BLOCK_M) * ceil_div(p.n, c.BLOCK_N) * c.SPLIT
      local busiest = ceil_div(blocks, tiles.filled(gpu, c.CLUSTER_M * c.CLUSTER_N * c.SPLIT))
      local in_flight = math.min(blocks, resident * gpu.sms) * c.STAGES * stage_of(c, BYTES)
      local moved = math.max(
        t.dram * math.max(1, 48 * KiB * gpu.sms / in_flight),
        math.max(t[pipe], 0.6 * t.l2, t.shared) * busiest * gpu.sms / parts
          * (p.m < c.BLOCK_M and 1.4 or 1)
      )
      return moved * (c.CLUSTER_N > 1 and 1.2 or c.CLUSTER_M > 1 and 1.02 or 1) + ceil_div(busiest, resident) * 5 * us
        + (c.SPLIT > 1 and (1 + busiest * c.BLOCK_M * c.BLOCK_N / 2^13) * us or 0)
    end,
  }
end

-- A tile of split's, of 64 rows of weights, whose stages crews take in turn.
local function few_tile(c)
  return { BLOCK_M = c.BLOCK_M, BLOCK_N = 64, BLOCK_K = c.BLOCK_K, STAGES = c.STAGES, CLUSTER_M = 1, CLUSTER_N = 1, SPLIT = 1 }
end

local function few(dtype, cuda_type, bytes)
  local narrow, C = bytes == 1, bytes == 1 and "__nv_bfloat16" or cuda_type
  return tensor[dtype].kernel {
    name = "wgmma_few",
    source = "matmul_wgmma_few.cu",
    entry = ("matmul_wgmma_few<%s, %s, BLOCK_M, BLOCK_K, STAGES, CREWS, TURNS, %s>"):format(cuda_type, C, narrow and "EARLY" or "false"),
    params = {
      TOKENS,
      { "BLOCK_K", 128, "depth of a stage" },
      { "STAGES", 8, "places for tiles of A and B in shared memory" },
      { "CREWS", 2, "warpgroups, which take stages in turn; one more warp brings tiles" },
      { "TURNS", 8, "parts of k of which neighbouring blocks begin with different ones" },
      narrow and { "EARLY", false, "asks for weights before the launch in front of it ends (PDL)" } or nil,
    },
    temps = wgmma[dtype].temps,
    odd = ODD,
    launch = function(p, c, gpu, b)
      return wgmma[dtype].with_maps(p, b, { a = true, b = true }, function(map)
        return {
          args = { map("a", c.BLOCK_M, 1), map("b", 64, 1), b.c, i32(p.m), i32(p.n), i32(p.k) },
          grid = blocks_of(p, few_tile(c)),
          block = 128 * c.CREWS + 32,
          shared = shared_of(few_tile(c), bytes),
          pdl = narrow and c.EARLY and p.k % 16 == 0, -- else a launch in front widens the weights' rows
        }
      end)
    end,
    -- As split's, with sums of each crew.
    traffic = function(p, c, gpu)
      local executed, written = tiles.executed(p, c.BLOCK_M, 64, c.BLOCK_K), 2 * p.m * p.n
      local read = tiles.reads(p, bytes, c.BLOCK_M, 64)
      return {
        ["tensor_" .. dtype] = executed,
        shared = executed / 2 * bytes * (1 / c.BLOCK_M + 1 / 64) + read + 8 * c.CREWS * p.m * p.n,
        l2 = read + written,
        dram_read = tiles.dram_reads(p, bytes, c.BLOCK_M, 64, gpu.sms, gpu.l2_bytes),
        dram_write = written,
      }
    end,
    -- Memory waits for bytes in flight; blocks in step ask for the same columns of all rows.
    prior = function(p, c, gpu, t)
      local in_flight = math.min(blocks_of(p, few_tile(c)), gpu.sms) * c.STAGES * stage_of(few_tile(c), bytes)
      return math.max(t.dram * math.max(1, 48 * KiB * gpu.sms / in_flight), 0.6 * t.l2, t.shared) * (c.TURNS > 1 and 1 or 1.02)
        + (c.CREWS > 1 and 5 or 5.5) * us
    end,
  }
end

-- Constraints of few: each crew has stages of its own, and its sums find room in their place; the deepest ring, or a round
-- of crews less.
local function few_fits(bytes)
  return {
    "gpu.arch == 'sm_90a'", "STAGES % CREWS == 0 and BLOCK_M <= 256 and BLOCK_M % 16 == 0",
    function(BLOCK_M, BLOCK_K, STAGES, CREWS, gpu)
      local tile = few_tile { BLOCK_M = BLOCK_M, BLOCK_K = BLOCK_K, STAGES = STAGES }
      if CREWS * sums_of { BLOCK_M = BLOCK_M, BLOCK_N = 64 } > STAGES * stage_of(tile, bytes) then return false end
      local left = gpu.shared_per_block // (stage_of(tile, bytes) + 16) - STAGES
      return left >= 0 and left < 2 * CREWS
    end,
  }
end

local function stream_shared_of(c) return c.STAGES * (stage_of(c) + 16) end

local function stream(dtype, cuda_type)
  local pipe = "tensor_" .. dtype
  local function tiles_of(p, c) -- of clusters
    return ceil_div(p.m, c.BLOCK_M * c.CLUSTER_M) * ceil_div(p.n, c.BLOCK_N * c.CLUSTER_N)
  end
  local function clusters_of(p, c, gpu)
    return math.min(gpu.sms // (c.CLUSTER_M * c.CLUSTER_N), tiles_of(p, c) * ceil_div(p.k, c.BLOCK_K))
  end
  local function blocks_of(p, c, gpu) return clusters_of(p, c, gpu) * c.CLUSTER_M * c.CLUSTER_N end
  -- Bytes of sums that blocks hand over: those whose share begins inside of a tile.
  local function handed_over(p, c, gpu)
    local steps, clusters, inside = ceil_div(p.k, c.BLOCK_K), clusters_of(p, c, gpu), 0
    for i = 1, clusters - 1 do
      if tiles_of(p, c) * steps * i // clusters % steps ~= 0 then inside = inside + 1 end
    end
    return 4 * inside * c.CLUSTER_M * c.CLUSTER_N * c.BLOCK_M * c.BLOCK_N
  end
  return tensor[dtype].kernel {
    name = "wgmma_stream",
    source = "matmul_wgmma_stream.cu",
    options = wgmma.overlap,
    entry = ("matmul_wgmma_stream<%s, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N>"):format(cuda_type),
    params = {
      { "BLOCK_M", 128, "rows of a tile of C" },
      { "BLOCK_N", 256, "columns of a tile of C" },
      { "BLOCK_K", 64, "depth of a stage" },
      { "STAGES", 4, "places for tiles of A and B in shared memory" },
      { "CONSUMERS", 2, "warpgroups that multiply; one more brings tiles" },
      { "CLUSTER_M", 2, "tiles of a cluster along m: their blocks share what they read of B" },
      { "CLUSTER_N", 1, "tiles of a cluster along n: their blocks share what they read of A" },
    },
    odd = ODD,
    temps = function(p, c, gpu)
      local all, blocks = wgmma[dtype].temps(p), blocks_of(p, c, gpu)
      all.handed, all.ready = temp(f32, blocks * c.BLOCK_M * c.BLOCK_N), temp(u32, blocks * c.CONSUMERS)
      return all
    end,
    prepare = function(p, c, gpu, b) return { memset(b.ready, 0) } end, -- each launch leaves zeros behind
    launch = function(p, c, gpu, b)
      return wgmma[dtype].with_maps(p, b, { a = true, b = true }, function(map)
        return {
          args = {
            map("a", c.BLOCK_M, c.CLUSTER_N), map("b", c.BLOCK_N, c.CLUSTER_M), b.c, b.handed, b.ready, i32(p.m), i32(p.n), i32(p.k),
          },
          grid = blocks_of(p, c, gpu),
          cluster = c.CLUSTER_M * c.CLUSTER_N,
          block = 128 * (c.CONSUMERS + 1),
          shared = stream_shared_of(c),
        }
      end)
    end,
    traffic = function(p, c, gpu)
      local executed, handed = tiles.executed(p, c.BLOCK_M, c.BLOCK_N, c.BLOCK_K), handed_over(p, c, gpu)
      local tile_m, tile_n, written = c.BLOCK_M * c.CLUSTER_M, c.BLOCK_N * c.CLUSTER_N, BYTES * p.m * p.n
      return {
        [pipe] = executed,
        shared = executed / 2 * BYTES * (1 / c.BLOCK_N + 1 / 64) + tiles.reads(p, BYTES, c.BLOCK_M, c.BLOCK_N),
        l2 = tiles.reads(p, BYTES, tile_m, tile_n) + written + 2 * handed,
        dram_read = tiles.dram_reads(p, BYTES, tile_m, tile_n, clusters_of(p, c, gpu), gpu.l2_bytes, 8),
        dram_write = written,
      }
    end,
    -- No SM waits for others but those without a block; handing over takes a microsecond or two.
    prior = function(p, c, gpu, t)
      return math.max(t.dram, t[pipe], t.l2, t.shared) * gpu.sms / blocks_of(p, c, gpu) + 2 * us
    end,
  }
end

-- Most SMs have a block, all blocks run at once, and one stage more would not leave room for that. Few weights fill
-- nothing: there any number of blocks an SM will do. `launches` run at once.
local function full_of(bytes, launches)
  return function(m, n, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CLUSTER_M, CLUSTER_N, SPLIT, gpu)
    local c = {
      BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES, CLUSTER_M = CLUSTER_M,
      CLUSTER_N = CLUSTER_N, SPLIT = SPLIT,
    }
    local blocks, resident = blocks_of({ m = m, n = n }, c), resident_of(c, gpu, bytes)
    c.STAGES = STAGES + 1
    local next_resident = resident_of(c, gpu, bytes)
    if n < 2048 then return next_resident < resident end
    local an_sm = ceil_div(blocks, gpu.sms) * launches
    return blocks >= 0.7 * gpu.sms and resident >= an_sm and next_resident < an_sm
  end
end

-- split and its constraints, for elements of so many bytes.
local function split_of(dtype, cuda_type, bytes)
  return {
    split = split(dtype, cuda_type, bytes),
    -- Whole instructions; a thread's sums beside some 60 other registers; a cluster of 8 at most, each block with a part
    -- of each tile; sums where the stages were.
    fits = {
      "gpu.arch == 'sm_90a'",
      "BLOCK_N % (64 * CONSUMERS) == 0 and BLOCK_M % 16 == 0 and BLOCK_M <= 256",
      "BLOCK_M * BLOCK_N <= 64 * 256 * CONSUMERS",
      "CLUSTER_M * CLUSTER_N * SPLIT <= 8",
      "BLOCK_M % (8 * CLUSTER_N) == 0 and BLOCK_N % (8 * CLUSTER_M) == 0",
      function(BLOCK_M, BLOCK_N, BLOCK_K, STAGES, gpu)
        local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES }
        return shared_of(c, bytes) <= gpu.shared_per_block and sums_of(c) <= STAGES * stage_of(c, bytes)
      end,
    },
    full = full_of(bytes, 1), full_of_two = full_of(bytes, 2),
    few = few(dtype, cuda_type, bytes), few_fits = few_fits(bytes),
  }
end

local skinnies = { fp8 = split_of("fp8", "unsigned char", 1) }
for dtype, cuda_type in pairs { bf16 = "__nv_bfloat16", fp16 = "__half" } do
  local own = split_of(dtype, cuda_type, BYTES)
  skinnies[dtype] = {
    wide = wide(dtype, cuda_type),
    skinny = skinny(dtype, cuda_type),
    split = own.split, fits = own.fits, full = own.full, few = own.few, few_fits = own.few_fits,
    stream = stream(dtype, cuda_type),
    -- The constraints of split for stream, with the deepest ring.
    stream_fits = {
      "gpu.arch == 'sm_90a'",
      "CONSUMERS <= 2 and BLOCK_M % (64 * CONSUMERS) == 0 and BLOCK_N % 32 == 0 and BLOCK_N <= 256",
      "BLOCK_M * BLOCK_N <= 128 * 192 * CONSUMERS",
      "BLOCK_M % (8 * CLUSTER_N) == 0 and BLOCK_N % (8 * CLUSTER_M) == 0",
      function(BLOCK_M, BLOCK_N, BLOCK_K, STAGES, gpu)
        local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, STAGES = STAGES }
        local shared = stream_shared_of(c)
        return shared <= gpu.shared_per_block and shared + stage_of(c) + 16 > gpu.shared_per_block
      end,
    },
  }
end
return skinnies
