/* SPDX-License-Identifier: Apache-2.0 */
template <int VEC> struct pack {
    float v[VEC];
};
template <> struct __align__(16) pack<4> {
    float v[4];
};

/* n is a multiple of VEC. */
template <int VEC> __global__ void copy_power(const float *x, float *y, long long n) {
    long long i = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * VEC;
    if (i < n) {
        *reinterpret_cast<pack<VEC> *>(y + i) = *reinterpret_cast<const pack<VEC> *>(x + i);
    }
}

__global__ void copy_power_reference(const float *x, double *y, long long n) {
    long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}
