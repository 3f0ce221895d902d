// SPDX-License-Identifier: Apache-2.0
// y = x + 1 where not every size is a multiple of what a thread takes. TAIL chooses what becomes of the rest.
__global__ void by_four(const float *x, float *y, long long n) {
    const long long i = ((long long)blockIdx.x * blockDim.x + threadIdx.x) * 4;
#if TAIL == TAIL_prints
    if (i == 0) {
        printf("a kernel may print: %lld elements\n", n);
    }
#endif
#if TAIL == TAIL_dropped
    const long long end = n - n % 4;
#else
    const long long end = n;
#endif
    for (int k = 0; k < 4 && i + k < end; k++) {
        y[i + k] = x[i + k] + 1.0f;
    }
}
