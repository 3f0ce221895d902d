/* SPDX-License-Identifier: Apache-2.0 */
/* Part 1: what a buyer reads, on two pages and what stands behind them on three, however much was measured. */
#include "report/trace_pages.h"
#include "support/sample.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static const rft_report_opts part_one = {.part = 1};

static void says(const trace_pages *pages, const char *text) {
    if (!trace_says(pages, text)) {
        fail_msg("part 1 does not say \"%s\"", text);
    }
}

static void measure_all_ceilings(rft_run *run) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        rft_ceiling *ceiling = &run->ceilings.items[id];
        if (!ceiling->measured) {
            double rate = 1e12 * (id + 1);
            ceiling->measured = true;
            ceiling->stats = rft_stats_of(&rate, 1);
            ceiling->kernel = "made up";
            ceiling->clock_mhz = 1900;
        }
        ceiling->sustained = ceiling->stats;
        ceiling->sustained.median *= id % 2 ? 0.9 : 1.0;
        ceiling->sustained_clock_mhz = 1700;
    }
}

/* A run on another card of the model: all of its rates are `factor` times as high. */
static rft_run *other_card(const char *id, const char *uuid, double factor) {
    rft_run *run = sample_empty();
    run->info.id = id;
    run->gpu.uuid = uuid;
    measure_all_ceilings(run);
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        run->ceilings.items[i].stats.median *= factor;
    }
    return run;
}

static void test_numbers_of_the_summary(void **state) {
    (void)state;
    rft_run *run = sample_full();
    sample_add_energy(run, 2, 600);
    sample_add_soak(run, 2, 1.1);
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].sweep == 1) {
            run->points[i].work.items = 32;
            run->points[i].work.item_name = "token";
        }
    }
    trace_pages pages = trace_of(run, &part_one);
    trace_assert_sound(&pages);
    assert_true(pages.pages <= 5);
    says(&pages, "ktoken/s");
    says(&pages, "sustained, 60 s");
    says(&pages, "The rate of its ceiling under sustained load was not measured.");
    says(&pages, "pJ/FLOP");
    says(&pages, "under seconds of load: power limit up to 80.0 % of the time");
    says(&pages, "(tie of 2)");
    says(&pages, "Bound: what takes the time, dram (device memory), l2,");
    says(&pages, "by hardware counters, * modelled, ** declared.");
    assert_false(trace_says(&pages, "most telling"));
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_many_sweeps_stay_within_five_pages(void **state) {
    (void)state;
    rft_run *run = sample_full(), *others[3];
    sample_add_copy(run);
    sample_add_gemv(run);
    sample_add_matmul(run);
    sample_add_turn(run);
    measure_all_ceilings(run);
    for (size_t s = 0; s < run->sweep_count; s++) {
        sample_add_energy(run, s, 600);
        sample_add_soak(run, s, 1.2);
    }
    others[0] = other_card("000000000001", "GPU-1", 0.99);
    others[1] = other_card("000000000002", "GPU-2", 1.01);
    others[2] = other_card("000000000003", "GPU-3", 1.02);
    rft_report_opts opts = part_one;
    opts.references = (const rft_run *const *)others;
    opts.reference_count = 3;
    trace_pages pages = trace_of(run, &opts);
    trace_assert_sound(&pages);
    says(&pages, "most telling of 39 problems; best.csv of --csv-dir lists all.");
    assert_true(trace_page_says(&pages, 2, "where 3 other cards of the model NVIDIA H200 lie."));
    assert_true(trace_page_says(&pages, 2, "Normal: "));
    says(&pages, "normal");
    assert_true(trace_page_says(&pages, 2, "1. device memory, read only, for 60 s, on each card at least 4.09 TB/s"));
    if (pages.pages > 5) {
        fail_msg("part 1 has %d pages", pages.pages);
    }
    trace_clear(&pages);
    for (size_t i = 0; i < 3; i++) {
        others[i]->ceilings.items[RFT_CEILING_FP32].stats.median *= 1.5;
    }
    pages = trace_of(run, &opts);
    says(&pages, " low ");
    trace_clear(&pages);
    opts.reference_count = 2;
    pages = trace_of(run, &opts);
    says(&pages, "are no reference, it takes 3 cards");
    says(&pages, "no reference");
    assert_false(trace_says(&pages, "normal "));
    trace_clear(&pages);
    for (size_t i = 0; i < 3; i++) {
        rft_run_free(others[i]);
    }
    rft_run_free(run);
}

static void name_sweeps(rft_run *run, int from, int to) {
    for (int i = from; i < to; i++) {
        sample_add_single(run);
        run->sweeps[i].sweep.name = rft_arena_printf(run->arena, "sweep_number_%d", i);
    }
}

/* Every chosen problem is there once, and those that tell most are among them. */
static void test_forty_sweeps_have_a_row_each(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    name_sweeps(run, 0, 40);
    trace_pages pages = trace_of(run, &part_one);
    trace_assert_sound(&pages);
    assert_true(pages.pages <= 5);
    for (int i = 0; i < 40; i++) {
        char name[40];
        snprintf(name, sizeof name, "sweep_number_%d", i);
        assert_true(trace_page_says(&pages, 2, name) || trace_page_says(&pages, 3, name) ||
                    trace_page_says(&pages, 4, name));
    }
    says(&pages, "n=67108864: BLOCK=256");
    assert_false(trace_says(&pages, "most telling of"));
    assert_false(trace_says(&pages, "for want of room"));
    trace_clear(&pages);
    /* More than that have a line each, */
    name_sweeps(run, 40, 60);
    pages = trace_of(run, &part_one);
    trace_assert_sound(&pages);
    assert_true(pages.pages <= 5);
    assert_false(trace_says(&pages, "n=67108864: BLOCK=256"));
    assert_false(trace_says(&pages, "for want of room"));
    says(&pages, "sweep_number_59");
    says(&pages, "interval of the median; of one process unless noted.");
    trace_clear(&pages);
    for (size_t i = 0; i < run->point_count; i++) {
        run->points[i].rounds[0].process_count = run->points[i].sweep == 59 ? 1 : 2;
    }
    pages = trace_of(run, &part_one);
    says(&pages, "interval of the median; of several processes each unless noted");
    says(&pages, "Of one process: what another would read is not known.");
    trace_clear(&pages);
    pages = trace_of(run, NULL); /* the heading stays with the contents */
    int with = trace_page_says(&pages, 2, "Contents") ? 2 : 3;
    assert_true(trace_page_says(&pages, with, "Contents") && trace_page_says(&pages, with, "Sweep sweep_number_20"));
    trace_clear(&pages);
    name_sweeps(run, 60, 110);
    pages = trace_of(run, NULL);
    with = trace_page_says(&pages, 2, "Contents") ? 2 : 3;
    assert_true(trace_page_says(&pages, with, "Sweep sweep_number_109"));
    assert_false(trace_says(&pages, "for want of room"));
    trace_clear(&pages);
    /* and more than three pages hold are named where they are left out. */
    name_sweeps(run, 110, 230);
    pages = trace_of(run, &part_one);
    trace_assert_sound(&pages);
    assert_true(pages.pages <= 5);
    says(&pages, "Not here for want of room: sweep_number_");
    trace_clear(&pages);
    rft_run_free(run);
}

/* More families than a page has room for: the first page has some, and says where all are. */
static void test_every_family_is_in_the_summary(void **state) {
    (void)state;
    rft_run *run = sample_empty();
    for (int i = 0; i < 30; i++) {
        size_t s = sample_add_single(run);
        run->sweeps[s].sweep.name = rft_arena_printf(run->arena, "family_number_%d", i);
        run->sweeps[s].sweep.variants[0].source = rft_arena_printf(run->arena, "kernels/family_number_%d.cu", i);
        sample_add_energy(run, s, 400 + i);
    }
    trace_pages pages = trace_of(run, &part_one);
    trace_assert_sound(&pages);
    assert_true(trace_page_says(&pages, 1, "The first; the summary has all 30."));
    assert_false(trace_says(&pages, "Weight"));
    assert_false(trace_says(&pages, "Items"));
    says(&pages, "Every family of kernels What Rate, longest Per watt Of limit, mean % family_number_0 ");
    says(&pages, "Those that draw most; `rooftune show RUN --full` has those of 22 more.");
    assert_false(trace_says(&pages, "family_number_21 n=67108864 421"));
    says(&pages, "family_number_22 n=67108864 422");
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_key_figures_of_the_cover(void **state) {
    (void)state;
    rft_run *run = sample_full();
    trace_pages pages = trace_of(run, &part_one);
    assert_true(trace_page_says(&pages, 1, "4.31 TB/s measured: device memory, read, 89.8 % of datasheet"));
    assert_true(trace_page_says(&pages, 1, "62.1 TFLOP/s measured: arithmetic units, FP32, 92.8 % of datasheet"));
    assert_true(trace_page_says(&pages, 1, "of its own limits, at most, ")); /* and the interval */
    assert_true(trace_page_says(&pages, 1, "; does not rank cards"));
    assert_true(trace_page_says(&pages, 1, "measured configurations have verified results."));
    assert_true(trace_page_says(
        &pages, 1, "How much of its measured limit the best configuration of each sweep's longest problem"));
    /* the bars are of the longest, the figure above them of all */
    assert_true(trace_page_says(&pages, 1, "; mean of 15 problems; does not rank cards"));
    assert_true(trace_page_says(&pages, 1, "3 of 15 problems are drawn; the "));
    assert_false(trace_says(&pages, "was not finished"));
    assert_false(trace_says(&pages, "Do not use these figures"));
    trace_clear(&pages);
    run->info.finished_unix_ns = 0;
    rft_point *best = (rft_point *)rft_run_best(run, 0, SIZE_MAX, sample_timed(run, 0, 0));
    best->work.bytes_read *= 1000; /* more than any memory moves */
    pages = trace_of(run, &part_one);
    assert_true(trace_page_says(&pages, 1, "The run was not finished: what follows"));
    assert_true(trace_page_says(&pages, 1, "Do not use these figures: 1 problem took less time than"));
    best->work.bytes_read /= 1000;
    trace_clear(&pages);
    sample_forget_ceilings(run);
    pages = trace_of(run, &part_one);
    trace_assert_sound(&pages);
    assert_false(trace_says(&pages, "How much of its measured limit"));
    trace_clear(&pages);
    rft_run_free(run);
}

static void test_state_of_the_card(void **state) {
    (void)state;
    rft_run *run = sample_full();
    rft_env_set(&run->env, run->arena, "nvml.power_limit_enforced_w", "500", NULL);
    rft_env_set(&run->env, run->arena, "nvml.power_limit_default_w", "700", NULL);
    rft_env_set(&run->env, run->arena, "nvml.other_processes", "2", NULL);
    trace_pages pages = trace_of(run, &part_one);
    says(&pages, "under load not measured; limit 500 W, the default is 700 W");
    says(&pages, "the limit was changed: figures are of this one");
    says(&pages, "4. the power limit that is set on each card at least 700 W 500 W"); /* none to accept */
    says(&pages, "1. device memory, read only, in bursts, on each card at least ");
    says(&pages, "other processes 2; programs that share it (MPS) n/a; cut into slices (MIG) off"); /* why: above */
    says(&pages, "it did not have the card for itself: measure again alone");
    says(&pages, "ECC (error correction) on; uncorrected errors n/a: not recorded");
    says(&pages, "139.8 GiB");
    says(&pages, "rate not measured");
    trace_clear(&pages);
    rft_run_free(run);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers_of_the_summary),       cmocka_unit_test(test_many_sweeps_stay_within_five_pages),
        cmocka_unit_test(test_forty_sweeps_have_a_row_each), cmocka_unit_test(test_every_family_is_in_the_summary),
        cmocka_unit_test(test_key_figures_of_the_cover),     cmocka_unit_test(test_state_of_the_card),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
