/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attention_data.cu - values that grow with the root of a key's place in its sequence of l, rows of d. What a query
 * adds up shrinks with the root of the keys it sees; so all rows of O are alike, with causal masks, too, and one
 * tolerance fits.
 */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ float value_at(unsigned long long i, unsigned long long seed, long long d, long long l) {
    unsigned long long bits = seed + (i + 1) * 0x9e3779b97f4a7c15ull; /* splitmix64 (Steele et al., OOPSLA 2014) */
    bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9ull;
    bits = (bits ^ bits >> 27) * 0x94d049bb133111ebull;
    const float even = (float)(int)((bits ^ bits >> 31) >> 40) * 0x1p-23f - 1.0f;
    return even * sqrtf((float)((long long)i / d % l + 1)) * 0x1p-6f;
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
