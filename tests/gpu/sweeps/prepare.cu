// SPDX-License-Identifier: Apache-2.0
// y = W x. prepare() packs PACK columns of W beside each other for all rows, with zeros behind the last column.
template <int PACK> __global__ void pack(const float *w, float *packed, int rows, int k) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x, group = blockIdx.y;
    for (int c = 0; row < rows && c < PACK; c++) {
        const int column = group * PACK + c;
        packed[((long long)group * rows + row) * PACK + c] = column < k ? w[(long long)row * k + column] : 0.0f;
    }
}

template <int PACK> __global__ void multiply(const float *packed, const float *x, float *y, int rows, int k) {
    const int row = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int group = 0; row < rows && group * PACK < k; group++) {
        for (int c = 0; c < PACK; c++) {
            const int column = group * PACK + c;
            sum += packed[((long long)group * rows + row) * PACK + c] * (column < k ? x[column] : 0.0f);
        }
    }
    if (row < rows) {
        y[row] = sum;
    }
}

extern "C" __global__ void multiply_reference(const float *w, const float *x, double *y, long long rows, long long k) {
    const long long row = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    double sum = 0.0;
    for (long long c = 0; row < rows && c < k; c++) {
        sum += (double)w[row * k + c] * x[c];
    }
    if (row < rows) {
        y[row] = sum;
    }
}
