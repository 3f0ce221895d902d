/* SPDX-License-Identifier: Apache-2.0 */
/* y = x / sqrt(mean(x^2) + epsilon) * weight for every row of bf16; squares and sums are fp32. */
#include "rmsnorm.cuh"
#include "rows_staged.cuh"

/* A block a row, an element a load; the row is read twice. */
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK) rmsnorm_scalar(const bf16 *__restrict__ x, const bf16 *__restrict__ weight,
                                                        bf16 *__restrict__ y, long long cols, float epsilon) {
    const bf16 *from = x + blockIdx.x * cols;
    bf16 *to = y + blockIdx.x * cols;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        const float value = __bfloat162float(from[i]);
        sum = fmaf(value, value, sum);
    }
    const float scale = rsqrtf(reduce_block<BLOCK>(Sum{sum}).value / (float)cols + epsilon);
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        to[i] = __float2bfloat16_rn(__bfloat162float(from[i]) * scale * __bfloat162float(weight[i]));
    }
}

/* A block a row, VEC elements a load; the row stays in shared memory. A thread reads what it wrote itself. */
template <int VEC, int BLOCK>
__global__ void __launch_bounds__(BLOCK) rmsnorm_shared(const bf16 *__restrict__ x, const bf16 *__restrict__ weight,
                                                        bf16 *__restrict__ y, long long cols, float epsilon) {
    extern __shared__ __align__(16) unsigned char kept_bytes[];
    Words<VEC> *kept = reinterpret_cast<Words<VEC> *>(kept_bytes);
    const int vectors = (int)(cols / VEC);
    const Words<VEC> *from = words_of<VEC>(x + blockIdx.x * cols);
    Words<VEC> *to = words_of<VEC>(y + blockIdx.x * cols);
    float sum = 0.0f;
    for (int v = threadIdx.x; v < vectors; v += BLOCK) {
        const Words<VEC> word = load_once<false>(from + v);
        kept[v] = word;
        float values[VEC];
        unpack<VEC>(values, word);
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            sum = fmaf(values[i], values[i], sum);
        }
    }
    const float scale = rsqrtf(reduce_block<BLOCK>(Sum{sum}).value / (float)cols + epsilon);
    for (int v = threadIdx.x; v < vectors; v += BLOCK) {
        float values[VEC], weights[VEC];
        unpack<VEC>(values, kept[v]);
        unpack<VEC>(weights, load_once<false>(words_of<VEC>(weight) + v));
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            values[i] *= scale * weights[i];
        }
        to[v] = packed<VEC>(values);
    }
}

/* A block a row, which it reads twice: to READ, and again to AGAIN, out of L2 where that has kept it. */
template <int VEC, int BLOCK, int UNROLL, class READ, class AGAIN, class WRITE>
__global__ void __launch_bounds__(BLOCK, 1) rmsnorm_twice(const bf16 *__restrict__ x, const bf16 *__restrict__ weight,
                                                          bf16 *__restrict__ y, long long cols, float epsilon) {
    const Words<VEC> *from = words_of<VEC>(x + blockIdx.x * cols);
    Words<VEC> *to = words_of<VEC>(y + blockIdx.x * cols);
    const int vectors = (int)(cols / VEC);
    float sum = 0.0f;
    each_vector<VEC, BLOCK, UNROLL, READ>(from, vectors, threadIdx.x, [&](const float(&values)[VEC]) {
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            sum = fmaf(values[i], values[i], sum);
        }
    });
    const float scale = rsqrtf(reduce_block<BLOCK>(Sum{sum}).value / (float)cols + epsilon);
    each_place<VEC, BLOCK, UNROLL, AGAIN>(from, vectors, threadIdx.x, [&](float(&values)[VEC], int v) {
        float weights[VEC];
        unpack<VEC>(weights, load_once<false>(words_of<VEC>(weight) + v));
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            values[i] *= scale * weights[i];
        }
        store_as(WRITE(), to + v, packed<VEC>(values));
    });
}

template <int VEC, int THREADS, int BLOCK, int ITEMS, bool EXACT, int CLUSTER, int HELD, class READ, class WRITE>
__global__ void __launch_bounds__(BLOCK, HELD / BLOCK)
    rmsnorm_registers(const bf16 *__restrict__ x, const bf16 *__restrict__ weight, bf16 *__restrict__ y, long long rows,
                      long long cols, float epsilon) {
    pass_row<Shape<VEC, THREADS, BLOCK, ITEMS, EXACT, CLUSTER>, Hints<READ, WRITE>>(
        RmsNorm{x, weight, y, cols, epsilon}, rows);
}

template <int VEC, int THREADS, int BLOCK, int ITEMS, bool EXACT, int STAGES, bool BULK, bool STREAM>
__global__ void __launch_bounds__(BLOCK)
    rmsnorm_staged(const bf16 *__restrict__ x, const bf16 *__restrict__ weight, bf16 *__restrict__ y, long long rows,
                   long long cols, float epsilon) {
    typedef Shape<VEC, THREADS, BLOCK, ITEMS, EXACT> S;
    stream_rows<S, STAGES, BULK, STREAM>(RmsNorm{x, weight, y, cols, epsilon}, rows);
}
