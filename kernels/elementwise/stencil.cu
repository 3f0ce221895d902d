/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A cell becomes 0.4 of itself and 0.1 of each neighbour: 6 in three dimensions, 4 in two (there 0.6 of itself). Cells
 * at the edge stay. Rows lie along `width`. A thread's place is counted along x of its block.
 */

__device__ __forceinline__ bool is_inside(int at, int size) { /* it is there, and both neighbours are */
    return at > 0 && at < size - 1;
}

/* ---- three dimensions, one step ---- */

__device__ __forceinline__ float mixed_7(float own, float west, float east, float north, float south, float below,
                                         float above) {
    return 0.4f * own + 0.1f * (((west + east) + (north + south)) + (below + above));
}

/* A thread a cell. */
template <int BLOCK_X, int BLOCK_Y>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    stencil_plain(const float *__restrict__ x, float *__restrict__ y, int width, int height, int depth) {
    const int column = blockIdx.x * BLOCK_X + threadIdx.x % BLOCK_X, row = blockIdx.y * BLOCK_Y + threadIdx.x / BLOCK_X;
    const int plane = blockIdx.z;
    if (column >= width || row >= height) {
        return;
    }
    const long long area = (long long)width * height, at = plane * area + (long long)row * width + column;
    float cell = x[at];
    if (is_inside(column, width) && is_inside(row, height) && is_inside(plane, depth)) {
        cell = mixed_7(cell, x[at - 1], x[at + 1], x[at - width], x[at + width], x[at - area], x[at + area]);
    }
    y[at] = cell;
}

/* PLANES planes of a tile with all its neighbours in shared memory. */
template <int BLOCK_X, int BLOCK_Y, int PLANES>
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
            const float next = mixed_7(own[0], own[-1], own[1], own[-ROW], own[ROW], own[-AREA], own[AREA]);
            y[plane * area + (long long)row * width + column] = inside ? next : own[0];
        }
    }
}

/*
 * A thread goes through PLANES planes, with the cells below and above in registers. Neighbours in the plane come from
 * L1, or with SHARED from two planes in shared memory in turn, so that threads meet once a plane.
 */
template <int BLOCK_X, int BLOCK_Y, int PLANES, bool SHARED>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    stencil_march(const float *__restrict__ x, float *__restrict__ y, int width, int height, int depth) {
    constexpr int ROW = BLOCK_X + 2, AREA = ROW * (BLOCK_Y + 2);
    __shared__ float planes[SHARED ? 2 * AREA : 1];
    const int in_row = threadIdx.x % BLOCK_X, in_column = threadIdx.x / BLOCK_X;
    const int column = blockIdx.x * BLOCK_X + in_row, row = blockIdx.y * BLOCK_Y + in_column;
    const int first = blockIdx.z * PLANES, last = depth - first < PLANES ? depth : first + PLANES;
    const bool there = column < width && row < height;
    const bool inside = is_inside(column, width) && is_inside(row, height);
    const long long area = (long long)width * height;
    long long at = first * area + (there ? (long long)row * width + column : 0);
    float below = there && first > 0 ? x[at - area] : 0.0f, own = there ? x[at] : 0.0f;
#pragma unroll 4
    for (int plane = first; plane < last; plane++, at += area) {
        const float above = there && plane + 1 < depth ? x[at + area] : 0.0f;
        float west = 0, east = 0, north = 0, south = 0;
        if (SHARED) {
            float *cell = planes + (plane & 1) * AREA + (in_column + 1) * ROW + in_row + 1;
            *cell = own;
            if (inside && in_row == 0) {
                cell[-1] = x[at - 1];
            }
            if (inside && in_row == BLOCK_X - 1) {
                cell[1] = x[at + 1];
            }
            if (inside && in_column == 0) {
                cell[-ROW] = x[at - width];
            }
            if (inside && in_column == BLOCK_Y - 1) {
                cell[ROW] = x[at + width];
            }
            __syncthreads();
            west = cell[-1], east = cell[1], north = cell[-ROW], south = cell[ROW];
        } else if (inside) {
            west = x[at - 1], east = x[at + 1], north = x[at - width], south = x[at + width];
        }
        if (there) {
            const bool changes = inside && is_inside(plane, depth);
            y[at] = changes ? mixed_7(own, west, east, north, south, below, above) : own;
        }
        below = own;
        own = above;
    }
}

/* ---- two dimensions, STEPS steps a launch ---- */

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
                cell = 0.6f * cell + 0.1f * ((from[at - 1] + from[at + 1]) + (from[at - ROW] + from[at + ROW]));
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
