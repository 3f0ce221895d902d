/* SPDX-License-Identifier: Apache-2.0 */
/* Decode (decode.cuh) in fp64, all rows: scores to memory, then their weights and the result. */
#include <cuda_bf16.h>
#include <cuda_fp16.h>

__device__ double number(__nv_bfloat16 value) {
    return (double)__bfloat162float(value);
}
__device__ double number(__half value) {
    return (double)__half2float(value);
}
__device__ double number(unsigned char bits) { /* e4m3 */
    const int exponent = bits >> 3 & 15, mantissa = bits & 7;
    const double size = exponent ? ldexp(1.0 + mantissa / 8.0, exponent - 7) : ldexp((double)mantissa, -9);
    return bits & 0x80 ? -size : size;
}

/* A thread a token; blocks along y are query heads, along z sequences. */
template <typename Q, typename CACHE, int D>
__global__ void decode_scores(const Q *q, const CACHE *k, const int *tables, const int *lengths, double *scores,
                              long long l, int group, int kv_heads, int page, int pages) {
    const long long token = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    const long long row = (long long)blockIdx.z * gridDim.y + blockIdx.y;
    if (token >= lengths[blockIdx.z]) {
        return;
    }
    const long long at = tables[(long long)blockIdx.z * pages + token / page];
    const CACHE *key = k + ((at * kv_heads + blockIdx.y / group) * page + token % page) * D;
    double sum = 0.0;
    for (int i = 0; i < D; i++) {
        sum += number(q[row * D + i]) * number(key[i]);
    }
    scores[row * l + token] = sum;
}

/* A block of 512 threads a row; rows of V are PITCH elements apart. `scales`, of K of each KV head, then of V, may be
 * NULL. */
template <typename CACHE, int D, int PITCH = D>
__global__ void decode_values(const CACHE *v, const int *tables, const int *lengths, double *scores, double *out,
                              long long l, int group, int kv_heads, int page, int pages, double scale,
                              const float *scales) {
    constexpr int LINES = 512 / D;
    __shared__ double shared[512];
    const int sequence = blockIdx.y, length = lengths[sequence], kv_head = blockIdx.x / group;
    const double of_keys = scale * (scales ? scales[kv_head] : 1.0),
                 of_values = scales ? scales[kv_heads + kv_head] : 1.0;
    const long long row = (long long)sequence * gridDim.x + blockIdx.x;
    double *own = scores + row * l;
    double top = -1e300, weight = 0.0, sum = 0.0;
    for (int i = threadIdx.x; i < length; i += 512) {
        top = fmax(top, own[i]);
    }
    shared[threadIdx.x] = top;
    __syncthreads();
    for (int i = 0; i < 512; i++) {
        top = fmax(top, shared[i]);
    }
    __syncthreads();
    for (int i = threadIdx.x; i < length; i += 512) {
        own[i] = exp((own[i] - top) * of_keys);
        weight += own[i];
    }
    shared[threadIdx.x] = weight;
    __syncthreads();
    weight = 0.0;
    for (int i = 0; i < 512; i++) {
        weight += shared[i];
    }
    __syncthreads();
    const int column = threadIdx.x % D, line = threadIdx.x / D;
    for (int i = line; i < length; i += LINES) {
        const long long at = tables[(long long)sequence * pages + i / page];
        sum += own[i] * number(v[((at * kv_heads + kv_head) * page + i % page) * PITCH + column]);
    }
    shared[threadIdx.x] = sum;
    __syncthreads();
    if (line == 0) {
        for (int i = 1; i < LINES; i++) {
            sum += shared[i * D + column];
        }
        out[row * D + column] = weight > 0.0 ? sum / weight * of_values : 0.0;
    }
}
