/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/again_pairs.h"

#include "base/hash.h"
#include "model/compare/compare.h"
#include "model/run/run_repeat.h"

#include <math.h>
#include <string.h>

#define PI_HALF 1.5707963267948966

/* ---- dealing ---- */

typedef struct process {
    const double *samples_s, *clocks_mhz; /* clocks may be NULL */
    size_t n;
} process;

/* The processes of one configuration on one problem, of all runs. */
typedef struct pool {
    process *items;
    size_t count;
} pool;

static pool pool_of(const again_group *group, const again_kernel *kernel, rft_arena *arena) {
    pool out = {NULL, 0};
    for (int filling = 0; filling < 2; filling++) {
        out.items = filling ? rft_arena_calloc(arena, out.count + 1, sizeof *out.items) : NULL;
        out.count = 0;
        for (size_t r = 0; r < group->count; r++) {
            const rft_point *point = again_point_of(group->runs[r], kernel);
            const rft_measurement *m = point ? &point->rounds[RFT_ROUNDS - 1] : NULL;
            for (size_t p = 0, at = 0; m && p < m->process_count; at += m->process_n[p++], out.count++) {
                if (filling) {
                    out.items[out.count] =
                        (process){m->samples_s + at, m->clocks_mhz ? m->clocks_mhz + at : NULL, m->process_n[p]};
                }
            }
        }
    }
    return out;
}

static void shuffle(pool *of, uint64_t *seed) {
    for (size_t i = of->count; i > 1; i--) {
        size_t k = (size_t)rft_random_below(seed, i);
        process kept = of->items[i - 1];
        of->items[i - 1] = of->items[k];
        of->items[k] = kept;
    }
}

/* As many processes as the measurement had. */
static void refill(rft_measurement *m, const process *from, rft_arena *arena) {
    size_t n = 0, at = 0;
    for (size_t p = 0; p < m->process_count; p++) {
        n += from[p].n;
    }
    m->samples_s = rft_arena_calloc(arena, n, sizeof *m->samples_s);
    m->clocks_mhz = rft_arena_calloc(arena, n, sizeof *m->clocks_mhz);
    m->process_n = rft_arena_calloc(arena, m->process_count, sizeof *m->process_n);
    m->n = n;
    for (size_t p = 0; p < m->process_count; at += from[p++].n) {
        memcpy(m->samples_s + at, from[p].samples_s, from[p].n * sizeof *m->samples_s);
        for (size_t i = 0; i < from[p].n; i++) {
            m->clocks_mhz[at + i] = from[p].clocks_mhz ? from[p].clocks_mhz[i] : (double)NAN;
        }
        m->process_n[p] = from[p].n;
    }
    m->stats = rft_stats_of(m->samples_s, n);
}

/* The second run's processes come from the other end: the pool has those of both. */
static void deal_kernel(rft_run dealt[2], const again_group *group, const again_kernel *kernel, uint64_t *seed,
                        rft_arena *arena) {
    pool all = pool_of(group, kernel, arena);
    shuffle(&all, seed);
    for (size_t side = 0; side < 2; side++) {
        const rft_point *found = again_point_of(&dealt[side], kernel);
        rft_measurement *m = found ? &dealt[side].points[found - dealt[side].points].rounds[RFT_ROUNDS - 1] : NULL;
        if (m && m->process_count) {
            refill(m, side ? all.items + all.count - m->process_count : all.items, arena);
        }
    }
}

void again_deal(rft_run dealt[2], const again_group *group, size_t a, size_t b, uint64_t *seed, rft_arena *arena) {
    const size_t from[2] = {a, b};
    for (size_t side = 0; side < 2; side++) {
        const rft_run *run = group->runs[from[side]];
        dealt[side] = *run;
        dealt[side].info.id = side ? "dealt second" : "dealt first";
        dealt[side].points = rft_arena_memdup(arena, run->points, run->point_count * sizeof *run->points);
        dealt[side].baselines =
            run->baseline_count ? rft_arena_memdup(arena, run->baselines, run->baseline_count * sizeof *run->baselines)
                                : NULL;
    }
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < dealt[side].point_count; i++) {
            const rft_point *point = &dealt[side].points[i];
            again_kernel kernel = {
                .sweep = point->sweep, .problem = point->problem, .variant = point->variant, .config = point->config};
            bool finalist = point->rounds[RFT_ROUNDS - 1].process_count > 0 && point->alias_of == 0;
            if (finalist && (side == 0 || !again_point_of(&dealt[0], &kernel))) {
                deal_kernel(dealt, group, &kernel, seed, arena);
            }
        }
    }
    rft_run_fill_repeats(&dealt[0]);
    rft_run_fill_repeats(&dealt[1]);
}

/* ---- judging ---- */

static again_kernel *kernel_at(again_group *group, size_t sweep, size_t problem) {
    for (size_t k = 0; k < group->kernel_count; k++) {
        if (group->kernels[k].sweep == sweep && group->kernels[k].problem == problem) {
            return &group->kernels[k];
        }
    }
    return NULL;
}

static void add_reason(again_tally *tally, const rft_compare_figure *first, const rft_compare_figure *other) {
    bool known = rft_repeat_is_known(&first->repeat) && rft_repeat_is_known(&other->repeat);
    if (other->doubt != RFT_DOUBT_NEITHER) {
        tally->other++;
    } else if (other->processes_wanted > 0) {
        tally->counted++;
    } else if (known) {
        tally->at_margin++;
    } else {
        tally->untold++;
    }
}

static void add_verdicts(again_group *group, const rft_run *a, const rft_run *b, again_kind kind, rft_arena *arena) {
    const rft_compare_input inputs[2] = {{.run = a, .path = a->info.id}, {.run = b, .path = b->info.id}};
    rft_compare *compare = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_compare_runs(&compare, inputs, 2, arena, &err) != RFT_OK) {
        return;
    }
    for (size_t w = 0; w < compare->workload_count; w++) {
        const rft_compare_figure *f = &compare->workloads[w].figures[1];
        again_kernel *kernel = kernel_at(group, f->sweep, f->problem);
        if (kernel) {
            kernel->tallies[kind].verdicts[f->verdict]++;
            if (f->verdict == RFT_COMPARE_AMBIGUOUS) {
                add_reason(&kernel->tallies[kind], &compare->workloads[w].figures[0], f);
            }
        }
    }
}

static void add_rate(again_rate *to, const again_rate *of) {
    to->k += of->k;
    to->n += of->n;
}

static void add_coverage(again_rate *rate, double low_s, double high_s, double value_s) {
    if (isfinite(low_s) && isfinite(high_s) && isfinite(value_s)) {
        rate->n++;
        rate->k += low_s <= value_s && value_s <= high_s;
    }
}

/* The interval is of another run with as many processes: the figure of one with more or fewer is moved to where it
 * would lie, as many deviations off. `also` may be NULL. */
static void add_repeat(again_kernel *kernel, again_kind kind, const again_reading *a, const again_reading *b,
                       again_rate *also) {
    double from = a->repeat.figure, own = (double)a->process_count, others = (double)b->process_count;
    double other_s = from * exp(log(b->repeat.figure / from) * sqrt(2.0 * others / (own + others)));
    again_rate one = {0, 0};
    add_coverage(&one, a->repeat.repeat_low, a->repeat.repeat_high, other_s);
    add_rate(&kernel->tallies[kind].repeat, &one);
    if (also) {
        add_rate(also, &one);
    }
}

/* The run's own processes are in the pooled median, which so lies nearer to its figure, a mean, than the card's median
 * does: the variance of their distance, over that of the figure, is 1 - (2 - pi / 2) x the run's share of all processes
 * (Cov(median, mean) = Var(mean), Var(median) = pi / 2 Var(mean) of normal values). That is put right first. */
static void add_confidence(again_kernel *kernel, again_kind kind, const again_reading *reading, again_rate *also) {
    again_tally *tally = &kernel->tallies[kind];
    bool known = rft_repeat_is_known(&reading->repeat);
    double own_share = (double)reading->process_count / (double)kernel->process_count, at = reading->repeat.figure;
    double nearer = sqrt(1.0 - (2.0 - PI_HALF) * own_share);
    double pooled_s = own_share < 1.0 ? at * exp(log(kernel->pooled_s / at) / nearer) : (double)NAN;
    again_rate one = {0, 0};
    add_coverage(&one, reading->repeat.low, reading->repeat.high, pooled_s);
    add_rate(known ? &tally->confidence : &tally->alone, &one);
    if (known && also) {
        add_rate(also, &one);
    }
}

static void judge_pair(again_group *group, size_t a, size_t b, again_kind kind) {
    rft_arena *arena = rft_arena_new();
    add_verdicts(group, group->runs[a], group->runs[b], kind, arena);
    for (size_t k = 0; k < group->all_count; k++) {
        again_kernel *kernel = &group->kernels[k];
        add_repeat(kernel, kind, &kernel->readings[a], &kernel->readings[b],
                   kind == AGAIN_DISJOINT ? &kernel->pairs[a] : NULL);
    }
    rft_arena_free(arena);
}

static void judge_dealt(again_group *group, size_t a, size_t b, uint64_t *seed) {
    rft_arena *arena = rft_arena_new();
    rft_run dealt[2];
    again_deal(dealt, group, a, b, seed, arena);
    add_verdicts(group, &dealt[0], &dealt[1], AGAIN_DEALT, arena);
    for (size_t k = 0; k < group->all_count; k++) {
        again_kernel *kernel = &group->kernels[k];
        again_reading first = again_reading_of(again_point_of(&dealt[0], kernel), arena);
        again_reading second = again_reading_of(again_point_of(&dealt[1], kernel), arena);
        add_repeat(kernel, AGAIN_DEALT, &first, &second, NULL);
        add_confidence(kernel, AGAIN_DEALT, &first, NULL);
    }
    rft_arena_free(arena);
}

static bool has_processes(const again_group *group) {
    size_t processes = 0;
    for (size_t k = 0; k < group->kernel_count; k++) {
        processes += group->kernels[k].levels.processes;
    }
    return processes > 0;
}

void again_judge_group(again_group *group, size_t draws) {
    size_t half = group->count / 2;
    uint64_t seed = 1;
    for (size_t a = 0; a < group->count; a++) {
        for (size_t k = 0; k < group->all_count; k++) {
            again_kernel *kernel = &group->kernels[k];
            add_confidence(kernel, AGAIN_DISJOINT, &kernel->readings[a], &kernel->runs[a]);
        }
        for (size_t b = a + 1; b < group->count; b++) {
            judge_pair(group, a, b, AGAIN_ALL);
        }
        if (a < half) {
            judge_pair(group, a, a + half, AGAIN_DISJOINT);
        }
    }
    for (size_t i = 0; i < draws && has_processes(group); i++) {
        size_t a = (size_t)rft_random_below(&seed, group->count);
        size_t b = (a + 1 + (size_t)rft_random_below(&seed, group->count - 1)) % group->count;
        judge_dealt(group, a, b, &seed);
    }
}
