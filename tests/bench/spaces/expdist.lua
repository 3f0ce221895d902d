-- SPDX-License-Identifier: Apache-2.0
-- ExpDist: 294,000 of 9,732,096 are valid. Definition: searchspaces_provider.py of fjwillemsen/kernel_tuner_paper (MIT).
return sweep {
  tune = {
    block_size_x = values(1024, 512, 256, 128, 64, 32),
    block_size_y = pow2_values(1, 32),
    tile_size_x = range(1, 8),
    tile_size_y = range(1, 8),
    use_shared_mem = values(0, 1, 2),
    loop_unroll_factor_x = range(1, 8),
    loop_unroll_factor_y = range(1, 8),
    use_column = values(0, 1),
    use_separate_acc = values(0),
    n_y_blocks = pow2_values(1, 1024),
  },
  where = {
    "use_column ~= 0 or n_y_blocks <= 1",
    "use_column ~= 0 or use_shared_mem ~= 2",
    "loop_unroll_factor_x <= tile_size_x and tile_size_x % loop_unroll_factor_x == 0",
    "loop_unroll_factor_y <= tile_size_y and tile_size_y % loop_unroll_factor_y == 0",
    "block_size_x * block_size_y <= 1024",
  },
}
