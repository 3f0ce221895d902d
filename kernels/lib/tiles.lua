-- SPDX-License-Identifier: Apache-2.0
-- What a product of matrices moves and executes when blocks compute tiles of C (tile_m x tile_n, tile_k deep). p has m,
-- n and k, the same element size everywhere: `bytes`.
local tiles = {}

-- Global to SM, bytes: A once for every column of tiles, B once for every row of them.
function tiles.reads(p, bytes, tile_m, tile_n)
  return bytes * p.k * (p.m * ceil_div(p.n, tile_n) + p.n * ceil_div(p.m, tile_m))
end

-- What the pipe executes, operations: whole tiles, the padding at the edges included.
function tiles.executed(p, tile_m, tile_n, tile_k)
  return 2 * ceil_div(p.m, tile_m) * tile_m * ceil_div(p.n, tile_n) * tile_n * ceil_div(p.k, tile_k) * tile_k
end

-- Blocks that run together share what they read through L2: of the tiles' reads only one for each row and column of
-- tiles among them comes from memory. They go through `group` rows of tiles at a time, row by row when left out.
-- Operands that fit half of L2 are read once. Bytes.
function tiles.dram_reads(p, bytes, tile_m, tile_n, blocks_in_flight, l2_bytes, group)
  local once = bytes * p.k * (p.m + p.n)
  if once <= l2_bytes / 2 then return once end
  local rows, columns = ceil_div(p.m, tile_m), ceil_div(p.n, tile_n)
  local grouped = math.min(rows, group or 1)
  local rows_in_flight = math.min(rows, math.max(grouped, ceil_div(blocks_in_flight, columns)))
  local columns_in_flight = math.min(columns, ceil_div(blocks_in_flight, grouped))
  local a_wave = bytes * p.k * (rows_in_flight * tile_m + columns_in_flight * tile_n)
  local waves = ceil_div(rows * columns, blocks_in_flight)
  return math.max(once, math.min(waves * a_wave, tiles.reads(p, bytes, tile_m, tile_n)))
end

-- SMs that clusters of so many blocks fill at once. One lies within a GPC, some 16 SMs, which come in pairs: beyond two
-- blocks a GPC leaves over half of what they take more (an H200 holds 31 clusters of four, not 33).
function tiles.filled(gpu, cluster)
  return (gpu.sms - gpu.sms // 16 * math.max(0, cluster - 2) // 2) // cluster * cluster
end

-- Of blocks of warps: BLOCK_M x BLOCK_N elements of C a block, WARP_M x WARP_N a warp.
function tiles.threads(c) return 32 * (c.BLOCK_M // c.WARP_M) * (c.BLOCK_N // c.WARP_N) end

-- Constraints on them: the warps; large tiles for large matrices, small ones for small, as others leave SMs idle or reread
-- too much.
function tiles.four_or_eight_warps(BLOCK_M, BLOCK_N, WARP_M, WARP_N)
  local threads = tiles.threads { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, WARP_M = WARP_M, WARP_N = WARP_N }
  return threads >= 128 and threads <= 256
end
function tiles.suit(n, BLOCK_M, BLOCK_N)
  local sums = BLOCK_M * BLOCK_N
  return sums <= 32 * n and sums >= math.min(4 * n, 128 * 128)
end

-- Shared memory, bytes by shared_of(config), fits: that of one block; that of RESIDENT blocks which stay on an SM and have
-- its 8 warps together.
function tiles.fits(shared_of)
  return function(BLOCK_M, BLOCK_N, BLOCK_K, WARP_N, STAGES, gpu)
    local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, WARP_N = WARP_N, STAGES = STAGES }
    return shared_of(c) <= gpu.shared_per_block
  end
end
function tiles.stay(shared_of)
  return function(BLOCK_M, BLOCK_N, BLOCK_K, WARP_M, WARP_N, STAGES, RESIDENT, gpu)
    local c = { BLOCK_M = BLOCK_M, BLOCK_N = BLOCK_N, BLOCK_K = BLOCK_K, WARP_M = WARP_M, WARP_N = WARP_N, STAGES = STAGES }
    local shared = shared_of(c)
    return RESIDENT * tiles.threads(c) == 256 and shared <= gpu.shared_per_block
      and RESIDENT * (shared + 1024) <= gpu.shared_per_sm -- the driver takes 1 KiB a block
  end
end

-- Their traffic, with tiles BLOCK_K deep in shared memory, of which warps read WARP_M + WARP_N elements for WARP_M x WARP_N
-- multiplications. `facts`: bytes, an element of A and B; out_bytes, of C, the same when left out; shared, bytes a block;
-- c_bytes, what an element of C moves through shared memory (0); passes, more than 1 where banks are met twice; group, as
-- above.
function tiles.traffic(pipe, p, c, gpu, facts)
  local bytes, written = facts.bytes, (facts.out_bytes or facts.bytes) * p.m * p.n
  local read = tiles.reads(p, bytes, c.BLOCK_M, c.BLOCK_N)
  local executed = tiles.executed(p, c.BLOCK_M, c.BLOCK_N, c.BLOCK_K)
  local fragments = executed / 2 * bytes * (1 / c.WARP_M + 1 / c.WARP_N)
  local in_flight = gpu.sms * math.max(1, gpu.shared_per_sm // (facts.shared + 1024)) -- the driver takes 1 KiB a block
  return {
    [pipe] = executed,
    shared = (facts.passes or 1) * fragments + read + (facts.c_bytes or 0) * p.m * p.n,
    l2 = read + written,
    dram_read = tiles.dram_reads(p, bytes, c.BLOCK_M, c.BLOCK_N, in_flight, gpu.l2_bytes, facts.group),
    dram_write = written,
  }
end

return tiles
