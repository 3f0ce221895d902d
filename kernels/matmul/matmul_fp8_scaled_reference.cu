/* SPDX-License-Identifier: Apache-2.0 */
/* Of matmul_fp8_scaled.cu: A and B times their scales in fp64, then their product. */
#include "vendor_matmul_reference.cu"

/* `lines` rows of A or columns of B, k fastest. lines_each of them share a scale, as do k_each k's; the next ones' is
 * line_pitch, or k_pitch, behind. */
template <class T>
__global__ void times_scales(const T *from, const float *scales, double *to, long long lines, long long k,
                             long long lines_each, long long line_pitch, long long k_each, long long k_pitch) {
    for (long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x; i < lines * k;
         i += (long long)gridDim.x * blockDim.x) {
        const long long line = i / k, step = i % k;
        to[i] = (double)(float)from[i] * scales[line / lines_each * line_pitch + step / k_each * k_pitch];
    }
}
