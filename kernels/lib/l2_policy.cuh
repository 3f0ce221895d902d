/* SPDX-License-Identifier: Apache-2.0 */
/*
 * l2_policy.cuh - what a load or a store asks of L2, as types, so that a parameter of the kind ctype can name one:
 *   plain      nothing
 *   fetch_128  that all 128 bytes of a line come at once (loads of 16 bytes; .L2::128B)
 *   streaming  evict first by the operator .cs
 *   first      evict first (createpolicy.fractional), at both levels where it is a load
 *   last       evict last; last_N: one line in N, the others are left as they are
 * Lines that are dirty at a kernel's end need not have reached device memory by then, and lines to be read again should
 * still be there; both want their share of L2 to be kept from everything else that passes. Which lines are the share is
 * the hardware's choice, by address. Words of 4, 8 and 16 bytes; those of 2 take no hint. (PTX ISA: createpolicy, ld,
 * st; an architecture before sm_80 takes no hints, and leaves them out.)
 */
#ifndef RFT_KERNELS_L2_POLICY_CUH
#define RFT_KERNELS_L2_POLICY_CUH

struct plain {};
struct streaming {};
struct first {};
struct fetch_128 {};
template <int N> struct last_of {};
typedef last_of<1> last;
typedef last_of<2> last_2;
typedef last_of<4> last_4;
typedef last_of<8> last_8;
typedef last_of<16> last_16;
typedef last_of<32> last_32;

/* What an operation on rows is given: both in one type. */
template <class READ_, class WRITE_> struct Hints {
    typedef READ_ READ;
    typedef WRITE_ WRITE;
};
template <bool STREAM> struct Streamed { typedef plain type; };
template <> struct Streamed<true> { typedef streaming type; };
template <bool STREAM> using StreamHints = Hints<typename Streamed<STREAM>::type, typename Streamed<STREAM>::type>;

typedef unsigned long long l2_policy;

/* Not volatile: one for all accesses of a thread. Shares are written out, so that ptxas knows the policy. */
#if __CUDA_ARCH__ >= 800
#define RFT_L2_POLICY(PRIORITY, SHARE) asm("createpolicy.fractional.L2::" PRIORITY ".b64 %0, " SHARE ";" : "=l"(policy))
#define RFT_L2_HINT ".L2::cache_hint"
#define RFT_L2_BY(n) ", %" #n
#else /* takes no hints for L2 */
#define RFT_L2_POLICY(PRIORITY, SHARE) policy = 0
#define RFT_L2_HINT ""
#define RFT_L2_BY(n) ""
#endif

__device__ __forceinline__ l2_policy policy_of(first) {
    l2_policy policy;
    RFT_L2_POLICY("evict_first", "1.0");
    return policy;
}
template <int N> __device__ __forceinline__ l2_policy policy_of(last_of<N>) {
    static_assert(N >= 1 && N <= 32 && (N & (N - 1)) == 0, "a share that is written out");
    l2_policy policy;
    if constexpr (N == 1) {
        RFT_L2_POLICY("evict_last", "1.0");
    } else if constexpr (N == 2) {
        RFT_L2_POLICY("evict_last", "0.5");
    } else if constexpr (N == 4) {
        RFT_L2_POLICY("evict_last", "0.25");
    } else if constexpr (N == 8) {
        RFT_L2_POLICY("evict_last", "0.125");
    } else if constexpr (N == 16) {
        RFT_L2_POLICY("evict_last", "0.0625");
    } else {
        RFT_L2_POLICY("evict_last", "0.03125");
    }
    return policy;
}
#undef RFT_L2_POLICY

__device__ __forceinline__ l2_policy policy_where(bool stays) {
    return stays ? policy_of(last()) : policy_of(first());
}

/* Read-only data. Volatile, so that a load is not moved to where its value is used. */
#define RFT_L2_LOADS(NAME, L1)                                                                                         \
    __device__ __forceinline__ uint4 NAME(const uint4 *from, l2_policy policy) {                                       \
        uint4 w;                                                                                                       \
        asm volatile("ld.global.nc" L1 RFT_L2_HINT ".v4.u32 {%0, %1, %2, %3}, [%4]" RFT_L2_BY(5) ";"                   \
                     : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)                                                      \
                     : "l"(from), "l"(policy));                                                                        \
        return w;                                                                                                      \
    }                                                                                                                  \
    __device__ __forceinline__ uint2 NAME(const uint2 *from, l2_policy policy) {                                       \
        uint2 w;                                                                                                       \
        asm volatile("ld.global.nc" L1 RFT_L2_HINT ".v2.u32 {%0, %1}, [%2]" RFT_L2_BY(3) ";"                           \
                     : "=r"(w.x), "=r"(w.y)                                                                            \
                     : "l"(from), "l"(policy));                                                                        \
        return w;                                                                                                      \
    }                                                                                                                  \
    __device__ __forceinline__ unsigned NAME(const unsigned *from, l2_policy policy) {                                 \
        unsigned w;                                                                                                    \
        asm volatile("ld.global.nc" L1 RFT_L2_HINT ".u32 %0, [%1]" RFT_L2_BY(2) ";"                                    \
                     : "=r"(w)                                                                                         \
                     : "l"(from), "l"(policy));                                                                        \
        return w;                                                                                                      \
    }                                                                                                                  \
    __device__ __forceinline__ unsigned short NAME(const unsigned short *from, l2_policy) {                            \
        return __ldg(from);                                                                                            \
    }
RFT_L2_LOADS(load_by, "")
RFT_L2_LOADS(load_first, ".L1::evict_first")
RFT_L2_LOADS(load_last, ".L1::evict_last")
#undef RFT_L2_LOADS

__device__ __forceinline__ void store_by(uint4 *to, uint4 w, l2_policy policy) {
    asm volatile("st.global" RFT_L2_HINT ".v4.u32 [%0], {%1, %2, %3, %4}" RFT_L2_BY(5) ";" ::"l"(to), "r"(w.x),
                 "r"(w.y), "r"(w.z), "r"(w.w), "l"(policy)
                 : "memory");
}
__device__ __forceinline__ void store_by(uint2 *to, uint2 w, l2_policy policy) {
    asm volatile("st.global" RFT_L2_HINT ".v2.u32 [%0], {%1, %2}" RFT_L2_BY(3) ";" ::"l"(to), "r"(w.x), "r"(w.y),
                 "l"(policy)
                 : "memory");
}
__device__ __forceinline__ void store_by(unsigned *to, unsigned w, l2_policy policy) {
    asm volatile("st.global" RFT_L2_HINT ".u32 [%0], %1" RFT_L2_BY(2) ";" ::"l"(to), "r"(w), "l"(policy) : "memory");
}
__device__ __forceinline__ void store_by(unsigned short *to, unsigned short w, l2_policy) {
    *to = w;
}

/* As striped.cuh names them for its cache operators: the hint first. */
template <typename W> __device__ __forceinline__ W load_as(plain, const W *from) {
    return __ldg(from);
}
__device__ __forceinline__ uint4 load_as(fetch_128, const uint4 *from) {
    uint4 w;
    asm("ld.global.nc.L2::128B.v4.u32 {%0, %1, %2, %3}, [%4];"
        : "=r"(w.x), "=r"(w.y), "=r"(w.z), "=r"(w.w)
        : "l"(from));
    return w;
}
template <typename W> __device__ __forceinline__ W load_as(fetch_128, const W *from) {
    return __ldg(from);
}
template <typename W> __device__ __forceinline__ W load_as(streaming, const W *from) {
    return __ldcs(from);
}
template <typename W> __device__ __forceinline__ W load_as(first hint, const W *from) {
    return load_first(from, policy_of(hint));
}
template <int N, typename W> __device__ __forceinline__ W load_as(last_of<N> hint, const W *from) {
    return load_last(from, policy_of(hint));
}

template <typename W> __device__ __forceinline__ void store_as(plain, W *to, W word) {
    *to = word;
}
template <typename W> __device__ __forceinline__ void store_as(streaming, W *to, W word) {
    __stcs(to, word);
}
template <class HINT, typename W> __device__ __forceinline__ void store_as(HINT hint, W *to, W word) {
    store_by(to, word, policy_of(hint));
}
#undef RFT_L2_HINT
#undef RFT_L2_BY

#endif
