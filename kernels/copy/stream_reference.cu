/* SPDX-License-Identifier: Apache-2.0 */
/* The four in fp64. The factor is that of stream.lua. */
#define AT ((long long)blockIdx.x * blockDim.x + threadIdx.x)

extern "C" __global__ void stream_copy_reference(const float *a, double *out, long long n) {
    if (AT < n) {
        out[AT] = (double)a[AT];
    }
}

extern "C" __global__ void stream_scale_reference(const float *a, double *out, long long n) {
    if (AT < n) {
        out[AT] = 1.5 * (double)a[AT];
    }
}

extern "C" __global__ void stream_add_reference(const float *a, const float *b, double *out, long long n) {
    if (AT < n) {
        out[AT] = (double)a[AT] + (double)b[AT];
    }
}

extern "C" __global__ void stream_triad_reference(const float *a, const float *b, double *out, long long n) {
    if (AT < n) {
        out[AT] = (double)a[AT] + 1.5 * (double)b[AT];
    }
}
