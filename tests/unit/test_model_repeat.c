/* SPDX-License-Identifier: Apache-2.0 */
/* What the two intervals of a time from several processes are worth (harness/model/stats/repeat.h): trials with a
 * planted variance between processes and within them. Prints its figures; docs/statistics.md quotes them. */
#include "model_fixture.h"

#include "base/hash.h"
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
} kernel;

/* By 200,001 samples, each of a process of its own; once per shape. */
static double pooled_median(between shape, double within) {
    enum { MANY = 200001 };
    static double known[BETWEEN_COUNT];
    static bool is_known[BETWEEN_COUNT];
    if (!is_known[shape]) {
        double *samples = test_calloc(MANY, sizeof *samples);
        uint64_t seed = 99;
        for (size_t i = 0; i < MANY; i++) {
            samples[i] = draw_between(shape, &seed) + within * noise_normal(&seed);
        }
        known[shape] = rft_median_of(samples, MANY);
        is_known[shape] = true;
        test_free(samples);
    }
    return known[shape];
}

#define WITHIN 1.2 /* samples scatter by that many deviations between processes: as on H200s, 0.5 to 4 there */
#define UNLIKE 0.4 /* kernels scatter about what their time says, in log(deviation) */
#define SHORTEST 2.5e-6
#define SHORTEST_SD                                                                                                    \
    0.0208 /* 4.07 % / 1.96: a GEMV of n = 1024 on H200s; 0.16 % / 1.96 at n = 16384, 50 times as long */

static void draw_kernels(kernel *kernels, size_t count, between shape, uint64_t *seed) {
    for (size_t i = 0; i < count; i++) {
        kernel *k = &kernels[i];
        double share = count > 1 ? (double)i / (double)(count - 1) : rft_random_unit(seed);
        k->shape = shape == MIXED ? (between)(rft_random_unit(seed) * MIXED) : shape;
        k->time_s = SHORTEST * pow(50.0, share);
        k->sd = SHORTEST_SD * pow(k->time_s / SHORTEST, -0.83) * exp(UNLIKE * noise_normal(seed));
        k->within = k->sd * WITHIN;
        k->truth = k->time_s * exp(k->sd * pooled_median(k->shape, WITHIN));
    }
}

static void draw_run(const kernel *kernels, size_t count, size_t processes, rft_repeat *out, uint64_t *seed) {
    double medians[MOST_KERNELS][MOST_PROCESSES], all[MOST_PROCESSES * SAMPLES], own[SAMPLES];
    rft_repeat_item items[MOST_KERNELS];
    for (size_t i = 0; i < count; i++) {
        const kernel *k = &kernels[i];
        double moved = RFT_REPEAT_FLOOR_FRAC / 1.96 * noise_normal(seed);
        for (size_t p = 0; p < processes; p++) {
            double level = k->sd * draw_between(k->shape, seed) + moved;
            for (size_t s = 0; s < SAMPLES; s++) {
                all[p * SAMPLES + s] = own[s] = k->time_s * exp(level + k->within * noise_normal(seed));
            }
            medians[i][p] = rft_median_of(own, SAMPLES);
        }
        double pooled = rft_median_of(all, processes * SAMPLES);
        items[i] =
            (rft_repeat_item){.medians = medians[i], .count = processes, .pooled = pooled, .low = NAN, .high = NAN};
    }
    rft_repeat_of(items, count, count, out);
}

typedef struct tally {
    double confidence, repeat; /* per cent */
    int trials;
} tally;

static tally cover(between shape, size_t kernel_count, size_t processes) {
    tally out = {0};
    uint64_t seed = 18;
    for (int trial = 0; trial < TRIALS / (int)kernel_count; trial++) {
        kernel kernels[MOST_KERNELS];
        rft_repeat a[MOST_KERNELS], b[MOST_KERNELS];
        draw_kernels(kernels, kernel_count, shape, &seed);
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
    static const size_t kernel_counts[] = {1, 3, 5, 10, 15}, process_counts[] = {2, 3, 4, 6, 10, 30};
    for (int shape = 0; shape < BETWEEN_COUNT; shape++) {
        for (size_t p = 0; p < sizeof process_counts / sizeof *process_counts; p++) {
            print_message("%-16s %2zu processes:", between_names[shape], process_counts[p]);
            for (size_t k = 0; k < sizeof kernel_counts / sizeof *kernel_counts; k++) {
                tally t = cover((between)shape, kernel_counts[k], process_counts[p]);
                bool own = kernel_counts[k] < 5, few = process_counts[p] < 6, rare = shape == RARE || shape == SKEWED;
                double least = own && few ? 84.0 : rare ? 90.0 : few ? 89.0 : 91.5;
                double slack = 2.5 * noise_slack(95.0, t.trials, 1000000) / 2.0;
                print_message("  %2zu: %4.1f %4.1f", kernel_counts[k], t.confidence, t.repeat);
                assert_true(t.confidence >= least - slack && t.repeat >= least - slack);
                assert_true(t.confidence <= 99.5 && t.repeat <= 99.0 + slack);
            }
            print_message("\n");
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_cover)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
