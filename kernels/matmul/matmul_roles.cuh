/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_roles.cuh - what kernels for sm_90a share in which one warp of a block asks the accelerator for tiles of A and
 * B and CONSUMERS warpgroups multiply them. CLUSTER_M x CLUSTER_N blocks of a cluster compute neighbouring tiles of C
 * and share what they read: those in a row of tiles A's, those in a column B's. A cluster goes from tile to tile by its
 * own number and the number of clusters; launched with a cluster for every tile, each has one.
 *
 * Cooperative: the consumers share a tile of BLOCK_M rows; the second of two begins it LAG stages behind the first, so
 * that each stores its sums while the other still, or already, multiplies. PINGPONG: each has tiles of its own, in
 * turn, and stores one while the other multiplies.
 *
 * The ring: barrier full[s] ends its phase when stage s has arrived (one arrival and the bytes, from whatever block),
 * free[s] when every warp that reads it, in any block which this one sends to, is done. The producer asks for a stage
 * when free[s] has ended the phase before. Shared memory: STAGES stages, STORES pieces of C a consumer, the barriers.
 */
#ifndef RFT_KERNELS_MATMUL_ROLES_CUH
#define RFT_KERNELS_MATMUL_ROLES_CUH

#include "matmul_order.cuh"
#include "matmul_wgmma.cuh"

#if __CUDA_ARCH_FEAT_SM90_ALL

template <typename T_, typename C_, bool A_BY_K, bool B_BY_K, int BLOCK_M_, int BLOCK_N_, int BLOCK_K_, int STAGES_,
          int CONSUMERS_, int CLUSTER_M_, int CLUSTER_N_, int GROUP_, bool PINGPONG_, int LAG_, int IN_FLIGHT_,
          int STORES_>
struct Plan {
    typedef T_ T; /* of A and B */
    typedef C_ C;
    typedef typename SumOf<T>::type Sum;
    static constexpr int BLOCK_M = BLOCK_M_, BLOCK_N = BLOCK_N_, BLOCK_K = BLOCK_K_, STAGES = STAGES_;
    static constexpr int CONSUMERS = CONSUMERS_, CLUSTER_M = CLUSTER_M_, CLUSTER_N = CLUSTER_N_, GROUP = GROUP_;
    static constexpr int LAG = LAG_, IN_FLIGHT = IN_FLIGHT_, STORES = STORES_;
    static constexpr bool PINGPONG = PINGPONG_, IN_TURN = PINGPONG || LAG > 0;
    enum { STAGED = false }; /* scales of blocks surely come with their stage */
    typedef WgmmaTile<A_BY_K, BLOCK_M, BLOCK_K, CLUSTER_N, sizeof(T)> TileA;
    typedef WgmmaTile<B_BY_K, BLOCK_N, BLOCK_K, CLUSTER_M, sizeof(T)> TileB;
    static constexpr int STAGE_BYTES = TileA::BYTES + TileB::BYTES;
    static constexpr int ROWS = PINGPONG ? BLOCK_M : BLOCK_M / CONSUMERS; /* of a consumer */
    static constexpr int WAVES = ROWS / 64, COUNT = BLOCK_N / 2;
    /* A piece of C: 64 rows, as wide as the swizzle that BLOCK_N allows. */
    static constexpr int PIECE_N = BLOCK_N % 64 == 0 && sizeof(C) == 2 ? 64 : 32;
    static constexpr int PIECE_BYTES = 64 * PIECE_N * sizeof(C);
    static constexpr int SHARERS = CLUSTER_M + CLUSTER_N - 1; /* blocks that a block sends to, itself among them */
    static constexpr int FREE_ARRIVALS = SHARERS * 4 * (PINGPONG ? 1 : CONSUMERS);
    static constexpr int STORES_AT = STAGES * STAGE_BYTES;
    static constexpr int BARRIERS_AT = STORES_AT + CONSUMERS * STORES * PIECE_BYTES;
    static_assert(ROWS * (PINGPONG ? 1 : CONSUMERS) == BLOCK_M && ROWS % 64 == 0, "whole instructions");
    static_assert(BLOCK_N % 16 == 0 && BLOCK_N <= 256 && (STORES == 0 || BLOCK_N % 32 == 0), "whole instructions");
    static_assert(!IN_TURN || (CONSUMERS == 2 && LAG < STAGES), "two take turns, one behind the other in the ring");
};

/* The problem, and this block's part in it. */
struct Task {
    int m, n, k;
    unsigned rows, columns; /* of clusters' tiles */
    unsigned rank_m, rank_n, cluster, clusters;
    int steps; /* of BLOCK_K */
    /* Of a part of k, where blocks of a cluster share that: */
    int first_step = 0;
    unsigned first_rank = 0; /* of the blocks that have the same part */

    __device__ __forceinline__ unsigned tiles() const {
        return rows * columns;
    }
};

/* Of the block that calls; a cluster's blocks are numbered down its columns of tiles. */
template <class P> __device__ __forceinline__ void begin_task(Task &task, int m, int n, int k) {
    constexpr int CLUSTER = P::CLUSTER_M * P::CLUSTER_N;
    const unsigned rank = blockIdx.x % CLUSTER;
    task.m = m;
    task.n = n;
    task.k = k;
    task.rows = (m + P::BLOCK_M * P::CLUSTER_M - 1) / (P::BLOCK_M * P::CLUSTER_M);
    task.columns = (n + P::BLOCK_N * P::CLUSTER_N - 1) / (P::BLOCK_N * P::CLUSTER_N);
    task.rank_m = rank % P::CLUSTER_M;
    task.rank_n = rank / P::CLUSTER_M;
    task.cluster = blockIdx.x / CLUSTER;
    task.clusters = gridDim.x / CLUSTER;
    task.steps = (k + P::BLOCK_K - 1) / P::BLOCK_K;
}

/* By all threads of the block: the ring's barriers are there for the whole cluster. */
template <class P> __device__ __forceinline__ void begin_ring(unsigned stages) {
    const unsigned full = stages + P::BARRIERS_AT, free = full + P::STAGES * 8;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < P::STAGES; stage++) {
            bulk_barrier_init(full + stage * 8);
            bulk_barrier_init(free + stage * 8, P::FREE_ARRIVALS);
        }
        bulk_barrier_publish();
    }
    if (P::CLUSTER_M * P::CLUSTER_N > 1) {
        cluster_meet();
    } else {
        __syncthreads();
    }
}

struct Corner {
    int row, column;
};

/* A tile that would end behind the last line begins earlier, over lines of the tile before it: the copy engine takes
 * longer for a box with lines that nobody has than for a whole one. Both tiles store the same there. */
__device__ __forceinline__ int inside(int first, int lines, int size) {
    return first <= size - lines ? first : size > lines ? size - lines : 0;
}

/* Where this block's tile begins when its cluster has the tile with this number. ORDER: rows (GROUP rows of tiles at a
 * time), columns, or hilbert. */
template <class P> __device__ __forceinline__ Corner corner_of(const Task &task, unsigned number) {
#if defined(ORDER_hilbert) && ORDER == ORDER_hilbert
    const Tile tile = hilbert_tile_at(number, task.rows, task.columns);
#elif defined(ORDER_columns) && ORDER == ORDER_columns
    const Tile turned = tile_at<P::GROUP>(number, task.columns, task.rows);
    const Tile tile = {turned.column, turned.row};
#else
    const Tile tile = tile_at<P::GROUP>(number, task.rows, task.columns);
#endif
    const int row = (int)(tile.row * P::CLUSTER_M + task.rank_m) * P::BLOCK_M;
    const int column = (int)(tile.column * P::CLUSTER_N + task.rank_n) * P::BLOCK_N;
#ifdef TILES_OVERLAP
    return {inside(row, P::BLOCK_M, task.m), inside(column, P::BLOCK_N, task.n)};
#else
    return {row, column};
#endif
}

/* What comes with a stage beside tiles: so many bytes, asked for by load(). */
struct NothingElse {
    __device__ __forceinline__ unsigned bytes(Corner) const {
        return 0;
    }
    __device__ __forceinline__ void load(Corner, int, int, unsigned) const {
    }
};

/* One thread of a block; the ring stands at `place`. */
template <class P, class Also = NothingElse>
__device__ __forceinline__ void produce(const Task &task, unsigned stages, const CUtensorMap *a, const CUtensorMap *b,
                                        RingPlace<P::STAGES> place = RingPlace<P::STAGES>(),
                                        const Also &also = Also()) {
    const unsigned full = stages + P::BARRIERS_AT, free = full + P::STAGES * 8;
    unsigned a_blocks = 0, b_blocks = 0;
    for (int i = 0; i < P::CLUSTER_N; i++) {
        a_blocks |= 1u << (task.first_rank + task.rank_m + i * P::CLUSTER_M);
    }
    for (int i = 0; i < P::CLUSTER_M; i++) {
        b_blocks |= 1u << (task.first_rank + i + task.rank_n * P::CLUSTER_M);
    }
    for (unsigned number = task.cluster; number < task.tiles(); number += task.clusters) {
        const Corner corner = corner_of<P>(task, number);
        for (int step = 0; step < task.steps; step++) {
            const unsigned to = stages + place.stage * P::STAGE_BYTES, barrier = full + place.stage * 8;
            bulk_wait(free + place.stage * 8, place.parity ^ 1);
            bulk_expect(barrier, P::STAGE_BYTES + also.bytes(corner));
            P::TileA::load(to, a, corner.row, (task.first_step + step) * P::BLOCK_K, task.rank_n, a_blocks, barrier);
            P::TileB::load(to + P::TileA::BYTES, b, corner.column, (task.first_step + step) * P::BLOCK_K, task.rank_m,
                           b_blocks, barrier);
            also.load(corner, step, place.stage, barrier);
            place.next();
        }
    }
}

/* A consumer's way to say that a stage is free: lane i of each warp tells the i-th block which sends to this one. */
template <class P> struct Freeing {
    unsigned there; /* free[0] of that block; used by SHARERS lanes of each warp */
    bool tells;

    __device__ __forceinline__ Freeing(const Task &task, unsigned free) {
        const unsigned lane = threadIdx.x % 32;
        tells = lane < P::SHARERS;
        if (P::SHARERS == 1) {
            there = free;
            return;
        }
        unsigned rank = lane + task.rank_n * P::CLUSTER_M; /* those of its column of tiles, itself among them */
        if (lane >= P::CLUSTER_M) {                        /* the others of its row */
            const unsigned other = lane - P::CLUSTER_M;
            rank = task.rank_m + (other + (other >= task.rank_n)) * P::CLUSTER_M;
        }
        there = bulk_place_in(free, tells ? task.first_rank + rank : 0);
    }
    __device__ __forceinline__ void tell(int stage) const {
        if (tells) {
            if (P::SHARERS == 1) {
                bulk_arrive(there + stage * 8);
            } else {
                bulk_arrive_at(there + stage * 8);
            }
        }
        __syncwarp();
    }
};

/* A consumer's own barrier, for its pieces of C, and where it waits for its turn. */
__device__ __forceinline__ int own_barrier(int consumer) {
    return 1 + consumer;
}
__device__ __forceinline__ int turn_barrier(int consumer) {
    return 4 + consumer;
}
__device__ __forceinline__ void named_wait(int barrier, int threads) {
    asm volatile("bar.sync %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}
__device__ __forceinline__ void named_arrive(int barrier, int threads) {
    asm volatile("bar.arrive %0, %1;" ::"r"(barrier), "r"(threads) : "memory");
}

/* A tile's sums, of rows from first_row on in each stage. Behind it the ring stands at the block's next tile. When step
 * `last_of_turn` has been asked for, what waits at `turn` may go on. */
template <class P>
__device__ __forceinline__ void multiply(typename P::Sum (&sums)[P::WAVES][P::COUNT], int steps, unsigned stages,
                                         int first_row, RingPlace<P::STAGES> &place, const Freeing<P> &freeing,
                                         int last_of_turn, int turn) {
    const unsigned full = stages + P::BARRIERS_AT;
    const unsigned long long a = P::TileA::operand(stages, first_row), b = P::TileB::operand(stages + P::TileA::BYTES);
    int before = 0;
    for (int step = 0; step < steps; step++) {
        bulk_wait(full + place.stage * 8, place.parity);
        const unsigned at = place.stage * (P::STAGE_BYTES >> 4);
        wgmma_tiles<typename P::T, typename P::TileA, typename P::TileB, P::BLOCK_K>(sums, a + at, b + at, step > 0);
        if (P::IN_TURN && step == last_of_turn) {
            named_arrive(turn, 256);
        }
        wgmma_wait<P::IN_FLIGHT>();
        if (P::IN_FLIGHT == 0) {
            freeing.tell(place.stage);
        } else if (step > 0) {
            freeing.tell(before);
        }
        before = place.stage;
        place.next();
    }
    wgmma_wait<0>();
    wgmma_hold(sums);
    if (P::IN_FLIGHT > 0) {
        freeing.tell(before);
    }
}

/* multiply() for consume(): the whole of k. */
template <class P> struct MultiplyTile {
    const Task &task;
    unsigned stages;
    int first_row; /* of the consumer in each stage */

    __device__ __forceinline__ void operator()(typename P::Sum (&sums)[P::WAVES][P::COUNT], Corner,
                                               RingPlace<P::STAGES> &place, const Freeing<P> &freeing, int last_of_turn,
                                               int turn) const {
        multiply<P>(sums, task.steps, stages, first_row, place, freeing, last_of_turn, turn);
    }
};

/* A warpgroup: for each of its tiles multiply(sums, corner, place, freeing, last_of_turn, turn), which ends like
 * multiply() above, then store(sums, corner); `corner` is where the consumer's own rows begin. */
template <class P, class Multiply, class Store>
__device__ __forceinline__ void consume(const Task &task, unsigned stages, int consumer, Multiply &multiply,
                                        Store &store) {
    const int first_row = P::PINGPONG ? 0 : consumer * P::ROWS;
    const unsigned ahead = P::PINGPONG ? task.clusters : 0; /* tiles between this consumer's, which are the other's */
    const Freeing<P> freeing(task, stages + P::BARRIERS_AT + P::STAGES * 8);
    /* In fewer steps the first could end a tile before the second has begun it, and would be a turn ahead. */
    const bool lags = P::LAG > 0 && task.steps >= P::STAGES;
    RingPlace<P::STAGES> place;
    if (P::PINGPONG && consumer == 1) {
        place.skip(task.steps);
    }
    typename P::Sum sums[P::WAVES][P::COUNT];
    for (unsigned number = task.cluster + consumer * ahead; number < task.tiles(); number += task.clusters + ahead) {
        Corner corner = corner_of<P>(task, number);
        corner.row += first_row;
        int last_of_turn = -1;
        if (P::PINGPONG) { /* until all stages of the tile before have arrived */
            if (number >= task.clusters) {
                named_wait(turn_barrier(consumer), 256);
            }
            last_of_turn = number + task.clusters < task.tiles() ? task.steps - 1 : -1;
        } else if (lags && consumer == 1) {
            named_wait(turn_barrier(consumer), 256);
        } else if (lags) {
            last_of_turn = P::LAG - 1;
        }
        multiply(sums, corner, place, freeing, last_of_turn, turn_barrier(1 - consumer));
        store(sums, corner);
        if (P::PINGPONG) {
            place.skip(task.steps);
        }
    }
}

/* Sums take registers: the producer's warpgroup gives its own away, the consumers take them. */
template <class P> __device__ __forceinline__ void give_registers() {
    if constexpr (P::CONSUMERS > 1) {
        warpgroup_give_registers<P::CONSUMERS == 2 ? 24 : 32>();
    }
}
template <class P> __device__ __forceinline__ void take_registers() {
    if constexpr (P::CONSUMERS > 1) {
        warpgroup_take_registers<P::CONSUMERS == 2 ? 240 : 160>();
    }
}

#endif
#endif
