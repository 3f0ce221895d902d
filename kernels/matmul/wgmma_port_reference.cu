/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_bf16.h>

/* `columns` is a macro. y = a b', 64 x columns; steps and other blocks do the same again, and what is fed is not used. */
extern "C" __global__ void wgmma_port_reference(const __nv_bfloat16 *a, const __nv_bfloat16 *b,
                                                const __nv_bfloat16 *feed, double *y, long long steps, long long blocks) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 64 * columns) {
        double sum = 0.0;
        for (int k = 0; k < 64; k++) {
            sum +=
                (double)__bfloat162float(a[i / columns * 64 + k]) * (double)__bfloat162float(b[i % columns * 64 + k]);
        }
        y[i] = sum;
    }
}
