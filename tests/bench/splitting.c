/* SPDX-License-Identifier: Apache-2.0 */
/*
 * splitting [N [once]]: `run -d 0,1 --split` against `run -d 0` on the sgemm sweep of over 500 configurations at n
 * (default 8192), one, two, two, one card (once: one, two), with cubins in the cache and ceilings kept. The ratio is
 * that of the times from the command's start to the last point of the first round: what the cards measure in common and
 * their contenders are in it; that their parts are put together and one card goes on is in the whole time beside it.
 * The best of both may differ by what two runs of one kernel do. 77 where there is one card.
 */
#include "bench/bench_program.h"
#include "model/run/run_cards.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define GOAL_RATIO 1.85
#define GOAL_BUSY_FRAC 0.85 /* of one card: else there is nothing to divide */
#define GOAL_BEST_FRAC 0.01

typedef struct tuned {
    double round_s, wall_s, best_s, busy_frac;
    size_t points;
} tuned;

/* Where the devices' time went, as far as the file tells: of what two cards measured it has one. */
static void tell_time(const rft_run *run) {
    double runs_s = 0, samples_s = 0, readings_s = 0;
    size_t samples = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_measurement *m = &run->points[i].rounds[0];
        runs_s += isfinite(m->first_run_s) ? m->first_run_s : 0;
        samples += m->n;
        for (size_t k = 0; k < m->n; k++) {
            samples_s += m->samples_s[k];
        }
    }
    for (size_t i = 0; i < run->reference_count; i++) {
        readings_s += run->references[i].n > 0 ? (double)run->references[i].n * run->references[i].median : 0;
    }
    bench_line("  time", "%.2f s of verified launches, %.2f s of %zu samples, %.2f s of %zu readings of a reference",
               runs_s, samples_s, samples, readings_s, run->reference_count);
}

static tuned tune(const char *n, const char *devices) {
    const char *one[] = {"-d", devices, "--processes", "1", "--", n, "wide", NULL};
    const char *several[] = {"-d", devices, "--split", "--processes", "1", "--", n, "wide", NULL};
    const double wall_s = bench_run_sgemm(strchr(devices, ',') ? several : one, NULL).wall_s;
    const bench_parts parts = bench_parts_of_out();
    rft_run *run = bench_load("sgemm.db");
    size_t problem = 0;
    while (run->sweeps[0].sweep.problems[problem].odd) { /* no configuration fits the odd size */
        problem++;
    }
    const rft_point *best = rft_run_best(run, 0, SIZE_MAX, problem);
    tuned result = {.round_s = parts.round_s,
                    .wall_s = wall_s,
                    .best_s = best ? rft_point_median_s(best) : (double)NAN,
                    .busy_frac = run->info.busy_s / run->info.elapsed_s,
                    .points = run->point_count};
    for (size_t i = 0; i < run->card_count; i++) {
        const rft_run_card *c = &run->cards[i];
        bench_line("  a card of these",
                   "%zu points first and with a time, %zu in common, %.4f [%.4f, %.4f] times the time", c->timed,
                   c->common, c->ratio, c->low, c->high);
    }
    tell_time(run);
    rft_run_free(run);
    bench_line(
        strchr(devices, ',') ? "two cards" : "one card",
        "%6.2f s first round, first point after %.2f s, %.2f s in all; %zu points, GPU busy %.0f %%, best %.3f ms",
        result.round_s, parts.first_s, wall_s, result.points, result.busy_frac * 100, result.best_s * 1e3);
    return result;
}

int main(int argc, char **argv) {
    const char *n = argc > 1 ? argv[1] : "8192";
    bench_open();
    if (!strstr(bench_out(), "device 1:")) { /* of `rooftune devices` */
        printf("skipped: there is one card here\n");
        bench_close();
        return 77;
    }
    printf("sgemm, n = %s, wide\n", n);
    const char *warm[] = {"-d", "0", "--processes", "1", "--", "256", "wide", NULL};
    bench_run_sgemm(warm, NULL); /* fills the cache: n is compiled into nothing */
    const char *warm_1[] = {"-d", "1", "--processes", "1", "--", "256", NULL};
    bench_run_sgemm(warm_1, NULL); /* its ceilings */
    const bool once = argc > 2 && strcmp(argv[2], "once") == 0;
    const tuned one = tune(n, "0"), two = tune(n, "0,1");
    const tuned two_again = once ? two : tune(n, "0,1"), one_again = once ? one : tune(n, "0");
    bench_line("first round",
               "%.2f times as fast (goal: %g), in all %.2f times; one card was busy %.0f %% (needed: %.0f)",
               (one.round_s + one_again.round_s) / (two.round_s + two_again.round_s), GOAL_RATIO,
               (one.wall_s + one_again.wall_s) / (two.wall_s + two_again.wall_s),
               fmin(one.busy_frac, one_again.busy_frac) * 100, GOAL_BUSY_FRAC * 100);
    bench_line("best", "%+.2f %% and %+.2f %% in time (goal: at most %+g %%)", (two.best_s / one.best_s - 1) * 100,
               (two_again.best_s / one_again.best_s - 1) * 100, GOAL_BEST_FRAC * 100);
    bench_close();
    return 0;
}
