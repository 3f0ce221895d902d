/* SPDX-License-Identifier: Apache-2.0 */
/* dropout(relu(x + bias)) in fp64, with the mask of bias_dropout.cu. Constants are those of bias_dropout.lua. */
#include <cuda_fp16.h>

#include "philox.cuh"

constexpr unsigned DROP = 3277;
constexpr unsigned long long SEED = 0x0123456789abcdefull, OFFSET = 7;

template <int ROUNDS, int DRAWS>
__device__ void reference(const __half *bias, const __half *x, double *y, long long rows, long long columns) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= rows * columns) {
        return;
    }
    const unsigned long long call = (unsigned long long)(i / DRAWS);
    unsigned word[4] = {(unsigned)call, (unsigned)(call >> 32), (unsigned)OFFSET, (unsigned)(OFFSET >> 32)};
    philox_4x32(word, (unsigned)SEED, (unsigned)(SEED >> 32), ROUNDS);
    const int place = (int)(i % DRAWS);
    const unsigned bits = (word[place / 2] >> 16 * (place % 2)) & 0x7fff;
    const double sum = (double)__half2float(x[i]) + (double)__half2float(bias[i % columns]);
    y[i] = bits < DROP || sum < 0.0 ? 0.0 : sum * 32768.0 / (32768.0 - DROP);
}

extern "C" __global__ void bias_dropout_reference(const __half *bias, const __half *x, double *y, long long rows,
                                                  long long columns) {
    reference<10, 8>(bias, x, y, rows, columns);
}

/* Seven rounds. */
extern "C" __global__ void bias_dropout_7_reference(const __half *bias, const __half *x, double *y, long long rows,
                                                    long long columns) {
    reference<7, 8>(bias, x, y, rows, columns);
}

/* A call an element. */
extern "C" __global__ void bias_dropout_each_reference(const __half *bias, const __half *x, double *y, long long rows,
                                                       long long columns) {
    reference<10, 1>(bias, x, y, rows, columns);
}
