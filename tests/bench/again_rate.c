/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/again_rate.h"

#include "base/arena.h"
#include "base/hash.h"
#include "model/stats/stats.h"

#include <math.h>
#include <stdlib.h>

#define LEVEL 0.05
#define HALVINGS 60
#define ROUNDING 1e-9
#define DRAWN_AGAIN 2000
#define CLUSTERS_LEAST 5

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

/* Var(k / n) of clusters over what independent trials have; 1 or more. */
static double design_effect(const again_rate *clusters, size_t count, const again_clustered *of) {
    double p = again_share(&of->rate), n = (double)of->rate.n, squares = 0.0, many = (double)of->clusters;
    for (size_t i = 0; i < count; i++) {
        double off = (double)clusters[i].k - p * (double)clusters[i].n;
        squares += off * off;
    }
    return fmax(1.0, many / (many - 1.0) * squares / (n * p * (1.0 - p)));
}

again_clustered again_clustered_of(const again_rate *clusters, size_t count) {
    again_clustered out = {.at_least = NAN, .at_most = NAN};
    for (size_t i = 0; i < count; i++) {
        out.rate.k += clusters[i].k;
        out.rate.n += clusters[i].n;
        out.clusters += clusters[i].n > 0;
    }
    if (out.rate.n == 0) {
        return out;
    }
    bool alike = out.rate.k == 0 || out.rate.k == out.rate.n || out.clusters < 2;
    double design = alike ? 1.0 : design_effect(clusters, count, &out), p = again_share(&out.rate);
    out.independent = alike ? out.clusters : (size_t)fmax(1.0, (double)out.rate.n / design + ROUNDING);
    double kept = p * (double)out.independent;
    again_rate least = {(size_t)floor(kept + ROUNDING), out.independent};
    again_rate most = {(size_t)ceil(kept - ROUNDING), out.independent};
    out.at_least = again_at_least(&least);
    out.at_most = again_at_most(&most);
    return out;
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
    again_levels out = {0, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN};
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

typedef struct between {
    double given, seen; /* by processes; of run means: sums over kernels */
    size_t kernels;
} between;

static double share_of(const between *b) {
    return b->seen > b->given ? b->given / b->seen : 1.0;
}

/* What is seen may also be less than processes give: else chance alone would be a floor. */
static double floor_of(const between *b) {
    return again_deviation_frac(fmax(0.0, b->seen - b->given) / (double)b->kernels);
}

static void add_between(between *to, const between *of) {
    to->given += of->given;
    to->seen += of->seen;
    to->kernels += of->kernels;
}

static void bounds_of(again_reproduced *out, const between *clusters, size_t count) {
    double *shares = rft_calloc(DRAWN_AGAIN, sizeof *shares), *floors = rft_calloc(DRAWN_AGAIN, sizeof *floors);
    uint64_t seed = 1;
    for (size_t i = 0; i < DRAWN_AGAIN; i++) {
        between drawn = {0.0, 0.0, 0};
        for (size_t k = 0; k < count; k++) {
            add_between(&drawn, &clusters[rft_random_below(&seed, count)]);
        }
        shares[i] = share_of(&drawn);
        floors[i] = floor_of(&drawn);
    }
    rft_sort_doubles(shares, DRAWN_AGAIN);
    rft_sort_doubles(floors, DRAWN_AGAIN);
    out->low = rft_quantile(shares, DRAWN_AGAIN, LEVEL);
    out->high = rft_quantile(shares, DRAWN_AGAIN, 1.0 - LEVEL);
    out->floor_low = rft_quantile(floors, DRAWN_AGAIN, LEVEL);
    out->floor_high = rft_quantile(floors, DRAWN_AGAIN, 1.0 - LEVEL);
    free(shares);
    free(floors);
}

/* The place of the cluster in `ids`; a new one behind the others. */
static size_t place_of(size_t *ids, size_t *count, size_t cluster) {
    size_t at = 0;
    while (at < *count && ids[at] != cluster) {
        at++;
    }
    ids[at] = cluster;
    *count += at == *count;
    return at;
}

again_reproduced again_reproduced_of(const again_levels *levels, size_t count) {
    again_reproduced out = {0, NAN, NAN, NAN, NAN, NAN, NAN};
    between *clusters = rft_calloc(count + 1, sizeof *clusters), all = {0.0, 0.0, 0};
    size_t *ids = rft_calloc(count + 1, sizeof *ids), known = 0;
    for (size_t i = 0; i < count; i++) {
        between one = {levels[i].by_processes, levels[i].run_means, 1};
        if (levels[i].runs >= 2) {
            add_between(&clusters[place_of(ids, &known, levels[i].cluster)], &one);
            add_between(&all, &one);
        }
    }
    out.kernels = all.kernels;
    if (out.kernels > 0) {
        out.share = share_of(&all);
        out.floor_frac = floor_of(&all);
    }
    if (known >= CLUSTERS_LEAST) {
        bounds_of(&out, clusters, known);
    }
    free(ids);
    free(clusters);
    return out;
}
