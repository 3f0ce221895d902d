/* SPDX-License-Identifier: Apache-2.0 */
/* The same results, an element a thread, by the definition. */
#define AT ((long long)blockIdx.x * blockDim.x + threadIdx.x)

/* y of `blocks` blocks of 256, of which each thread has 4 words of tiles of 1024. */
extern "C" __global__ void arrive_reference(const unsigned *x, unsigned *y, long long n, long long blocks) {
    if (AT < blocks * 256) {
        unsigned sum = 0;
        for (long long tile = AT / 256; tile < n / 1024; tile += blocks) {
            for (int i = 0; i < 4; i++) {
                sum += x[tile * 1024 + AT % 256 * 4 + i];
            }
        }
        for (long long i = n / 1024 * 1024 + AT * 4; AT < 256 && i < n && i < n / 1024 * 1024 + AT * 4 + 4; i++) {
            sum += x[i];
        }
        y[AT] = sum;
    }
}

extern "C" __global__ void computed_reference(const unsigned *x, unsigned *y, long long n, int steps) {
    if (AT < n) {
        unsigned v = x[AT];
        for (int step = 0; step < steps; step++) {
            v = v * v + step;
        }
        y[AT] = v;
    }
}

extern "C" __global__ void links_reference(const unsigned *w, const unsigned *x, unsigned *y, long long n, int links) {
    if (AT < n) {
        unsigned v = x[AT];
        for (int link = 0; link < links; link++) {
            v = 3 * v + w[AT];
        }
        y[AT] = v;
    }
}
