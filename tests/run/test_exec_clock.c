/* SPDX-License-Identifier: Apache-2.0 */
/* Clocks that jump: the wall clock back and forth, and a monotonic one that is none. Nothing hangs, nothing is
 * negative, the end is not before the beginning. */
#include "run/scene.h"

#include <math.h>
#include <stdlib.h>

#define SECOND_NS 1000000000LL
#define HOUR_NS (3600 * SECOND_NS)

/* Ticks a millisecond at every reading, unless its script says otherwise from reading `at` on. */
typedef struct odd_clock {
    rft_clock clock;
    int64_t now_ns, unix_ns;
    unsigned readings, at;
    int64_t tick_ns;      /* from `at` on */
    int64_t leap_ns;      /* at `at`, once */
    int64_t unix_leap_ns; /* there, too */
} odd_clock;

static int64_t monotonic(void *self) {
    odd_clock *c = self;
    bool odd = ++c->readings >= c->at;
    c->now_ns += odd ? c->tick_ns : SECOND_NS / 1000;
    if (c->readings == c->at) {
        c->now_ns += c->leap_ns;
        c->unix_ns += c->unix_leap_ns;
    }
    return c->now_ns;
}

static int64_t wall(void *self) {
    odd_clock *c = self;
    return c->unix_ns + c->now_ns;
}

static void no_sleep(void *self, int64_t duration_ns) {
    (void)self, (void)duration_ns;
}

static odd_clock new_clock(unsigned at, int64_t tick_ns, int64_t leap_ns) {
    return (odd_clock){.clock = {.monotonic_ns = monotonic, .unix_ns = wall, .sleep_ns = no_sleep},
                       .now_ns = 5 * HOUR_NS,
                       .unix_ns = 1700000000 * SECOND_NS,
                       .at = at,
                       .tick_ns = tick_ns,
                       .leap_ns = leap_ns};
}

/* Progress that went back would fail scene_run(). */
static const rft_run *run_with(scene *s, odd_clock *clock, double budget_s) {
    clock->clock.self = clock;
    s->clock = &clock->clock;
    s->sweeps[0]->search.budget_s = budget_s;
    return scene_run(s, "a.db");
}

static void open_scene(scene *s) {
    scripted_sweep_opts opts = {.sizes = {1000, 2000}};
    for (int i = 0; i < 40; i++) {
        opts.speeds[i] = 10 * (i + 1);
    }
    scene_open(s, 2);
    scene_sweep(s, &opts);
}

static void the_wall_clock_is_set_back(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    odd_clock clock = new_clock(50, SECOND_NS / 1000, 0);
    clock.unix_leap_ns = -HOUR_NS;
    const rft_run *run = run_with(&s, &clock, 0);
    assert_int_equal(run->point_count, 80);
    assert_true(run->info.finished_unix_ns >= run->info.started_unix_ns);
    assert_true(run->info.finished_unix_ns - run->info.started_unix_ns < 60 * SECOND_NS);
    assert_true(run->info.elapsed_s > 0.08 && run->info.elapsed_s < 60);
    scene_close(&s);
}

static void the_wall_clock_is_set_forward(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    odd_clock clock = new_clock(50, SECOND_NS / 1000, 0);
    clock.unix_leap_ns = HOUR_NS;
    const rft_run *run = run_with(&s, &clock, 20); /* a budget does not look at it */
    assert_int_equal(run->point_count, 80);
    assert_true(run->info.finished_unix_ns >= run->info.started_unix_ns + HOUR_NS);
    assert_true(run->info.elapsed_s < 60);
    scene_close(&s);
}

/* The budget never ends then, but what there is to try does. */
static void time_stands_still(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    odd_clock clock = new_clock(1, 0, 0);
    const rft_run *run = run_with(&s, &clock, 0.001);
    assert_int_equal(run->point_count, 80);
    assert_true(run->info.elapsed_s >= 0 && s.last.elapsed_s == 0);
    assert_true(run->info.finished_unix_ns > 0);
    scene_close(&s);
}

/* The machine slept: the budget of the part is over, that of the next begins. */
static void time_leaps_forward(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    odd_clock clock = new_clock(30, SECOND_NS / 1000, HOUR_NS);
    const rft_run *run = run_with(&s, &clock, 20);
    assert_in_range(run->point_count, 41, 75);
    assert_non_null(run->sweeps[0].unexplored);
    assert_true(run->info.finished_unix_ns > run->info.started_unix_ns);
    scene_close(&s);
}

static void time_leaps_back(void **state) {
    (void)state;
    scene s;
    open_scene(&s);
    odd_clock clock = new_clock(30, SECOND_NS / 1000, -2 * HOUR_NS);
    const rft_run *run = run_with(&s, &clock, 0.05); /* of which each problem has a half */
    assert_in_range(run->point_count, 2, 60);        /* it ends none the less, about when it should */
    assert_true(run->info.elapsed_s > 0 && run->info.elapsed_s < 60);
    assert_true(run->info.finished_unix_ns >= run->info.started_unix_ns);
    scene_close(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_wall_clock_is_set_back),
        cmocka_unit_test(the_wall_clock_is_set_forward),
        cmocka_unit_test(time_stands_still),
        cmocka_unit_test(time_leaps_forward),
        cmocka_unit_test(time_leaps_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
