/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B; B lies as n x k. matmul_mma_boxes.cu goes on: a warp of its own asks for tiles, so that none that multiplies
 * waits for places to become free; half of the warps stay behind the others, and one half multiplies while the other's
 * sums leave by TMA. sm_90a, whose warpgroups hand each other registers.
 */
#include "matmul_boxes.cuh"
#include "matmul_fragments.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

/* What the kernel's parts share. Eight warps have 64 x 64 sums each; behind the tiles' places, two a warp for 16 rows
 * of C of 128 bytes; behind the barriers, one for which the second half waits once. */
template <typename T, int BLOCK_M, int BLOCK_N, int STAGES, int GROUP> struct MmaTask {
    typedef typename Multiply<T>::Out Out;
    static constexpr int WARPS = 8, WARP = 64, DOWN = WARP / 16, RIGHT = WARP / 8, STEPS = 4, PIECE_BYTES = 2048;
    static_assert(BLOCK_M / WARP * (BLOCK_N / WARP) == WARPS && BLOCK_M <= 256 && BLOCK_N <= 256, "a box an operand");
    typedef BoxPlaces<T, BLOCK_M, BLOCK_N, STAGES, WARPS, WARPS * 2 * PIECE_BYTES> Places;
    typedef typename Multiply<T>::Sum Sums[DOWN][RIGHT][4];

    Places places;
    int m, n, k, depth; /* depth: tiles of k */
    unsigned rows, columns;

    __device__ __forceinline__ MmaTask(unsigned stages, int m_, int n_, int k_)
        : places(stages), m(m_), n(n_), k(k_), depth((k_ + Places::DEPTH - 1) / Places::DEPTH),
          rows((m_ + BLOCK_M - 1) / BLOCK_M), columns((n_ + BLOCK_N - 1) / BLOCK_N) {
    }
    __device__ __forceinline__ unsigned tiles() const {
        return rows * columns;
    }
    __device__ __forceinline__ Tile tile(unsigned turn) const {
        return tile_at<GROUP>(turn, rows, columns);
    }
    __device__ __forceinline__ unsigned ahead() const {
        return places.begin + Places::BYTES;
    }
    __device__ __forceinline__ void init() const {
        if (threadIdx.x == 0) {
            bulk_barrier_init(ahead(), WARPS / 2);
        }
        places.init();
    }

    /* By one thread: all tiles of this block, in turn. */
    __device__ __forceinline__ void bring(const CUtensorMap *a, const CUtensorMap *b) const {
        unsigned place = 0, phase = 1;
        for (unsigned turn = blockIdx.x; turn < tiles(); turn += gridDim.x) {
            const Tile at = tile(turn);
            for (int from = 0; from < k; from += Places::DEPTH) {
                bulk_wait(places.free(place), phase);
                places.load(place, a, b, from, at);
                Places::advance(place, phase);
            }
        }
    }

    /* A warp's sums to C, whose first is at row, column; by map where `boxes`. */
    __device__ __forceinline__ void store(const Sums &sums, Out *c, const CUtensorMap *map, bool boxes, unsigned row,
                                          unsigned column) const {
        if (!boxes) {
            store_sums(sums, c, row, column, m, n);
            return;
        }
        constexpr int ACROSS = 128 / (int)sizeof(Out);
        const unsigned pieces = places.begin + STAGES * Places::STAGE_BYTES + threadIdx.x / 32 * (2 * PIECE_BYTES);
#pragma unroll
        for (int i = 0; i < DOWN; i++) {
#pragma unroll
            for (int right = 0; right < WARP; right += ACROSS) {
                const unsigned piece = pieces + (i * (WARP / ACROSS) + right / ACROSS) % 2 * PIECE_BYTES;
                if (threadIdx.x % 32 == 0) {
                    bulk_stores_wait<1>();
                }
                __syncwarp();
                write_lines<Out, ACROSS>(sums[i][right / 8], 0, piece);
                bulk_fence_writes();
                __syncwarp();
                if (threadIdx.x % 32 == 0) {
                    bulk_store_box(map, column + right, row + i * 16, piece);
                    bulk_stores_end();
                }
            }
        }
    }
};

/* Whether the phase has ended; the hardware may wait a little for it. */
__device__ __forceinline__ bool has_ended(unsigned barrier, unsigned parity) {
    unsigned ended;
    asm volatile("{\n .reg .pred p;\n mbarrier.try_wait.parity.shared::cta.b64 p, [%1], %2;\n selp.u32 %0, 1, 0, p;\n}"
                 : "=r"(ended)
                 : "r"(barrier), "r"(parity)
                 : "memory");
    return ended;
}

/*
 * A warp's fragments. One of A is read again, for the next 32 bytes of k, as soon as its row of sums is done; those of
 * B have two sets of registers. So few registers stay free for addresses that nothing else is kept twice.
 */
template <class TASK> struct Fragments {
    typedef Pieces<128, EIGHT_ROWS> Place;
    unsigned a_lane, b_lane, a[TASK::DOWN][4], b[2][TASK::RIGHT / 2][4];

    __device__ __forceinline__ Fragments(unsigned begin, int row, int column) {
        const int lane = threadIdx.x % 32;
        a_lane = begin + Place::offset(row + lane % 16, lane / 16);
        b_lane = begin + TASK::Places::A_BYTES + Place::offset(column + lane / 16 * 8 + lane % 8, lane / 8 % 2);
    }
    /* A step of k, 32 bytes, is an exclusive or in a row of 128 bytes, swizzled or not. */
    __device__ __forceinline__ void load_a(int i, unsigned place, int step) {
        load_matrices(a[i], ((a_lane + place) ^ (step * 32)) + i * 16 * 128);
    }
    __device__ __forceinline__ void load_b(int i, unsigned place, int step) {
        load_matrices(b[step % 2][i], ((b_lane + place) ^ (step * 32)) + i * 16 * 128);
    }
    /* Those of step 0. */
    __device__ __forceinline__ void load_first(unsigned place) {
#pragma unroll
        for (int i = 0; i < TASK::RIGHT / 2; i++) {
            load_b(i, place, 0);
        }
#pragma unroll
        for (int i = 0; i < TASK::DOWN; i++) {
            load_a(i, place, 0);
        }
    }
    /* sums += those of `step`; meanwhile those of the next are read, which is in `place`. */
    template <typename T>
    __device__ __forceinline__ void multiply(typename TASK::Sums &sums, int step, unsigned place) {
        const int next = (step + 1) % TASK::STEPS;
#pragma unroll
        for (int i = 0; i < TASK::DOWN; i++) {
#pragma unroll
            for (int j = 0; j < TASK::RIGHT; j++) {
                const int across = (i + step) % 2 == 0 ? j : TASK::RIGHT - 1 - j; /* the last one of B again at once */
                Multiply<T>::add(sums[i][across], a[i], b[step % 2][across / 2] + across % 2 * 2);
                if (i == 0 && j % 2 == 1) {
                    load_b(j / 2, place, next);
                }
            }
            load_a(i, place, next);
        }
    }
};

#endif

/* LAG: stages that the second half of the warps stays behind the first at the beginning. boxes: c_map is one of C, by
 * which sums leave; else from registers. */
template <typename T, int BLOCK_M, int BLOCK_N, int STAGES, int GROUP, int LAG>
__global__ void __launch_bounds__(384, 1)
    matmul_mma_roles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                     const __grid_constant__ CUtensorMap c_map, typename Multiply<T>::Out *__restrict__ c, int m, int n,
                     int k, int boxes) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef MmaTask<T, BLOCK_M, BLOCK_N, STAGES, GROUP> Task;
    typedef typename Task::Places Places;
    static_assert(LAG < STAGES, "the first half needs no place that the second has not read");
    extern __shared__ __align__(1024) unsigned char stages[];
    const Task task(shared_address(stages), m, n, k);
    task.init();
    const int warp = __shfl_sync(~0u, threadIdx.x / 32, 0);
    if (warp >= Task::WARPS) {
        warpgroup_give_registers<24>();
        if (threadIdx.x == Task::WARPS * 32) {
            task.bring(&a, &b);
        }
        return;
    }
    warpgroup_take_registers<240>();

    constexpr int ACROSS = BLOCK_N / Task::WARP;
    const int warp_row = warp / ACROSS * Task::WARP, warp_column = warp % ACROSS * Task::WARP;
    Fragments<Task> fragments(task.places.begin, warp_row, warp_column);
    const bool first_half = warp < Task::WARPS / 2;
    const int lag = task.depth < LAG ? task.depth : LAG;
    unsigned place = 0, phase = 0;
    if (LAG > 0 && !first_half) {
        bulk_wait(task.ahead(), 0);
    }
    bulk_wait(task.places.full(0), 0);
    fragments.load_first(0);
    for (unsigned turn = blockIdx.x; turn < task.tiles(); turn += gridDim.x) {
        typename Task::Sums sums;
#pragma unroll
        for (int i = 0; i < Task::DOWN * Task::RIGHT * 4; i++) {
            sums[i / 4 / Task::RIGHT][i / 4 % Task::RIGHT][i % 4] = 0;
        }
        for (int tile = 0; tile < task.depth; tile++) {
            const unsigned used = place;
            const bool more =
                tile + 1 < task.depth || turn + gridDim.x < task.tiles(); /* else what is read is not used */
            bool there = false;
#pragma unroll
            for (int step = 0; step < Task::STEPS; step++) {
                if (step == Task::STEPS - 2) { /* the answer comes behind multiplications */
                    Places::advance(place, phase);
                    there = !more || has_ended(task.places.full(place), phase);
                }
                if (step == Task::STEPS - 1 && !there) {
                    bulk_wait(task.places.full(place), phase);
                }
                fragments.template multiply<T>(sums, step, step < Task::STEPS - 1 ? used : place);
            }
            task.places.leave(used);
            if (LAG > 0 && first_half && threadIdx.x % 32 == 0 && turn == blockIdx.x && tile + 1 == lag) {
                bulk_arrive(task.ahead());
            }
        }
        const Tile at = task.tile(turn);
        task.store(sums, c, &c_map, boxes, at.row * BLOCK_M + warp_row, at.column * BLOCK_N + warp_column);
    }
    if (threadIdx.x % 32 == 0) { /* what shared memory holds has been read */
        bulk_stores_wait<0>();
    }
#endif
}
