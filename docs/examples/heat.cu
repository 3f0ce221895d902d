// SPDX-License-Identifier: Apache-2.0
// One step of heat flow on an n x n grid: a cell moves towards its four neighbours, the edge stays.
__global__ void heat(const float *__restrict__ from, float *__restrict__ to, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= n || y >= n) {
        return;
    }
    const long long i = (long long)y * n + x;
    const bool edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;
    to[i] = edge ? from[i] : 0.5f * from[i] + 0.125f * (from[i - 1] + from[i + 1] + from[i - n] + from[i + n]);
}

// The same, but a thread walks ROWS cells down and keeps the one above, its own and the one below in registers.
template <int ROWS> __global__ void heat_rows(const float *__restrict__ from, float *__restrict__ to, int n) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, first = (blockIdx.y * blockDim.y + threadIdx.y) * ROWS;
    if (x >= n || first >= n) {
        return;
    }
    from += (long long)first * n + x;
    to += (long long)first * n + x;
    float above = first > 0 ? from[-n] : 0, here = from[0];
#pragma unroll
    for (int r = 0; r < ROWS; r++) {
        const int y = first + r;
        if (y >= n) {
            return;
        }
        const float below = y + 1 < n ? from[(r + 1) * (long long)n] : 0;
        const bool edge = x == 0 || y == 0 || x == n - 1 || y == n - 1;
        const float *row = from + r * (long long)n;
        to[r * (long long)n] = edge ? here : 0.5f * here + 0.125f * (row[-1] + row[1] + above + below);
        above = here;
        here = below;
    }
}
