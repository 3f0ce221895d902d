/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y[s] = the sum of x[offsets[s]] to x[offsets[s + 1] - 1]: segments of any length, empty ones too. A team of threads a
 * segment is as slow as the longest segment; equal stretches of x for every warp are not, whatever the lengths.
 */
#include "reduction.cuh"
#include "scan.cuh"

/* TEAM threads share a segment: 1 to 32, or the whole block. */
template <int BLOCK, int TEAM>
__global__ void __launch_bounds__(BLOCK)
    segmented_teams(const int *__restrict__ x, const int *__restrict__ offsets, int *__restrict__ y, int segments) {
    static_assert(TEAM <= 32 || TEAM == BLOCK, "within a warp, or all");
    constexpr int AHEAD = 4;
    const int segment = blockIdx.x * (BLOCK / TEAM) + threadIdx.x / TEAM, lane = threadIdx.x % TEAM;
    const int first = segment < segments ? offsets[segment] : 0, end = segment < segments ? offsets[segment + 1] : 0;
    int part[AHEAD] = {};
    int at = first + lane;
#pragma unroll 1
    for (; at + (AHEAD - 1) * TEAM < end; at += AHEAD * TEAM) {
#pragma unroll
        for (int i = 0; i < AHEAD; i++) {
            part[i] += __ldg(x + at + i * TEAM);
        }
    }
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        part[i] += at + i * TEAM < end ? __ldg(x + at + i * TEAM) : 0;
    }
    int sum = part[0] + part[1] + part[2] + part[3];
    if constexpr (TEAM <= 32) {
#pragma unroll
        for (int apart = TEAM / 2; apart > 0; apart /= 2) {
            sum += __shfl_xor_sync(WHOLE_WARP, sum, apart);
        }
    } else {
        sum = merge_block<SumInt, BLOCK, false>(sum);
    }
    if (lane == 0 && segment < segments) {
        y[segment] = sum;
    }
}

/* The last segment that begins at `at` or before it: offsets[s] <= at < offsets[s + 1], for 0 <= at <
 * offsets[segments]. */
__device__ __forceinline__ int segment_of(const int *__restrict__ offsets, int segments, long long at) {
    int low = 0, high = segments;
    while (high - low > 1) {
        const int middle = low + (high - low) / 2;
        if (offsets[middle] <= at) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

/*
 * Every warp takes STRETCH consecutive elements, 512 at a time, whose running sums wait in shared memory: a segment is
 * the difference of two of them (whole numbers, so it is exact). A lane takes the end of a segment, so 32 that end here
 * take one step, empty ones too. What this stretch has of a segment that begins or ends elsewhere is added by an atomic
 * operation: y is zero before.
 */
template <int BLOCK, int STRETCH>
__global__ void __launch_bounds__(BLOCK)
    segmented_stretches(const int *__restrict__ x, const int *__restrict__ offsets, int *y, long long n, int segments) {
    constexpr int ROWS = 4, ITEMS = 128 * ROWS;
    static_assert(STRETCH % ITEMS == 0, "whole steps");
    __shared__ int step_sums[BLOCK / 32][ITEMS + 4]; /* of the first i elements */
    const int lane = threadIdx.x % 32;
    int *const sums = step_sums[threadIdx.x / 32];
    const long long begin = ((long long)blockIdx.x * (BLOCK / 32) + threadIdx.x / 32) * STRETCH;
    const long long end = begin + STRETCH < n ? begin + STRETCH : n;
    if (begin >= n) {
        return;
    }
    const int first = segment_of(offsets, segments, begin);
    int segment = first, open = 0; /* the one that is not ended yet, and what it has had of this stretch */
#pragma unroll 1
    for (long long at = begin; at < end; at += ITEMS) {
        ScanVector<int> row[ROWS];
        load_rows(row, x, at, end);
        const int items = end - at < ITEMS ? (int)(end - at) : ITEMS;
        int all = 0, done = 0;
        scan_rows(row, all);
        if (lane == 0) {
            sums[0] = 0;
        }
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
#pragma unroll
            for (int i = 0; i < 4; i++) {
                sums[(k * 32 + lane) * 4 + i + 1] = row[k].item[i];
            }
        }
        __syncwarp();
        for (int ended = 32; ended == 32;) {
            const long long here = segment + lane < segments ? offsets[segment + lane + 1] - at : n;
            const bool ends = here <= items;
            const int up_to = ends ? sums[here] : 0, up_to_before = __shfl_up_sync(WHOLE_WARP, up_to, 1);
            const int sum = up_to - (lane > 0 ? up_to_before : done - open);
            if (ends && sum != 0) {
                if (segment + lane == first) {
                    atomicAdd(y + first, sum);
                } else {
                    y[segment + lane] = sum;
                }
            }
            ended = __popc(__ballot_sync(WHOLE_WARP, ends));
            if (ended > 0) {
                done = __shfl_sync(WHOLE_WARP, up_to, ended - 1);
                open = 0;
                segment += ended;
            }
        }
        open += all - done;
        __syncwarp(); /* sums have been read */
    }
    if (lane == 0 && open != 0) {
        atomicAdd(y + segment, open);
    }
}
