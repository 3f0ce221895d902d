/* SPDX-License-Identifier: Apache-2.0 */
/*
 * racing [SWEEP.lua [script arguments...]]: the same sweep with the race and without (--no-race), nothing to compile
 * the second time: how much GPU time the race takes, and what its best is worth by the measurement of all. Without a
 * sweep: sweeps/matmul_fp32.lua.
 *
 * GPU time is counted twice: the samples alone, which are all that a race can save, and busy seconds, which have the
 * verification of every configuration, the warm-up and the final round in them. Without the race a quiet kernel still
 * stops at ten samples, so beside it stands, computed from the medians, what they take by rules that ask for GPU time:
 * at least ten and 0.1 s each, and nvbench's, ten and 0.5 s. Energy and hardware counters are left out: no race there.
 */
#include "bench/bench_program.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define GOAL_TIME_FRAC (1.0 / 3.0)
#define GOAL_BEST_FRAC 0.005
#define RULE_SAMPLES 10.0
#define RULE_S 0.1
#define NVBENCH_S 0.5
#define WORDS_MOST 32

typedef struct measured {
    rft_run *run;
    double samples_s;         /* of the first round */
    double rule_s, nvbench_s; /* what they would take by those rules */
    double round_s;           /* busy, first round */
    double busy_s;            /* busy, the whole run */
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
        m.rule_s += fmax(RULE_SAMPLES * round->stats.median, RULE_S);
        m.nvbench_s += fmax(RULE_SAMPLES * round->stats.median, NVBENCH_S);
        m.round_s += isfinite(round->busy_s) ? round->busy_s : 0.0;
    }
    return m;
}

static measured tune(int argc, char **argv, const char *output, const char *race) {
    const char *words[WORDS_MOST] = {"rooftune",    "run",      NULL,   "-o",         output, "--fresh",
                                     "--no-report", "--energy", "none", "--counters", "none"};
    size_t count = 11;
    words[2] = argc > 1 ? argv[1] : bench_file("../../sweeps/matmul_fp32.lua");
    if (race) {
        words[count++] = race;
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

int main(int argc, char **argv) {
    bench_open();
    printf("the race, %s\n", argc > 1 ? argv[1] : "sweeps/matmul_fp32.lua");
    rft_run_free(tune(argc, argv, "warm.db", NULL).run); /* fills the cache of cubins */
    measured race = tune(argc, argv, "race.db", NULL);
    measured all = tune(argc, argv, "all.db", "--no-race");
    print_measured("with the race", &race);
    print_measured("without", &all);
    bench_line("time of the samples", "%.1f %% of the full measurement (goal: %.0f %%)",
               race.samples_s / all.samples_s * 100, GOAL_TIME_FRAC * 100);
    bench_line("  with 0.1 s each at least", "%.1f %% of the %.1f s that it would take (computed)",
               race.samples_s / all.rule_s * 100, all.rule_s);
    bench_line("  by nvbench's rule", "%.1f %% of the %.1f s that it would take (computed)",
               race.samples_s / all.nvbench_s * 100, all.nvbench_s);
    bench_line("GPU busy, first round", "%.1f %%", race.round_s / all.round_s * 100);
    bench_line("GPU busy, all", "%.1f %%", race.busy_s / all.busy_s * 100);
    double worst = compare_bests(&race, &all);
    bench_line("worst loss", "%+.2f %% (goal: at most +%.1f %%)", worst * 100, GOAL_BEST_FRAC * 100);
    bool measured_both = race.points > 0 && race.points == all.points;
    rft_run_free(race.run);
    rft_run_free(all.run);
    bench_close();
    return measured_both ? 0 : 1;
}
