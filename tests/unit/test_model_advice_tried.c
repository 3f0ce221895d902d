/* SPDX-License-Identifier: Apache-2.0 */
/* Advice held against the measured points: what they tried in vain is not told as advice, what they leave open is. */
#include "model_fixture.h"

#include "base/str.h"
#include "model/advice/advice.h"

/* One problem of FP32 work that takes 1 ms at its ceiling; two variants, the second with the first's parameters. */
static rft_run *one_problem(void) {
    rft_run *run = fixture_run();
    fixture_axis(run, "n", true, true);
    fixture_problem(run, (const int64_t[]){1024});
    fixture_param(run, 0, "STAGES", (const int64_t[]){1, 2, 3, 4}, 4);
    fixture_param(run, 0, "PAD", (const int64_t[]){0, 1}, 2);
    rft_sweep *sweep = &run->sweeps[0].sweep;
    sweep->variants[1] = sweep->variants[0];
    sweep->variants[1].name = "other";
    sweep->variant_count = 2;
    return run;
}

static rft_point *add(rft_run *run, int64_t stages, double occupancy_frac, double seconds) {
    rft_point *point = fixture_point(run, 0, (const int64_t[]){stages, 0}, seconds);
    point->work.bytes_read = 4.2e7;
    point->work.pipe_ops[RFT_PIPE_FP32] = 60e9;
    point->facts.occupancy_frac = occupancy_frac;
    point->facts.waves = 20.0;
    point->facts.spill_bytes = 0;
    return point;
}

/* `count` points at an occupancy, the fastest in `seconds`. */
static void add_many(rft_run *run, size_t count, double occupancy_frac, double seconds) {
    for (size_t i = 0; i < count; i++) {
        add(run, 2, occupancy_frac, seconds * (1.0 + 0.01 * (double)i));
    }
}

static const rft_advice *told(const rft_advice_list *list, const char *rule) {
    for (size_t i = 0; i < list->count; i++) {
        if (rft_text_equal(list->items[i].rule, rule)) {
            return &list->items[i];
        }
    }
    return NULL;
}

static const rft_tried *in_vain(const rft_advice_list *list, rft_quantity quantity) {
    for (size_t i = 0; i < list->tried_count; i++) {
        if (list->tried[i].change.quantity == quantity) {
            return &list->tried[i];
        }
    }
    return NULL;
}

static rft_advice_list advice_of(const rft_run *run, const rft_point *point) {
    return rft_advice_of(run, point, run->arena);
}

/* As matmul_search on an H200: the best has few warps, and all others with more are slower. */
static void what_was_tried_in_vain_is_no_advice(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.125, 2.00e-3);
    add_many(run, 29, 0.0625, 2.60e-3);
    add_many(run, 40, 0.1875, 2.02e-3);
    add_many(run, 60, 0.25, 2.05e-3);
    add_many(run, 40, 0.50, 2.22e-3);
    rft_advice_list list = advice_of(run, best);
    assert_null(told(&list, "occupancy"));
    const rft_tried *tried = in_vain(&list, RFT_QUANTITY_OCCUPANCY);
    assert_non_null(tried);
    assert_true(tried->points == 170 && tried->there == 140 && !tried->gained);
    assert_true(near(tried->there_s, 2.02e-3, 1e-9) && near(tried->own, 0.125, 1e-9));
    assert_string_equal(rft_tried_text(tried, run->arena),
                        "occupancy: tried, 170 points, 140 of them with more: best at 12 % (2.00 ms); 6.2 %: 2.60 ms; "
                        "19 %: 2.02 ms; 25 %: 2.05 ms; 50 %: 2.22 ms");
    assert_non_null(strstr(list.nothing, "; what its numbers suggest was tried in vain: occupancy"));
    rft_run_free(run);
}

static void what_few_tried_stays_and_says_so(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.125, 2.0e-3);
    add_many(run, 395, 0.125, 2.1e-3);
    add_many(run, 3, 0.25, 2.3e-3); /* under 1 % of 399 */
    rft_advice_list list = advice_of(run, best);
    const rft_advice *found = told(&list, "occupancy");
    assert_non_null(found);
    assert_non_null(strstr(found->text, "raise the occupancy, or give each warp more to do at once (tried by 3 of 399 "
                                        "points)"));
    assert_int_equal(list.tried_count, 0);
    add(run, 2, 0.25, 2.3e-3); /* the fourth is enough */
    list = advice_of(run, best);
    assert_null(told(&list, "occupancy"));
    assert_non_null(in_vain(&list, RFT_QUANTITY_OCCUPANCY));
    rft_run_free(run);
}

/* However many points there are, thirty that went there are enough. */
static void thirty_are_always_enough(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.125, 2.0e-3);
    for (size_t i = 0; i < 4000; i++) {
        add(run, 2, 0.125, 2.1e-3);
    }
    add_many(run, 29, 0.25, 2.3e-3);
    rft_advice_list list = advice_of(run, best);
    assert_non_null(told(&list, "occupancy"));
    add(run, 2, 0.25, 2.3e-3);
    list = advice_of(run, best);
    assert_null(told(&list, "occupancy"));
    rft_run_free(run);
}

static void what_was_not_tried_stays(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.25, 2.0e-3);
    rft_advice_list list = advice_of(run, best); /* alone */
    assert_non_null(told(&list, "occupancy"));
    add_many(run, 50, 0.125, 2.5e-3); /* fewer warps were slower: more may well be faster */
    add_many(run, 50, 0.25, 2.2e-3);
    list = advice_of(run, best);
    assert_non_null(told(&list, "occupancy"));
    assert_null(strstr(told(&list, "occupancy")->text, "tried"));
    assert_int_equal(list.tried_count, 0);
    add_many(run, 50, 0.20, 2.001e-3); /* but from 20 to 25 % nothing was gained */
    list = advice_of(run, best);
    assert_null(told(&list, "occupancy"));
    assert_non_null(
        strstr(rft_tried_text(in_vain(&list, RFT_QUANTITY_OCCUPANCY), run->arena), "none of them with more"));
    rft_run_free(run);
}

/* A rung that is not its variant's fastest at all: those that went there gained. */
static void what_gained_stays(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *slow = add(run, 2, 0.125, 2.5e-3);
    add_many(run, 50, 0.25, 2.0e-3);
    rft_advice_list list = advice_of(run, slow);
    assert_non_null(told(&list, "occupancy"));
    assert_true(told(&list, "occupancy")->changes[0].gained);
    add_many(run, 50, 0.125, 1.9e-3); /* but as few warps can do better still */
    list = advice_of(run, slow);
    assert_null(told(&list, "occupancy"));
    rft_run_free(run);
}

static void only_measured_points_are_asked_and_aliases_once(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.125, 2.0e-3);
    add(run, 2, 0.25, 2.3e-3);
    add(run, 2, 0.25, 2.3e-3)->alias_of = 2;
    add(run, 2, 0.25, 2.3e-3)->outcome = RFT_OUTCOME_WRONG_RESULT;
    add(run, 2, NAN, 2.3e-3);
    rft_advice_list list = advice_of(run, best);
    assert_non_null(strstr(told(&list, "occupancy")->text, "(tried by 1 of 2 points)"));
    for (size_t i = 0; i < 2; i++) { /* out of the race: slower for certain */
        add(run, 2, 0.25, 2.8e-3)->rounds[0].stop = RFT_STOP_SLOWER;
    }
    list = advice_of(run, best);
    assert_null(told(&list, "occupancy"));
    rft_run_free(run);
}

/* A kernel that is three times slower says nothing of what warps do to this one; one that comes near does. */
static void far_variants_are_not_asked(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.125, 2.0e-3);
    for (size_t i = 0; i < 20; i++) {
        add(run, 2, 1.0, 6.0e-3)->variant = 1;
    }
    rft_advice_list list = advice_of(run, best);
    assert_non_null(told(&list, "occupancy"));
    add(run, 2, 1.0, 2.1e-3)->variant = 1;
    list = advice_of(run, best);
    assert_null(told(&list, "occupancy"));
    assert_int_equal(in_vain(&list, RFT_QUANTITY_OCCUPANCY)->points, 22);
    rft_run_free(run);
}

/* Finalists were compared side by side; the sweep's readings of them are not what they are judged by. */
static void the_final_round_decides(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.125, 2.02e-3);
    add_many(run, 5, 0.25, 2.3e-3);
    rft_point *rival = add(run, 2, 0.25, 1.95e-3);
    best->rounds[1] = fixture_measurement(run, 2.0e-3);
    rival->rounds[1] = fixture_measurement(run, 2.1e-3);
    rft_advice_list list = advice_of(run, best);
    assert_null(told(&list, "occupancy"));
    rival->rounds[1] = rft_measurement_none(); /* not among the best few after all */
    list = advice_of(run, best);
    assert_non_null(told(&list, "occupancy"));
    rival->rounds[0] =
        fixture_measurement(run, 2.10e-3); /* slower where both were read, whatever the final round read */
    best->rounds[1] = fixture_measurement(run, 2.2e-3);
    list = advice_of(run, best);
    assert_string_equal(
        rft_tried_text(in_vain(&list, RFT_QUANTITY_OCCUPANCY), run->arena),
        "occupancy: tried, 7 points, 6 of them with more: best at 12 % (2.02 ms); 25 %: 2.10 ms, all as "
        "the sweep read them, before the final round");
    rft_run_free(run);
}

static rft_counters *count(rft_run *run, rft_point *point) {
    rft_counters *c = rft_arena_alloc(run->arena, sizeof *c);
    *c = rft_counters_unknown("not asked for");
    c->passes = 1;
    point->counters = c;
    return c;
}

/* A rule with several ways to mend keeps those that are open. */
static void one_of_several_ways_was_tried(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.75, 2.0e-3);
    best->has_launch = true;
    best->block[0] = 256;
    best->block[1] = best->block[2] = 1;
    rft_counters *c = count(run, best);
    c->values[RFT_COUNTER_STALL_BARRIER] = 5.0;
    c->values[RFT_COUNTER_STALL_WAIT] = 5.0;
    rft_advice_list list = advice_of(run, best);
    assert_non_null(
        strstr(told(&list, "barrier")->text, "at barriers; smaller blocks, more stages, or shuffles within a warp"));
    for (int64_t i = 0; i < 4; i++) {
        rft_point *small = add(run, 2, 0.75, 2.2e-3);
        small->has_launch = true;
        small->block[0] = 128;
        small->block[1] = small->block[2] = 1;
        add(run, 3, 0.75, 2.2e-3);
    }
    list = advice_of(run, best);
    assert_non_null(strstr(told(&list, "barrier")->text, "at barriers; shuffles within a warp"));
    assert_string_equal(rft_tried_text(in_vain(&list, RFT_QUANTITY_THREADS), run->arena),
                        "threads a block: tried, 5 points, 4 of them with less: best at 256 (2.00 ms); 128: 2.20 ms");
    assert_string_equal(rft_tried_text(in_vain(&list, RFT_QUANTITY_STAGES), run->arena),
                        "STAGES: tried, 9 points, 4 of them with more: best at 2 (2.00 ms); 3: 2.20 ms");
    rft_run_free(run);
}

/* A grid just under a wave is not why few warps are there when few fit. */
static void what_limits_the_warps(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.25, 2.0e-3);
    best->facts.waves = 0.97;
    best->facts.registers = 128;
    best->facts.shared_static_bytes = best->facts.shared_dynamic_bytes = 0;
    best->has_launch = true;
    best->block[0] = 512;
    best->block[1] = best->block[2] = 1;
    rft_advice_list list = advice_of(run, best);
    assert_non_null(strstr(told(&list, "occupancy")->text, "(128 registers a thread limit it)"));
    best->facts.occupancy_frac = 1.0;
    best->facts.waves = 0.2;
    count(run, best)->values[RFT_COUNTER_WARPS_ACTIVE] = 0.2;
    list = advice_of(run, best);
    assert_non_null(strstr(told(&list, "occupancy")->text, "(the grid is small)"));
    rft_run_free(run);
}

/* Conflicts fall as padding grows; where several points are counted, counters are asked, not names. */
static void padding_and_counted_conflicts(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.75, 2.0e-3);
    best->facts.shared_static_bytes = 4096;
    rft_counters *c = count(run, best);
    double cycles = 132.0 * 1980e6 * 2e-3;
    c->values[RFT_COUNTER_SHARED_WAVEFRONTS] = 0.8 * cycles;
    c->values[RFT_COUNTER_SHARED_CONFLICTS] = 0.4 * cycles;
    rft_point *padded[3];
    for (size_t i = 0; i < 3; i++) {
        padded[i] = add(run, 2, 0.75, 2.2e-3);
    }
    rft_advice_list list = advice_of(run, best);
    assert_non_null(told(&list, "bank_conflicts"));
    for (size_t i = 0; i < 3; i++) {
        padded[i]->config[1] = rft_value_int(1);
    }
    list = advice_of(run, best);
    assert_null(told(&list, "bank_conflicts"));
    assert_string_equal(rft_tried_text(in_vain(&list, RFT_QUANTITY_CONFLICTS), run->arena),
                        "PAD: tried, 4 points, 3 of them with more: best at 0 (2.00 ms); 1: 2.20 ms");
    rft_counters *other = count(run, padded[0]);
    other->values[RFT_COUNTER_SHARED_WAVEFRONTS] = 100.0;
    other->values[RFT_COUNTER_SHARED_CONFLICTS] = 50.0;
    list = advice_of(run, best);
    assert_non_null(told(&list, "bank_conflicts")); /* the padding took none away */
    rft_run_free(run);
}

/* A gain is never more than is left, and matrix units that are busy need no more warps. */
static void counters_and_what_is_left(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.125, 2.0e-3);
    best->work.pipe_ops[RFT_PIPE_FP32] = 0.0;
    best->work.pipe_ops[RFT_PIPE_TENSOR_BF16] = 1000e9; /* at 71 % of its ceiling */
    rft_counters *c = count(run, best);
    c->values[RFT_COUNTER_STALL_BARRIER] = 9.0;
    c->values[RFT_COUNTER_STALL_WAIT] = 1.0;
    rft_advice_list list = advice_of(run, best);
    double room = 1.0 - 1000.0 / 700.0 / 2.0;
    assert_true(told(&list, "occupancy") && told(&list, "barrier"));
    for (size_t i = 0; i < list.count; i++) {
        assert_true(list.items[i].gain_frac <= room + 1e-9);
    }
    c->values[RFT_COUNTER_ISSUE] = 0.95;
    list = advice_of(run, best); /* no scheduler has a cycle to spare */
    assert_true(!told(&list, "occupancy") && !told(&list, "barrier"));
    c->values[RFT_COUNTER_ISSUE] = 0.5;
    c->values[RFT_COUNTER_TENSOR_BUSY] = 0.99;
    list = advice_of(run, best);
    assert_int_equal(list.count, 0);
    assert_int_equal(list.tried_count, 0);
    assert_string_equal(list.nothing, "the matrix units are busy in 99 % of the cycles: only less work for them, or a "
                                      "higher clock, makes it faster");
    rft_run_free(run);
}

/* 0.35 and 0.68 of the time: the longer one stays, so 32 % is all that overlap can win. */
static void overlap_rests_on_the_smaller_of_two_bounds(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 4, 0.75, 1e-3 / 0.68);
    best->work.bytes_read = best->work.bytes_written = 0.5 * 4.2e12 * 0.35e-3 / 0.68;
    rft_advice_list list = advice_of(run, best);
    const rft_advice *found = told(&list, "overlap");
    assert_non_null(found);
    assert_true(near(found->gain_frac, 0.32, 0.001));
    assert_string_equal(found->rests_on, "what the longer of the two, 68 %, leaves");
    best->work.bytes_read = best->work.bytes_written = 0.5 * 4.2e12 * 0.25e-3 / 0.68;
    list = advice_of(run, best);
    found = told(&list, "overlap");
    assert_true(near(found->gain_frac, 0.25, 0.001));
    assert_string_equal(found->rests_on, "the shorter of the two");
    rft_run_free(run);
}

/* Samples that are batches hide the launch: no share of their time is its. */
static void batches_hide_the_launch(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.75, 2.0e-6);
    best->work.bytes_read = 4.2e4;
    best->work.pipe_ops[RFT_PIPE_FP32] = 6e6;
    best->rounds[0].batch = 8;
    rft_advice_list list = advice_of(run, best);
    for (size_t i = 0; i < list.other_count; i++) {
        assert_string_not_equal(list.others[i].rule, "graph");
        assert_true(list.others[i].gain_frac < 1.0);
    }
    bool missing = false;
    for (size_t i = 0; i < list.missing_count; i++) {
        missing = missing || rft_text_equal(list.missing[i].reason, "samples are batches, which hide it");
    }
    assert_true(missing);
    rft_run_free(run);
}

/* At a clock below the run's only what that clock allows is left. A ceiling keeps its clock. */
static void a_clock_that_is_held_down_leaves_less(void **state) {
    (void)state;
    rft_run *run = one_problem();
    run->ceilings.items[RFT_CEILING_FP32].clock_mhz = 1980.0;
    rft_point *best = add(run, 2, 0.125, 1.5e-3);
    rft_advice_list list = advice_of(run, best);
    assert_true(near(told(&list, "occupancy")->gain_frac, 1.0 / 3.0, 1e-6));
    best->rounds[0].clock_mhz = 1584.0; /* 80 %: 1.25 ms at the roof */
    list = advice_of(run, best);
    assert_true(near(told(&list, "occupancy")->gain_frac, 1.0 / 6.0, 1e-6));
    assert_string_equal(told(&list, "occupancy")->rests_on, "what 1584 MHz allow, FP32 FMA");
    double ops = best->work.pipe_ops[RFT_PIPE_FP32];
    best->work.pipe_ops[RFT_PIPE_FP32] = 1e6; /* device memory does not follow that clock */
    double bytes = best->work.bytes_read;
    best->work.bytes_read = 0.7 * 1.5e-3 * 4.4e12;
    rft_counters counters = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    counters.values[RFT_COUNTER_LOAD_BYTES_PER_SECTOR] = 8;
    counters.values[RFT_COUNTER_SECTORS_PER_LOAD] = 16;
    counters.values[RFT_COUNTER_L1_LOAD] = 128e6;
    counters.values[RFT_COUNTER_L2_READ] = 16e6;
    counters.values[RFT_COUNTER_L2_WRITE] = 0;
    best->counters = &counters;
    list = advice_of(run, best);
    assert_string_equal(told(&list, "coalesce")->rests_on, "its roof, device memory, read");
    best->counters = NULL;
    best->work.pipe_ops[RFT_PIPE_FP32] = ops;
    best->work.bytes_read = bytes;
    best->rounds[0].clock_mhz = 1340.0; /* 98.5 % of what it allows */
    list = advice_of(run, best);
    assert_int_equal(list.count, 0);
    assert_string_equal(list.nothing,
                        "bound by clock (FP32 at 99 % of what 1340 MHz allow, declared; cause not known): "
                        "only a higher clock makes it faster");
    rft_run_free(run);
}

static void a_library_is_called_not_changed(void **state) {
    (void)state;
    rft_run *run = one_problem();
    rft_point *best = add(run, 2, 0.125, 2.0e-3);
    run->sweeps[0].sweep.variants[0].source = "sweeps/linear.lua";
    rft_advice_list list = advice_of(run, best);
    assert_int_equal(list.count, 0);
    assert_string_equal(list.nothing,
                        "a library's kernel is as it is: only another of its algorithms does the same work");
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_tried_in_vain_is_no_advice),
        cmocka_unit_test(what_few_tried_stays_and_says_so),
        cmocka_unit_test(thirty_are_always_enough),
        cmocka_unit_test(what_was_not_tried_stays),
        cmocka_unit_test(what_gained_stays),
        cmocka_unit_test(only_measured_points_are_asked_and_aliases_once),
        cmocka_unit_test(far_variants_are_not_asked),
        cmocka_unit_test(the_final_round_decides),
        cmocka_unit_test(one_of_several_ways_was_tried),
        cmocka_unit_test(what_limits_the_warps),
        cmocka_unit_test(padding_and_counted_conflicts),
        cmocka_unit_test(counters_and_what_is_left),
        cmocka_unit_test(overlap_rests_on_the_smaller_of_two_bounds),
        cmocka_unit_test(batches_hide_the_launch),
        cmocka_unit_test(a_clock_that_is_held_down_leaves_less),
        cmocka_unit_test(a_library_is_called_not_changed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
