/* SPDX-License-Identifier: Apache-2.0 */
#include "rows_reference.cuh"

extern "C" __global__ void layernorm_reference(const bf16 *bias, const bf16 *weight, const bf16 *x, double *y,
                                               long long rows, long long cols) {
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        const bf16 *from = x + row * cols;
        const double mean = row_sum(cols, [=](long long i) { return wide(from[i]); }) / cols;
        const double squares =
            row_sum(cols, [=](long long i) { return (wide(from[i]) - mean) * (wide(from[i]) - mean); });
        const double scale = 1.0 / sqrt(squares / cols + EPSILON);
        for (long long i = threadIdx.x; i < cols; i += blockDim.x) {
            y[row * cols + i] = (wide(from[i]) - mean) * scale * wide(weight[i]) + wide(bias[i]);
        }
    }
}
