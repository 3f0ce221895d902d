/* SPDX-License-Identifier: Apache-2.0 */
/* y = (x - mean) / sqrt(variance + epsilon) * weight + bias for every row of bf16, in fp32. */
#include "layernorm.cuh"
#include "rows_staged.cuh"

/* A block a row, an element a load: the mean, the variance, the result. The row is read three times. */
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    layernorm_three_passes(const bf16 *__restrict__ x, const bf16 *__restrict__ weight, const bf16 *__restrict__ bias,
                           bf16 *__restrict__ y, long long cols, float epsilon) {
    const bf16 *from = x + blockIdx.x * cols;
    bf16 *to = y + blockIdx.x * cols;
    float sum = 0.0f, squares = 0.0f;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        sum += __bfloat162float(from[i]);
    }
    const float mean = reduce_block<BLOCK>(Sum{sum}).value / (float)cols;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        const float away = __bfloat162float(from[i]) - mean;
        squares = fmaf(away, away, squares);
    }
    __syncthreads(); /* the two reductions share their places */
    const float scale = rsqrtf(reduce_block<BLOCK>(Sum{squares}).value / (float)cols + epsilon);
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        const float value = (__bfloat162float(from[i]) - mean) * scale;
        to[i] = __float2bfloat16_rn(fmaf(value, __bfloat162float(weight[i]), __bfloat162float(bias[i])));
    }
}

/* Mean and variance in one pass after Welford, a vector at a time, whatever the row's length; the row is read twice. */
template <int VEC, int BLOCK, int UNROLL, class READ, class AGAIN, class WRITE>
__global__ void __launch_bounds__(BLOCK, 1)
    layernorm_welford(const bf16 *__restrict__ x, const bf16 *__restrict__ weight, const bf16 *__restrict__ bias,
                      bf16 *__restrict__ y, long long cols, float epsilon) {
    const Words<VEC> *from = words_of<VEC>(x + blockIdx.x * cols);
    Words<VEC> *to = words_of<VEC>(y + blockIdx.x * cols);
    const int vectors = (int)(cols / VEC);
    Moments mine = {0.0f, 0.0f, 0.0f};
    each_vector<VEC, BLOCK, UNROLL, READ>(from, vectors, threadIdx.x, [&](const float(&values)[VEC]) {
        const float mean = sum_of<VEC>(values) * (1.0f / VEC);
        mine.merge(Moments{(float)VEC, mean, squares_around<VEC>(values, mean)});
    });
    const Moments all = reduce_block<BLOCK>(mine);
    const float scale = rsqrtf(all.squares / (float)cols + epsilon);
    each_place<VEC, BLOCK, UNROLL, AGAIN>(from, vectors, threadIdx.x, [&](float(&values)[VEC], int v) {
        float weights[VEC], biases[VEC];
        unpack<VEC>(weights, load_once<false>(words_of<VEC>(weight) + v));
        unpack<VEC>(biases, load_once<false>(words_of<VEC>(bias) + v));
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            values[i] = fmaf((values[i] - all.mean) * scale, weights[i], biases[i]);
        }
        store_as(WRITE(), to + v, packed<VEC>(values));
    });
}

template <int VEC, int THREADS, int BLOCK, int ITEMS, bool EXACT, int CLUSTER, int HELD, bool ONCE, class READ,
          class WRITE>
__global__ void __launch_bounds__(BLOCK, HELD / BLOCK)
    layernorm_registers(const bf16 *__restrict__ x, const bf16 *__restrict__ weight, const bf16 *__restrict__ bias,
                        bf16 *__restrict__ y, long long rows, long long cols, float epsilon) {
    typedef Shape<VEC, THREADS, BLOCK, ITEMS, EXACT, CLUSTER> S;
    pass_row<S, Hints<READ, WRITE>>(LayerNorm<ONCE>{x, weight, bias, y, cols, epsilon}, rows);
}

template <int VEC, int THREADS, int BLOCK, int ITEMS, bool EXACT, int STAGES, bool BULK, bool ONCE, bool STREAM>
__global__ void __launch_bounds__(BLOCK)
    layernorm_staged(const bf16 *__restrict__ x, const bf16 *__restrict__ weight, const bf16 *__restrict__ bias,
                     bf16 *__restrict__ y, long long rows, long long cols, float epsilon) {
    typedef Shape<VEC, THREADS, BLOCK, ITEMS, EXACT> S;
    stream_rows<S, STAGES, BULK, STREAM>(LayerNorm<ONCE>{x, weight, bias, y, cols, epsilon}, rows);
}
