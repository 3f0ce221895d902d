/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y[i] = x[0] + … + x[i]. A tile can be scanned by a block alone; what has to come from outside is the sum of all tiles
 * before it. Three kernels read x twice to know it; look-back and look-ahead read it once.
 *
 * A block's warps have a stretch of ROWS rows each; a row is 32 vectors of 16 bytes. x and y are multiples of 16 bytes.
 */
#include "bulk_tiles.cuh"
#include "look_back.cuh"
#include "scan.cuh"

/* ---- three kernels ---- */

template <typename T, int BLOCK, int ROWS>
__global__ void __launch_bounds__(BLOCK) scan_sums(const T *__restrict__ x, T *__restrict__ sums, long long n) {
    constexpr int STRETCH = ROWS * 32 * 16 / sizeof(T);
    __shared__ T of_warp[BLOCK / 32];
    ScanVector<T> row[ROWS];
    T sum = 0;
    load_rows(row, x, ((long long)blockIdx.x * (BLOCK / 32) + threadIdx.x / 32) * STRETCH, n);
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
#pragma unroll
        for (int i = 0; i < 16 / (int)sizeof(T); i++) {
            sum += row[k].item[i];
        }
    }
    sum = sum_of_warp(sum);
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = sum;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = sum_of_warp(threadIdx.x < BLOCK / 32 ? of_warp[threadIdx.x] : (T)0);
        if (threadIdx.x == 0) {
            sums[blockIdx.x] = sum;
        }
    }
}

/* REVERSE: from the end, which the first kernel read last: it may still lie in L2. */
template <typename T, int BLOCK, int ROWS, bool REVERSE>
__global__ void __launch_bounds__(BLOCK)
    scan_add(const T *__restrict__ x, T *__restrict__ y, const T *__restrict__ sums, long long n) {
    constexpr int STRETCH = ROWS * 32 * 16 / sizeof(T);
    const int warp = threadIdx.x / 32;
    const unsigned tile = REVERSE ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    const long long at = ((long long)tile * (BLOCK / 32) + warp) * STRETCH;
    __shared__ T of_warp[BLOCK / 32];
    ScanVector<T> row[ROWS];
    T before = tile > 0 ? sums[tile - 1] : (T)0;
    scan_tile<T, BLOCK>(row, of_warp, x, at, n);
    __syncthreads();
    for (int i = 0; i < warp; i++) {
        before += of_warp[i];
    }
    add_to_rows(row, before);
    store_rows(row, y, at, n);
}

/* ---- one pass ---- */

/*
 * A block a tile. It tells the sum of its tile, and its first warp then goes back over what the tiles before have told,
 * until it meets one that knows all before it. HELD: threads that an SM shall hold, which bounds the registers.
 */
template <typename T, int BLOCK, int ROWS, int HELD, int DELAY>
__global__ void __launch_bounds__(BLOCK, HELD / BLOCK)
    scan_look_back(const T *__restrict__ x, T *__restrict__ y, unsigned long long *state, long long n) {
    constexpr int WARPS = BLOCK / 32, STRETCH = ROWS * 32 * 16 / sizeof(T);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __shared__ T of_warp[WARPS];
    __shared__ Ticket drawn;
    if (threadIdx.x == 0) {
        drawn = draw_tile(state, gridDim.x);
    }
    __syncthreads();
    const Ticket ticket = drawn;
    const long long at = ((long long)ticket.tile * WARPS + warp) * STRETCH;
    ScanVector<T> row[ROWS];
    scan_tile<T, BLOCK>(row, of_warp, x, at, n);
    __syncthreads();
    if (warp == 0) {
        const T mine = lane < WARPS ? of_warp[lane] : (T)0, up_to = scan_lanes(mine);
        const T below = __shfl_up_sync(0xffffffffu, up_to, 1), sum = __shfl_sync(0xffffffffu, up_to, 31);
        T before = 0;
        if (ticket.tile > 0) {
            if (lane == 0) {
                tell_tile(state, ticket, sum, TILE_SUM);
            }
            before = look_back<DELAY, T>(state, ticket);
        }
        if (lane == 0) {
            tell_tile(state, ticket, before + sum, TILE_PREFIX);
        }
        if (lane < WARPS) {
            of_warp[lane] = before + (lane > 0 ? below : (T)0);
        }
    }
    __syncthreads();
    add_to_rows(row, of_warp[warp]);
    store_rows(row, y, at, n);
}

/* Of a place in the ring of look-ahead. */
template <typename T, int WARPS> struct Stage {
    T of_warp[WARPS]; /* sums of the stretches */
    T sum, before;    /* of the tile; of all tiles before it */
    Ticket ticket;
};

/* Where look-ahead goes next in its ring. */
template <int STAGES> struct RingPlace {
    int stage = 0;
    unsigned parity = 0;

    __device__ __forceinline__ void go_on() {
        stage = stage + 1 < STAGES ? stage + 1 : 0;
        parity ^= stage == 0;
    }
};

/*
 * Blocks stay, each with a ring of STAGES tiles of TILE bytes in shared memory, and its warps have one task each:
 *   the first draws tiles and asks for bulk copies of them;
 *   the second adds up what other blocks tell of the tiles between this block's last one and its next, while the data
 * of the next are still arriving; SUMMERS warps add up a tile as soon as it is there, and tell its sum; WARPS warps
 * scan it and write it out once all before it is known. So no one waits for a prefix while memory has something to
 * bring. Every tile tells its sum alone.
 */
template <typename T, int TILE, int STAGES, int WARPS, int SUMMERS, int PER_SM>
__global__ void __launch_bounds__((WARPS + SUMMERS + 2) * 32, PER_SM)
    scan_look_ahead(const T *__restrict__ x, T *__restrict__ y, unsigned long long *state, long long n) {
#if __CUDA_ARCH__ >= 900
    constexpr int VEC = 16 / sizeof(T), ITEMS = TILE / sizeof(T), STRETCH = ITEMS / WARPS, ROWS = STRETCH / (32 * VEC);
    constexpr int AT_ONCE = ROWS < 4 ? ROWS : 4; /* rows in registers */
    static_assert(ROWS % AT_ONCE == 0 && ROWS * 32 * VEC * WARPS == ITEMS && WARPS % SUMMERS == 0, "whole rows");
    typedef Stage<T, WARPS> stage_t;
    extern __shared__ __align__(128) unsigned char ring[];
    stage_t *stages = reinterpret_cast<stage_t *>(ring + STAGES * TILE);
    const unsigned base = shared_address(ring), barriers = base + STAGES * (TILE + (unsigned)sizeof(stage_t));
    /* of each stage: a tile is drawn, is there, is added up and told, may be written, has been read */
    const unsigned drawn = barriers, there = drawn + STAGES * 8, summed = there + STAGES * 8,
                   known = summed + STAGES * 8, empty = known + STAGES * 8;
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned tiles = (unsigned)((n + ITEMS - 1) / ITEMS);
    if (threadIdx.x == 0) {
        for (int i = 0; i < STAGES; i++) {
            bulk_barrier_init(drawn + i * 8);
            bulk_barrier_init(there + i * 8);
            bulk_barrier_init(summed + i * 8);
            bulk_barrier_init(known + i * 8);
            bulk_barrier_init(empty + i * 8, WARPS);
        }
        bulk_barrier_publish();
    }
    __syncthreads();
    RingPlace<STAGES> place;

    if (warp == 0) {
        /* A launch draws every tile, and once more for each block, which ends it. */
        Ticket ticket;
        if (lane == 0) {
            ticket = draw_tile(state, tiles + gridDim.x);
            for (bool goes_on = true; goes_on; place.go_on()) {
                bulk_wait(empty + place.stage * 8, place.parity ^ 1);
                stages[place.stage].ticket = ticket;
                bulk_arrive(drawn + place.stage * 8);
                goes_on = ticket.tile < tiles;
                const long long first = (long long)ticket.tile * ITEMS, rest = n - first;
                const unsigned bytes = !goes_on ? 0 : rest < ITEMS ? (unsigned)(rest / VEC) * 16 : TILE;
                bulk_expect(there + place.stage * 8, bytes);
                if (bytes > 0) {
                    bulk_load(base + place.stage * TILE, x + first, bytes, there + place.stage * 8);
                }
                if (goes_on) {
                    ticket = draw_tile(state, tiles + gridDim.x);
                }
            }
        }
        return;
    }

    if (warp == 1) {
        T before = 0;
        for (int last = -1;; place.go_on()) {
            stage_t &stage = stages[place.stage];
            bulk_wait(drawn + place.stage * 8, place.parity);
            const Ticket ticket = stage.ticket;
            if (ticket.tile >= tiles) {
                return;
            }
            before += look_between<T>(state, last, (int)ticket.tile, ticket.launch);
            bulk_wait(summed + place.stage * 8, place.parity);
            const T sum = stage.sum;
            __syncwarp();
            if (lane == 0) {
                stage.before = before;
                bulk_arrive(known + place.stage * 8);
            }
            before += sum;
            last = (int)ticket.tile;
        }
    }

    for (;; place.go_on()) {
        stage_t &stage = stages[place.stage];
        const T *items = reinterpret_cast<const T *>(ring + place.stage * TILE);
        bulk_wait(drawn + place.stage * 8, place.parity);
        const Ticket ticket = stage.ticket;
        if (ticket.tile >= tiles) {
            return;
        }
        const long long first = (long long)ticket.tile * ITEMS, rest = n - first;
        bulk_wait(there + place.stage * 8, place.parity);
        const int full = rest < ITEMS ? (int)(rest / VEC) : ITEMS / VEC; /* vectors that the copy brought */

        if (warp < 2 + SUMMERS) {
            for (int stretch = warp - 2; stretch < WARPS; stretch += SUMMERS) {
                T part[VEC] = {};
#pragma unroll 4
                for (int k = 0; k < ROWS; k++) {
                    const int vector = stretch * (STRETCH / VEC) + k * 32 + lane;
                    if (vector < full) {
                        ScanVector<T> of;
                        of.word = reinterpret_cast<const uint4 *>(items)[vector];
#pragma unroll
                        for (int i = 0; i < VEC; i++) {
                            part[i] += of.item[i];
                        }
                    }
                }
                T sum = part[0];
#pragma unroll
                for (int i = 1; i < VEC; i++) {
                    sum += part[i];
                }
                sum = sum_of_warp(sum);
                if (lane == 0) {
                    stage.of_warp[stretch] = sum;
                }
            }
            asm volatile("bar.sync 1, %0;" ::"n"(SUMMERS * 32) : "memory"); /* the summers alone */
            if (warp == 2 && lane == 0) {
                T sum = 0;
#pragma unroll
                for (int i = 0; i < WARPS; i++) {
                    sum += stage.of_warp[i];
                }
                stage.sum = sum;
                tell_tile(state, ticket, sum, TILE_SUM);
                bulk_arrive(summed + place.stage * 8);
            }
            continue;
        }

        const int stretch = warp - 2 - SUMMERS;
        bulk_wait(summed + place.stage * 8, place.parity);
        bulk_wait(known + place.stage * 8, place.parity);
        T before = stage.before;
        for (int i = 0; i < stretch; i++) {
            before += stage.of_warp[i];
        }
#pragma unroll 1
        for (int k = 0; k < ROWS; k += AT_ONCE) {
            ScanVector<T> row[AT_ONCE];
            const int vector = stretch * (STRETCH / VEC) + k * 32 + lane;
#pragma unroll
            for (int r = 0; r < AT_ONCE; r++) {
                if (vector + r * 32 < full) {
                    row[r].word = reinterpret_cast<const uint4 *>(items)[vector + r * 32];
                } else { /* behind the end; what fills no vector no copy has brought */
#pragma unroll
                    for (int i = 0; i < VEC; i++) {
                        const long long place = first + (vector + r * 32) * VEC + i;
                        row[r].item[i] = place < n ? x[place] : (T)0;
                    }
                }
            }
            scan_rows(row, before);
            store_rows(row, y, first + stretch * STRETCH + k * 32 * VEC, n);
        }
        __syncwarp();
        if (lane == 0) {
            bulk_arrive(empty + place.stage * 8);
        }
    }
#endif
}
