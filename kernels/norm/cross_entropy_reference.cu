/* SPDX-License-Identifier: Apache-2.0 */
#include "rows_reference.cuh"

/* log(sum of exp(x)) of a row, in all threads. */
__device__ static double log_sum_exp(const bf16 *row, long long cols) {
    const double top = row_max(cols, [=](long long i) { return wide(row[i]); });
    return top + log(row_sum(cols, [=](long long i) { return exp(wide(row[i]) - top); }));
}

extern "C" __global__ void cross_entropy_reference(double *loss, const int *target, const bf16 *x, long long rows,
                                                   long long cols) {
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        const bf16 *from = x + row * cols;
        const double total = log_sum_exp(from, cols);
        if (threadIdx.x == 0) {
            loss[row] = total - wide(from[target[row]]);
        }
    }
}

extern "C" __global__ void cross_entropy_gradient_reference(double *gradient, double *loss, const int *target,
                                                            const bf16 *x, long long rows, long long cols) {
    for (long long row = blockIdx.x; row < rows; row += gridDim.x) {
        const bf16 *from = x + row * cols;
        const double total = log_sum_exp(from, cols);
        if (threadIdx.x == 0) {
            loss[row] = total - wide(from[target[row]]);
        }
        for (long long i = threadIdx.x; i < cols; i += blockDim.x) {
            gradient[row * cols + i] = exp(wide(from[i]) - total) - (i == target[row] ? 1.0 : 0.0);
        }
    }
}
