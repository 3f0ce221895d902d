/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/again_rate.h"

#include "base/arena.h"
#include "base/hash.h"
#include "model/stats/stats.h"

#include <math.h>
#include <stdlib.h>

#define LEVEL 0.05
#define HALVINGS 60
#define DRAWN_AGAIN 2000
#define KERNELS_LEAST 5

double again_share(const again_rate *rate) {
    return rate->n ? (double)rate->k / (double)rate->n : (double)NAN;
}

/* P(X <= k), X binomial (n, p), 0 < p < 1 */
static double binomial_to(size_t k, size_t n, double p) {
    double sum = 0.0, all = lgamma((double)n + 1.0);
    for (size_t i = 0; i <= k; i++) {
        double x = (double)i, y = (double)(n - i);
        sum += exp(all - lgamma(x + 1.0) - lgamma(y + 1.0) + x * log(p) + y * log1p(-p));
    }
    return sum;
}

double again_at_most(const again_rate *rate) {
    if (rate->n == 0 || rate->k >= rate->n) {
        return rate->n ? 1.0 : (double)NAN;
    }
    double low = 0.0, high = 1.0;
    for (int i = 0; i < HALVINGS; i++) {
        double middle = (low + high) / 2.0;
        if (binomial_to(rate->k, rate->n, middle) > LEVEL) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return high;
}

double again_at_least(const again_rate *rate) {
    again_rate others = {rate->n - rate->k, rate->n};
    return 1.0 - again_at_most(&others);
}

static double mean_of_drawn(const double *items, size_t count, uint64_t *seed) {
    double sum = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += items[rft_random_below(seed, count)];
    }
    return sum / (double)count;
}

double again_bootstrap_at_most(const double *shares, size_t count, size_t independent) {
    if (count == 0) {
        return (double)NAN;
    }
    double *means = rft_calloc(DRAWN_AGAIN, sizeof *means);
    uint64_t seed = 1;
    for (size_t i = 0; i < DRAWN_AGAIN; i++) {
        means[i] = mean_of_drawn(shares, count, &seed);
    }
    rft_sort_doubles(means, DRAWN_AGAIN);
    again_rate none = {0, independent};
    double bound = fmax(rft_quantile(means, DRAWN_AGAIN, 1.0 - LEVEL), again_at_most(&none));
    free(means);
    return bound;
}

/* ---- levels ---- */

double again_deviation_frac(double variance) {
    return AGAIN_QUANTILE * sqrt(variance);
}

again_levels again_levels_of(const again_nest *nest) {
    again_levels out = {0, 0, NAN, NAN, NAN, NAN, NAN, NAN};
    double squares = 0.0, noise = 0.0, inverse = 0.0, sum = 0.0, sum_of_squares = 0.0, first = NAN;
    for (size_t r = 0; r < nest->run_count; r++) {
        size_t m = nest->counts[r];
        double mean = 0.0;
        for (size_t p = 0; p < m; p++) {
            mean += log(nest->medians_s[r][p]) / (double)m;
        }
        if (m < 2) {
            continue;
        }
        for (size_t p = 0; p < m; p++) {
            double off = log(nest->medians_s[r][p]) - mean;
            squares += off * off;
            noise += nest->noise[r][p];
        }
        out.runs++;
        out.processes += m;
        inverse += 1.0 / (double)m;
        first = isnan(first) ? mean : first;
        double moved = mean - first; /* near 0: no digits are lost */
        sum += moved;
        sum_of_squares += moved * moved;
    }
    if (out.runs < 2) {
        return out;
    }
    double runs = (double)out.runs;
    out.scatter = squares / (double)(out.processes - out.runs);
    out.within_process = noise / (double)out.processes;
    out.between_processes = fmax(0.0, out.scatter - out.within_process);
    out.by_processes = out.scatter * inverse / runs;
    out.run_means = fmax(0.0, (sum_of_squares - sum * sum / runs) / (runs - 1.0));
    out.between_runs = fmax(0.0, out.run_means - out.by_processes);
    return out;
}

static double share_of(const again_levels *levels, const size_t *chosen, size_t count) {
    double given = 0.0, seen = 0.0;
    for (size_t i = 0; i < count; i++) {
        const again_levels *l = &levels[chosen[i]];
        given += l->by_processes;
        seen += l->run_means;
    }
    return seen > given ? given / seen : 1.0;
}

static void bounds_of(again_reproduced *out, const again_levels *levels, const size_t *known, size_t count) {
    double *shares = rft_calloc(DRAWN_AGAIN, sizeof *shares);
    size_t *chosen = rft_calloc(count, sizeof *chosen);
    uint64_t seed = 1;
    for (size_t i = 0; i < DRAWN_AGAIN; i++) {
        for (size_t k = 0; k < count; k++) {
            chosen[k] = known[rft_random_below(&seed, count)];
        }
        shares[i] = share_of(levels, chosen, count);
    }
    rft_sort_doubles(shares, DRAWN_AGAIN);
    out->low = rft_quantile(shares, DRAWN_AGAIN, LEVEL);
    out->high = rft_quantile(shares, DRAWN_AGAIN, 1.0 - LEVEL);
    free(shares);
    free(chosen);
}

again_reproduced again_reproduced_of(const again_levels *levels, size_t count) {
    again_reproduced out = {0, NAN, NAN, NAN, NAN};
    size_t *known = rft_calloc(count + 1, sizeof *known);
    double beyond = 0.0;
    for (size_t i = 0; i < count; i++) {
        if (levels[i].runs >= 2) {
            known[out.kernels++] = i;
            beyond +=
                levels[i].run_means - levels[i].by_processes; /* also below 0: else chance alone would be a floor */
        }
    }
    if (out.kernels > 0) {
        out.share = share_of(levels, known, out.kernels);
        out.floor_frac = again_deviation_frac(fmax(0.0, beyond / (double)out.kernels));
    }
    if (out.kernels >= KERNELS_LEAST) {
        bounds_of(&out, levels, known, out.kernels);
    }
    free(known);
    return out;
}
