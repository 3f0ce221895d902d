/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/cublaslt/cublaslt_names.h"

#include <stddef.h>

enum { TILE_STEP = 8, TILE_BLOCK = 64, TILE_SIDE = 768, FIRST_AREA = 64 * 768, SECOND_AREA = 256 * 256 };

/* Numbers 1 to 35, in the order in which the library's authors added them. */
static const short first_tiles[][2] = {
    {8, 8},    {8, 16},    {16, 8},    {8, 32},    {16, 16},   {32, 8},    {8, 64},   {16, 32},  {32, 16},
    {64, 8},   {32, 32},   {32, 64},   {64, 32},   {32, 128},  {64, 64},   {128, 32}, {64, 128}, {128, 64},
    {64, 256}, {128, 128}, {256, 64},  {64, 512},  {128, 256}, {256, 128}, {512, 64}, {64, 96},  {96, 64},
    {96, 128}, {128, 160}, {160, 128}, {192, 128}, {128, 192}, {128, 96},  {32, 256}, {256, 32}};
enum { FIRST_TILES = sizeof first_tiles / sizeof *first_tiles };

static const short last_tiles[][2] = {{256, 512}, {256, 1024}, {512, 512}, {512, 1024}};

static bool is_first(int rows, int columns) {
    for (int i = 0; i < FIRST_TILES; i++) {
        if (first_tiles[i][0] == rows && first_tiles[i][1] == columns) {
            return true;
        }
    }
    return false;
}

static bool is_wide(int rows, int columns) {
    return columns % TILE_BLOCK == 0 && rows * columns <= FIRST_AREA;
}

/* Then all tiles whose columns are a multiple of 64 up to 64 x 768 elements, by rows; then all whose rows are, up to
 * 256 x 256; without those that have a number already. Held against the header in tests/gpu/gpu_vendor_fake.c. */
bool rft_cublaslt_tile(int id, int *rows, int *columns) {
    int number = FIRST_TILES;
    if (id >= 1 && id <= FIRST_TILES) {
        *rows = first_tiles[id - 1][0];
        *columns = first_tiles[id - 1][1];
        return true;
    }
    for (int r = TILE_STEP; r <= TILE_SIDE && id > 0; r += TILE_STEP) {
        for (int c = TILE_BLOCK; c <= TILE_SIDE; c += TILE_BLOCK) {
            if (is_wide(r, c) && !is_first(r, c) && ++number == id) {
                *rows = r;
                *columns = c;
                return true;
            }
        }
    }
    for (int r = TILE_BLOCK; r <= TILE_SIDE && id > 0; r += TILE_BLOCK) {
        for (int c = TILE_STEP; c <= TILE_SIDE && r * c <= SECOND_AREA; c += TILE_STEP) {
            if (!is_wide(r, c) && !is_first(r, c) && ++number == id) {
                *rows = r;
                *columns = c;
                return true;
            }
        }
    }
    if (id > number && id <= number + (int)(sizeof last_tiles / sizeof *last_tiles)) {
        *rows = last_tiles[id - number - 1][0];
        *columns = last_tiles[id - number - 1][1];
        return true;
    }
    *rows = *columns = 0;
    return false;
}

const char *rft_cublaslt_stages(int id) {
    static const char *const names[] = {
        NULL,    "16x1",  "16x2",   "16x3",    "16x4",    "16x5",    "16x6",     "32x1",     "32x2",    "32x3",
        "32x4",  "32x5",  "32x6",   "64x1",    "64x2",    "64x3",    "64x4",     "64x5",     "64x6",    "128x1",
        "128x2", "128x3", "128x4",  "128x5",   "128x6",   "32x10",   "8x4",      "16x10",    "8x5",     NULL,
        NULL,    "8x3",   "8xauto", "16xauto", "32xauto", "64xauto", "128xauto", "256xauto", "768xauto"};
    return id >= 0 && id < (int)(sizeof names / sizeof *names) ? names[id] : NULL;
}

const char *rft_cublaslt_cluster(int id) {
    static const char *const names[] = {
        NULL,     NULL,     "1x1x1",  "2x1x1",  "4x1x1",  "1x2x1",  "2x2x1",  "4x2x1", "1x4x1", "2x4x1", "4x4x1",
        "8x1x1",  "1x8x1",  "8x2x1",  "2x8x1",  "16x1x1", "1x16x1", "3x1x1",  "5x1x1", "6x1x1", "7x1x1", "9x1x1",
        "10x1x1", "11x1x1", "12x1x1", "13x1x1", "14x1x1", "15x1x1", "3x2x1",  "5x2x1", "6x2x1", "7x2x1", "1x3x1",
        "2x3x1",  "3x3x1",  "4x3x1",  "5x3x1",  "3x4x1",  "1x5x1",  "2x5x1",  "3x5x1", "1x6x1", "2x6x1", "1x7x1",
        "2x7x1",  "1x9x1",  "1x10x1", "1x11x1", "1x12x1", "1x13x1", "1x14x1", "1x15x1"};
    return id >= 0 && id < (int)(sizeof names / sizeof *names) ? names[id] : NULL;
}
