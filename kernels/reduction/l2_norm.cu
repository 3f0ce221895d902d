/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = x / ||x|| with the norm of all n values. (A kernel that adds up the squares of a block and divides by their root
 * at once computes something else as soon as there are two blocks: no block can divide before all have added.)
 */
#include "reduction.cuh"

/* ---- one pass a kernel ---- */

template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK, 1)
    square_all(const float *__restrict__ x, float *__restrict__ squares, long long n) {
    const long long vectors = n / 4, first = (long long)blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
    const float4 *from = reinterpret_cast<const float4 *>(x);
    float4 item[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (first + i * BLOCK < vectors) {
            item[i] = __ldg(from + first + i * BLOCK);
        }
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (first + i * BLOCK < vectors) {
            const float4 v = item[i];
            reinterpret_cast<float4 *>(squares)[first + i * BLOCK] =
                make_float4(v.x * v.x, v.y * v.y, v.z * v.z, v.w * v.w);
        }
    }
    const long long rest = vectors * 4 + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < n) {
        squares[rest] = x[rest] * x[rest];
    }
}

/* OP: SumFloat over the squares, or SumSquares over x itself. */
template <typename OP, int BLOCK, int ITEMS, int KEPT_MIB>
__global__ void __launch_bounds__(BLOCK, 1)
    add_all(const float *__restrict__ x, float *sum, float *partials, unsigned *counter, long long n) {
    float mine = merge_block<OP, BLOCK, false>(merge_share<OP, BLOCK, ITEMS, false, KEPT_MIB>(x, n));
    if (merge_last<OP, BLOCK, false>(mine, partials, counter) && threadIdx.x == 0) {
        sum[0] = mine;
    }
}

/* One batch of BLOCK * ITEMS vectors, whole or the last. x is read for the last time and y is not read again: by
 * their hints both may give way in L2 to what of x is still to come. */
template <int BLOCK, int ITEMS, class READ, class WRITE>
__device__ __forceinline__ void scale_batch(const uint4 *__restrict__ x, uint4 *__restrict__ y, long long first,
                                            long long vectors, float factor) {
    Quad<float> quad[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const long long at = first + i * BLOCK + threadIdx.x;
        if (at < vectors) {
            quad[i].word = load_as(READ(), x + at);
        }
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const long long at = first + i * BLOCK + threadIdx.x;
        if (at < vectors) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                quad[i].item[j] *= factor;
            }
            store_as(WRITE(), y + at, quad[i].word);
        }
    }
}

/* REVERSE: from the end, whose values the pass before read last: they may still lie in L2. */
template <int BLOCK, int ITEMS, bool REVERSE, class READ, class WRITE>
__global__ void __launch_bounds__(BLOCK, 1)
    divide_all(const float *__restrict__ x, float *__restrict__ y, const float *__restrict__ sum, long long n) {
    const long long vectors = n / 4, batch = REVERSE ? gridDim.x - 1 - blockIdx.x : blockIdx.x;
    const float factor = 1.0f / sqrtf(sum[0]);
    scale_batch<BLOCK, ITEMS, READ, WRITE>(reinterpret_cast<const uint4 *>(x), reinterpret_cast<uint4 *>(y),
                                           batch * (BLOCK * ITEMS), vectors, factor);
    const long long rest = vectors * 4 + threadIdx.x;
    if (blockIdx.x == 0 && rest < n) {
        y[rest] = x[rest] * factor;
    }
}

/* ---- one launch: the blocks, all of which are resident, meet between the passes ---- */

/* The first block's arrival completes the highest bit, which flips once a meeting: nothing is reset. */
__device__ __forceinline__ void meet_grid(unsigned *meeting) {
    __syncthreads();
    if (threadIdx.x == 0) {
        __threadfence();
        const unsigned arrival = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1;
        const unsigned before = atomicAdd(meeting, arrival);
        while (((before ^ *(volatile unsigned *)meeting) & 0x80000000u) == 0) {
        }
        __threadfence();
    }
    __syncthreads();
}

template <int BLOCK, int ITEMS, int RESIDENT, bool REVERSE, bool STREAM>
__global__ void __launch_bounds__(BLOCK, RESIDENT)
    normalise(const float *__restrict__ x, float *__restrict__ y, float *partials, unsigned *meeting, long long n) {
    typedef typename Streamed<STREAM>::type HINT;
    __shared__ float whole;
    const float mine = merge_block<SumSquares, BLOCK, false>(merge_share<SumSquares, BLOCK, ITEMS, false>(x, n));
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = mine;
    }
    meet_grid(meeting);
    float sum = 0.0f; /* every block for itself: cheaper than another meeting */
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK) {
        sum += __ldcg(partials + i);
    }
    sum = merge_block<SumFloat, BLOCK, false>(sum);
    if (threadIdx.x == 0) {
        whole = 1.0f / sqrtf(sum);
    }
    __syncthreads();
    const float factor = whole;

    /* The batches of the first pass, each by the block that read it. */
    const long long vectors = n / 4, batches = (vectors + BLOCK * ITEMS - 1) / (BLOCK * ITEMS);
    const long long rounds = batches > blockIdx.x ? (batches - 1 - blockIdx.x) / gridDim.x + 1 : 0;
#pragma unroll 1
    for (long long i = 0; i < rounds; i++) {
        const long long round = REVERSE ? rounds - 1 - i : i;
        scale_batch<BLOCK, ITEMS, HINT, HINT>(reinterpret_cast<const uint4 *>(x), reinterpret_cast<uint4 *>(y),
                                              (blockIdx.x + round * gridDim.x) * (BLOCK * ITEMS), vectors, factor);
    }
    const long long rest = vectors * 4 + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < n) {
        y[rest] = x[rest] * factor;
    }
}
