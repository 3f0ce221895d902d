// SPDX-License-Identifier: Apache-2.0
// y = x + 1, and one element too much. WHERE says which; beside a buffer there is padding on every size.
__global__ void outside(float *x, float *y, float *scratch, long long n) {
    const long long i = (long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        scratch[i] = x[i];
        y[i] = scratch[i] + 1.0f;
    }
#if WHERE == WHERE_behind_output
    if (i == 0) {
        y[n] = 3.0f;
    }
#elif WHERE == WHERE_before_output
    if (i == 0) {
        y[-1] = 3.0f;
    }
#elif WHERE == WHERE_behind_input
    if (i == 0) {
        x[n] = 3.0f;
    }
#elif WHERE == WHERE_before_input
    if (i == 0) {
        x[-1] = 3.0f;
    }
#elif WHERE == WHERE_behind_temp
    if (i == 0) {
        scratch[n] = 3.0f;
    }
#elif WHERE == WHERE_before_temp
    if (i == 0) {
        scratch[-1] = 3.0f;
    }
#elif WHERE == WHERE_copied
    if (i == 0) {
        y[n] = x[n]; // padding into padding
    }
#elif WHERE == WHERE_read
    if (i == 0 && x[n] == 12345.0f) { // nothing is written
        y[0] = 0.0f;
    }
#endif
}
