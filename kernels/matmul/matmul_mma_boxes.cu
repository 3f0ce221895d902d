/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B; B lies as n x k. matmul_mma_turns.cu goes on: the tensor memory accelerator brings the tiles (sm_90 and
 * newer, where no wgmma is too), and barriers in shared memory say what has arrived and what is free, so that no warp
 * waits for all others.
 */
#include "matmul_boxes.cuh"
#include "matmul_fragments.cuh"

#if __CUDA_ARCH__ >= 900

/* One thread of a warp that multiplies asks for tiles: a warp more would leave the others 168 registers. It fills the
 * place read a tile ago, halfway through the next. */
template <typename T, int BLOCK_M, int BLOCK_N, int STAGES, int WARPS, int GROUP>
struct BoxRing : BoxPlaces<T, BLOCK_M, BLOCK_N, STAGES, WARPS> {
    typedef BoxPlaces<T, BLOCK_M, BLOCK_N, STAGES, WARPS> Places;
    using Places::free;
    using Places::full;
    static_assert(STAGES >= 2, "one read, one on its way");

    const CUtensorMap *a, *b;
    int k;
    unsigned rows, columns, place = 0, parity = 0; /* place: bytes from the first */
    /* What is asked for next: */
    unsigned fill = 0, fill_parity = 1, turn = blockIdx.x;
    int from = 0;
    Tile tile;

    __device__ __forceinline__ BoxRing(unsigned stages, const CUtensorMap *a_, const CUtensorMap *b_, int m, int n,
                                       int k_)
        : Places(stages), a(a_), b(b_), k(k_), rows((m + BLOCK_M - 1) / BLOCK_M),
          columns((n + BLOCK_N - 1) / BLOCK_N), tile{} {
        this->init();
        for (int s = 0; s < STAGES - 1; s++) {
            request();
        }
    }

    __device__ __forceinline__ void request() {
        if (threadIdx.x == 0 && turn < rows * columns) {
            if (from == 0) {
                tile = tile_at<GROUP>(turn, rows, columns);
            }
            bulk_wait(free(fill), fill_parity);
            this->load(fill, a, b, from, tile);
            Places::advance(fill, fill_parity);
            from += Places::DEPTH;
            if (from >= k) {
                from = 0;
                turn += gridDim.x;
            }
        }
    }
    /* By every thread of a warp: the place has arrived. */
    __device__ __forceinline__ void arrive() const {
        bulk_wait(full(place), parity);
    }
};

#endif

/*
 * Warps compute WARP_M x WARP_N elements of a block's tile. The fragments of the next 32 bytes of k are read while
 * those before them are multiplied, across tiles of C too; these are stored from registers. The order of tiles is
 * tile_at<GROUP>().
 */
template <typename T, int BLOCK_M, int BLOCK_N, int WARP_M, int WARP_N, int STAGES, int GROUP>
__global__ void __launch_bounds__(BLOCK_M / WARP_M * (BLOCK_N / WARP_N) * 32, 1)
    matmul_mma_boxes(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                     typename Multiply<T>::Out *__restrict__ c, int m, int n, int k) {
#if __CUDA_ARCH__ >= 900
    typedef Part<BLOCK_M, BLOCK_N, WARP_M, WARP_N, GROUP> BlockPart;
    typedef BoxRing<T, BLOCK_M, BLOCK_N, STAGES, BlockPart::THREADS / 32, GROUP> Ring;
    typedef Pieces<128, EIGHT_ROWS> Place;
    constexpr int DOWN = WARP_M / 16, RIGHT = WARP_N / 8, STEPS = 4, LOADS = DOWN + RIGHT / 2;
    static_assert(BLOCK_M <= 256 && BLOCK_N <= 256, "a box an operand");

    extern __shared__ __align__(1024) unsigned char stages[];
    const unsigned begin = shared_address(stages);
    Ring ring(begin, &a, &b, m, n, k);
    const unsigned tiles = ring.rows * ring.columns;
    const int depth = (k + Ring::DEPTH - 1) / Ring::DEPTH, lane = threadIdx.x % 32;

    /* A step of k, 32 bytes, is an exclusive or in a row of 128 bytes, swizzled or not. */
    const BlockPart own(blockIdx.x, m, n);
    const unsigned a_lane = begin + Place::offset(own.warp_row + lane % 16, lane / 16);
    const unsigned b_lane =
        begin + Ring::A_BYTES + Place::offset(own.warp_column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    unsigned a_part[2][DOWN][4], b_part[2][RIGHT / 2][4];
    /* Fragment i of the tile in use, those of B first: every row of sums wants all of them. */
    auto load = [&](int i, int step) {
        if (i < RIGHT / 2) {
            load_matrices(b_part[step % 2][i], ((b_lane + ring.place) ^ (step * 32)) + i * 16 * 128);
        } else {
            const int down = i - RIGHT / 2;
            load_matrices(a_part[step % 2][down], ((a_lane + ring.place) ^ (step * 32)) + down * 16 * 128);
        }
    };

    ring.arrive();
#pragma unroll
    for (int i = 0; i < LOADS; i++) {
        load(i, 0);
    }
    for (unsigned turn = blockIdx.x; turn < tiles; turn += gridDim.x) {
        typename Multiply<T>::Sum sums[DOWN][RIGHT][4];
#pragma unroll
        for (int i = 0; i < DOWN * RIGHT * 4; i++) {
            sums[i / 4 / RIGHT][i / 4 % RIGHT][i % 4] = 0;
        }
        for (int tile = 0; tile < depth; tile++) {
            const unsigned used = ring.place;
#pragma unroll
            for (int step = 0; step < STEPS; step++) {
                if (step == STEPS - 1) {
                    Ring::advance(ring.place, ring.parity);
                    if (tile + 1 < depth || turn + gridDim.x < tiles) { /* else what is read is not used */
                        ring.arrive();
                    }
                }
#pragma unroll
                for (int i = 0; i < DOWN; i++) {
#pragma unroll
                    for (int at = 0; at < LOADS; at++) {
                        if (at * DOWN / LOADS == i) {
                            load(at, (step + 1) % STEPS);
                        }
                    }
#pragma unroll
                    for (int j = 0; j < RIGHT; j++) {
                        const int across = i % 2 == 0 ? j : RIGHT - 1 - j; /* the last fragment of B again at once */
                        Multiply<T>::add(sums[i][across], a_part[step % 2][i],
                                         b_part[step % 2][across / 2] + across % 2 * 2);
                    }
                }
                if (step == STEPS / 2) {
                    ring.request();
                }
            }
            ring.leave(used);
        }
        const BlockPart part(turn, m, n);
        store_sums(sums, c, part.first_row + part.warp_row, part.first_column + part.warp_column, m, n);
    }
#endif
}
