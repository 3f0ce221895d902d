/* SPDX-License-Identifier: Apache-2.0 */
/*
 * loss = log(sum of exp(x)) - x[target] for every row of bf16, in fp32; and with its gradient, exp(x) / sum - (1 at the
 * target). The loss alone needs no row kept: one pass, any length, any alignment.
 */
#include "softmax.cuh"

/* The part of a row between its first and last multiples of 16 bytes, and the elements before and after. */
struct Split {
    const uint4 *body;
    int head, vectors;
    __device__ __forceinline__ Split(const bf16 *row, long long cols) {
        const int before = (int)((16 - ((unsigned long long)row & 15)) & 15) / 2;
        head = before < cols ? before : (int)cols;
        vectors = (int)((cols - head) / 8);
        body = reinterpret_cast<const uint4 *>(row + head);
    }
};

template <bool STREAM, class S, int UNROLL>
__device__ __forceinline__ MaxSum sum_exponentials(const bf16 *row, long long cols, int place) {
    const Split split(row, cols);
    MaxSum mine = {LOWEST, 0.0f};
    each_vector<8, S::THREADS, UNROLL, typename Streamed<STREAM>::type>(
        split.body, split.vectors, place, [&](const float(&values)[8]) { mine.add(values); });
    const int tail = split.head + 8 * split.vectors;
    for (int i = place; i < split.head + (int)cols - tail; i += S::THREADS) {
        const float value[1] = {__bfloat162float(row[i < split.head ? i : tail + i - split.head])};
        mine.add(value);
    }
    return mine;
}

__device__ __forceinline__ float loss_of(const MaxSum &all, const bf16 *row, int target) {
    return logf(all.sum) + (all.top - __bfloat162float(row[target]));
}

/* A block a row, an element a load: the largest, then the sum. The row is read twice. */
template <int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    cross_entropy_two_passes(const bf16 *__restrict__ x, const int *__restrict__ target, float *__restrict__ loss,
                             long long cols) {
    const bf16 *row = x + blockIdx.x * cols;
    float top = LOWEST;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        top = fmaxf(top, __bfloat162float(row[i]));
    }
    top = reduce_block<BLOCK>(Largest{top}).value;
    float sum = 0.0f;
    for (int i = threadIdx.x; i < cols; i += BLOCK) {
        sum += relative_exp(__bfloat162float(row[i]), top);
    }
    sum = reduce_block<BLOCK>(Sum{sum}).value;
    if (threadIdx.x == 0) {
        loss[blockIdx.x] = loss_of(MaxSum{top, sum}, row, target[blockIdx.x]);
    }
}

/* One pass, UNROLL 16-byte loads of a thread in flight. */
template <int THREADS, int BLOCK, int UNROLL, bool STREAM>
__global__ void __launch_bounds__(BLOCK, 1)
    cross_entropy_online(const bf16 *__restrict__ x, const int *__restrict__ target, float *__restrict__ loss,
                         long long rows, long long cols) {
    typedef Shape<8, THREADS, BLOCK, 1, false> S;
    __shared__ Places<S, MaxSum> halves;
    Exchange<S, MaxSum> exchange = {halves, 0};
    const long long wanted = (long long)blockIdx.x * S::ROWS + S::group();
    const long long row = wanted < rows ? wanted : rows - 1;
    const bf16 *from = x + row * cols;
    const MaxSum all = exchange.reduce(sum_exponentials<STREAM, S, UNROLL>(from, cols, S::place()));
    if (S::place() == 0 && wanted < rows) {
        loss[row] = loss_of(all, from, target[row]);
    }
}

/* With the gradient, whatever the row's length: it is read again, out of L2 where that holds it. */
template <int VEC, int BLOCK, int UNROLL, bool STREAM>
__global__ void __launch_bounds__(BLOCK, 1)
    cross_entropy_gradient_online(const bf16 *__restrict__ x, const int *__restrict__ target, float *__restrict__ loss,
                                  bf16 *__restrict__ gradient, long long cols) {
    typedef Shape<VEC, BLOCK, BLOCK, 1, false> S;
    const bf16 *row = x + blockIdx.x * cols;
    const MaxSum all = reduce_block<BLOCK>(sum_exponentials<false, S, UNROLL>(row, cols, threadIdx.x));
    const int goal = target[blockIdx.x], vectors = (int)(cols / VEC);
    if (threadIdx.x == 0) {
        loss[blockIdx.x] = loss_of(all, row, goal);
    }
    const float top = all.top, factor = 1.0f / all.sum;
#pragma unroll UNROLL
    for (int v = threadIdx.x; v < vectors; v += BLOCK) {
        float values[VEC];
        unpack<VEC>(values, load_once<STREAM>(words_of<VEC>(row) + v)); /* for the last time */
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            values[i] = relative_exp(values[i], top) * factor - (v * VEC + i == goal ? 1.0f : 0.0f);
        }
        store_word<STREAM>(words_of<VEC>(gradient + blockIdx.x * cols) + v, packed<VEC>(values));
    }
}

/* With the gradient and the row kept in registers. */
template <bool FLOATS> struct CrossEntropy : Softmax<FLOATS> {
    const int *target;
    float *loss;

    template <class HINTS, class S>
    __device__ __forceinline__ void finish(const ExpRow<S, FLOATS> &held, MaxSum all, long long row,
                                           bool exists) const {
        const Shares<S, FLOATS> shares(held, all);
        if (!exists) {
            return;
        }
        const int goal = target[row];
        if (S::is_first()) {
            loss[row] = loss_of(all, this->x + row * this->cols, goal);
        }
#pragma unroll
        for (int i = 0; i < S::ITEMS; i++) {
            float values[S::VEC];
            shares.of(held, i, values);
#pragma unroll
            for (int j = 0; j < S::VEC; j++) {
                values[j] -= held.index(i) * S::VEC + j == goal ? 1.0f : 0.0f;
            }
            held.template store<typename HINTS::WRITE>(this->y + row * this->cols, i, values);
        }
    }
};

template <int VEC, int THREADS, int BLOCK, int ITEMS, bool EXACT, int CLUSTER, int HELD, bool FLOATS, bool STREAM>
__global__ void __launch_bounds__(BLOCK, HELD / BLOCK)
    cross_entropy_gradient_registers(const bf16 *__restrict__ x, const int *__restrict__ target,
                                     float *__restrict__ loss, bf16 *__restrict__ gradient, long long rows,
                                     long long cols) {
    typedef Shape<VEC, THREADS, BLOCK, ITEMS, EXACT, CLUSTER> S;
    pass_row<S, StreamHints<STREAM>>(CrossEntropy<FLOATS>{{x, gradient, cols}, target, loss}, rows);
}
