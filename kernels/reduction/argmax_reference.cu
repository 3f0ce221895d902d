/* SPDX-License-Identifier: Apache-2.0 */
/* Where the largest of x is, the first of equal ones. One block of 1024. */
extern "C" __global__ void argmax_reference(int *index, const float *x, long long n) {
    __shared__ float value[1024];
    __shared__ int place[1024];
    float most[8];
    int at[8];
    for (int i = 0; i < 8; i++) {
        most[i] = x[0];
        at[i] = 0;
    }
    for (long long first = threadIdx.x; first < n; first += 8 * 1024) {
#pragma unroll
        for (int i = 0; i < 8; i++) {
            const long long here = first + i * 1024;
            const float other = here < n ? x[here] : most[i];
            if (other > most[i]) {
                most[i] = other;
                at[i] = (int)here;
            }
        }
    }
    for (int i = 1; i < 8; i++) {
        if (most[i] > most[0] || (most[i] == most[0] && at[i] < at[0])) {
            most[0] = most[i];
            at[0] = at[i];
        }
    }
    value[threadIdx.x] = most[0];
    place[threadIdx.x] = at[0];
    __syncthreads();
    if (threadIdx.x == 0) {
        for (int i = 1; i < 1024; i++) {
            if (value[i] > most[0] || (value[i] == most[0] && place[i] < at[0])) {
                most[0] = value[i];
                at[0] = place[i];
            }
        }
        index[0] = at[0];
    }
}
