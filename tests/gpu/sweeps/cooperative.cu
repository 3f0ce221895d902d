// SPDX-License-Identifier: Apache-2.0
// y = x - mean(x) in one launch: all blocks meet between the sum and the difference. BLOCK is a macro.
#include <cooperative_groups.h>

__device__ float sum_of_block(float mine, float *shared) {
    shared[threadIdx.x] = mine;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half) {
            shared[threadIdx.x] += shared[threadIdx.x + half];
        }
        __syncthreads();
    }
    return shared[0];
}

extern "C" __global__ void remove_mean(const float *x, float *y, float *part, long long n) {
    __shared__ float shared[BLOCK];
    const long long first = (long long)blockIdx.x * BLOCK + threadIdx.x, step = (long long)gridDim.x * BLOCK;
    float mine = 0.0f;
    for (long long i = first; i < n; i += step) {
        mine += x[i];
    }
    mine = sum_of_block(mine, shared);
    if (threadIdx.x == 0) {
        part[blockIdx.x] = mine;
    }
    cooperative_groups::this_grid().sync();
    mine = 0.0f;
    for (int block = threadIdx.x; block < gridDim.x; block += BLOCK) {
        mine += part[block];
    }
    __syncthreads();
    const float mean = sum_of_block(mine, shared) / (float)n;
    for (long long i = first; i < n; i += step) {
        y[i] = x[i] - mean;
    }
}
