/* SPDX-License-Identifier: Apache-2.0 */
/* The sum, in fp64 or in whole numbers, or the largest of n values. There is one output, so there is one block: all of
 * it works. */

template <typename T, typename R>
__device__ __forceinline__ R of_block(const T *x, long long n, R neutral, R (*merge)(R, R)) {
    __shared__ R part[1024];
    R lane[8];
    for (int i = 0; i < 8; i++) {
        lane[i] = neutral;
    }
    for (long long first = threadIdx.x; first < n; first += 8 * (long long)blockDim.x) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const long long at = first + i * (long long)blockDim.x;
            lane[i] = merge(lane[i], at < n ? (R)x[at] : neutral);
        }
    }
    R mine = neutral;
    for (int i = 0; i < 8; i++) {
        mine = merge(mine, lane[i]);
    }
    part[threadIdx.x] = mine;
    __syncthreads();
    R all = neutral;
    for (int i = 0; i < blockDim.x; i++) {
        all = merge(all, part[i]);
    }
    return all;
}

template <typename R> __device__ __forceinline__ R sum_of(R a, R b) {
    return a + b;
}

__device__ __forceinline__ double larger_of(double a, double b) {
    return a > b ? a : b;
}

extern "C" __global__ void sum_f32_reference(const float *x, double *y, long long n) {
    const double all = of_block<float, double>(x, n, 0.0, sum_of<double>);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        y[0] = all;
    }
}

extern "C" __global__ void max_f32_reference(const float *x, double *y, long long n) {
    const double all = of_block<float, double>(x, n, -1e300, larger_of);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        y[0] = all;
    }
}

extern "C" __global__ void sum_i32_reference(const int *x, int *y, long long n) {
    const int all = of_block<int, int>(x, n, 0, sum_of<int>);
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        y[0] = all;
    }
}
