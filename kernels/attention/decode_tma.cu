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
#endif

template <typename CACHE, int D, int TILES, int TOKENS, int BOX, int STAGES, int WARPS, bool INTEGER, bool LAST>
__global__ void __launch_bounds__(WARPS * 32 + 32, 1)
    decode_tma(const __grid_constant__ CUtensorMap k, const __grid_constant__ CUtensorMap v,
               const typename Cached<CACHE, INTEGER>::Number *__restrict__ q, const int *__restrict__ tables,
               const int *__restrict__ lengths, typename Cached<CACHE, INTEGER>::Number *__restrict__ out, Parts parts,
               unsigned *arrived, Decode of) {
#if __CUDA_ARCH__ >= 900
    typedef Attending<CACHE, D, TILES, INTEGER> Warp;
    typedef typename Warp::Number Number;
    typedef Ring<CACHE, D, TOKENS> Ring;
    static_assert(TOKENS % BOX == 0 && BOX % 8 == 0 && TOKENS % (WARPS * 16) == 0, "whole pages, whole turns");
    static_assert(TOKENS / BOX <= 32, "a lane a box");
    extern __shared__ __align__(1024) unsigned char ring[];
    const unsigned stages = shared_address(ring), full = stages + STAGES * Ring::STAGE, empty = full + STAGES * 8;
    float *space = reinterpret_cast<float *>(ring); /* behind the last stage */
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const Share share(of, tables, lengths, TILES * 8);
    /* The lane's box in a stage, and its first page, which does not wait for the length. */
    const int offset = lane < TOKENS / BOX ? lane * BOX : TOKENS, entry = (share.first + offset) >> of.page_shift;
    int page = warp == WARPS && offset < TOKENS && entry < of.pages ? share.table[entry] : 0;
    launch_next();
    if (warp == WARPS && lane == 0) {
        prefetch_map(&k);
        prefetch_map(&v);
        for (int i = 0; i < STAGES; i++) {
            bulk_barrier_init(full + i * 8);
            bulk_barrier_init(empty + i * 8, WARPS);
        }
        bulk_barrier_publish();
    }
    if (share.idle()) {
        return;
    }

    int stage = 0;
    unsigned parity = 0;
    if (warp == WARPS) {
        __syncwarp();
        asm volatile("bar.arrive 2, %0;" ::"n"(WARPS * 32 + 32) : "memory");
        const int in_page = (1 << of.page_shift) - 1;
        for (int at = share.first; at < share.end; at += TOKENS) {
            const int token = at + offset, next = token + TOKENS;
            const bool mine = offset < TOKENS && token < share.end;
            const int row =
                (int)((((long long)page * of.kv_heads + share.kv_head) << of.page_shift) + (token & in_page));
            page = offset < TOKENS && next < share.end ? share.table[next >> of.page_shift] : 0;
            const unsigned barrier = full + stage * 8, to = stages + stage * Ring::STAGE + offset * 128;
            if (lane == 0) {
                const int boxes = min(TOKENS / BOX, (share.end - at + BOX - 1) / BOX);
                bulk_wait(empty + stage * 8, parity ^ 1);
                bulk_expect(barrier, boxes * (2 * Ring::SLABS * BOX * 128));
            }
            __syncwarp();
            if (mine) {
#pragma unroll
                for (int slab = 0; slab < Ring::SLABS; slab++) {
                    const int column = slab * (128 / (int)sizeof(CACHE));
                    bulk_load_box(to + slab * Ring::SLAB, &k, column, row, barrier);
                    bulk_load_box(to + Ring::V_AT + slab * Ring::SLAB, &v, column, row, barrier);
                }
            }
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
    } else {
        Warp own;
        own.begin(q + share.row(of, 0) * D, share.heads);
        asm volatile("bar.sync 2, %0;" ::"n"(WARPS * 32 + 32) : "memory");
        for (int at = share.first; at < share.end; at += TOKENS) {
            bulk_wait(full + stage * 8, parity);
            const unsigned keys = stages + stage * Ring::STAGE;
#pragma unroll 1
            for (int turn = warp * 16; turn < TOKENS && at + turn < share.end; turn += WARPS * 16) {
                /* Tokens that are not there are read as the last one that is: their weight is 0. */
                const int left = min(16, share.end - at - turn);
                const int first = turn + min(slot(lane / 4), left - 1),
                          second = turn + min(slot(lane / 4) + 8, left - 1);
                uint4 upper[Warp::KEYS], lower[Warp::KEYS], values[4][Warp::VALUES];
#pragma unroll
                for (int j = 0; j < Warp::KEYS; j++) {
                    upper[j] = read_piece(Ring::place(keys, first, j * 4 + lane % 4));
                    lower[j] = read_piece(Ring::place(keys, second, j * 4 + lane % 4));
                }
                float scores[TILES][4];
                unsigned p[TILES][2];
                own.score(scores, upper, lower);
                own.weigh(p, scores, share.scale, left);
#pragma unroll
                for (int token = 0; token < 4; token++) {
                    const int row = turn + min(token / 2 * 8 + slot(lane % 4 * 2 + token % 2), left - 1);
#pragma unroll
                    for (int h = 0; h < Warp::VALUES; h++) {
                        values[token][h] = read_piece(Ring::place(keys + Ring::V_AT, row, slot(lane / 4) + h * 8));
                    }
                }
                own.add(p, values);
            }
            __syncwarp();
            if (lane == 0) {
                bulk_arrive(empty + stage * 8);
            }
            stage = stage + 1 == STAGES ? 0 : stage + 1;
            parity ^= stage == 0;
        }
        /* All of the ring has been read, and all copies have arrived, when all warps are here. */
        asm volatile("bar.sync 1, %0;" ::"n"(WARPS * 32) : "memory");
        own.leave(space + warp * (TILES * 8 * Warp::PITCH));
    }
    __syncthreads();
    end_block<Number, D, TILES * 8, WARPS, LAST>(of, share, space, parts, arrived, out);
#endif
}
