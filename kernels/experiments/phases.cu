/* SPDX-License-Identifier: Apache-2.0 */
/*
 * phases.cu - a chain of phases, each of which needs what others made in the one before: a launch each; one grid whose
 * blocks meet in between; or blocks that draw tiles and wait for the one tile that theirs needs. Integers wrap, so
 * results are exact.
 */
#include "look_back.cuh"

enum { TILE = 1024 }; /* words, four a thread */

/* y = 3 v + w in each phase, v being what the tile at the same distance from the other end was before; nothing behind
 * the n words counts. */
struct Chain {
    const unsigned *x, *w;
    unsigned *between[2], *y;
    long long n;
    int phases, tiles;

    __device__ __forceinline__ int needed(int tile) const {
        return tiles - 1 - tile;
    }
    __device__ __forceinline__ void make(int phase, int tile) const {
        const unsigned *const from = phase == 0 ? x : between[phase % 2];
        unsigned *const to = phase == phases - 1 ? y : between[(phase + 1) % 2];
        const long long at = (long long)tile * TILE + threadIdx.x * 4;
        const long long other = (long long)needed(tile) * TILE + threadIdx.x * 4;
        if (at + 4 <= n && other + 4 <= n) { /* past L1: the grid may have written it */
            const uint4 v = __ldcg(reinterpret_cast<const uint4 *>(from + other));
            const uint4 own = __ldcg(reinterpret_cast<const uint4 *>(w + at));
            *reinterpret_cast<uint4 *>(to + at) =
                make_uint4(3 * v.x + own.x, 3 * v.y + own.y, 3 * v.z + own.z, 3 * v.w + own.w);
            return;
        }
        for (int i = 0; i < 4 && at + i < n; i++) {
            to[at + i] = 3 * (other + i < n ? __ldcg(from + other + i) : 0) + w[at + i];
        }
    }
};

__global__ void __launch_bounds__(256) phase(const Chain chain, int of) {
    chain.make(of, blockIdx.x);
}

__device__ __forceinline__ void wait_until(const unsigned *word, unsigned wanted) {
    unsigned found;
    do {
        asm volatile("ld.acquire.gpu.global.u32 %0, [%1];" : "=r"(found) : "l"(word) : "memory");
    } while ((int)(found - wanted) < 0);
}

/* All blocks run at once. `met` counts arrivals and is never reset. */
template <int PER_SM> __global__ void __launch_bounds__(256, PER_SM) meeting(const Chain chain, unsigned *met) {
    for (int of = 0; of < chain.phases; of++) {
        for (int tile = blockIdx.x; tile < chain.tiles; tile += gridDim.x) {
            chain.make(of, tile);
        }
        __syncthreads();
        if (threadIdx.x == 0 && of + 1 < chain.phases) {
            __threadfence();
            const unsigned before = atomicAdd(met, 1u);
            wait_until(met, before - before % gridDim.x + gridDim.x);
        }
        __syncthreads();
    }
}

/* Tiles are drawn phase by phase, so what one waits for has been drawn before, by a block that runs. Of each tile
 * `done` counts the phases of all launches. */
template <int PER_SM>
__global__ void __launch_bounds__(256, PER_SM)
    drawing(const Chain chain, unsigned long long *state, unsigned *done) {
    __shared__ Ticket drawn;
    const unsigned all = chain.tiles * chain.phases;
    for (;;) {
        if (threadIdx.x == 0) {
            drawn = draw_tile(state, all + gridDim.x);
            const int of = drawn.tile / chain.tiles;
            if (drawn.tile < all && of > 0) {
                wait_until(done + chain.needed(drawn.tile % chain.tiles), drawn.launch * chain.phases + of);
            }
        }
        __syncthreads();
        const Ticket ticket = drawn;
        if (ticket.tile >= all) {
            return;
        }
        const int of = ticket.tile / chain.tiles, tile = ticket.tile % chain.tiles;
        chain.make(of, tile);
        __syncthreads(); /* all have written, and read the ticket */
        if (threadIdx.x == 0) {
            __threadfence();
            asm volatile("st.release.gpu.global.u32 [%0], %1;" ::"l"(done + tile),
                         "r"(ticket.launch * chain.phases + of + 1)
                         : "memory");
        }
    }
}
