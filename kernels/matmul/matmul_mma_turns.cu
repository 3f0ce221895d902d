/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B; B lies as n x k. matmul_mma.cu's last step goes on: blocks stay and take tiles of C in turn, and copies and
 * fragments are asked for between multiplications, so that the tensor cores need not wait for them.
 */
#include "matmul_fragments.cuh"
#include "matmul_turns.cuh"

/*
 * Warps compute WARP_M x WARP_N elements of a block's tile; tiles of the operands pass through STAGES places in shared
 * memory. The fragments of the next 32 bytes of k are read while those before them are multiplied, across tiles of C
 * too; these are stored from registers, since the places are filled meanwhile. The order of tiles is tile_at<GROUP>().
 * RESIDENT blocks stay on an SM. ALIGNED: rows are multiples of 16 bytes.
 */
template <typename T, bool ALIGNED, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N, int STAGES,
          int GROUP, int RESIDENT>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, RESIDENT)
    matmul_mma_turns(const T *__restrict__ a, const T *__restrict__ b, typename Multiply<T>::Out *__restrict__ c,
                     long long m, long long n, long long k) {
    typedef Part<BLOCK_M, BLOCK_N, WARP_M, WARP_N, GROUP> BlockPart;
    typedef TurnStream<T, ALIGNED, BLOCK_M, BLOCK_N, BLOCK_K, EIGHT_ROWS, STAGES, BlockPart::THREADS, GROUP> Stream;
    typedef typename Stream::CopyA::Place Place;
    constexpr int DOWN = WARP_M / 16, RIGHT = WARP_N / 8, STEPS = BLOCK_K * (int)sizeof(T) / 32;
    constexpr int ROW_BYTES = Stream::CopyA::ROW_BYTES, LOADS = DOWN + RIGHT / 2;
    static_assert(STAGES >= 2 && STEPS % 2 == 0, "fragments of two steps, in turn");

    extern __shared__ __align__(128) unsigned char stages[];
    const unsigned begin = shared_address(stages);
    Stream stream(begin, a, b, m, n, k);
    const int tiles = (int)((k + BLOCK_K - 1) / BLOCK_K), lane = threadIdx.x % 32;

    /* Rows of a tile are multiples of 64 bytes, so a step of k, 32 bytes, is an exclusive or, swizzled or not. */
    const BlockPart own(blockIdx.x, m, n);
    const unsigned a_lane = begin + Place::offset(own.warp_row + lane % 16, lane / 16);
    const unsigned b_lane =
        begin + Stream::A_BYTES + Place::offset(own.warp_column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    unsigned a_part[2][DOWN][4], b_part[2][RIGHT / 2][4];
    unsigned use = 0; /* bytes from the first place to the tile that is multiplied */
    /* Fragment i of the tile in use, those of B first: every row of sums wants all of them. */
    auto load = [&](int i, int step) {
        if (i < RIGHT / 2) {
            load_matrices(b_part[step % 2][i], ((b_lane + use) ^ (step * 32)) + i * 16 * ROW_BYTES);
        } else {
            const int down = i - RIGHT / 2;
            load_matrices(a_part[step % 2][down], ((a_lane + use) ^ (step * 32)) + down * 16 * ROW_BYTES);
        }
    };

    stream.template start<STAGES - 2>();
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        load(i, 0);
    }
    for (unsigned turn = blockIdx.x; turn < stream.rows * stream.columns; turn += gridDim.x) {
        typename Multiply<T>::Sum sums[DOWN][RIGHT][4];
#pragma unroll
        for (int i = 0; i < DOWN * RIGHT * 4; i++) {
            sums[i / 4 / RIGHT][i / 4 % RIGHT][i % 4] = 0;
        }
        for (int tile = 0; tile < tiles; tile++) {
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                if (step == STEPS - 1) {
                    stream.template arrive<STAGES - 2>();
                    use = Stream::after(use);
                }
#pragma unroll
                for (int i = 0; i < DOWN; i++) {
#pragma unroll
                    for (int at = 0; at < LOADS; at++) {
                        if (at * DOWN / LOADS == i) {
                            load(at, (step + 1) % STEPS);
                        }
                    }
                    if (step < STEPS - 1) {
                        stream.template request<(STEPS - 1) * DOWN>(step * DOWN + i);
                    }
#pragma unroll
                    for (int j = 0; j < RIGHT; j++) {
                        const int across = i % 2 == 0 ? j : RIGHT - 1 - j; /* the last fragment of B again at once */
                        Multiply<T>::add(sums[i][across], a_part[step % 2][i],
                                         b_part[step % 2][across / 2] + across % 2 * 2);
                    }
                }
                if (step == STEPS - 2) {
                    stream.next();
                }
            }
        }
        const BlockPart part(turn, m, n);
        store_sums(sums, c, part.first_row + part.warp_row, part.first_column + part.warp_column, m, n);
    }
    copy_async_wait<0>();
}
