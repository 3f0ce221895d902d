/* SPDX-License-Identifier: Apache-2.0 */
/* Verdicts on synthetic pairs, and comparisons of runs made up in memory. The shares are printed: docs/compare.md has
 * them. */
#include "model_fixture.h"

#include "model/compare/compare.h"
#include "model/run/baseline.h"
#include "model/run/run_repeat.h"
#include "model/stats/drift.h"
#include "noise.h"

#include <stdio.h>

#define TRIALS DRAWS(3000)

/* ---- the rule ---- */

/* As a final round measures: a look after every sample, until the interval is narrow, up to 100. */
static rft_stats measure(noise_shape shape, double median_s, double spread_frac, size_t least, uint64_t *seed) {
    double samples[100];
    rft_stop_rule rule = {.min_samples = (int)least, .max_samples = 100, .noise_frac = 0.005, .max_seconds = 1e9};
    size_t n = 0;
    do {
        samples[n++] = median_s * noise_factor(shape, spread_frac, seed);
    } while (n < 5 || rft_stop_decide(&rule, samples, n, 0.0) == RFT_STOP_NOT_YET);
    return rft_stats_of(samples, n);
}

typedef struct shares {
    double of[RFT_COMPARE_VERDICTS]; /* per cent */
} shares;

static shares trials(noise_shape shape, double spread_frac, double speed, size_t least) {
    shares out = {0};
    uint64_t seed = 7;
    for (size_t i = 0; i < TRIALS; i++) {
        rft_stats first = measure(shape, 1e-3, spread_frac, least, &seed);
        rft_stats other = measure(shape, 1e-3 / speed, spread_frac, least, &seed);
        rft_compare_case of = {
            .ratio = rft_compare_ratio_of(&first, &other), .first_roof = NAN, .other_roof = NAN, .spread = NAN};
        out.of[rft_compare_judge(&of, NULL)] += 100.0 / TRIALS;
    }
    return out;
}

static shares print_trials(noise_shape shape, double spread_frac, double speed, size_t least) {
    shares s = trials(shape, spread_frac, speed, least);
    printf("%-12s noise %4.1f %%, other %+5.1f %%, from %3zu samples: FASTER %5.1f  SLOWER %5.1f  SAME %5.1f  "
           "AMBIGUOUS %5.1f %%\n",
           noise_name(shape), spread_frac * 100.0, (speed - 1.0) * 100.0, least, s.of[RFT_COMPARE_FASTER],
           s.of[RFT_COMPARE_SLOWER], s.of[RFT_COMPARE_SAME], s.of[RFT_COMPARE_AMBIGUOUS]);
    return s;
}

static void equal_distributions_are_the_same(void **state) {
    (void)state;
    static const double spreads[] = {0.001, 0.002, 0.005, 0.01};
    for (int shape = 0; shape < NOISE_COUNT; shape++) {
        for (size_t i = 0; i < 4; i++) {
            if (shape == NOISE_CLOCKS) {
                continue; /* 4 % between its clocks: below */
            }
            shares s = print_trials((noise_shape)shape, spreads[i], 1.0, 10);
            /* what one process knows to 0.5 % is narrow beside the margin of 1 %, to 1 % no longer */
            double least = spreads[i] < 0.004 ? 95.0 : spreads[i] < 0.008 ? 85.0 : 0.0;
            assert_true(s.of[RFT_COMPARE_SAME] >= least);
            assert_true(s.of[RFT_COMPARE_FASTER] + s.of[RFT_COMPARE_SLOWER] <= 1.0);
        }
    }
}

/* Where the noise excludes nothing, nothing is claimed. */
static void much_noise_is_ambiguous_never_a_difference(void **state) {
    (void)state;
    const noise_shape shapes[] = {NOISE_NORMAL, NOISE_CLOCKS};
    for (size_t i = 0; i < 2; i++) {
        shares s = print_trials(shapes[i], 0.03, 1.0, 10);
        assert_true(s.of[RFT_COMPARE_FASTER] + s.of[RFT_COMPARE_SLOWER] <= 1.0);
    }
    shares few = print_trials(NOISE_NORMAL, 0.1, 1.0, 10);
    assert_true(few.of[RFT_COMPARE_AMBIGUOUS] >= 80.0);
}

static void two_per_cent_are_found(void **state) {
    (void)state;
    for (int shape = 0; shape < NOISE_COUNT; shape++) {
        if (shape != NOISE_CLOCKS) {
            assert_true(print_trials((noise_shape)shape, 0.005, 1.02, 10).of[RFT_COMPARE_FASTER] >= 95.0);
            assert_true(print_trials((noise_shape)shape, 0.005, 1.0 / 1.02, 10).of[RFT_COMPARE_SLOWER] >= 95.0);
        }
    }
}

static void what_is_neither_shown_nor_excluded_is_ambiguous(void **state) {
    (void)state;
    shares one = print_trials(NOISE_NORMAL, 0.005, 1.01, 10);
    assert_true(one.of[RFT_COMPARE_AMBIGUOUS] >= 50.0);
    assert_true(one.of[RFT_COMPARE_SLOWER] <= 0.1);
    /* the same difference, measured well, is told */
    assert_true(print_trials(NOISE_NORMAL, 0.001, 1.01, 30).of[RFT_COMPARE_FASTER] >= 95.0);
    /* a difference below what matters is none */
    assert_true(print_trials(NOISE_NORMAL, 0.001, 1.002, 30).of[RFT_COMPARE_SAME] >= 95.0);
}

static rft_stats stats_about(double median, double half_width) {
    return (rft_stats){.n = 20,
                       .median = median,
                       .low = median - half_width,
                       .high = median + half_width,
                       .min = median,
                       .max = median,
                       .interval_is_95 = true};
}

static rft_compare_case case_of(double first, double other, double half_width) {
    rft_stats a = stats_about(first, half_width), b = stats_about(other, half_width);
    return (rft_compare_case){
        .ratio = rft_compare_ratio_of(&a, &b), .first_roof = NAN, .other_roof = NAN, .spread = NAN};
}

static void effort_counts_only_where_it_could_close_the_gap(void **state) {
    (void)state;
    rft_compare_doubt why = RFT_DOUBT_NONE;
    rft_compare_case of = case_of(1.3, 1.0, 0.001);
    assert_int_equal(rft_compare_judge(&of, NULL), RFT_COMPARE_FASTER);
    of.effort_differs = true; /* no roof known: any search might */
    assert_int_equal(rft_compare_judge(&of, &why), RFT_COMPARE_AMBIGUOUS);
    assert_int_equal(why, RFT_DOUBT_EFFORT);
    of.first_roof = 1.1, of.other_roof = 1.2; /* the gap of 1.3 exceeds both */
    assert_int_equal(rft_compare_judge(&of, &why), RFT_COMPARE_FASTER);
    assert_int_equal(why, RFT_DOUBT_NONE);
    of.other_roof = 1.31; /* one of them it does not */
    assert_int_equal(rft_compare_judge(&of, NULL), RFT_COMPARE_AMBIGUOUS);
    of = case_of(1.0, 1.0, 0.001);
    of.effort_differs = true;
    of.first_roof = 1.005, of.other_roof = 1.01; /* both at their roofs: there is nothing to find */
    assert_int_equal(rft_compare_judge(&of, NULL), RFT_COMPARE_SAME);
    of.first_roof = 1.2;
    assert_int_equal(rft_compare_judge(&of, NULL), RFT_COMPARE_AMBIGUOUS);
}

static void the_same_is_what_lies_within_the_margin(void **state) {
    (void)state;
    rft_compare_case of = case_of(1.012, 1.0, 0.006);
    of.ratio.low = 0.999; /* a wide side towards 1 */
    assert_int_equal(rft_compare_judge(&of, NULL), RFT_COMPARE_AMBIGUOUS);
    of = case_of(1.008, 1.0, 0.001); /* all of it within the margin */
    assert_true(of.ratio.low > 1.0 && of.ratio.high < 1.01);
    assert_int_equal(rft_compare_judge(&of, NULL), RFT_COMPARE_FASTER); /* but shown: more than 0.5 % */
    of = case_of(1.005, 1.0, 0.001);
    assert_int_equal(rft_compare_judge(&of, NULL), RFT_COMPARE_SAME);
    of = case_of(1.005, 1.0, 0.006); /* it reaches beyond the margin */
    assert_int_equal(rft_compare_judge(&of, NULL), RFT_COMPARE_AMBIGUOUS);
}

/* 95 % do for the interval that is printed, not for a verdict. */
static void a_difference_is_shown_by_ninety_nine_per_cent(void **state) {
    (void)state;
    rft_compare_case of = case_of(1.03, 1.0, 0.016);
    assert_true(of.ratio.low > 1.0 + RFT_COMPARE_SHOWN_FRAC);
    assert_int_equal(rft_compare_judge(&of, NULL), RFT_COMPARE_AMBIGUOUS);
    of = case_of(1.03, 1.0, 0.011);
    assert_int_equal(rft_compare_judge(&of, NULL), RFT_COMPARE_FASTER);
}

static void doubts_have_their_reason(void **state) {
    (void)state;
    rft_compare_doubt why = RFT_DOUBT_NONE;
    rft_compare_case of = case_of(1.05, 1.0, 0.001);
    of.spread = 1.06; /* runs of one model are further apart */
    assert_int_equal(rft_compare_judge(&of, &why), RFT_COMPARE_AMBIGUOUS);
    assert_int_equal(why, RFT_DOUBT_SPREAD);
    of.spread = 1.01;
    assert_int_equal(rft_compare_judge(&of, &why), RFT_COMPARE_FASTER);
    of.other_workload = true;
    rft_compare_judge(&of, &why);
    assert_int_equal(why, RFT_DOUBT_WORKLOAD);
    double one = 2.0, two = 1.0; /* two bare numbers, however far apart */
    rft_stats a = rft_stats_of(&one, 1), b = rft_stats_of(&two, 1);
    of = (rft_compare_case){.ratio = rft_compare_ratio_of(&a, &b), .spread = NAN};
    assert_int_equal(rft_compare_judge(&of, &why), RFT_COMPARE_AMBIGUOUS);
    assert_int_equal(why, RFT_DOUBT_INTERVAL);
    b = rft_stats_of(NULL, 0);
    of.ratio = rft_compare_ratio_of(&a, &b);
    assert_int_equal(rft_compare_judge(&of, &why), RFT_COMPARE_NONE);
}

static void the_timers_step_is_seen(void **state) {
    (void)state;
    const double ticks[] = {4.67200018e-06, 4.70399996e-06, 4.67200018e-06, 4.73600021e-06, 4.67200019e-06};
    assert_true(near(rft_stats_step(ticks, 5), 32e-9, 0.01));
    const double equal[] = {1e-3, 1e-3, 1e-3};
    assert_true(rft_stats_step(equal, 3) == 0.0);
    assert_true(rft_stats_step(NULL, 0) == 0.0);
}

/* Each sample remembers 0.8 of the one before: a level that wanders by 1 %. */
static void wander(double *samples, size_t n, uint64_t *seed) {
    double level = 0.01 * noise_normal(seed);
    for (size_t i = 0; i < n; i++) {
        level = 0.8 * level + 0.006 * noise_normal(seed);
        samples[i] = 1e-3 * (1.0 + level);
    }
}

static void batches_know_what_dependent_samples_are_worth(void **state) {
    (void)state;
    enum { RUNS = 3000 };
    double samples[80];
    uint64_t seed = 5;
    size_t held = 0, bare = 0;
    for (size_t i = 0; i < RUNS; i++) {
        wander(samples, 80, &seed);
        rft_stats stats = rft_stats_of(samples, 80);
        double own = (stats.high - stats.low) / 2.0, off = fabs(stats.median - 1e-3);
        held += off <= fmax(rft_drift_batch_half_width(samples, 80), own);
        bare += stats.low <= 1e-3 && 1e-3 <= stats.high;
    }
    printf("wandering samples: batches hold the level in %.1f %%, the plain interval in %.1f %%\n",
           100.0 * (double)held / RUNS, 100.0 * (double)bare / RUNS);
    assert_true(held >= 0.93 * RUNS && bare < 0.7 * RUNS);
    assert_true(isnan(rft_drift_batch_half_width(samples, 7)));
    for (size_t i = 0; i < 80; i++) {
        samples[i] = 1e-3;
    }
    assert_true(rft_drift_batch_half_width(samples, 80) < 1e-12);
}

/* The interval of one process: independent samples keep theirs, wandering ones get that of batches, and where there are
 * too few for batches none. */
static void the_printed_interval_is_widened_where_samples_depend(void **state) {
    (void)state;
    enum { RUNS = 1500 };
    double samples[80];
    uint64_t seed = 9;
    size_t held = 0, kept = 0, kept_held = 0;
    for (size_t i = 0; i < RUNS; i++) {
        wander(samples, 80, &seed);
        rft_stats stats = rft_drift_stats_of(samples, 80);
        held += stats.low <= 1e-3 && 1e-3 <= stats.high;
        for (size_t k = 0; k < 80; k++) {
            samples[k] = 1e-3 * (1.0 + 0.01 * noise_normal(&seed));
        }
        rft_stats plain = rft_stats_of(samples, 80);
        stats = rft_drift_stats_of(samples, 80);
        kept += stats.low == plain.low && stats.high == plain.high;
        kept_held += stats.low <= 1e-3 && 1e-3 <= stats.high;
    }
    printf("printed intervals hold the level: wandering samples %.1f %%, independent ones %.1f %% (%.1f %% as they "
           "were)\n",
           100.0 * (double)held / RUNS, 100.0 * (double)kept_held / RUNS, 100.0 * (double)kept / RUNS);
    assert_true(held >= 0.93 * RUNS);
    assert_true(kept >= 0.95 * RUNS && kept_held >= 0.94 * RUNS);
    const double rising[] = {1.00, 1.01, 1.02, 1.03, 1.04, 1.05, 1.06};
    rft_stats few = rft_drift_stats_of(rising, 7);
    assert_false(few.interval_is_95);
    assert_true(rft_stats_of(rising, 7).interval_is_95);
}

/* ---- whole runs ---- */

/* The fixture's samples without their order, which would be a trend. */
static rft_measurement steady(rft_run *run, double median_s) {
    rft_measurement m = fixture_measurement(run, median_s);
    for (size_t i = 0; i < m.n; i++) {
        m.samples_s[i] = median_s * (1.0 + 0.0005 * ((double)(i * 7 % 10) - 4.5));
    }
    m.stats = rft_stats_of(m.samples_s, m.n);
    return m;
}

/* `tag` makes it a run of its own. */
static rft_run *made_run(const char *tag, const char *device, double slower) {
    rft_run *run = fixture_run();
    const int64_t values[] = {1, 2, 4}, problems[] = {1024, 4096};
    run->info.id = rft_arena_strdup(run->arena, tag);
    run->info.finished_unix_ns = 2;
    run->info.started_unix_ns = 1;
    run->gpu.name = device;
    run->gpu.uuid = rft_arena_printf(run->arena, "GPU-%s", tag);
    rft_sweep *sweep = &run->sweeps[0].sweep;
    sweep->search.strategy = "auto";
    sweep->variants[0].kernel = "synthetic_kernel";
    fixture_axis(run, "n", true, false);
    fixture_param(run, 0, "VEC", values, 3);
    run->sweeps[0].valid = rft_arena_calloc(run->arena, 4, sizeof(uint64_t));
    for (size_t p = 0; p < 2; p++) {
        size_t problem = fixture_problem(run, &problems[p]);
        run->sweeps[0].valid[problem] = 3;
        for (size_t v = 0; v < 3; v++) {
            /* 2 is the best, the others are 20 % and 40 % slower */
            rft_point *point = fixture_point(run, problem, &values[v], 0.0);
            double factor = v == 1 ? 1.0 : v == 0 ? 1.2 : 1.4;
            point->rounds[0] = steady(run, 1e-3 * (double)(p + 1) * factor * slower);
            point->work.bytes_read = 2e9 * (double)(p + 1);
        }
    }
    return run;
}

static rft_compare *compared(rft_run *const *runs, size_t count, rft_arena *arena, int code) {
    static const char *const paths[] = {"a.db", "b.db", "c.db", "d.db"};
    rft_compare_input inputs[4];
    rft_compare *compare = NULL;
    rft_err err = RFT_ERR_INIT;
    for (size_t i = 0; i < count; i++) {
        inputs[i] = (rft_compare_input){.run = runs[i], .path = paths[i], .price = {.amount = NAN}};
    }
    assert_int_equal(rft_compare_runs(&compare, inputs, count, arena, &err), code);
    assert_true(code == 0 || *err.remedy);
    return compare;
}

static void free_runs(rft_run **runs, size_t count) {
    for (size_t i = 0; i < count; i++) {
        rft_run_free(runs[i]);
    }
}

static const rft_compare_figure *figure(const rft_compare *compare, size_t workload, size_t side) {
    return &compare->workloads[workload].figures[side];
}

/* B has another best on its second problem, 10 % faster; one configuration for both is then as fast as that of A. */
static void one_configuration_for_all_costs_what_it_loses(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Other", 1.0)};
    runs[1]->points[3].rounds[0] = steady(runs[1], 2e-3 * 0.9);
    rft_compare *compare = compared(runs, 2, arena, 0);
    const rft_compare_base a = rft_compare_base_of(compare, 0, 2, 0), b = rft_compare_base_of(compare, 0, 2, 1);
    assert_true(a.sweeps == 1 && a.workloads == 2 && near(a.keeps.ratio, 1.0, 1e-12));
    assert_true(isnan(a.peak.ratio)); /* against itself */
    assert_true(b.shared == 2 && near(b.keeps.ratio, sqrt(0.9), 1e-3) && near(b.base.worst_frac, 0.9, 1e-3));
    assert_int_equal(b.base.worst_problem, 1);
    assert_true(b.keeps.interval && b.keeps.low < b.keeps.ratio && b.keeps.high <= 1.0);
    assert_true(near(b.peak.ratio, sqrt(1 / 0.9), 1e-3) && near(b.speed.ratio, 1.0, 1e-3));
    for (size_t i = 3; i < 6; i++) { /* nothing measured at both problems */
        runs[1]->points[i].config[0] = rft_value_int(100 + (int64_t)i);
    }
    const rft_compare_base none = rft_compare_base_of(compare, 0, 2, 1);
    assert_true(none.sweeps == 0 && none.lacking == 1 && isnan(none.keeps.ratio) && isnan(none.speed.ratio));
    free_runs(runs, 2);
    rft_arena_free(arena);
}

/* What of measuring differs is said, which must not be taken for the cards'. */
static void runs_of_two_versions_are_not_measured_alike(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Quick", 1.1), made_run("three", "Quick", 1.2)};
    for (size_t i = 0; i < 3; i++) {
        runs[i]->info.tool_version = i == 1 ? "0.1.0" : "0.2.0";
    }
    rft_compare *compare = compared(runs, 3, arena, 0);
    assert_non_null(compare->unlike);
    assert_non_null(strstr(compare->unlike,
                           "Not measured alike: A, C in one process by rooftune 0.2.0; B in one process by "
                           "rooftune 0.1.0. Part of a difference"));
    assert_true(compare->caveats[1] == compare->unlike);
    runs[1]->info.tool_version = "0.2.0";
    compare = compared(runs, 3, arena, 0);
    assert_null(compare->unlike);
    free_runs(runs, 3);
    rft_arena_free(arena);
}

static void a_slower_device_is_slower(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Slow", 1.5)};
    rft_compare *compare = compared(runs, 2, arena, 0);
    assert_int_equal(compare->workload_count, 2);
    assert_int_equal(figure(compare, 0, 1)->verdict, RFT_COMPARE_SLOWER);
    assert_true(near(figure(compare, 1, 1)->ratio.ratio, 1.0 / 1.5, 1e-9));
    assert_int_equal(compare->scores[1].counts[RFT_COMPARE_SLOWER], 2);
    assert_string_equal(
        rft_compare_sentence(compare, 1, arena),
        "B (Slow) against A (Quick): slower in all 2 workloads; 0.667\xc3\x97 (0.665 to 0.668) the speed "
        "as the geometric mean, single workloads from 0.667\xc3\x97 to 0.667\xc3\x97");
    /* the best carries over, both ways */
    assert_int_equal(compare->carry_count, 4);
    assert_true(compare->carries[0].tie && near(compare->carries[0].kept.ratio, 1.0, 1e-12));
    assert_true(compare->carries[0].kept.interval && compare->carries[0].kept.low <= 1.0);
    assert_int_equal(compare->variation_count, 0);
    rft_arena_free(arena);
    free_runs(runs, 2);
}

static void what_was_searched_less_is_ambiguous(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Slow", 1.1)};
    runs[1]->sweeps[0].valid[0] = runs[1]->sweeps[0].valid[1] = 30; /* 3 of 30 were tried */
    runs[1]->sweeps[0].unexplored = "27 configurations left untried: the budget ended";
    rft_compare *compare = compared(runs, 2, arena, 0);
    const rft_compare_figure *f = figure(compare, 0, 1);
    assert_int_equal(f->verdict, RFT_COMPARE_AMBIGUOUS);
    assert_int_equal(f->doubt, RFT_DOUBT_EFFORT);
    assert_non_null(strstr(f->reason, "A tried 3 of 3 configurations (all), B 3 of 30"));
    assert_false(f->effort.complete);
    rft_arena_free(arena);
    free_runs(runs, 2);
    /* dram allows 0.455 ms for 2e9 bytes: distances of 2.2 and 22; a gap of 10 exceeds the first's alone, 30 both */
    runs[0] = made_run("one", "Quick", 0.5), runs[1] = made_run("two", "Slow", 3.0);
    runs[0]->sweeps[0].unexplored = "left untried: the budget ended";
    runs[0]->sweeps[0].valid[0] = runs[0]->sweeps[0].valid[1] = 30;
    arena = rft_arena_new();
    compare = compared(runs, 2, arena, 0);
    assert_true(near(figure(compare, 0, 1)->roof, 3e-3 / (2e9 / 4.4e12), 1e-6));
    assert_int_equal(figure(compare, 0, 1)->verdict, RFT_COMPARE_AMBIGUOUS); /* 6 < 6.6 */
    rft_arena_free(arena);
    fixture_ceiling(runs[1], RFT_CEILING_DRAM_READ, 0.8e12); /* a weaker memory: 3 ms is 1.2 x its roof */
    fixture_ceiling(runs[1], RFT_CEILING_DRAM_COPY, 0.8e12);
    arena = rft_arena_new();
    compare = compared(runs, 2, arena, 0);
    assert_int_equal(figure(compare, 0, 1)->verdict, RFT_COMPARE_SLOWER);
    assert_non_null(strstr(figure(compare, 0, 1)->reason, "no search could close the gap"));
    rft_arena_free(arena);
    free_runs(runs, 2);
}

static void the_library_is_a_figure_where_it_is_better(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Slow", 1.0)};
    rft_baseline library = rft_baseline_none(runs[1]->arena, 0, 0, "cuBLASLt", RFT_BASELINE_BEST);
    library.outcome = RFT_OUTCOME_OK;
    library.tried = 8;
    library.measurement = steady(runs[1], 0.5e-3);
    rft_run_put_baseline(runs[1], &library);
    rft_compare *compare = compared(runs, 2, arena, 0);
    const rft_compare_figure *f = figure(compare, 0, 1);
    assert_true(f->by_vendor);
    assert_string_equal(f->source, "cuBLASLt, best of 8 heuristics");
    assert_true(near(f->ratio.ratio, 2.0, 1e-9));
    assert_int_equal(f->verdict, RFT_COMPARE_AMBIGUOUS); /* A may have a library too: 1 ms is 2.2 x its roof */
    assert_non_null(strstr(f->reason, "the library was measured on B alone"));
    assert_false(figure(compare, 1, 1)->by_vendor);
    assert_int_equal(figure(compare, 1, 1)->verdict, RFT_COMPARE_SAME);
    runs[1]->gpu.name = "Quick"; /* the library of one run is no variation of the card */
    compare = compared(runs, 2, arena, 0);
    assert_true(near(1.0 + compare->variations[0].card_frac, 1.0, 1e-9));
    rft_arena_free(arena);
    free_runs(runs, 2);
}

static void no_native_path_is_said(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "New", 1.0), made_run("two", "Old", 2.0)};
    for (size_t r = 0; r < 2; r++) { /* a second variant, which wins on the new device */
        rft_sweep *sweep = &runs[r]->sweeps[0].sweep;
        sweep->variants[1] = sweep->variants[0];
        sweep->variants[1].name = "wgmma";
        sweep->variant_count = 2;
        const int64_t vec = 4;
        rft_point *point = fixture_point(runs[r], 0, &vec, 0.3e-3);
        point->variant = 1;
        point->work.bytes_read = 2e9;
        if (r == 1) {
            point->outcome = RFT_OUTCOME_SKIPPED;
            point->reason = "needs sm_90a";
        }
    }
    rft_compare *compare = compared(runs, 2, arena, 0);
    assert_string_equal(figure(compare, 0, 1)->no_native,
                        "no native path for wgmma: none of its 1 configuration ran (skipped: needs sm_90a)");
    assert_non_null(strstr(figure(compare, 0, 1)->reason, "no native path for wgmma"));
    assert_null(figure(compare, 0, 0)->no_native);
    assert_null(figure(compare, 1, 1)->no_native);
    rft_arena_free(arena);
    free_runs(runs, 2);
}

static void runs_of_one_model_tell_how_much_it_varies(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Quick", 1.06), made_run("three", "Slow", 1.05),
                       made_run("four", "Quick", 1.02)};
    runs[3]->gpu.uuid = runs[0]->gpu.uuid; /* the first card again */
    rft_compare *compare = compared(runs, 4, arena, 0);
    assert_int_equal(compare->variation_count, 2);
    assert_int_equal(compare->variations[0].runs, 3);
    assert_int_equal(compare->variations[0].cards, 2);
    assert_true(near(compare->variations[0].run_to_run_frac, 0.02, 1e-6));
    assert_true(near(compare->variations[0].card_frac, 1.06 / 1.01 - 1.0, 1e-6));
    /* 5 % slower than one run, but these differ by 6 % themselves; among themselves they are judged as they are */
    assert_int_equal(figure(compare, 0, 2)->doubt, RFT_DOUBT_SPREAD);
    assert_int_equal(figure(compare, 0, 1)->verdict, RFT_COMPARE_SLOWER);
    rft_arena_free(arena);
    free_runs(runs, 4);
}

/* Every time as six processes read it, whose medians scatter by `spread_frac` either way; samples in each alike. */
static void in_processes(rft_run *run, double spread_frac) {
    enum { PROCESSES = 6, EACH = 6 };
    for (size_t i = 0; i < run->point_count; i++) {
        rft_measurement *m = &run->points[i].rounds[0];
        double median_s = m->stats.median;
        m->n = (size_t)PROCESSES * EACH;
        m->samples_s = rft_arena_calloc(run->arena, m->n, sizeof *m->samples_s);
        m->process_n = rft_arena_calloc(run->arena, PROCESSES, sizeof *m->process_n);
        m->process_count = PROCESSES;
        for (size_t k = 0; k < m->n; k++) {
            double moved = ((double)(k / EACH) - 2.5) / 2.5;
            m->samples_s[k] = median_s * (1.0 + spread_frac * moved + 1e-5 * (double)(k % EACH));
            m->process_n[k / EACH] = EACH;
        }
    }
    rft_run_fill_repeats(run);
}

static void processes_decide_or_say_how_many_would(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Quick", 1.001)};
    in_processes(runs[0], 0.002), in_processes(runs[1], 0.002);
    rft_compare *compare = compared(runs, 2, arena, 0);
    const rft_compare_figure *f = figure(compare, 0, 1);
    assert_int_equal(f->verdict, RFT_COMPARE_SAME);
    assert_int_equal(f->repeat.processes, 6);
    assert_true(f->repeat.repeat_low < f->stats.low && f->stats.high < f->repeat.repeat_high);
    assert_true(f->widen_frac == 0.0);
    for (size_t i = 0; i < compare->caveat_count; i++) {
        assert_null(strstr(compare->caveats[i], "one process"));
    }
    free_runs(runs, 2);
    runs[0] = made_run("one", "Quick", 1.0), runs[1] = made_run("two", "Quick", 1.001);
    in_processes(runs[0], 0.03), in_processes(runs[1], 0.002); /* the side that scatters more says how many */
    compare = compared(runs, 2, arena, 0);
    f = figure(compare, 0, 1);
    assert_int_equal(f->doubt, RFT_DOUBT_NEITHER);
    assert_true(f->processes_wanted == rft_repeat_processes_for(&figure(compare, 0, 0)->repeat, 0.005));
    assert_true(f->processes_wanted > 50);
    assert_non_null(strstr(f->reason, "processes each, A has 6, B 6"));
    free_runs(runs, 2);
    runs[0] = made_run("one", "Quick", 1.0), runs[1] = made_run("two", "Quick", 1.001);
    compare = compared(runs, 2, arena, 0); /* as recorded before there were processes */
    bool said = false;
    for (size_t i = 0; i < compare->caveat_count; i++) {
        said = said || strstr(compare->caveats[i], "A, B: measured in one process");
    }
    assert_true(said && figure(compare, 0, 1)->processes_wanted == 0);
    rft_arena_free(arena);
    free_runs(runs, 2);
}

static void what_is_no_comparison_is_an_error(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("one", "Quick", 1.0)};
    compared(runs, 1, arena, RFT_E_USAGE);
    compared(runs, 2, arena, RFT_E_USAGE); /* one id: the same run */
    runs[1]->info.id = "two";
    rft_sweep *sweep = &runs[1]->sweeps[0].sweep;
    sweep->problems[0].values[0] = rft_value_int(7);
    rft_compare *compare = compared(runs, 2, arena, 0);
    assert_int_equal(compare->workload_count, 1);
    assert_int_equal(compare->alone_count, 2);
    assert_string_equal(compare->alone[0].text, "synthetic n=1024");
    sweep->name = "other"; /* the same kernel joins them still */
    assert_string_equal(compared(runs, 2, arena, 0)->workloads[0].name, "synthetic / other n=4096");
    sweep->variants[0].kernel = "other_kernel"; /* and an equal space */
    assert_int_equal(compared(runs, 2, arena, 0)->workload_count, 1);
    sweep->variants[0].params[0].name = "WIDTH";
    compared(runs, 2, arena, RFT_E_NOT_FOUND);
    rft_arena_free(arena);
    free_runs(runs, 2);
}

static void other_workloads_are_not_judged(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Slow", 2.0)};
    for (size_t i = 0; i < 3; i++) {
        runs[1]->points[i].rounds[0].cache = RFT_CACHE_HOT;
        runs[1]->points[3 + i].work.bytes_read *= 2.0;
    }
    rft_compare *compare = compared(runs, 2, arena, 0);
    assert_string_equal(figure(compare, 0, 1)->reason, "another cache mode: cold on A, hot on B");
    assert_int_equal(figure(compare, 0, 1)->verdict, RFT_COMPARE_AMBIGUOUS);
    assert_string_equal(figure(compare, 1, 1)->reason, "the declared work differs: not one and the same problem");
    assert_true(isfinite(figure(compare, 0, 1)->ratio.ratio));
    assert_true(isnan(figure(compare, 1, 1)->ratio.ratio)); /* times of unequal work are no speed */
    for (size_t i = 0; i < 3; i++) {
        runs[1]->points[i].rounds[0].cache = RFT_CACHE_COLD;
        runs[1]->points[i].rounds[0].mode = RFT_TIMING_GRAPH;
    }
    compare = compared(runs, 2, arena, 0);
    assert_string_equal(figure(compare, 0, 1)->reason,
                        "only B was timed as a CUDA graph, which hides gaps between launches");
    assert_int_equal(figure(compare, 0, 1)->verdict, RFT_COMPARE_AMBIGUOUS);
    /* 2 GB take 417 us at least. */
    for (size_t i = 0; i < 3; i++) {
        runs[1]->points[i].rounds[0] = steady(runs[1], 300e-6 + 1e-6 * (double)i);
    }
    runs[1]->ceilings.items[RFT_CEILING_DRAM_READ].limit = 4.8e12;
    compare = compared(runs, 2, arena, 0);
    assert_string_equal(figure(compare, 0, 1)->reason,
                        "B is faster than the hardware can be: its work or its time is wrong");
    assert_int_equal(figure(compare, 0, 1)->verdict, RFT_COMPARE_AMBIGUOUS);
    assert_true(isnan(figure(compare, 0, 1)->ratio.ratio));
    rft_arena_free(arena);
    free_runs(runs, 2);
}

/* A sweep of the same name and the same declared work may be another program: said, where the hashes tell it. */
static void other_scripts_of_one_name_are_told(void **state) {
    static const char *const hashes[][2] = {{"00aa", "00aa"}, {"00aa", "00bb"}, {"00aa", ""}};
    (void)state;
    for (size_t k = 0; k < sizeof hashes / sizeof *hashes; k++) {
        for (size_t by_source = 0; by_source < 2; by_source++) {
            rft_arena *arena = rft_arena_new();
            rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Slow", 2.0)};
            size_t told = 0;
            for (size_t i = 0; i < 2; i++) {
                runs[i]->sweeps[0].sweep.script_hash = by_source ? "00aa" : hashes[k][i];
                runs[i]->sweeps[0].sweep.variants[0].source = "kernels/one.cu";
                rft_env_set(&runs[i]->env, runs[i]->arena, "source.one.cu", by_source ? hashes[k][i] : "00aa", NULL);
            }
            rft_compare *compare = compared(runs, 2, arena, 0);
            for (size_t i = 0; i < compare->caveat_count; i++) {
                told +=
                    strstr(compare->caveats[i], "B: synthetic is by another script or other sources than A's") != NULL;
            }
            assert_int_equal(told, k == 1);
            rft_arena_free(arena);
            free_runs(runs, 2);
        }
    }
}

static void undeclared_work_is_known_by_its_script(void **state) {
    (void)state;
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Slow", 2.0)};
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < runs[side]->point_count; i++) {
            runs[side]->points[i].work = (rft_work){0};
        }
    }
    static const struct {
        const char *scripts[2];
        const char *reason;
    } cases[] = {{{"abc", "abc"}, NULL},
                 {{"abc", "abd"}, "the work is not known: it is not declared, and the scripts differ"},
                 {{"", ""}, "the work is not known: it is not declared, and the scripts differ"},
                 {{NULL, NULL}, "the work is not known: it is not declared, and the scripts differ"}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_arena *arena = rft_arena_new();
        for (size_t side = 0; side < 2; side++) {
            runs[side]->sweeps[0].sweep.script_hash = cases[i].scripts[side];
        }
        const rft_compare_figure *f = figure(compared(runs, 2, arena, 0), 0, 1);
        assert_int_equal(f->verdict, cases[i].reason ? RFT_COMPARE_AMBIGUOUS : RFT_COMPARE_SLOWER);
        assert_true(cases[i].reason ? strcmp(f->reason, cases[i].reason) == 0 : f->reason == NULL);
        rft_arena_free(arena);
    }
    free_runs(runs, 2);
}

/* Nothing decided is no speed: the sentence has the reason where it is one, and says no mean. */
static void what_is_ambiguous_throughout_is_said_once(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_run *runs[] = {made_run("one", "Quick", 1.0), made_run("two", "Slow", 1.01)};
    for (size_t side = 0; side < 2; side++) {
        for (size_t i = 0; i < runs[side]->point_count; i++) {
            rft_stats *stats = &runs[side]->points[i].rounds[0].stats;
            stats->low = stats->median * 0.98;
            stats->high = stats->median * 1.02;
        }
    }
    rft_compare *compare = compared(runs, 2, arena, 0);
    assert_string_equal(rft_compare_sentence(compare, 1, arena),
                        "B (Slow) against A (Quick): ambiguous in all 2 workloads: a difference is neither shown nor "
                        "excluded");
    const size_t one = runs[1]->points[0].problem; /* for another reason */
    for (size_t i = 0; i < runs[1]->point_count; i++) {
        rft_stats *stats = &runs[1]->points[i].rounds[0].stats;
        stats->interval_is_95 = runs[1]->points[i].problem != one;
    }
    compare = compared(runs, 2, arena, 0);
    assert_string_equal(
        rft_compare_sentence(compare, 1, arena),
        "B (Slow) against A (Quick): ambiguous in all 2 workloads: in 1 differences are neither shown nor "
        "excluded; in 1 a side has no 95 % interval");
    rft_arena_free(arena);
    free_runs(runs, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(equal_distributions_are_the_same),
        cmocka_unit_test(much_noise_is_ambiguous_never_a_difference),
        cmocka_unit_test(two_per_cent_are_found),
        cmocka_unit_test(what_is_neither_shown_nor_excluded_is_ambiguous),
        cmocka_unit_test(effort_counts_only_where_it_could_close_the_gap),
        cmocka_unit_test(the_same_is_what_lies_within_the_margin),
        cmocka_unit_test(a_difference_is_shown_by_ninety_nine_per_cent),
        cmocka_unit_test(doubts_have_their_reason),
        cmocka_unit_test(the_timers_step_is_seen),
        cmocka_unit_test(batches_know_what_dependent_samples_are_worth),
        cmocka_unit_test(the_printed_interval_is_widened_where_samples_depend),
        cmocka_unit_test(one_configuration_for_all_costs_what_it_loses),
        cmocka_unit_test(runs_of_two_versions_are_not_measured_alike),
        cmocka_unit_test(a_slower_device_is_slower),
        cmocka_unit_test(what_was_searched_less_is_ambiguous),
        cmocka_unit_test(the_library_is_a_figure_where_it_is_better),
        cmocka_unit_test(no_native_path_is_said),
        cmocka_unit_test(runs_of_one_model_tell_how_much_it_varies),
        cmocka_unit_test(processes_decide_or_say_how_many_would),
        cmocka_unit_test(what_is_no_comparison_is_an_error),
        cmocka_unit_test(other_workloads_are_not_judged),
        cmocka_unit_test(other_scripts_of_one_name_are_told),
        cmocka_unit_test(undeclared_work_is_known_by_its_script),
        cmocka_unit_test(what_is_ambiguous_throughout_is_said_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
