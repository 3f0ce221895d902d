/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode (decode.cuh) on tensor cores, the cache coming by TMA (sm_90 and newer): one warp looks pages up and asks for
 * them, STAGES x TOKENS tokens ahead, WARPS others multiply, 16 tokens of each stage at a time. K and V are tensors of
 * rows of D elements; a box is BOX rows, at most a page, of 128 bytes, swizzled. That warp makes the barriers itself
 * and begins at once; the others come to them when they have their heads of q.
 */
#include "decode_mma.cuh"

#include "bulk_tiles.cuh"

#if __CUDA_ARCH__ >= 900
__device__ __forceinline__ uint4 read_piece(unsigned from) {
    uint4 piece;
    asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                 : "=r"(piece.x), "=r"(piece.y), "=r"(piece.z), "=r"(piece.w)
                 : "r"(from)
                 : "memory");
    return piece;
}

__device__ __forceinline__ void prefetch_map(const CUtensorMap *map) {
    asm volatile("prefetch.tensormap [%0];" ::"l"(map) : "memory");
}

template <typename CACHE, int D, int TOKENS> struct Ring {
    enum {
        SLABS = D * (int)sizeof(CACHE) / 128, /* of 128 bytes of each row */
        SLAB = TOKENS * 128,
        V_AT = SLABS * SLAB,
        STAGE = 2 * V_AT
    };
    /* Piece `piece` of 16 bytes of row `row`. */
    __device__ __forceinline__ static unsigned place(unsigned rows, int row, int piece) {
        return rows + piece / 8 * SLAB + row * 128 + ((piece ^ row) % 8) * 16;
    }
};

/* Four columns of a row, relative to their top. */
struct alignas(16) Quad {
    float sum[4], top, weight;
};

__device__ __forceinline__ void cluster_arrive() {
    asm volatile("barrier.cluster.arrive.release;" ::: "memory");
}
__device__ __forceinline__ void cluster_wait() {
    asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
}

/* In as many lanes beside each other the same quad of all PARTS becomes one. */
template <int PARTS> __device__ __forceinline__ void join_lanes(Quad &quad) {
    float top = quad.top;
#pragma unroll
    for (int apart = PARTS / 2; apart > 0; apart /= 2) {
        top = fmaxf(top, __shfl_xor_sync(~0u, top, apart));
    }
    const float factor = exp2_fast(quad.top - top);
    quad.weight *= factor;
#pragma unroll
    for (int e = 0; e < 4; e++) {
        quad.sum[e] *= factor;
    }
#pragma unroll
    for (int apart = PARTS / 2; apart > 0; apart /= 2) {
        quad.weight += __shfl_xor_sync(~0u, quad.weight, apart);
#pragma unroll
        for (int e = 0; e < 4; e++) {
            quad.sum[e] += __shfl_xor_sync(~0u, quad.sum[e], apart);
        }
    }
}

/*
 * As end_block(), by the PARTS blocks of a cluster, which have all begun: each is given its share of the columns by the
 * others, in `handed`, 32 bytes of each part for four columns. No part goes through memory. Behind a barrier.
 */
template <typename T, int D, int HEADS, int WARPS, int PARTS>
__device__ __forceinline__ void end_cluster(const Decode &of, const Share &share, const float *space, void *handed,
                                            T *out) {
    constexpr int PITCH = D + 4, QUADS = D / 4;
    static_assert((PARTS & (PARTS - 1)) == 0 && PARTS <= 32, "lanes of a warp");
    const int threads = blockDim.x, thread = threadIdx.x, quads = share.heads * QUADS;
    const int each = (quads + PARTS - 1) / PARTS;
    for (int i = thread; i < quads; i += threads) {
        const int at = i % QUADS * 4;
        const float *own = space + i / QUADS * PITCH;
        float top = LOWEST, weight = 0.0f, sum[4] = {};
#pragma unroll
        for (int warp = 0; warp < WARPS; warp++) {
            top = fmaxf(top, own[warp * HEADS * PITCH + D]);
        }
#pragma unroll
        for (int warp = 0; warp < WARPS; warp++) {
            const float *from = own + warp * HEADS * PITCH;
            const float factor = exp2_fast(from[D] - top);
            weight += factor * from[D + 1];
#pragma unroll
            for (int e = 0; e < 4; e++) {
                sum[e] += factor * from[at + e];
            }
        }
        const unsigned there = bulk_place_in(shared_address(handed) + (share.part * each + i % each) * 32, i / each);
        asm volatile("st.shared::cluster.v4.f32 [%0], {%1, %2, %3, %4};" ::"r"(there), "f"(sum[0]), "f"(sum[1]),
                     "f"(sum[2]), "f"(sum[3])
                     : "memory");
        asm volatile("st.shared::cluster.v2.f32 [%0], {%1, %2};" ::"r"(there + 16), "f"(top), "f"(weight) : "memory");
    }
    cluster_arrive();
    cluster_wait();
    const int here = min(each, quads - share.part * each); /* none where below 1 */
    for (int i = thread; i < (each * PARTS + 31) / 32 * 32; i += threads) {
        const int mine = i / PARTS;
        Quad quad = {{}, LOWEST, 0.0f};
        if (mine < here) {
            quad = reinterpret_cast<const Quad *>(handed)[(i % PARTS * each + mine)];
        }
        join_lanes<PARTS>(quad);
        if (i % PARTS == 0 && mine < here) {
            const int which = share.part * each + mine;
            const float scale = quad.weight > 0.0f ? share.out_scale / quad.weight : 0.0f;
            T *to = out + share.row(of, which / QUADS) * D + which % QUADS * 4;
#pragma unroll
            for (int e = 0; e < 4; e++) {
                to[e] = rounded<T>(quad.sum[e] * scale);
            }
        }
    }
}
#endif

template <typename CACHE, int D, int TILES, int TOKENS, int BOX, int STAGES, int WARPS, bool INTEGER, bool LAST>
__global__ void __launch_bounds__(WARPS * 32 + 32, 1)
    decode_tma(const __grid_constant__ CUtensorMap k, const __grid_constant__ CUtensorMap v,
               const typename Cached<CACHE, INTEGER>::Number *__restrict__ q, const int *__restrict__ tables,
               const int *__restrict__ lengths, typename Cached<CACHE, INTEGER>::Number *__restrict__ out, Parts parts,
               unsigned *arrived, Decode of) {
#if __CUDA_ARCH__ >= 900
    constexpr int PARTS = 0;
#include "decode_tma_sums.cuh"
    __syncthreads();
    end_block<Number, D, TILES * 8, WARPS, LAST>(of, share, space, parts, arrived, out);
#endif
}

/* PARTS blocks of a cluster, all of a sequence, join their sums. */
template <typename CACHE, int D, int TILES, int TOKENS, int BOX, int STAGES, int WARPS, bool INTEGER, int PARTS>
__global__ void __launch_bounds__(WARPS * 32 + 32, 1)
    decode_tma_cluster(const __grid_constant__ CUtensorMap k, const __grid_constant__ CUtensorMap v,
                       const typename Cached<CACHE, INTEGER>::Number *__restrict__ q, const int *__restrict__ tables,
                       const int *__restrict__ lengths, typename Cached<CACHE, INTEGER>::Number *__restrict__ out,
                       Decode of) {
#if __CUDA_ARCH__ >= 900
#include "decode_tma_sums.cuh"
    cluster_wait();
    __syncthreads();
    end_cluster<Number, D, TILES * 8, WARPS, PARTS>(of, share, space, ring + STAGES * (Ring::STAGE + 16), out);
#endif
}
