/* SPDX-License-Identifier: Apache-2.0 */
/* same_again's arithmetic, and its judgement of runs with planted variance. */
#include "bench/again_pairs.h"
#include "bench/again_report.h"
#include "model/run/run_repeat.h"
#include "unit/model_fixture.h"
#include "unit/noise.h"

#include <stdlib.h>

#define PROBLEMS 3
#define SAMPLES 12

/* ---- shares ---- */

static void bounds_are_clopper_and_pearsons(void **state) {
    (void)state;
    /* 0 of n and n of n: 1 - 0.05^(1/n) and 0.05^(1/n). The others: quantiles of the beta distribution. */
    again_rate none = {0, 29}, some = {3, 10}, all = {10, 10}, many = {14, 1400}, nothing = {0, 0};
    assert_true(near(again_at_most(&none), 0.09814, 1e-3));
    assert_true(again_at_least(&none) == 0.0);
    assert_true(near(again_at_most(&some), 0.60662, 1e-4));
    assert_true(near(again_at_least(&some), 0.08726, 1e-3));
    assert_true(again_at_most(&all) == 1.0);
    assert_true(near(again_at_least(&all), 0.74113, 1e-4));
    assert_true(near(again_at_most(&many), 0.01558, 2e-3));
    assert_true(isnan(again_at_most(&nothing)) && isnan(again_at_least(&nothing)) && isnan(again_share(&nothing)));
}

/* One kernel of twenty is always wrong: pairs of it are one event, and drawing kernels again knows that. */
static void what_one_kernel_gives_is_not_independent(void **state) {
    (void)state;
    double shares[20] = {1.0}, none[20] = {0.0};
    double most = again_bootstrap_at_most(shares, 20, 1000);
    assert_true(most >= 0.10 && most <= 0.20);
    assert_true(near(again_bootstrap_at_most(none, 20, 200), 1.0 - pow(0.05, 1.0 / 200.0), 1e-6));
    assert_true(isnan(again_bootstrap_at_most(none, 0, 200)));
}

/* Twenty trials that are one event each time: as many independent ones as there are clusters. Alone, each counts. */
static void trials_of_a_cluster_count_as_far_as_they_are_independent(void **state) {
    (void)state;
    again_rate events[30], spread[30], none[30] = {{0, 0}};
    for (size_t i = 0; i < 30; i++) {
        events[i] = (again_rate){i % 10 ? 20 : 0, 20};
        spread[i] = (again_rate){18, 20};
    }
    again_clustered one = again_clustered_of(events, 30), each = again_clustered_of(spread, 30);
    assert_true(one.rate.k == 540 && one.rate.n == 600 && one.clusters == 30 && one.independent == 29);
    again_rate alone = {26, 29}, more = {27, 29}; /* 90 % of 29 are no whole number: the wider of both */
    assert_true(one.at_least == again_at_least(&alone) && one.at_most == again_at_most(&more));
    assert_true(each.independent == 600 && each.at_least == again_at_least(&each.rate));
    for (size_t i = 0; i < 30; i++) {
        events[i].k = 20; /* nothing tells how far they are independent */
    }
    one = again_clustered_of(events, 30);
    assert_true(one.independent == 30 && one.at_most == 1.0 && near(one.at_least, pow(0.05, 1.0 / 30.0), 1e-6));
    assert_true(isnan(again_clustered_of(none, 30).at_least) && again_clustered_of(none, 30).clusters == 0);
}

/* ---- levels ---- */

typedef struct planted {
    double run_frac, process_frac, sample_frac; /* standard deviations */
} planted;

#define MANY_RUNS 300
#define PROCESSES 6

static again_levels levels_of(const planted *plan, size_t runs, uint64_t seed) {
    static double medians[MANY_RUNS][PROCESSES], noise[MANY_RUNS][PROCESSES];
    size_t counts[MANY_RUNS];
    const double *rows[MANY_RUNS], *noises[MANY_RUNS];
    for (size_t r = 0; r < runs; r++) {
        double run = plan->run_frac * noise_normal(&seed);
        counts[r] = PROCESSES;
        rows[r] = medians[r];
        noises[r] = noise[r];
        for (size_t p = 0; p < PROCESSES; p++) {
            double moved = run + plan->process_frac * noise_normal(&seed) + plan->sample_frac * noise_normal(&seed);
            medians[r][p] = 1e-3 * exp(moved);
            noise[r][p] = plan->sample_frac * plan->sample_frac;
        }
    }
    return again_levels_of(&(again_nest){runs, counts, rows, noises});
}

static void planted_levels_are_found(void **state) {
    (void)state;
    planted plan = {0.008, 0.010, 0.003};
    again_levels l = levels_of(&plan, MANY_RUNS, 3);
    assert_int_equal(l.runs, MANY_RUNS);
    assert_int_equal(l.processes, MANY_RUNS * PROCESSES);
    assert_true(near(sqrt(l.between_runs), plan.run_frac, 0.1));
    assert_true(near(sqrt(l.between_processes), plan.process_frac, 0.1));
    assert_true(near(sqrt(l.within_process), plan.sample_frac, 1e-9));
    assert_true(near(l.run_means, 6.4e-5 + (1e-4 + 9e-6) / PROCESSES, 0.2));
    again_levels one = levels_of(&plan, 1, 3);
    assert_true(isnan(one.between_runs) && isnan(one.scatter));
}

/* A run whose final round took other configurations. */
static void runs_without_the_kernel_are_passed_over(void **state) {
    (void)state;
    static const double medians[2][3] = {{1.00, 1.02, 1.04}, {1.01, 1.03, 1.05}}, noise[3] = {0};
    const size_t all[] = {3, 3}, some[] = {0, 3, 0, 3};
    const double *rows[] = {medians[0], medians[1]}, *gaps[] = {NULL, medians[0], NULL, medians[1]};
    const double *none[] = {noise, noise, noise, noise};
    again_levels whole = again_levels_of(&(again_nest){2, all, rows, none});
    again_levels gapped = again_levels_of(&(again_nest){4, some, gaps, none});
    assert_int_equal(gapped.runs, 2);
    assert_true(whole.run_means > 0.0 && gapped.run_means == whole.run_means && gapped.scatter == whole.scatter);
}

static void the_share_that_processes_give_is_found(void **state) {
    (void)state;
    const planted none = {0.0, 0.01, 0.002}, half = {0.0102 / sqrt(PROCESSES), 0.01, 0.002};
    again_levels levels[2][40];
    for (size_t k = 0; k < 40; k++) {
        levels[0][k] = levels_of(&none, 8, 100 + k);
        levels[1][k] = levels_of(&half, 8, 200 + k);
        levels[0][k].cluster = levels[1][k].cluster = k;
    }
    again_reproduced all = again_reproduced_of(levels[0], 40), some = again_reproduced_of(levels[1], 40);
    assert_int_equal(all.kernels, 40);
    assert_true(all.share >= 0.85 && all.high >= 0.95 && all.low >= 0.7);
    assert_true(some.share >= 0.4 && some.share <= 0.62 && some.low < some.share && some.share < some.high);
    assert_true(some.high < 0.8);
    assert_true(near(some.floor_frac, 1.96 * half.run_frac, 0.25));
    assert_true(all.floor_frac < 0.5 * some.floor_frac && all.floor_low == 0.0);
    assert_true(some.floor_low > 0.5 * some.floor_frac && some.floor_high < 1.5 * some.floor_frac);
    again_levels same[40]; /* ten kernels of each of four problems that share their luck are four */
    for (size_t k = 0; k < 40; k++) {
        same[k] = levels[1][k % 4];
        same[k].cluster = k % 4;
    }
    again_reproduced few = again_reproduced_of(same, 40);
    assert_true(few.kernels == 40 && isnan(few.low) && isnan(few.floor_high));
    assert_true(isnan(again_reproduced_of(levels[0], 0).share));
}

/* ---- planted runs ---- */

static void plant_final_round(rft_run *run, rft_point *point, double median_s, const planted *plan, uint64_t *seed) {
    rft_measurement m = point->rounds[0];
    m.n = PROCESSES * SAMPLES;
    m.process_count = PROCESSES;
    m.process_n = rft_arena_calloc(run->arena, PROCESSES, sizeof *m.process_n);
    m.samples_s = rft_arena_calloc(run->arena, m.n, sizeof *m.samples_s);
    for (size_t p = 0; p < PROCESSES; p++) {
        double process_s = median_s * exp(plan->process_frac * noise_normal(seed));
        m.process_n[p] = SAMPLES;
        for (size_t i = 0; i < SAMPLES; i++) {
            m.samples_s[p * SAMPLES + i] = process_s * noise_factor(NOISE_NORMAL, plan->sample_frac, seed);
        }
    }
    m.stats = rft_stats_of(m.samples_s, m.n);
    point->rounds[1] = m;
}

/* Three problems, two configurations each, of which the second is 5 % slower; all in the final round. */
static rft_run *plant_run(const char *card, size_t number, double factor, const planted *plan, uint64_t *seed) {
    static const int64_t values[] = {1, 2};
    rft_run *run = fixture_run();
    run->gpu.uuid = card;
    run->info.id = rft_arena_printf(run->arena, "%s-%zu", card, number);
    run->info.started_unix_ns = (int64_t)number;
    run->info.finished_unix_ns = (int64_t)number + 1;
    fixture_axis(run, "n", true, true);
    fixture_param(run, 0, "BLOCK", values, 2);
    for (int64_t p = 0; p < PROBLEMS; p++) {
        int64_t n = 1024 << p;
        size_t problem = fixture_problem(run, &n);
        double median_s = 1e-3 * (double)(1 << p) * factor * exp(plan->run_frac * noise_normal(seed));
        for (int64_t config = 1; config <= 2; config++) {
            double own_s = median_s * (config == 2 ? 1.05 : 1.0);
            rft_point *point = fixture_point(run, problem, &config, own_s);
            point->work.bytes_read = 2.0 * (double)(n * n); /* of work that is not known nothing is judged */
            plant_final_round(run, point, own_s, plan, seed);
        }
    }
    rft_run_fill_repeats(run);
    return run;
}

/* `late`: the factor of the second half of the runs. */
static again_set *plant(const char *card, size_t runs, double late, const planted *plan) {
    again_set *set = again_set_new();
    uint64_t seed = 11;
    for (size_t r = runs; r-- > 0;) { /* the last first: they are sorted by date */
        again_set_take(set, plant_run(card, r, r >= runs / 2 ? late : 1.0, plan, &seed));
    }
    return set;
}

static const planted quiet = {0.0, 0.0002, 0.001};

static again_tally sum_of(const again_group *group, again_kind kind) {
    again_tally sum = {0};
    for (size_t k = 0; k < group->kernel_count; k++) {
        const again_tally *t = &group->kernels[k].tallies[kind];
        for (int v = 0; v < RFT_COMPARE_VERDICTS; v++) {
            sum.verdicts[v] += t->verdicts[v];
        }
        sum.repeat.k += t->repeat.k;
        sum.repeat.n += t->repeat.n;
        sum.confidence.k += t->confidence.k;
        sum.confidence.n += t->confidence.n;
    }
    return sum;
}

static void equal_runs_are_the_same(void **state) {
    (void)state;
    again_set *set = plant("GPU-a", 8, 1.0, &quiet);
    again_set_sort(set);
    assert_int_equal(set->group_count, 1);
    again_group *group = &set->groups[0];
    assert_int_equal(group->count, 8);
    assert_int_equal(group->kernel_count, PROBLEMS);
    assert_string_equal(group->kernels[1].name, "n=2048");
    assert_int_equal(group->kernels[1].config[0].as.integer, 1);
    assert_true(near(group->kernels[1].pooled_s, 2e-3, 1e-3));
    assert_true(again_deviation_frac(group->kernels[1].levels.scatter) < 0.004);
    again_judge_group(group, 20);
    again_tally disjoint = sum_of(group, AGAIN_DISJOINT), all = sum_of(group, AGAIN_ALL);
    again_tally dealt = sum_of(group, AGAIN_DEALT);
    assert_int_equal(disjoint.verdicts[RFT_COMPARE_SAME], 4 * PROBLEMS);
    assert_int_equal(all.verdicts[RFT_COMPARE_SAME], 28 * PROBLEMS);
    assert_int_equal(dealt.verdicts[RFT_COMPARE_SAME], 20 * PROBLEMS);
    assert_int_equal(disjoint.repeat.n, 4 * PROBLEMS);
    assert_int_equal(disjoint.confidence.n, 8 * PROBLEMS);
    assert_true(disjoint.confidence.k >= 7 * PROBLEMS && disjoint.repeat.k >= 4 * PROBLEMS - 2);
    again_set_free(set);
}

/* A card that is 4 % slower in the second half of its runs: that is what a false verdict is. Dealt runs have processes
 * of both halves. */
static void a_move_between_runs_is_a_false_verdict(void **state) {
    (void)state;
    again_set *set = plant("GPU-a", 8, 1.04, &quiet);
    again_set_sort(set);
    again_group *group = &set->groups[0];
    again_judge_group(group, 20);
    again_tally disjoint = sum_of(group, AGAIN_DISJOINT), all = sum_of(group, AGAIN_ALL);
    assert_int_equal(disjoint.verdicts[RFT_COMPARE_SLOWER], 4 * PROBLEMS);
    assert_int_equal(all.verdicts[RFT_COMPARE_SLOWER], 16 * PROBLEMS);
    assert_int_equal(all.verdicts[RFT_COMPARE_SAME], 12 * PROBLEMS);
    assert_int_equal(disjoint.repeat.k, 0);
    assert_int_equal(disjoint.confidence.k, 0);
    again_reproduced r = again_reproduced_of(&group->kernels[0].levels, 1);
    assert_true(r.share < 0.01 && near(r.floor_frac, 1.96 * 0.0392 / 2.0 * sqrt(8.0 / 7.0), 0.05));
    again_set_free(set);
}

static bool has_sample(const rft_run *run, double sample_s) {
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_measurement *m = &run->points[i].rounds[1];
        for (size_t k = 0; k < m->n; k++) {
            if (m->samples_s[k] == sample_s) {
                return true;
            }
        }
    }
    return false;
}

static void dealt_runs_share_no_process(void **state) {
    (void)state;
    again_set *set = plant("GPU-a", 4, 1.0, &quiet);
    again_set_sort(set);
    const again_group *group = &set->groups[0];
    rft_arena *arena = rft_arena_new();
    rft_run dealt[2];
    uint64_t seed = 5;
    size_t from[4] = {0};
    double before = group->runs[1]->points[0].rounds[1].samples_s[0];
    again_deal(dealt, group, 1, 3, &seed, arena);
    for (size_t i = 0; i < dealt[0].point_count; i++) {
        const rft_measurement *m = &dealt[0].points[i].rounds[1];
        assert_int_equal(m->n, PROCESSES * SAMPLES);
        assert_int_equal(m->process_count, PROCESSES);
        assert_true(
            near(m->stats.median, group->runs[0]->points[i].rounds[1].stats.median, 0.01)); /* its own point's */
        for (size_t p = 0; p < PROCESSES; p++) {
            assert_int_equal(m->process_n[p], SAMPLES);
            assert_false(has_sample(&dealt[1], m->samples_s[p * SAMPLES]));
            for (size_t r = 0; r < 4; r++) {
                from[r] += has_sample(group->runs[r], m->samples_s[p * SAMPLES]);
            }
        }
    }
    for (size_t r = 0; r < 4; r++) {
        assert_true(from[r] > 0); /* also of runs that lent nothing else */
    }
    assert_true(group->runs[1]->points[0].rounds[1].samples_s[0] == before);
    assert_string_not_equal(dealt[0].info.id, dealt[1].info.id);
    rft_arena_free(arena);
    again_set_free(set);
}

/* The figure of a run with four times the processes lies sqrt(8 / 5) nearer than that of one with as many. */
static void another_run_has_as_many_processes(void **state) {
    (void)state;
    again_set *set = plant("GPU-a", 2, 1.0, &quiet);
    again_set_sort(set);
    again_group *group = &set->groups[0];
    again_kernel *kernel = &group->kernels[0];
    again_reading *a = &kernel->readings[0], *b = &kernel->readings[1];
    b->repeat.figure = a->repeat.figure * pow(a->repeat.repeat_high / a->repeat.figure, 0.9);
    again_judge_group(group, 0);
    assert_true(kernel->pairs[0].k == 1 && kernel->pairs[0].n == 1 && kernel->pairs[1].n == 0);
    b->process_count = 4 * a->process_count;
    again_judge_group(group, 0);
    assert_true(kernel->pairs[0].k == 1 && kernel->pairs[0].n == 2); /* 0.9 sqrt(8 / 5) = 1.14 */
    assert_int_equal(kernel->tallies[AGAIN_DISJOINT].repeat.n, 2);
    b->repeat = rft_repeat_none(); /* a run without it is no trial */
    again_judge_group(group, 0);
    assert_int_equal(kernel->pairs[0].n, 2);
    again_set_free(set);
}

/* The second configuration of each problem is no best, but intervals are printed of it. */
static void intervals_of_all_finalists_are_judged(void **state) {
    (void)state;
    again_set *set = plant("GPU-a", 4, 1.0, &quiet);
    again_set_sort(set);
    again_group *group = &set->groups[0];
    assert_int_equal(group->kernel_count, PROBLEMS);
    assert_int_equal(group->all_count, 2 * PROBLEMS);
    again_judge_group(group, 5);
    for (size_t k = PROBLEMS; k < group->all_count; k++) {
        const again_kernel *kernel = &group->kernels[k];
        assert_int_equal(kernel->config[0].as.integer, 2);
        assert_int_equal(kernel->pairs[0].n + kernel->pairs[1].n, 2);
        assert_int_equal(kernel->tallies[AGAIN_DISJOINT].confidence.n, 4);
        assert_int_equal(kernel->tallies[AGAIN_DEALT].repeat.n, 5);
        assert_int_equal(kernel->tallies[AGAIN_DISJOINT].verdicts[RFT_COMPARE_SAME], 0); /* of the best alone */
        assert_int_equal(kernel->levels.runs, 4);
    }
    again_set_free(set);
}

static void cards_are_judged_apart(void **state) {
    (void)state;
    again_set *set = plant("GPU-a", 4, 1.0, &quiet);
    uint64_t seed = 17;
    for (size_t r = 0; r < 3; r++) {
        again_set_take(set, plant_run("GPU-b", r, 1.2, &quiet, &seed));
    }
    again_set_take(set, plant_run("GPU-c", 9, 1.0, &quiet, &seed));
    again_set_sort(set);
    assert_int_equal(set->group_count, 2); /* one run alone says nothing */
    assert_string_equal(set->groups[0].card, "GPU-a");
    assert_string_equal(set->groups[1].card, "GPU-b");
    assert_int_equal(set->groups[0].count, 4);
    assert_int_equal(set->groups[1].count, 3);
    for (size_t g = 0; g < 2; g++) {
        for (size_t r = 1; r < set->groups[g].count; r++) {
            assert_true(set->groups[g].runs[r - 1]->info.started_unix_ns <
                        set->groups[g].runs[r]->info.started_unix_ns);
        }
    }
    again_set_free(set);
}

static void a_missed_goal_is_the_exit_status(void **state) {
    (void)state;
    again_set *equal = plant("GPU-a", 8, 1.0, &quiet), *moved = plant("GPU-a", 8, 1.04, &quiet);
    again_set *alone = plant("GPU-a", 1, 1.0, &quiet);
    assert_int_equal(again_report(equal, 20), 0);
    assert_int_equal(again_report(moved, 20), 1);
    assert_int_equal(again_report(alone, 20), 1);
    again_set_free(equal);
    again_set_free(moved);
    again_set_free(alone);
}

/* Files of before know no processes: verdicts are counted all the same. */
static void without_processes_verdicts_are_left(void **state) {
    (void)state;
    again_set *set = plant("GPU-a", 4, 1.0, &quiet);
    for (size_t r = 0; r < set->run_count; r++) {
        for (size_t i = 0; i < set->runs[r]->point_count; i++) {
            set->runs[r]->points[i].rounds[1].process_n = NULL;
            set->runs[r]->points[i].rounds[1].process_count = 0;
        }
        rft_run_fill_repeats(set->runs[r]);
    }
    again_set_sort(set);
    again_judge_group(&set->groups[0], 20);
    again_tally disjoint = sum_of(&set->groups[0], AGAIN_DISJOINT), dealt = sum_of(&set->groups[0], AGAIN_DEALT);
    size_t verdicts = 0;
    for (int v = RFT_COMPARE_NONE + 1; v < RFT_COMPARE_VERDICTS; v++) {
        verdicts += disjoint.verdicts[v];
        assert_int_equal(dealt.verdicts[v], 0);
    }
    assert_int_equal(verdicts, 2 * PROBLEMS);
    assert_int_equal(disjoint.repeat.n, 0);
    assert_true(isnan(set->groups[0].kernels[0].pooled_s));
    assert_int_equal(again_reproduced_of(&set->groups[0].kernels[0].levels, 1).kernels, 0);
    again_set_free(set);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bounds_are_clopper_and_pearsons),
        cmocka_unit_test(what_one_kernel_gives_is_not_independent),
        cmocka_unit_test(trials_of_a_cluster_count_as_far_as_they_are_independent),
        cmocka_unit_test(planted_levels_are_found),
        cmocka_unit_test(runs_without_the_kernel_are_passed_over),
        cmocka_unit_test(the_share_that_processes_give_is_found),
        cmocka_unit_test(equal_runs_are_the_same),
        cmocka_unit_test(a_move_between_runs_is_a_false_verdict),
        cmocka_unit_test(dealt_runs_share_no_process),
        cmocka_unit_test(another_run_has_as_many_processes),
        cmocka_unit_test(intervals_of_all_finalists_are_judged),
        cmocka_unit_test(cards_are_judged_apart),
        cmocka_unit_test(a_missed_goal_is_the_exit_status),
        cmocka_unit_test(without_processes_verdicts_are_left),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
