-- SPDX-License-Identifier: Apache-2.0
-- Dedispersion: 11,130 of 22,272 are valid. Definition: searchspaces_provider.py of fjwillemsen/kernel_tuner_paper (MIT).
return sweep {
  tune = {
    block_size_x = values(1, 2, 4, 8, 16, 32),
    block_size_y = range(32, 256, 8),
    block_size_z = values(1),
    tile_size_x = range(1, 4),
    tile_size_y = range(1, 8),
    tile_stride_x = values(0, 1),
    tile_stride_y = values(0, 1),
    loop_unroll_factor_channel = values(0),
  },
  where = {
    "block_size_x * block_size_y >= 32 and block_size_x * block_size_y <= 1024",
    "tile_size_x > 1 or tile_stride_x == 0",
    "tile_size_y > 1 or tile_stride_y == 0",
  },
}
