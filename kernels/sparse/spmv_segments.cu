/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = A x without reading x from L2 at random, for a matrix that is multiplied often. Once, its nonzeros are put in
 * another order: segments of x, COLS columns each; in a segment groups of ROWS rows: pieces, filled up with zeros to
 * whole 16 bytes. A multiplication has a segment of x in shared memory, takes the nonzeros of its columns in one stream
 * and writes their products. Then the pieces of a group's rows come to shared memory, and each row adds up its own
 * products, in the order in which its nonzeros stood; `places` says where they are.
 */
#include "copy_async.cuh"
#include "shared_address.cuh"
#include "spmv_order.cuh"
#include "vectors.cuh"

enum { MOST_SEGMENTS = 1024 };

/* Of a group's pieces: where it is among all products, and among those of its group. */
struct Piece {
    int start, in_group;
};

template <int ROWS> __device__ __forceinline__ int row_at(int group, int rows) {
    return (long long)group * ROWS < rows ? group * ROWS : rows;
}

template <class T> __device__ __forceinline__ int filled_up(int count) {
    constexpr int EACH = 16 / sizeof(T);
    return (count + EACH - 1) / EACH * EACH;
}

/* A group a block: starts[segment groups + group] is the length of the piece, for now. */
template <class T, int ROWS, int COLS>
__global__ void __launch_bounds__(256) spmv_lengths(const int *__restrict__ columns, const int *__restrict__ offsets,
                                                    int *starts, int rows, int segments) {
    __shared__ int count[MOST_SEGMENTS];
    const int first = row_at<ROWS>(blockIdx.x, rows), end = row_at<ROWS>(blockIdx.x + 1, rows);
    for (int s = threadIdx.x; s < segments; s += 256) {
        count[s] = 0;
    }
    __syncthreads();
    for (int i = offsets[first] + threadIdx.x; i < offsets[end]; i += 256) {
        atomicAdd(count + columns[i] / COLS, 1);
    }
    __syncthreads();
    for (int s = threadIdx.x; s < segments; s += 256) {
        starts[s * gridDim.x + blockIdx.x] = filled_up<T>(count[s]);
    }
}

/* A group a block: its nonzeros to their pieces, which are zeros before. */
template <class T, int ROWS, int COLS>
__global__ void __launch_bounds__(256)
    spmv_place(const T *__restrict__ values, const int *__restrict__ columns, const int *__restrict__ offsets,
               const int *__restrict__ starts, T *to_values, unsigned short *to_columns, unsigned short *places,
               Piece *pieces, int rows, int segments) {
    __shared__ int cursor[MOST_SEGMENTS];
    __shared__ int in_group[MOST_SEGMENTS + 1];
    const int first = row_at<ROWS>(blockIdx.x, rows), end = row_at<ROWS>(blockIdx.x + 1, rows);
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int s = 0; s < segments; s++) {
            const int *at = starts + s * gridDim.x + blockIdx.x;
            in_group[s] = sum;
            cursor[s] = 0;
            sum += at[1] - at[0];
        }
        in_group[segments] = sum;
    }
    __syncthreads();
    for (int s = threadIdx.x; s <= segments; s += 256) {
        const int start = s < segments ? starts[s * gridDim.x + blockIdx.x] : 0;
        pieces[blockIdx.x * (segments + 1) + s] = {start, in_group[s]};
    }
    for (int i = offsets[first] + threadIdx.x; i < offsets[end]; i += 256) {
        const int s = columns[i] / COLS, rank = atomicAdd(cursor + s, 1);
        const int to = starts[s * gridDim.x + blockIdx.x] + rank;
        to_values[to] = values[i];
        to_columns[to] = (unsigned short)(columns[i] - s * COLS);
        places[i] = (unsigned short)(in_group[s] + rank);
    }
}

/* PARTS blocks a segment. UNROLL times four products of a thread are on their way. */
template <class T, int COLS, int BLOCK, int PARTS, int UNROLL>
__global__ void __launch_bounds__(BLOCK)
    spmv_products(const T *__restrict__ values, const unsigned short *__restrict__ columns,
                  const int *__restrict__ starts, const T *__restrict__ x, T *__restrict__ products, int rows,
                  int groups) {
    extern __shared__ __align__(16) unsigned char shared[];
    constexpr int EACH = 16 / sizeof(T);
    typedef typename Word<2 * EACH>::type Columns;
    T *own = reinterpret_cast<T *>(shared);
    const int segment = blockIdx.x / PARTS, part = blockIdx.x % PARTS, first = segment * COLS;
    const int begin = starts[segment * groups] / EACH, count = starts[(segment + 1) * groups] / EACH - begin;
    next_may_begin();
    const int from = begin + (int)((long long)count * part / PARTS),
              to = begin + (int)((long long)count * (part + 1) / PARTS);
    for (int i = threadIdx.x; i < COLS / EACH; i += BLOCK) {
        Pack<T, EACH> some;
        if (first + (i + 1) * EACH <= rows) {
            some.word = __ldg(reinterpret_cast<const uint4 *>(x + first) + i);
        } else {
#pragma unroll
            for (int j = 0; j < EACH; j++) {
                some.item[j] = first + i * EACH + j < rows ? x[first + i * EACH + j] : (T)0;
            }
        }
        reinterpret_cast<uint4 *>(own)[i] = some.word;
    }
    __syncthreads();
#pragma unroll 1
    for (int at = from + threadIdx.x; at < to; at += UNROLL * BLOCK) {
        Pack<T, EACH> value[UNROLL];
        Pack<unsigned short, EACH> column[UNROLL];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (at + u * BLOCK < to) {
                value[u].word = __ldcs(reinterpret_cast<const uint4 *>(values) + at + u * BLOCK);
                column[u].word = __ldcs(reinterpret_cast<const Columns *>(columns) + at + u * BLOCK);
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            if (at + u * BLOCK < to) {
#pragma unroll
                for (int j = 0; j < EACH; j++) {
                    value[u].item[j] *= own[column[u].item[j]];
                }
                reinterpret_cast<uint4 *>(products)[at + u * BLOCK] = value[u].word;
            }
        }
    }
}

__device__ __forceinline__ void copy_16(unsigned to, const void *from) {
#if __CUDA_ARCH__ >= 800
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(__cvta_generic_to_global(from)) : "memory");
#else
    copy_at_once<16, false>(to, from);
#endif
}

/* A group of ROWS rows a block: its pieces come to shared memory, a warp a piece, and its places from the 16 bytes on
 * that hold the first. */
template <class T, int ROWS, int BLOCK>
__global__ void __launch_bounds__(BLOCK)
    spmv_sums(const T *products, const unsigned short *__restrict__ places, const int *__restrict__ offsets,
              const Piece *__restrict__ pieces, T *__restrict__ y, int rows, int segments) {
    constexpr int EACH = 16 / sizeof(T), WARPS = BLOCK / 32;
    extern __shared__ __align__(16) unsigned char shared[];
    const int lane = threadIdx.x % 32;
    const int first = row_at<ROWS>(blockIdx.x, rows), end = row_at<ROWS>(blockIdx.x + 1, rows);
    const int first_place = offsets[first] / 8 * 8, place_pieces = (offsets[end] - first_place + 7) / 8;
    const Piece *own = pieces + blockIdx.x * (segments + 1);
    const int all = own[segments].in_group;
    const unsigned to = shared_address(shared), places_at = to + all * sizeof(T);
    next_may_begin();
    for (int i = threadIdx.x; i < place_pieces; i += BLOCK) {
        copy_16(places_at + i * 16, places + first_place + i * 8);
    }
    int begin[ROWS / BLOCK], behind[ROWS / BLOCK];
#pragma unroll
    for (int r = 0; r < ROWS / BLOCK; r++) {
        const int row = first + r * BLOCK + threadIdx.x;
        begin[r] = row < end ? offsets[row] - first_place : 0;
        behind[r] = row < end ? offsets[row + 1] - first_place : 0;
    }
    const int share = (segments + WARPS - 1) / WARPS, first_piece = threadIdx.x / 32 * share;
#pragma unroll 1
    for (int some = first_piece; some < first_piece + share; some += 31) { /* a lane has a piece; the 32nd the end */
        const Piece piece = own[some + lane < segments ? some + lane : segments];
        if (some == first_piece) {
            await_launch_before();
        }
        const int count = first_piece + share - some < 31 ? first_piece + share - some : 31;
#pragma unroll 4
        for (int j = 0; j < count; j++) {
            const int from = __shfl_sync(~0u, piece.start, j), at = __shfl_sync(~0u, piece.in_group, j);
            const int length = __shfl_sync(~0u, piece.in_group, j + 1) - at;
            for (int i = lane * EACH; i < length; i += 32 * EACH) {
                copy_16(to + (at + i) * sizeof(T), products + from + i);
            }
        }
    }
    copy_async_commit();
    copy_async_wait<0>();
    __syncthreads();
    const T *group = reinterpret_cast<const T *>(shared);
    const unsigned short *place = reinterpret_cast<const unsigned short *>(shared + all * sizeof(T));
#pragma unroll
    for (int r = 0; r < ROWS / BLOCK; r++) {
        T sum = 0;
        int at = begin[r];
#pragma unroll 1
        while (at < behind[r]) {
            if (at % 8 == 0 && at + 8 <= behind[r]) {
                Pack<unsigned short, 8> some;
                some.word = *reinterpret_cast<const uint4 *>(place + at);
#pragma unroll
                for (int j = 0; j < 8; j++) {
                    sum += group[some.item[j]];
                }
                at += 8;
            } else {
                sum += group[place[at++]];
            }
        }
        const int row = first + r * BLOCK + threadIdx.x;
        if (row < end) {
            y[row] = sum;
        }
    }
}
