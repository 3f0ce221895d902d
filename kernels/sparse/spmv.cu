/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = A x, A in compressed sparse rows: row r has values[i] at columns[i], for offsets[r] <= i < offsets[r + 1]. A team
 * of threads a row is as slow as the longest row; equal pieces of the merge of rows and nonzeros are not, whatever the
 * lengths (Merrill and Garland, Merge-based parallel sparse matrix-vector multiplication, 2016).
 */
#include "striped.cuh"

template <class LOAD, class T> __device__ __forceinline__ T load_one(const T *from) {
    Pack<T, 1> one;
    one.word = load_as(LOAD(), reinterpret_cast<const typename Word<sizeof(T)>::type *>(from));
    return one.item[0];
}

/* TEAM threads share a row. LOAD: of what is read once. x stays in L1 as long as it can. */
template <class T, int BLOCK, int TEAM, class LOAD>
__global__ void __launch_bounds__(BLOCK)
    spmv_teams(const T *__restrict__ values, const int *__restrict__ columns, const int *__restrict__ offsets,
               const T *__restrict__ x, T *__restrict__ y, int rows) {
    static_assert(TEAM <= 32, "within a warp");
    constexpr int AHEAD = 4;
    const int row = blockIdx.x * (BLOCK / TEAM) + threadIdx.x / TEAM, lane = threadIdx.x % TEAM;
    const int end = row < rows ? offsets[row + 1] : 0;
    T sum = 0;
#pragma unroll 1
    for (long long at = (row < rows ? offsets[row] : 0) + lane; at < end; at += AHEAD * TEAM) {
        int column[AHEAD];
        T value[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const bool is_there = at + i * TEAM < end;
            column[i] = is_there ? load_one<LOAD>(columns + at + i * TEAM) : -1;
            value[i] = is_there ? load_one<LOAD>(values + at + i * TEAM) : (T)0;
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            sum += column[i] >= 0 ? value[i] * __ldg(x + column[i]) : (T)0;
        }
    }
#pragma unroll
    for (int apart = TEAM / 2; apart > 0; apart /= 2) {
        sum += __shfl_xor_sync(0xffffffffu, sum, apart);
    }
    if (lane == 0 && row < rows) {
        y[row] = sum;
    }
}

/* Of the first `at` steps of the merge, those that end a row: a row's end comes behind its nonzeros. */
__device__ __forceinline__ int rows_ended(const int *__restrict__ ends, int rows, long long nonzeros, long long at) {
    int low = at > nonzeros ? (int)(at - nonzeros) : 0, high = at < rows ? (int)at : rows;
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (ends[middle] < at - middle) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

/*
 * A block takes BLOCK * ITEMS steps of the merge and a thread ITEMS of these, a nonzero or the end of a row each.
 * Products wait in shared memory, so that loads are contiguous. Sums of rows that a thread does not end go on to the
 * next one by a segmented scan. What a block has of its first and its last row is added atomically: y is zero before.
 */
template <class T, int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK)
    spmv_merge(const T *__restrict__ values, const int *__restrict__ columns, const int *__restrict__ offsets,
               const T *__restrict__ x, T *y, int rows, int nonzeros) {
    constexpr int STEPS = BLOCK * ITEMS;
    __shared__ T products[STEPS];
    __shared__ int ends[STEPS + 1]; /* of rows, counted from the block's first nonzero */
    __shared__ T warp_sums[BLOCK / 32];
    __shared__ int warp_ends[BLOCK / 32];
    __shared__ int corner[2]; /* rows ended before the block, and before the next one */
    const int thread = threadIdx.x, lane = thread % 32, warp = thread / 32;
    const long long begin = (long long)blockIdx.x * STEPS, all = (long long)rows + nonzeros;
    const int steps = all - begin < STEPS ? (int)(all - begin) : STEPS;
    if (thread < 2) {
        corner[thread] = rows_ended(offsets + 1, rows, nonzeros, begin + (thread ? steps : 0));
    }
    __syncthreads();
    const int first_row = corner[0], ended = corner[1] - first_row, count = steps - ended;
    const int first = (int)(begin - first_row);
    int column[ITEMS];
    T value[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const int k = thread + i * BLOCK;
        column[i] = k < count ? __ldcs(columns + first + k) : -1;
        value[i] = k < count ? __ldcs(values + first + k) : (T)0;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        value[i] *= column[i] >= 0 ? __ldg(x + column[i]) : (T)0;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        products[thread + i * BLOCK] = value[i];
    }
    for (int k = thread; k <= ended; k += BLOCK) {
        ends[k] = first_row + k < rows ? offsets[first_row + k + 1] - first : 0x7fffffff;
    }
    __syncthreads();
    const int at = thread * ITEMS < steps ? thread * ITEMS : steps;
    int row = rows_ended(ends, ended, count, at), k = at - row;
    int head = -1; /* the first row that this thread ends */
    T sum = 0, head_sum = 0;
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        if (at + i < steps) {
            if (k < ends[row]) {
                sum += products[k++];
            } else {
                if (head < 0) {
                    head = row;
                    head_sum = sum;
                } else {
                    y[first_row + row] = sum;
                }
                row++;
                sum = 0;
            }
        }
    }
    int has_end = head >= 0; /* in this thread, then in it or one before it in the warp */
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
        const T before = __shfl_up_sync(0xffffffffu, sum, apart);
        const int end_before = __shfl_up_sync(0xffffffffu, has_end, apart);
        if (lane >= apart && !has_end) {
            sum += before;
            has_end = end_before;
        }
    }
    const T lane_below = __shfl_up_sync(0xffffffffu, sum, 1);
    const int end_below = __shfl_up_sync(0xffffffffu, has_end, 1);
    if (lane == 31) {
        warp_sums[warp] = sum;
        warp_ends[warp] = has_end;
    }
    __syncthreads();
    T open = 0; /* of warps before */
    for (int w = 0; w < warp; w++) {
        open = warp_ends[w] ? warp_sums[w] : open + warp_sums[w];
    }
    if (head >= 0) {
        const T whole = head_sum + (lane == 0 ? open : end_below ? lane_below : open + lane_below);
        if (head == 0) {
            atomicAdd(y + first_row, whole);
        } else {
            y[first_row + head] = whole;
        }
    }
    if (thread == BLOCK - 1 && first_row + ended < rows) {
        atomicAdd(y + first_row + ended, has_end ? sum : open + sum);
    }
}
