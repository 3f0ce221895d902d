/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention_tiles.cuh - tiles of Q, K, V and of scores in shared memory for mma.sync: ROWS rows of DEPTH elements of 16
 * bits in slabs of 64, rows of 128 bytes each, swizzled for ldmatrix. Places and fragments: matmul_stages.cuh,
 * matmul_fragments.cuh.
 */
#ifndef RFT_KERNELS_ATTENTION_TILES_CUH
#define RFT_KERNELS_ATTENTION_TILES_CUH

#include "attention_rows.cuh"
#include "matmul_fragments.cuh"

template <typename T, int ROWS, int DEPTH, int THREADS> struct SlabTile {
    static constexpr int SLAB_BYTES = ROWS * 128, BYTES = DEPTH / 64 * SLAB_BYTES;
    typedef TileCopy<T, true, ROWS, 64, EIGHT_ROWS, THREADS> Copy;

    /* By all threads: the tile from `from` on, zeros beyond `left` rows. Rows are `pitch` elements apart. */
    __device__ __forceinline__ static void request(unsigned to, const T *from, long long pitch, int left) {
        from += Copy::row() * pitch + Copy::step();
#pragma unroll
        for (int slab = 0; slab < DEPTH / 64; slab++) {
            Copy::template request<false>(to + Copy::offset() + slab * SLAB_BYTES, from + slab * 64, pitch, left, 64);
        }
    }
    /* Of 16 bytes: piece `piece` of a row, counted along all slabs. */
    __device__ __forceinline__ static unsigned at(int row, int piece) {
        return piece / 8 * SLAB_BYTES + Pieces<128, EIGHT_ROWS>::offset(row, piece % 8);
    }
};

/* The A of 16 rows from `row` on, 16 columns from 8 `piece` on. */
template <class TILE> __device__ __forceinline__ void load_left(unsigned (&a)[4], unsigned tile, int row, int piece) {
    const int lane = threadIdx.x % 32;
    load_matrices(a, tile + TILE::at(row + lane % 16, piece + lane / 16));
}

/* s (16 x 8 COUNT / 4, of each band of rows) += a (16 x 16) b, where b's columns are the tile's rows and its k's are 16
 * from 8 `piece` on. */
template <class TILE, typename T, int BANDS, int COUNT>
__device__ __forceinline__ void add_by_rows(float (&s)[BANDS][COUNT], const unsigned (&a)[BANDS][4], unsigned tile,
                                            int piece) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < COUNT / 4; j += 2) {
        unsigned b[4];
        load_matrices(b, tile + TILE::at(j * 8 + lane / 16 * 8 + lane % 8, piece + lane / 8 % 2));
#pragma unroll
        for (int band = 0; band < BANDS; band++) {
            Multiply<T>::add(*reinterpret_cast<float(*)[4]>(s[band] + 4 * j), a[band], b);
            Multiply<T>::add(*reinterpret_cast<float(*)[4]>(s[band] + 4 * j + 4), a[band], b + 2);
        }
    }
}

/* o (16 x 8 COUNT / 4, of each band) += a (16 x 16) b, where b's k's are the tile's rows from `row` on. */
template <class TILE, typename T, int BANDS, int COUNT>
__device__ __forceinline__ void add_by_columns(float (&o)[BANDS][COUNT], const unsigned (&a)[BANDS][4], unsigned tile,
                                               int row) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int j = 0; j < COUNT / 4; j += 2) {
        unsigned b[4];
        load_matrices_turned(b, tile + TILE::at(row + lane % 16, j + lane / 16));
#pragma unroll
        for (int band = 0; band < BANDS; band++) {
            Multiply<T>::add(*reinterpret_cast<float(*)[4]>(o[band] + 4 * j), a[band], b);
            Multiply<T>::add(*reinterpret_cast<float(*)[4]>(o[band] + 4 * j + 4), a[band], b + 2);
        }
    }
}

/* A warp's 16 rows to a matrix of `columns` columns, of 16 bits, from first_row on; rows from `end` on are left out.
 * Four lanes have pairs of neighbours 8 columns apart; turned, a lane has 8 neighbours. */
template <typename T, int COUNT>
__device__ __forceinline__ void store_warp_rows(const float (&o)[COUNT], T *to, int columns, int first_row, int end) {
    const int lane = threadIdx.x % 32;
#pragma unroll
    for (int h = 0; h < 2; h++) {
        const int row = first_row + h * 8 + lane / 4;
#pragma unroll
        for (int j = 0; j < COUNT / 4; j += 4) {
            unsigned pairs[4];
#pragma unroll
            for (int i = 0; i < 4; i++) {
                pairs[i] = rounded_pair<T>(o[4 * (j + i) + 2 * h], o[4 * (j + i) + 2 * h + 1]);
            }
            turn_quad(pairs);
            if (row < end) {
                *reinterpret_cast<uint4 *>(to + (long long)row * columns + (j + lane % 4) * 8) =
                    make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]);
            }
        }
    }
}

#endif
