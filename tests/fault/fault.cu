// SPDX-License-Identifier: Apache-2.0
// y = x + 1, and every way of not getting there that a kernel has. FAULT chooses one; fault.lua lists them.

#if FAULT == FAULT_does_not_compile
#error "asked not to compile"
#endif

#if FAULT == FAULT_stack_overflow
// A frame that cannot be kept in registers, and something left to do after the call: no loop can replace it.
__device__ __noinline__ int deeper(int level) {
    volatile int frame[64];
    frame[level & 63] = level;
    if (level == 0) {
        return frame[0];
    }
    const int below = deeper(level - 1);
    return below + frame[level & 63];
}
#endif

__device__ int unchanging; // a constant of the sweep

__device__ unsigned long long now_ns() {
    unsigned long long time_ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(time_ns));
    return time_ns;
}

__global__ void victim(const float *x, float *y, char *scratch, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) {
        return;
    }
    y[i] = x[i] + 1.0f;
#if FAULT == FAULT_out_of_bounds
    *(volatile float *)((char *)(y + i) + (1ll << 46)) = 1.0f;
#elif FAULT == FAULT_misaligned
    *(volatile float *)((char *)(y + i) + 1) = 1.0f;
#elif FAULT == FAULT_trap
    asm volatile("trap;");
#elif FAULT == FAULT_assertion
    assert(x[i] > 1000.0f);
#elif FAULT == FAULT_stack_overflow
    y[i] = (float)deeper((int)n); // 16 MiB a thread, which may have 512 KiB; one that the device let pass would end soon
#elif FAULT == FAULT_wrong_result
    if (i == n - 1) {
        y[i] += 1.0f;
    }
#elif FAULT == FAULT_nan
    if (i % 1000 == 7) {
        y[i] = __int_as_float(0x7fffffff);
    }
#elif FAULT == FAULT_unstable
    y[i] += (float)(clock64() & 1023) + 1.0f;
#elif FAULT == FAULT_writes_input
    const_cast<float *>(x)[i] = 7.0f;
#elif FAULT == FAULT_writes_constant
    if (i == 0) {
        unchanging += 1;
    }
#elif FAULT == FAULT_endless
    while (i == 0 && *(volatile float *)y != -12345.0f) {
    }
#elif FAULT == FAULT_slow
    const unsigned long long start_ns = now_ns();
    while (i == 0 && now_ns() - start_ns < 1050000000ull) {
    }
#endif
}

// The upper half is left as it was.
__global__ void half_written(const float *x, float *y, char *scratch, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n / 2) {
        y[i] = x[i] + 1.0f;
    }
}
