/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/error_sum.h"

#include <math.h>

void rft_error_sum_add(rft_error_sum *to, double half, double common) {
    double own = half > common ? sqrt((half - common) * (half + common)) : half - half; /* of NaN NaN */
    to->squares += own * own;
    to->sum += own;
    to->common += common;
}

double rft_error_sum_half(const rft_error_sum *of) {
    const double r = RFT_ERROR_CORRELATION;
    return sqrt((1.0 - r) * of->squares + r * of->sum * of->sum + of->common * of->common);
}
