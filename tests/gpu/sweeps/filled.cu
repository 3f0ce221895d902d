// SPDX-License-Identifier: Apache-2.0
// LANES threads add a row's products and then each other's; `order` says which row whose turn it is.
template <int LANES>
__global__ void spmv(const int *rows, const int *cols, const float *vals, const int *order, const float *x, float *y,
                     int m) {
    const int at = (blockIdx.x * 256 + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float sum = 0.0f;
    const int row = at < m ? order[at] : -1;
    for (int i = row < 0 ? 0 : rows[row] + lane; row >= 0 && i < rows[row + 1]; i += LANES) {
        sum += vals[i] * x[cols[i]];
    }
    for (int step = LANES / 2; step > 0; step /= 2) {
        sum += __shfl_down_sync(0xFFFFFFFFu, sum, step, LANES);
    }
    if (row >= 0 && lane == 0) {
        y[row] += sum;
    }
}

// Buffers in the order of their names. What the fills promise is looked at here, too: `ramp` begins at the seed's own
// number, columns ascend within a row and are below n, and every row has its turn once.
extern "C" __global__ void spmv_reference(const int *cols, const int *order, const int *rows, const float *vals,
                                          const float *x, double *y, long long m, long long n) {
    const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= m) {
        return;
    }
    if (rows[0] != 0 || rows[m] != 8 * m || rows[row] > rows[row + 1] || order[row] < 0 || order[row] >= m) {
        __trap();
    }
    double sum = y[row];
    for (int i = rows[row]; i < rows[row + 1]; i++) {
        if (cols[i] < 0 || cols[i] >= n || (i > rows[row] && cols[i] < cols[i - 1])) {
            __trap();
        }
        sum += (double)vals[i] * x[cols[i]];
    }
    y[row] = sum;
}
