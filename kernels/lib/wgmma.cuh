/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wgmma.cuh - a warpgroup's matrix multiplication from shared memory: D (64 x N, registers) += A (64 x K) B (K x N), K
 * being 32 bytes. sm_90a alone. Source: PTX ISA 8.8, "Asynchronous warpgroup-level matrix instructions".
 *
 * T names the type of A and B: __nv_bfloat16, __half, float (of which TF32 is read: the lowest 13 bits are dropped),
 * unsigned char (e4m3) and Fp8<…> with sums in fp32; signed char (int8) with sums in int32.
 *
 * An operand lies in slabs of 128 bytes along k, swizzled by 128 bytes: the 16-byte piece p of line l lies at
 * p ^ (l % 8). BY_K (k is contiguous in memory): a line is a row of A (a column of B), 128 bytes of k wide. Not BY_K,
 * for 16 bits alone: a line is a k, 64 rows (columns) wide, and 64 lines are a chunk.
 *
 * Who holds what: register 4 j + 2 h + e of thread t is row 16 (t / 32) + t % 32 / 4 + 8 h, column 8 j + 2 (t % 4) + e.
 */
#ifndef RFT_KERNELS_WGMMA_CUH
#define RFT_KERNELS_WGMMA_CUH

#include <cuda_bf16.h>
#include <cuda_fp16.h>

/* fp8 of two kinds: e5m2 where it is said of A or of B, e4m3 of the other. */
template <bool A, bool B> struct Fp8 {
    static constexpr bool A_E5M2 = A, B_E5M2 = B;
    unsigned char bits;
};

#if __CUDA_ARCH_FEAT_SM90_ALL

template <typename A, typename B> constexpr bool wgmma_same = false;
template <typename A> constexpr bool wgmma_same<A, A> = true;

template <typename T> struct SumOf { typedef float type; };
template <> struct SumOf<signed char> { typedef int type; };

/* Of an operand at `address` (a multiple of 1024 plus whole steps): lines of 128 bytes, eight of them 1024 bytes, and
 * from a chunk of 64 rows (columns) to the next, where k is not contiguous, 8192. Steps are added to it. */
template <bool BY_K> __device__ __forceinline__ unsigned long long wgmma_operand(unsigned address) {
    constexpr unsigned long long EIGHT_LINES = 1024 >> 4, CHUNK = BY_K ? 1 : 8192 >> 4, SWIZZLE_128 = 1;
    return SWIZZLE_128 << 62 | EIGHT_LINES << 32 | CHUNK << 16 | (address & 0x3ffff) >> 4;
}

/* From one step of 32 bytes of k (of 16 k's) to the next, in an operand's units of 16 bytes. */
template <bool BY_K> __device__ __forceinline__ constexpr int wgmma_step() {
    return BY_K ? 32 >> 4 : 16 * 128 >> 4;
}

/* The names of the registers, eight at a time, and the operands that they are. */
#define WGMMA_TEXT_1 "%0,%1,%2,%3,%4,%5,%6,%7"
#define WGMMA_TEXT_2 WGMMA_TEXT_1 ",%8,%9,%10,%11,%12,%13,%14,%15"
#define WGMMA_TEXT_3 WGMMA_TEXT_2 ",%16,%17,%18,%19,%20,%21,%22,%23"
#define WGMMA_TEXT_4 WGMMA_TEXT_3 ",%24,%25,%26,%27,%28,%29,%30,%31"
#define WGMMA_TEXT_5 WGMMA_TEXT_4 ",%32,%33,%34,%35,%36,%37,%38,%39"
#define WGMMA_TEXT_6 WGMMA_TEXT_5 ",%40,%41,%42,%43,%44,%45,%46,%47"
#define WGMMA_TEXT_7 WGMMA_TEXT_6 ",%48,%49,%50,%51,%52,%53,%54,%55"
#define WGMMA_TEXT_8 WGMMA_TEXT_7 ",%56,%57,%58,%59,%60,%61,%62,%63"
#define WGMMA_TEXT_9 WGMMA_TEXT_8 ",%64,%65,%66,%67,%68,%69,%70,%71"
#define WGMMA_TEXT_10 WGMMA_TEXT_9 ",%72,%73,%74,%75,%76,%77,%78,%79"
#define WGMMA_TEXT_11 WGMMA_TEXT_10 ",%80,%81,%82,%83,%84,%85,%86,%87"
#define WGMMA_TEXT_12 WGMMA_TEXT_11 ",%88,%89,%90,%91,%92,%93,%94,%95"
#define WGMMA_TEXT_13 WGMMA_TEXT_12 ",%96,%97,%98,%99,%100,%101,%102,%103"
#define WGMMA_TEXT_14 WGMMA_TEXT_13 ",%104,%105,%106,%107,%108,%109,%110,%111"
#define WGMMA_TEXT_15 WGMMA_TEXT_14 ",%112,%113,%114,%115,%116,%117,%118,%119"
#define WGMMA_TEXT_16 WGMMA_TEXT_15 ",%120,%121,%122,%123,%124,%125,%126,%127"
#define WGMMA_EIGHT(KIND, i)                                                                                           \
    KIND(d[i]), KIND(d[i + 1]), KIND(d[i + 2]), KIND(d[i + 3]), KIND(d[i + 4]), KIND(d[i + 5]), KIND(d[i + 6]),        \
        KIND(d[i + 7])
#define WGMMA_SUMS_1(KIND) WGMMA_EIGHT(KIND, 0)
#define WGMMA_SUMS_2(KIND) WGMMA_SUMS_1(KIND), WGMMA_EIGHT(KIND, 8)
#define WGMMA_SUMS_3(KIND) WGMMA_SUMS_2(KIND), WGMMA_EIGHT(KIND, 16)
#define WGMMA_SUMS_4(KIND) WGMMA_SUMS_3(KIND), WGMMA_EIGHT(KIND, 24)
#define WGMMA_SUMS_5(KIND) WGMMA_SUMS_4(KIND), WGMMA_EIGHT(KIND, 32)
#define WGMMA_SUMS_6(KIND) WGMMA_SUMS_5(KIND), WGMMA_EIGHT(KIND, 40)
#define WGMMA_SUMS_7(KIND) WGMMA_SUMS_6(KIND), WGMMA_EIGHT(KIND, 48)
#define WGMMA_SUMS_8(KIND) WGMMA_SUMS_7(KIND), WGMMA_EIGHT(KIND, 56)
#define WGMMA_SUMS_9(KIND) WGMMA_SUMS_8(KIND), WGMMA_EIGHT(KIND, 64)
#define WGMMA_SUMS_10(KIND) WGMMA_SUMS_9(KIND), WGMMA_EIGHT(KIND, 72)
#define WGMMA_SUMS_11(KIND) WGMMA_SUMS_10(KIND), WGMMA_EIGHT(KIND, 80)
#define WGMMA_SUMS_12(KIND) WGMMA_SUMS_11(KIND), WGMMA_EIGHT(KIND, 88)
#define WGMMA_SUMS_13(KIND) WGMMA_SUMS_12(KIND), WGMMA_EIGHT(KIND, 96)
#define WGMMA_SUMS_14(KIND) WGMMA_SUMS_13(KIND), WGMMA_EIGHT(KIND, 104)
#define WGMMA_SUMS_15(KIND) WGMMA_SUMS_14(KIND), WGMMA_EIGHT(KIND, 112)
#define WGMMA_SUMS_16(KIND) WGMMA_SUMS_15(KIND), WGMMA_EIGHT(KIND, 120)

#define WGMMA_TEXT(N, KINDS, REGISTERS, A, B, ADD, REST)                                                               \
    "{\n .reg .pred p;\n setp.ne.b32 p, " ADD ", 0;\n wgmma.mma_async.sync.aligned.m64n" #N KINDS " {" REGISTERS       \
    "}, " A ", " B ", p" REST ";\n}"

/* N columns, 8 EIGHTS registers; what follows are the numbers of the operands behind these. */
#define WGMMA_DEFINE(N, EIGHTS, A, B, ADD, A_TURNED, B_TURNED)                                                         \
    template <typename T, bool A_BY_K, bool B_BY_K>                                                                    \
    __device__ __forceinline__ void wgmma(float(&d)[8 * EIGHTS], unsigned long long a, unsigned long long b,           \
                                          int add) {                                                                   \
        static_assert(sizeof(T) == 2 || (A_BY_K && B_BY_K), "only 16 bits can lie otherwise");                         \
        if constexpr (wgmma_same<T, __nv_bfloat16>) {                                                                  \
            asm volatile(                                                                                              \
                WGMMA_TEXT(N, "k16.f32.bf16.bf16", WGMMA_TEXT_##EIGHTS, A, B, ADD, ", 1, 1, " A_TURNED ", " B_TURNED)  \
                : WGMMA_SUMS_##EIGHTS("+f")                                                                            \
                : "l"(a), "l"(b), "r"(add), "n"(!A_BY_K), "n"(!B_BY_K));                                               \
        } else if constexpr (wgmma_same<T, __half>) {                                                                  \
            asm volatile(                                                                                              \
                WGMMA_TEXT(N, "k16.f32.f16.f16", WGMMA_TEXT_##EIGHTS, A, B, ADD, ", 1, 1, " A_TURNED ", " B_TURNED)    \
                : WGMMA_SUMS_##EIGHTS("+f")                                                                            \
                : "l"(a), "l"(b), "r"(add), "n"(!A_BY_K), "n"(!B_BY_K));                                               \
        } else if constexpr (wgmma_same<T, float>) {                                                                   \
            asm volatile(WGMMA_TEXT(N, "k8.f32.tf32.tf32", WGMMA_TEXT_##EIGHTS, A, B, ADD, ", 1, 1")                   \
                         : WGMMA_SUMS_##EIGHTS("+f")                                                                   \
                         : "l"(a), "l"(b), "r"(add));                                                                  \
        } else if constexpr (wgmma_same<T, unsigned char>) {                                                           \
            asm volatile(WGMMA_TEXT(N, "k32.f32.e4m3.e4m3", WGMMA_TEXT_##EIGHTS, A, B, ADD, ", 1, 1")                  \
                         : WGMMA_SUMS_##EIGHTS("+f")                                                                   \
                         : "l"(a), "l"(b), "r"(add));                                                                  \
        } else if constexpr (T::A_E5M2) {                                                                              \
            asm volatile(WGMMA_TEXT(N, "k32.f32.e5m2.e4m3", WGMMA_TEXT_##EIGHTS, A, B, ADD, ", 1, 1")                  \
                         : WGMMA_SUMS_##EIGHTS("+f")                                                                   \
                         : "l"(a), "l"(b), "r"(add));                                                                  \
        } else {                                                                                                       \
            static_assert(T::B_E5M2, "one of the types above");                                                        \
            asm volatile(WGMMA_TEXT(N, "k32.f32.e4m3.e5m2", WGMMA_TEXT_##EIGHTS, A, B, ADD, ", 1, 1")                  \
                         : WGMMA_SUMS_##EIGHTS("+f")                                                                   \
                         : "l"(a), "l"(b), "r"(add));                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    template <typename T, bool A_BY_K, bool B_BY_K>                                                                    \
    __device__ __forceinline__ void wgmma(int(&d)[8 * EIGHTS], unsigned long long a, unsigned long long b, int add) {  \
        static_assert(wgmma_same<T, signed char> && A_BY_K && B_BY_K, "int8 has k contiguous");                        \
        asm volatile(WGMMA_TEXT(N, "k32.s32.s8.s8", WGMMA_TEXT_##EIGHTS, A, B, ADD, "")                                \
                     : WGMMA_SUMS_##EIGHTS("+r")                                                                       \
                     : "l"(a), "l"(b), "r"(add));                                                                      \
    }

/* wgmma<T, …>(d, a, b, add): without `add` d is set, not added to. */
WGMMA_DEFINE(16, 1, "%8", "%9", "%10", "%11", "%12")
WGMMA_DEFINE(32, 2, "%16", "%17", "%18", "%19", "%20")
WGMMA_DEFINE(48, 3, "%24", "%25", "%26", "%27", "%28")
WGMMA_DEFINE(64, 4, "%32", "%33", "%34", "%35", "%36")
WGMMA_DEFINE(80, 5, "%40", "%41", "%42", "%43", "%44")
WGMMA_DEFINE(96, 6, "%48", "%49", "%50", "%51", "%52")
WGMMA_DEFINE(112, 7, "%56", "%57", "%58", "%59", "%60")
WGMMA_DEFINE(128, 8, "%64", "%65", "%66", "%67", "%68")
WGMMA_DEFINE(144, 9, "%72", "%73", "%74", "%75", "%76")
WGMMA_DEFINE(160, 10, "%80", "%81", "%82", "%83", "%84")
WGMMA_DEFINE(176, 11, "%88", "%89", "%90", "%91", "%92")
WGMMA_DEFINE(192, 12, "%96", "%97", "%98", "%99", "%100")
WGMMA_DEFINE(208, 13, "%104", "%105", "%106", "%107", "%108")
WGMMA_DEFINE(224, 14, "%112", "%113", "%114", "%115", "%116")
WGMMA_DEFINE(240, 15, "%120", "%121", "%122", "%123", "%124")
WGMMA_DEFINE(256, 16, "%128", "%129", "%130", "%131", "%132")

/* In front of a group of multiplications: what was written to the registers is there. */
__device__ __forceinline__ void wgmma_begin() {
    asm volatile("wgmma.fence.sync.aligned;" ::: "memory");
}

__device__ __forceinline__ void wgmma_commit() {
    asm volatile("wgmma.commit_group.sync.aligned;" ::: "memory");
}

/* Until at most PENDING of the newest groups are at work. */
template <int PENDING> __device__ __forceinline__ void wgmma_wait() {
    asm volatile("wgmma.wait_group.sync.aligned %0;" ::"n"(PENDING) : "memory");
}

/* The compiler moves no use of the registers across: behind a wait, in front of a group. */
__device__ __forceinline__ void wgmma_hold_one(float &value) {
    asm volatile("" : "+f"(value)::"memory");
}
__device__ __forceinline__ void wgmma_hold_one(int &value) {
    asm volatile("" : "+r"(value)::"memory");
}
template <typename SUM, int WAVES, int COUNT> __device__ __forceinline__ void wgmma_hold(SUM (&d)[WAVES][COUNT]) {
#pragma unroll
    for (int wave = 0; wave < WAVES; wave++) {
#pragma unroll
        for (int i = 0; i < COUNT; i++) {
            wgmma_hold_one(d[wave][i]);
        }
    }
}

/* Of every thread of a warpgroup; the block's threads together have what the kernel was launched with. */
template <int REGISTERS> __device__ __forceinline__ void warpgroup_give_registers() {
    asm volatile("setmaxnreg.dec.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}
template <int REGISTERS> __device__ __forceinline__ void warpgroup_take_registers() {
    asm volatile("setmaxnreg.inc.sync.aligned.u32 %0;" ::"n"(REGISTERS));
}

/* Four 8 x 8 tiles of 16-bit numbers to shared memory: lanes 8 i to 8 i + 7 name the rows of tile i. */
__device__ __forceinline__ void store_tiles(unsigned to, unsigned a, unsigned b, unsigned c, unsigned d) {
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared::cta.b16 [%0], {%1, %2, %3, %4};" ::"r"(to), "r"(a), "r"(b),
                 "r"(c), "r"(d)
                 : "memory");
}

__device__ __forceinline__ unsigned word_of(float value) {
    return __float_as_uint(value);
}
__device__ __forceinline__ unsigned word_of(int value) {
    return (unsigned)value;
}

/* Two numbers of 32 bits to shared memory, `to` being a multiple of 8. */
__device__ __forceinline__ void store_pair(unsigned to, unsigned first, unsigned second) {
    asm volatile("st.shared.v2.b32 [%0], {%1, %2};" ::"r"(to), "r"(first), "r"(second) : "memory");
}

#endif
#endif
