/* SPDX-License-Identifier: Apache-2.0 */
/* Transitions of sweeps that are made up whole: problems, work, times with noise, ceilings. How often is the truth in
 * the interval, how wide is that, and how often is a transition found where there is none? */
#include "model_fixture.h"
#include "unit/noise.h"

#include "base/hash.h"
#include "model/stats/least_squares.h"
#include "model/transition/transition.h"

#define TRIALS DRAWS(2000)

/* A family of problems along x: bytes go with x^alpha, operations with x^(alpha + beta); the kernels reach parts of
 * both ceilings, equal times lie at x = place (its logarithm). */
typedef struct family {
    size_t count;
    double values[40];
    double alpha, beta, place, sharpness, noise;
    double memory_frac, pipe_frac;
} family;

static family some_family(uint64_t *seed) {
    family f = {.count = 5 + (size_t)rft_random_below(seed, 36), .alpha = noise_uniform(seed, 0.0, 1.0)};
    double step = log(noise_uniform(seed, f.count < 12 ? 1.5 : 1.15, 2.0)), at = noise_uniform(seed, 3.0, 5.0);
    f.beta = noise_uniform(seed, 0.5, 1.0);
    f.noise = 0.002 * pow(25.0, rft_random_unit(seed));
    f.sharpness = rft_random_below(seed, 3) == 0 ? 1e3 : 1.5 * pow(10.0, rft_random_unit(seed));
    f.memory_frac = noise_uniform(seed, 0.85, 1.0);
    f.pipe_frac = noise_uniform(seed, 0.85, 1.0);
    for (size_t i = 0; i < f.count; i++) {
        f.values[i] = round(1000.0 * exp(at + step * (double)i)); /* axes hold whole numbers */
    }
    f.place = noise_uniform(seed, log(f.values[1]), log(f.values[f.count - 2]));
    return f;
}

/* Time of memory at the place, whose size does not matter; long, so that no launch is near. */
#define PLACE_S 1e-3

static rft_work work_of(const family *f, double x) {
    double u = log(x) - f->place;
    rft_work work = {.bytes_read = PLACE_S * 4.4e12 * f->memory_frac * exp(f->alpha * u)};
    work.pipe_ops[RFT_PIPE_TENSOR_BF16] = PLACE_S * 700e12 * f->pipe_frac * exp((f->alpha + f->beta) * u);
    return work;
}

static double roof_time(const family *f, double x) {
    double u = log(x) - f->place, z = f->sharpness * f->beta * u;
    return PLACE_S * exp(f->alpha * u + (fmax(z, 0.0) + log1p(exp(-fabs(z)))) / f->sharpness);
}

/* What is said of the noise is an estimate of it, as from the samples of each point. */
static void add_point(rft_run *run, const family *f, double x, double time_s, uint64_t *seed) {
    int64_t value = (int64_t)x;
    rft_point *point = fixture_point(run, fixture_problem(run, &value), NULL, 1e-3);
    double measured = time_s * exp(f->noise * rft_normal(seed)), said = f->noise * exp(0.2 * rft_normal(seed));
    point->work = work_of(f, x);
    point->rounds[0].stats.median = measured;
    point->rounds[0].stats.low = measured * (1.0 - 1.96 * said);
    point->rounds[0].stats.high = measured * (1.0 + 1.96 * said);
    assert_true(point->rounds[0].stats.interval_is_95);
}

static rft_run *empty_run(void) {
    rft_run *run = fixture_run();
    fixture_axis(run, "x", true, true);
    return run;
}

static size_t transitions(rft_run *run, rft_transition **found) {
    rft_profile *profiles;
    assert_int_equal(rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles), 1);
    size_t count = rft_transitions_of(run, &profiles[0], run->arena, found);
    assert_true(count >= 1);
    return count;
}

/* Width that noise alone gives to the place: Cramer-Rao with everything but level, slope, bend and place known. */
static double noise_width(const family *f) {
    double told[4][4] = {{0.0}};
    for (size_t i = 0; i < f->count; i++) {
        double u = log(f->values[i]) - f->place, share = 1.0 / (1.0 + exp(-f->sharpness * f->beta * u));
        double row[4] = {1.0, u, share * u, -share * f->beta};
        noise_add_told(told, row, f->noise);
    }
    return noise_least_width(told);
}

static double step_around(const family *f) {
    size_t i = 1;
    while (i + 1 < f->count && log(f->values[i]) < f->place) {
        i++;
    }
    return log(f->values[i] / f->values[i - 1]);
}

static double percent(size_t part, size_t whole) {
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static void intervals_hold_the_truth(void **state) {
    (void)state;
    size_t found = 0, covered = 0, narrow = 0, second = 0, turns = 0;
    uint64_t seed = 77;
    for (int trial = 0; trial < TRIALS; trial++) {
        family f = some_family(&seed);
        rft_run *run = empty_run();
        for (size_t i = 0; i < f.count; i++) {
            add_point(run, &f, f.values[i], roof_time(&f, f.values[i]), &seed);
        }
        rft_transition *t;
        size_t count = transitions(run, &t), here = 0;
        for (size_t i = 0; i < count; i++) {
            turns += t[i].kind == RFT_TRANSITION_TURN;
            if (t[i].kind == RFT_TRANSITION_FOUND && t[i].by_times) {
                here++;
                covered += log(t[i].low) <= f.place && f.place <= log(t[i].high);
                narrow += log(t[i].high / t[i].low) <= step_around(&f) + 2.0 * noise_width(&f);
                assert_true(t[i].at_steps && t[i].evidence == RFT_EVIDENCE_DECLARED && t[i].why == NULL);
            }
        }
        found += here;
        second += here > 1;
        rft_run_free(run);
    }
    print_message(
        "%d sweeps with a transition: %.1f %% found, %.1f %% a turn without a change of bound; of those found "
        "%.1f %% hold the truth, %.2f %% are no wider than a step and twice the width of noise\n",
        TRIALS, percent(found, TRIALS), percent(turns, TRIALS), percent(covered, found), percent(narrow, found));
    assert_int_equal(second, 0);
    assert_true(percent(found, TRIALS) >= 65.0);
    assert_true(percent(covered, found) >= 93.0);
    assert_true(percent(narrow, found) >= 99.5);
}

/* Times of one law; `slope` beside that of the bytes, `efficiency` at the middle value: 0.95 is firm, 0.3 latency, 0.6
 * goes from one to the other when the slope is not that of the bytes. */
static void straight(const char *what, double efficiency, double slope) {
    size_t found = 0, turns = 0;
    uint64_t seed = 3;
    for (int trial = 0; trial < TRIALS; trial++) {
        family f = some_family(&seed);
        rft_run *run = empty_run();
        f.place = log(f.values[f.count - 1]) + 8.0; /* no ridge on this axis */
        f.memory_frac = 1.0;
        double middle = log(f.values[f.count / 2]);
        for (size_t i = 0; i < f.count; i++) {
            double u = log(f.values[i]);
            add_point(run, &f, f.values[i], PLACE_S * exp(f.alpha * (u - f.place) + slope * (u - middle)) / efficiency,
                      &seed);
        }
        rft_transition *t;
        size_t count = transitions(run, &t);
        for (size_t i = 0; i < count; i++) {
            found += t[i].kind == RFT_TRANSITION_FOUND && t[i].by_times;
            turns += t[i].kind == RFT_TRANSITION_TURN;
        }
        rft_run_free(run);
    }
    print_message("straight, %s, %d sweeps: %.2f %% found, %.2f %% turns of the times\n", what, TRIALS,
                  percent(found, TRIALS), percent(turns, TRIALS));
    assert_true(percent(found, TRIALS) <= 2.0);
    assert_true(percent(turns, TRIALS) <= 2.0);
}

static void no_false_transitions(void **state) {
    (void)state;
    straight("bound by memory", 0.95, 0.0);
    straight("waiting on latency", 0.3, 0.0);
    straight("from latency to firm without a turn", 0.6, -0.05);
}

/* Declared work crosses the ridge, both bounds are firm, and the times are one law: that is none. */
static void work_that_crosses_while_times_go_on(void **state) {
    (void)state;
    size_t none = 0, found = 0, ridges = 0;
    const int trials = TRIALS / 4;
    uint64_t seed = 9;
    for (int trial = 0; trial < trials; trial++) {
        family f = some_family(&seed);
        rft_run *run = empty_run();
        f.count = 8 + (size_t)rft_random_below(&seed, 33);
        f.noise = fmin(f.noise, 0.02);
        f.memory_frac = f.pipe_frac = 1.0;
        f.place = noise_uniform(&seed, 9.0, 12.0);
        for (size_t i = 0; i < f.count; i++) { /* as far as both stay firm and under the roof */
            double part = (double)i / (double)(f.count - 1), u = (2.0 * part - 1.0) * log(1.5) / f.beta;
            double x = round(exp(f.place + u));
            u = log(x) - f.place;
            add_point(run, &f, x, 1.3 * PLACE_S * exp((f.alpha + 0.5 * f.beta) * u), &seed);
        }
        rft_transition *t;
        size_t count = transitions(run, &t);
        for (size_t i = 0; i < count; i++) {
            found += t[i].kind == RFT_TRANSITION_FOUND;
        }
        none += count == 1 && t[0].kind == RFT_TRANSITION_NONE;
        ridges += t[0].kind == RFT_TRANSITION_NONE && t[0].at_steps && t[0].why != NULL && isnan(t[0].where) &&
                  fabs(log(t[0].ridge) - f.place) < 0.02;
        rft_run_free(run);
    }
    print_message("work crosses the ridge, times go on, %d sweeps: %.1f %% none, %.2f %% found\n", trials,
                  percent(none, (size_t)trials), percent(found, (size_t)trials));
    assert_true(percent(found, (size_t)trials) <= 2.0);
    assert_true(percent(none, (size_t)trials) >= 93.0);
    assert_int_equal(ridges, none); /* where the formula puts it is said all the same */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_hold_the_truth),
        cmocka_unit_test(no_false_transitions),
        cmocka_unit_test(work_that_crosses_while_times_go_on),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
