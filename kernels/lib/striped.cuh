/* SPDX-License-Identifier: Apache-2.0 */
/*
 * striped.cuh - what elementwise fp32 kernels share: cache operators by their PTX names, and the walk over an array.
 * A block's tile is BLOCK * ITEMS vectors; those of a thread lie BLOCK vectors apart, so that a load of a warp is one
 * contiguous piece, and all loads of a thread are issued before the first is used.
 *
 * An operation has INPUTS (1 or 2) and apply(x, y): x becomes the result. It gets all vectors of a thread at once, so
 * that it can take turns between them.
 */
#ifndef RFT_KERNELS_STRIPED_CUH
#define RFT_KERNELS_STRIPED_CUH

#include "vectors.cuh"

/* Types, so that a parameter of the kind ctype can name one. ca and wb: no operator at all, since with one the compiler
 * would take the access for ordered. na: read-only path, no place in L1. */
struct ca {};
struct cg {};
struct cs {};
struct na {};
struct wb {};

__device__ __forceinline__ uint4 load_no_allocate(const uint4 *from) {
    uint4 w;
    asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
                 : "l"(from));
    return w;
}
__device__ __forceinline__ uint2 load_no_allocate(const uint2 *from) {
    uint2 w;
    asm volatile("ld.global.nc.L1::no_allocate.v2.u32 {%0, %1}, [%2];" : "=r"(w.x), "=r"(w.y) : "l"(from));
    return w;
}
__device__ __forceinline__ unsigned load_no_allocate(const unsigned *from) {
    unsigned w;
    asm volatile("ld.global.nc.L1::no_allocate.u32 %0, [%1];" : "=r"(w) : "l"(from));
    return w;
}

template <typename W> __device__ __forceinline__ W load_as(ca, const W *from) { return *from; }
template <typename W> __device__ __forceinline__ W load_as(cg, const W *from) { return __ldcg(from); }
template <typename W> __device__ __forceinline__ W load_as(cs, const W *from) { return __ldcs(from); }
template <typename W> __device__ __forceinline__ W load_as(na, const W *from) { return load_no_allocate(from); }

template <typename W> __device__ __forceinline__ void store_as(wb, W *to, W word) { *to = word; }
template <typename W> __device__ __forceinline__ void store_as(cg, W *to, W word) { __stcg(to, word); }
template <typename W> __device__ __forceinline__ void store_as(cs, W *to, W word) { __stcs(to, word); }

/* For operations that treat elements alone: Self has element(x, y). */
template <class Self> struct Elementwise {
    template <int ITEMS, int VEC>
    __device__ __forceinline__ void apply(Pack<float, VEC> (&x)[ITEMS], const Pack<float, VEC> (&y)[ITEMS]) const {
#pragma unroll
        for (int k = 0; k < ITEMS; k++) {
#pragma unroll
            for (int i = 0; i < VEC; i++) {
                x[k].item[i] = static_cast<const Self *>(this)->element(x[k].item[i], y[k].item[i]);
            }
        }
    }
};

/* One vector, or element with VEC = 1, at `at`. */
template <int VEC, class LOAD, class STORE, class Op>
__device__ __forceinline__ void one_vector(const Op &op, const float *a, const float *b, float *out, long long at) {
    typedef typename Word<sizeof(float) * VEC>::type word_t;
    Pack<float, VEC> x[1], y[1];
    x[0].word = load_as(LOAD(), reinterpret_cast<const word_t *>(a) + at);
    y[0] = x[0];
    if (Op::INPUTS == 2) {
        y[0].word = load_as(LOAD(), reinterpret_cast<const word_t *>(b) + at);
    }
    op.apply(x, y);
    store_as(STORE(), reinterpret_cast<word_t *>(out) + at, x[0].word);
}

/*
 * out[i] = op(a[i], b[i]) for n elements. LOOP: the grid may be smaller than the number of tiles, blocks take several.
 * Without it the grid must cover them. Addresses are multiples of VEC elements; n is any number.
 */
template <int VEC, int BLOCK, int ITEMS, class LOAD, class STORE, bool LOOP, class Op>
__device__ __forceinline__ void striped(const Op &op, const float *a, const float *b, float *out, long long n) {
    typedef typename Word<sizeof(float) * VEC>::type word_t;
    constexpr int TILE = BLOCK * ITEMS;
    const long long vectors = n / VEC;
    const word_t *from_a = reinterpret_cast<const word_t *>(a), *from_b = reinterpret_cast<const word_t *>(b);
    word_t *to = reinterpret_cast<word_t *>(out);
    long long base = (long long)blockIdx.x * TILE;
    do {
        const long long first = base + threadIdx.x;
        if (base + TILE <= vectors) {
            Pack<float, VEC> x[ITEMS], y[ITEMS];
#pragma unroll
            for (int k = 0; k < ITEMS; k++) {
                x[k].word = load_as(LOAD(), from_a + first + k * BLOCK);
                if (Op::INPUTS == 2) {
                    y[k].word = load_as(LOAD(), from_b + first + k * BLOCK);
                } else {
                    y[k] = x[k];
                }
            }
            op.apply(x, y);
#pragma unroll
            for (int k = 0; k < ITEMS; k++) {
                store_as(STORE(), to + first + k * BLOCK, x[k].word);
            }
        } else {
#pragma unroll 1
            for (long long v = first; v < vectors && v < base + TILE; v += BLOCK) {
                one_vector<VEC, LOAD, STORE>(op, a, b, out, v);
            }
        }
        base += (long long)gridDim.x * TILE;
    } while (LOOP && base < vectors);
    /* The elements that fill no vector; fewer than VEC, and a block has more threads. */
    const long long rest = vectors * VEC + threadIdx.x;
    if (VEC > 1 && blockIdx.x == 0 && rest < n) {
        one_vector<1, LOAD, STORE>(op, a, b, out, rest);
    }
}

#endif
