// SPDX-License-Identifier: Apache-2.0
// y = 2 x through shared memory. COPY chooses who brings x there: COPY_ld or COPY_bulk. ACC is a type.
#if COPY == COPY_bulk
#include "tma.cuh"
#endif
#if COPY != COPY_ld && COPY != COPY_bulk
#error "COPY is none of its alternatives"
#endif

extern "C" __global__ void double_through_shared(const float *x, float *y, long long n) {
    __shared__ alignas(128) float tile[1024];
    const long long first = blockIdx.x * 1024ll;
#if COPY == COPY_bulk
    __shared__ alignas(8) unsigned long long barrier;
    const bool whole = first + 1024 <= n;
    if (whole && threadIdx.x == 0) {
        barrier_open(&barrier, sizeof tile);
        load_bulk(tile, x + first, sizeof tile, &barrier);
    }
    __syncthreads();
    if (whole) {
        barrier_wait(&barrier);
    }
#else
    const bool whole = false;
#endif
    for (int i = threadIdx.x; i < 1024 && first + i < n; i += blockDim.x) {
        if (!whole) {
            tile[i] = x[first + i];
        }
        const ACC value = tile[i];
        y[first + i] = (float)(value + value);
    }
}
