-- SPDX-License-Identifier: Apache-2.0
-- Hotspot: 349,853 of 22,200,000 are valid. Definition: searchspaces_provider.py of fjwillemsen/kernel_tuner_paper (MIT).
local block_sizes_x = { 1, 2, 4, 8, 16 }
for x = 32, 1024, 32 do
  block_sizes_x[#block_sizes_x + 1] = x
end
return sweep {
  tune = {
    grid_width = values(4096),
    grid_height = values(4096),
    block_size_x = values(block_sizes_x),
    block_size_y = values(1, 2, 4, 8, 16, 32),
    tile_size_x = range(1, 10),
    tile_size_y = range(1, 10),
    temporal_tiling_factor = range(1, 10),
    max_tfactor = values(10),
    loop_unroll_factor_t = range(1, 10),
    sh_power = values(0, 1),
    blocks_per_sm = range(0, 4),
  },
  where = {
    "block_size_x * block_size_y >= 32",
    "temporal_tiling_factor % loop_unroll_factor_t == 0",
    "block_size_x * block_size_y <= 1024",
    "(block_size_x * tile_size_x + temporal_tiling_factor * 2) * (block_size_y * tile_size_y + temporal_tiling_factor * 2) * (2 + sh_power) * 4 <= 49152",
    "blocks_per_sm == 0 or (block_size_x * tile_size_x + temporal_tiling_factor * 2) * (block_size_y * tile_size_y + temporal_tiling_factor * 2) * (2 + sh_power) * 4 * blocks_per_sm <= 102400",
  },
}
