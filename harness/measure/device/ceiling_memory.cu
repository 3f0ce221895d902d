/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ceilings of the memory levels. A thread has U independent 16-byte accesses in flight; a block takes a contiguous
 * chunk of U * blockDim.x vectors at a time. The host makes `count` a multiple of every chunk it asks for.
 * Loads are volatile assembly: none is merged, moved out of a loop or left out, and all U are issued before the first
 * is used. Sums are written under a condition that never holds and that the compiler cannot know.
 */
#define RFT_PLAIN 0    /* default caching */
#define RFT_STREAM 1   /* evict first, loads and stores */
#define RFT_PREFETCH 2 /* loads through the read-only path, not kept in L1, L2 fetches 256 bytes */

template <int HINT> RFT_DEVICE uint4 rft_load16(const uint4 *from) {
    uint4 v;
    if (HINT == RFT_STREAM) {
        asm volatile("ld.global.cs.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from));
    } else if (HINT == RFT_PREFETCH) {
        asm volatile("ld.global.nc.L1::no_allocate.L2::256B.v4.u32 {%0,%1,%2,%3}, [%4];"
                     : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w)
                     : "l"(from));
    } else {
        asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];" : "=r"(v.x), "=r"(v.y), "=r"(v.z), "=r"(v.w) : "l"(from));
    }
    return v;
}

template <int HINT> RFT_DEVICE void rft_store16(uint4 *to, uint4 v) {
    if (HINT == RFT_STREAM) {
        asm volatile("st.global.cs.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                     : "memory");
    } else {
        asm volatile("st.global.v4.u32 [%0], {%1,%2,%3,%4};" ::"l"(to), "r"(v.x), "r"(v.y), "r"(v.z), "r"(v.w)
                     : "memory");
    }
}

RFT_DEVICE void rft_fold(uint4 &sum, uint4 v) {
    sum.x ^= v.x;
    sum.y ^= v.y;
    sum.z ^= v.z;
    sum.w ^= v.w;
}

RFT_DEVICE void rft_keep(uint4 sum, rft_u32 never, rft_u32 *out) {
    if (sum.x == never && sum.y == never && sum.z == never && sum.w == never) {
        *out = sum.x;
    }
}

#define RFT_EACH_CHUNK                                                                                                 \
    for (rft_u64 at = (rft_u64)blockIdx.x * U * blockDim.x + threadIdx.x; at < count;                                  \
         at += (rft_u64)gridDim.x * U * blockDim.x)

template <int U, int HINT> __global__ void rft_dram_read(const uint4 *a, rft_u64 count, rft_u32 never, rft_u32 *out) {
    uint4 sum = make_uint4(0, 0, 0, 0);
    RFT_EACH_CHUNK {
        uint4 v[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            v[u] = rft_load16<HINT>(a + at + u * blockDim.x);
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            rft_fold(sum, v[u]);
        }
    }
    rft_keep(sum, never, out);
}

template <int U, int HINT> __global__ void rft_dram_write(uint4 *a, rft_u64 count, rft_u32 value) {
    uint4 v = make_uint4(value, value + threadIdx.x, value + blockIdx.x, value);
    RFT_EACH_CHUNK {
#pragma unroll
        for (int u = 0; u < U; u++) {
            rft_store16<HINT>(a + at + u * blockDim.x, v);
        }
    }
}

template <int U, int HINT> __global__ void rft_dram_copy(uint4 *a, const uint4 *b, rft_u64 count) {
    RFT_EACH_CHUNK {
        uint4 v[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            v[u] = rft_load16<HINT>(b + at + u * blockDim.x);
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            rft_store16<HINT>(a + at + u * blockDim.x, v[u]);
        }
    }
}

RFT_DEVICE rft_u32 rft_axpy(rft_u32 b, float s, rft_u32 c) {
    return __float_as_uint(__fmaf_rn(__uint_as_float(b), s, __uint_as_float(c)));
}

/* a = b * s + c */
template <int U, int HINT>
__global__ void rft_dram_2to1(uint4 *a, const uint4 *b, const uint4 *c, rft_u64 count, float s) {
    RFT_EACH_CHUNK {
        uint4 v[U], w[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            v[u] = rft_load16<HINT>(b + at + u * blockDim.x);
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            w[u] = rft_load16<HINT>(c + at + u * blockDim.x);
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            v[u] = make_uint4(rft_axpy(v[u].x, s, w[u].x), rft_axpy(v[u].y, s, w[u].y), rft_axpy(v[u].z, s, w[u].z),
                              rft_axpy(v[u].w, s, w[u].w));
            rft_store16<HINT>(a + at + u * blockDim.x, v[u]);
        }
    }
}

/* Every block takes `steps` chunks of a working set that fits the L2, jumping `stride` chunks each time, so that all
 * blocks do equal work and none meets its own chunk again before a whole round. Neither form is served by L1. */
template <int U, int STRONG>
__global__ void rft_l2_read(const uint4 *a, rft_u32 chunks, rft_u32 stride, rft_u32 steps, rft_u32 never,
                            rft_u32 *out) {
    uint4 sum = make_uint4(0, 0, 0, 0);
    rft_u32 chunk = blockIdx.x % chunks;
#pragma unroll 1
    for (rft_u32 step = 0; step < steps; step++) {
        const uint4 *from = a + (rft_u64)chunk * U * blockDim.x + threadIdx.x;
        uint4 v[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            if (STRONG) {
                asm volatile("ld.global.cg.v4.u32 {%0,%1,%2,%3}, [%4];"
                             : "=r"(v[u].x), "=r"(v[u].y), "=r"(v[u].z), "=r"(v[u].w)
                             : "l"(from + u * blockDim.x));
            } else {
                asm volatile("ld.global.nc.L1::no_allocate.v4.u32 {%0,%1,%2,%3}, [%4];"
                             : "=r"(v[u].x), "=r"(v[u].y), "=r"(v[u].z), "=r"(v[u].w)
                             : "l"(from + u * blockDim.x));
            }
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            rft_fold(sum, v[u]);
        }
        chunk += stride;
        chunk = chunk >= chunks ? chunk - chunks : chunk;
    }
    rft_keep(sum, never, out);
}

/* The same U * blockDim.x vectors again and again: all blocks of an SM share them in its L1. `turn` is 0, which the
 * compiler cannot know: with an address that it knows to stay, it loads once (113 TB/s were read that way). */
template <int U>
__global__ void rft_l1_read(const uint4 *a, rft_u32 steps, rft_u32 turn, rft_u32 never, rft_u32 *out) {
    uint4 sum = make_uint4(0, 0, 0, 0);
    const uint4 *from = a + threadIdx.x;
#pragma unroll 1
    for (rft_u32 step = 0; step < steps; step++) {
        uint4 v[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            asm volatile("ld.global.v4.u32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(v[u].x), "=r"(v[u].y), "=r"(v[u].z), "=r"(v[u].w)
                         : "l"(from + u * blockDim.x));
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            rft_fold(sum, v[u]);
        }
        from += turn;
    }
    rft_keep(sum, never, out);
}

/* Blocks of 512 threads; neighbouring lanes read neighbouring 16 bytes, which has no bank conflict. */
#define RFT_SHARED_BLOCK 512
template <int U> __global__ void rft_shared_read(rft_u32 steps, rft_u32 turn, rft_u32 never, rft_u32 *out) {
    __shared__ uint4 tile[U * RFT_SHARED_BLOCK];
    uint4 sum = make_uint4(0, 0, 0, 0);
    for (int u = 0; u < U; u++) {
        tile[u * RFT_SHARED_BLOCK + threadIdx.x] = make_uint4(never + u, threadIdx.x, u, blockIdx.x);
    }
    __syncthreads();
    rft_u32 from = (rft_u32)__cvta_generic_to_shared(tile) + threadIdx.x * 16u;
#pragma unroll 1
    for (rft_u32 step = 0; step < steps; step++) {
        uint4 v[U];
#pragma unroll
        for (int u = 0; u < U; u++) {
            asm volatile("ld.shared.v4.u32 {%0,%1,%2,%3}, [%4];"
                         : "=r"(v[u].x), "=r"(v[u].y), "=r"(v[u].z), "=r"(v[u].w)
                         : "r"(from + u * RFT_SHARED_BLOCK * 16u));
        }
#pragma unroll
        for (int u = 0; u < U; u++) {
            rft_fold(sum, v[u]);
        }
        from += turn;
    }
    rft_keep(sum, never, out);
}
