/* SPDX-License-Identifier: Apache-2.0 */
/* The five of BabelStream, plain. S is that of babelstream.lua. */
#define AT ((long long)blockIdx.x * blockDim.x + threadIdx.x)
#define S 0.4

extern "C" __global__ void babelstream_copy_reference(const double *x, double *out, long long n) {
    if (AT < n) {
        out[AT] = x[AT];
    }
}

extern "C" __global__ void babelstream_mul_reference(const double *x, double *out, long long n) {
    if (AT < n) {
        out[AT] = S * x[AT];
    }
}

extern "C" __global__ void babelstream_add_reference(const double *x, const double *y, double *out, long long n) {
    if (AT < n) {
        out[AT] = x[AT] + y[AT];
    }
}

extern "C" __global__ void babelstream_triad_reference(const double *x, const double *y, double *out, long long n) {
    if (AT < n) {
        out[AT] = x[AT] + S * y[AT];
    }
}

/* One output: there is one block, and all of it works. */
extern "C" __global__ void babelstream_dot_reference(const double *x, const double *y, double *out, long long n) {
    __shared__ double part[1024];
    double lane[4] = {0.0, 0.0, 0.0, 0.0};
    for (long long first = threadIdx.x; first < n; first += 4 * (long long)blockDim.x) {
        for (int i = 0; i < 4; i++) {
            const long long at = first + i * (long long)blockDim.x;
            lane[i] += at < n ? x[at] * y[at] : 0.0;
        }
    }
    part[threadIdx.x] = lane[0] + lane[1] + lane[2] + lane[3];
    __syncthreads();
    double all = 0.0;
    for (int i = 0; i < blockDim.x; i++) {
        all += part[i];
    }
    if (blockIdx.x == 0 && threadIdx.x == 0) {
        out[0] = all;
    }
}
