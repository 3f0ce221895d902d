/* SPDX-License-Identifier: Apache-2.0 */
/* What the two intervals of a time from several processes are worth (harness/model/stats/repeat.h): trials with a
 * planted variance between processes and within them. Prints its figures; docs/statistics.md quotes them. */
#include "model_fixture.h"

#include "base/hash.h"
#include "model/compare/compare_rule.h"
#include "model/run/run_repeat.h"
#include "model/stats/repeat.h"
#include "unit/noise.h"

#include <string.h>

enum { SAMPLES = 20, MOST_PROCESSES = 30, MOST_KERNELS = 15, TRIALS = DRAWS_LEAST(2400, 600) };

/* ---- what is planted between processes: mean 0, standard deviation 1 ---- */
typedef enum between { NORMAL, HALVES, UNEQUAL, RARE, HEAVY, SKEWED, MIXED, BETWEEN_COUNT } between;
static const char *const between_names[] = {"one mode",         "two modes 1:1", "two modes 7:3", "two modes 4:1",
                                            "heavy tails (t3)", "long tail",     "any of them"};

static double slow_share(between shape) {
    return shape == HALVES ? 0.5 : shape == UNEQUAL ? 0.3 : 0.2;
}

#define MODES 0.98  /* of the deviation lies between the modes, */
#define IN_MODE 0.2 /* and that in each */

static double draw_between(between shape, uint64_t *seed) {
    switch (shape) {
    case HALVES:
    case UNEQUAL:
    case RARE: {
        double p = slow_share(shape), gap = MODES / sqrt(p * (1.0 - p));
        return (rft_random_unit(seed) < p ? 1.0 - p : -p) * gap + IN_MODE * noise_normal(seed);
    }
    case HEAVY: {
        double chi = 0.0, z = noise_normal(seed);
        for (int i = 0; i < 3; i++) {
            chi += pow(noise_normal(seed), 2.0);
        }
        return z / sqrt(chi); /* t3 over its own sqrt(3) */
    }
    case SKEWED:
        return -log(1.0 - rft_random_unit(seed)) - 1.0;
    default:
        return noise_normal(seed);
    }
}

typedef struct kernel {
    between shape;
    double time_s, sd, within; /* between processes, and of samples, in logarithms */
    double truth;              /* the pooled median of many processes */
    double shared;             /* of the variance between processes is the same luck for all kernels */
} kernel;

/* The k-th smallest comes to its place, those before it are no larger (Hoare's selection). */
static double select_nth(double *x, size_t n, size_t k) {
    for (size_t low = 0, high = n - 1; low < high;) {
        double pivot = x[(low + high) / 2];
        size_t i = low, j = high;
        for (;; i++, j--) {
            while (x[i] < pivot) {
                i++;
            }
            while (x[j] > pivot) {
                j--;
            }
            if (i >= j) {
                break;
            }
            double kept = x[i];
            x[i] = x[j];
            x[j] = kept;
        }
        if (k <= j) {
            high = j;
        } else {
            low = j + 1;
        }
    }
    return x[k];
}

/* As rft_median_of(), without sorting: that is most of the time of these trials. */
static double median_of(double *x, size_t n) {
    double upper = select_nth(x, n, n / 2);
    return n % 2 ? upper : (select_nth(x, n / 2, n / 2 - 1) + upper) / 2.0;
}

/* By 200,001 samples, each of a process of its own; once per shape and scatter of samples. */
static double pooled_median(between shape, double within) {
    enum { MANY = 200001 };
    static double known[BETWEEN_COUNT], known_within[BETWEEN_COUNT];
    if (known_within[shape] != within) {
        double *samples = test_calloc(MANY, sizeof *samples);
        uint64_t seed = 99;
        for (size_t i = 0; i < MANY; i++) {
            samples[i] = draw_between(shape, &seed) + within * noise_normal(&seed);
        }
        known[shape] = median_of(samples, MANY);
        known_within[shape] = within;
        test_free(samples);
    }
    return known[shape];
}

#define WITHIN 1.2 /* samples scatter by that many deviations between processes: as on H200s, 0.5 to 4 there */
#define UNLIKE 0.4 /* kernels scatter about what their time says, in log(deviation) */
#define SHORTEST 2.5e-6
#define SHORTEST_SD                                                                                                    \
    0.0208 /* 4.07 % / 1.96: a GEMV of n = 1024 on H200s; 0.16 % / 1.96 at n = 16384, 50 times as long */

static void draw_kernels_of(kernel *kernels, size_t count, between shape, double unlike, double within,
                            uint64_t *seed) {
    for (size_t i = 0; i < count; i++) {
        kernel *k = &kernels[i];
        double share = count > 1 ? (double)i / (double)(count - 1) : rft_random_unit(seed);
        k->shape = shape == MIXED ? (between)(rft_random_unit(seed) * MIXED) : shape;
        k->time_s = SHORTEST * pow(50.0, share);
        k->sd = SHORTEST_SD * pow(k->time_s / SHORTEST, -0.83) * exp(unlike * noise_normal(seed));
        k->within = k->sd * within;
        k->shared = 0.0;
        k->truth = k->time_s * exp(k->sd * pooled_median(k->shape, within));
    }
}

static void draw_kernels(kernel *kernels, size_t count, between shape, uint64_t *seed) {
    draw_kernels_of(kernels, count, shape, UNLIKE, WITHIN, seed);
}

static void draw_run(const kernel *kernels, size_t count, size_t processes, rft_repeat *out, uint64_t *seed) {
    double medians[MOST_KERNELS][MOST_PROCESSES], all[MOST_PROCESSES * SAMPLES], own[SAMPLES];
    double luck[MOST_PROCESSES];
    rft_repeat_item items[MOST_KERNELS];
    for (size_t p = 0; p < processes; p++) {
        luck[p] = noise_normal(seed);
    }
    for (size_t i = 0; i < count; i++) {
        const kernel *k = &kernels[i];
        double moved = RFT_REPEAT_FLOOR_FRAC / 1.96 * noise_normal(seed);
        for (size_t p = 0; p < processes; p++) {
            double own_luck = sqrt(1.0 - k->shared) * draw_between(k->shape, seed);
            double level = k->sd * (own_luck + sqrt(k->shared) * luck[p]) + moved;
            noise_normals(own, SAMPLES, seed);
            for (size_t s = 0; s < SAMPLES; s++) {
                all[p * SAMPLES + s] = own[s] = level + k->within * own[s];
            }
            medians[i][p] = k->time_s * exp(median_of(own, SAMPLES));
        }
        double pooled = k->time_s * exp(median_of(all, processes * SAMPLES));
        items[i] = (rft_repeat_item){
            .medians = medians[i], .count = processes, .pooled = pooled, .low = NAN, .high = NAN, .problem = i};
    }
    rft_repeat_of(items, count, count, out);
}

typedef struct tally {
    double confidence, repeat; /* per cent */
    int trials;
} tally;

static tally cover(between shape, size_t kernel_count, size_t processes, double unlike, double within) {
    tally out = {0};
    uint64_t seed = 18;
    for (int trial = 0; trial < TRIALS / (int)kernel_count; trial++) {
        kernel kernels[MOST_KERNELS];
        rft_repeat a[MOST_KERNELS], b[MOST_KERNELS];
        draw_kernels_of(kernels, kernel_count, shape, unlike, within, &seed);
        draw_run(kernels, kernel_count, processes, a, &seed);
        draw_run(kernels, kernel_count, processes, b, &seed);
        for (size_t i = 0; i < kernel_count; i++) {
            out.confidence += a[i].low <= kernels[i].truth && kernels[i].truth <= a[i].high;
            out.repeat += a[i].repeat_low <= b[i].figure && b[i].figure <= a[i].repeat_high;
            out.trials++;
        }
    }
    out.confidence *= 100.0 / out.trials;
    out.repeat *= 100.0 / out.trials;
    return out;
}

static void both_cover(void **state) {
    (void)state;
    /* under five kernels there is no line: each stands for itself */
    static const size_t kernel_counts[] = {1, 5, 10, 15}, process_counts[] = {2, 3, 4, 6, 10, 30};
    for (int shape = 0; shape < BETWEEN_COUNT; shape++) {
        for (size_t p = 0; p < sizeof process_counts / sizeof *process_counts; p++) {
            print_message("%-16s %2zu processes:", between_names[shape], process_counts[p]);
            for (size_t k = 0; k < sizeof kernel_counts / sizeof *kernel_counts; k++) {
                tally t = cover((between)shape, kernel_counts[k], process_counts[p], UNLIKE, WITHIN);
                bool few = process_counts[p] < 5;
                bool unequal = shape == UNEQUAL || shape == RARE || shape == SKEWED || shape == MIXED;
                double least = shape == NORMAL ? 93.0 : few ? 82.0 : unequal ? 86.0 : 91.0;
                double most = few && shape != NORMAL ? 98.0 : 97.0;
                double slack = 2.5 * noise_slack(95.0, t.trials, 1000000) / 2.0;
                print_message("  %2zu: %4.1f %4.1f", kernel_counts[k], t.confidence, t.repeat);
                assert_true(t.confidence >= least - slack && t.repeat >= least - slack);
                assert_true(t.confidence <= most + slack && t.repeat <= most + slack);
            }
            print_message("\n");
        }
    }
}

/* Neither how unlike the problems' variances are, nor which share of the variance is from samples, need be as above. */
static void they_cover_whatever_the_shares_are(void **state) {
    (void)state;
    static const double unlikes[] = {0.0, 0.8}, withins[] = {0.3, 4.0};
    static const size_t kernel_counts[] = {5, 10}, process_counts[] = {2, 4, 6};
    for (size_t u = 0; u < 2; u++) {
        for (size_t w = 0; w < 2; w++) {
            print_message("problems unlike by %.1f, samples by %.1f:", unlikes[u], withins[w]);
            for (size_t i = 0; i < 6; i++) {
                tally t = cover(NORMAL, kernel_counts[i % 2], process_counts[i / 2], unlikes[u], withins[w]);
                double slack = 2.5 * noise_slack(95.0, t.trials, 1000000) / 2.0;
                print_message("  %zu of %zu: %4.1f %4.1f", process_counts[i / 2], kernel_counts[i % 2], t.confidence,
                              t.repeat);
                assert_true(t.confidence >= 93.0 - slack && t.repeat >= 93.0 - slack);
                assert_true(t.confidence <= 97.0 + slack && t.repeat <= 97.0 + slack);
            }
            print_message("\n");
        }
    }
}

/* Of five processes one is slow: many have their figure 0.4 deviations above the pooled median, which the interval has
 * to reach. Where there is one mode it is no wider for it. */
static void the_interval_reaches_for_the_median(void **state) {
    (void)state;
    enum { PROCESSES = 30, RUNS = DRAWS_LEAST(2000, 300) };
    static const between shapes[] = {NORMAL, RARE};
    double covered[2] = {0}, wider[2] = {0};
    for (size_t s = 0; s < 2; s++) {
        uint64_t seed = 31;
        for (int run = 0; run < RUNS; run++) {
            kernel one;
            rft_repeat r;
            draw_kernels_of(&one, 1, shapes[s], UNLIKE, 0.3, &seed);
            draw_run(&one, 1, PROCESSES, &r, &seed);
            double half = log(r.repeat_high / r.repeat_low) / 2.0 / sqrt(2.0); /* without what reaches further */
            covered[s] += (r.low <= one.truth && one.truth <= r.high) * 100.0 / RUNS;
            wider[s] += (log(r.high / r.low) / 2.0 / half - 1.0) * 100.0 / RUNS;
            assert_true(r.low <= r.figure * exp(-half) * (1.0 + 1e-12) &&
                        r.high >= r.figure * exp(half) * (1.0 - 1e-12));
        }
    }
    print_message("30 processes: one mode %.1f %% covered, %.1f %% wider; two modes 4:1 %.1f %%, %.1f %% wider\n",
                  covered[0], wider[0], covered[1], wider[1]);
    assert_true(covered[0] >= 92.0 && covered[1] >= 90.5);
    assert_true(wider[0] <= 6.0 && wider[1] >= 15.0 && wider[1] <= 40.0);
}

/* A process that is quick or slow in all it runs: problems are not independent then, as the pooling takes them. On
 * H200s medians of other problems correlate by 0.0 to 0.1. */
static void shared_luck_costs_little(void **state) {
    (void)state;
    static const size_t process_counts[] = {2, 3, 6};
    for (size_t c = 0; c < sizeof process_counts / sizeof *process_counts; c++) {
        enum { KERNELS = 8, RUNS = DRAWS_LEAST(2000, 250) };
        double covered = 0.0, foretold = 0.0;
        uint64_t seed = 21;
        for (int run = 0; run < RUNS; run++) {
            kernel kernels[KERNELS];
            rft_repeat a[KERNELS], b[KERNELS];
            draw_kernels(kernels, KERNELS, NORMAL, &seed);
            for (size_t i = 0; i < KERNELS; i++) {
                kernels[i].shared = 0.3;
            }
            draw_run(kernels, KERNELS, process_counts[c], a, &seed);
            draw_run(kernels, KERNELS, process_counts[c], b, &seed);
            for (size_t i = 0; i < KERNELS; i++) {
                covered += a[i].low <= kernels[i].truth && kernels[i].truth <= a[i].high;
                foretold += a[i].repeat_low <= b[i].figure && b[i].figure <= a[i].repeat_high;
            }
        }
        double each = 100.0 / RUNS / KERNELS;
        print_message("correlation of 0.3 among problems, %zu processes: confidence %.1f %%, repeat %.1f %%\n",
                      process_counts[c], covered * each, foretold * each);
        assert_true(covered * each >= 92.0 && foretold * each >= 92.0);
    }
}

/* The nine configurations of one H200 that were taken in 24 fresh processes each: medians over their own median, in
 * tenths of a per cent. The estimand is then the median of all 24. */
typedef struct recorded {
    const char *name;
    double median_us;
    int tenths[24];
} recorded;

static const recorded h200[] = {
    {"gemv 1024", 4.768, {27,  -20, -7, -20, 37, 0,  -7, 0, -13, 13, -7, 0,
                          -13, 34,  37, 20,  7,  23, 0,  7, 27,  20, -7, -13}},
    {"matmul 128", 6.128, {-18, -3, 13, 55, 8,  3, 13, -3, -18, -3, -10, -3,
                           8,   76, -3, -3, -8, 8, -3, 8,  29,  -8, 8,   81}},
    {"gemv 2048", 6.408, {24, 4,  -16, -6, 9,   4, -26, -11, 6,  -1, -16, 1,
                          11, 14, -26, 29, -16, 4, -6,  -16, 64, -9, 14,  -14}},
    {"gemv 4096", 11.808, {5, -3, -3, 3, 5, -3, -1, -8, -12, 0, 0, 14, 3, 5, 0, 0, 3, -8, -3, -3, -5, 3, 11, -5}},
    {"softmax 1024", 31.584, {2, -3, -2, -1, 0, 2, -2, 0, -4, 5, 1, -4, -2, 1, -5, -4, 0, 1, 4, 2, 4, 1, 5, -1}},
    {"gemv 8192", 33.352, {3, -1, 1, 1, 3, 0, -2, -4, 0, 1, 5, 4, 0, -1, -3, -1, 1, 0, 1, 3, -2, -1, -1, 1}},
    {"matmul 1024", 57.608, {2, 3, 2, 6, 3, 6, 5, 0, 4, 0, -1, -1, -1, -2, -2, 5, -3, -1, -2, 0, 4, -5, 1, -3}},
    {"gemv 16384", 120.28, {1, 0, -1, 0, 0, 0, -1, 0, 0, 2, 1, 0, 1, 0, -1, 0, -2, -1, 0, 0, 1, -1, 0, 1}},
    {"matmul 4096", 2897.048, {1, 0, 1, -1, 0, 0, 0, -1, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0}},
};
enum { RECORDED = sizeof h200 / sizeof *h200 };

static double recorded_median(const recorded *of, size_t process) {
    return of->median_us * (1.0 + of->tenths[process] / 1000.0);
}

/* As one run would have read them: `processes` of the 24, drawn with replacement. */
static void redraw(size_t processes, rft_repeat *out, uint64_t *seed) {
    double medians[RECORDED][MOST_PROCESSES], sorted[MOST_PROCESSES];
    rft_repeat_item items[RECORDED];
    for (size_t i = 0; i < RECORDED; i++) {
        for (size_t p = 0; p < processes; p++) {
            sorted[p] = medians[i][p] = recorded_median(&h200[i], (size_t)(rft_random_unit(seed) * 24.0));
        }
        items[i] = (rft_repeat_item){.medians = medians[i],
                                     .count = processes,
                                     .pooled = rft_median_of(sorted, processes),
                                     .low = NAN,
                                     .high = NAN,
                                     .step = 0.032,
                                     .problem = i};
    }
    rft_repeat_of(items, RECORDED, RECORDED, out);
}

/* ---- verdicts on equal runs ---- */
static rft_compare_verdict verdict_of(const rft_repeat *a, const rft_repeat *b) {
    rft_stats x = {.median = a->figure, .low = a->low, .high = a->high, .interval_is_95 = true};
    rft_stats y = {.median = b->figure, .low = b->low, .high = b->high, .interval_is_95 = true};
    rft_compare_case of = {.ratio = rft_compare_ratio_of(&x, &y), .first_roof = NAN, .other_roof = NAN, .spread = NAN};
    return rft_compare_judge(&of, NULL);
}

static void recorded_processes_are_covered(void **state) {
    (void)state;
    enum { RUNS = DRAWS(8000) };
    static const size_t process_counts[] = {6, 8, 10};
    for (size_t c = 0; c < sizeof process_counts / sizeof *process_counts; c++) {
        double covered = 0.0, foretold = 0.0, shown = 0.0;
        uint64_t seed = 5;
        double same[RECORDED] = {0};
        for (int run = 0; run < RUNS; run++) {
            rft_repeat a[RECORDED], b[RECORDED];
            redraw(process_counts[c], a, &seed);
            redraw(process_counts[c], b, &seed);
            for (size_t i = 0; i < RECORDED; i++) {
                rft_compare_verdict verdict = verdict_of(&a[i], &b[i]);
                covered += a[i].low <= h200[i].median_us && h200[i].median_us <= a[i].high;
                foretold += a[i].repeat_low <= b[i].figure && b[i].figure <= a[i].repeat_high;
                shown += verdict == RFT_COMPARE_FASTER || verdict == RFT_COMPARE_SLOWER;
                same[i] += (verdict == RFT_COMPARE_SAME) * 100.0 / RUNS;
            }
        }
        double each = 100.0 / RUNS / RECORDED;
        print_message("H200, %2zu of 24 processes: confidence %.1f %%, repeat %.1f %%, false verdicts %.2f %%; SAME",
                      process_counts[c], covered * each, foretold * each, shown * each);
        for (size_t i = 0; i < RECORDED; i++) {
            print_message(" %s %.0f %%%s", h200[i].name, same[i], i + 1 < RECORDED ? "," : "\n");
        }
        assert_true(covered * each >= 94.0 && foretold * each >= 94.0);
        assert_true(shown * each <= 0.3);
        for (size_t i = 4; i < RECORDED; i++) { /* 1.96 standard deviations of 0.6 % and less */
            assert_true(same[i] >= 95.0);
        }
    }
}

/* Planted, as n = 1024, 4096, 8192, 16384 of the GEMV, and one of 0.4 %: between processes, as 1.96 sd. */
static void equal_runs_are_no_difference(void **state) {
    (void)state;
    enum { KERNELS = 5, RUNS = DRAWS_LEAST(4000, 500) };
    static const double percents[KERNELS] = {4.07, 0.97, 0.47, 0.40, 0.16}, times_us[KERNELS] = {2.5, 9, 32, 60, 119};
    static const size_t process_counts[] = {6, 8, 10};
    for (int shape = 0; shape < BETWEEN_COUNT; shape++) {
        for (size_t c = 0; c < sizeof process_counts / sizeof *process_counts; c++) {
            double shown = 0.0, worst = 0.0, same[KERNELS] = {0};
            uint64_t seed = 3;
            kernel kernels[KERNELS];
            double false_of[KERNELS] = {0};
            for (int run = 0; run < RUNS; run++) {
                rft_repeat a[KERNELS], b[KERNELS];
                for (size_t i = 0; i < KERNELS; i++) {
                    between drawn = shape == MIXED ? (between)(rft_random_unit(&seed) * MIXED) : (between)shape;
                    double sd = percents[i] / 196.0;
                    kernels[i] = (kernel){drawn, times_us[i] * 1e-6, sd, sd * WITHIN, NAN, 0.0};
                }
                draw_run(kernels, KERNELS, process_counts[c], a, &seed);
                draw_run(kernels, KERNELS, process_counts[c], b, &seed);
                for (size_t i = 0; i < KERNELS; i++) {
                    rft_compare_verdict verdict = verdict_of(&a[i], &b[i]);
                    false_of[i] += (verdict == RFT_COMPARE_FASTER || verdict == RFT_COMPARE_SLOWER) * 100.0 / RUNS;
                    same[i] += (verdict == RFT_COMPARE_SAME) * 100.0 / RUNS;
                }
            }
            print_message("equal runs, %-16s %2zu processes: SAME", between_names[shape], process_counts[c]);
            for (size_t i = 0; i < KERNELS; i++) {
                shown += false_of[i] / KERNELS;
                worst = fmax(worst, false_of[i]);
                print_message(" %.2f %%: %.0f %%,", percents[i], same[i]);
            }
            print_message(" false %.2f %% (worst kernel %.2f %%)\n", shown, worst);
            assert_true(shown <= 0.6 && worst <= 2.0);
            assert_true(same[3] >= 90.0 && same[4] >= 98.0);
        }
    }
}

static void a_true_difference_is_found(void **state) {
    (void)state;
    enum { RUNS = 200 };
    uint64_t seed = 8;
    int faster = 0;
    for (int run = 0; run < RUNS; run++) {
        kernel slow = {NORMAL, 60e-6 * 1.02, 0.004 / 1.96, 0.005, NAN, 0.0},
               quick = {NORMAL, 60e-6, 0.004 / 1.96, 0.005, NAN, 0.0};
        rft_repeat a, b;
        draw_run(&slow, 1, 6, &a, &seed);
        draw_run(&quick, 1, 6, &b, &seed);
        faster += verdict_of(&a, &b) == RFT_COMPARE_FASTER;
    }
    print_message("2 %% faster, 0.4 %% between processes, six of them: FASTER in %d of %d\n", faster, RUNS);
    assert_true(faster >= RUNS * 95 / 100);
}

/* ---- looking after every process: it stops where the interval is narrow, by luck too ---- */

/* As a run takes them: every kernel one process more at a time, until its repeat interval is within 0.5 % or there are
 * `most`; the variance is pooled over the kernels at every look. */
static size_t take_until_narrow(const kernel *kernels, size_t count, size_t most, rft_repeat *out, uint64_t *seed) {
    double medians[MOST_KERNELS][MOST_PROCESSES], sorted[MOST_PROCESSES];
    rft_repeat_item items[MOST_KERNELS] = {{0}};
    bool done[MOST_KERNELS] = {false};
    size_t taken = 0;
    for (size_t n = 1; n <= most; n++) {
        for (size_t i = 0; i < count; i++) {
            rft_repeat one;
            if (!done[i]) {
                draw_run(&kernels[i], 1, 1, &one, seed);
                medians[i][n - 1] = one.figure;
                memcpy(sorted, medians[i], n * sizeof *sorted);
                items[i] = (rft_repeat_item){.medians = medians[i],
                                             .count = n,
                                             .pooled = rft_median_of(sorted, n),
                                             .low = NAN,
                                             .high = NAN,
                                             .problem = i};
                taken++;
            }
        }
        rft_repeat_of(items, count, count, out);
        for (size_t i = 0; i < count; i++) {
            done[i] = done[i] || (n > 1 && rft_repeat_within(&out[i], RFT_COMPARE_REPEAT_FRAC));
        }
    }
    return taken;
}

static void stopping_by_the_interval_costs_little_coverage(void **state) {
    (void)state;
    static const size_t kernel_counts[] = {1, 5, 10};
    for (size_t c = 0; c < sizeof kernel_counts / sizeof *kernel_counts; c++) {
        for (int shape = 0; shape < BETWEEN_COUNT; shape++) {
            double covered = 0.0, foretold = 0.0, processes = 0.0, shown = 0.0;
            size_t count = kernel_counts[c], runs = DRAWS_LEAST(4000, 1000) / count;
            uint64_t seed = 12;
            for (size_t run = 0; run < runs; run++) {
                kernel kernels[MOST_KERNELS];
                rft_repeat a[MOST_KERNELS], b[MOST_KERNELS];
                draw_kernels(kernels, count, (between)shape, &seed);
                processes += (double)take_until_narrow(kernels, count, 12, a, &seed);
                take_until_narrow(kernels, count, 12, b, &seed);
                for (size_t i = 0; i < count; i++) {
                    rft_compare_verdict verdict = verdict_of(&a[i], &b[i]);
                    covered += a[i].low <= kernels[i].truth && kernels[i].truth <= a[i].high;
                    foretold += a[i].repeat_low <= b[i].figure && b[i].figure <= a[i].repeat_high;
                    shown += verdict == RFT_COMPARE_FASTER || verdict == RFT_COMPARE_SLOWER;
                }
            }
            double each = 100.0 / (double)(runs * count);
            print_message("taken until +-0.5 %%, 12 at most, %2zu kernels, %-16s %4.1f processes: confidence %.1f %%, "
                          "repeat %.1f %%, false verdicts %.2f %%\n",
                          count, between_names[shape], processes * each / 100.0, covered * each, foretold * each,
                          shown * each);
            double slack = noise_slack(90.0, (int)(runs * count), 4000);
            assert_true(covered * each >= 88.0 - slack && foretold * each >= 88.0 - slack);
            assert_true(shown * each <= 0.8);
        }
    }
}

/* ---- the edges ---- */
static void one_process_knows_itself(void **state) {
    (void)state;
    const double one[] = {1e-3};
    rft_repeat_item item = {.medians = one, .count = 1, .pooled = 1e-3, .low = 0.99e-3, .high = 1.02e-3};
    rft_repeat out;
    rft_repeat_of(&item, 1, 1, &out);
    assert_true(out.figure == 1e-3 && out.low == item.low && out.high == item.high && out.processes == 1);
    assert_true(isnan(out.repeat_low) && isnan(out.repeat_high) && isnan(out.deviation_frac));
    assert_false(rft_repeat_is_known(&out) || rft_repeat_within(&out, 1.0));
    assert_int_equal(rft_repeat_processes_for(&out, 0.01), 0);
    item.count = 0;
    rft_repeat_of(&item, 1, 1, &out);
    assert_true(isnan(out.figure) && out.processes == 0 && !rft_repeat_is_known(&out));
}

/* Five others in six processes each: the sixth, in one, takes their variance, and its own scatter beside it. */
static void a_sweep_speaks_for_one_process(void **state) {
    (void)state;
    static const double steps[] = {-0.006, -0.003, -0.001, 0.001, 0.003, 0.006};
    double medians[5][6], one = 2e-3;
    rft_repeat_item items[6];
    rft_repeat out[6], wide[6];
    for (size_t i = 0; i < 5; i++) {
        for (size_t p = 0; p < 6; p++) {
            medians[i][p] = 1e-3 * (double)(1 + i) * (1.0 + steps[(p + i) % 6]);
        }
        items[i] = (rft_repeat_item){.medians = medians[i], .count = 6, .pooled = 1e-3 * (double)(1 + i), .problem = i};
    }
    items[5] =
        (rft_repeat_item){.medians = &one, .count = 1, .pooled = one, .low = 1.999e-3, .high = 2.001e-3, .problem = 1};
    rft_repeat_of(items, 6, 6, out);
    assert_true(out[5].pooled && out[5].freedom > 3.0 && out[0].freedom > 8.0);
    assert_true(out[5].repeat_high - out[5].repeat_low > 2.0 * (out[1].repeat_high - out[1].repeat_low));
    items[5].low = 1.9e-3;
    rft_repeat_of(items, 6, 6, wide);
    assert_true(wide[5].repeat_high > out[5].repeat_high);
    /* those behind `pooled` are samples of others again: they count once */
    items[5] = items[4];
    rft_repeat_of(items, 5, 6, wide);
    assert_true(wide[4].freedom == wide[5].freedom && wide[5].low == wide[4].low);
    /* as many kernels of one problem are no more than one: they share buffers, and their luck */
    for (size_t i = 0; i < 5; i++) {
        items[i].problem = 0;
    }
    rft_repeat_of(items, 5, 5, wide);
    assert_true(!wide[0].pooled && wide[0].freedom == 5.0);
    /* four problems are too few for a line: each stands for itself */
    rft_repeat_of(items, 4, 4, wide);
    assert_true(!wide[0].pooled && wide[0].freedom == 5.0);
}

static void the_timers_step_is_in_it(void **state) {
    (void)state;
    const double alike[] = {5e-6, 5e-6, 5e-6, 5e-6, 5e-6, 5e-6};
    rft_repeat_item item = {.medians = alike, .count = 6, .pooled = 5e-6};
    rft_repeat fine, coarse;
    rft_repeat_of(&item, 1, 1, &fine);
    item.step = 32e-9;
    rft_repeat_of(&item, 1, 1, &coarse);
    assert_true(rft_repeat_half_width_frac(&coarse) > 2.0 * rft_repeat_half_width_frac(&fine));
    /* agreement to the last digit is no proof: the floor stays */
    assert_true(rft_repeat_half_width_frac(&fine) > RFT_REPEAT_FLOOR_FRAC);
}

static void processes_for_a_margin(void **state) {
    (void)state;
    rft_repeat r = {.figure = 1.0, .deviation_frac = 0.04, .freedom = 5.0, .processes = 6};
    size_t n = rft_repeat_processes_for(&r, 0.01); /* 2 (0.04 / 0.01)^2 = 32, a little more by Student's t and floor */
    assert_true(n >= 32 && n <= 36);
    assert_true(rft_repeat_processes_for(&r, 0.02) >= 8 && rft_repeat_processes_for(&r, 0.02) <= 12);
    assert_int_equal(rft_repeat_processes_for(&r, RFT_REPEAT_FLOOR_FRAC), 0); /* the floor alone is more */
    r.deviation_frac = 0.001;
    assert_int_equal(rft_repeat_processes_for(&r, 0.01), 6); /* six, whatever they say */
    r.other_freedom = 20.0;
    assert_int_equal(rft_repeat_processes_for(&r, 0.01), 2); /* unless the sweep knows */
}

static void ties_are_what_a_run_could_read(void **state) {
    (void)state;
    rft_repeat a = {.figure = 1.0, .repeat_low = 0.98, .repeat_high = 1.02, .freedom = 9.0, .processes = 10};
    rft_repeat b = {.figure = 1.019, .repeat_low = 1.018, .repeat_high = 1.02, .freedom = 9.0, .processes = 10};
    assert_true(rft_repeat_tie(&a, 0.0, &b, 0.0) && rft_repeat_tie(&b, 0.0, &a, 0.0));
    b = (rft_repeat){.figure = 1.03, .repeat_low = 1.015, .repeat_high = 1.045, .freedom = 9.0, .processes = 10};
    assert_false(rft_repeat_tie(&a, 0.0, &b, 0.0)); /* the intervals overlap, but neither foretells the other */
    assert_true(rft_repeat_tie(&a, 0.02, &b, 0.0));
    a.repeat_low = 0.9999, a.repeat_high = 1.0001, b.figure = 1.004, b.repeat_low = 1.003;
    assert_true(rft_repeat_tie(&a, 0.0, &b, 0.0)); /* under 0.5 % */
}

static void students_t(void **state) {
    (void)state;
    static const double known[][3] = {{0.05, 1, 12.706}, {0.05, 2, 4.303},  {0.05, 3, 3.182},   {0.05, 5, 2.571},
                                      {0.05, 10, 2.228}, {0.05, 30, 2.042}, {0.05, 1e6, 1.960}, {0.01, 5, 4.032}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        assert_true(fabs(rft_student_t(known[i][0], known[i][1]) / known[i][2] - 1.0) < 1e-3);
    }
    double parted = rft_student_t(0.05, 1.5);
    assert_true(parted < 12.706 && parted > 4.303);
}

/* ---- a run ---- */
static void in_processes(rft_run *run, rft_measurement *m, double median_s, double spread_frac) {
    enum { PROCESSES = 6, EACH = 5 };
    m->n = (size_t)PROCESSES * EACH;
    m->samples_s = rft_arena_calloc(run->arena, m->n, sizeof *m->samples_s);
    m->process_n = rft_arena_calloc(run->arena, PROCESSES, sizeof *m->process_n);
    m->process_count = PROCESSES;
    for (size_t i = 0; i < m->n; i++) {
        m->process_n[i / EACH] = EACH;
        m->samples_s[i] = median_s * exp(spread_frac * ((double)(i / EACH) - 2.5)) * (1.0 + 1e-6 * (double)(i % EACH));
    }
    m->stats = rft_stats_of(m->samples_s, m->n);
}

static void every_point_gets_its_figure(void **state) {
    (void)state;
    rft_run *run = fixture_run();
    fixture_axis(run, "n", true, true);
    for (int64_t n = 1; n <= 5; n++) {
        size_t problem = fixture_problem(run, &n);
        rft_point *final = fixture_point(run, problem, NULL, 1e-3 * (double)n), *other;
        final->rounds[1] = final->rounds[0];
        in_processes(run, &final->rounds[1], 1e-3 * (double)n, 0.002 * (double)n);
        other = fixture_point(run, problem, NULL, 1.1e-3 * (double)n);
        other->id = final->id + 1;
    }
    run->points[9] = run->points[8]; /* the same samples under another id */
    run->points[9].alias_of = run->points[8].id;
    rft_stats before = run->points[0].rounds[0].stats;
    rft_run_fill_repeats(run);
    const rft_measurement *m = &run->points[0].rounds[1], *one = &run->points[1].rounds[0];
    assert_true(near(m->stats.median, 1e-3, 1e-5) && m->stats.median == m->repeat.figure);
    assert_true(m->stats.low == m->repeat.low && m->stats.high == m->repeat.high && m->repeat.processes == 6);
    assert_true(m->repeat.pooled && m->repeat.freedom > 5.0);
    assert_memory_equal(&before, &run->points[0].rounds[0].stats, sizeof before); /* not what is reported */
    assert_true(one->repeat.processes == 0 && rft_repeat_is_known(&one->repeat));
    assert_true(one->repeat.repeat_high > one->stats.high && one->stats.median == one->repeat.figure);
    assert_true(run->points[9].rounds[1].repeat.high == run->points[8].rounds[1].repeat.high);
    rft_repeat first = m->repeat, second = one->repeat;
    rft_run_fill_repeats(run); /* again: the same */
    assert_memory_equal(&first, &m->repeat, sizeof first);
    assert_memory_equal(&second, &one->repeat, sizeof second);
    for (size_t i = 0; i < run->point_count; i++) { /* nothing in several processes */
        run->points[i].rounds[1] = rft_measurement_none();
    }
    rft_run_fill_repeats(run);
    const rft_stats *alone = &run->points[0].rounds[0].stats;
    assert_true(alone->median == before.median);
    assert_true(alone->low < before.low && alone->high > before.high); /* its samples rise: they are not independent */
    assert_false(rft_repeat_is_known(&run->points[0].rounds[0].repeat));
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_point_gets_its_figure),
        cmocka_unit_test(both_cover),
        cmocka_unit_test(they_cover_whatever_the_shares_are),
        cmocka_unit_test(the_interval_reaches_for_the_median),
        cmocka_unit_test(shared_luck_costs_little),
        cmocka_unit_test(recorded_processes_are_covered),
        cmocka_unit_test(equal_runs_are_no_difference),
        cmocka_unit_test(a_true_difference_is_found),
        cmocka_unit_test(stopping_by_the_interval_costs_little_coverage),
        cmocka_unit_test(one_process_knows_itself),
        cmocka_unit_test(a_sweep_speaks_for_one_process),
        cmocka_unit_test(the_timers_step_is_in_it),
        cmocka_unit_test(processes_for_a_margin),
        cmocka_unit_test(ties_are_what_a_run_could_read),
        cmocka_unit_test(students_t),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
