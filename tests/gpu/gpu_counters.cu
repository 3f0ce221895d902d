/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels for gpu_counters.c whose bytes, operations and conflicts are known. */

/* n float4: 16 n bytes read, 16 n written. */
extern "C" __global__ void copy(float4 *y, const float4 *x, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}

/* n float4: 32 n bytes read, 16 n written, 4 n FFMA. */
extern "C" __global__ void triad(float4 *a, const float4 *b, const float4 *c, float s, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) {
        float4 x = b[i], y = c[i];
        a[i] = make_float4(fmaf(s, y.x, x.x), fmaf(s, y.y, x.y), fmaf(s, y.z, x.z), fmaf(s, y.w, x.w));
    }
}

/* Per thread 8 * rounds FFMA and 7 FADD; writes only if a sum is what it never is. */
extern "C" __global__ void multiply_add(float *out, float a, float b, int rounds) {
    float v[8];
    for (int k = 0; k < 8; k++) {
        v[k] = __int_as_float(0x3f800000 | (int)(threadIdx.x + 32 * k));
    }
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            v[k] = fmaf(v[k], a, b);
        }
    }
    float sum = v[0];
#pragma unroll
    for (int k = 1; k < 8; k++) {
        sum = __fadd_rn(sum, v[k]);
    }
    if (sum == 12345.0f) {
        out[0] = sum;
    }
}

/* The same in FP64: 8 * rounds DFMA and 7 DADD. */
extern "C" __global__ void multiply_add_double(double *out, double a, double b, int rounds) {
    double v[8];
    for (int k = 0; k < 8; k++) {
        v[k] = __hiloint2double(0x3ff00000 | (int)(threadIdx.x + 32 * k), 0);
    }
    for (int i = 0; i < rounds; i++) {
#pragma unroll
        for (int k = 0; k < 8; k++) {
            v[k] = fma(v[k], a, b);
        }
    }
    double sum = v[0];
#pragma unroll
    for (int k = 1; k < 8; k++) {
        sum = __dadd_rn(sum, v[k]);
    }
    if (sum == 12345.0) {
        out[0] = sum;
    }
}

/* One warp a block. `rounds` loads each; with stride 32 all lanes of a warp want one bank, with stride 1 each its own.
 * 32 stores a thread without conflicts. */
extern "C" __global__ void shared_loads(unsigned *out, int stride, int rounds) {
    __shared__ unsigned data[1024];
    volatile unsigned *words = data;
    for (int k = 0; k < 32; k++) {
        words[32 * k + threadIdx.x] = threadIdx.x + k;
    }
    __syncwarp();
    unsigned sum = 0;
    for (int i = 0; i < rounds; i++) {
        sum += words[(threadIdx.x * stride + i) & 1023];
    }
    if (sum == 0xffffffffu) {
        out[0] = sum;
    }
}

/* Thread i reads 4 bytes of sector i and writes 4 bytes beside its neighbour's: 32 n bytes read, 4 n written. */
extern "C" __global__ void one_of_eight(float *y, const float *x, long long n) {
    long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[8 * i];
    }
}

/* Reads it all, so that nothing else is in the L2. */
extern "C" __global__ void read_through(const uint4 *x, long long n, unsigned *out) {
    unsigned sum = 0;
    for (long long i = blockIdx.x * (long long)blockDim.x + threadIdx.x; i < n;
         i += gridDim.x * (long long)blockDim.x) {
        uint4 v = x[i];
        sum += v.x ^ v.y ^ v.z ^ v.w;
    }
    if (sum == 0x12345678u) {
        out[0] = sum;
    }
}

extern "C" __global__ void stray(int *nowhere) {
    nowhere[threadIdx.x] = 1;
}
