/* SPDX-License-Identifier: Apache-2.0 */
/* Turns of measured times: sweeps made up with a known place, or with none; coverage, width, false turns. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "model/stats/least_squares.h"
#include "model/stats/turn.h"
#include "unit/noise.h"

#include <math.h>

#define POINTS_MAX 40
#define TRIALS DRAWS(2000)

/* A sweep with a turn, all in logarithms. */
typedef struct truth {
    size_t count;
    double first, step, place, slope, bend, sharpness, noise;
    bool linear_axis;
} truth;

static double curve(const truth *t, double u, double place) {
    double size = fabs(t->bend), z = t->sharpness * size * (u - place);
    return t->slope * u + (t->bend < 0.0 ? -1.0 : 1.0) * (fmax(z, 0.0) + log1p(exp(-fabs(z)))) / t->sharpness;
}

static double axis_at(const truth *t, size_t i) {
    double first = exp(t->first), last = exp(t->first + t->step * (double)(t->count - 1));
    return t->linear_axis ? log(first + (last - first) * (double)i / (double)(t->count - 1))
                          : t->first + t->step * (double)i;
}

/* 5 to 40 points, steps of 1.15 to 2, noise 0.2 to 5 %, knees from sharp to round, at least two points on each side. */
static truth some_truth(uint64_t *seed) {
    truth t = {.count = 5 + (size_t)rft_random_below(seed, 36), .first = noise_uniform(seed, 0.0, 5.0)};
    t.step = log(noise_uniform(seed, t.count < 12 ? 1.5 : 1.15, 2.0));
    t.noise = 0.002 * pow(25.0, rft_random_unit(seed));
    t.sharpness = rft_random_below(seed, 3) == 0 ? 1e3 : 1.5 * pow(10.0, rft_random_unit(seed));
    t.bend = noise_uniform(seed, 0.5, 1.0) * (rft_random_below(seed, 4) == 0 ? -1.0 : 1.0);
    t.slope = t.bend < 0.0 ? 1.0 : noise_uniform(seed, 0.0, 0.3);
    double low = axis_at(&t, 1), high = axis_at(&t, t.count - 2);
    t.place = noise_uniform(seed, low, high);
    return t;
}

/* The noise that is passed on is itself an estimate, as from the samples of each point. */
static void sweep(const truth *t, bool turn, uint64_t *seed, rft_turn_point *out) {
    for (size_t i = 0; i < t->count; i++) {
        double u = axis_at(t, i), time = turn ? curve(t, u, t->place) : t->slope * u;
        double said = t->noise * exp(0.2 * rft_normal(seed));
        out[i] = (rft_turn_point){exp(u), 1e-5 * exp(time + t->noise * rft_normal(seed)), said};
    }
}

/* Width that noise alone gives to the place: Cramer-Rao with everything but level, slope, bend and place known. */
static double noise_width(const truth *t) {
    double told[4][4] = {{0.0}};
    for (size_t i = 0; i < t->count; i++) {
        double u = axis_at(t, i), z = t->sharpness * fabs(t->bend) * (u - t->place), share = 1.0 / (1.0 + exp(-z));
        double row[4] = {1.0, u, share * (u - t->place), -share * t->bend};
        noise_add_told(told, row, t->noise);
    }
    return noise_least_width(told);
}

static double step_around(const truth *t, double place) {
    size_t i = 1;
    while (i + 1 < t->count && axis_at(t, i) < place) {
        i++;
    }
    return axis_at(t, i) - axis_at(t, i - 1);
}

static rft_turn find(const rft_turn_point *points, size_t count) {
    rft_arena *arena = rft_arena_new();
    rft_turn turn = rft_turn_find(points, count, 3, 0, arena);
    turn.why = turn.why != NULL ? "said" : NULL; /* the text goes with the arena */
    rft_arena_free(arena);
    return turn;
}

/* Of sweeps with a turn: what is found covers the truth and is as narrow as can be; what is not says so. */
typedef struct tally {
    size_t trials, kinds[RFT_TURN_NOT_EXPLORED + 1], covered, narrow;
} tally;

static void count_in(tally *of, const truth *t, const rft_turn *turn) {
    of->trials++;
    of->kinds[turn->kind]++;
    assert_true((turn->why != NULL) == (turn->kind == RFT_TURN_UNCLEAR || turn->kind == RFT_TURN_NOT_EXPLORED));
    if (turn->kind == RFT_TURN_FOUND) {
        of->covered += turn->low <= exp(t->place) && exp(t->place) <= turn->high;
        of->narrow += log(turn->high / turn->low) <= step_around(t, t->place) + 2.0 * noise_width(t);
    }
}

static double percent(size_t part, size_t whole) {
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static void say(const char *what, const tally *t) {
    size_t found = t->kinds[RFT_TURN_FOUND];
    print_message(
        "%s, %zu sweeps: found %.1f %%, unclear %.1f %%, none %.1f %%; of those found %.1f %% cover the truth, "
        "%.2f %% are no wider than a step and twice the width of noise\n",
        what, t->trials, percent(found, t->trials), percent(t->kinds[RFT_TURN_UNCLEAR], t->trials),
        percent(t->kinds[RFT_TURN_NONE], t->trials), percent(t->covered, found), percent(t->narrow, found));
}

static void intervals_cover_the_truth(void **state) {
    (void)state;
    static const char *const names[] = {"5 to 7 points", "8 to 15 points", "16 to 40 points", "5 to 40 points"};
    tally tallies[4] = {{0}};
    uint64_t seed = 1001;
    for (int trial = 0; trial < TRIALS; trial++) {
        truth t = some_truth(&seed);
        t.linear_axis = trial % 4 == 3;
        if (t.linear_axis) {
            t.place = noise_uniform(&seed, axis_at(&t, 1), axis_at(&t, t.count - 2));
        }
        rft_turn_point points[POINTS_MAX];
        sweep(&t, true, &seed, points);
        rft_turn turn = find(points, t.count);
        count_in(&tallies[t.count < 8 ? 0 : t.count < 16 ? 1 : 2], &t, &turn);
        count_in(&tallies[3], &t, &turn);
    }
    for (int i = 0; i < 4; i++) {
        size_t found = tallies[i].kinds[RFT_TURN_FOUND];
        say(names[i], &tallies[i]);
        assert_true(percent(tallies[i].covered, found) >= (i < 3 ? 90.0 : 93.0));
        assert_true(percent(tallies[i].narrow, found) >= 99.5);
        assert_true(percent(tallies[i].kinds[RFT_TURN_NONE], tallies[i].trials) <= (i == 0 ? 8.0 : 2.0));
    }
    assert_true(percent(tallies[3].kinds[RFT_TURN_FOUND], TRIALS) >= 70.0);
}

/* Straight sweeps; `understated`: the times scatter by so much more than their noise says, as best points of a sweep
 * do; 0: no noise is given. */
static void straight(const char *what, double understated, int trials) {
    tally seen = {0};
    uint64_t seed = 6;
    for (int trial = 0; trial < trials; trial++) {
        truth t = some_truth(&seed);
        t.linear_axis = trial % 4 == 3;
        rft_turn_point points[POINTS_MAX];
        sweep(&t, false, &seed, points);
        for (size_t i = 0; i < t.count; i++) {
            points[i].noise_frac = understated > 0.0 ? points[i].noise_frac / understated : NAN;
        }
        rft_turn turn = find(points, t.count);
        seen.trials++;
        seen.kinds[turn.kind]++;
    }
    print_message("straight, %s, %zu sweeps: found %.2f %%, unclear %.1f %%\n", what, seen.trials,
                  percent(seen.kinds[RFT_TURN_FOUND], seen.trials), percent(seen.kinds[RFT_TURN_UNCLEAR], seen.trials));
    assert_true(percent(seen.kinds[RFT_TURN_FOUND], seen.trials) <= 2.0);
    assert_true(percent(seen.kinds[RFT_TURN_UNCLEAR], seen.trials) <= 15.0);
}

static void no_false_turns(void **state) {
    (void)state;
    straight("noise given", 1.0, TRIALS);
    straight("noise not known", 0.0, 500);
    straight("scatter 3 times the noise", 3.0, 500);
}

#define NK 8192.0
static double layer_bytes(double m) {
    return 2.0 * (NK * NK + 2.0 * m * NK);
}

static double layer_ops(double m) {
    return 2.0 * m * NK * NK;
}

/* A linear layer of N = K = 8192 in bf16 over M from 1 to 4096, 1 % noise. Its memory branch is not quite a power law
 * of M: time per byte over intensity is (turn.h), and only there is the place that of equal times. */
static void finds_the_turn_of_a_linear_layer(void **state) {
    (void)state;
    const double bytes_s = 4.4e12, ops_s = 700e12, ridge = ops_s / bytes_s;
    uint64_t seed = 1;
    size_t found = 0, near_m = 0, covered = 0;
    for (int trial = 0; trial < 200; trial++) {
        rft_turn_point over_m[13], over_intensity[13];
        double p = 2.0 + 6.0 * rft_random_unit(&seed);
        for (size_t i = 0; i < 13; i++) {
            double m = (double)(1U << i), bytes = layer_bytes(m), ops = layer_ops(m);
            double time_s = pow(pow(bytes / bytes_s, p) + pow(ops / ops_s, p), 1.0 / p);
            time_s *= 1.0 + 0.01 * rft_normal(&seed);
            over_m[i] = (rft_turn_point){m, time_s, 0.01};
            over_intensity[i] = (rft_turn_point){ops / bytes, time_s / bytes, 0.01};
        }
        rft_turn m = find(over_m, 13), intensity = find(over_intensity, 13);
        found += m.kind == RFT_TURN_FOUND && intensity.kind == RFT_TURN_FOUND;
        near_m += fabs(layer_ops(m.where) / layer_bytes(m.where) / ridge - 1.0) < 0.10;
        covered += intensity.low <= ridge && ridge <= intensity.high;
        assert_true(m.slope_before < 0.1 && m.slope_after > 0.9 && m.slope_after < 1.1);
    }
    print_message(
        "200 linear layers: found %zu, place in M within 10 %% of equal times %zu; in intensity covered %zu\n", found,
        near_m, covered);
    assert_true(found >= 195 && near_m >= 195 && covered >= 186);
}

/* A stride: flat within a sector, then one more sector a step, then flat again; two turns, each found or said to be
 * open. A step between two neighbours has no place to be found. */
static void finds_two_turns(void **state) {
    (void)state;
    uint64_t seed = 8;
    size_t both = 0, places = 0, covered = 0;
    for (int trial = 0; trial < 25; trial++) {
        rft_arena *arena = rft_arena_new();
        rft_turn_point points[25];
        rft_turn *turns;
        double up = noise_uniform(&seed, 1.5, 3.0), down = noise_uniform(&seed, 5.5, 7.0),
               noise = noise_uniform(&seed, 0.002, 0.02);
        for (size_t i = 0; i < 25; i++) {
            double u = 0.35 * (double)i, log_time = fmin(fmax(u - up, 0.0), down - up);
            points[i] = (rft_turn_point){exp(u), 1e-5 * exp(log_time + noise * rft_normal(&seed)), noise};
        }
        size_t count = rft_turns_find(points, 25, 3, arena, &turns);
        both += count == 2 && turns[0].slope_after > 0.9 && turns[1].slope_after < 0.1;
        for (size_t i = 0; i < count; i++) {
            double place = exp(i == 0 ? up : down);
            places += turns[i].kind == RFT_TURN_FOUND;
            covered += turns[i].kind == RFT_TURN_FOUND && turns[i].low <= place && place <= turns[i].high;
        }
        for (size_t i = 0; i < 25; i++) {
            points[i].time_s = 1e-5 * points[i].x * (i < 12 ? 1.0 : 2.2) * (1.0 + noise * rft_normal(&seed));
        }
        assert_int_equal(rft_turns_find(points, 25, 3, arena, &turns), 1);
        assert_int_equal(turns[0].kind, RFT_TURN_UNCLEAR);
        assert_true(turns[0].other_shape && turns[0].why != NULL);
        rft_arena_free(arena);
    }
    print_message("25 strides: both turns %zu; %zu places found, covered %zu\n", both, places, covered);
    assert_true(both >= 23 && percent(covered, places) >= 90.0);
}

static void says_what_is_missing(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_turn_point points[8];
    for (size_t i = 0; i < 8; i++) { /* a corner between the first two values */
        points[i] = (rft_turn_point){(double)(1U << i), i == 0 ? 0.8 : pow(2.0, 0.9 * (double)i), 0.005};
    }
    rft_turn turn = rft_turn_find(points, 8, 3, 0, arena);
    assert_int_equal(turn.kind, RFT_TURN_UNCLEAR);
    print_message("at the edge: %s\n", turn.why);
    turn = rft_turn_find(points, 4, 3, 0, arena);
    assert_int_equal(turn.kind, RFT_TURN_NOT_EXPLORED);
    assert_string_equal(turn.why, "fewer than five values were measured");
    assert_true(isnan(turn.where) && isnan(turn.gain));
    points[1].x = -1.0; /* no place on a logarithmic axis */
    points[2].time_s = NAN;
    assert_int_equal(rft_turn_find(points, 6, 3, 0, arena).kind, RFT_TURN_NOT_EXPLORED);
    assert_int_equal(rft_turn_find(NULL, 0, 3, 0, arena).kind, RFT_TURN_NOT_EXPLORED);
    rft_arena_free(arena);
}

/* Without noise at all, and the points in any order: the place itself, twice the same. */
static void is_exact_and_repeatable(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_turn_point points[12];
    for (size_t i = 0; i < 12; i++) {
        double x = (double)(1U << ((i * 5) % 12));
        points[i] = (rft_turn_point){x, fmax(1.0, x / 50.0), 0.002};
    }
    rft_turn turn = rft_turn_find(points, 12, 9, 0, arena), again = rft_turn_find(points, 12, 9, 0, arena);
    assert_int_equal(turn.kind, RFT_TURN_FOUND);
    assert_true(fabs(turn.where / 50.0 - 1.0) < 0.005);
    assert_true(turn.low < 50.0 && 50.0 < turn.high);
    assert_true(turn.where == again.where && turn.low == again.low && turn.high == again.high);
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_cover_the_truth),
        cmocka_unit_test(no_false_turns),
        cmocka_unit_test(finds_the_turn_of_a_linear_layer),
        cmocka_unit_test(finds_two_turns),
        cmocka_unit_test(says_what_is_missing),
        cmocka_unit_test(is_exact_and_repeatable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
