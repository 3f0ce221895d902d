/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y[i] = x[i * stride]: the loads of a warp spread over more and more memory, the stores stay contiguous.
 * A thread takes ITEMS outputs that lie BLOCK apart, so that ITEMS loads are in flight.
 */
template <int BLOCK, int ITEMS>
__global__ void __launch_bounds__(BLOCK, 1)
    strided_read(const float *__restrict__ x, float *__restrict__ y, long long n, long long stride) {
    const long long first = (long long)blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
    float item[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const long long at = first + i * BLOCK;
        item[i] = at < n ? x[at * stride] : 0.0f;
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const long long at = first + i * BLOCK;
        if (at < n) {
            y[at] = item[i];
        }
    }
}
