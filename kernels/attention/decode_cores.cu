/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decode (decode.cuh) on CUDA cores: a lane has 16 bytes of a row of K and of V, so D / 8 lanes share a token and add
 * their products up by shuffles. With HEADS = 1 each query head reads the cache for itself; with all of a group it is
 * read once.
 */
#include "decode.cuh"
#include "striped.cuh"

__device__ __forceinline__ float2 floats_of(unsigned pair, __nv_bfloat16) {
    return make_float2(__uint_as_float(pair << 16), __uint_as_float(pair & 0xffff0000u));
}
__device__ __forceinline__ float2 floats_of(unsigned pair, __half) {
    Pack<__half, 2> both;
    both.word = pair;
    return make_float2(__half2float(both.item[0]), __half2float(both.item[1]));
}
template <typename T> __device__ __forceinline__ void eight_floats(float (&to)[8], uint4 from) {
    const unsigned words[4] = {from.x, from.y, from.z, from.w};
#pragma unroll
    for (int i = 0; i < 4; i++) {
        const float2 two = floats_of(words[i], T());
        to[2 * i] = two.x;
        to[2 * i + 1] = two.y;
    }
}

/* A warp takes AHEAD times 32 / (D / 8) tokens in turn, all of which it asks for before it uses the first. */
template <typename T, int D, int HEADS, int WARPS, int AHEAD, bool LAST>
__global__ void __launch_bounds__(WARPS * 32, 1)
    decode_cores(const T *__restrict__ q, const T *__restrict__ k, const T *__restrict__ v,
                 const int *__restrict__ tables, const int *__restrict__ lengths, T *__restrict__ out, Parts parts,
                 unsigned *arrived, Decode of) {
    constexpr int LANES = D / 8, LINES = 32 / LANES, TURN = AHEAD * LINES, PITCH = D + 4;
    static_assert(LANES <= 32 && 32 % LANES == 0, "D of 64, 128, 256");
    extern __shared__ __align__(16) float space[];
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32, line = lane / LANES, column = lane % LANES * 8;
    const Share share(of, tables, lengths, HEADS);
    launch_next();
    if (share.idle()) {
        return;
    }
    float query[HEADS][8], sums[HEADS][8] = {}, top[HEADS], weight[HEADS] = {};
#pragma unroll
    for (int head = 0; head < HEADS; head++) {
        const int own = min(head, share.heads - 1);
        eight_floats<T>(query[head], *reinterpret_cast<const uint4 *>(q + share.row(of, own) * D + column));
#pragma unroll
        for (int e = 0; e < 8; e++) {
            query[head][e] *= share.scale;
        }
        top[head] = LOWEST;
    }

    const int in_page = (1 << of.page_shift) - 1;
    for (int turn = share.first + warp * TURN; turn < share.end; turn += WARPS * TURN) {
        uint4 keys[AHEAD], values[AHEAD];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            const int token = min(turn + i * LINES + line, share.end - 1); /* of what is beyond, the weight is 0 */
            const long long page = share.table[token >> of.page_shift];
            const long long at =
                ((((page * of.kv_heads + share.kv_head) << of.page_shift) + (token & in_page)) * D) + column;
            keys[i] = load_no_allocate(reinterpret_cast<const uint4 *>(k + at));
            values[i] = load_no_allocate(reinterpret_cast<const uint4 *>(v + at));
        }
        float scores[AHEAD][HEADS];
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            float key[8];
            eight_floats<T>(key, keys[i]);
#pragma unroll
            for (int head = 0; head < HEADS; head++) {
                float sum = 0.0f;
#pragma unroll
                for (int e = 0; e < 8; e++) {
                    sum = fmaf(query[head][e], key[e], sum);
                }
#pragma unroll
                for (int apart = LANES / 2; apart > 0; apart /= 2) {
                    sum += __shfl_xor_sync(~0u, sum, apart);
                }
                scores[i][head] = turn + i * LINES + line < share.end ? sum : MASKED;
            }
        }
#pragma unroll
        for (int head = 0; head < HEADS; head++) {
            float highest = top[head];
#pragma unroll
            for (int i = 0; i < AHEAD; i++) {
                highest = fmaxf(highest, scores[i][head]);
            }
            const float factor = exp2_fast(top[head] - highest);
            top[head] = highest;
            weight[head] *= factor;
#pragma unroll
            for (int e = 0; e < 8; e++) {
                sums[head][e] *= factor;
            }
#pragma unroll
            for (int i = 0; i < AHEAD; i++) {
                scores[i][head] = exp2_fast(scores[i][head] - highest);
                weight[head] += scores[i][head];
            }
        }
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            float value[8];
            eight_floats<T>(value, values[i]);
#pragma unroll
            for (int head = 0; head < HEADS; head++) {
#pragma unroll
                for (int e = 0; e < 8; e++) {
                    sums[head][e] = fmaf(scores[i][head], value[e], sums[head][e]);
                }
            }
        }
    }

    /* The lines of a warp become one. */
#pragma unroll
    for (int head = 0; head < HEADS; head++) {
        float *own = space + (warp * HEADS + head) * PITCH;
#pragma unroll
        for (int apart = LANES; apart < 32; apart *= 2) {
            const float other = __shfl_xor_sync(~0u, top[head], apart), highest = fmaxf(top[head], other);
            const float factor = exp2_fast(top[head] - highest);
            top[head] = highest;
            weight[head] *= factor;
            weight[head] += __shfl_xor_sync(~0u, weight[head], apart);
#pragma unroll
            for (int e = 0; e < 8; e++) {
                sums[head][e] *= factor;
                sums[head][e] += __shfl_xor_sync(~0u, sums[head][e], apart);
            }
        }
        if (line == 0) {
#pragma unroll
            for (int e = 0; e < 8; e++) {
                own[column + e] = sums[head][e];
            }
            if (column == 0) {
                own[D] = top[head];
                own[D + 1] = weight[head];
            }
        }
    }
    __syncthreads();
    end_block<T, D, HEADS, WARPS, LAST>(of, share, space, parts, arrived, out);
}
