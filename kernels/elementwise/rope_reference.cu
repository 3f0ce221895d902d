/* SPDX-License-Identifier: Apache-2.0 */
/* A thread a pair. In place, q and k arrive as doubles that hold their original values. */
#include <cuda_bf16.h>

__device__ __forceinline__ double as_double(float value) {
    return value;
}
__device__ __forceinline__ double as_double(double value) {
    return value;
}
__device__ __forceinline__ double as_double(__nv_bfloat16 value) {
    return (double)__bfloat162float(value);
}

template <typename T, typename TABLE>
__device__ __forceinline__ void turn(const T *x, double *out, const TABLE *cos, const TABLE *sin, long long t,
                                     long long heads, long long d) {
    const long long half = d / 2, i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= t * heads * half) {
        return;
    }
    const long long token = i / (heads * half), pair = i % half, at = i / half * d + pair;
    const double c = as_double(cos[token * half + pair]), s = as_double(sin[token * half + pair]);
    const double low = as_double(x[at]), high = as_double(x[at + half]);
    out[at] = low * c - high * s;
    out[at + half] = high * c + low * s;
}

template <typename TABLE>
__global__ void rope_reference(const TABLE *cos, const __nv_bfloat16 *k, double *k_out, const __nv_bfloat16 *q,
                               double *q_out, const TABLE *sin, long long t, long long q_heads, long long k_heads,
                               long long d) {
    turn(q, q_out, cos, sin, t, q_heads, d);
    turn(k, k_out, cos, sin, t, k_heads, d);
}

template <typename TABLE>
__global__ void rope_in_place_reference(const TABLE *cos, double *k, double *q, const TABLE *sin, long long t,
                                        long long q_heads, long long k_heads, long long d) {
    turn(q, q, cos, sin, t, q_heads, d);
    turn(k, k, cos, sin, t, k_heads, d);
}
