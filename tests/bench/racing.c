/* SPDX-License-Identifier: Apache-2.0 */
/*
 * racing [SWEEP.lua [script arguments...]]: the same sweep with the race and without (--no-race), nothing to compile
 * the second time: how much GPU time the race takes, and what its best is worth by the measurement of all. Without a
 * sweep: sweeps/matmul_fp32.lua.
 *
 * GPU time is counted twice: the samples alone, which are all that a race can save, and busy seconds, which have the
 * verification of every configuration, the warm-up and the final round in them. A full measurement is ten samples and
 * 0.1 s of GPU time (--min-time), the usual rule for sweeps. Our own without the race stops a quiet kernel at ten
 * samples; it is measured beside it. What nvbench's rule (ten and 0.5 s) would take is computed from the medians.
 * Energy and hardware counters are left out: no race there.
 */
#include "bench/bench_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOAL_TIME_FRAC (1.0 / 3.0)
#define GOAL_BEST_FRAC 0.005
#define NVBENCH_SAMPLES 10.0
#define NVBENCH_S 0.5
#define FULL_TIME "0.1s"
#define WORDS_MOST 32

typedef struct measured {
    rft_run *run;
    double samples_s; /* of the first round */
    double nvbench_s; /* what they would take by nvbench's rule */
    double round_s;   /* busy, first round */
    double busy_s;    /* busy, the whole run */
    size_t points, samples, slower;
} measured;

static measured sum(rft_run *run) {
    measured m = {.run = run, .busy_s = run->info.busy_s - run->ceilings.busy_s};
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const rft_measurement *round = &point->rounds[0];
        if (point->alias_of || round->n == 0) {
            continue;
        }
        m.points++;
        m.samples += round->n;
        m.slower += round->stop == RFT_STOP_SLOWER;
        m.samples_s += round->stats.mean * (double)round->n;
        m.nvbench_s += fmax(NVBENCH_SAMPLES * round->stats.median, NVBENCH_S);
        m.round_s += isfinite(round->busy_s) ? round->busy_s : 0.0;
    }
    return m;
}

static measured tune(int argc, char **argv, const char *output, bool races, const char *min_time) {
    const char *words[WORDS_MOST] = {"rooftune",    "run",      NULL,   "-o",         output, "--fresh",
                                     "--no-report", "--energy", "none", "--counters", "none"};
    size_t count = 11;
    words[2] = argc > 1 ? argv[1] : bench_file("../../sweeps/matmul_fp32.lua");
    if (!races) {
        words[count++] = "--no-race";
    }
    if (min_time) {
        words[count++] = "--min-time";
        words[count++] = min_time;
    }
    if (argc > 2) {
        words[count++] = "--";
    }
    for (int i = 2; i < argc && count < WORDS_MOST - 1; i++) {
        words[count++] = argv[i];
    }
    bench_run_well(words, NULL);
    return sum(bench_load(output));
}

static void print_measured(const char *name, const measured *m) {
    bench_line(name, "%zu points, %zu samples in %.2f s, GPU busy %.2f s (first round %.2f s); %zu out of the race",
               m->points, m->samples, m->samples_s, m->busy_s, m->round_s, m->slower);
}

/* The point of the other run with this one's configuration; NULL. */
static const rft_point *same_point(const rft_run *run, const rft_run *other, const rft_point *point) {
    const rft_variant *variant = &run->sweeps[point->sweep].sweep.variants[point->variant];
    for (size_t i = 0; i < other->point_count; i++) {
        const rft_point *candidate = &other->points[i];
        if (candidate->sweep == point->sweep && candidate->variant == point->variant &&
            candidate->problem == point->problem &&
            rft_values_equal(candidate->config, point->config, variant->param_count)) {
            return candidate;
        }
    }
    return NULL;
}

/* Where only one of the two was in the final round, the first rounds are compared: like with like. */
static double worse_frac(const rft_point *chosen, const rft_point *best) {
    bool final = chosen->rounds[1].n > 0 && best->rounds[1].n > 0;
    return chosen->rounds[final].stats.median / best->rounds[final].stats.median - 1.0;
}

/* Returns the largest loss of any problem. */
static double compare_bests(const measured *race, const measured *all) {
    double worst = 0.0;
    for (size_t s = 0; s < race->run->sweep_count; s++) {
        const rft_sweep *sweep = &race->run->sweeps[s].sweep;
        for (size_t p = 0; p < sweep->problem_count; p++) {
            const rft_point *mine = rft_run_best(race->run, s, SIZE_MAX, p);
            const rft_point *best = rft_run_best(all->run, s, SIZE_MAX, p);
            const rft_point *chosen = mine ? same_point(race->run, all->run, mine) : NULL;
            rft_arena *arena = rft_arena_new();
            const char *name = rft_run_problem_text(race->run, s, p, true, arena);
            if (chosen && chosen->alias_of) {
                chosen = &all->run->points[chosen->alias_of - 1];
            }
            if (best && chosen && rft_point_measurement(chosen)) {
                double loss = worse_frac(chosen, best);
                bench_line(name, "%s, %+.2f %% by the full measurement; medians %.4g and %.4g us",
                           chosen == best ? "the same best" : "another best", loss * 100,
                           rft_point_median_s(mine) * 1e6, rft_point_median_s(best) * 1e6);
                worst = fmax(worst, loss);
            } else if (best) {
                bench_line(name, "no best of the race that the full measurement has");
                worst = INFINITY;
            }
            rft_arena_free(arena);
        }
    }
    return worst;
}

static void print_shares(const char *what, const measured *race, const measured *other) {
    bench_line(what, "the race's samples take %.1f %% of its time; GPU busy in the first round %.1f %%, in all %.1f %%",
               race->samples_s / other->samples_s * 100, race->round_s / other->round_s * 100,
               race->busy_s / other->busy_s * 100);
}

int main(int argc, char **argv) {
    bench_open();
    printf("the race, %s\n", argc > 1 ? argv[1] : "sweeps/matmul_fp32.lua");
    rft_run_free(tune(argc, argv, "warm.db", true, NULL).run); /* fills the cache of cubins */
    measured race = tune(argc, argv, "race.db", true, NULL);
    measured quick = tune(argc, argv, "quick.db", false, NULL);
    measured full = tune(argc, argv, "full.db", false, FULL_TIME);
    print_measured("with the race", &race);
    print_measured("without", &quick);
    print_measured("full, " FULL_TIME " each", &full);
    bench_line("goal", "%.0f %% of the full measurement's time, best within %.1f %%", GOAL_TIME_FRAC * 100,
               GOAL_BEST_FRAC * 100);
    print_shares("against full", &race, &full);
    print_shares("against no race", &race, &quick);
    bench_line("against nvbench's rule", "%.1f %% of the %.1f s that it would take (computed)",
               race.samples_s / full.nvbench_s * 100, full.nvbench_s);
    double worst = compare_bests(&race, &full);
    bench_line("worst loss", "%+.2f %%", worst * 100);
    bool measured_all = race.points > 0 && race.points == full.points && race.points == quick.points;
    rft_run_free(race.run);
    rft_run_free(quick.run);
    rft_run_free(full.run);
    bench_close();
    return measured_all ? 0 : 1;
}
