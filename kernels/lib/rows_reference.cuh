/* SPDX-License-Identifier: Apache-2.0 */
/* rows_reference.cuh - sums over a row in fp64, for references that take a block a row whatever the grid. */
#ifndef RFT_KERNELS_ROWS_REFERENCE_CUH
#define RFT_KERNELS_ROWS_REFERENCE_CUH

#include <cuda_bf16.h>

#define THREADS 256             /* as every reference is launched with */
#define EPSILON ((double)1e-5f) /* rows.lua has the same */

typedef __nv_bfloat16 bf16;

__device__ inline double wide(bf16 value) {
    return (double)__bfloat162float(value);
}

/* `combine` over `of(i)`, i below n, in all threads of the block. */
template <class OF, class COMBINE> __device__ double row_fold(long long n, double start, OF of, COMBINE combine) {
    __shared__ double parts[THREADS];
    double mine = start;
    for (long long i = threadIdx.x; i < n; i += THREADS) {
        mine = combine(mine, of(i));
    }
    parts[threadIdx.x] = mine;
    for (int half = THREADS / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) {
            parts[threadIdx.x] = combine(parts[threadIdx.x], parts[threadIdx.x + half]);
        }
    }
    __syncthreads();
    const double all = parts[0];
    __syncthreads();
    return all;
}

template <class OF> __device__ double row_sum(long long n, OF of) {
    return row_fold(n, 0.0, of, [](double a, double b) { return a + b; });
}

template <class OF> __device__ double row_max(long long n, OF of) {
    return row_fold(n, of(0), of, [](double a, double b) { return a > b ? a : b; });
}

#endif
