// SPDX-License-Identifier: Apache-2.0
// y = x + x in the type ELEM; x holds whole numbers that each of the types has.
#include <cuda_fp16.h>

template <class ELEM, int VEC> __global__ void double_in(const float *x, float *y, long long n) {
    const long long first = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * VEC;
    for (int k = 0; k < VEC && first + k < n; k++) {
        const ELEM value = (ELEM)x[first + k];
        y[first + k] = (float)(ELEM)(value + value);
    }
}
