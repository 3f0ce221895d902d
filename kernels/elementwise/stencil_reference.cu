/* SPDX-License-Identifier: Apache-2.0 */
/* One step, a thread a cell. From fp32, or from what the step before has made. */

extern "C" __global__ void stencil_7(const float *x, double *y, long long width, long long height, long long depth) {
    const long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x, area = width * height;
    const long long column = at % width, row = at / width % height, plane = at / area;
    if (plane >= depth) {
        return;
    }
    const bool edge =
        column == 0 || column == width - 1 || row == 0 || row == height - 1 || plane == 0 || plane == depth - 1;
    y[at] = edge ? (double)x[at]
                 : 0.4 * x[at] + 0.1 * ((double)x[at - 1] + x[at + 1] + x[at - width] + x[at + width] + x[at - area] +
                                        x[at + area]);
}

extern "C" __global__ void stencil_27(const float *x, double *y, long long width, long long height, long long depth) {
    const long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x, area = width * height;
    const long long column = at % width, row = at / width % height, plane = at / area;
    if (plane >= depth) {
        return;
    }
    const bool edge =
        column == 0 || column == width - 1 || row == 0 || row == height - 1 || plane == 0 || plane == depth - 1;
    y[at] = edge ? (double)x[at] : 0.0;
    for (int i = 0; i < 27 && !edge; i++) {
        const int right = i % 3 - 1, down = i / 3 % 3 - 1, up = i / 9 - 1,
                  apart = right * right + down * down + up * up;
        const double factor = apart == 0 ? 0.4 : apart == 1 ? 0.04 : apart == 2 ? 0.02 : 0.015;
        y[at] += factor * (double)x[at + right + down * width + up * area];
    }
}

template <typename T>
__device__ __forceinline__ void step_5(const T *from, double *to, long long width, long long height) {
    const long long at = blockIdx.x * (long long)blockDim.x + threadIdx.x, column = at % width, row = at / width;
    if (row >= height) {
        return;
    }
    const bool edge = column == 0 || column == width - 1 || row == 0 || row == height - 1;
    to[at] = edge ? (double)from[at]
                  : 0.6 * from[at] + 0.1 * ((double)from[at - 1] + from[at + 1] + from[at - width] + from[at + width]);
}
extern "C" __global__ void stencil_5_first(const float *from, double *to, long long width, long long height) {
    step_5(from, to, width, height);
}
extern "C" __global__ void stencil_5_next(const double *from, double *to, long long width, long long height) {
    step_5(from, to, width, height);
}
