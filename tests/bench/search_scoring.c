/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/search_scoring.h"

#include "base/arena.h"
#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COVERED 0.95 /* of the way from the median to the optimum */

static int descending(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x < y) - (x > y);
}

/* The best of M draws has, of N valid ones in descending order, the expected place M (N + 1) / (M + 1): place i is
 * reached by ceil(i / (N + 1 - i)) draws. As autotuning_methodology, i counts from 0 to the first that covers enough.
 */
static uint64_t draws_needed(const search_recording *recording) {
    double *sorted = rft_calloc(recording->valid + 1, sizeof *sorted);
    uint64_t n = 0;
    for (uint64_t i = 0; i < recording->count; i++) {
        if (!isnan(recording->seconds[i])) {
            sorted[n++] = recording->seconds[i];
        }
    }
    qsort(sorted, n, sizeof *sorted, descending);
    double enough = recording->median_s - COVERED * (recording->median_s - recording->best_s);
    uint64_t place = 0;
    while (place + 1 < n && sorted[place] > enough) {
        place++;
    }
    free(sorted);
    uint64_t draws = (place + (n + 1 - place) - 1) / (n + 1 - place);
    return draws ? draws : 1;
}

/* Best so far at each of the times; NaN before the first. */
static void follow(double *best_s, const search_recording *recording, double budget_s, const uint64_t *evaluated,
                   size_t count) {
    double now_s = 0, best = (double)NAN;
    size_t at = 0;
    for (size_t i = 0; i < SEARCH_TIMES; i++) {
        double until_s = budget_s * (double)(i + 1) / SEARCH_TIMES;
        for (; at < count && now_s + recording->cost_s[evaluated[at]] <= until_s * (1 + 1e-12); at++) {
            double seconds = recording->seconds[evaluated[at]];
            now_s += recording->cost_s[evaluated[at]];
            best = isnan(best) || seconds < best ? seconds : best;
        }
        best_s[i] = best;
    }
}

static void shuffle(uint64_t *order, uint64_t count, uint64_t *random) {
    for (uint64_t i = count; i > 1; i--) {
        uint64_t with = rft_random_below(random, i);
        uint64_t taken = order[with];
        order[with] = order[i - 1];
        order[i - 1] = taken;
    }
}

/* Random searches go through a shuffle from TURNS evenly spaced places each, the first following the last: every one is
 * a uniform draw without replacement, and together they meet each configuration evenly, so that 1,000 have the mean of
 * many more independent ones. */
enum { TURNS = 25 };

static size_t draw_run(uint64_t *run, const search_recording *recording, double budget_s, const uint64_t *order) {
    double spent_s = 0;
    size_t drawn = 0;
    for (; drawn < recording->count && spent_s <= budget_s; drawn++) {
        run[drawn] = order[drawn];
        spent_s += recording->cost_s[run[drawn]];
    }
    return drawn;
}

void search_base_make(search_base *out, const search_recording *recording, uint64_t seed) {
    double total_s = 0, sums[SEARCH_TIMES] = {0}, best_s[SEARCH_TIMES];
    uint64_t runs[SEARCH_TIMES] = {0}, random = seed, count = recording->count;
    uint64_t *order = rft_calloc(2 * count + 1, sizeof *order);
    uint64_t *run = rft_calloc(count + 1, sizeof *run);
    for (uint64_t i = 0; i < count; i++) {
        total_s += recording->cost_s[i];
        order[i] = i;
    }
    *out = (search_base){.evaluations = draws_needed(recording)};
    out->budget_s = (double)out->evaluations * total_s / (double)recording->valid;
    for (uint64_t r = 0; r < SEARCH_BASE_RUNS; r++) {
        if (r % TURNS == 0) {
            shuffle(order, count, &random);
            memcpy(order + count, order, count * sizeof *order);
        }
        size_t drawn = draw_run(run, recording, out->budget_s, order + r % TURNS * count / TURNS);
        follow(best_s, recording, out->budget_s, run, drawn);
        for (size_t i = 0; i < SEARCH_TIMES; i++) {
            if (!isnan(best_s[i])) {
                sums[i] += best_s[i];
                runs[i]++;
            }
        }
    }
    for (size_t i = 0; i < SEARCH_TIMES; i++) {
        out->best_s[i] = runs[i] ? sums[i] / (double)runs[i] : (double)NAN;
    }
    free(run);
    free(order);
}

void search_score_add(search_score *sums, const search_recording *recording, const search_base *base,
                      const uint64_t *evaluated, size_t count) {
    double best_s[SEARCH_TIMES], score = 0, spent_s = 0;
    follow(best_s, recording, base->budget_s, evaluated, count);
    for (size_t i = 0; i < SEARCH_TIMES; i++) {
        double room_s = base->best_s[i] - recording->best_s;
        if (!isnan(best_s[i]) && room_s > 0) {
            score += (base->best_s[i] - best_s[i]) / room_s;
        }
    }
    double last_s = best_s[SEARCH_TIMES - 1];
    sums->score += score / SEARCH_TIMES;
    sums->optimum_share += isnan(last_s) ? 0 : recording->best_s / last_s;
    sums->exact_share += !isnan(last_s) && last_s <= recording->best_s ? 1 : 0;
    sums->runs++;
    for (size_t i = 0; i < count; i++) {
        spent_s += recording->cost_s[evaluated[i]];
        sums->evaluations += spent_s <= base->budget_s * (1 + 1e-12);
    }
}

void search_score_mean(search_score *sums) {
    double runs = (double)(sums->runs ? sums->runs : 1);
    sums->score /= runs;
    sums->optimum_share /= runs;
    sums->exact_share /= runs;
}
