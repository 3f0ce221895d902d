/* SPDX-License-Identifier: Apache-2.0 */
/* matmul_order.cuh - tiles of C along Hilbert's curve, so that tiles that follow each other are neighbours. */
#ifndef RFT_KERNELS_MATMUL_ORDER_CUH
#define RFT_KERNELS_MATMUL_ORDER_CUH

#include "matmul_tensor.cuh"

/* The place with this number on Hilbert's curve through a square, whose side is a power of two. */
__device__ __forceinline__ Tile hilbert_at(unsigned number, unsigned side) {
    unsigned row = 0, column = 0;
    for (unsigned half = 1; half < side; half *= 2) {
        const unsigned down = number / 2 % 2, right = (number ^ down) % 2, before = row;
        if (right == 0) { /* this quarter's curve is turned */
            row = down ? half - 1 - column : column;
            column = down ? half - 1 - before : before;
        }
        row += down * half;
        column += right * half;
        number /= 4;
    }
    return {row, column};
}

/* Bands of squares, as large as fit, each along its curve; what is left of a band column by column. */
__device__ __forceinline__ Tile hilbert_tile_at(unsigned index, unsigned rows, unsigned columns) {
    unsigned side = 1;
    while (side * 2 <= rows && side * 2 <= columns) {
        side *= 2;
    }
    const unsigned first = index / (side * columns) * side, within = index % (side * columns);
    const unsigned height = rows - first < side ? rows - first : side, square = within / (side * side);
    if (height < side || (square + 1) * side > columns) {
        const unsigned left = height < side ? 0 : square * side, rest = within - left * height;
        return {first + rest % height, left + rest / height};
    }
    const Tile tile = hilbert_at(within % (side * side), side);
    return {first + tile.row, square * side + tile.column};
}

#endif
