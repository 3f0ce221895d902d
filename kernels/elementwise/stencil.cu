/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell becomes a sum of itself and its neighbours: in three dimensions of 7 points, 0.4 of itself and 0.1 of those
 * that share a face, or of 27, 0.4 of itself, 0.04 of those, 0.02 of those that share an edge and 0.015 of those at
 * corners; in two of 5 points, 0.6 and 0.1. Cells at the grid's edge stay. Rows lie along `width`. A thread's place is
 * counted along x of its block.
 */
#include "bulk_tiles.cuh"

__device__ __forceinline__ bool is_inside(int at, int size) { /* it is there, and both neighbours are */
    return at > 0 && at < size - 1;
}

/* ---- three dimensions, one step ---- */

/* What a plane adds to one of its cells, and to the cells above and below that. */
struct Share {
    float here, beyond;
};

/* Of the cell, the four beside it, the four diagonal ones. */
template <int POINTS> __device__ __forceinline__ Share share_of(float own, float straight, float diagonal) {
    if (POINTS == 7) {
        return {0.4f * own + 0.1f * straight, 0.1f * own};
    }
    return {0.4f * own + 0.04f * straight + 0.02f * diagonal, 0.04f * own + 0.02f * straight + 0.015f * diagonal};
}

/* Of a cell among its plane's, with rows `pitch` apart. */
template <int POINTS> __device__ __forceinline__ Share share_at(const float *cell, long long pitch) {
    const float straight = (cell[-1] + cell[1]) + (cell[-pitch] + cell[pitch]);
    float diagonal = 0;
    if (POINTS == 27) {
        diagonal = (cell[-pitch - 1] + cell[-pitch + 1]) + (cell[pitch - 1] + cell[pitch + 1]);
    }
    return share_of<POINTS>(cell[0], straight, diagonal);
}

/* With planes `area` apart. */
template <int POINTS> __device__ __forceinline__ float mixed(const float *cell, long long pitch, long long area) {
    const Share own = share_at<POINTS>(cell, pitch);
    if (POINTS == 7) {
        return own.here + 0.1f * (cell[-area] + cell[area]);
    }
    return own.here + (share_at<POINTS>(cell - area, pitch).beyond + share_at<POINTS>(cell + area, pitch).beyond);
}

/* A thread a cell. */
template <int POINTS, int BLOCK_X, int BLOCK_Y>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    stencil_plain(const float *__restrict__ x, float *__restrict__ y, int width, int height, int depth) {
    const int column = blockIdx.x * BLOCK_X + threadIdx.x % BLOCK_X, row = blockIdx.y * BLOCK_Y + threadIdx.x / BLOCK_X;
    const int plane = blockIdx.z;
    if (column >= width || row >= height) {
        return;
    }
    const long long area = (long long)width * height, at = plane * area + (long long)row * width + column;
    const bool inside = is_inside(column, width) && is_inside(row, height) && is_inside(plane, depth);
    y[at] = inside ? mixed<POINTS>(x + at, width, area) : x[at];
}

/* PLANES planes of a tile with all its neighbours in shared memory. */
template <int POINTS, int BLOCK_X, int BLOCK_Y, int PLANES>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    stencil_tile(const float *__restrict__ x, float *__restrict__ y, int width, int height, int depth) {
    constexpr int ROW = BLOCK_X + 2, AREA = ROW * (BLOCK_Y + 2);
    __shared__ float tile[AREA * (PLANES + 2)];
    const int first_column = blockIdx.x * BLOCK_X - 1, first_row = blockIdx.y * BLOCK_Y - 1;
    const int first_plane = blockIdx.z * PLANES - 1;
    const long long area = (long long)width * height;
    for (int i = threadIdx.x; i < AREA * (PLANES + 2); i += BLOCK_X * BLOCK_Y) {
        const int column = first_column + i % ROW, row = first_row + i % AREA / ROW, plane = first_plane + i / AREA;
        const bool there = column >= 0 && column < width && row >= 0 && row < height && plane >= 0 && plane < depth;
        tile[i] = there ? x[plane * area + (long long)row * width + column] : 0.0f;
    }
    __syncthreads();
    const int in_row = threadIdx.x % BLOCK_X + 1, in_column = threadIdx.x / BLOCK_X + 1;
    const int column = first_column + in_row, row = first_row + in_column;
    if (column >= width || row >= height) {
        return;
    }
#pragma unroll
    for (int p = 1; p <= PLANES; p++) {
        const float *own = tile + p * AREA + in_column * ROW + in_row;
        const int plane = first_plane + p;
        if (plane < depth) {
            const bool inside = is_inside(column, width) && is_inside(row, height) && is_inside(plane, depth);
            y[plane * area + (long long)row * width + column] = inside ? mixed<POINTS>(own, ROW, AREA) : own[0];
        }
    }
}

/*
 * A thread goes through PLANES planes and meets each once: what it adds to the cells below, in it and above. Neighbours
 * in the plane come from L1.
 */
template <int POINTS, int BLOCK_X, int BLOCK_Y, int PLANES>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    stencil_march(const float *__restrict__ x, float *__restrict__ y, int width, int height, int depth) {
    const int column = blockIdx.x * BLOCK_X + threadIdx.x % BLOCK_X, row = blockIdx.y * BLOCK_Y + threadIdx.x / BLOCK_X;
    const int first = blockIdx.z * PLANES, last = depth - first < PLANES ? depth : first + PLANES;
    const bool inside = is_inside(column, width) && is_inside(row, height);
    const long long area = (long long)width * height, here = (long long)row * width + column;
    if (column >= width || row >= height) {
        return;
    }
    if (!inside) {
        for (int plane = first; plane < last; plane++) {
            y[plane * area + here] = x[plane * area + here];
        }
        return;
    }
    const float *cell = x + first * area + here;
    Share before = {}, own = share_at<POINTS>(cell, width);
    if (first > 0) {
        before = share_at<POINTS>(cell - area, width);
    }
#pragma unroll 4
    for (int plane = first; plane < last; plane++, cell += area) {
        Share behind = {};
        if (plane + 1 < depth) {
            behind = share_at<POINTS>(cell + area, width);
        }
        y[plane * area + here] = is_inside(plane, depth) ? before.beyond + own.here + behind.beyond : cell[0];
        before = own;
        own = behind;
    }
}

/* A warp's row in shared memory, four neighbouring cells a lane, and the cells on both sides of them. */
struct RowPart {
    float cell[6];

    __device__ __forceinline__ explicit RowPart(const float *own) {
        const float4 word = *reinterpret_cast<const float4 *>(own);
        cell[1] = word.x, cell[2] = word.y, cell[3] = word.z, cell[4] = word.w;
        cell[0] = __shfl_up_sync(~0u, word.w, 1);
        cell[5] = __shfl_down_sync(~0u, word.x, 1);
        if (threadIdx.x % 32 == 0) {
            cell[0] = own[-1];
        }
        if (threadIdx.x % 32 == 31) {
            cell[5] = own[4];
        }
    }
};

/*
 * The same out of a ring of planes' parts in shared memory, 128 columns and WARPS x EACH rows, which the accelerator
 * brings with their neighbours: what is on its way takes no registers. sm_90 and newer; rows are multiples of 4. Boxes
 * begin 4 columns before the part, so that its rows begin at multiples of 16 bytes.
 */
template <int POINTS, int WARPS, int EACH, int PLANES, int STAGES>
__global__ void __launch_bounds__(WARPS * 32)
    stencil_ring(const __grid_constant__ CUtensorMap x, float *__restrict__ y, int width, int height, int depth) {
#if __CUDA_ARCH__ >= 900
    constexpr int ROW = 136, BOX_BYTES = ROW * (WARPS * EACH + 2) * 4, STAGE_BYTES = (BOX_BYTES + 127) / 128 * 128;
    extern __shared__ __align__(128) unsigned char staged[];
    const unsigned stages = shared_address(staged), full = stages + STAGES * STAGE_BYTES;
    const int first_column = blockIdx.x * 128, first_row = blockIdx.y * (WARPS * EACH), first = blockIdx.z * PLANES;
    const int planes = (depth - first < PLANES ? depth - first : PLANES) + 2;
    const int in_part = threadIdx.x / 32 * EACH, column = first_column + threadIdx.x % 32 * 4;
    const long long area = (long long)width * height;
    auto load = [&](int p, int stage) {
        bulk_expect(full + stage * 8, BOX_BYTES);
        bulk_load_brick(stages + stage * STAGE_BYTES, &x, first_column - 4, first_row - 1, first + p - 1,
                        full + stage * 8);
    };
    if (threadIdx.x == 0) {
        for (int stage = 0; stage < STAGES; stage++) {
            bulk_barrier_init(full + stage * 8);
        }
        bulk_barrier_publish();
        for (int stage = 0; stage < STAGES && stage < planes; stage++) {
            load(stage, stage);
        }
    }
    __syncthreads();
    float made[EACH][4] = {}, next[EACH][4] = {}; /* of the plane before, and of the one that is read */
    float *to = y + (first - 1) * area + (long long)(first_row + in_part) * width + column;
    int stage = 0;
    unsigned parity = 0;
#pragma unroll 2
    for (int p = 0; p < planes; p++) { /* the plane before this one gets its last share */
        const int plane = first + p - 1;
        bulk_wait(full + stage * 8, parity);
        const float *const own = reinterpret_cast<const float *>(staged + stage * STAGE_BYTES) + (in_part + 1) * ROW +
                                 4 + threadIdx.x % 32 * 4;
        RowPart north(own - ROW), middle(own);
#pragma unroll
        for (int i = 0; i < EACH; i++) {
            const RowPart south(own + (i + 1) * ROW);
            const bool row_changes = is_inside(first_row + in_part + i, height);
            float out[4];
#pragma unroll
            for (int j = 0; j < 4; j++) {
                const float straight = (middle.cell[j] + middle.cell[j + 2]) + (north.cell[j + 1] + south.cell[j + 1]);
                const float diagonal = (north.cell[j] + north.cell[j + 2]) + (south.cell[j] + south.cell[j + 2]);
                const Share share = share_of<POINTS>(middle.cell[j + 1], straight, diagonal);
                const bool changes = row_changes && is_inside(column + j, width);
                const float beyond = changes ? share.beyond : 0.0f; /* a cell that stays gets nothing from its column */
                out[j] = made[i][j] + (is_inside(plane - 1, depth) ? beyond : 0.0f);
                made[i][j] = changes && is_inside(plane, depth) ? next[i][j] + share.here : middle.cell[j + 1];
                next[i][j] = beyond;
            }
            if (p >= 2 && column < width && first_row + in_part + i < height) {
                *reinterpret_cast<float4 *>(to + (long long)i * width - area) =
                    make_float4(out[0], out[1], out[2], out[3]);
            }
            north = middle;
            middle = south;
        }
        __syncthreads(); /* no thread reads the stage any more */
        if (threadIdx.x == 0 && p + STAGES < planes) {
            load(p + STAGES, stage);
        }
        to += area;
        if (++stage == STAGES) {
            stage = 0;
            parity ^= 1;
        }
    }
#endif
}

/* ---- two dimensions, STEPS steps a launch ---- */

__device__ __forceinline__ float mixed_5(float own, float west, float east, float north, float south) {
    return 0.6f * own + 0.1f * ((west + east) + (north + south));
}

/*
 * A tile of TILE_X x TILE_Y cells and STEPS around it, in shared memory twice: a step reads one and writes the other.
 * Each step makes one more ring of it wrong, from outside.
 */
template <int BLOCK, int TILE_X, int TILE_Y, int STEPS>
__global__ void __launch_bounds__(BLOCK)
    stencil_blocked(const float *__restrict__ x, float *__restrict__ y, int width, int height) {
    constexpr int ROW = TILE_X + 2 * STEPS, COLUMN = TILE_Y + 2 * STEPS, CELLS = ROW * COLUMN;
    __shared__ float cells[2][CELLS];
    const int first_column = blockIdx.x * TILE_X - STEPS, first_row = blockIdx.y * TILE_Y - STEPS;
    for (int i = threadIdx.x; i < CELLS; i += BLOCK) {
        const int column = first_column + i % ROW, row = first_row + i / ROW;
        const bool there = column >= 0 && column < width && row >= 0 && row < height;
        cells[0][i] = there ? x[(long long)row * width + column] : 0.0f;
    }
    __syncthreads();
#pragma unroll
    for (int step = 1; step <= STEPS; step++) {
        const float *from = cells[(step - 1) & 1];
        const int rows = COLUMN - 2 * step, columns = ROW - 2 * step; /* that are still right */
        for (int i = threadIdx.x; i < rows * columns; i += BLOCK) {
            const int in_row = i % columns + step, in_column = i / columns + step, at = in_column * ROW + in_row;
            const int column = first_column + in_row, row = first_row + in_column;
            float cell = from[at];
            if (is_inside(column, width) && is_inside(row, height)) {
                cell = mixed_5(cell, from[at - 1], from[at + 1], from[at - ROW], from[at + ROW]);
            }
            if (step < STEPS) {
                cells[step & 1][at] = cell;
            } else if (column < width && row < height) {
                y[(long long)row * width + column] = cell;
            }
        }
        __syncthreads();
    }
}

/* Four neighbouring cells of a row. */
struct Four {
    float cell[4];
};

/* Those from `column` on, a multiple of 4; zeros outside of the row. VECTORS: rows are multiples of 4. */
template <bool VECTORS> __device__ __forceinline__ Four four_of(const float *row, int column, int width) {
    Four of = {};
    if (VECTORS) {
        if (column >= 0 && column < width) {
            const float4 word = *reinterpret_cast<const float4 *>(row + column);
            of.cell[0] = word.x, of.cell[1] = word.y, of.cell[2] = word.z, of.cell[3] = word.w;
        }
    } else {
#pragma unroll
        for (int i = 0; i < 4; i++) {
            of.cell[i] = column + i >= 0 && column + i < width ? row[column + i] : 0.0f;
        }
    }
    return of;
}

/*
 * A warp goes down ROWS rows of 128 columns, four a lane, in registers alone: with each row that arrives every step
 * makes one, of a row higher up each. The warp's outer columns become wrong from outside, one a step, so that its
 * neighbours have them too. AHEAD rows are on their way. TURN: every other warp of a column goes up, so that two that
 * share rows meet them at the same time, in L2.
 */
template <int BLOCK, int ROWS, int STEPS, int AHEAD, bool TURN, bool VECTORS>
__device__ __forceinline__ void go_by_rows(const float *__restrict__ x, float *__restrict__ y, int width, int height) {
    constexpr int RIM = (STEPS + 3) / 4 * 4, KEPT = 128 - 2 * RIM;
    const int segments = (width + KEPT - 1) / KEPT, warp = (blockIdx.x * BLOCK + threadIdx.x) / 32,
              lane = threadIdx.x % 32;
    const int first = warp / segments * ROWS, column = warp % segments * KEPT - RIM + lane * 4;
    if (first >= height) {
        return;
    }
    const int last = height - first < ROWS ? height : first + ROWS;
    const bool stores = lane * 4 >= RIM && lane * 4 < 128 - RIM && column < width;
    const bool up = TURN && warp / segments % 2 == 1;
    auto place_of = [&](int row) { return up ? first + last - 1 - row : row; };
    Four ahead[AHEAD], above[STEPS] = {}, own[STEPS] = {};
    auto load = [&](int of) {
        const int row = place_of(of);
        return row >= 0 && row < height ? four_of<VECTORS>(x + (long long)row * width, column, width) : Four();
    };
#pragma unroll
    for (int i = 0; i < AHEAD; i++) {
        ahead[i] = load(first - STEPS + i);
    }
#pragma unroll 1
    for (int begin = first - STEPS; begin < last + STEPS; begin += 6) {
#pragma unroll
        for (int i = 0; i < 6; i++) {
            const int row = begin + i; /* of x; step s makes row - s */
            Four below = ahead[i % AHEAD];
            ahead[i % AHEAD] = load(row + AHEAD);
#pragma unroll
            for (int step = 1; step <= STEPS; step++) {
                const Four middle = own[step - 1], top = above[step - 1];
                const float before = __shfl_up_sync(~0u, middle.cell[3], 1),
                            behind = __shfl_down_sync(~0u, middle.cell[0], 1);
                const bool changes = is_inside(place_of(row - step), height);
                above[step - 1] = middle;
                own[step - 1] = below;
#pragma unroll
                for (int j = 0; j < 4; j++) {
                    const float next =
                        mixed_5(middle.cell[j], j > 0 ? middle.cell[j > 0 ? j - 1 : 0] : before,
                                j < 3 ? middle.cell[j < 3 ? j + 1 : 0] : behind, top.cell[j], own[step - 1].cell[j]);
                    below.cell[j] = changes && is_inside(column + j, width) ? next : middle.cell[j];
                }
            }
            const int made = row - STEPS;
            if (stores && made >= first && made < last) {
                float *to = y + (long long)place_of(made) * width + column;
                if (VECTORS) {
                    *reinterpret_cast<float4 *>(to) =
                        make_float4(below.cell[0], below.cell[1], below.cell[2], below.cell[3]);
                } else {
#pragma unroll
                    for (int j = 0; j < 4; j++) {
                        if (column + j < width) {
                            to[j] = below.cell[j];
                        }
                    }
                }
            }
        }
    }
}

template <int BLOCK, int ROWS, int STEPS, int AHEAD, bool VECTORS>
__global__ void __launch_bounds__(BLOCK)
    stencil_rows(const float *__restrict__ x, float *__restrict__ y, int width, int height) {
    go_by_rows<BLOCK, ROWS, STEPS, AHEAD, false, VECTORS>(x, y, width, height);
}

template <int BLOCK, int ROWS, int STEPS, int AHEAD, bool VECTORS>
__global__ void __launch_bounds__(BLOCK)
    stencil_turning(const float *__restrict__ x, float *__restrict__ y, int width, int height) {
    go_by_rows<BLOCK, ROWS, STEPS, AHEAD, true, VECTORS>(x, y, width, height);
}
