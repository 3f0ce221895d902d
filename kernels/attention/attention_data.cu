/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention_data.cu - values that grow with the root of a key's place in its sequence of l, rows of d. What a query
 * adds up shrinks with the root of the keys it sees; so all rows of O are alike, with causal masks, too, and one
 * tolerance fits.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

/* From -1 to 1. */
__device__ float even_at(unsigned long long i, unsigned long long seed) {
    unsigned long long bits = seed + (i + 1) * 0x9e3779b97f4a7c15ull; /* splitmix64 (Steele et al., OOPSLA 2014) */
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
    return (float)(int)((bits ^ bits >> 31) >> 40) * 0x1p-23f - 1.0f;
}
__device__ float value_at(unsigned long long i, unsigned long long seed, long long d, long long l) {
    return even_at(i, seed) * sqrtf((float)((long long)i / d % l + 1)) * 0x1p-6f;
}

#define VALUES(NAME, T)                                                                                                \
    extern "C" __global__ void NAME(T *out, unsigned long long count, unsigned long long seed, long long d,            \
                                    long long l) {                                                                     \
        const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;                        \
        if (i < count) {                                                                                               \
            out[i] = (T)value_at(i, seed, d, l);                                                                       \
        }                                                                                                              \
    }

VALUES(values_fp16, __half)
VALUES(values_bf16, __nv_bfloat16)

/* As attention_fp8.cu has them, and 64 times as large: rows of `pitch` keys. */
extern "C" __global__ void values_e4m3(__nv_fp8_e4m3 *out, unsigned long long count, unsigned long long seed,
                                       long long pitch, long long l) {
    const unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        const long long place = (long long)i % pitch, in = place % 16;
        const long long key = place - in + in / 2 % 2 * 8 + in / 4 * 2 + in % 2;
        out[i] = __nv_fp8_e4m3(key < l ? even_at(i, seed) * sqrtf((float)(key + 1)) : 0.0f);
    }
}
