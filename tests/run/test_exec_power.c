/* SPDX-License-Identifier: Apache-2.0 */
/* The round of power: whom it takes, what it stores, what becomes of it when the user or a worker stops. */
#include "run/scene.h"

#include "model/roofline/bound.h"
#include "model/roofline/placement.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FAST 20000 /* microseconds: a second of load is few launches of the scripted device */
#define SLOW 30000

static size_t loads_of(const rft_run *run, rft_load_kind kind) {
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        count += run->points[i].loads[kind] != NULL;
    }
    return count;
}

/* Two problems, two configurations each, of which the faster is the best; the larger n is no slower. */
static void open_scene(scene *s, const char *fate) {
    scripted_sweep_opts opts = {.fates = {fate}, .speeds = {FAST, SLOW}, .sizes = {1000, 2000}};
    setenv("SCRIPTED_WATTS", "400", 1);
    scene_open(s, 1);
    scene_sweep(s, &opts)->measure.point_timeout_s = 30;
    s->opts.power = RFT_POWER_LARGEST;
}

static void close_scene(scene *s) {
    scene_close(s);
    unsetenv("SCRIPTED_WATTS");
}

static void expect_energy(const rft_point *point) {
    const rft_load *energy = point->loads[RFT_LOAD_ENERGY];
    double joules = 400.0 * point->config[PARAM_SPEED].as.integer * 1e-6;
    assert_non_null(energy);
    assert_null(energy->reason);
    assert_string_equal(energy->source, "energy counter");
    assert_true(fabs(energy->power_w / 400.0 - 1.0) <= energy->uncertainty_frac);
    assert_true(fabs(energy->joules_per_run / joules - 1.0) <= energy->uncertainty_frac + 1e-3);
    double runs_per_s = (double)energy->runs / energy->window_s;
    assert_true(fabs(energy->joules_per_run * runs_per_s / 400.0 - 1.0) <= energy->uncertainty_frac);
}

static void the_best_of_the_largest(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "ok");
    const rft_run *run = scene_run(&s, "run.db");
    size_t largest = rft_run_largest(run, 0);
    assert_int_equal(loads_of(run, RFT_LOAD_ENERGY), 1);
    assert_int_equal(loads_of(run, RFT_LOAD_SOAK), 0);
    expect_energy(rft_run_best(run, 0, SIZE_MAX, largest));
    assert_non_null(run->idle);
    assert_true(fabs(run->idle->power_w / 400.0 - 1.0) <= run->idle->uncertainty_frac);
    assert_int_equal(s.idled, 1);
    assert_int_equal(s.loaded, 1);
    /* the time of a point is what it was without a load */
    assert_true(fabs(rft_point_median_s(rft_run_best(run, 0, SIZE_MAX, largest)) - FAST * 1e-6) < 1e-9);
    /* and nothing of it is done again */
    scene_run(&s, "run.db");
    assert_int_equal(s.idled, 1);
    assert_int_equal(s.loaded, 1);
    close_scene(&s);
}

static void best_all_and_none(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "ok");
    s.opts.power = RFT_POWER_BEST;
    const rft_run *best = scene_run(&s, "best.db");
    assert_int_equal(loads_of(best, RFT_LOAD_ENERGY), 2);
    expect_energy(rft_run_best(best, 0, SIZE_MAX, 0));
    expect_energy(rft_run_best(best, 0, SIZE_MAX, 1));
    s.opts.power = RFT_POWER_ALL;
    const rft_run *all = scene_run(&s, "all.db");
    size_t finalists = 0;
    for (size_t i = 0; i < all->point_count; i++) {
        finalists += all->points[i].rounds[1].n > 0;
        assert_int_equal(all->points[i].rounds[1].n > 0, all->points[i].loads[RFT_LOAD_ENERGY] != NULL);
    }
    assert_true(finalists >= 2);
    s.opts.power = RFT_POWER_NONE;
    s.idled = 0;
    const rft_run *none = scene_run(&s, "none.db");
    assert_int_equal(loads_of(none, RFT_LOAD_ENERGY), 0);
    assert_null(none->idle);
    assert_int_equal(s.idled, 0);
    close_scene(&s);
}

#define WANTED (RFT_CEILING_BIT(RFT_CEILING_DRAM_COPY) | RFT_CEILING_BIT(RFT_CEILING_FP32))

/* In bursts, as `rooftune run` measures them. */
static int measure_two(void *payload, rft_err *err) {
    scene *s = payload;
    const rft_ceilings_request request = {.wanted = WANTED};
    int rc = s->probe->ceilings(s->probe, &request, s->opts.run->arena, &s->opts.run->ceilings, err);
    return rc == RFT_OK ? rft_store_put_ceilings(s->opts.store, &s->opts.run->ceilings, err) : rc;
}

static void a_soak(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "tires");
    s.opts.power = RFT_POWER_NONE;
    s.opts.soak_s = 20;
    s.opts.ceilings = measure_two;
    s.opts.ceilings_wanted = WANTED;
    const rft_run *run = scene_run(&s, "run.db");
    const rft_point *best = rft_run_best(run, 0, SIZE_MAX, rft_run_largest(run, 0));
    const rft_load *soak = best->loads[RFT_LOAD_SOAK];
    assert_int_equal(loads_of(run, RFT_LOAD_SOAK), 1);
    assert_int_equal(loads_of(run, RFT_LOAD_ENERGY), 0);
    assert_non_null(soak);
    assert_null(soak->reason);
    assert_true(soak->n > 50 && soak->stats.n > 10 && soak->stats.n < soak->n);
    assert_true(fabs(rft_point_sustained_s(best) - 1.25 * FAST * 1e-6) < 1e-6);
    assert_true(rft_point_sags(best));
    assert_true(fabs(soak->power_w / 400.0 - 1.0) <= soak->uncertainty_frac);
    /* the ceiling of the same kind is there, and the share is of it */
    const rft_ceiling *copy = &run->ceilings.items[RFT_CEILING_DRAM_COPY];
    assert_true(copy->sustained.n > 0 && copy->stats.n > 0);
    assert_int_equal(run->ceilings.items[RFT_CEILING_FP32].sustained.n, 0); /* it is not needed */
    double sustained_s = 1.25 * FAST * 1e-6, bytes = rft_work_bytes(&best->work);
    double frac = rft_placement_sustained(run, best).efficiency_frac;
    assert_true(fabs(frac / (bytes / copy->sustained.median / sustained_s) - 1.0) < 1e-3);
    assert_true(fabs(rft_placement_of(run, best).efficiency_frac / frac - 1.25) < 0.1);
    close_scene(&s);
}

/* Ctrl-C in the middle: it does not wait for an hour, what was done stays done, the soak is taken anew. */
static void the_user_ends_a_soak(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "dawdles");
    assert_int_equal(scene_session(&s, "whole.db", 1), RFT_OK);
    unsigned reports = s.reports; /* with the window of energy, without a soak */
    s.opts.soak_s = 3600;
    s.stop_after = reports + 1; /* as soon as it says that it soaks */
    double begun_s = scene_now_s();
    assert_int_equal(scene_session(&s, "run.db", 1), RFT_OK);
    assert_true(s.stopped);
    assert_true(scene_now_s() - begun_s < 60.0);
    assert_non_null(strstr(s.last_doing, "soak of 3600 s"));
    const rft_run *half = scene_load(&s, "run.db");
    assert_true(half->info.finished_unix_ns == 0);
    assert_int_equal(loads_of(half, RFT_LOAD_SOAK), 0);
    assert_int_equal(loads_of(half, RFT_LOAD_ENERGY), 1);
    unsigned loaded = s.loaded;
    s.stop_after = 0;
    s.opts.soak_s = 3;
    const rft_run *run = scene_run(&s, "run.db");
    assert_true(run->info.finished_unix_ns != 0);
    assert_int_equal(loads_of(run, RFT_LOAD_SOAK), 1);
    assert_int_equal(s.loaded, loaded + 1); /* the energy was there */
    close_scene(&s);
}

/* A kernel that takes the worker down under load has a time all the same. */
static void a_worker_dies_under_load(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "exhausts");
    s.opts.power = RFT_POWER_NONE;
    s.opts.soak_s = 30;
    const rft_run *run = scene_run(&s, "run.db");
    const rft_point *best = rft_run_best(run, 0, SIZE_MAX, rft_run_largest(run, 0));
    assert_non_null(best);
    assert_int_equal(best->outcome, RFT_OUTCOME_OK);
    assert_non_null(best->loads[RFT_LOAD_SOAK]);
    assert_non_null(strstr(best->loads[RFT_LOAD_SOAK]->reason, "Killed"));
    assert_true(isnan(rft_point_sustained_s(best)));
    assert_true(run->info.finished_unix_ns != 0);
    close_scene(&s);
}

static void no_meter(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "ok");
    unsetenv("SCRIPTED_WATTS");
    s.opts.soak_s = 3;
    const rft_run *run = scene_run(&s, "run.db");
    assert_int_equal(loads_of(run, RFT_LOAD_ENERGY), 0);
    assert_int_equal(s.loaded, 1); /* the soak: no window is spent where nothing can be read */
    assert_non_null(run->idle);
    assert_null(run->idle->source);
    assert_string_equal(run->idle->energy_reason, "there is no meter here");
    const rft_load *soak = rft_run_best(run, 0, SIZE_MAX, rft_run_largest(run, 0))->loads[RFT_LOAD_SOAK];
    assert_non_null(soak);
    assert_true(isnan(soak->power_w) && soak->stats.n > 0);
    close_scene(&s);
}

/* A clock on which so much time passes between two looks at it: a run is as short or as long as is wanted. */
static int64_t ticks, tick_ns;

static int64_t ticking_ns(void *self) {
    (void)self;
    ticks += tick_ns;
    return ticks;
}

static void no_sleep(void *self, int64_t duration_ns) {
    (void)self;
    (void)duration_ns;
}

static rft_clock ticking(int64_t each_ns) {
    tick_ns = each_ns;
    ticks = 1000000000;
    return (rft_clock){ticking_ns, ticking_ns, no_sleep, NULL};
}

static char the_said[512];
static unsigned said;

static void hear(void *self, rft_log_level level, const char *text) {
    (void)self;
    if (level == RFT_LOG_INFO && strstr(text, "power not measured")) {
        snprintf(the_said, sizeof the_said, "%s", text);
        said++;
    }
}

static void open_auto(scene *s, rft_clock *clock, int64_t each_ns) {
    static const rft_log log = {hear, NULL};
    open_scene(s, "ok");
    *clock = ticking(each_ns);
    s->clock = clock;
    s->opts.log = &log;
    s->opts.power = RFT_POWER_AUTO;
    said = 0;
}

/* 2.65 s of idle power and one window beside a run of less than 10.6 s: no; the reason is stored, and said once. */
static void not_worth_its_time(void **state) {
    (void)state;
    scene s;
    rft_clock clock;
    open_auto(&s, &clock, 1000000);
    const rft_run *run = scene_run(&s, "run.db");
    assert_int_equal(loads_of(run, RFT_LOAD_ENERGY), 0);
    assert_int_equal(s.idled + s.loaded, 0);
    assert_true(run->info.finished_unix_ns != 0);
    assert_true(rft_load_is_left_out(run->idle));
    assert_ptr_equal(strstr(run->idle->energy_reason, "not measured: 2.6"), run->idle->energy_reason);
    assert_non_null(strstr(run->idle->energy_reason, "; --energy largest measures it"));
    assert_int_equal(said, 1);
    assert_non_null(strstr(the_said, run->idle->energy_reason));
    /* it stays so, also when the run has grown older meanwhile, and is not told again */
    tick_ns = 1000000000;
    run = scene_run(&s, "run.db");
    assert_true(rft_load_is_left_out(run->idle));
    assert_int_equal(said, 1);
    assert_int_equal(s.idled + s.loaded, 0);
    scene_replay(&s, "run.db"); /* the recording's reason is the replay's, whatever is asked for */
    s.opts.power = RFT_POWER_LARGEST;
    const rft_run *again = scene_run(&s, "again.db");
    assert_true(rft_load_is_left_out(again->idle));
    assert_string_equal(again->idle->energy_reason, run->idle->energy_reason);
    assert_int_equal(loads_of(again, RFT_LOAD_ENERGY), 0);
    close_scene(&s);
}

static void left_out_until_it_is_asked_for(void **state) {
    (void)state;
    scene s;
    rft_clock clock;
    open_auto(&s, &clock, 1000000);
    assert_true(rft_load_is_left_out(scene_run(&s, "run.db")->idle));
    s.opts.power = RFT_POWER_NONE;
    assert_true(rft_load_is_left_out(scene_run(&s, "run.db")->idle));
    s.opts.power = RFT_POWER_LARGEST;
    const rft_run *run = scene_run(&s, "run.db");
    expect_energy(rft_run_best(run, 0, SIZE_MAX, rft_run_largest(run, 0)));
    assert_false(rft_load_is_left_out(run->idle));
    assert_string_equal(run->idle->source, "energy counter");
    /* and beside a soak it is never too long */
    s.opts.power = RFT_POWER_AUTO;
    s.opts.soak_s = 3;
    const rft_run *soaked = scene_run(&s, "soaked.db");
    assert_int_equal(loads_of(soaked, RFT_LOAD_ENERGY), 1);
    assert_int_equal(loads_of(soaked, RFT_LOAD_SOAK), 1);
    close_scene(&s);
}

static void worth_its_time(void **state) {
    (void)state;
    scene s;
    rft_clock clock;
    open_auto(&s, &clock, 2000000000);
    const rft_run *run = scene_run(&s, "run.db");
    size_t largest = rft_run_largest(run, 0);
    assert_int_equal(loads_of(run, RFT_LOAD_ENERGY), 1);
    expect_energy(rft_run_best(run, 0, SIZE_MAX, largest));
    assert_string_equal(run->idle->source, "energy counter");
    assert_int_equal(said, 0);
    close_scene(&s);
}

static void a_replay_has_them(void **state) {
    (void)state;
    scene s;
    open_scene(&s, "ok");
    s.opts.soak_s = 4;
    const rft_run *run = scene_run(&s, "run.db");
    scene_replay(&s, "run.db");
    s.opts.power = RFT_POWER_NONE; /* it costs nothing to tell what was recorded */
    s.opts.soak_s = 0;
    const rft_run *again = scene_run(&s, "again.db");
    assert_int_equal(again->point_count, run->point_count);
    assert_int_equal(loads_of(again, RFT_LOAD_ENERGY), 1);
    assert_int_equal(loads_of(again, RFT_LOAD_SOAK), 1);
    const rft_point *a = rft_run_best(run, 0, SIZE_MAX, rft_run_largest(run, 0));
    const rft_point *b = rft_run_best(again, 0, SIZE_MAX, rft_run_largest(again, 0));
    assert_true(a->loads[RFT_LOAD_ENERGY]->joules_per_run == b->loads[RFT_LOAD_ENERGY]->joules_per_run);
    assert_true(rft_point_sustained_s(a) == rft_point_sustained_s(b));
    assert_true(a->loads[RFT_LOAD_SOAK]->n == b->loads[RFT_LOAD_SOAK]->n);
    assert_true(run->idle->power_w == again->idle->power_w);
    close_scene(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_best_of_the_largest),
        cmocka_unit_test(best_all_and_none),
        cmocka_unit_test(a_soak),
        cmocka_unit_test(the_user_ends_a_soak),
        cmocka_unit_test(a_worker_dies_under_load),
        cmocka_unit_test(no_meter),
        cmocka_unit_test(not_worth_its_time),
        cmocka_unit_test(left_out_until_it_is_asked_for),
        cmocka_unit_test(worth_its_time),
        cmocka_unit_test(a_replay_has_them),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
