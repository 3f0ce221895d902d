/* SPDX-License-Identifier: Apache-2.0 */
/*
 * C = A B on the tensor cores of sm_90a by warps with roles: one warp asks the accelerator for tiles, CONSUMERS
 * warpgroups multiply them. CLUSTER_M x CLUSTER_N blocks of a cluster compute neighbouring tiles of C and share what
 * they read: those in a row of tiles A's, those in a column B's. A cluster goes from tile to tile by its own number and
 * the number of clusters; launched with a cluster for every tile, each has one.
 *
 * Cooperative: the consumers share a tile of BLOCK_M rows; the second of two begins it LAG stages behind the first, so
 * that each stores its sums while the other still, or already, multiplies. PINGPONG: each has tiles of its own, in
 * turn, and stores one while the other multiplies.
 *
 * The ring: barrier full[s] ends its phase when stage s has arrived (one arrival and the bytes, from whatever block),
 * free[s] when every warp that reads it, in any block which this one sends to, is done. The producer asks for a stage
 * when free[s] has ended the phase before. Shared memory: STAGES stages, STORES pieces of C a consumer, the barriers.
 */
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

    __device__ __forceinline__ unsigned tiles() const {
        return rows * columns;
    }
};

struct Corner {
    int row, column;
};

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

/* Where this block's tile begins when its cluster has the tile with this number. */
template <class P> __device__ __forceinline__ Corner corner_of(const Task &task, unsigned number) {
#if defined(ORDER_hilbert) && ORDER == ORDER_hilbert
    const Tile tile = hilbert_tile_at(number, task.rows, task.columns);
#elif defined(ORDER_columns) && ORDER == ORDER_columns
    const Tile turned = tile_at<P::GROUP>(number, task.columns, task.rows);
    const Tile tile = {turned.column, turned.row};
#else
    const Tile tile = tile_at<P::GROUP>(number, task.rows, task.columns);
#endif
    return {(int)(tile.row * P::CLUSTER_M + task.rank_m) * P::BLOCK_M,
            (int)(tile.column * P::CLUSTER_N + task.rank_n) * P::BLOCK_N};
}

/* One thread of a block. */
template <class P>
__device__ __forceinline__ void produce(const Task &task, unsigned stages, const CUtensorMap *a, const CUtensorMap *b) {
    const unsigned full = stages + P::BARRIERS_AT, free = full + P::STAGES * 8;
    unsigned a_blocks = 0, b_blocks = 0;
    for (int i = 0; i < P::CLUSTER_N; i++) {
        a_blocks |= 1u << (task.rank_m + i * P::CLUSTER_M);
    }
    for (int i = 0; i < P::CLUSTER_M; i++) {
        b_blocks |= 1u << (i + task.rank_n * P::CLUSTER_M);
    }
    RingPlace<P::STAGES> place;
    for (unsigned number = task.cluster; number < task.tiles(); number += task.clusters) {
        const Corner corner = corner_of<P>(task, number);
        for (int step = 0; step < task.steps; step++) {
            const unsigned to = stages + place.stage * P::STAGE_BYTES, barrier = full + place.stage * 8;
            bulk_wait(free + place.stage * 8, place.parity ^ 1);
            bulk_expect(barrier, P::STAGE_BYTES);
            P::TileA::load(to, a, corner.row, step * P::BLOCK_K, task.rank_n, a_blocks, barrier);
            P::TileB::load(to + P::TileA::BYTES, b, corner.column, step * P::BLOCK_K, task.rank_m, b_blocks, barrier);
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
        there = bulk_place_in(free, tells ? rank : 0);
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
 * `last_of_turn` has been asked for, whoever waits at `turn` may go on. */
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

/* The sums of 64 rows and PIECE_N columns from `first` on to shared memory, swizzled. */
template <class P>
__device__ __forceinline__ void write_piece(const typename P::Sum (&sums)[P::COUNT], int first, unsigned to) {
    typedef typename P::C C;
    const int warp = threadIdx.x % 128 / 32, lane = threadIdx.x % 32;
    if constexpr (sizeof(C) == 4) {
#pragma unroll
        for (int i = 0; i < P::PIECE_N / 2; i += 2) {
            const int line = warp * 16 + i / 2 % 2 * 8 + lane / 4, sixteen = i / 4 * 2 + lane % 4 / 2;
            const typename P::Sum *own = sums + first / 2 + i;
            store_pair(to + line * 128 + (sixteen ^ line % 8) * 16 + lane % 2 * 8, word_of(own[0]), word_of(own[1]));
        }
    } else {
        const int line = warp * 16 + lane % 16, beside = lane / 16;
        const int turn = P::PIECE_N == 64 ? line % 8 : line / 2 % 4; /* the swizzle of 128 or 64 bytes */
#pragma unroll
        for (int right = 0; right < P::PIECE_N / 8; right += 2) {
            const float *own = sums + (first / 8 + right) * 4;
            store_tiles(to + line * (P::PIECE_N * 2) + ((right + beside) ^ turn) * 16, rounded_pair<C>(own[0], own[1]),
                        rounded_pair<C>(own[2], own[3]), rounded_pair<C>(own[4], own[5]),
                        rounded_pair<C>(own[6], own[7]));
        }
    }
}

/* Sums to C by way of shared memory, in pieces: threads write one while the accelerator takes others away. `piece` is
 * the next of the consumer's STORES places for them. */
template <class P>
__device__ __forceinline__ void store_pieces(const typename P::Sum (&sums)[P::WAVES][P::COUNT], const CUtensorMap *c,
                                             Corner corner, unsigned pieces, int &piece, int consumer) {
    const int thread = threadIdx.x % 128;
#pragma unroll
    for (int wave = 0; wave < P::WAVES; wave++) {
#pragma unroll
        for (int first = 0; first < P::BLOCK_N; first += P::PIECE_N) {
            if (P::STORES == 1) {
                if (thread == 0) {
                    bulk_stores_wait<0>();
                }
                named_wait(own_barrier(consumer), 128);
            }
            write_piece<P>(sums[wave], first, pieces + piece * P::PIECE_BYTES);
            bulk_fence_writes();
            if (P::STORES > 1 &&
                thread == 0) { /* then the place of the next piece is free, for all behind the barrier */
                bulk_stores_wait<(P::STORES > 1 ? P::STORES - 2 : 0)>();
            }
            named_wait(own_barrier(consumer), 128);
            if (thread == 0) {
                bulk_store_box(c, corner.column + first, corner.row + wave * 64, pieces + piece * P::PIECE_BYTES);
                bulk_stores_end();
            }
            piece = piece + 1 == P::STORES ? 0 : piece + 1;
        }
    }
}

/* A warpgroup. `boxes` false: C's rows are no multiples of 16 bytes. */
template <class P>
__device__ __forceinline__ void consume(const Task &task, unsigned stages, int consumer, const CUtensorMap *c_map,
                                        typename P::C *c, bool boxes) {
    const int first_row = P::PINGPONG ? 0 : consumer * P::ROWS;
    const unsigned ahead = P::PINGPONG ? task.clusters : 0; /* tiles between this consumer's, which are the other's */
    const unsigned pieces = stages + P::STORES_AT + consumer * (P::STORES * P::PIECE_BYTES);
    const Freeing<P> freeing(task, stages + P::BARRIERS_AT + P::STAGES * 8);
    /* In fewer steps the first could end a tile before the second has begun it, and would be a turn ahead. */
    const bool lags = P::LAG > 0 && task.steps >= P::STAGES;
    RingPlace<P::STAGES> place;
    int piece = 0;
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
        multiply<P>(sums, task.steps, stages, first_row, place, freeing, last_of_turn, turn_barrier(1 - consumer));
        if (P::STORES > 0 && boxes) {
            store_pieces<P>(sums, c_map, corner, pieces, piece, consumer);
        } else {
            store_rows(sums, c, corner.row, corner.column, task.m, task.n);
        }
        if (P::PINGPONG) {
            place.skip(task.steps);
        }
    }
    if (P::STORES > 0 && threadIdx.x % 128 == 0) {
        bulk_stores_wait<0>();
    }
}

#endif

template <typename T, typename C, bool A_BY_K, bool B_BY_K, int BLOCK_M, int BLOCK_N, int BLOCK_K, int STAGES,
          int CONSUMERS, int CLUSTER_M, int CLUSTER_N, int GROUP, bool PINGPONG, int LAG, int IN_FLIGHT, int STORES>
__global__ void __launch_bounds__((CONSUMERS + 1) * 128, 1)
    matmul_wgmma_roles(const __grid_constant__ CUtensorMap a, const __grid_constant__ CUtensorMap b,
                       const __grid_constant__ CUtensorMap c_map, C *__restrict__ c, int m, int n, int k, int boxes) {
#if __CUDA_ARCH_FEAT_SM90_ALL
    typedef Plan<T, C, A_BY_K, B_BY_K, BLOCK_M, BLOCK_N, BLOCK_K, STAGES, CONSUMERS, CLUSTER_M, CLUSTER_N, GROUP,
                 PINGPONG, LAG, IN_FLIGHT, STORES>
        P;
    constexpr int CLUSTER = CLUSTER_M * CLUSTER_N;
    extern __shared__ __align__(1024) unsigned char shared[];
    const unsigned stages = shared_address(shared), full = stages + P::BARRIERS_AT, free = full + STAGES * 8;
    const unsigned rank = blockIdx.x % CLUSTER;
    Task task;
    task.m = m;
    task.n = n;
    task.k = k;
    task.rows = (m + BLOCK_M * CLUSTER_M - 1) / (BLOCK_M * CLUSTER_M);
    task.columns = (n + BLOCK_N * CLUSTER_N - 1) / (BLOCK_N * CLUSTER_N);
    task.rank_m = rank % CLUSTER_M;
    task.rank_n = rank / CLUSTER_M;
    task.cluster = blockIdx.x / CLUSTER;
    task.clusters = gridDim.x / CLUSTER;
    task.steps = (k + BLOCK_K - 1) / BLOCK_K;
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            bulk_barrier_init(full + stage * 8);
            bulk_barrier_init(free + stage * 8, P::FREE_ARRIVALS);
        }
        bulk_barrier_publish();
    }
    if (CLUSTER > 1) {
        cluster_meet();
    } else {
        __syncthreads();
    }

    /* Sums take registers: the producer gives its own away. */
    const int group = __shfl_sync(~0u, threadIdx.x / 128, 0);
    if (group == CONSUMERS) {
        if constexpr (CONSUMERS > 1) {
            warpgroup_give_registers<CONSUMERS == 2 ? 24 : 32>();
        }
        if (threadIdx.x == CONSUMERS * 128) {
            produce<P>(task, stages, &a, &b);
        }
        __syncwarp();
    } else {
        if constexpr (CONSUMERS > 1) {
            warpgroup_take_registers<CONSUMERS == 2 ? 240 : 160>();
        }
        consume<P>(task, stages, group, &c_map, c, boxes);
    }
    if (CLUSTER > 1) { /* nobody leaves while others may still tell it something */
        cluster_meet();
    }
#endif
}
