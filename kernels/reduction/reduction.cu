/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y[0] = the sum, or the largest, of n values. From an atomic operation a value to bulk copies into shared memory;
 * where results are merged by atomics, the launch has set y to what is neutral for them.
 */
#include "bulk_tiles.cuh"
#include "reduction.cuh"

/* ---- a value a thread ---- */

template <typename OP, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    reduce_threads(const typename OP::value *__restrict__ x, typename OP::value *y, long long n) {
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) {
        OP::merge_at(y, x[i]);
    }
}

template <typename OP, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    reduce_warps(const typename OP::value *__restrict__ x, typename OP::value *y, long long n) {
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const typename OP::value mine = OfWarp<OP, false>::merge(i < n ? x[i] : OP::neutral());
    if (threadIdx.x % 32 == 0) {
        OP::merge_at(y, mine);
    }
}

/* The upper half of the threads that are left hands its values to the lower one, and all meet, log2(BLOCK) times. */
template <typename OP, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    reduce_tree(const typename OP::value *__restrict__ x, typename OP::value *y, long long n) {
    __shared__ typename OP::value value[BLOCK];
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    value[threadIdx.x] = i < n ? x[i] : OP::neutral();
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            value[threadIdx.x] = OP::merge(value[threadIdx.x], value[threadIdx.x + half]);
        }
        __syncthreads();
    }
    if (threadIdx.x == 0) {
        OP::merge_at(y, value[0]);
    }
}

template <typename OP, int BLOCK, bool REDUX>
__global__ void __launch_bounds__(BLOCK)
    reduce_shuffles(const typename OP::value *__restrict__ x, typename OP::value *y, long long n) {
    const long long i = (long long)blockIdx.x * BLOCK + threadIdx.x;
    const typename OP::value mine = merge_block<OP, BLOCK, REDUX>(i < n ? x[i] : OP::neutral());
    if (threadIdx.x == 0) {
        OP::merge_at(y, mine);
    }
}

/* ---- many values a thread ---- */

/* How the blocks' results become one: FINISH is a macro. */
template <typename OP, int BLOCK, int ITEMS, bool STREAM>
__global__ void __launch_bounds__(BLOCK, 1)
    reduce_vectors(const typename OP::value *__restrict__ x, typename OP::value *y, typename OP::value *partials,
                   unsigned *counter, long long n) {
    typename OP::value mine = merge_block<OP, BLOCK, false>(merge_share<OP, BLOCK, ITEMS, STREAM>(x, n));
#if FINISH == FINISH_atomic
    if (threadIdx.x == 0) {
        OP::merge_at(y, mine);
    }
#elif FINISH == FINISH_two_kernels
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = mine;
    }
#else
    if (merge_last<OP, BLOCK, false>(mine, partials, counter) && threadIdx.x == 0) {
        y[0] = mine;
    }
#endif
}

/* The second of two kernels: one block. */
template <typename OP, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    reduce_partials(const typename OP::value *partials, typename OP::value *y, int count) {
    typename OP::value mine = OP::neutral();
#pragma unroll 8
    for (int i = threadIdx.x; i < count; i += BLOCK) {
        mine = OP::merge(mine, partials[i]);
    }
    mine = merge_block<OP, BLOCK, false>(mine);
    if (threadIdx.x == 0) {
        y[0] = mine;
    }
}

/*
 * One thread asks for STAGES chunks ahead; all read the oldest from shared memory. What is in flight then needs no
 * registers and no instructions. The grid is no larger than fits at once.
 */
template <typename OP, int BLOCK, int CHUNK, int STAGES>
__global__ void __launch_bounds__(BLOCK, 1) reduce_bulk(const typename OP::value *__restrict__ x, typename OP::value *y,
                                                        typename OP::value *partials, unsigned *counter, long long n) {
#if __CUDA_ARCH__ >= 900
    extern __shared__ __align__(128) uint4 ring[];
    constexpr int VECTORS = CHUNK / 16;
    static_assert(VECTORS % BLOCK == 0, "every thread as many vectors");
    const unsigned ring_address = shared_address(ring), barriers = ring_address + STAGES * CHUNK;
    const unsigned char *bytes = reinterpret_cast<const unsigned char *>(x);
    const long long chunks = n / (CHUNK / 4);
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            bulk_barrier_init(barriers + stage * 8);
        }
        bulk_barrier_publish();
        for (int stage = 0; stage < STAGES; stage++) {
            const long long chunk = blockIdx.x + (long long)stage * gridDim.x;
            if (chunk < chunks) {
                bulk_expect(barriers + stage * 8, CHUNK);
                bulk_load(ring_address + stage * CHUNK, bytes + chunk * CHUNK, CHUNK, barriers + stage * 8);
            }
        }
    }
    __syncthreads();

    Lanes<OP> lanes;
    int stage = 0;
    unsigned parity = 0;
    for (long long chunk = blockIdx.x; chunk < chunks; chunk += gridDim.x) {
        bulk_wait(barriers + stage * 8, parity);
#pragma unroll
        for (int i = 0; i < VECTORS / BLOCK; i++) {
            lanes.take(ring[stage * VECTORS + i * BLOCK + threadIdx.x]);
        }
        __syncthreads(); /* all have read the chunk */
        const long long next = chunk + (long long)STAGES * gridDim.x;
        if (threadIdx.x == 0 && next < chunks) {
            bulk_expect(barriers + stage * 8, CHUNK);
            bulk_load(ring_address + stage * CHUNK, bytes + next * CHUNK, CHUNK, barriers + stage * 8);
        }
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
    typename OP::value mine = lanes.merged();
    const long long step = (long long)gridDim.x * BLOCK;
    for (long long i = chunks * (CHUNK / 4) + (long long)blockIdx.x * BLOCK + threadIdx.x; i < n; i += step) {
        mine = OP::take(mine, x[i]);
    }
    mine = merge_block<OP, BLOCK, false>(mine);
    if (merge_last<OP, BLOCK, false>(mine, partials, counter) && threadIdx.x == 0) {
        y[0] = mine;
    }
#endif
}
