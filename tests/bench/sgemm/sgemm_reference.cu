// SPDX-License-Identifier: Apache-2.0
// A block adds up 64 x 64 elements of c, a thread 4 x 4 of them, in tiles of 16 columns of a: a reference that took a
// thread an element needed longer than the kernels at n = 8192.
#define TILE 64
#define DEPTH 16
#define EACH 4

extern "C" __global__ void __launch_bounds__(256) sgemm_reference(const float *a, const float *b, double *c, long long n) {
    __shared__ double rows[DEPTH][TILE + 1], columns[DEPTH][TILE];
    const long long row = TILE * (long long)blockIdx.y, column = TILE * (long long)blockIdx.x;
    const int x = threadIdx.x % (TILE / EACH), y = threadIdx.x / (TILE / EACH);
    double sums[EACH][EACH] = {};
    for (long long k = 0; k < n; k += DEPTH) {
        for (int i = threadIdx.x; i < TILE * DEPTH; i += 256) {
            const int r = i / DEPTH, d = i % DEPTH, e = i / TILE, s = i % TILE;
            rows[d][r] = row + r < n && k + d < n ? a[(row + r) * n + k + d] : 0.0f;
            columns[e][s] = k + e < n && column + s < n ? b[(k + e) * n + column + s] : 0.0f;
        }
        __syncthreads();
        for (int d = 0; d < DEPTH; d++) {
            for (int i = 0; i < EACH; i++) {
                for (int j = 0; j < EACH; j++) sums[i][j] += rows[d][EACH * y + i] * columns[d][x + TILE / EACH * j];
            }
        }
        __syncthreads();
    }
    for (int i = 0; i < EACH; i++) {
        for (int j = 0; j < EACH; j++) {
            const long long r = row + EACH * y + i, s = column + x + TILE / EACH * j;
            if (r < n && s < n) c[r * n + s] = sums[i][j];
        }
    }
}
