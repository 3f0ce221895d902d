// SPDX-License-Identifier: Apache-2.0
#include <cuda_fp16.h>

// Buffers by name: scales, w, x, y; then m and k. `group` is a macro here, since the dimension is compiled.
extern "C" __global__ void reference(const __half *scales, const signed char *w, const __half *x, double *y,
                                     long long m, long long k) {
    const long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (row < m) {
        double sum = 0;
        for (long long i = 0; i < k; i++) {
            const double scale = __half2float(scales[(row * k + i) / group]);
            sum += scale * w[row * k + i] * (double)__half2float(x[i]);
        }
        y[row] = sum;
    }
}
