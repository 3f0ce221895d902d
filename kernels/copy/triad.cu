/* SPDX-License-Identifier: Apache-2.0 */
/* a = b + factor * c: two reads and a write an element. Blocks and vectors are laid out as in copy_scale.cu. */
#include "vectors.cuh"

template <typename T, int VEC> struct Triad {
    __device__ static void apply(Pack<T, VEC> &b, const Pack<T, VEC> &c, T factor) {
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            b.item[i] = fused_multiply_add(factor, c.item[i], b.item[i]);
        }
    }
};

template <int VEC> struct Triad<__half, VEC> {
    __device__ static void apply(Pack<__half, VEC> &b, const Pack<__half, VEC> &c, __half factor) {
        if (VEC == 1) {
            b.item[0] = __hfma(factor, c.item[0], b.item[0]);
        }
#pragma unroll
        for (int i = 0; i + 1 < VEC; i += 2) {
            const __half2 pair = __hfma2(__half2half2(factor), __halves2half2(c.item[i], c.item[i + 1]),
                                         __halves2half2(b.item[i], b.item[i + 1]));
            b.item[i] = __low2half(pair);
            b.item[i + 1] = __high2half(pair);
        }
    }
};

template <typename T, int VEC, int BLOCK, int ITEMS, bool STREAM>
__global__ void __launch_bounds__(BLOCK, 1)
    triad(T *__restrict__ a, const T *__restrict__ b, const T *__restrict__ c, float factor, long long n) {
    typedef Pack<T, VEC> pack_t;
    typedef typename Word<sizeof(T) * VEC>::type word_t;
    const T scale = from_float(factor, T());
    const word_t *from_b = reinterpret_cast<const word_t *>(b);
    const word_t *from_c = reinterpret_cast<const word_t *>(c);
    word_t *to = reinterpret_cast<word_t *>(a);
    const long long vectors = n / VEC;
    const long long first = (long long)blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
    pack_t sum[ITEMS], term[ITEMS];

    if (first - threadIdx.x + BLOCK * ITEMS <= vectors) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            sum[i].word = load_word<STREAM>(from_b + first + i * BLOCK);
            term[i].word = load_word<STREAM>(from_c + first + i * BLOCK);
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            Triad<T, VEC>::apply(sum[i], term[i], scale);
            store_word<STREAM>(to + first + i * BLOCK, sum[i].word);
        }
        return;
    }
    /* The last block: vectors that exist, then the elements that fill no vector. */
    for (long long v = first; v < vectors && v < first + BLOCK * ITEMS; v += BLOCK) {
        sum[0].word = load_word<STREAM>(from_b + v);
        term[0].word = load_word<STREAM>(from_c + v);
        Triad<T, VEC>::apply(sum[0], term[0], scale);
        store_word<STREAM>(to + v, sum[0].word);
    }
    const long long rest = vectors * VEC + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < n) {
        a[rest] = fused_multiply_add(scale, c[rest], b[rest]);
    }
}
