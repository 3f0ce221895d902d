/* SPDX-License-Identifier: Apache-2.0 */
/* In fp64, a warp a row. */
template <class T>
__device__ void spmv_rows(const int *columns, const int *offsets, const T *values, const T *x, double *y, long long n) {
    const long long warps = (long long)gridDim.x * (blockDim.x / 32);
    for (long long row = (long long)blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32; row < n; row += warps) {
        double sum = 0.0;
        for (long long i = offsets[row] + threadIdx.x % 32; i < offsets[row + 1]; i += 32) {
            sum += (double)values[i] * (double)x[columns[i]];
        }
        for (int apart = 16; apart > 0; apart /= 2) {
            sum += __shfl_xor_sync(0xffffffffu, sum, apart);
        }
        if (threadIdx.x % 32 == 0) {
            y[row] = sum;
        }
    }
}
extern "C" __global__ void spmv_f32_reference(const int *columns, const int *offsets, const float *values,
                                              const float *x, double *y, long long n, long long mean) {
    spmv_rows(columns, offsets, values, x, y, n);
}
extern "C" __global__ void spmv_f64_reference(const int *columns, const int *offsets, const double *values,
                                              const double *x, double *y, long long n, long long mean) {
    spmv_rows(columns, offsets, values, x, y, n);
}
