/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/rank_correlation.h"

#include "base/arena.h"
#include "model/stats/repeat.h"

#include <math.h>
#include <stdlib.h>

typedef struct ranked {
    double value;
    size_t at;
} ranked;

static int ascending(const void *a, const void *b) {
    const ranked *x = a, *y = b;
    return (x->value > y->value) - (x->value < y->value);
}

/* Ranks from 0, equal values at the mean of theirs, less the mean of all. */
static double *centred_ranks(const double *values, size_t count) {
    ranked *order = rft_calloc(count + 1, sizeof *order);
    double *ranks = rft_calloc(count + 1, sizeof *ranks);
    for (size_t i = 0; i < count; i++) {
        order[i] = (ranked){values[i], i};
    }
    qsort(order, count, sizeof *order, ascending);
    for (size_t i = 0, end; i < count; i = end) {
        for (end = i + 1; end < count && order[end].value == order[i].value;) {
            end++;
        }
        for (size_t k = i; k < end; k++) {
            ranks[order[k].at] = 0.5 * (double)(i + end - 1) - 0.5 * (double)(count - 1);
        }
    }
    free(order);
    return ranks;
}

static double dot(const double *a, const double *b, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++) {
        sum += a[i] * b[i];
    }
    return sum;
}

rft_rank_correlation rft_rank_correlation_of(const double *a, const double *b, size_t count) {
    rft_rank_correlation out = {NAN, NAN, NAN};
    if (count < RFT_RANK_LEAST) {
        return out;
    }
    double *x = centred_ranks(a, count), *y = centred_ranks(b, count);
    double scale = sqrt(dot(x, x, count) * dot(y, y, count));
    if (scale > 0) {
        out.rho = fmax(-1, fmin(1, dot(x, y, count) / scale));
        double half = rft_normal_quantile(0.05) * sqrt((1 + out.rho * out.rho / 2) / (double)(count - 3));
        out.low = tanh(atanh(out.rho) - half);
        out.high = tanh(atanh(out.rho) + half);
    }
    free(x);
    free(y);
    return out;
}
