/* SPDX-License-Identifier: Apache-2.0 */
/* The fitted roofline: machines made up with known ceilings, overhead and knee; what the points do not carry is
 * refused. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/hash.h"
#include "model/roofline/roofline_fit.h"
#include "model/stats/least_squares.h"
#include "unit/noise.h"

#include <math.h>
#include <string.h>

#define POINTS_MAX 40

typedef struct machine {
    double overhead_s, bytes_s, ops_s, sharpness, noise_frac;
} machine;

static double between(uint64_t *seed, double low, double high) {
    return low * pow(high / low, rft_random_unit(seed));
}

static double machine_time(const machine *m, double bytes, double ops) {
    double memory_s = bytes / m->bytes_s, compute_s = ops / m->ops_s, longer = fmax(memory_s, compute_s);
    double ratio = fmin(memory_s, compute_s) / longer;
    return m->overhead_s + longer * pow(1.0 + pow(ratio, m->sharpness), 1.0 / m->sharpness);
}

static machine some_machine(uint64_t *seed, double noise_frac) {
    machine m = {.bytes_s = between(seed, 5e11, 5e12),
                 .ops_s = between(seed, 2e13, 9e14),
                 .sharpness = between(seed, 1.5, 12.0),
                 .noise_frac = noise_frac};
    return m;
}

/* Intensities from `low` to `high` times the ridge; sizes a factor of 16 apart, so that an overhead can be seen. */
static void sweep(const machine *m, double low, double high, size_t n, uint64_t *seed, rft_fit_point *out) {
    for (size_t i = 0; i < n; i++) {
        double at = low * pow(high / low, (double)i / (double)(n - 1)), bytes = 16e6 * pow(4.0, (double)(i % 3));
        double ops = bytes * at * m->ops_s / m->bytes_s;
        if (at > 1.0) {
            bytes /= at;
            ops /= at;
        }
        out[i] = (rft_fit_point){bytes, ops, machine_time(m, bytes, ops) * (1.0 + m->noise_frac * rft_normal(seed)),
                                 m->noise_frac};
    }
}

static rft_roofline_fit fit(const rft_fit_point *points, size_t n, rft_arena *arena) {
    rft_fit_options options = {.seed = 7};
    return rft_roofline_fit_of(points, n, &options, arena);
}

static bool inside(const rft_fit_param *param, double truth) {
    return param->low <= truth && truth <= param->high;
}

typedef struct tally {
    size_t trials, known[RFT_FIT_PARAM_COUNT], covered[RFT_FIT_PARAM_COUNT], close[RFT_FIT_PARAM_COUNT];
    double worst[RFT_FIT_PARAM_COUNT];
} tally;

static void count_in(tally *t, const rft_roofline_fit *f, const machine *m) {
    const double truth[] = {m->overhead_s, m->bytes_s, m->ops_s, m->sharpness};
    t->trials++;
    for (int a = 0; a < RFT_FIT_PARAM_COUNT; a++) {
        const rft_fit_param *p = &f->params[a];
        if (p->state == RFT_FIT_KNOWN) {
            double off = fabs(log(p->value / truth[a]));
            t->known[a]++;
            t->covered[a] += inside(p, truth[a]);
            t->close[a] += off <= 0.01;
            t->worst[a] = fmax(t->worst[a], off);
        }
    }
}

static void say(const tally *t) {
    print_message("%zu trials:", t->trials);
    for (int a = 0; a < RFT_FIT_PARAM_COUNT; a++) {
        if (t->known[a] > 0) {
            double known = (double)t->known[a];
            print_message(" %s known %.1f %%, covered %.1f %%, within 1 %% %.1f %%, worst %.1f %%;",
                          rft_fit_param_name((rft_fit_name)a), 100.0 * known / (double)t->trials,
                          100.0 * (double)t->covered[a] / known, 100.0 * (double)t->close[a] / known,
                          100.0 * t->worst[a]);
        }
    }
    print_message("\n");
}

typedef struct setting {
    double noise_frac;
    bool overhead;
    int trials;
    double close_percent, known_percent, covered_percent; /* at least, of bandwidth and of peak */
} setting;

static double percent(size_t part, size_t whole) {
    return whole > 0 ? 100.0 * (double)part / (double)whole : 0.0;
}

static void recovers_the_ceilings(void **state) {
    (void)state;
    const setting settings[] = {{0.005, false, 500, 98.0, 97.0, 92.0},
                                {0.005, true, 300, 97.0, 97.0, 92.0},
                                {0.002, true, 100, 98.0, 97.0, 90.0},
                                {0.02, true, 200, 0.0, 90.0, 88.0},
                                {0.05, true, 200, 0.0, 80.0, 85.0}};
    uint64_t seed = 11;
    for (size_t k = 0; k < sizeof settings / sizeof *settings; k++) {
        const setting *s = &settings[k];
        tally t = {0};
        for (int trial = 0; trial < DRAWS_LEAST(s->trials, 40); trial++) {
            rft_fit_point points[POINTS_MAX];
            machine m = some_machine(&seed, s->noise_frac);
            size_t n = (s->overhead ? 6 : 5) + (size_t)rft_random_below(&seed, s->overhead ? 35 : 36);
            m.overhead_s = s->overhead ? between(&seed, 1e-6, 5e-6) : 0.0;
            sweep(&m, between(&seed, 0.01, 0.1), between(&seed, 10.0, 100.0), n, &seed, points);
            rft_arena *arena = rft_arena_new();
            rft_roofline_fit f = fit(points, n, arena);
            count_in(&t, &f, &m);
            rft_arena_free(arena);
        }
        print_message("noise %.1f %%, overhead %s: ", 100.0 * s->noise_frac, s->overhead ? "1 to 5 us" : "none");
        say(&t);
        for (int a = RFT_FIT_BANDWIDTH; a <= RFT_FIT_PEAK; a++) {
            assert_true(percent(t.known[a], t.trials) >= s->known_percent);
            assert_true(percent(t.close[a], t.known[a]) >= s->close_percent);
            assert_true(percent(t.covered[a], t.known[a]) >= s->covered_percent);
        }
        assert_true(s->overhead || percent(t.known[RFT_FIT_OVERHEAD], t.trials) <= 2.0);
    }
}

static void explain(const rft_roofline_fit *f) {
    for (int a = 0; a < RFT_FIT_PARAM_COUNT; a++) {
        const rft_fit_param *p = &f->params[a];
        print_message("  %s: %s %g (%g to %g)%s%s\n", rft_fit_param_name((rft_fit_name)a), rft_fit_state_name(p->state),
                      p->value, p->low, p->high, p->why ? ": " : "", p->why ? p->why : "");
    }
}

/* One side of the knee: the other ceiling, and the knee, stay unknown; what was reached is a lower bound. */
static void one_side_names_one_ceiling(void **state) {
    (void)state;
    machine m = {.bytes_s = 4.4e12, .ops_s = 7e14, .sharpness = 6.0, .noise_frac = 0.005};
    for (int side = 0; side < 2; side++) {
        rft_fit_name seen = side == 0 ? RFT_FIT_BANDWIDTH : RFT_FIT_PEAK;
        rft_fit_name unseen = side == 0 ? RFT_FIT_PEAK : RFT_FIT_BANDWIDTH;
        size_t right = 0;
        for (uint64_t seed = 1; seed <= 100; seed++) {
            uint64_t draw = seed;
            rft_fit_point points[12];
            sweep(&m, side == 0 ? 0.002 : 6.0, side == 0 ? 0.17 : 500.0, 12, &draw, points);
            rft_arena *arena = rft_arena_new();
            rft_roofline_fit f = fit(points, 12, arena);
            double truth = side == 0 ? m.bytes_s : m.ops_s, other = side == 0 ? m.ops_s : m.bytes_s;
            if (seed == 1) {
                explain(&f);
                assert_true(f.params[unseen].state == RFT_FIT_AT_LEAST && f.params[unseen].low <= other * 1.02);
                assert_true(isnan(f.params[unseen].value) && f.params[unseen].why != NULL);
            }
            right += f.params[seen].state == RFT_FIT_KNOWN && fabs(f.params[seen].value / truth - 1.0) < 0.01 &&
                     f.params[unseen].state == RFT_FIT_AT_LEAST && f.params[RFT_FIT_SHARPNESS].state != RFT_FIT_KNOWN;
            rft_arena_free(arena);
        }
        print_message("one side only (%s): right in %zu of 100\n", rft_fit_param_name(seen), right);
        assert_true(right >= 95);
    }
}

/* Bytes and operations in one ratio: times cannot tell which takes the time; measured ceilings can. */
static void one_intensity_needs_the_ceilings(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_fit_point points[8];
    uint64_t seed = 2;
    for (size_t i = 0; i < 8; i++) {
        double bytes = 1e7 * pow(2.0, (double)i);
        points[i] = (rft_fit_point){bytes, bytes / 8.0, bytes / 4e12 * (1.0 + 0.005 * rft_normal(&seed)), NAN};
    }
    rft_roofline_fit f = fit(points, 8, arena);
    explain(&f);
    assert_int_equal(f.params[RFT_FIT_BANDWIDTH].state, RFT_FIT_AT_LEAST);
    assert_string_equal(f.params[RFT_FIT_BANDWIDTH].why, "a compute ceiling alone explains the times about as well");
    assert_int_equal(f.params[RFT_FIT_PEAK].state, RFT_FIT_AT_LEAST);
    assert_string_equal(f.params[RFT_FIT_PEAK].why, "a compute ceiling alone explains the times about as well");
    rft_fit_options options = {.seed = 7, .ceiling_bytes_s = 4.4e12, .ceiling_ops_s = 6e13};
    f = rft_roofline_fit_of(points, 8, &options, arena);
    assert_int_equal(f.params[RFT_FIT_BANDWIDTH].state, RFT_FIT_KNOWN);
    assert_true(fabs(f.params[RFT_FIT_BANDWIDTH].value / 4e12 - 1.0) < 0.01);
    assert_int_equal(f.params[RFT_FIT_PEAK].state, RFT_FIT_AT_LEAST);
    rft_arena_free(arena);
}

/* One configuration in twelve that is 40 % slow: Huber's loss keeps the ceilings, and the worst point is named. */
static void one_bad_point_does_not_move_it(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    machine m = {.bytes_s = 4.4e12, .ops_s = 7e14, .sharpness = 4.0, .noise_frac = 0.005};
    rft_fit_point points[13];
    uint64_t seed = 4;
    sweep(&m, 0.02, 50.0, 13, &seed, points);
    points[2].time_s *= 1.4;
    rft_roofline_fit f = fit(points, 13, arena);
    explain(&f);
    assert_true(fabs(f.params[RFT_FIT_BANDWIDTH].value / m.bytes_s - 1.0) < 0.02);
    assert_true(fabs(f.params[RFT_FIT_PEAK].value / m.ops_s - 1.0) < 0.02);
    assert_true(f.worst == 2 && f.worst_frac > 0.35 && f.worst_frac < 0.45);
    double time_s = rft_roofline_fit_time_s(&f, points[5].bytes, points[5].ops);
    assert_true(fabs(time_s / points[5].time_s - 1.0) < 0.03);
    rft_arena_free(arena);
}

static void refuses_what_is_no_roofline(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_fit_point points[12];
    uint64_t seed = 3;
    for (size_t i = 0; i < 12; i++) {
        points[i] = (rft_fit_point){1e8, 1e9, 1e-4 * exp(rft_normal(&seed)), NAN};
    }
    rft_roofline_fit f = fit(points, 12, arena);
    print_message("  %s\n", f.why);
    assert_non_null(f.why);
    assert_true(f.scatter_frac > RFT_FIT_SCATTER_MAX);
    assert_true(isnan(rft_roofline_fit_time_s(&f, 1e8, 1e9)));
    f = fit(points, 2, arena);
    assert_string_equal(f.why, "fewer than three points with a time and an amount of work");
    assert_int_equal(f.params[RFT_FIT_BANDWIDTH].state, RFT_FIT_UNKNOWN);
    for (size_t i = 0; i < 12; i++) {
        points[i].time_s = NAN;
    }
    assert_non_null(fit(points, 12, arena).why);
    rft_arena_free(arena);
}

/* Operations an element as the axis: the same bytes at all points. A rest that comes on top of either branch would be
 * taken for an overhead, and the bandwidth for 7 TB/s on a device of 4.3. */
static void the_same_bytes_tell_no_bandwidth_beside_an_overhead(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_fit_point points[12];
    uint64_t seed = 3;
    const double bytes = 537e6, bytes_s = 4.28e12, ops_s = 65.7e12, rest_s = 52e-6;
    for (size_t i = 0; i < 12; i++) {
        double ops = 67e6 * pow(2.0, 1.0 + 8.0 * (double)i / 11.0);
        double time_s = fmax(bytes / bytes_s, rest_s + ops / ops_s);
        points[i] = (rft_fit_point){bytes, ops, time_s * (1.0 + 0.002 * rft_normal(&seed)), 0.002};
    }
    rft_roofline_fit f = fit(points, 12, arena);
    const rft_fit_param *bandwidth = &f.params[RFT_FIT_BANDWIDTH], *overhead = &f.params[RFT_FIT_OVERHEAD];
    assert_null(f.why);
    assert_int_not_equal(overhead->state, RFT_FIT_KNOWN);
    if (bandwidth->state == RFT_FIT_KNOWN) {
        assert_true(bandwidth->value < 1.05 * bytes_s);
    } else {
        assert_int_equal(bandwidth->state, RFT_FIT_AT_LEAST);
        assert_true(fabs(bandwidth->low / bytes_s - 1) < 0.02);
        assert_non_null(strstr(bandwidth->why, "the same bytes"));
    }
    rft_arena_free(arena);
}

static void equal_input_equal_answer(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    machine m = {.overhead_s = 2e-6, .bytes_s = 4.4e12, .ops_s = 7e14, .sharpness = 4.0, .noise_frac = 0.02};
    rft_fit_point points[20];
    uint64_t seed = 4;
    sweep(&m, 0.02, 50.0, 20, &seed, points);
    rft_roofline_fit a = fit(points, 20, arena), b = fit(points, 20, arena);
    for (int i = 0; i < RFT_FIT_PARAM_COUNT; i++) {
        assert_int_equal(a.params[i].state, b.params[i].state);
        assert_memory_equal(&a.params[i].low, &b.params[i].low, sizeof(double));
        assert_memory_equal(&a.params[i].high, &b.params[i].high, sizeof(double));
    }
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(recovers_the_ceilings),
        cmocka_unit_test(one_side_names_one_ceiling),
        cmocka_unit_test(one_intensity_needs_the_ceilings),
        cmocka_unit_test(one_bad_point_does_not_move_it),
        cmocka_unit_test(refuses_what_is_no_roofline),
        cmocka_unit_test(the_same_bytes_tell_no_bandwidth_beside_an_overhead),
        cmocka_unit_test(equal_input_equal_answer),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
