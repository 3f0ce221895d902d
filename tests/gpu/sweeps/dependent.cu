// SPDX-License-Identifier: Apache-2.0
// Two launches: t = 2 x, then y = t + 1. With DEPENDENT the second begins while the first still runs, and waits where it
// needs its results (PTX ISA: griddepcontrol; sm_90 and newer).
extern "C" __global__ void make_double(const float *x, float *t, long long n) {
#if DEPENDENT
    asm volatile("griddepcontrol.launch_dependents;");
#endif
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        t[i] = 2.0f * x[i];
    }
}

extern "C" __global__ void add_one(const float *t, float *y, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
#if DEPENDENT
    asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
    if (i < n) {
        y[i] = t[i] + 1.0f;
    }
}
