// SPDX-License-Identifier: Apache-2.0
// A block a bin, in blocks of at least 256 threads; what they count is summed in shared memory that the launch brings.
// `order` is compiled: a macro here, and no parameter.
extern "C" __global__ void count_reference(unsigned *h, const unsigned char *x, long long n) {
    extern __shared__ unsigned s[];
    const int me = threadIdx.y * blockDim.x + threadIdx.x, threads = blockDim.x * blockDim.y;
    if (threads < 256 || order < 1 || order > order_sorted) {
        __trap();
    }
    for (long long bin = blockIdx.x; bin < 256; bin += gridDim.x) {
        unsigned count = 0;
        for (long long i = me; i < n; i += threads) {
            count += x[i] == bin;
        }
        s[me] = count;
        __syncthreads();
        for (int half = threads / 2; half > 0; half /= 2) {
            if (me < half) {
                s[me] += s[me + half];
            }
            __syncthreads();
        }
        if (me == 0) {
            h[bin] = s[0];
        }
        __syncthreads();
    }
}
