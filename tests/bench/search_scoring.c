/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/search_scoring.h"

#include "base/arena.h"
#include "base/hash.h"
#include "bench/search_wall.h"

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
                   const double *end_s, size_t count) {
    double best = (double)NAN;
    size_t at = 0;
    for (size_t i = 0; i < SEARCH_TIMES; i++) {
        double until_s = budget_s * (double)(i + 1) / SEARCH_TIMES;
        for (; at < count && end_s[at] <= until_s * (1 + 1e-12); at++) {
            double seconds = recording->seconds[evaluated[at]];
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

/* Random searches in turn, each as far as `count`: its configurations and when they end. */
typedef struct drawing {
    const search_recording *recording;
    size_t workers, count;
    uint64_t random, *order, *run;
    double *end_s;
} drawing;

static void draw_run(drawing *d, uint64_t r) {
    const uint64_t count = d->recording->count;
    search_wall wall;
    if (r % TURNS == 0) {
        shuffle(d->order, count, &d->random);
        memcpy(d->order + count, d->order, count * sizeof *d->order);
    }
    memcpy(d->run, d->order + r % TURNS * count / TURNS, d->count * sizeof *d->run);
    search_wall_begin(&wall, d->recording, d->workers);
    search_wall_batch(&wall, d->run, d->count, d->end_s);
}

/* The mean time that so many take, failed ones between them included. */
static double budget_of(drawing *d, double draws) {
    const uint64_t count = d->recording->count;
    double total_s = 0;
    if (d->workers == 0) {
        for (uint64_t i = 0; i < count; i++) {
            total_s += d->recording->cost_s[i];
        }
        return draws * total_s / (double)count;
    }
    d->count = (size_t)fmin((double)count, ceil(draws));
    for (uint64_t r = 0; r < SEARCH_BASE_RUNS; r++) {
        draw_run(d, r);
        total_s += d->end_s[d->count - 1];
    }
    return total_s / SEARCH_BASE_RUNS;
}

#define LONGER 1.5 /* than the budget is by its draws, so that every random search reaches its end */

void search_base_make(search_base *out, const search_recording *recording, size_t workers, uint64_t seed) {
    double sums[SEARCH_TIMES] = {0}, best_s[SEARCH_TIMES];
    uint64_t runs[SEARCH_TIMES] = {0}, count = recording->count;
    drawing d = {.recording = recording, .workers = workers, .random = seed};
    d.order = rft_calloc(2 * count + 1, sizeof *d.order);
    d.run = rft_calloc(count + 1, sizeof *d.run);
    d.end_s = rft_calloc(count + 1, sizeof *d.end_s);
    for (uint64_t i = 0; i < count; i++) {
        d.order[i] = i;
    }
    *out = (search_base){.evaluations = draws_needed(recording)};
    const double draws = (double)out->evaluations * (double)count / (double)recording->valid;
    out->budget_s = budget_of(&d, draws);
    d.count = (size_t)fmin((double)count, ceil(LONGER * draws) + 4.0 * (double)workers + 100);
    for (uint64_t r = 0; r < SEARCH_BASE_RUNS; r++) {
        draw_run(&d, r);
        follow(best_s, recording, out->budget_s, d.run, d.end_s, d.count);
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
    free(d.run);
    free(d.order);
    free(d.end_s);
}

void search_score_add(search_score *sums, const search_recording *recording, const search_base *base,
                      const uint64_t *evaluated, const double *end_s, size_t count) {
    double best_s[SEARCH_TIMES], score = 0;
    follow(best_s, recording, base->budget_s, evaluated, end_s, count);
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
        sums->evaluations += end_s[i] <= base->budget_s * (1 + 1e-12);
    }
}

void search_score_mean(search_score *sums) {
    double runs = (double)(sums->runs ? sums->runs : 1);
    sums->score /= runs;
    sums->optimum_share /= runs;
    sums->exact_share /= runs;
}
