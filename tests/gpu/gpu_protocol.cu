/* SPDX-License-Identifier: Apache-2.0 */
/* Kernels of gpu_protocol.c: out = 2 * in + acc, acc = acc + 1; one that is right and some that are not. */
typedef long long i64;

template <int VEC> __global__ void good(float *acc, const float *in, float *out, i64 n) {
    for (i64 i = ((i64)blockIdx.x * blockDim.x + threadIdx.x) * VEC; i < n; i += (i64)gridDim.x * blockDim.x * VEC) {
        for (int v = 0; v < VEC; v++) {
            out[i + v] = 2.0f * in[i + v] + acc[i + v];
            acc[i + v] += 1.0f;
        }
    }
}

#define EACH for (i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x; i < n; i += (i64)gridDim.x * blockDim.x)

extern "C" __global__ void wrong(float *acc, const float *in, float *out, i64 n) {
    EACH {
        out[i] = 2.0f * in[i] + acc[i] + (i == n - 5 ? 1.0f : 0.0f);
        acc[i] += 1.0f;
    }
}

extern "C" __global__ void partial(float *acc, const float *in, float *out, i64 n) {
    EACH {
        if (i < n - 100) {
            out[i] = 2.0f * in[i] + acc[i];
        }
        acc[i] += 1.0f;
    }
}

extern "C" __global__ void not_a_number(float *acc, const float *in, float *out, i64 n) {
    EACH {
        out[i] = i == 77 ? sqrtf(-1.0f - acc[i] * acc[i]) : 2.0f * in[i] + acc[i];
        acc[i] += 1.0f;
    }
}

extern "C" __global__ void spoils_input(float *acc, float *in, float *out, i64 n) {
    EACH {
        out[i] = 2.0f * in[i] + acc[i];
        acc[i] += 1.0f;
        if (i == 4321) {
            in[i] += 1.0f;
        }
    }
}

/* Far outside of any buffer. */
extern "C" __global__ void out_of_bounds(float *acc, const float *in, float *out, i64 n) {
    EACH {
        out[i + (1ll << 44)] = 2.0f * in[i] + acc[i];
    }
}

extern "C" __global__ void reference(double *acc, const float *in, double *out, i64 n) {
    i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2.0 * (double)in[i] + acc[i];
        acc[i] += 1.0;
    }
}

/* The same without an inout: a run may follow another. */
extern "C" __global__ void plain(const float *acc, const float *in, float *out, i64 n) {
    EACH {
        out[i] = 2.0f * in[i] + acc[i];
    }
}

extern "C" __global__ void plain_reference(const float *acc, const float *in, double *out, i64 n) {
    i64 i = (i64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        out[i] = 2.0 * (double)in[i] + (double)acc[i];
    }
}
