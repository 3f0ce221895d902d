/* SPDX-License-Identifier: Apache-2.0 */
/*
 * y = x transposed: x is m rows of n, y is n rows of m, both dense. Nothing is computed, so elements are BYTES wide
 * words.
 *
 * The grid has one dimension; ORDER (a macro) says which tile a block takes. Blocks that run together should share
 * pages of device memory on both sides, and which order does that best is a question to the device. rows, columns along
 * the rows of x, or along those of y diagonal        neither: the next block has other rows and other columns band8,
 * band32   8 or 32 rows of tiles at once, column by column: neighbours share both
 */
#include "bulk_tiles.cuh"

template <int BYTES> struct Element;
template <> struct Element<2> { typedef unsigned short type; };
template <> struct Element<4> { typedef unsigned int type; };
template <> struct Element<8> { typedef uint2 type; };

struct Place {
    long long row, col; /* of the tile's first element in x */
};

/* Tile `block` of rows x cols tiles. */
__device__ __forceinline__ Place place_of(unsigned block, unsigned rows, unsigned cols, int tile_m, int tile_n) {
    unsigned row, col;
#if ORDER == ORDER_columns
    col = block / rows;
    row = block - col * rows;
#elif ORDER == ORDER_diagonal
    const unsigned turn = block / rows;
    row = block - turn * rows;
    col = (turn + row) % cols;
#elif ORDER == ORDER_band8 || ORDER == ORDER_band32
#if ORDER == ORDER_band8
    const unsigned most = 8;
#else
    const unsigned most = 32;
#endif
    const unsigned band = block / (most * cols), inside = block - band * (most * cols);
    const unsigned height = min(most, rows - band * most);
    col = inside / height;
    row = band * most + inside - col * height;
#else
    row = block / cols;
    col = block - row * cols;
#endif
    Place place = {(long long)row * tile_m, (long long)col * tile_n};
    return place;
}

/* ---- an element a thread ---- */

/* SIDE: which side is coalesced. read: a warp reads a piece of a row and writes 32 rows of y; write: the reverse. */
template <int BYTES, int BLOCK_X, int BLOCK_Y>
__global__ void __launch_bounds__(BLOCK_X *BLOCK_Y)
    transpose_naive(const void *__restrict__ x_bytes, void *__restrict__ y_bytes, long long m, long long n,
                    unsigned tile_rows, unsigned tile_cols) {
    typedef typename Element<BYTES>::type element_t;
    const element_t *x = static_cast<const element_t *>(x_bytes);
    element_t *y = static_cast<element_t *>(y_bytes);
#if SIDE == SIDE_write
    const Place place = place_of(blockIdx.x, tile_rows, tile_cols, BLOCK_X, BLOCK_Y);
    const long long row = place.row + threadIdx.x, col = place.col + threadIdx.y;
#else
    const Place place = place_of(blockIdx.x, tile_rows, tile_cols, BLOCK_Y, BLOCK_X);
    const long long row = place.row + threadIdx.y, col = place.col + threadIdx.x;
#endif
    if (row < m && col < n) {
        y[col * m + row] = x[row * n + col];
    }
}

/* ---- a tile in shared memory, an element a lane ---- */

/*
 * A warp writes 32 neighbours of a row of the tile and reads 32 of a column. With rows of TILE_N elements all of a
 * column lie in one bank: 32 passes. PAD elements behind each row, or columns exchanged by the row's number (SWIZZLE),
 * spread them.
 */
template <int BYTES, int TILE_M, int TILE_N, int ITEMS, int PAD, bool SWIZZLE>
__global__ void __launch_bounds__(TILE_M *TILE_N / ITEMS, 1)
    transpose_tile(const void *__restrict__ x_bytes, void *__restrict__ y_bytes, long long m, long long n,
                   unsigned tile_rows, unsigned tile_cols) {
    typedef typename Element<BYTES>::type element_t;
    constexpr int WARPS = TILE_M * TILE_N / ITEMS / 32;
    static_assert(TILE_M % 32 == 0 && TILE_N % 32 == 0, "a warp along each side");
    __shared__ element_t tile[TILE_M][TILE_N + PAD];
    const element_t *x = static_cast<const element_t *>(x_bytes);
    element_t *y = static_cast<element_t *>(y_bytes);
    const Place place = place_of(blockIdx.x, tile_rows, tile_cols, TILE_M, TILE_N);
    const unsigned rows_left = (unsigned)min((long long)TILE_M, m - place.row);
    const unsigned cols_left = (unsigned)min((long long)TILE_N, n - place.col);
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const element_t *from = x + place.row * n + place.col;
    element_t *to = y + place.col * m + place.row;
    element_t item[ITEMS];
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const unsigned piece = warp + i * WARPS, row = piece / (TILE_N / 32), col = piece % (TILE_N / 32) * 32 + lane;
        if (row < rows_left && col < cols_left) {
            item[i] = from[row * n + col];
        }
    }
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const unsigned piece = warp + i * WARPS, row = piece / (TILE_N / 32), col = piece % (TILE_N / 32) * 32 + lane;
        tile[row][SWIZZLE ? col ^ row % 32 : col] = item[i];
    }
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ITEMS; i++) {
        const unsigned piece = warp + i * WARPS, col = piece / (TILE_M / 32), row = piece % (TILE_M / 32) * 32 + lane;
        if (row < rows_left && col < cols_left) {
            to[col * m + row] = tile[row][SWIZZLE ? col ^ row % 32 : col];
        }
    }
}

/* ---- 16 bytes a load: squares of V x V elements turned in registers; m and n are multiples of V, below 2^32 ---- */

template <int BYTES> union Vector {
    uint4 word;
    unsigned quarter[4];
    typename Element<BYTES>::type item[16 / BYTES];
};

template <int BYTES> struct Square {
    static constexpr int V = 16 / BYTES;
    Vector<BYTES> line[V];

    __device__ __forceinline__ Square turned() const {
        Square other;
        if constexpr (BYTES == 2) { /* two elements an instruction, which the compiler does not find by itself */
#pragma unroll
            for (int j = 0; j < V; j++) {
#pragma unroll
                for (int i = 0; i < V; i += 2) {
                    other.line[j].quarter[i / 2] =
                        __byte_perm(line[i].quarter[j / 2], line[i + 1].quarter[j / 2], j % 2 ? 0x7632 : 0x5410);
                }
            }
        } else {
#pragma unroll
            for (int i = 0; i < V; i++) {
#pragma unroll
                for (int j = 0; j < V; j++) {
                    other.line[j].item[i] = line[i].item[j];
                }
            }
        }
        return other;
    }
};

__device__ __forceinline__ uint4 load_vector(const uint4 *from, bool stream) {
    return stream ? __ldcs(from) : __ldg(from);
}

__device__ __forceinline__ void store_vector(uint4 *to, uint4 word, bool stream) {
    if (stream) {
        __stcs(to, word);
    } else {
        *to = word;
    }
}

/* Without shared memory: a warp is LANES_N squares wide and 32 / LANES_N high. It reads LANES_N x 16 bytes of a row at
 * a time and writes 512 / LANES_N bytes of a row of y. */
template <int BYTES, int TILE_M, int TILE_N, int LANES_N, bool STREAM>
__global__ void __launch_bounds__(TILE_M *TILE_N *BYTES *BYTES / 256)
    transpose_registers(const uint4 *__restrict__ x, uint4 *__restrict__ y, long long m, long long n,
                        unsigned tile_rows, unsigned tile_cols) {
    constexpr int V = 16 / BYTES, LANES_M = 32 / LANES_N, WARPS_M = TILE_M / (V * LANES_M);
    static_assert(TILE_M % (V * LANES_M) == 0 && TILE_N % (V * LANES_N) == 0, "whole warps");
    const Place place = place_of(blockIdx.x, tile_rows, tile_cols, TILE_M, TILE_N);
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    const long long row = place.row + (warp % WARPS_M * LANES_M + lane / LANES_N) * V;
    const long long col = place.col + (warp / WARPS_M * LANES_N + lane % LANES_N) * V;
    if (row >= m || col >= n) {
        return;
    }
    const unsigned x_pitch = (unsigned)(n / V), y_pitch = (unsigned)(m / V);
    const uint4 *from = x + row * x_pitch + (unsigned)col / V;
    uint4 *to = y + col * y_pitch + (unsigned)row / V;
    Square<BYTES> square;
#pragma unroll
    for (int i = 0; i < V; i++) {
        square.line[i].word = load_vector(from + (unsigned long long)x_pitch * i, STREAM);
    }
    square = square.turned();
#pragma unroll
    for (int j = 0; j < V; j++) {
        store_vector(to + (unsigned long long)y_pitch * j, square.line[j].word, STREAM);
    }
}

/*
 * Through shared memory, where the tile lies turned: TILE_N rows of TILE_M elements. A vector's column is exchanged by
 * the number of the square it came from, so that eight lanes (128 bytes, one pass) never meet in a bank, writing or
 * reading.
 */
template <int BYTES, int TILE_M, int TILE_N, int ITEMS, bool STREAM>
__global__ void __launch_bounds__(TILE_M *TILE_N *BYTES *BYTES / 256 / ITEMS, 1)
    transpose_vectors(const uint4 *__restrict__ x, uint4 *__restrict__ y, long long m, long long n, unsigned tile_rows,
                      unsigned tile_cols) {
    constexpr int V = 16 / BYTES, SQUARES_M = TILE_M / V, SQUARES_N = TILE_N / V;
    constexpr int BLOCK = SQUARES_M * SQUARES_N / ITEMS;
    static_assert(SQUARES_M % 8 == 0 && SQUARES_N % 8 == 0, "eight lanes a pass");
    extern __shared__ __align__(128) uint4 staged[];
    const Place place = place_of(blockIdx.x, tile_rows, tile_cols, TILE_M, TILE_N);
    const unsigned x_pitch = (unsigned)(n / V), y_pitch = (unsigned)(m / V); /* vectors */
    const unsigned rows_left = (unsigned)min((long long)TILE_M, m - place.row),
                   cols_left = (unsigned)min((long long)TILE_N, n - place.col);
    const uint4 *from = x + place.row * x_pitch + (unsigned)place.col / V;
    uint4 *to = y + place.col * y_pitch + (unsigned)place.row / V;
    Square<BYTES> square[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned at = threadIdx.x + k * BLOCK, high = at / SQUARES_N, wide = at % SQUARES_N;
        if (high * V < rows_left && wide * V < cols_left) {
#pragma unroll
            for (int i = 0; i < V; i++) {
                square[k].line[i].word =
                    load_vector(from + (unsigned long long)x_pitch * (high * V + i) + wide, STREAM);
            }
        }
    }
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned at = threadIdx.x + k * BLOCK, high = at / SQUARES_N, wide = at % SQUARES_N;
        const Square<BYTES> turned = square[k].turned();
#pragma unroll
        for (int j = 0; j < V; j++) {
            staged[(wide * V + j) * SQUARES_M + (high ^ wide % 8)] = turned.line[j].word;
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS * V; k++) {
        const unsigned at = threadIdx.x + k * BLOCK, line = at / SQUARES_M, high = at % SQUARES_M;
        if (high * V < rows_left && line < cols_left) {
            store_vector(to + (unsigned long long)y_pitch * line + high,
                         staged[line * SQUARES_M + (high ^ line / V % 8)], STREAM);
        }
    }
}

/* ---- tiles that the tensor memory accelerator reads and writes; rows of both are multiples of 16 bytes ---- */

/*
 * A box is as wide as the swizzle, 128 bytes, so a tile is TILE_N / SPAN boxes of TILE_M rows, and once it is turned
 * TILE_M / SPAN boxes of TILE_N rows in the same memory. Inside a box the accelerator exchanges the 16-byte columns of
 * a row by the row's number modulo 8. The eight lanes of a pass take squares along a diagonal (high = wide ^ step):
 * then neither the vectors that they read nor those that they write share a bank, for elements of 2, 4 and 8 bytes.
 */
template <int BYTES, int TILE_M, int TILE_N, int ITEMS>
__global__ void __launch_bounds__(TILE_M *TILE_N *BYTES *BYTES / 256 / ITEMS, 1)
    transpose_tma(const __grid_constant__ CUtensorMap from, const __grid_constant__ CUtensorMap to, int m, int n,
                  unsigned tile_rows, unsigned tile_cols) {
#if __CUDA_ARCH__ >= 900
    constexpr int V = 16 / BYTES, SPAN = 128 / BYTES, BLOCK = TILE_M * TILE_N / (V * V) / ITEMS;
    static_assert(TILE_M % SPAN == 0 && TILE_N % SPAN == 0, "whole boxes");
    extern __shared__ __align__(1024) unsigned char box_bytes[];
    const unsigned barrier = shared_address(box_bytes) + TILE_M * TILE_N * BYTES;
    const Place place = place_of(blockIdx.x, tile_rows, tile_cols, TILE_M, TILE_N);
    const int row = (int)place.row, col = (int)place.col;
    if (threadIdx.x == 0) {
        const int boxes = min(TILE_N / SPAN, (n - col + SPAN - 1) / SPAN);
        bulk_barrier_init(barrier);
        bulk_barrier_publish();
        bulk_expect(barrier, boxes * TILE_M * 128);
        for (int box = 0; box < boxes; box++) {
            bulk_load_box(shared_address(box_bytes) + box * TILE_M * 128, &from, col + box * SPAN, row, barrier);
        }
    }
    __syncthreads();
    bulk_wait(barrier, 0);

    Square<BYTES> square[ITEMS];
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned at = threadIdx.x + k * BLOCK, part = at / 64;
        const unsigned wide = at % 8, high = at / 8 % 8 ^ wide, box = part % (TILE_N / SPAN),
                       top = part / (TILE_N / SPAN) * SPAN;
#pragma unroll
        for (int i = 0; i < V; i++) {
            const unsigned line = top + high * V + i;
            square[k].line[i].word =
                *reinterpret_cast<const uint4 *>(box_bytes + (box * TILE_M + line) * 128 + (wide ^ line % 8) * 16);
        }
    }
    __syncthreads();
#pragma unroll
    for (int k = 0; k < ITEMS; k++) {
        const unsigned at = threadIdx.x + k * BLOCK, part = at / 64;
        const unsigned wide = at % 8, high = at / 8 % 8 ^ wide, left = part % (TILE_N / SPAN) * SPAN,
                       box = part / (TILE_N / SPAN);
        const Square<BYTES> turned = square[k].turned();
#pragma unroll
        for (int j = 0; j < V; j++) {
            const unsigned line = left + wide * V + j;
            *reinterpret_cast<uint4 *>(box_bytes + (box * TILE_N + line) * 128 + (high ^ line % 8) * 16) =
                turned.line[j].word;
        }
    }
    bulk_fence_writes();
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int box = 0; box < TILE_M / SPAN && row + box * SPAN < m; box++) {
            bulk_store_box(&to, row + box * SPAN, col, shared_address(box_bytes) + box * TILE_N * 128);
        }
        bulk_stores_have_read();
    }
#endif
}
