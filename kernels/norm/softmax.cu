/* SPDX-License-Identifier: Apache-2.0 */
/* y = exp(x - max x) / sum of exp(x - max x) for every row of bf16, in fp32. */
#include "rows_staged.cuh"
#include "softmax.cuh"

/* A block a row, an element a load: the largest, the sum, the result. The row is read three times. */
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    softmax_three_passes(const bf16 *__restrict__ x, bf16 *__restrict__ y, long long cols) {
    const bf16 *from = x + blockIdx.x * cols;
    bf16 *to = y + blockIdx.x * cols;
    float top = LOWEST;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        top = fmaxf(top, __bfloat162float(from[i]));
    }
    top = reduce_block<BLOCK>(Largest{top}).value;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        sum += relative_exp(__bfloat162float(from[i]), top);
    }
    sum = reduce_block<BLOCK>(Sum{sum}).value;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        to[i] = __float2bfloat16_rn(relative_exp(__bfloat162float(from[i]), top) / sum);
    }
}

/* Largest and sum in one pass, whatever the row's length; the row is read twice. */
template <int VEC, int BLOCK, int UNROLL, class READ, class AGAIN, class WRITE>
__global__ void __launch_bounds__(BLOCK, 1)
    softmax_online(const bf16 *__restrict__ x, bf16 *__restrict__ y, long long cols) {
    const Words<VEC> *from = words_of<VEC>(x + blockIdx.x * cols);
    Words<VEC> *to = words_of<VEC>(y + blockIdx.x * cols);
    const int vectors = (int)(cols / VEC);
    MaxSum mine = {LOWEST, 0.0f};
    each_vector<VEC, BLOCK, UNROLL, READ>(from, vectors, threadIdx.x,
                                          [&](const float(&values)[VEC]) { mine.add(values); });
    const MaxSum all = reduce_block<BLOCK>(mine);
    const float top = all.top, factor = 1.0f / all.sum;
    each_place<VEC, BLOCK, UNROLL, AGAIN>(from, vectors, threadIdx.x, [&](float(&values)[VEC], int v) {
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            values[i] = relative_exp(values[i], top) * factor;
        }
        store_as(WRITE(), to + v, packed<VEC>(values));
    });
}

template <int VEC, int THREADS, int BLOCK, int ITEMS, bool EXACT, int CLUSTER, int HELD, bool FLOATS, class READ,
          class WRITE>
__global__ void __launch_bounds__(BLOCK, HELD / BLOCK)
    softmax_registers(const bf16 *__restrict__ x, bf16 *__restrict__ y, long long rows, long long cols) {
    pass_row<Shape<VEC, THREADS, BLOCK, ITEMS, EXACT, CLUSTER>, Hints<READ, WRITE>>(Softmax<FLOATS>{x, y, cols}, rows);
}

template <int VEC, int THREADS, int BLOCK, int ITEMS, bool EXACT, int STAGES, bool BULK, bool FLOATS, bool STREAM>
__global__ void __launch_bounds__(BLOCK)
    softmax_staged(const bf16 *__restrict__ x, bf16 *__restrict__ y, long long rows, long long cols) {
    typedef Shape<VEC, THREADS, BLOCK, ITEMS, EXACT> S;
    stream_rows<S, STAGES, BULK, STREAM>(Softmax<FLOATS>{x, y, cols}, rows);
}
