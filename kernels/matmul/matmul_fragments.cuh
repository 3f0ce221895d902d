/* SPDX-License-Identifier: Apache-2.0 */
/*
 * matmul_fragments.cuh - mma.sync on fragments that ldmatrix brings, and its sums to C. Sources: PTX ISA 8.8, "Matrix
 * fragments for mma.m16n8k8", "m16n8k16", "m16n8k32", "m8n8k16", "ldmatrix".
 */
#ifndef RFT_KERNELS_MATMUL_FRAGMENTS_CUH
#define RFT_KERNELS_MATMUL_FRAGMENTS_CUH

#include "matmul_stages.cuh"

#include "mma_halves.cuh"

/* Four matrices of 8 x 8 elements of 16 bits: lane l gives the address of row l % 8 of matrix l / 8, and gets of each
 * the two neighbouring elements 2 (l % 4) of row l / 4. Of elements of other widths it gets the same 4 bytes. */
__device__ __forceinline__ void load_matrices(unsigned (&to)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

/* As load_matrices(), but each matrix turned: a lane gets the two elements below one another, 2 (l % 4) and the next,
 * of column l / 4. */
__device__ __forceinline__ void load_matrices_turned(unsigned (&to)[4], unsigned from) {
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(to[0]), "=r"(to[1]), "=r"(to[2]), "=r"(to[3])
                 : "r"(from)
                 : "memory");
}

/*
 * sums (16 x 8) += a (16 x 32 bytes) b (32 bytes x 8). Lane l has sums[2 h + e] of row l / 4 + 8 h, column 2 (l % 4) +
 * e. Fragments are the same bytes for every type, as ldmatrix brings them. A float is multiplied as TF32, whose upper
 * 19 bits count; an unsigned char is an e4m3. Out is what C has.
 */
#define MULTIPLY(TYPE, OUT, INSTRUCTION)                                                                               \
    template <> struct Multiply<TYPE> {                                                                                \
        typedef float Sum;                                                                                             \
        typedef OUT Out;                                                                                               \
        __device__ __forceinline__ static void add(float (&sums)[4], const unsigned (&a)[4], const unsigned *b) {      \
            asm volatile("mma.sync.aligned." INSTRUCTION " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "             \
                         "{%0, %1, %2, %3};"                                                                           \
                         : "+f"(sums[0]), "+f"(sums[1]), "+f"(sums[2]), "+f"(sums[3])                                  \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                          \
        }                                                                                                              \
    };
template <typename T> struct Multiply;
#if __CUDA_ARCH__ >= 800
MULTIPLY(__nv_bfloat16, __nv_bfloat16, "m16n8k16.row.col.f32.bf16.bf16.f32")
MULTIPLY(__half, __half, "m16n8k16.row.col.f32.f16.f16.f32")
MULTIPLY(float, float, "m16n8k8.row.col.f32.tf32.tf32.f32")
#else
/* No tensor core multiplies bf16 or TF32: fp32 does. The rows and columns of a lane's sums are in its neighbours. */
__device__ __forceinline__ float add_words(float sum, unsigned a, unsigned b, __nv_bfloat16) {
    return fmaf(__uint_as_float(a & 0xffff0000u), __uint_as_float(b & 0xffff0000u),
                fmaf(__uint_as_float(a << 16), __uint_as_float(b << 16), sum));
}
__device__ __forceinline__ float add_words(float sum, unsigned a, unsigned b, float) {
    return fmaf(__uint_as_float(a), __uint_as_float(b), sum);
}
template <typename T> struct Multiply {
    typedef float Sum;
    typedef T Out;
    __device__ __forceinline__ static void add(float (&sums)[4], const unsigned (&a)[4], const unsigned *b) {
        const int lane = threadIdx.x % 32;
#pragma unroll
        for (int half = 0; half < 2; half++) {
#pragma unroll 1 /* unrolled, a kernel takes a minute to compile */
            for (int word = 0; word < 4; word++) {
                unsigned rows[2], columns[2];
#pragma unroll
                for (int e = 0; e < 2; e++) {
                    rows[e] = __shfl_sync(~0u, a[half * 2 + e], lane / 4 * 4 + word);
                    columns[e] = __shfl_sync(~0u, b[half], (lane % 4 * 2 + e) * 4 + word);
                }
#pragma unroll
                for (int e = 0; e < 4; e++) {
                    sums[e] = add_words(sums[e], rows[e / 2], columns[e % 2], T());
                }
            }
        }
    }
};
template <> struct Multiply<__half> {
    typedef float Sum;
    typedef __half Out;
    __device__ __forceinline__ static void add(float (&sums)[4], const unsigned (&a)[4], const unsigned *b) {
        multiply_halves(sums, a, b);
    }
};
#endif
/* Of bytes 0 and 1, and 2 and 3, as halves. Where no instruction converts, an e4m3's exponent and mantissa stand one
 * place lower in a half, whose bias is 8 more; NaN becomes 480 there. */
__device__ __forceinline__ void widen_e4m3(unsigned bytes, unsigned &low, unsigned &high) {
#if __CUDA_ARCH__ >= 890
    asm("{\n .reg .b16 low, high;\n mov.b32 {low, high}, %2;\n"
        " cvt.rn.f16x2.e4m3x2 %0, low;\n cvt.rn.f16x2.e4m3x2 %1, high;\n}"
        : "=r"(low), "=r"(high)
        : "r"(bytes));
#else
    const unsigned apart[2] = {__byte_perm(bytes, 0, 0x1404), __byte_perm(bytes, 0, 0x3424)};
    unsigned *to[2] = {&low, &high};
#pragma unroll
    for (int i = 0; i < 2; i++) {
        const unsigned small = (apart[i] >> 1 & 0x3f803f80u) | (apart[i] & 0x80008000u); /* 2^-8 of what it is */
        asm("fma.rn.f16x2 %0, %1, %2, %3;" : "=r"(*to[i]) : "r"(small), "r"(0x5c005c00u), "r"(0x80008000u));
    }
#endif
}
#if __CUDA_ARCH__ == 890 || __CUDA_ARCH__ >= 1200
MULTIPLY(unsigned char, __nv_bfloat16, "m16n8k32.row.col.f32.e4m3.e4m3.f32")
#else
/* No tensor core here multiplies e4m3 of registers. From sm_90 on ptxas would take halves, and add each two products'
 * sums by FADD; here tensor cores add on: first what the lower two bytes of each word give, then the upper. */
template <> struct Multiply<unsigned char> {
    typedef float Sum;
    typedef __nv_bfloat16 Out;
    __device__ __forceinline__ static void add(float (&sums)[4], const unsigned (&a)[4], const unsigned *b) {
        unsigned wide_a[2][4], wide_b[2][2];
#pragma unroll
        for (int i = 0; i < 4; i++) {
            widen_e4m3(a[i], wide_a[0][i], wide_a[1][i]);
        }
#pragma unroll
        for (int i = 0; i < 2; i++) {
            widen_e4m3(b[i], wide_b[0][i], wide_b[1][i]);
        }
        Multiply<__half>::add(sums, wide_a[0], wide_b[0]);
        Multiply<__half>::add(sums, wide_a[1], wide_b[1]);
    }
};
#endif
#if __CUDA_ARCH__ >= 800
template <> struct Multiply<signed char> {
    typedef int Sum;
    typedef int Out;
    __device__ __forceinline__ static void add(int (&sums)[4], const unsigned (&a)[4], const unsigned *b) {
        asm volatile("mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+r"(sums[0]), "+r"(sums[1]), "+r"(sums[2]), "+r"(sums[3])
                     : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
    }
};
#else /* sm_75: eight rows, half the depth */
template <> struct Multiply<signed char> {
    typedef int Sum;
    typedef int Out;
    __device__ __forceinline__ static void add(int (&sums)[4], const unsigned (&a)[4], const unsigned *b) {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            int *own = sums + i % 2 * 2;
            asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};"
                         : "+r"(own[0]), "+r"(own[1])
                         : "r"(a[i]), "r"(b[i / 2]));
        }
    }
};
#endif
#undef MULTIPLY

/* Two neighbouring elements of C of 4 bytes, of which `left` are inside; aligned: at a multiple of 8 bytes. */
template <typename OUT>
__device__ __forceinline__ void store_two(OUT *to, OUT first, OUT second, int left, bool aligned) {
    struct __align__(8) Two {
        OUT first, second;
    };
    if (aligned && left > 0) {
        *reinterpret_cast<Two *>(to) = Two{first, second};
        return;
    }
    if (left > 0) {
        to[0] = first;
    }
    if (left > 1) {
        to[1] = second;
    }
}

/* A warp's sums to C (m x n), of which they are the part from first_row, first_column on. Of 4 bytes, four lanes have
 * 32 bytes of a row: a sector. Of 2, they have pairs of neighbours 8 columns apart; turned, a lane has 8 neighbours. */
template <typename OUT, typename SUM, int DOWN, int RIGHT>
__device__ __forceinline__ void store_sums(const SUM (&sums)[DOWN][RIGHT][4], OUT *c, long long first_row,
                                           long long first_column, long long m, long long n) {
    static_assert(RIGHT % 4 == 0, "32 columns at a time");
    const int lane = threadIdx.x % 32, left_all = left_of(n, first_column, RIGHT * 8);
#pragma unroll
    for (int i = 0; i < 2 * DOWN; i++) {
        const long long row = first_row + i * 8 + lane / 4;
        const int left = row < m ? left_all : 0;
        OUT *to = c + row * n + first_column;
        if constexpr (sizeof(OUT) == 2) {
#pragma unroll
            for (int j = 0; j < RIGHT; j += 4) {
                unsigned pairs[4];
#pragma unroll
                for (int at = 0; at < 4; at++) {
                    const SUM *own = sums[i / 2][j + at] + i % 2 * 2;
                    pairs[at] = rounded_pair<OUT>(own[0], own[1]);
                }
                turn_quad(pairs);
                const int column = (j + lane % 4) * 8;
                store_eight(to + column, make_uint4(pairs[0], pairs[1], pairs[2], pairs[3]), left - column, n % 8 == 0);
            }
        } else {
#pragma unroll
            for (int j = 0; j < RIGHT; j++) {
                const SUM *own = sums[i / 2][j] + i % 2 * 2;
                const int column = j * 8 + lane % 4 * 2;
                store_two(to + column, own[0], own[1], left - column, n % 2 == 0);
            }
        }
    }
}

#endif
