/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.cuh - running sums of a warp's values, in registers: row after row of 32 vectors of 16 bytes, a vector a lane,
 * so that loads and stores are contiguous and nothing goes through shared memory.
 */
#ifndef RFT_KERNELS_SCAN_CUH
#define RFT_KERNELS_SCAN_CUH

template <typename T> union ScanVector {
    uint4 word;
    T item[16 / sizeof(T)];
};

/* Sum of this lane's value and those of the lanes below. */
template <typename T> __device__ __forceinline__ T scan_lanes(T mine) {
#pragma unroll
    for (int apart = 1; apart < 32; apart *= 2) {
        const T below = __shfl_up_sync(0xffffffffu, mine, apart);
        mine += (int)(threadIdx.x % 32) >= apart ? below : (T)0;
    }
    return mine;
}

/* ROWS rows of the warp become their running sums, as if `before` stood in front of them; it becomes the last one. */
template <typename T, int ROWS> __device__ __forceinline__ void scan_rows(ScanVector<T> (&row)[ROWS], T &before) {
    constexpr int VEC = 16 / sizeof(T);
    T up_to[ROWS];
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
#pragma unroll
        for (int i = 1; i < VEC; i++) {
            row[k].item[i] += row[k].item[i - 1];
        }
        up_to[k] = scan_lanes(row[k].item[VEC - 1]);
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
        const T below = __shfl_up_sync(0xffffffffu, up_to[k], 1);
        const T add = before + (threadIdx.x % 32 > 0 ? below : (T)0);
        before += __shfl_sync(0xffffffffu, up_to[k], 31);
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            row[k].item[i] += add;
        }
    }
}

/* This lane's vectors of rows from element `at` on (a multiple of 32 vectors); zeros from n on. */
template <typename T, int ROWS>
__device__ __forceinline__ void load_rows(ScanVector<T> (&row)[ROWS], const T *__restrict__ x, long long at,
                                          long long n) {
    constexpr int VEC = 16 / sizeof(T);
    const int lane = threadIdx.x % 32;
    if (at + ROWS * 32 * VEC <= n) {
        const uint4 *from = reinterpret_cast<const uint4 *>(x + at) + lane;
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            row[k].word = __ldcs(from + k * 32);
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            const long long place = at + (k * 32 + lane) * VEC + i;
            row[k].item[i] = place < n ? x[place] : (T)0;
        }
    }
}

template <typename T, int ROWS>
__device__ __forceinline__ void store_rows(const ScanVector<T> (&row)[ROWS], T *__restrict__ y, long long at,
                                           long long n) {
    constexpr int VEC = 16 / sizeof(T);
    const int lane = threadIdx.x % 32;
    if (at + ROWS * 32 * VEC <= n) {
        uint4 *to = reinterpret_cast<uint4 *>(y + at) + lane;
#pragma unroll
        for (int k = 0; k < ROWS; k++) {
            __stcs(to + k * 32, row[k].word);
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
#pragma unroll
        for (int i = 0; i < VEC; i++) {
            const long long place = at + (k * 32 + lane) * VEC + i;
            if (place < n) {
                y[place] = row[k].item[i];
            }
        }
    }
}

/* Scans the block's tile in registers, and leaves the warps' sums in of_warp. The block meets before they are read. */
template <typename T, int BLOCK, int ROWS>
__device__ __forceinline__ void scan_tile(ScanVector<T> (&row)[ROWS], T *of_warp, const T *__restrict__ x, long long at,
                                          long long n) {
    T sum = 0;
    load_rows(row, x, at, n);
    scan_rows(row, sum);
    if (threadIdx.x % 32 == 0) {
        of_warp[threadIdx.x / 32] = sum;
    }
}

template <typename T, int ROWS> __device__ __forceinline__ void add_to_rows(ScanVector<T> (&row)[ROWS], T before) {
#pragma unroll
    for (int k = 0; k < ROWS; k++) {
#pragma unroll
        for (int i = 0; i < 16 / (int)sizeof(T); i++) {
            row[k].item[i] += before;
        }
    }
}

/* One block: sums of tiles become running sums, BLOCK * ROWS vectors at a time. */
template <typename T, int BLOCK, int ROWS> __global__ void __launch_bounds__(BLOCK) scan_of_sums(T *sums, int tiles) {
    constexpr int STRETCH = ROWS * 32 * 16 / sizeof(T);
    const int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    __shared__ T of_warp[32];
    T before = 0;
#pragma unroll 1
    for (int first = 0; first < tiles; first += BLOCK / 32 * STRETCH) {
        ScanVector<T> row[ROWS];
        scan_tile<T, BLOCK>(row, of_warp, sums, first + warp * STRETCH, tiles);
        __syncthreads();
        const T up_to = scan_lanes(lane < BLOCK / 32 ? of_warp[lane] : (T)0);
        const T below = __shfl_up_sync(0xffffffffu, up_to, 1);
        add_to_rows(row, before + __shfl_sync(0xffffffffu, lane > 0 ? below : (T)0, warp));
        before += __shfl_sync(0xffffffffu, up_to, 31);
        store_rows(row, sums, first + warp * STRETCH, tiles);
        __syncthreads(); /* of_warp has been read */
    }
}

#endif
