/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = factor * x. A block covers BLOCK * ITEMS * VEC consecutive elements. The vectors of one thread lie BLOCK vectors
 * apart (striped), so that every load of a warp is one contiguous piece and ITEMS of them are in flight at once.
 */
#include "vectors.cuh"

template <typename T, int VEC> struct Scale {
    __device__ static void apply(Pack<T, VEC> &pack, T factor) {
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            pack.item[i] = pack.item[i] * factor;
        }
    }
};

/* Two halves an instruction; ptxas does not pair the scalar multiplications by itself. */
template <int VEC> struct Scale<__half, VEC> {
    __device__ static void apply(Pack<__half, VEC> &pack, __half factor) {
        if (VEC == 1) {
            pack.item[0] = __hmul(pack.item[0], factor);
        }
#pragma unroll
        for (int i = 0; i + 1 < VEC; i += 2) {
            const __half2 pair = __hmul2(__halves2half2(pack.item[i], pack.item[i + 1]), __half2half2(factor));
            pack.item[i] = __low2half(pair);
            pack.item[i + 1] = __high2half(pair);
        }
    }
};

template <typename T, int VEC, int BLOCK, int ITEMS, bool STREAM>
__global__ void __launch_bounds__(BLOCK, 1)
    copy_scale(const T *__restrict__ x, T *__restrict__ y, float factor, long long n) {
    typedef Pack<T, VEC> pack_t;
    typedef typename Word<sizeof(T) * VEC>::type word_t;
    const T scale = from_float(factor, T());
    const word_t *from = reinterpret_cast<const word_t *>(x);
    word_t *to = reinterpret_cast<word_t *>(y);
    const long long vectors = n / VEC;
    const long long first = (long long)blockIdx.x * (BLOCK * ITEMS) + threadIdx.x;
    pack_t pack[ITEMS];

    if (first - threadIdx.x + BLOCK * ITEMS <= vectors) {
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            pack[i].word = load_word<STREAM>(from + first + i * BLOCK);
        }
#pragma unroll
        for (int i = 0; i < ITEMS; i++) {
            Scale<T, VEC>::apply(pack[i], scale);
            store_word<STREAM>(to + first + i * BLOCK, pack[i].word);
        }
        return;
    }
    /* The last block: vectors that exist, then the elements that fill no vector. */
    for (long long v = first; v < vectors && v < first + BLOCK * ITEMS; v += BLOCK) {
        pack[0].word = load_word<STREAM>(from + v);
        Scale<T, VEC>::apply(pack[0], scale);
        store_word<STREAM>(to + v, pack[0].word);
    }
    const long long rest = vectors * VEC + threadIdx.x;
    if (blockIdx.x == gridDim.x - 1 && rest < n) {
        y[rest] = x[rest] * scale;
    }
}
