/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = A x for a matrix that is multiplied often, whatever the lengths of its rows. Once, nonzeros are put in another
 * order: a block has as many as any other, those of neighbouring rows, and goes through them by their columns, so that
 * a warp reads x nearly in one piece; what its rows add up to is in shared memory. A long row has a sum for each SPLIT
 * of its nonzeros, as threads must wait for each other when they add to one.
 *
 * A piece is what a block has in SEGMENT columns, filled up to whole chunks. In a chunk the j-th load of a lane is 32
 * places behind the one before, and as many of its values as 16 bytes hold are next to each other in memory.
 */
#include "launch_order.cuh"
#include "striped.cuh"

#ifndef VALUE
#define VALUE float
#endif

enum { SEGMENT = 65536, CHUNK = 128, NOTHING = 0xffff, PACKED = 16 / sizeof(VALUE), WORDS = 4 / PACKED };

/* By one block: of `count` lengths, where each begins; one more is the end. */
extern "C" __global__ void __launch_bounds__(1024) spmv_starts(int *starts, int count) {
    __shared__ int before[1025];
    const int part = (count + 1023) / 1024, thread = threadIdx.x;
    const int first = part * thread < count ? part * thread : count, end = count - first < part ? count : first + part;
    int sum = 0;
    for (int i = first; i < end; i++) {
        sum += starts[i];
    }
    before[thread + 1] = sum;
    __syncthreads();
    if (thread == 0) {
        before[0] = 0;
        for (int i = 1; i <= 1024; i++) {
            before[i] += before[i - 1];
        }
        starts[count] = before[1024];
    }
    __syncthreads();
    sum = before[thread];
    for (int i = first; i < end; i++) {
        const int length = starts[i];
        starts[i] = sum;
        sum += length;
    }
}

/* Where a block's nonzeros begin, and in which row. */
struct Split {
    int row, nonzero;
};
/* What a block has of a row. */
struct Part {
    int begin, end;
    bool is_whole;
};

__device__ __forceinline__ Part part_of(const int *__restrict__ offsets, int row, Split begin, Split end) {
    const int first = offsets[row], last = offsets[row + 1];
    const Part part = {first > begin.nonzero ? first : begin.nonzero, last < end.nonzero ? last : end.nonzero, false};
    return {part.begin, part.end, part.begin == first && part.end == last};
}

/* Rows from begin.row on that have their sums in shared memory; those behind, of which there are some if very many are
 * empty or short, are added up by the order of A. */
template <int SUMS, int SPLIT> __device__ __forceinline__ int rows_kept(Split begin, Split end, int rows) {
    const int touched = (end.row < rows ? end.row + 1 : rows) - begin.row;
    const int most = SUMS - 1 - (end.nonzero / SPLIT - begin.nonzero / SPLIT);
    return touched < most ? touched : most;
}

/* The first row that does not end at or before this nonzero. */
__device__ __forceinline__ int row_open_at(const int *__restrict__ offsets, int low, int high, int nonzero) {
    while (low < high) {
        const int middle = low + (high - low) / 2;
        if (offsets[middle + 1] <= nonzero) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

extern "C" __global__ void spmv_splits(const int *__restrict__ offsets, Split *splits, int rows, int groups) {
    const int group = blockIdx.x * blockDim.x + threadIdx.x;
    if (group <= groups) {
        const int at = (int)((long long)offsets[rows] * group / groups);
        splits[group] = {group ? row_open_at(offsets, 0, rows, at) : 0, at};
    }
}

/* To be called for each nonzero of a group by PARTS blocks of 256 threads. */
template <int SUMS, int SPLIT, int PARTS, class Body>
__device__ __forceinline__ void of_group(const int *__restrict__ offsets, const Split *__restrict__ splits, int rows,
                                         const Body &body) {
    const int group = blockIdx.x / PARTS;
    const Split begin = splits[group], end = splits[group + 1];
    const int kept = offsets[begin.row + rows_kept<SUMS, SPLIT>(begin, end, rows)];
    for (int i = begin.nonzero + blockIdx.x % PARTS * 256 + threadIdx.x; i < kept && i < end.nonzero;
         i += PARTS * 256) {
        body(i, group, begin, end);
    }
}

/* How many of a group's are in each FINE columns. */
template <int SUMS, int SPLIT, int PARTS, int FINE>
__global__ void __launch_bounds__(256) spmv_count(const int *__restrict__ columns, const int *__restrict__ offsets,
                                                  const Split *__restrict__ splits, int *counts, int rows) {
    const int fines = (rows + FINE - 1) / FINE;
    of_group<SUMS, SPLIT, PARTS>(offsets, splits, rows, [&](int i, int group, Split, Split) {
        atomicAdd(counts + (long long)group * fines + columns[i] / FINE, 1);
    });
}

/* A piece a block: where its FINE columns begin in it, and how long it is. */
template <int FINE>
__global__ void __launch_bounds__(SEGMENT / FINE) spmv_pieces(int *counts, int *starts, int rows, int segments) {
    __shared__ int before[SEGMENT / FINE];
    const int fines = (rows + FINE - 1) / FINE, thread = threadIdx.x;
    const int fine = blockIdx.x % segments * (SEGMENT / FINE) + thread;
    int *at = counts + (long long)(blockIdx.x / segments) * fines + fine;
    const int own = fine < fines ? *at : 0;
    before[thread] = own;
    __syncthreads();
    for (int apart = 1; apart < SEGMENT / FINE; apart *= 2) {
        const int more = thread >= apart ? before[thread - apart] : 0;
        __syncthreads();
        before[thread] += more;
        __syncthreads();
    }
    if (fine < fines) {
        *at = before[thread] - own;
    }
    if (thread == SEGMENT / FINE - 1) {
        starts[blockIdx.x] = (before[thread] + CHUNK - 1) / CHUNK * CHUNK;
    }
}

/* Places hold four columns of a lane, counted from their segment's first, then the four sums that they go to. */
template <int SUMS, int SPLIT, int PARTS, int FINE>
__global__ void __launch_bounds__(256)
    spmv_sort(const VALUE *__restrict__ values, const int *__restrict__ columns, const int *__restrict__ offsets,
              const Split *__restrict__ splits, const int *__restrict__ starts, int *counts, VALUE *to_values,
              unsigned short *places, int *first_columns, int rows, int segments) {
    const int fines = (rows + FINE - 1) / FINE;
    of_group<SUMS, SPLIT, PARTS>(offsets, splits, rows, [&](int i, int group, Split begin, Split end) {
        const int row = row_open_at(offsets, begin.row, end.row, i), column = columns[i], segment = column / SEGMENT;
        const Part part = part_of(offsets, row, begin, end);
        const int sums = 1 + part.end / SPLIT - part.begin / SPLIT;
        const int sum = row - begin.row + part.begin / SPLIT - begin.nonzero / SPLIT + (i - part.begin) % sums;
        const int at =
            starts[group * segments + segment] + atomicAdd(counts + (long long)group * fines + column / FINE, 1);
        const int lane = at / CHUNK * 32 + at % 32, which = at % CHUNK / 32;
        const int word = WORDS == 1 ? lane : (at / CHUNK * WORDS + which / PACKED) * 32 + at % 32;
        to_values[word * PACKED + (WORDS == 1 ? which : which % PACKED)] = values[i];
        places[lane * 8 + which] = (unsigned short)(column - segment * SEGMENT);
        places[lane * 8 + 4 + which] = (unsigned short)sum;
        if (at % CHUNK == 0) {
            first_columns[at / CHUNK] = segment * SEGMENT;
        }
    });
}

/* Rows of which a block has less than all are added to. */
extern "C" __global__ void spmv_clear(const Split *__restrict__ splits, VALUE *y, int rows, int groups) {
    const int group = blockIdx.x * blockDim.x + threadIdx.x;
    launch_next();
    if (group < groups && splits[group].row < rows) {
        y[splits[group].row] = 0;
    }
}

__device__ __forceinline__ void add_row(VALUE *y, int row, Part part, VALUE sum) {
    if (part.is_whole) {
        y[row] = sum;
    } else if (part.begin < part.end) {
        atomicAdd(y + row, sum);
    }
}

struct Chunk {
    Pack<VALUE, PACKED> value[WORDS];
    Pack<unsigned short, 8> place;
    int first;
};

template <class LOAD>
__device__ __forceinline__ void load_chunk(Chunk &to, const VALUE *values, const unsigned short *places,
                                           const int *__restrict__ first_columns, int chunk, bool is_there) {
    const int lane = chunk * 32 + threadIdx.x % 32;
    if (is_there) {
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            const int at = (chunk * WORDS + k) * 32 + threadIdx.x % 32;
            to.value[k].word = load_as(LOAD(), reinterpret_cast<const uint4 *>(values) + at);
        }
        to.place.word = load_as(LOAD(), reinterpret_cast<const uint4 *>(places) + lane);
        to.first = first_columns[chunk];
    } else {
#pragma unroll
        for (int k = 0; k < WORDS; k++) {
            to.value[k].word = make_uint4(0, 0, 0, 0);
        }
        to.place.word = make_uint4(~0u, ~0u, ~0u, ~0u);
        to.first = 0;
    }
}

/* A group a block. UNROLL chunks of a warp are multiplied while the next ones are on their way. In fp64, 64 registers:
 * blocks side by side need them, and more than one chunk does not fit. */
template <int SUMS, int SPLIT, int BLOCK, int UNROLL, class LOAD>
__global__ void __launch_bounds__(BLOCK, WORDS == 1 ? 1 : 1024 / BLOCK)
    spmv_sorted(const VALUE *__restrict__ own_values, const unsigned short *__restrict__ places,
                const int *__restrict__ first_columns, const int *__restrict__ starts, const Split *__restrict__ splits,
                const VALUE *__restrict__ values, const int *__restrict__ columns, const int *__restrict__ offsets,
                const VALUE *__restrict__ x, VALUE *y, int rows, int segments) {
    extern __shared__ __align__(16) VALUE sums[];
    constexpr int WARPS = BLOCK / 32, STEP = WARPS * UNROLL;
    const int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const int first = starts[blockIdx.x * segments] / CHUNK,
              count = starts[(blockIdx.x + 1) * segments] / CHUNK - first;
    Chunk next[UNROLL];
#pragma unroll
    for (int u = 0; u < UNROLL; u++) {
        load_chunk<LOAD>(next[u], own_values, places, first_columns, first + warp + u * WARPS,
                         warp + u * WARPS < count);
    }
    for (int i = threadIdx.x; i < SUMS; i += BLOCK) {
        sums[i] = 0;
    }
    __syncthreads();
#pragma unroll 1
    for (int at = warp; at < count; at += STEP) {
        Chunk own[UNROLL];
        VALUE product[UNROLL][4];
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
            own[u] = next[u];
            const int ahead = at + STEP + u * WARPS;
            load_chunk<LOAD>(next[u], own_values, places, first_columns, first + ahead, ahead < count);
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const bool is_there = own[u].place.item[4 + j] != NOTHING;
                product[u][j] = is_there ? __ldg(x + own[u].first + own[u].place.item[j]) : 0;
            }
        }
#pragma unroll
        for (int u = 0; u < UNROLL; u++) {
#pragma unroll
            for (int j = 0; j < 4; j++) {
                if (own[u].place.item[4 + j] != NOTHING) {
                    atomicAdd(sums + own[u].place.item[4 + j],
                              own[u].value[j / PACKED].item[j % PACKED] * product[u][j]);
                }
            }
        }
    }
    __syncthreads();
    const Split begin = splits[blockIdx.x], end = splits[blockIdx.x + 1];
    const int kept = rows_kept<SUMS, SPLIT>(begin, end, rows), base = begin.row + begin.nonzero / SPLIT;
    await_launch();
#pragma unroll 4
    for (int row = begin.row + threadIdx.x; row < begin.row + kept; row += BLOCK) {
        const Part part = part_of(offsets, row, begin, end);
        const int first = row + part.begin / SPLIT - base, behind = row + 1 + part.end / SPLIT - base;
        VALUE sum = sums[first];
        for (int i = first + 1; i < behind; i++) {
            sum += sums[i];
        }
        add_row(y, row, part, sum);
    }
    const int behind = end.row < rows ? end.row + 1 : rows;
    for (int row = begin.row + kept + warp; row < behind; row += WARPS) {
        const Part part = part_of(offsets, row, begin, end);
        VALUE sum = 0;
        for (int i = part.begin + lane; i < part.end; i += 32) {
            sum += values[i] * x[columns[i]];
        }
#pragma unroll
        for (int apart = 16; apart > 0; apart /= 2) {
            sum += __shfl_xor_sync(~0u, sum, apart);
        }
        if (lane == 0) {
            add_row(y, row, part, sum);
        }
    }
}
