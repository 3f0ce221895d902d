/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Those of x that are below `limit` move together, in their order, to the front of y; how many they are goes to
 * `count`. Where an element goes is a running sum of who is kept. Rows and stretches of warps are those of scan.cuh.
 */
#include "look_back.cuh"
#include "scan.cuh"

/* Who is kept of the warp's rows: bit i of kept[k] is this lane's i-th element of row k; where[k]: how many of the
 * stretch are kept before its first. Returns how many of the stretch are. */
template <int ROWS>
__device__ __forceinline__ int mark_rows(const ScanVector<int> (&row)[ROWS], unsigned (&kept)[ROWS], int (&where)[ROWS],
                                         long long at, long long n, int limit) {
    const int lane = threadIdx.x % 32;
    const unsigned below = (1u << lane) - 1;
    int before = 0;
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        kept[k] = 0;
        where[k] = before;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            const bool keep = row[k].item[i] < limit && at + (k * 32 + lane) * 4 + i < n;
            const unsigned lanes = __ballot_sync(0xffffffffu, keep);
            kept[k] |= (unsigned)keep << i;
            where[k] += __popc(lanes & below);
            before += __popc(lanes);
        }
    }
    return before;
}

template <int ROWS>
__device__ __forceinline__ void write_kept(const ScanVector<int> (&row)[ROWS], const unsigned (&kept)[ROWS],
                                           const int (&where)[ROWS], int *to) {
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        int place = where[k];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            if (kept[k] >> i & 1) {
                to[place++] = row[k].item[i];
            }
        }
    }
}

/* Before each warp's stretch so many of the block's are kept; `sum`: of the whole block. All threads call it. */
template <int WARPS> __device__ __forceinline__ int before_warp(int *of_warp, int kept, int &sum) {
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    if (lane == 0) {
        of_warp[warp] = kept;
    }
    __syncthreads();
    int before = 0;
    sum = 0;
#pragma unroll
    for (int i = 0; i < WARPS; i++) {
        before += i < warp ? of_warp[i] : 0;
        sum += of_warp[i];
    }
    return before;
}

/* STAGED: what the block keeps lies together in shared memory first and leaves in whole lines; else each thread stores
 * its own. `staged` has room for the block's tile. */
template <int BLOCK, int ROWS, bool STAGED>
__device__ __forceinline__ void write_tile(const ScanVector<int> (&row)[ROWS], const unsigned (&kept)[ROWS],
                                           const int (&where)[ROWS], int before, int sum, int *staged, int *to) {
    if (!STAGED) {
        write_kept(row, kept, where, to + before);
        return;
    }
    write_kept(row, kept, where, staged + before);
    __syncthreads();
    for (int i = threadIdx.x; i < sum; i += BLOCK) {
        __stcs(to + i, staged[i]);
    }
}

/* ---- three kernels; scan_of_sums is the second ---- */

template <int BLOCK, int ROWS>
__global__ void __launch_bounds__(BLOCK)
    select_count(const int *__restrict__ x, int *__restrict__ sums, long long n, int limit) {
    __shared__ int of_warp[BLOCK / 32];
    ScanVector<int> row[ROWS];
    unsigned kept[ROWS];
    int where[ROWS], sum;
    const long long at = ((long long)blockIdx.x * (BLOCK / 32) + threadIdx.x / 32) * (ROWS * 128);
    load_rows(row, x, at, n);
    before_warp<BLOCK / 32>(of_warp, mark_rows(row, kept, where, at, n, limit), sum);
    if (threadIdx.x == 0) {
        sums[blockIdx.x] = sum;
    }
}

template <int BLOCK, int ROWS, bool STAGED>
__global__ void __launch_bounds__(BLOCK)
    select_write(const int *__restrict__ x, int *__restrict__ y, int *__restrict__ count, const int *__restrict__ sums,
                 long long n, int limit) {
    __shared__ int of_warp[BLOCK / 32];
    __shared__ int staged[STAGED ? BLOCK * ROWS * 4 : 1];
    ScanVector<int> row[ROWS];
    unsigned kept[ROWS];
    int where[ROWS], sum;
    const long long at = ((long long)blockIdx.x * (BLOCK / 32) + threadIdx.x / 32) * (ROWS * 128);
    const int before_tile = blockIdx.x > 0 ? sums[blockIdx.x - 1] : 0;
    load_rows(row, x, at, n);
    const int before = before_warp<BLOCK / 32>(of_warp, mark_rows(row, kept, where, at, n, limit), sum);
    write_tile<BLOCK, ROWS, STAGED>(row, kept, where, before, sum, staged, y + before_tile);
    if (threadIdx.x == 0 && blockIdx.x == gridDim.x - 1) {
        count[0] = before_tile + sum;
    }
}

/* ---- one pass ---- */

template <int BLOCK, int ROWS, bool STAGED, int HELD>
__global__ void __launch_bounds__(BLOCK, HELD / BLOCK)
    select_look_back(const int *__restrict__ x, int *__restrict__ y, int *__restrict__ count, unsigned long long *state,
                     long long n, int limit) {
    __shared__ int of_warp[BLOCK / 32];
    __shared__ int staged[STAGED ? BLOCK * ROWS * 4 : 1];
    __shared__ int before_tile;
    __shared__ Ticket drawn;
    if (threadIdx.x == 0) {
        drawn = draw_tile(state, gridDim.x);
    }
    __syncthreads();
    const Ticket ticket = drawn;
    const long long at = ((long long)ticket.tile * (BLOCK / 32) + threadIdx.x / 32) * (ROWS * 128);
    ScanVector<int> row[ROWS];
    unsigned kept[ROWS];
    int where[ROWS], sum;
    load_rows(row, x, at, n);
    const int before = before_warp<BLOCK / 32>(of_warp, mark_rows(row, kept, where, at, n, limit), sum);
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0 && ticket.tile > 0) {
            tell_tile(state, ticket, sum, TILE_SUM);
        }
        const int of_others = ticket.tile > 0 ? look_back<0, int>(state, ticket) : 0;
        if (threadIdx.x == 0) {
            tell_tile(state, ticket, of_others + sum, TILE_PREFIX);
            before_tile = of_others;
            if (ticket.tile == gridDim.x - 1) {
                count[0] = of_others + sum;
            }
        }
    }
    __syncthreads();
    write_tile<BLOCK, ROWS, STAGED>(row, kept, where, before, sum, staged, y + before_tile);
}
