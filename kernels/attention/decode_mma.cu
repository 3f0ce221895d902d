/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode (decode.cuh) on tensor cores, the cache going from memory to the registers that are multiplied, by no other
 * way (sm_80 and newer; e4m3 by cvt sm_89). A warp has the K and V of its next 16 tokens on their way while it
 * multiplies: it asks for them as soon as registers are free.
 */
#include "decode_mma.cuh"
#include "striped.cuh"

template <typename CACHE, int D, int TILES, int WARPS, int RESIDENT, bool INTEGER, bool LAST>
__global__ void __launch_bounds__(WARPS * 32, RESIDENT)
    decode_mma(const typename Cached<CACHE, INTEGER>::Number *__restrict__ q, const CACHE *__restrict__ k,
               const CACHE *__restrict__ v, const int *__restrict__ tables, const int *__restrict__ lengths,
               typename Cached<CACHE, INTEGER>::Number *__restrict__ out, Parts parts, unsigned *arrived, Decode of) {
    typedef Attending<CACHE, D, TILES, INTEGER> Warp;
    typedef typename Warp::Number Number;
    extern __shared__ __align__(16) float space[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const Share share(of, tables, lengths, TILES * 8);
    launch_next();
    if (share.idle()) {
        return;
    }
    Warp own;
    own.begin(q + share.row(of, 0) * D, share.heads);

    const int in_page = (1 << of.page_shift) - 1;
    int at = share.first + warp * 16; /* of 16 tokens, which lie in one page */
    int page = at < share.end ? share.table[at >> of.page_shift] : 0;
    long long base = 0;
    int left = 0;
    uint4 upper[Warp::KEYS], lower[Warp::KEYS], values[4][Warp::VALUES];
    /* Tokens that are not there are read as the last one that is: their weight is 0. */
    auto find = [&]() {
        left = min(16, share.end - at);
        base = ((((long long)page * of.kv_heads + share.kv_head) << of.page_shift) + (at & in_page)) * D;
        const int next = at + WARPS * 16;
        page = next < share.end ? share.table[next >> of.page_shift] : 0;
    };
    auto load_keys = [&]() {
        const CACHE *from = k + base + lane % 4 * Warp::ELEMENTS;
        const CACHE *first = from + min(slot(lane / 4), left - 1) * D,
                    *second = from + min(slot(lane / 4) + 8, left - 1) * D;
#pragma unroll
        for (int j = 0; j < Warp::KEYS; j++) {
            upper[j] = load_no_allocate(reinterpret_cast<const uint4 *>(first + j * 4 * Warp::ELEMENTS));
            lower[j] = load_no_allocate(reinterpret_cast<const uint4 *>(second + j * 4 * Warp::ELEMENTS));
        }
    };
    auto load_values = [&]() {
        const CACHE *from = v + base + slot(lane / 4) * Warp::ELEMENTS;
#pragma unroll
        for (int token = 0; token < 4; token++) {
            const CACHE *row = from + min(token / 2 * 8 + slot(lane % 4 * 2 + token % 2), left - 1) * D;
#pragma unroll
            for (int h = 0; h < Warp::VALUES; h++) {
                values[token][h] = load_no_allocate(reinterpret_cast<const uint4 *>(row + h * 8 * Warp::ELEMENTS));
            }
        }
    };

    if (at < share.end) {
        find();
        load_keys();
        load_values();
    }
    while (at < share.end) {
        const int here = left;
        float scores[TILES][4];
        unsigned p[TILES][2];
        own.score(scores, upper, lower);
        at += WARPS * 16;
        if (at < share.end) {
            find();
            load_keys();
        }
        own.weigh(p, scores, share.scale, here);
        own.add(p, values);
        if (at < share.end) {
            load_values();
        }
    }

    own.leave(space + warp * (TILES * 8 * Warp::PITCH));
    __syncthreads();
    end_block<Number, D, TILES * 8, WARPS, LAST>(of, share, space, parts, arrived, out);
}
