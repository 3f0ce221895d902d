/* SPDX-License-Identifier: Apache-2.0 */
/* Counted traffic as evidence beside declared and modelled work; who is counted; what is asked for. */
#include "model_fixture.h"

#include "base/str.h"
#include "model/roofline/bound.h"
#include "model/roofline/counted.h"
#include "model/roofline/placement.h"

static rft_run *one_problem(void) {
    rft_run *run = fixture_run();
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){1024});
    return run;
}

static rft_counters *count(rft_run *run, rft_point *point) {
    rft_counters nothing = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    rft_counters *counters = rft_counters_copy(&nothing, run->arena);
    counters->passes = 3;
    point->counters = counters;
    return counters;
}

static const char *text_of(rft_run *run, const rft_point *point) {
    rft_bound bound = rft_bound_of(run, point);
    return rft_bound_text(&bound, run->arena);
}

static void counted_goes_before_modelled_before_declared(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = fixture_point(run, 0, NULL, 2e-3);
    point->work.bytes_read = 4.4e9; /* 1 ms at the ceiling */
    assert_string_equal(text_of(run, point), "latency: nearest ceiling dram 50 %");
    point->traffic.present = true;
    point->traffic.evidence = RFT_EVIDENCE_MODELLED;
    point->traffic.level_bytes[RFT_LEVEL_DRAM] = 6.2e9;
    assert_string_equal(text_of(run, point), "mostly dram (70 %, modelled)");
    rft_counters *counters = count(run, point);
    assert_string_equal(text_of(run, point), "mostly dram (70 %, modelled)"); /* nothing known is no evidence */
    counters->values[RFT_COUNTER_DRAM_READ] = 8e9;
    assert_string_equal(text_of(run, point), "mostly dram (70 %, modelled)"); /* half of a sum is none either */
    counters->values[RFT_COUNTER_DRAM_WRITE] = 0;
    assert_string_equal(text_of(run, point), "bound by dram (91 %, counted)");
    /* Rates and efficiency stay of the work. */
    rft_placement place = rft_placement_of(run, point);
    assert_true(near(place.rate_bytes_s, 2.2e12, 1e-9));
    assert_true(near(place.efficiency_frac, 0.5, 1e-9));
    assert_true(point->work.bytes_read == 4.4e9 && point->traffic.level_bytes[RFT_LEVEL_DRAM] == 6.2e9);
    rft_run_free(run);
}

/* Counters know the level, not the type: what is declared there says it. Nothing declared, nothing judged. */
static void counted_atomics_are_of_the_declared_type(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = fixture_point(run, 0, NULL, 1e-3);
    point->work.bytes_read = 0.44e9; /* 0.1 ms */
    rft_counters *counters = count(run, point);
    counters->values[RFT_COUNTER_SHARED_ATOMIC_WAVEFRONTS] = 2e8;
    counters->values[RFT_COUNTER_L2_ATOMIC] = 1e8;
    assert_string_equal(text_of(run, point), "latency: nearest ceiling dram 10 %"); /* a kernel's few, undeclared */
    fixture_ceiling(run, RFT_CEILING_ATOMICS_SHARED, 8e12);
    fixture_ceiling(run, RFT_CEILING_ATOMICS_SHARED_F32, 7e12);
    point->traffic.present = true;
    point->traffic.evidence = RFT_EVIDENCE_MODELLED;
    point->traffic.pipe_ops[RFT_PIPE_ATOMICS_SHARED] =
        2e9; /* without conflicts; 3.2 times as many passes were counted */
    assert_string_equal(text_of(run, point), "bound by shared atomics (80 %, counted)");
    counters->values[RFT_COUNTER_SHARED_WAVEFRONTS] = 2.5e8; /* these and others, of which each is counted once */
    assert_true(rft_counted_traffic(point).level_bytes[RFT_LEVEL_SHARED] == 128.0 * 0.5e8);
    point->traffic.pipe_ops[RFT_PIPE_ATOMICS_SHARED] = NAN;
    point->work.pipe_ops[RFT_PIPE_ATOMICS_SHARED_F32] = 2e9;
    assert_string_equal(text_of(run, point), "bound by shared FP32 atomics (91 %, counted)");
    point->traffic.pipe_ops[RFT_PIPE_ATOMICS_SHARED] = 5.6e9; /* of both types: the counts cannot be shared out */
    assert_string_equal(text_of(run, point), "mostly shared atomics (70 %, modelled)");
    rft_run_free(run);
}

/* The one address is a limit of its own: a counter's chain outweighs what all slices could do. */
static void one_address_takes_one_after_another(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = fixture_point(run, 0, NULL, 1e-3);
    point->work.bytes_read = 0.44e9;
    point->traffic.present = true;
    point->traffic.evidence = RFT_EVIDENCE_MODELLED;
    point->traffic.pipe_ops[RFT_PIPE_ATOMICS_L2] = 1.6e6;
    assert_string_equal(text_of(run, point), /* it could be anything: as in a recording older than that ceiling */
                        "unknown: work without a measured ceiling; nearest ceiling dram 10 %");
    fixture_ceiling(run, RFT_CEILING_ATOMICS_L2, 160e9);
    assert_string_equal(text_of(run, point), "latency: nearest ceiling dram 10 %");
    fixture_ceiling(run, RFT_CEILING_ATOMICS_L2_ONE, 1.7e9);
    point->traffic.pipe_ops[RFT_PIPE_ATOMICS_L2_ONE] = 1.6e6;
    assert_string_equal(text_of(run, point), "bound by L2 atomics on one address (94 %, modelled)");
    point->traffic.pipe_ops[RFT_PIPE_ATOMICS_L2_ONE] = 1.6e6 / 256;
    point->traffic.pipe_ops[RFT_PIPE_ATOMICS_L2] = 1.6e8;
    assert_string_equal(text_of(run, point), "bound by L2 atomics (100 %, modelled)");
    rft_run_free(run);
}

static void what_was_not_counted_stays_as_it_is_known(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = fixture_point(run, 0, NULL, 1e-3);
    point->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 630e9; /* 0.9 ms: not in the default set */
    point->work.pipe_ops[RFT_PIPE_FP32] = 30e9;
    rft_counters *counters = count(run, point);
    counters->values[RFT_COUNTER_FADD] = counters->values[RFT_COUNTER_FMUL] = 0;
    counters->values[RFT_COUNTER_FFMA] = 6e9; /* 12e9 operations in place of the declared 30e9 */
    rft_bound bound = rft_bound_of(run, point);
    assert_string_equal(rft_bound_text(&bound, run->arena), "bound by BF16 tensor (90 %, declared)");
    for (size_t i = 0; i < bound.share_count; i++) {
        if (bound.shares[i].pipe == RFT_PIPE_FP32) {
            assert_int_equal(bound.shares[i].evidence, RFT_EVIDENCE_COUNTED);
            assert_true(near(bound.shares[i].seconds, 0.2e-3, 1e-9));
        }
    }
    rft_run_free(run);
}

static void a_hot_point_is_not_held_against_its_reads(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = fixture_point(run, 0, NULL, 1e-3);
    rft_disagreement apart[RFT_DISAGREEMENTS_MAX];
    point->work.bytes_read = 1e9;
    assert_int_equal(rft_counted_disagreements(run, point, run->arena, apart), 0); /* not counted */
    rft_counters *counters = count(run, point);
    counters->values[RFT_COUNTER_DRAM_READ] = 1.2e9;
    assert_int_equal(rft_counted_disagreements(run, point, run->arena, apart), 1);
    assert_string_equal(apart[0].text, "dram reads: counted 1.200 GB, declared 1.000 GB (20.0 % more)");
    point->rounds[0].cache = RFT_CACHE_HOT;
    assert_int_equal(rft_counted_disagreements(run, point, run->arena, apart), 0);
    point->rounds[0].cache = RFT_CACHE_ROTATING;
    assert_int_equal(rft_counted_disagreements(run, point, run->arena, apart), 1);
    rft_run_free(run);
}

static void the_reason_for_nothing_is_found(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = fixture_point(run, 0, NULL, 1e-3);
    const rft_counter_set set = rft_counter_set_default();
    assert_string_equal(rft_counted_missing(point), "not counted");
    rft_counters refused = rft_counters_refused(&set, "no permission", run->arena);
    point->counters = &refused;
    assert_false(rft_counted_any(point));
    assert_string_equal(rft_counted_missing(point), "no permission");
    assert_string_equal(refused.reasons[RFT_COUNTER_XU], RFT_COUNTER_NOT_ASKED); /* of the large set */
    assert_false(rft_counted_traffic(point).present);
    refused.values[RFT_COUNTER_ISSUE] = 0.5;
    assert_null(rft_counted_missing(point));
    rft_run_free(run);
}

/* CUPTI counts one for every warp: 1024 blocks of 8 warps and one of 4 lanes count as 9 warps each. */
static void a_wavefront_a_warp_is_no_traffic(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *point = fixture_point(run, 0, NULL, 1e-3);
    rft_counters counted = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    counted.values[RFT_COUNTER_TIME] = 1e-3;
    counted.values[RFT_COUNTER_SHARED_WAVEFRONTS] = 9 * 1024;
    counted.values[RFT_COUNTER_L1_LOAD] = 128.0 * 10 * 1024;
    point->counters = &counted;
    point->has_launch = false;
    assert_true(rft_counted_traffic(point).level_bytes[RFT_LEVEL_SHARED] == 128.0 * 9 * 1024);
    point->has_launch = true;
    for (int i = 0; i < 3; i++) {
        point->grid[i] = point->block[i] = 1;
    }
    point->grid[0] = 1024;
    point->block[0] = 260;
    assert_true(rft_counted_traffic(point).level_bytes[RFT_LEVEL_SHARED] == 0);
    assert_true(rft_counted_traffic(point).level_bytes[RFT_LEVEL_L1] == 128.0 * 1024);
    point->step_count = 2; /* of the other launches the shape is not known */
    assert_true(rft_counted_traffic(point).level_bytes[RFT_LEVEL_SHARED] == 128.0 * 9 * 1024);
    point->step_count = 0;
    counted.values[RFT_COUNTER_TIME] = NAN; /* another tuner's profiler */
    assert_true(rft_counted_traffic(point).level_bytes[RFT_LEVEL_SHARED] == 128.0 * 9 * 1024);
    rft_run_free(run);
}

static void wishes_are_understood(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    rft_counted_wish wish;
    assert_int_equal(rft_counted_wish_parse(&wish, NULL, arena, &err), 0);
    assert_true(wish.chosen && !rft_counted_wish_is_none(&wish));
    assert_int_equal(rft_counted_wish_parse(&wish, "default", arena, &err), 0);
    assert_true(wish.chosen);
    assert_int_equal(rft_counted_wish_parse(&wish, "none", arena, &err), 0);
    assert_true(rft_counted_wish_is_none(&wish));
    assert_int_equal(rft_counted_wish_parse(&wish, "all", arena, &err), 0);
    assert_true(!wish.chosen && wish.set.wanted[RFT_COUNTER_XU]);
    assert_int_equal(rft_counted_wish_parse(&wish, "dram_read_bytes", arena, &err), 0);
    assert_true(wish.set.wanted[RFT_COUNTER_DRAM_READ] && !wish.set.wanted[RFT_COUNTER_DRAM_WRITE]);
    assert_int_equal(rft_counted_wish_parse(&wish, "dram_read_byte", arena, &err), RFT_E_USAGE);
    assert_non_null(strstr(err.message, "dram_read_bytes"));
    rft_arena_free(arena);
}

static void values_come_with_their_unit(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    assert_string_equal(rft_counter_text(RFT_COUNTER_DRAM_READ, 268435456, arena), "268.4 MB");
    assert_string_equal(rft_counter_text(RFT_COUNTER_DRAM_READ, 0, arena), "0 B");
    assert_string_equal(rft_counter_text(RFT_COUNTER_WARPS_ACTIVE, 0.873, arena), "87.3 %");
    assert_string_equal(rft_counter_text(RFT_COUNTER_ISSUE, 0.42, arena), "0.42 per cycle");
    assert_string_equal(rft_counter_text(RFT_COUNTER_WARPS_ELIGIBLE, 1.5, arena), "1.50 warps");
    assert_string_equal(rft_counter_text(RFT_COUNTER_SHARED_CONFLICTS, 12, arena), "12 wavefronts");
    assert_string_equal(rft_counter_text(RFT_COUNTER_L2_READ, 33554432, arena), "33.55 M sectors");
    assert_string_equal(rft_counter_text(RFT_COUNTER_SECTORS_PER_LOAD, 15.97, arena), "16.0 sectors");
    assert_string_equal(rft_counter_text(RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 0.0, arena), "n/a"); /* of no loads */
    assert_string_equal(rft_counter_text(RFT_COUNTER_SHARED_CONFLICTS, 0.0, arena), "0 wavefronts");
    assert_string_equal(rft_counter_text(RFT_COUNTER_TIME, 1.5e-6, arena), "1.500 us");
    assert_string_equal(rft_counter_text(RFT_COUNTER_XU, NAN, arena), "n/a");
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(counted_goes_before_modelled_before_declared),
        cmocka_unit_test(counted_atomics_are_of_the_declared_type),
        cmocka_unit_test(one_address_takes_one_after_another),
        cmocka_unit_test(what_was_not_counted_stays_as_it_is_known),
        cmocka_unit_test(a_hot_point_is_not_held_against_its_reads),
        cmocka_unit_test(the_reason_for_nothing_is_found),
        cmocka_unit_test(a_wavefront_a_warp_is_no_traffic),
        cmocka_unit_test(wishes_are_understood),
        cmocka_unit_test(values_come_with_their_unit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
