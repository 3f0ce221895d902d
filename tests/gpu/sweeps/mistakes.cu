// SPDX-License-Identifier: Apache-2.0
// c = 2 a + b, and what looks like it (mistakes.lua).

template <int VEC> __global__ void add(const float *a, const float *b, float *c, long long n) {
    const long long first = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) * VEC;
    for (long long i = first; i < first + VEC && i < n; i++) {
        c[i] = 2 * a[i] + b[i];
    }
}

// c is an output: what it holds before is nobody's.
template <int VEC> __global__ void add_to(const float *a, const float *b, float *c, long long n) {
    const long long first = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) * VEC;
    for (long long i = first; i < first + VEC && i < n; i++) {
        c[i] += 2 * a[i] + b[i];
    }
}

// Right for every n that VEC divides: the odd problem is none.
template <int VEC> __global__ void add_whole(const float *a, const float *b, float *c, long long n) {
    const long long first = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) * VEC;
    for (long long i = first; first + VEC <= n && i < first + VEC; i++) {
        c[i] = 2 * a[i] + b[i];
    }
}

template <int VEC> __global__ void add_thrice(const float *a, const float *b, float *c, long long n) {
    const long long first = (blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x) * VEC;
    for (long long i = first; i < first + VEC && i < n; i++) {
        c[i] = 3 * a[i] + b[i];
    }
}

__global__ void add_reference(const float *a, const float *b, double *c, long long n) {
    const long long i = blockIdx.x * static_cast<long long>(blockDim.x) + threadIdx.x;
    if (i < n) {
        c[i] = 2.0 * a[i] + b[i];
    }
}
