-- SPDX-License-Identifier: Apache-2.0
-- MicroHH: 138,600 of 1,166,400 are valid. Definition: searchspaces_provider.py of fjwillemsen/kernel_tuner_paper (MIT),
-- which has no 64 in BLOCK_SIZE_X.
return sweep {
  tune = {
    BLOCK_SIZE_X = values(1, 2, 4, 8, 16, 32, 128, 256, 512, 1024),
    BLOCK_SIZE_Y = values(1, 2, 4, 8, 16, 32),
    BLOCK_SIZE_Z = values(1, 2, 4),
    STATIC_STRIDES = values(0),
    TILING_FACTOR_X = values(1, 2, 4, 8),
    TILING_FACTOR_Y = values(1, 2, 4),
    TILING_FACTOR_Z = values(1, 2, 4),
    TILING_STRATEGY = values(0),
    REWRITE_INTERP = values(0),
    BLOCKS_PER_MP = range(0, 4),
    LOOP_UNROLL_FACTOR_X = values(1, 2, 4, 8),
    LOOP_UNROLL_FACTOR_Y = values(1, 2, 4),
    LOOP_UNROLL_FACTOR_Z = values(1, 2, 4),
  },
  where = {
    "BLOCK_SIZE_X * BLOCK_SIZE_Y * BLOCK_SIZE_Z * BLOCKS_PER_MP <= 1024",
    "BLOCK_SIZE_X * BLOCK_SIZE_Y * BLOCK_SIZE_Z >= 32 and BLOCK_SIZE_X * BLOCK_SIZE_Y * BLOCK_SIZE_Z <= 1536",
    "LOOP_UNROLL_FACTOR_X == 0 or TILING_FACTOR_X % LOOP_UNROLL_FACTOR_X == 0",
    "LOOP_UNROLL_FACTOR_Y == 0 or TILING_FACTOR_Y % LOOP_UNROLL_FACTOR_Y == 0",
    "LOOP_UNROLL_FACTOR_Z == 0 or TILING_FACTOR_Z % LOOP_UNROLL_FACTOR_Z == 0",
    "BLOCK_SIZE_X * TILING_FACTOR_X > 0",
    "BLOCK_SIZE_Y * TILING_FACTOR_Y > 0",
    "BLOCK_SIZE_Z * TILING_FACTOR_Z > 0",
  },
}
