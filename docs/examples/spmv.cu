// SPDX-License-Identifier: Apache-2.0
// y = A x with A in CSR. LANES threads share a row; what they add meets by shuffles.
template <int LANES>
__global__ void spmv(const int *__restrict__ rows, const int *__restrict__ cols, const float *__restrict__ vals,
                     const float *__restrict__ x, float *__restrict__ y, int m) {
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / LANES, lane = threadIdx.x % LANES;
    float sum = 0;
    if (row < m) {
        for (int e = rows[row] + lane; e < rows[row + 1]; e += LANES) {
            sum += vals[e] * x[cols[e]];
        }
    }
#pragma unroll
    for (int distance = LANES / 2; distance > 0; distance /= 2) {
        sum += __shfl_down_sync(0xffffffff, sum, distance, LANES);
    }
    if (row < m && lane == 0) {
        y[row] = sum;
    }
}
