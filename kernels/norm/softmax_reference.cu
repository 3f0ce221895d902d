/* SPDX-License-Identifier: Apache-2.0 */
#include "rows_reference.cuh"

extern "C" __global__ void softmax_reference(const bf16 *x, double *y, long long rows, long long cols) {
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        const bf16 *from = x + row * cols;
        const double top = row_max(cols, [=](long long i) { return wide(from[i]); });
        const double sum = row_sum(cols, [=](long long i) { return exp(wide(from[i]) - top); });
        for (long long i = threadIdx.x; i < cols; i += blockDim.x) {
            y[row * cols + i] = exp(wide(from[i]) - top) / sum;
        }
    }
}
