// SPDX-License-Identifier: Apache-2.0
// y = x, four at a time; lines of y (1) or x (2) ask L2 to evict them last.
template <int STAY> __global__ void copy_staying(const float *x, float *y, long long n) {
    const long long i = 4 * ((long long)blockIdx.x * blockDim.x + threadIdx.x);
    unsigned long long policy;
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    if (i + 3 < n) {
        float4 v;
        if (STAY == 2) {
            asm volatile("ld.global.L2::cache_hint.v4.f32 {%0, %1, %2, %3}, [%4], %5;"
                         : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w)
                         : "l"(x + i), "l"(policy));
        } else {
            v = *reinterpret_cast<const float4 *>(x + i);
        }
        if (STAY == 1) {
            asm volatile("st.global.L2::cache_hint.v4.f32 [%0], {%1, %2, %3, %4}, %5;" ::"l"(y + i), "f"(v.x), "f"(v.y),
                         "f"(v.z), "f"(v.w), "l"(policy)
                         : "memory");
        } else {
            *reinterpret_cast<float4 *>(y + i) = v;
        }
    } else {
        for (long long j = i; j < n; j++) {
            y[j] = x[j];
        }
    }
}

__global__ void copy_reference(const float *x, double *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        y[i] = x[i];
    }
}
