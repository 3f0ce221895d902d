/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reduction.cuh - how many values become one: the operations, the ways through a warp and a block, and the loop that
 * reads. An operation has a neutral element, take (one more input) and merge (of two results); they differ where inputs
 * are squared.
 */
#ifndef RFT_KERNELS_REDUCTION_CUH
#define RFT_KERNELS_REDUCTION_CUH

#include "l2_policy.cuh"

#define WHOLE_WARP 0xffffffffu

struct SumFloat {
    typedef float value;
    static __device__ __forceinline__ float neutral() {
        return 0.0f;
    }
    static __device__ __forceinline__ float take(float sum, float x) {
        return sum + x;
    }
    static __device__ __forceinline__ float merge(float a, float b) {
        return a + b;
    }
    static __device__ __forceinline__ void merge_at(float *to, float value) {
        atomicAdd(to, value);
    }
};

struct SumSquares : SumFloat {
    static __device__ __forceinline__ float take(float sum, float x) {
        return fmaf(x, x, sum);
    }
};

struct MaxFloat {
    typedef float value;
    static __device__ __forceinline__ float neutral() {
        return __int_as_float((int)0xff800000u); /* minus infinity */
    }
    static __device__ __forceinline__ float take(float most, float x) {
        return fmaxf(most, x);
    }
    static __device__ __forceinline__ float merge(float a, float b) {
        return fmaxf(a, b);
    }
    /* Bits of floats are ordered like integers, negative ones backwards. All bits set, which the launch writes first,
     * is below every float by either comparison. */
    static __device__ __forceinline__ void merge_at(float *to, float value) {
        if (__float_as_int(value) >= 0) {
            atomicMax(reinterpret_cast<int *>(to), __float_as_int(value));
        } else {
            atomicMin(reinterpret_cast<unsigned *>(to), __float_as_uint(value));
        }
    }
};

struct SumInt {
    typedef int value;
    static __device__ __forceinline__ int neutral() {
        return 0;
    }
    static __device__ __forceinline__ int take(int sum, int x) {
        return sum + x;
    }
    static __device__ __forceinline__ int merge(int a, int b) {
        return a + b;
    }
    static __device__ __forceinline__ void merge_at(int *to, int value) {
        atomicAdd(to, value);
    }
};

/* All lanes get the result. REDUX: one instruction in place of five rounds, for sums of integers. */
template <typename OP, bool REDUX> struct OfWarp {
    static __device__ __forceinline__ typename OP::value merge(typename OP::value mine) {
#pragma unroll
        for (int lane = 16; lane > 0; lane /= 2) {
            mine = OP::merge(mine, __shfl_xor_sync(WHOLE_WARP, mine, lane));
        }
        return mine;
    }
};
template <> struct OfWarp<SumInt, true> {
    static __device__ __forceinline__ int merge(int mine) {
#if __CUDA_ARCH__ >= 800
        return __reduce_add_sync(WHOLE_WARP, mine);
#else
        return OfWarp<SumInt, false>::merge(mine);
#endif
    }
};

/* Lanes, then warps. The first warp gets the result; the block must meet before the next call. */
template <typename OP, int BLOCK, bool REDUX>
__device__ __forceinline__ typename OP::value merge_block(typename OP::value mine) {
    __shared__ typename OP::value of_warp[32];
    mine = OfWarp<OP, REDUX>::merge(mine);
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = mine;
    }
    __syncthreads();
    if (threadIdx.x < 32) {
        mine = threadIdx.x < BLOCK / 32 ? of_warp[threadIdx.x] : OP::neutral();
        mine = OfWarp<OP, REDUX>::merge(mine);
    }
    return mine;
}

template <typename T> union Quad {
    uint4 word;
    T item[4];
};

template <typename OP> struct Lanes {
    typedef typename OP::value value;
    value item[4]; /* one result for each place in a vector: four chains of additions instead of one */

    __device__ __forceinline__ Lanes() {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            item[i] = OP::neutral();
        }
    }
    __device__ __forceinline__ void take(uint4 word) {
        Quad<value> quad;
        quad.word = word;
#pragma unroll
        for (int i = 0; i < 4; i++) {
            item[i] = OP::take(item[i], quad.item[i]);
        }
    }
    __device__ __forceinline__ value merged() const {
        return OP::merge(OP::merge(item[0], item[1]), OP::merge(item[2], item[3]));
    }
};

/*
 * The thread's share of x: batches of BLOCK * ITEMS vectors, one to each block in turn, however many blocks there are.
 * ITEMS loads are in flight in a thread before the first is used. One block finds its last batch part-filled; the last
 * block takes what fills no vector. x is a multiple of 16 bytes. KEPT_MIB: so much at the end of x shall stay in L2,
 * and what is read before it shall not.
 */
template <typename OP, int BLOCK, int ITEMS, bool STREAM, int KEPT_MIB = 0>
__device__ __forceinline__ typename OP::value merge_share(const typename OP::value *__restrict__ x, long long n) {
    const uint4 *from = reinterpret_cast<const uint4 *>(x);
    const long long vectors = n / 4, step = (long long)gridDim.x * (BLOCK * ITEMS);
    long long first = (long long)blockIdx.x * (BLOCK * ITEMS);
    const long long kept = vectors - (long long)KEPT_MIB * 65536;
    Lanes<OP> lanes;
#pragma unroll 1 /* ITEMS says how much is in flight, and so how many registers are needed */
    for (; first + BLOCK * ITEMS <= vectors; first += step) {
        uint4 word[ITEMS];
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            const uint4 *at = from + first + i * BLOCK + threadIdx.x;
            word[i] = KEPT_MIB > 0 ? load_by(at, policy_where(first >= kept)) : STREAM ? __ldcs(at) : __ldg(at);
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            lanes.take(word[i]);
        }
    }
#pragma unroll 1
    for (long long v = first + threadIdx.x; v < vectors; v += BLOCK) {
        lanes.take(__ldg(from + v));
    }
    typename OP::value mine = lanes.merged();
    const long long rest = vectors * 4 + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < n) {
        mine = OP::take(mine, x[rest]);
    }
    return mine;
}

/* Thread 0 has the block's result. What all blocks leave is merged by the one that comes last, always in the same
 * order. `counter` is zero before the launch and behind it. True in the block whose thread 0 now has the whole result.
 */
template <typename OP, int BLOCK, bool REDUX>
__device__ __forceinline__ bool merge_last(typename OP::value &result, typename OP::value *partials,
                                           unsigned *counter) {
    __shared__ bool is_last;
    if (threadIdx.x == 0) {
        partials[blockIdx.x] = result;
        __threadfence();
        is_last = atomicInc(counter, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) {
        return false;
    }
    __threadfence();
    result = OP::neutral();
#pragma unroll 8
    for (unsigned i = threadIdx.x; i < gridDim.x; i += BLOCK) {
        result = OP::merge(result, __ldcg(partials + i));
    }
    result = merge_block<OP, BLOCK, REDUX>(result);
    return true;
}

#endif
