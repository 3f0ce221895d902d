// SPDX-License-Identifier: Apache-2.0
// Sum of n floats in two launches: a block adds its part, the last launch adds the parts. CUB adds within a block.
#include <cub/block/block_load.cuh>
#include <cub/block/block_reduce.cuh>

template <int BLOCK, int ITEMS, cub::BlockReduceAlgorithm ALGORITHM>
__global__ void __launch_bounds__(BLOCK)
    add_parts(const float *__restrict__ in, float *__restrict__ parts, long long n) {
    using Reduce = cub::BlockReduce<float, BLOCK, ALGORITHM>;
    __shared__ typename Reduce::TempStorage shared;
    float sum = 0;
    const long long tile = (long long)BLOCK * ITEMS;
    for (long long base = blockIdx.x * tile; base < n; base += gridDim.x * tile) {
        float items[ITEMS];
        const int valid = n - base < tile ? (int)(n - base) : (int)tile;
        cub::LoadDirectStriped<BLOCK>(threadIdx.x, in + base, items, valid, 0.0f);
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            sum += items[i];
        }
    }
    sum = Reduce(shared).Sum(sum);
    if (threadIdx.x == 0) {
        parts[blockIdx.x] = sum;
    }
}
