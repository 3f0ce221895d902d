/* SPDX-License-Identifier: Apache-2.0 */
/* A block a segment. */
extern "C" __global__ void segmented_sum_reference(const int *offsets, const int *x, int *y, long long n,
                                                   long long segments) {
    __shared__ int part[128];
    for (long long segment = blockIdx.x; segment < segments; segment += gridDim.x) {
        int sum = 0;
        for (int i = offsets[segment] + threadIdx.x; i < offsets[segment + 1]; i += blockDim.x) {
            sum += x[i];
        }
        part[threadIdx.x] = sum;
        __syncthreads();
        for (int half = blockDim.x / 2; half > 0; half /= 2) {
            if (threadIdx.x < half) {
                part[threadIdx.x] += part[threadIdx.x + half];
            }
            __syncthreads();
        }
        if (threadIdx.x == 0) {
            y[segment] = part[0];
        }
        __syncthreads();
    }
}
