/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tensor ceilings by mma.sync: each warp keeps A x B independent accumulators (A fragments of the left operand, B of
 * the right one), all in registers, and updates each of them REPEATS times before the loop turns. No memory is touched
 * in the loop. The sum is written under a condition that never holds.
 */
#define RFT_MMA_OP(NAME, DATA, VALUE, C, SHAPE, TYPES)                                                                 \
    struct rft_mma_op_##NAME {                                                                                         \
        typedef VALUE value;                                                                                           \
        typedef rft_u32 operand;                                                                                       \
        typedef rft_data_##DATA data;                                                                                  \
        enum { A = 4, B = 2, D = 4 };                                                                                  \
        static __device__ __forceinline__ void apply(value (&d)[4], const operand (&a)[4], const operand (&b)[2]) {    \
            asm volatile("mma.sync.aligned." SHAPE ".row.col." TYPES                                                   \
                         " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                            \
                         : C(d[0]), C(d[1]), C(d[2]), C(d[3])                                                          \
                         : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));                          \
        }                                                                                                              \
    };

RFT_MMA_OP(tf32, tf32, float, "+f", "m16n8k8", "f32.tf32.tf32.f32")
RFT_MMA_OP(bf16, bf16, float, "+f", "m16n8k16", "f32.bf16.bf16.f32")
RFT_MMA_OP(fp16, fp16, float, "+f", "m16n8k16", "f32.f16.f16.f32")
RFT_MMA_OP(fp8, fp8, float, "+f", "m16n8k32", "f32.e4m3.e4m3.f32")
RFT_MMA_OP(int8, int8, int, "+r", "m16n8k32", "s32.s8.s8.s32")

struct rft_mma_op_fp64_k4 {
    typedef double value;
    typedef double operand;
    typedef rft_data_fp64 data;
    enum { A = 1, B = 1, D = 2 };
    static __device__ __forceinline__ void apply(double (&d)[2], const double (&a)[1], const double (&b)[1]) {
        asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};"
                     : "+d"(d[0]), "+d"(d[1])
                     : "d"(a[0]), "d"(b[0]));
    }
};

/* From sm_90 on. */
struct rft_mma_op_fp64_k8 {
    typedef double value;
    typedef double operand;
    typedef rft_data_fp64 data;
    enum { A = 4, B = 2, D = 4 };
    static __device__ __forceinline__ void apply(double (&d)[4], const double (&a)[4], const double (&b)[2]) {
        asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                     "{%0, %1, %2, %3};"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1]));
    }
};

struct rft_mma_op_fp64_k16 {
    typedef double value;
    typedef double operand;
    typedef rft_data_fp64 data;
    enum { A = 8, B = 4, D = 4 };
    static __device__ __forceinline__ void apply(double (&d)[4], const double (&a)[8], const double (&b)[4]) {
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, "
                     "%10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};"
                     : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3])
                     : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]),
                       "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3]));
    }
};

template <class OP, int A, int B, int REPEATS>
RFT_DEVICE void rft_mma_loop(rft_u32 steps, rft_u32 never, rft_u32 *out) {
    typename OP::operand a[A][OP::A], b[B][OP::B];
    typename OP::value d[A][B][OP::D];
#pragma unroll
    for (int i = 0; i < A * OP::A; i++) {
        a[i / OP::A][i % OP::A] = OP::data::word(rft_thread_random(i));
    }
#pragma unroll
    for (int i = 0; i < B * OP::B; i++) {
        b[i / OP::B][i % OP::B] = OP::data::word(rft_thread_random(0x8000 + i));
    }
#pragma unroll
    for (int i = 0; i < A * B * OP::D; i++) {
        d[i / OP::D / B][i / OP::D % B][i % OP::D] = 0;
    }
#pragma unroll 1
    for (rft_u32 step = 0; step < steps; step++) {
#pragma unroll
        for (int i = 0; i < REPEATS * A * B; i++) {
            OP::apply(d[i / B % A][i % B], a[i / B % A], b[i % B]);
        }
    }
    rft_u32 sum = 0;
#pragma unroll
    for (int i = 0; i < A * B * OP::D; i++) {
        sum += rft_fold(d[i / OP::D / B][i / OP::D % B][i % OP::D]);
    }
    if (sum == never) {
        *out = sum;
    }
}

#define RFT_MMA_KERNEL(NAME)                                                                                           \
    template <int A, int B, int REPEATS>                                                                               \
    __global__ void __launch_bounds__(256) rft_mma_##NAME(rft_u32 steps, rft_u32 never, rft_u32 *out) {                \
        rft_mma_loop<rft_mma_op_##NAME, A, B, REPEATS>(steps, never, out);                                             \
    }

RFT_MMA_KERNEL(tf32)
RFT_MMA_KERNEL(bf16)
RFT_MMA_KERNEL(fp16)
RFT_MMA_KERNEL(fp8)
RFT_MMA_KERNEL(int8)
RFT_MMA_KERNEL(fp64_k4)
RFT_MMA_KERNEL(fp64_k8)
RFT_MMA_KERNEL(fp64_k16)
