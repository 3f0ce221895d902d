/* SPDX-License-Identifier: Apache-2.0 */
#include "corrections/work_formulas.h"

#include <math.h>

rft_work work_per_element(double ops, double reads, double writes, double bytes) {
    rft_work work = {.bytes_read = reads * bytes, .bytes_written = writes * bytes};
    work.pipe_ops[RFT_PIPE_FP32] = ops;
    return work;
}

rft_work work_gemm(double m, double n, double k, double bytes) {
    return work_gemm_weights(m, n, k, bytes, bytes);
}

rft_work work_gemm_weights(double m, double n, double k, double bytes, double weight_bytes) {
    rft_work work = {.bytes_read = m * k * bytes + k * n * weight_bytes, .bytes_written = m * n * bytes};
    work.pipe_ops[RFT_PIPE_FP32] = 2.0 * m * n * k;
    return work;
}

rft_work work_attention(double l, double d, double bytes, double softmax_ops, double score_passes) {
    rft_work work = {.bytes_read = (3.0 * l * d + score_passes / 2.0 * l * l) * bytes,
                     .bytes_written = (l * d + score_passes / 2.0 * l * l) * bytes};
    work.pipe_ops[RFT_PIPE_FP32] = 4.0 * l * l * d + softmax_ops * l * l;
    return work;
}

double work_intensity_gemm(double m, double n, double k, double bytes) {
    rft_work work = work_gemm(m, n, k, bytes);
    return rft_work_intensity(&work);
}

double work_roof(double intensity, double peak, double bandwidth) {
    return fmin(peak, bandwidth * intensity);
}

double work_ridge_m(double n, double k, double bytes, double ridge) {
    double denominator = 2.0 * n * k - ridge * bytes * (n + k);
    return denominator > 0.0 ? ridge * bytes * n * k / denominator : (double)INFINITY;
}

double work_round_half(double x) {
    int exponent = 0;
    frexp(x, &exponent);
    double unit = ldexp(1.0, exponent - 11 < -24 ? -24 : exponent - 11); /* 11 bits; subnormals end at 2^-24 */
    return nearbyint(x / unit) * unit;
}

double work_touched_bytes(const double *addresses, int count, double size_bytes, double piece_bytes) {
    double pieces = 0.0, next = -1.0; /* the first piece not yet counted */
    for (int i = 0; i < count; i++) {
        double first = fmax(floor(addresses[i] / piece_bytes), next);
        double last = floor((addresses[i] + size_bytes - 1.0) / piece_bytes);
        if (last >= first) {
            pieces += last - first + 1.0;
            next = last + 1.0;
        }
    }
    return pieces * piece_bytes;
}
