/* SPDX-License-Identifier: Apache-2.0 */
#include "rows_reference.cuh"

extern "C" __global__ void add_rmsnorm_reference(const bf16 *residual, double *sum, const bf16 *weight, const bf16 *x,
                                                 double *y, long long rows, long long cols) {
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        const bf16 *left = x + row * cols, *right = residual + row * cols;
        /* As it is stored: the norm is of the rounded sum. */
        const auto total = [=](long long i) {
            return wide(__float2bfloat16_rn(__bfloat162float(left[i]) + __bfloat162float(right[i])));
        };
        const double squares = row_sum(cols, [=](long long i) { return total(i) * total(i); });
        const double scale = 1.0 / sqrt(squares / cols + EPSILON);
        for (long long i = threadIdx.x; i < cols; i += blockDim.x) {
            sum[row * cols + i] = total(i);
            y[row * cols + i] = total(i) * scale * wide(weight[i]);
        }
    }
}
