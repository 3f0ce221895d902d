/* SPDX-License-Identifier: Apache-2.0 */
#include <cuda_bf16.h>

/* `columns` is a macro. y = a b', 128 x columns; the steps do the same again. */
extern "C" __global__ void tcgen05_rate_reference(const __nv_bfloat16 *a, const __nv_bfloat16 *b, double *y,
                                                  long long steps) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < 128 * columns) {
        double sum = 0.0;
        for (int k = 0; k < 64; k++) {
            sum +=
                (double)__bfloat162float(a[i / columns * 64 + k]) * (double)__bfloat162float(b[i % columns * 64 + k]);
        }
        y[i] = sum;
    }
}
