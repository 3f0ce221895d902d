// SPDX-License-Identifier: Apache-2.0
// Buffers by name: cols, rows, vals, x, y; then m.
extern "C" __global__ void reference(const int *cols, const int *rows, const float *vals, const float *x, double *y,
                                     long long m) {
    const long long row = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (row < m) {
        double sum = 0;
        for (int e = rows[row]; e < rows[row + 1]; e++) {
            sum += (double)vals[e] * x[cols[e]];
        }
        y[row] = sum;
    }
}
