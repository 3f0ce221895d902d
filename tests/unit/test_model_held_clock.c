/* SPDX-License-Identifier: Apache-2.0 */
/* What the SM clock of a point allows, what held it down, and where that is the bound. */
#include "model_fixture.h"

#include "model/advice/advice.h"
#include "model/roofline/bound.h"
#include "model/roofline/placement.h"
#include "model/transition/transition.h"

#define RUN_MHZ 1980.0
#define CEILING_MHZ 1650.0 /* of the tensor ceiling: it draws the limit itself */

/* 700 TFLOP/s of BF16 at 1650 MHz; memory at the run's clock. */
static rft_run *power_run(void) {
    rft_run *run = fixture_run();
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        run->ceilings.items[id].clock_mhz = run->ceilings.items[id].measured ? RUN_MHZ : NAN;
    }
    run->ceilings.items[RFT_CEILING_TENSOR_BF16].clock_mhz = CEILING_MHZ;
    run->ceilings.items[RFT_CEILING_TENSOR_BF16].sustained = rft_stats_of(NULL, 0);
    fixture_axis(run, "m", true, true);
    fixture_problem(run, (const int64_t[]){1024});
    return run;
}

/* So much of what `clock_mhz` allow on the tensor pipe, for 1 ms; 1 MB of bytes. */
static rft_point *tensor_point(rft_run *run, size_t problem, double clock_frac, double clock_mhz) {
    rft_point *point = fixture_point(run, problem, NULL, 1e-3);
    point->work.bytes_read = 1e6;
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = clock_frac * 700e9 * clock_mhz / CEILING_MHZ;
    point->rounds[0].clock_mhz = clock_mhz;
    point->rounds[0].throttled_below_mhz = NAN;
    return point;
}

static void text_of(rft_run *run, const rft_point *point, const char *expected) {
    rft_bound bound = rft_bound_of(run, point);
    assert_string_equal(rft_bound_text(&bound, run->arena), expected);
}

static void the_cause_names_the_bound(void **state) {
    (void)state;
    static const struct {
        const char *by, *text;
        rft_resource resource;
    } cases[] = {
        {"power_cap", "bound by power (BF16 tensor at 97 % of what 1320 MHz allow, declared)", RFT_RESOURCE_POWER},
        {"power_brake", "bound by power (BF16 tensor at 97 % of what 1320 MHz allow, declared)", RFT_RESOURCE_POWER},
        {"sw_thermal", "bound by thermal (BF16 tensor at 97 % of what 1320 MHz allow, declared)", RFT_RESOURCE_THERMAL},
        {"hw_thermal", "bound by thermal (BF16 tensor at 97 % of what 1320 MHz allow, declared)", RFT_RESOURCE_THERMAL},
        {"sync_boost",
         "bound by clock (BF16 tensor at 97 % of what 1320 MHz allow, declared; clock held back for another GPU)",
         RFT_RESOURCE_CLOCK},
        {NULL, "bound by clock (BF16 tensor at 97 % of what 1320 MHz allow, declared; cause not known)",
         RFT_RESOURCE_CLOCK}}; /* no NVML: the clock is read from the samples all the same */
    rft_run *run = power_run();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        rft_point *point = tensor_point(run, 0, 0.97, 1320.0);
        point->rounds[0].throttled_by = cases[i].by;
        text_of(run, point, cases[i].text);
        rft_bound bound = rft_bound_of(run, point);
        assert_int_equal(bound.resource, cases[i].resource);
        assert_int_equal(rft_bound_limit(&bound), RFT_RESOURCE_PIPE);
        assert_int_equal(bound.pipe, RFT_PIPE_TENSOR_BF16);
        assert_true(near(bound.frac, 0.97, 1e-9));
        rft_placement place = rft_placement_of(run, point);
        assert_true(near(place.clock_frac, 0.97, 1e-9));
        assert_true(near(place.efficiency_frac, 0.97 * 1320.0 / CEILING_MHZ, 1e-9));
        assert_true(near(place.left_factor, 1.0 / 0.97, 1e-9)); /* at that clock */
    }
    rft_run_free(run);
}

/* The board's power at its limit while the same launches followed each other. */
static void the_load_says_why(void **state) {
    (void)state;
    rft_run *run = power_run();
    rft_point *point = tensor_point(run, 0, 0.97, 1320.0);
    rft_load load = rft_load_none(RFT_LOAD_ENERGY, NULL);
    point->loads[RFT_LOAD_ENERGY] = &load;
    load.power_w = 690.0;
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_CLOCK); /* the limit is not known */
    rft_env_set(&run->env, run->arena, "nvml.power_limit_enforced_w", "700", NULL);
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_POWER);
    load.power_w = 600.0;
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_CLOCK);
    load.throttled_frac[RFT_THROTTLE_SW_THERMAL] = 0.4;
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_THERMAL);
    load.throttled_frac[RFT_THROTTLE_SW_THERMAL] = 0.04; /* a step of the driver's counter */
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_CLOCK);
    point->rounds[0].throttled_by = "power_cap"; /* what was read in its own samples goes before */
    load.throttled_frac[RFT_THROTTLE_SW_THERMAL] = 0.4;
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_POWER);
    rft_run_free(run);
}

static void thresholds(void **state) {
    (void)state;
    rft_run *run = power_run();
    rft_point *point = tensor_point(run, 0, 0.89, 1320.0); /* under 90 % of what the clock allows: room is left */
    point->rounds[0].throttled_by = "power_cap";
    text_of(run, point, "mostly BF16 tensor (71 %, declared)");
    assert_true(near(rft_placement_of(run, point).left_factor, 1.0 / 0.89, 1e-9));
    point = tensor_point(run, 0, 0.95, 1900.0); /* 4 % below the run's clock */
    point->rounds[0].throttled_by = "power_cap";
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_PIPE);
    point = tensor_point(run, 0, 0.95, NAN); /* not read */
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 0.8 * 700e9;
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_PIPE);
    assert_true(isnan(rft_placement_of(run, point).clock_frac));
    assert_true(near(rft_placement_of(run, point).left_factor, 1.25, 1e-9));
    point = tensor_point(run, 0, 0.97, 700.0); /* 41 % of its ceiling: nothing was near by that */
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_CLOCK);
    run->ceilings.items[RFT_CEILING_TENSOR_BF16].clock_mhz = NAN; /* an old file: so much a cycle is not known */
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_LATENCY);
    rft_run_free(run);
}

/* The clock that samples were compared with counts where no ceiling ran at a higher one. */
static void the_clock_of_the_run(void **state) {
    (void)state;
    rft_run *run = power_run();
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        run->ceilings.items[id].clock_mhz = 1400.0;
    }
    rft_point *point = tensor_point(run, 0, 0.97, 1380.0);
    assert_true(near(rft_held_clock_of(run, point).run_mhz, 1400.0, 1e-9)); /* all were locked to it */
    assert_false(rft_held_clock_of(run, point).below);
    point->rounds[0].throttled_below_mhz = 1755.0;
    assert_true(near(rft_held_clock_of(run, point).run_mhz, 1755.0, 1e-9));
    assert_true(rft_held_clock_of(run, point).below);
    rft_run_free(run);
}

/* Device memory has its own clock: a kernel that waits for it at a low SM clock is not held back by that. */
static void memory_does_not_follow(void **state) {
    (void)state;
    rft_run *run = power_run();
    rft_point *point = tensor_point(run, 0, 0.5, 1320.0);
    point->work.bytes_read = 0.92 * 4.4e9;
    point->rounds[0].throttled_by = "power_cap";
    text_of(run, point, "bound by dram (92 %, declared)");
    rft_placement place = rft_placement_of(run, point);
    assert_true(near(place.clock_frac, place.efficiency_frac, 1e-9));
    point = tensor_point(run, 0, 0.93, 1320.0); /* both near: the longer one */
    point->work.bytes_read = 0.95 * 4.4e9;
    point->rounds[0].throttled_by = "power_cap";
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_DRAM);
    point->work.bytes_read = 0.91 * 4.4e9;
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_POWER);
    rft_run_free(run);
}

/* Nor does the L2, by the counters of kernels under a power limit. */
static void the_l2_does_not_follow(void **state) {
    (void)state;
    rft_run *run = power_run();
    fixture_ceiling(run, RFT_CEILING_L2_READ, 10e12);
    run->ceilings.items[RFT_CEILING_L2_READ].clock_mhz = RUN_MHZ;
    assert_true(near(rft_ceiling_rate_at(&run->ceilings, RFT_CEILING_L2_READ, 1320.0), 10e12, 1e-9));
    rft_point *point = tensor_point(run, 0, 0.5, 1320.0);
    point->traffic = (rft_traffic){.present = true, .evidence = RFT_EVIDENCE_MODELLED};
    for (int level = 0; level < RFT_LEVEL_COUNT; level++) {
        point->traffic.level_bytes[level] = level == RFT_LEVEL_L2 ? 0.92 * 10e12 * 1e-3 : (double)NAN;
    }
    point->rounds[0].throttled_by = "power_cap";
    text_of(run, point, "bound by l2 (92 %, modelled)");
    point->traffic.pipe_ops[RFT_PIPE_TENSOR_BF16] = 0.95 / 0.5 * point->work.pipe_ops[RFT_PIPE_TENSOR_BF16];
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_POWER);
    rft_run_free(run);
}

/* Back to back against the ceiling under load, each with its own clock. */
static void sustained_against_sustained(void **state) {
    (void)state;
    rft_run *run = power_run();
    rft_ceiling *ceiling = &run->ceilings.items[RFT_CEILING_TENSOR_BF16];
    double rate = 560e12, median = 1.25e-3;
    ceiling->sustained = rft_stats_of(&rate, 1);
    ceiling->sustained_clock_mhz = 1320.0;
    rft_point *point = tensor_point(run, 0, 0.97, CEILING_MHZ);
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 0.95 * 560e12 / 1320.0 * 1250.0 * median;
    rft_load soak = rft_load_none(RFT_LOAD_SOAK, NULL);
    soak.stats = rft_stats_of(&median, 1);
    soak.clock_mhz = 1250.0;
    point->loads[RFT_LOAD_SOAK] = &soak;
    rft_placement place = rft_placement_sustained(run, point);
    assert_true(near(place.clock_frac, 0.95, 1e-9));
    assert_true(near(place.efficiency_frac, 0.95 * 1250.0 / 1320.0, 1e-9));
    assert_true(near(rft_point_back_to_back_s(point), median, 1e-9));
    rft_load energy = rft_load_none(RFT_LOAD_ENERGY, NULL);
    energy.run_s = 1.2e-3;
    point->loads[RFT_LOAD_ENERGY] = &energy;
    assert_true(near(rft_point_back_to_back_s(point), 1.2e-3, 1e-9));
    energy.restored = true; /* the copy of the inouts is in it */
    assert_true(near(rft_point_back_to_back_s(point), median, 1e-9));
    rft_run_free(run);
}

/* ---- advice ---- */

static bool has_rule(const rft_advice *items, size_t count, const char *rule, double gain_frac) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(items[i].rule, rule) == 0) {
            assert_true(near(items[i].gain_frac, gain_frac, 1e-6));
            assert_string_equal(items[i].with, "less energy an operation");
            return true;
        }
    }
    return false;
}

static void advice_is_on_energy(void **state) {
    (void)state;
    rft_run *run = power_run();
    run->sweeps[0].sweep.variants[0].param_count = 0;
    fixture_ceiling(run, RFT_CEILING_SHARED_READ, 30e12);
    run->ceilings.items[RFT_CEILING_SHARED_READ].clock_mhz = RUN_MHZ;
    rft_point *point = tensor_point(run, 0, 0.92, 1320.0); /* 8 % are left at that clock */
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    counters.values[RFT_COUNTER_WARPS_ACTIVE] = 0.1; /* both would speak, were it not for the clock */
    counters.values[RFT_COUNTER_STALL_BARRIER] = 9.0;
    counters.values[RFT_COUNTER_STALL_LONG_SCOREBOARD] = 1.0;
    counters.values[RFT_COUNTER_SHARED_WAVEFRONTS] = 0.5 * 30e12 * 1e-3 / RFT_WAVEFRONT_BYTES;
    point->counters = &counters;
    point->rounds[0].throttled_by = "power_cap";
    rft_load load = rft_load_none(RFT_LOAD_ENERGY, NULL);
    load.joules_per_run = 1.5e-12 * point->work.pipe_ops[RFT_PIPE_TENSOR_BF16];
    point->loads[RFT_LOAD_ENERGY] = &load;
    rft_advice_list list = rft_advice_of(run, point, run->arena);
    assert_int_equal(list.count, 0);
    assert_string_equal(list.nothing,
                        "bound by power (BF16 tensor at 92 % of what 1320 MHz allow, declared): only less "
                        "energy an operation (now 1.50 pJ), or a higher limit, makes it faster");
    rft_env_set(&run->env, run->arena, "nvml.power_limit_enforced_w", "700", NULL);
    rft_env_set(&run->env, run->arena, "nvml.power_limit_max_w", "700", NULL); /* there is no higher one */
    list = rft_advice_of(run, point, run->arena);
    assert_non_null(strstr(list.nothing, "only less energy an operation (now 1.50 pJ) makes it faster"));
    double gain = 1.0 - 1320.0 / RUN_MHZ;
    assert_true(has_rule(list.others, list.other_count, "power_shared", gain));
    assert_true(has_rule(list.others, list.other_count, "power_bits", gain));
    assert_true(has_rule(list.others, list.other_count, "power_tiles", gain));
    run->ceilings.items[RFT_CEILING_TENSOR_FP8].datasheet = 2e15;
    double least_s = point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] / 2e15;
    list = rft_advice_of(run, point, run->arena);
    assert_true(has_rule(list.others, list.other_count, "power_narrow", 1.0 - least_s / 1e-3));
    /* The work declares a tenth of what the pipe does, in parts: their sum is no work for a narrower type. */
    counters.values[RFT_COUNTER_TENSOR_BF16] = point->work.pipe_ops[RFT_PIPE_TENSOR_BF16];
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] /= 10.0;
    list = rft_advice_of(run, point, run->arena);
    assert_false(has_rule(list.others, list.other_count, "power_narrow", 1.0 - least_s / 1e-3));
    assert_non_null(strstr(list.nothing, "(now 1.50 pJ)"));
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] *= 10.0;
    counters.values[RFT_COUNTER_TENSOR_BF16] = NAN;
    counters.values[RFT_COUNTER_SHARED_WAVEFRONTS] /= 4.0; /* too few bytes to speak of */
    list = rft_advice_of(run, point, run->arena);
    assert_false(has_rule(list.others, list.other_count, "power_shared", gain));
    point->rounds[0].throttled_by = NULL; /* the cause is not known: nothing says that energy would help */
    list = rft_advice_of(run, point, run->arena);
    assert_int_equal(list.count, 0);
    assert_false(has_rule(list.others, list.other_count, "power_bits", gain));
    assert_non_null(strstr(list.nothing, "cause not known): only a higher clock makes it faster"));
    rft_run_free(run);
}

/* ---- where power binds ---- */

/* A rate that grows towards the pipe's, under a clock that falls from `knee` on. */
static void add_line(rft_run *run, const double *frac, const double *clock_mhz, size_t count) {
    run->sweeps[0].sweep.problem_count = 0;
    for (size_t i = 0; i < count; i++) {
        int64_t m = (int64_t)128 << i;
        size_t problem = fixture_problem(run, &m);
        rft_point *point = tensor_point(run, problem, frac[i], clock_mhz[i]);
        point->rounds[0].throttled_by = clock_mhz[i] < 0.95 * RUN_MHZ && i % 2 ? "power_cap" : NULL;
        double scale = (double)m / 128.0 * 1e-3;
        point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] *= scale / 1e-3;
        point->work.bytes_read = 1.0;
        point->rounds[0].stats.median = scale;
        for (size_t k = 0; k < point->rounds[0].n; k++) {
            point->rounds[0].samples_s[k] *= scale / 1e-3;
        }
        point->rounds[0].stats = rft_stats_of(point->rounds[0].samples_s, point->rounds[0].n);
    }
}

static size_t found_by_clock(rft_run *run, rft_transition *out) {
    rft_profile *profiles = NULL;
    rft_transition *all = NULL;
    assert_int_equal(rft_profiles_along_axes(run, 0, SIZE_MAX, run->arena, &profiles), 1);
    size_t count = rft_transitions_of(run, profiles, run->arena, &all), found = 0;
    for (size_t i = 0; i < count; i++) {
        if (all[i].by_clock) {
            *out = all[i];
            found++;
            assert_int_equal(all[i].kind, RFT_TRANSITION_FOUND);
            assert_false(rft_bound_is_held(&profiles->steps[all[i].from].bound));
            assert_true(rft_bound_is_held(&profiles->steps[all[i].to].bound));
        }
    }
    return found;
}

static void where_power_binds(void **state) {
    (void)state;
    rft_run *run = power_run();
    rft_transition found;
    /* 128 to 16384; the clock falls between 1024 and 2048, and stays low. One cause is read, the next is not. */
    add_line(run, (const double[]){0.7, 0.7, 0.72, 0.75, 0.95, 0.96, 0.97, 0.98},
             (const double[]){1980, 1980, 1980, 1975, 1600, 1500, 1400, 1320}, 8);
    assert_int_equal(found_by_clock(run, &found), 1);
    assert_true(found.low == 1024.0 && found.high == 2048.0);
    assert_true(found.where > 1024.0 && found.where < 2048.0);
    rft_run_free(run);

    run = power_run(); /* verdicts within 1 % of a threshold are in the interval */
    add_line(run, (const double[]){0.7, 0.7, 0.72, 0.895, 0.905, 0.96, 0.97, 0.98},
             (const double[]){1980, 1980, 1980, 1600, 1600, 1500, 1400, 1320}, 8);
    assert_int_equal(found_by_clock(run, &found), 1);
    assert_true(found.low == 512.0 && found.high == 4096.0);
    assert_true(found.where > 1024.0 && found.where < 2048.0); /* and have a verdict */
    rft_run_free(run);

    run = power_run(); /* just held at 2048: the place is not behind it */
    add_line(run, (const double[]){0.7, 0.7, 0.72, 0.75, 0.902, 0.96, 0.97, 0.98},
             (const double[]){1980, 1980, 1980, 1975, 1600, 1500, 1400, 1320}, 8);
    assert_int_equal(found_by_clock(run, &found), 1);
    assert_true(found.low == 1024.0 && found.high == 4096.0);
    assert_true(found.where > 1024.0 && found.where < 2048.0);
    rft_run_free(run);

    run = power_run(); /* one kernel that does worse is no end of it */
    add_line(run, (const double[]){0.7, 0.7, 0.72, 0.75, 0.95, 0.80, 0.97, 0.98},
             (const double[]){1980, 1980, 1980, 1975, 1600, 1600, 1400, 1320}, 8);
    assert_int_equal(found_by_clock(run, &found), 1);
    assert_true(found.low == 1024.0 && found.high == 2048.0);
    rft_run_free(run);

    run = power_run(); /* from latency at once */
    add_line(run, (const double[]){0.3, 0.3, 0.35, 0.4, 0.95, 0.96, 0.97, 0.98},
             (const double[]){1980, 1980, 1980, 1975, 1600, 1500, 1400, 1320}, 8);
    assert_int_equal(found_by_clock(run, &found), 1);
    assert_true(found.low == 1024.0 && found.high == 2048.0);
    rft_run_free(run);

    run = power_run(); /* nowhere, and everywhere */
    add_line(run, (const double[]){0.7, 0.7, 0.72, 0.75, 0.85, 0.86},
             (const double[]){1980, 1980, 1980, 1975, 1960, 1960}, 6);
    assert_int_equal(found_by_clock(run, &found), 0);
    rft_run_free(run);
    run = power_run();
    add_line(run, (const double[]){0.97, 0.97, 0.95, 0.96, 0.97, 0.98},
             (const double[]){1400, 1400, 1380, 1375, 1360, 1360}, 6);
    assert_int_equal(found_by_clock(run, &found), 0);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_cause_names_the_bound),
        cmocka_unit_test(the_load_says_why),
        cmocka_unit_test(thresholds),
        cmocka_unit_test(the_clock_of_the_run),
        cmocka_unit_test(memory_does_not_follow),
        cmocka_unit_test(the_l2_does_not_follow),
        cmocka_unit_test(sustained_against_sustained),
        cmocka_unit_test(advice_is_on_energy),
        cmocka_unit_test(where_power_binds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
