/* SPDX-License-Identifier: Apache-2.0 */
/* Which ceiling holds a point back, and where the point stands. */
#include "model_fixture.h"

#include "base/str.h"
#include "model/roofline/bound.h"
#include "model/roofline/datasheet.h"
#include "model/roofline/over_roof.h"
#include "model/roofline/placement.h"
#include "model/roofline/reach.h"

static rft_run *one_problem(void) {
    rft_run *run = fixture_run();
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){1024});
    return run;
}

/* A point that reads `bytes` and does `ops` on a pipe in `seconds`. */
static rft_point *point_of(rft_run *run, double bytes, rft_pipe pipe, double ops, double seconds) {
    rft_point *point = fixture_point(run, 0, NULL, seconds);
    point->work.bytes_read = bytes;
    if (pipe < RFT_PIPE_COUNT) {
        point->work.pipe_ops[pipe] = ops;
    }
    return point;
}

static void memory_ceiling_of_the_nearest_mix(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_ceilings *ceilings = &run->ceilings; /* read and copy are measured */
    assert_int_equal(rft_bound_dram_ceiling(ceilings, 1.0), RFT_CEILING_DRAM_READ);
    assert_int_equal(rft_bound_dram_ceiling(ceilings, 0.5), RFT_CEILING_DRAM_COPY);
    assert_int_equal(rft_bound_dram_ceiling(ceilings, 0.0), RFT_CEILING_DRAM_COPY);
    assert_int_equal(rft_bound_dram_ceiling(ceilings, 2.0 / 3.0), RFT_CEILING_DRAM_COPY);
    fixture_ceiling(run, RFT_CEILING_DRAM_2TO1, 4.3e12);
    fixture_ceiling(run, RFT_CEILING_DRAM_WRITE, 4.1e12);
    assert_int_equal(rft_bound_dram_ceiling(ceilings, 2.0 / 3.0), RFT_CEILING_DRAM_2TO1);
    assert_int_equal(rft_bound_dram_ceiling(ceilings, 0.8), RFT_CEILING_DRAM_2TO1);
    assert_int_equal(rft_bound_dram_ceiling(ceilings, 0.1), RFT_CEILING_DRAM_WRITE);
    rft_run *bare = rft_run_new();
    assert_int_equal(rft_bound_dram_ceiling(&bare->ceilings, 0.9), RFT_CEILING_DRAM_READ);
    rft_run_free(bare);
    rft_run_free(run);
}

static void text_of(rft_run *run, const rft_point *point, const char *expected) {
    rft_bound bound = rft_bound_of(run, point);
    assert_string_equal(rft_bound_text(&bound, run->arena), expected);
}

static void firmness_by_share(void **state) {
    (void)state;
    rft_run *run = one_problem();
    double bytes = 4.4e9; /* 1 ms at the read ceiling */
    text_of(run, point_of(run, bytes, RFT_PIPE_FP32, 6e9, 1.10e-3), "bound by dram (91 %, declared)");
    text_of(run, point_of(run, bytes, RFT_PIPE_FP32, 6e9, 1.40e-3), "mostly dram (71 %, declared)");
    text_of(run, point_of(run, bytes, RFT_PIPE_FP32, 6e9, 3.00e-3), "latency: nearest ceiling dram 33 %");
    text_of(run, point_of(run, bytes, RFT_PIPE_FP32, 48e9, 1.85e-3),
            "latency: dram 54 % and FP32 43 %, as if in turns");
    text_of(run, point_of(run, bytes, RFT_PIPE_FP32, 55e9, 1.85e-3),
            "latency: dram 54 % and FP32 50 %, as if in part at once");
    text_of(run, point_of(run, bytes, RFT_PIPE_FP32, 48e9, 2.10e-3), "latency: nearest ceiling dram 48 %");
    text_of(run, point_of(run, bytes, RFT_PIPE_FP32, 90e9, 1.60e-3), "bound by FP32 (94 %, declared)");
    rft_bound bound = rft_bound_of(run, point_of(run, bytes, RFT_PIPE_FP32, 90e9, 1.60e-3));
    assert_int_equal(bound.share_count, 2);
    assert_int_equal(bound.pipe, RFT_PIPE_FP32);
    assert_int_equal(bound.firmness, RFT_FIRM_BOUND);
    assert_int_equal(bound.shares[1].resource, RFT_RESOURCE_DRAM);
    assert_int_equal(bound.shares[1].ceiling, RFT_CEILING_DRAM_READ);
    assert_true(near(bound.shares[1].frac, 1.0 / 1.6, 1e-9));
    assert_true(bound.over_roof_frac == 0.0);
    rft_run_free(run);
}

/* int8 at 4096: the L2 at 82 %, the units at 85 % of their ceiling but at work in 93 % of the cycles. */
static void busy_units_are_told_beside_a_level(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_counters counters = rft_counters_unknown("not asked for");
    counters.values[RFT_COUNTER_TENSOR_BUSY] = 0.93;
    for (size_t i = 0; i < 3; i++) {
        rft_point *point =
            point_of(run, 4.4e9, i < 2 ? RFT_PIPE_TENSOR_BF16 : RFT_PIPE_COUNT, i ? 70e10 : 50e10, 1.15e-3);
        point->counters = &counters;
        point->work.bytes_read = i == 1 ? 1e6 : 4.4e9;
        text_of(run, point,
                i == 1 ? "bound by BF16 tensor (87 %, declared)"
                       : "bound by dram (87 %, declared); tensor units busy in 93 % of the cycles");
    }
    rft_run_free(run);
}

static void short_points_are_launch(void **state) {
    (void)state;
    rft_run *run = one_problem();
    text_of(run, point_of(run, 17.6e6, RFT_PIPE_COUNT, 0, 8.0e-6), "launch: nearest ceiling dram 50 %");
    text_of(run, point_of(run, 30.8e6, RFT_PIPE_COUNT, 0, 8.2e-6), "bound by dram (85 %, declared)");
    rft_run_free(run);
}

static void above_the_roof(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_bound bound = rft_bound_of(run, point_of(run, 4.4e9, RFT_PIPE_COUNT, 0, 0.5e-3));
    assert_true(near(bound.over_roof_frac, 2.0, 1e-9));
    bound = rft_bound_of(run, point_of(run, 4.4e9, RFT_PIPE_COUNT, 0, 0.99e-3)); /* within the noise of a ceiling */
    assert_true(bound.over_roof_frac == 0.0);
    assert_int_equal(bound.resource, RFT_RESOURCE_DRAM);
    rft_run_free(run);
}

static void expect_cause(rft_run *run, rft_point *point, rft_over_cause cause, double factor, const char *part) {
    const rft_over_roof over = rft_over_roof_of(run, point, run->arena);
    if (over.cause != cause) {
        print_error("cause %s where %s was expected: %s\n", rft_over_cause_name(over.cause), rft_over_cause_name(cause),
                    over.text ? over.text : "none");
    }
    assert_int_equal(over.cause, cause);
    assert_true(cause == RFT_OVER_NOT ? over.text == NULL : strstr(over.text, part) != NULL);
    assert_true(near(over.factor, factor, 1e-3));
}

/* What the facts of the run show as the cause is told, and "no cause shows" only where nothing does. */
static void above_the_roof_has_a_cause(void **state) {
    (void)state;
    rft_run *run = one_problem();
    run->ceilings.items[RFT_CEILING_FP32].clock_mhz = 1700.0;
    rft_point *point = point_of(run, 4.4e9, RFT_PIPE_COUNT, 0, 1.01e-3);
    expect_cause(run, point, RFT_OVER_NOT, 0.0, "");
    expect_cause(run, point_of(run, 4.4e9, RFT_PIPE_COUNT, 0, 0.95e-3), RFT_OVER_UNKNOWN, 1.0 / 0.95, "no cause shows");
    point = point_of(run, 4.4e9, RFT_PIPE_COUNT, 0, 0.95e-3);
    point->rounds[0].cache = RFT_CACHE_HOT;
    expect_cause(run, point, RFT_OVER_HOT, 1.0 / 0.95, "the cache was not cold");
    point = point_of(run, 128e6, RFT_PIPE_COUNT, 0, 50e-6); /* 256 MB, of which 60 MiB are still in the L2 */
    point->work.bytes_written = 128e6;
    expect_cause(run, point, RFT_OVER_WRITES, 256e6 / 4.2e12 / 50e-6,
                 "up to 62.9 MB of its writes may still have been in the L2 when it ended");
    point = point_of(run, 1e6, RFT_PIPE_FP32, 60e9, 0.9e-3);
    expect_cause(run, point, RFT_OVER_CLOCK, 1.0 / 0.9, "1980 MHz, and 1700 MHz while the ceiling of FP32");
    point = point_of(run, 1e6, RFT_PIPE_FP32, 60e9, 0.8e-3); /* more than the clock explains */
    expect_cause(run, point, RFT_OVER_UNKNOWN, 1.0 / 0.8, "no cause shows");
    rft_arena *arena = rft_arena_new();
    rft_limits_apply(&run->ceilings, &run->gpu, arena);
    point = point_of(run, 4.4e9, RFT_PIPE_COUNT, 0, 0.5e-3);
    expect_cause(run, point, RFT_OVER_LIMIT, 2.0, "faster than the hardware can be");
    point = point_of(run, 4.0e9, RFT_PIPE_COUNT, 0, 1e-3);
    point->traffic.present = true;
    point->traffic.evidence = RFT_EVIDENCE_MODELLED;
    point->traffic.level_bytes[RFT_LEVEL_DRAM] = 6.0e9;
    point->traffic.dram_read_frac = 1.0;
    expect_cause(run, point, RFT_OVER_MODELLED, 6.0 / 4.4, "its `traffic` says more than dram can move");
    rft_arena_free(arena);
    rft_run_free(run);
}

/* Counters that saw less than the declared work name the cause before anything else is guessed. */
static void counters_name_the_cause(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 4.4e9, RFT_PIPE_COUNT, 0, 0.95e-3);
    rft_counters counters = rft_counters_unknown("not asked for");
    counters.passes = 1;
    counters.values[RFT_COUNTER_DRAM_READ] = 3.3e9;
    counters.values[RFT_COUNTER_DRAM_WRITE] = 0.0;
    point->counters = &counters;
    expect_cause(run, point, RFT_OVER_COUNTED, 1.0 / 0.95, "device memory moved 75 % of its bytes (counted)");
    counters.values[RFT_COUNTER_DRAM_READ] = 4.4e9;
    expect_cause(run, point, RFT_OVER_CEILING, 1.0 / 0.95, "the counters confirm its work");
    /* all reads and the writes but 34 MB: these were in the L2 */
    point = point_of(run, 1.28e8, RFT_PIPE_COUNT, 0, 58e-6);
    point->work.bytes_written = 1.28e8;
    counters.values[RFT_COUNTER_DRAM_READ] = 1.28e8;
    counters.values[RFT_COUNTER_DRAM_WRITE] = 0.94e8;
    point->counters = &counters;
    expect_cause(run, point, RFT_OVER_WRITES, 256e6 / 4.2e12 / 58e-6,
                 "34.0 MB of its writes were still in the L2 when it ended");
    counters.values[RFT_COUNTER_DRAM_WRITE] = 1.28e8; /* none were: the writes explain nothing */
    expect_cause(run, point, RFT_OVER_CEILING, 256e6 / 4.2e12 / 58e-6, "the counters confirm its work");
    rft_run_free(run);
}

/* Above is what the intervals of time and ceiling do not bring under the roof; 2 % where one has none. */
static void above_is_above_the_uncertainty(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_ceiling *ceiling = &run->ceilings.items[RFT_CEILING_DRAM_READ];
    rft_point *point = point_of(run, 4.4e9, RFT_PIPE_COUNT, 0, 0.988e-3); /* 1.2 % above, samples to 0.7 % */
    expect_cause(run, point, RFT_OVER_NOT, 0.0, "");
    double rates[20];
    for (int i = 0; i < 20; i++) {
        rates[i] = 4.4e12 * (1.0 + 1e-4 * (i - 9.5));
    }
    ceiling->stats = rft_stats_of(rates, 20);
    expect_cause(run, point, RFT_OVER_UNKNOWN, 1.0 / 0.988, "no cause shows");
    expect_cause(run, point_of(run, 4.4e9, RFT_PIPE_COUNT, 0, 0.995e-3), RFT_OVER_NOT, 0.0, ""); /* within 0.7 % */
    for (int i = 0; i < 20; i++) {
        rates[i] = 4.4e12 * (1.0 + 2e-3 * (i - 9.5)); /* so is 1.2 % within 0.7 and 0.9 % */
    }
    ceiling->stats = rft_stats_of(rates, 20);
    expect_cause(run, point, RFT_OVER_NOT, 0.0, "");
    rft_run_free(run);
}

/* Writes in the L2 make the share of single launches an upper bound; back to back there is none. */
static void reach_rests_on_launches_back_to_back(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 2.68e8, RFT_PIPE_COUNT, 0, 130e-6);
    point->work.bytes_written = 2.68e8;
    double alone = 5.36e8 / 4.2e12 / 130e-6;
    rft_reach reach = rft_reach_of(run, point);
    assert_true(reach.at_most && !reach.back_to_back && near(reach.frac, alone, 1e-9));
    assert_true(!reach.unwritten.counted && near(reach.unwritten.bytes, 60 << 20, 1e-9));
    assert_string_equal(
        rft_reach_note(run, point, run->arena),
        "at most that share of its roof: up to 62.9 MB of its writes may still have been in the L2 when "
        "it ended");
    rft_load load = rft_load_none(RFT_LOAD_ENERGY, NULL);
    load.runs = 1000;
    load.run_s = 137e-6;
    point->loads[RFT_LOAD_ENERGY] = &load;
    reach = rft_reach_of(run, point);
    assert_true(reach.back_to_back && !reach.at_most && near(reach.frac, alone * 130 / 137, 1e-9));
    assert_true(near(reach.left_factor, 1 / reach.frac, 1e-9));
    run->ceilings.items[RFT_CEILING_DRAM_COPY].sustained = run->ceilings.items[RFT_CEILING_DRAM_COPY].stats;
    run->ceilings.items[RFT_CEILING_DRAM_COPY].sustained.median *= 0.98; /* its own state's ceiling */
    assert_true(near(rft_reach_of(run, point).frac, alone * 130 / 137 / 0.98, 1e-9));
    load.restored = true; /* copying back is in that time */
    assert_true(rft_reach_of(run, point).at_most);
    load.restored = false;
    load.run_s = 120e-6; /* faster: its inputs stayed in the L2, which says nothing of device memory */
    assert_true(rft_reach_of(run, point).at_most);
    point->rounds[0].cache = RFT_CACHE_ROTATING; /* every run waits for the writes of those before it */
    reach = rft_reach_of(run, point);
    assert_true(!reach.at_most && !reach.back_to_back && reach.unwritten.bytes == 0.0);
    point->rounds[0].cache = RFT_CACHE_COLD;
    point->work.bytes_written = 4e6; /* less than noise */
    assert_null(rft_reach_note(run, point, run->arena));
    point->loads[RFT_LOAD_ENERGY] = NULL;
    point->rounds[0] = fixture_measurement(run, 60e-6); /* above its roof any writes matter */
    assert_true(rft_reach_of(run, point).frac > 1 && rft_reach_of(run, point).at_most);
    rft_run_free(run);
}

/* A launch costs its floor: 3.90 us at a floor of 2.75 have no factor of 64 left. */
static void left_is_against_the_launch_floor_too(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 0.0612e-6 * 4.4e12, RFT_PIPE_COUNT, 0, 3.9e-6);
    point->rounds[0].floor_s = 2.75e-6;
    rft_placement place = rft_placement_of(run, point);
    assert_true(near(1 / place.efficiency_frac, 63.7, 0.01));
    assert_true(near(place.left_factor, 3.9 / (2.75 + 0.0612), 1e-9));
    point->rounds[0].floor_s = NAN; /* not read: the ceilings' */
    assert_true(near(rft_placement_of(run, point).left_factor, 3.9 / (2.7 + 0.0612), 1e-9));
    rft_point *writer = point_of(run, 21e6, RFT_PIPE_COUNT, 0, 15e-6); /* 10 us at its roof, 4 of them still to come */
    rft_counters counters = rft_counters_unknown("not asked for");
    writer->work.bytes_written = 21e6;
    writer->rounds[0].floor_s = 2.75e-6;
    counters.values[RFT_COUNTER_DRAM_WRITE] = 4.2e6;
    writer->counters = &counters;
    assert_true(near(rft_reach_of(run, writer).left_factor, 15.0 / (10.0 - 4.0 + 2.75), 1e-9));
    point->rounds[0].batch = 64; /* runs in a row hide their launches */
    assert_true(near(rft_placement_of(run, point).left_factor, 1 / place.efficiency_frac, 1e-9));
    point = point_of(run, 4.4e8, RFT_PIPE_COUNT, 0, 110e-6); /* far from it */
    assert_true(near(rft_placement_of(run, point).left_factor, 1.1, 1e-9));
    point = point_of(run, 4.4e8, RFT_PIPE_COUNT, 0, 99e-6);
    assert_true(rft_placement_of(run, point).left_factor == 1.0);
    rft_run_free(run);
}

/* A ceiling that is only a lower bound judges nothing: no efficiency, no bound by it, nothing above it. */
static void a_lower_bound_judges_nothing(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_ceiling *bf16 = &run->ceilings.items[RFT_CEILING_TENSOR_BF16];
    rft_point *point = point_of(run, 1e6, RFT_PIPE_TENSOR_BF16, 700e9, 0.5e-3);
    assert_true(near(rft_placement_of(run, point).efficiency_frac, 2.0, 1e-9));
    bf16->at_least = true;
    assert_true(isnan(rft_ceilings_rate(&run->ceilings, RFT_CEILING_TENSOR_BF16)));
    assert_string_equal(rft_ceiling_prefix(bf16), "at least ");
    rft_placement place = rft_placement_of(run, point);
    assert_true(isnan(place.efficiency_frac) && isnan(place.roof_s));
    assert_int_equal(place.roof, RFT_RESOURCE_UNKNOWN);
    rft_bound bound = rft_bound_of(run, point);
    assert_int_equal(bound.resource, RFT_RESOURCE_UNKNOWN);
    expect_cause(run, point, RFT_OVER_NOT, 0.0, "");
    /* It is certain all the same: work that is negligible at it is negligible. */
    point = point_of(run, 4.4e9, RFT_PIPE_TENSOR_BF16, 70e9, 1.1e-3);
    place = rft_placement_of(run, point);
    assert_true(near(place.efficiency_frac, 1.0 / 1.1, 1e-9));
    rft_run_free(run);
}

static void traffic_names_the_inner_levels(void **state) {
    (void)state;
    rft_run *run = one_problem();
    fixture_ceiling(run, RFT_CEILING_L2_READ, 9e12);
    fixture_ceiling(run, RFT_CEILING_SHARED_READ, 30e12);
    rft_point *point = point_of(run, 0.44e9, RFT_PIPE_FP32, 6e9, 1e-3);
    text_of(run, point, "latency: nearest ceiling dram 10 %");
    point->traffic.present = true;
    point->traffic.evidence = RFT_EVIDENCE_MODELLED;
    point->traffic.level_bytes[RFT_LEVEL_L2] = 8.1e9;
    text_of(run, point, "bound by l2 (90 %, modelled)");
    point->traffic.level_bytes[RFT_LEVEL_SHARED] = 29.1e9;
    point->traffic.evidence = RFT_EVIDENCE_COUNTED;
    text_of(run, point, "bound by shared (97 %, counted)");
    rft_bound bound = rft_bound_of(run, point);
    assert_int_equal(bound.share_count, 4); /* dram still from the declared bytes */
    assert_int_equal(bound.shares[2].evidence, RFT_EVIDENCE_DECLARED);
    point->traffic.level_bytes[RFT_LEVEL_DRAM] = 4.18e9; /* wasted sectors; a copy mix */
    point->traffic.dram_read_frac = 0.5;
    bound = rft_bound_of(run, point);
    assert_int_equal(bound.resource, RFT_RESOURCE_DRAM);
    assert_int_equal(bound.shares[0].ceiling, RFT_CEILING_DRAM_COPY);
    point->traffic.pipe_ops[RFT_PIPE_FP32] = 60e9; /* what the configuration executes, beside the work */
    text_of(run, point, "bound by FP32 (100 %, counted)");
    /* and the placement does not move: it stands on work alone */
    rft_placement placement = rft_placement_of(run, point);
    assert_true(near(placement.efficiency_frac, 0.1, 1e-9));
    rft_run_free(run);
}

/* A formula that says more than a ceiling can do is wrong, and by how much is not known: it bounds nothing. */
static void a_refuted_model_is_no_bound(void **state) {
    (void)state;
    rft_run *run = one_problem();
    fixture_ceiling(run, RFT_CEILING_SHARED_READ, 30e12);
    run->ceilings.items[RFT_CEILING_SHARED_READ].clock_mhz = run->ceilings.items[RFT_CEILING_TENSOR_BF16].clock_mhz =
        1980.0;
    rft_point *point = point_of(run, 1e6, RFT_PIPE_TENSOR_BF16, 630e9, 1e-3); /* 90 % */
    point->traffic.present = true;
    point->traffic.evidence = RFT_EVIDENCE_MODELLED;
    point->traffic.level_bytes[RFT_LEVEL_SHARED] =
        30.9e12 * 1e-3; /* 103 %: within the noise of a ceiling and of a time without interval */
    text_of(run, point, "bound by shared (103 %, modelled)");
    point->traffic.level_bytes[RFT_LEVEL_SHARED] = 36e12 * 1e-3;
    text_of(run, point, "bound by BF16 tensor (90 %, declared)");
    expect_cause(run, point, RFT_OVER_MODELLED, 1.2, "its `traffic` says more than shared can move");
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 210e9;
    text_of(run, point, "unknown: its `traffic` says more than shared can do; nearest ceiling BF16 tensor 30 %");
    point->traffic.level_bytes[RFT_LEVEL_SHARED] = 28e12 * 1e-3; /* under the ceiling, over what 1500 MHz allow */
    point->rounds[0].clock_mhz = 1500.0;
    text_of(run, point, "unknown: its `traffic` says more than shared can do; nearest ceiling BF16 tensor 30 %");
    expect_cause(run, point, RFT_OVER_MODELLED, 28.0 / 30.0 * 1980.0 / 1500.0, "its `traffic` says more than shared");
    point->traffic.evidence = RFT_EVIDENCE_COUNTED; /* what was counted is no formula */
    text_of(run, point, "bound by clock (shared at 123 % of what 1500 MHz allow, counted; cause not known)");
    rft_run_free(run);
}

static void issue_slots(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 0.44e9, RFT_PIPE_COUNT, 0, 1e-3);
    point->traffic.present = true;
    point->traffic.warp_instructions = 0.9e-3 * 4 * 132 * 1980e6;
    text_of(run, point, "bound by issue (90 %, modelled)");
    point->rounds[0].clock_mhz = NAN; /* no clock: nothing is said about issue */
    text_of(run, point, "latency: nearest ceiling dram 10 %");
    rft_run_free(run);
}

static void hot_work_inside_the_l2(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = point_of(run, 44e6, RFT_PIPE_FP32, 1e6, 10e-6);
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_DRAM);
    point->rounds[0].cache = RFT_CACHE_HOT;
    /* no L2 ceiling: dram would be a guess */
    assert_int_equal(rft_bound_of(run, point).resource, RFT_RESOURCE_UNKNOWN);
    assert_true(isnan(rft_placement_of(run, point).efficiency_frac));
    fixture_ceiling(run, RFT_CEILING_L2_READ, 4.9e12);
    text_of(run, point, "bound by l2 (90 %, declared)");
    assert_int_equal(rft_placement_of(run, point).roof, RFT_RESOURCE_L2);
    point->work.bytes_read = 440e6; /* more than the L2 holds */
    point->rounds[0] = fixture_measurement(run, 110e-6);
    point->rounds[0].cache = RFT_CACHE_HOT;
    text_of(run, point, "bound by dram (91 %, declared)");
    rft_run_free(run);
}

static void no_verdict_without_the_ceiling_that_may_matter(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_arena *arena = run->arena;
    rft_limits_apply(&run->ceilings, &run->gpu, arena);
    /* fp8 was not measured; its limit says 0.9 ms at most 1.8: could be the bound */
    rft_point *gemm = point_of(run, 0.44e9, RFT_PIPE_TENSOR_FP8, 1.9e12, 1e-3);
    text_of(run, gemm, "unknown: work without a measured ceiling; nearest ceiling dram 10 %");
    assert_true(isnan(rft_placement_of(run, gemm).roof_s));
    /* a thousandth of that cannot be */
    rft_point *scale = point_of(run, 0.44e9, RFT_PIPE_TENSOR_FP8, 1.9e9, 1e-3);
    text_of(run, scale, "latency: nearest ceiling dram 10 %");
    assert_true(near(rft_placement_of(run, scale).efficiency_frac, 0.1, 1e-9));
    /* int32 has no ceiling at all; a few address operations change nothing */
    rft_point *index = point_of(run, 4.4e9, RFT_PIPE_INT32, 1e9, 1.1e-3);
    text_of(run, index, "bound by dram (91 %, declared)");
    rft_point *empty = point_of(run, 0.0, RFT_PIPE_COUNT, 0, 1e-3);
    text_of(run, empty, "unknown: no measured ceiling to judge by");
    empty->outcome = RFT_OUTCOME_TIMED_OUT;
    assert_int_equal(rft_bound_of(run, empty).resource, RFT_RESOURCE_UNKNOWN);
    assert_true(isnan(rft_placement_of(run, empty).rate_bytes_s));
    rft_run_free(run);
}

static void placement_by_work(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_limits_apply(&run->ceilings, &run->gpu, run->arena);
    run->ceilings.items[RFT_CEILING_DRAM_COPY].datasheet = 4.8e12;
    rft_point *copy = point_of(run, 2.1e9, RFT_PIPE_FP32, 1.05e9, 1.05e-3);
    copy->work.bytes_written = 2.1e9;
    rft_placement placement = rft_placement_of(run, copy);
    assert_true(near(placement.rate_bytes_s, 4.0e12, 1e-9));
    assert_true(near(placement.rate_ops_s, 1e12, 1e-9));
    assert_true(near(placement.intensity, 0.25, 1e-9));
    assert_true(near(placement.roof_s, 1e-3, 1e-9));
    assert_true(near(placement.efficiency_frac, 1.0 / 1.05, 1e-9));
    assert_true(placement.low_frac < placement.efficiency_frac && placement.efficiency_frac < placement.high_frac);
    assert_int_equal(placement.roof, RFT_RESOURCE_DRAM);
    assert_true(near(placement.datasheet_frac, 4.0 / 4.8, 1e-9));
    /* the bus must move all reads, and the writes that do not fit the L2 */
    double limit = run->ceilings.items[RFT_CEILING_DRAM_COPY].limit;
    assert_true(near(placement.limit_s, (4.2e9 - 60.0 * 1048576.0) / limit, 1e-9));
    rft_run_free(run);
}

static void compute_roof_and_missing_datasheet(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_limits_apply(&run->ceilings, &run->gpu, run->arena);
    rft_point *gemm = point_of(run, 0.2e9, RFT_PIPE_TENSOR_BF16, 1.4e12, 2.5e-3);
    rft_placement placement = rft_placement_of(run, gemm);
    assert_int_equal(placement.roof, RFT_RESOURCE_PIPE);
    assert_int_equal(placement.roof_pipe, RFT_PIPE_TENSOR_BF16);
    assert_true(near(placement.efficiency_frac, 0.8, 1e-9));
    run->ceilings.items[RFT_CEILING_DRAM_READ].datasheet = 4.8e12; /* not the one the roof stands on */
    assert_true(isnan(rft_placement_of(run, gemm).datasheet_frac));
    run->ceilings.items[RFT_CEILING_TENSOR_BF16].datasheet = 989e12;
    assert_true(near(rft_placement_of(run, gemm).datasheet_frac, 1.4e12 / 989e12 / 2.5e-3, 1e-9));
    assert_true(near(placement.limit_s, 1.4e12 / (132.0 * 4096 * 1980e6), 1e-9));
    rft_run_free(run);
}

static void resource_names(void **state) {
    (void)state;
    assert_string_equal(rft_resource_name(RFT_RESOURCE_SHARED, RFT_PIPE_COUNT), "shared");
    assert_string_equal(rft_resource_name(RFT_RESOURCE_PIPE, RFT_PIPE_TENSOR_FP8), "FP8 tensor");
    assert_string_equal(rft_resource_name(RFT_RESOURCE_UNKNOWN, RFT_PIPE_COUNT), "unknown");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(memory_ceiling_of_the_nearest_mix),
        cmocka_unit_test(firmness_by_share),
        cmocka_unit_test(busy_units_are_told_beside_a_level),
        cmocka_unit_test(short_points_are_launch),
        cmocka_unit_test(above_the_roof),
        cmocka_unit_test(above_the_roof_has_a_cause),
        cmocka_unit_test(counters_name_the_cause),
        cmocka_unit_test(above_is_above_the_uncertainty),
        cmocka_unit_test(reach_rests_on_launches_back_to_back),
        cmocka_unit_test(left_is_against_the_launch_floor_too),
        cmocka_unit_test(a_lower_bound_judges_nothing),
        cmocka_unit_test(traffic_names_the_inner_levels),
        cmocka_unit_test(a_refuted_model_is_no_bound),
        cmocka_unit_test(issue_slots),
        cmocka_unit_test(hot_work_inside_the_l2),
        cmocka_unit_test(no_verdict_without_the_ceiling_that_may_matter),
        cmocka_unit_test(placement_by_work),
        cmocka_unit_test(compute_roof_and_missing_datasheet),
        cmocka_unit_test(resource_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
