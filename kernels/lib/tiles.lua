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

return tiles
