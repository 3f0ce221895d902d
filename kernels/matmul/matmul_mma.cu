/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B; B lies as n x k. Tensor cores by mma.sync (sm_80 and newer; e4m3: sm_89): fragments by ldmatrix from tiles
 * that cp.async brings.
 */
#include "matmul_fragments.cuh"

/*
 * Warps compute WARP_M x WARP_N elements of a block's tile; tiles of the operands pass through STAGES places in shared
 * memory. STAGES = 1: everyone waits for a tile, then multiplies. AHEAD: the fragments of the next 32 bytes of k are
 * read while those before them are multiplied, across tiles too. The order of tiles is tile_at<GROUP>().
 * RESIDENT blocks shall fit an SM at once: the compiler keeps a thread to the registers that leaves.
 * ALIGNED: rows are multiples of 16 bytes, so that they can be copied by as many. c points to Multiply<T>::Out.
 */
template <typename T, bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N, int STAGES,
          bool SWIZZLE, bool AHEAD, int GROUP, int RESIDENT>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, RESIDENT)
    matmul_mma(const T *__restrict__ a, const T *__restrict__ b, T *__restrict__ c, long long m, long long n,
               long long k) {
    constexpr int WARPS_N = BLOCK_N / WARP_N, THREADS = BLOCK_M / WARP_M * WARPS_N * 32;
    constexpr int DOWN = WARP_M / 16, RIGHT = WARP_N / 8, STEPS = BLOCK_K * (int)sizeof(T) / 32;
    typedef typename Multiply<T>::Out Out;
    typedef TileStream<T, ALIGNED, BLOCK_M, BLOCK_N, BLOCK_K, SWIZZLE ? EIGHT_ROWS : PLAIN, STAGES, THREADS> Stream;
    typedef typename Stream::CopyA::Place Place;
    constexpr int ROW_BYTES = Stream::CopyA::ROW_BYTES;
    static_assert(WARP_M % 16 == 0 && WARP_N % 16 == 0, "whole fragments, those of B in pairs");
    static_assert(!AHEAD || STAGES >= 2, "the next tile's fragments come from another place");

    extern __shared__ __align__(128) unsigned char stages[];
    const unsigned columns = (unsigned)((n + BLOCK_N - 1) / BLOCK_N), rows = (unsigned)((m + BLOCK_M - 1) / BLOCK_M);
    const Tile place = tile_at<GROUP>(blockIdx.x, rows, columns);
    const long long first_row = (long long)place.row * BLOCK_M, first_column = (long long)place.column * BLOCK_N;
    const int rows_left = left_of(m, first_row, BLOCK_M), columns_left = left_of(n, first_column, BLOCK_N);
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int warp_row = warp / WARPS_N * WARP_M, warp_column = warp % WARPS_N * WARP_N;

    const unsigned begin = shared_address(stages);
    Stream stream(begin, a, b, k, first_row, first_column, rows_left, columns_left);
    const int tiles = (int)((k + BLOCK_K - 1) / BLOCK_K);

    /* Rows of a tile are multiples of 64 bytes, so a step of k, 32 bytes, is an exclusive or, swizzled or not. */
    const unsigned a_lane = begin + Place::offset(warp_row + lane % 16, lane / 16);
    const unsigned b_lane =
        begin + Stream::A_BYTES + Place::offset(warp_column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    unsigned a_part[AHEAD ? 2 : 1][DOWN][4], b_part[AHEAD ? 2 : 1][RIGHT / 2][4];
    typename Multiply<T>::Sum sums[DOWN][RIGHT][4];
#pragma unroll
    for (int i = 0; i < DOWN * RIGHT * 4; i++) {
        sums[i / 4 / RIGHT][i / 4 % RIGHT][i % 4] = 0;
    }
    auto load = [&](unsigned use, int step, int buffer) {
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
            load_matrices(a_part[buffer][i], ((a_lane + use) ^ (step * 32)) + i * 16 * ROW_BYTES);
        }
#pragma unroll
        for (int j = 0; j < RIGHT / 2; j++) {
            load_matrices(b_part[buffer][j], ((b_lane + use) ^ (step * 32)) + j * 16 * ROW_BYTES);
        }
    };
    auto multiply = [&](int buffer) {
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
#pragma unroll
            for (int j = 0; j < RIGHT; j++) {
                const int across = i % 2 == 0 ? j : RIGHT - 1 - j; /* the last fragment of B is used again at once */
                Multiply<T>::add(sums[i][across], a_part[buffer][i], b_part[buffer][across / 2] + across % 2 * 2);
            }
        }
    };

    unsigned use = 0; /* bytes from the first place to the tile that is multiplied */
#pragma unroll
    for (int s = 0; s < STAGES - 1; s++) {
        stream.request();
    }
    if constexpr (AHEAD) {
        copy_async_wait<STAGES - 2>();
        __syncthreads();
        load(use, 0, 0);
        for (int tile = 0; tile < tiles; tile++) {
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                if (step == STEPS - 1) {
                    /* The next tile has arrived for every thread, and no thread reads this one's place any more. */
                    copy_async_wait<STAGES - 2>();
                    __syncthreads();
                    use = Stream::after(use);
                }
                load(use, (step + 1) % STEPS, (step + 1) % 2);
                if (step == 0) {
                    stream.request();
                }
                multiply(step % 2);
            }
        }
    } else {
        for (int tile = 0; tile < tiles; tile++) {
            if (STAGES == 1) {
                __syncthreads(); /* no thread reads the tile before this */
                stream.request();
            }
            copy_async_wait<STAGES == 1 ? 0 : STAGES - 2>();
            __syncthreads(); /* this tile has arrived for every thread, and no thread reads the place filled next */
            if (STAGES > 1) {
                stream.request();
            }
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                load(use, step, 0);
                multiply(0);
            }
            use = Stream::after(use);
        }
    }

    if constexpr (sizeof(T) != 2) {
        store_sums(sums, reinterpret_cast<Out *>(c), first_row + warp_row, first_column + warp_column, m, n);
    } else {
        /* Each warp turns its sums into rows in shared memory, padded so that neither side meets a bank twice, and
         * stores them 16 bytes a lane. */
        copy_async_wait<0>();
        __syncthreads();
        constexpr int PITCH = WARP_N + 8, IN_ROW = WARP_N / 8;
        T *rounded = reinterpret_cast<T *>(stages) + warp * WARP_M * PITCH;
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
#pragma unroll
            for (int j = 0; j < RIGHT; j++) {
                T *to = rounded + (i * 16 + lane / 4) * PITCH + j * 8 + lane % 4 * 2;
                *reinterpret_cast<unsigned *>(to) = rounded_pair<T>(sums[i][j][0], sums[i][j][1]);
                *reinterpret_cast<unsigned *>(to + 8 * PITCH) = rounded_pair<T>(sums[i][j][2], sums[i][j][3]);
            }
        }
        __syncwarp();
        const bool aligned = n % 8 == 0;
#pragma unroll 4
        for (int i = lane; i < WARP_M * IN_ROW; i += 32) {
            const int row = i / IN_ROW, column = i % IN_ROW * 8;
            const uint4 word = *reinterpret_cast<const uint4 *>(rounded + row * PITCH + column);
            if (warp_row + row < rows_left) {
                store_eight(c + (first_row + warp_row + row) * n + first_column + warp_column + column, word,
                            columns_left - warp_column - column, aligned);
            }
        }
    }
}
