/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B in fp64 on tensor cores; B lies as n x k. matmul_dmma.cu goes on: blocks stay and take tiles of C in turn,
 * and fragments and copies are asked for between multiplications.
 */
#include "matmul_dmma.cuh"
#include "matmul_turns.cuh"

/*
 * Warps compute WARP_M x WARP_N elements of a block's tile, DEPTH of k an instruction. While 16 rows are multiplied,
 * A's fragments of the next 16 are read; B's of the next step take the place of those that the last rows have used.
 * Tiles of the operands pass through STAGES places in shared memory: one is read to its end while the next is begun, so
 * copies into the place before both begin with the last step of a tile. The order of tiles is tile_at<GROUP>().
 * RESIDENT blocks stay on an SM. ALIGNED: k is even.
 */
template <bool ALIGNED, int DEPTH, int BLOCK_M, int BLOCK_N, int BLOCK_K, int WARP_M, int WARP_N, int STAGES, int GROUP,
          int RESIDENT>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, RESIDENT)
    matmul_dmma_turns(const double *__restrict__ a, const double *__restrict__ b, double *__restrict__ c, long long m,
                      long long n, long long k) {
    typedef Part<BLOCK_M, BLOCK_N, WARP_M, WARP_N, GROUP> BlockPart;
    typedef TurnStream<double, ALIGNED, BLOCK_M, BLOCK_N, BLOCK_K, FOUR_ROWS, STAGES, BlockPart::THREADS, GROUP> Stream;
    typedef typename Stream::CopyA::Place Place;
    constexpr int DOWN = WARP_M / 16, RIGHT = WARP_N / 8, STEP = DEPTH < 8 ? 8 : DEPTH, FOURS = STEP / 4;
    constexpr int STEPS = BLOCK_K / STEP, ROW_BYTES = Stream::CopyA::ROW_BYTES, PARTS = STEP / DEPTH;
    static_assert(STAGES >= 3 && DOWN % 2 == 0 && BLOCK_K % STEP == 0, "fragments of two rows, in turn");

    extern __shared__ __align__(128) unsigned char stages[];
    const unsigned begin = shared_address(stages);
    Stream stream(begin, a, b, m, n, k);
    const int tiles = (int)((k + BLOCK_K - 1) / BLOCK_K), lane = threadIdx.x % 32;

    /* Lane l reads element l % 4 of four of k, so that it lies where the instruction wants it. Four are two pieces, 32
     * bytes: an exclusive or within a row. */
    const BlockPart own(blockIdx.x, m, n);
    const unsigned within = lane % 2 * 8;
    const unsigned a_lane = begin + Place::offset(own.warp_row + lane / 4, lane % 4 / 2) + within;
    const unsigned b_lane = begin + Stream::A_BYTES + Place::offset(own.warp_column + lane / 4, lane % 4 / 2) + within;
    double a_part[2][2][FOURS], b_part[RIGHT][FOURS];
    auto load_a = [&](int down, unsigned place, int step) {
#pragma unroll
        for (int e = 0; e < 2 * FOURS; e++) {
            load_one(a_part[down % 2][e % 2] + e / 2,
                     ((a_lane + place) ^ ((step * FOURS + e / 2) * 32)) + (2 * down + e % 2) * 8 * ROW_BYTES);
        }
    };
    auto load_b = [&](int right, unsigned place, int step) {
#pragma unroll
        for (int e = 0; e < FOURS; e++) {
            load_one(b_part[right] + e, ((b_lane + place) ^ ((step * FOURS + e) * 32)) + right * 8 * ROW_BYTES);
        }
    };

    unsigned use = 0; /* bytes from the first place to the tile that is multiplied */
    stream.template start<STAGES - 2>();
    load_a(0, use, 0);
#pragma unroll
    for (int j = 0; j < RIGHT; j++) {
        load_b(j, use, 0);
    }
    for (unsigned turn = blockIdx.x; turn < stream.rows * stream.columns; turn += gridDim.x) {
        double sums[DOWN][RIGHT][2][2];
#pragma unroll
        for (int i = 0; i < DOWN * RIGHT * 4; i++) {
            sums[i / 4 / RIGHT][i / 4 % RIGHT][i / 2 % 2][i % 2] = 0.0;
        }
        for (int tile = 0; tile < tiles; tile++) {
            const unsigned after = Stream::after(use);
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                const bool last = step == STEPS - 1;
                const unsigned next = last ? after : use; /* the place of the next step's fragments */
                if (last) {
                    stream.template arrive<STAGES - 3>();
                }
#pragma unroll
                for (int i = 0; i < DOWN; i++) {
                    load_a((i + 1) % DOWN, i + 1 < DOWN ? use : next, i + 1 < DOWN ? step : (step + 1) % STEPS);
                    if (last) {
                        stream.template request<DOWN>(i);
                    }
#pragma unroll
                    for (int at = 0; at < PARTS; at++) {
#pragma unroll
                        for (int j = 0; j < RIGHT; j++) {
                            multiply<DEPTH>(sums[i][j], a_part[i % 2][0] + at * DEPTH / 4,
                                            a_part[i % 2][1] + at * DEPTH / 4, b_part[j] + at * DEPTH / 4);
                            if (i == DOWN - 1 && at == PARTS - 1) {
                                load_b(j, next, (step + 1) % STEPS);
                            }
                        }
                    }
                }
            }
            stream.next();
            use = after;
        }
        const BlockPart part(turn, m, n);
        store_sums(sums, c, part.first_row + part.warp_row, part.first_column + part.warp_column, m, n);
    }
    copy_async_wait<0>();
}
