/* SPDX-License-Identifier: Apache-2.0 */
/* Why a rung of the ladder is faster: only what accounts for the times is named. */
#include "base/str.h"
#include "reports/findings/findings.h"
#include "reports/findings/ladder_change.h"
#include "reports/print/print.h"
#include "unit/model_fixture.h"

#include <stdio.h>

typedef struct rungs {
    rft_run *run;
    rft_point *points[2];
    rft_counters counters[2];
} rungs;

static rungs rungs_of(double before_s, double after_s) {
    rungs r = {.run = fixture_run()};
    fixture_ceiling(r.run, RFT_CEILING_L1_READ, 33e12);
    fixture_ceiling(r.run, RFT_CEILING_L2_READ, 9e12);
    fixture_ceiling(r.run, RFT_CEILING_SHARED_READ, 33e12);
    fixture_axis(r.run, "n", true, true);
    fixture_problem(r.run, (const int64_t[]){1});
    for (size_t i = 0; i < 2; i++) {
        r.points[i] = fixture_point(r.run, 0, NULL, i ? after_s : before_s);
        r.points[i]->work.bytes_read = 4.4e8; /* 100 us */
        r.points[i]->facts.registers = i ? 32 : 25;
        r.counters[i] = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
        r.counters[i].values[RFT_COUNTER_DRAM_READ] = 4.4e8;
        r.counters[i].values[RFT_COUNTER_DRAM_WRITE] = i ? 1e4 : 1e6; /* a large factor of what takes no time */
    }
    return r;
}

static void count(rungs *r, rft_counter id, double before, double after) {
    r->counters[0].values[id] = before;
    r->counters[1].values[id] = after;
}

/* Frees the run. */
static void expect(rungs *r, bool counted, const char *text) {
    for (size_t i = 0; i < 2; i++) {
        r->points[i]->counters = counted ? &r->counters[i] : NULL;
    }
    const char *said = rft_ladder_change(r->run, r->points[0], r->points[1], r->run->arena);
    if (strcmp(said, text) != 0) {
        fail_msg("\"%s\", not \"%s\"", said, text);
    }
    rft_run_free(r->run);
}

/* Rows of fp16 by one thread each, then by vectors: 12 times the speed. */
static rungs gemv(void) {
    rungs r = rungs_of(1467e-6, 120.4e-6);
    count(&r, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 2, 32);
    count(&r, RFT_COUNTER_SECTORS_PER_LOAD, 16.5, 16);
    count(&r, RFT_COUNTER_L1_LOAD, 4.0e9, 1.1e9);
    count(&r, RFT_COUNTER_WARPS_ACTIVE, 0.06, 0.20);
    return r;
}

static void sectors_of_loads_explain_gemv(void **state) {
    (void)state;
    rungs r = gemv();
    expect(
        &r, true,
        "sectors per load request: 16.5 for 33.0 B used to 16.0 for 512 B used (counted), 16.0\xc3\x97 where the times "
        "differ by 12.2\xc3\x97");
    r = gemv();
    count(&r, RFT_COUNTER_SECTORS_PER_LOAD, NAN, NAN); /* an older recording */
    expect(&r, true,
           "useful bytes per sector loaded: 2.000 B to 32.00 B (counted), 16.0\xc3\x97 where the times differ by "
           "12.2\xc3\x97");
    /* a small problem fills a corner of the card: nothing takes any time at its ceiling, and few warps are there */
    r = rungs_of(375e-6, 11.9e-6);
    for (size_t i = 0; i < 2; i++) {
        r.points[i]->work.bytes_read = 33.5e6;
    }
    count(&r, RFT_COUNTER_DRAM_READ, 33.5e6, 33.5e6);
    count(&r, RFT_COUNTER_DRAM_WRITE, 2e5, 1e4);
    count(&r, RFT_COUNTER_L1_LOAD, 2.5e8, 7.1e7);
    count(&r, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 2, 32);
    count(&r, RFT_COUNTER_SECTORS_PER_LOAD, 16.5, 16);
    count(&r, RFT_COUNTER_WARPS_ACTIVE, 0.016, 0.81);
    expect(
        &r, true,
        "sectors per load request: 16.5 for 33.0 B used to 16.0 for 512 B used (counted), 16.0\xc3\x97 where the times "
        "differ by 31.5\xc3\x97");
    r = gemv(); /* nothing was counted: registers explain no time */
    expect(&r, false, "not known: not counted");
}

static void a_ceiling_explains_its_own_time(void **state) {
    (void)state;
    rungs r = rungs_of(210e-6, 110e-6);
    count(&r, RFT_COUNTER_DRAM_READ, 8.4e8, 4.2e8);
    count(&r, RFT_COUNTER_WARP_INSTRUCTIONS, 1e6, 1e3);
    expect(&r, true, "device memory, read: 840.0 MB to 420.0 MB (counted), at its ceiling 95 % of the difference");
    r = rungs_of(1160e-6, 576e-6); /* a padded tile */
    count(&r, RFT_COUNTER_SHARED_WAVEFRONTS, 278e6, 17.6e6);
    count(&r, RFT_COUNTER_SHARED_CONFLICTS, 261e6, 0);
    expect(&r, true,
           "bank conflicts: 261.0 M wavefronts to 0 wavefronts (counted), at its ceiling all of the difference");
    r = rungs_of(110e-6, 110.5e-6);
    expect(&r, true,
           "as fast: no count that costs time changed; dram holds both, at 91 and 90 % of its ceiling (counted)");
    r = rungs_of(160e-6, 150e-6); /* what the L2 still holds is not written, by chance */
    count(&r, RFT_COUNTER_DRAM_WRITE, 244e6, 204e6);
    expect(&r, true, "not known; no count that costs time changed");
    r = rungs_of(160e-6, 140e-6);
    count(&r, RFT_COUNTER_DRAM_WRITE, 250e6, 170e6);
    expect(&r, true, "device memory, written: 250.0 MB to 170.0 MB (counted), at its ceiling 95 % of the difference");
}

/* What changed much and takes no part in the time, or changed by more than the time did. */
static void what_does_not_explain_the_time_is_not_named(void **state) {
    (void)state;
    rungs r = rungs_of(110e-6, 118e-6); /* at device memory's ceiling all the same */
    count(&r, RFT_COUNTER_WARPS_ACTIVE, 0.77, 0.49);
    count(&r, RFT_COUNTER_L2_READ, 5e6, 15e6);
    expect(&r, true,
           "dram has as much to do (counted), at 85 % of its ceiling in place of 91 %: why is not known"); /* it is no
                                                                                                              amount */
    r = rungs_of(500e-6, 450e-6); /* far from every ceiling, and eight times fewer sectors */
    count(&r, RFT_COUNTER_LOAD_BYTES_PER_SECTOR, 4, 32);
    expect(&r, true, "not known; no count that costs time changed");
}

/* Of 100 us in each rung: warps in no state but these, and those that issue. */
static rungs waiting(rft_counter state, double before, double after) {
    rungs r = rungs_of(300e-6, 200e-6);
    for (int i = RFT_COUNTER_STALL_LONG_SCOREBOARD; i <= RFT_COUNTER_STALL_NOT_SELECTED; i++) {
        count(&r, (rft_counter)i, 0, 0);
    }
    count(&r, RFT_COUNTER_STALL_WAIT, 2, 2);
    count(&r, state, before, after);
    return r;
}

static void what_warps_wait_for_explains(void **state) {
    (void)state;
    rungs r = waiting(RFT_COUNTER_STALL_SHORT_SCOREBOARD, 3, 1);
    expect(&r, true,
           "warps waiting for shared memory or XU: 150 us to 50.0 us of the time (counted), all of the difference");
    r = waiting(RFT_COUNTER_STALL_SHORT_SCOREBOARD, 3, 1);
    count(&r, RFT_COUNTER_STALL_BARRIER, 1, NAN); /* what else they wait for is not known */
    expect(&r, true, "not known; no count that costs time changed");
    r = waiting(RFT_COUNTER_STALL_NOT_SELECTED, 3, 1); /* ready is no wait */
    expect(&r, true, "not known; no count that costs time changed");
    r = rungs_of(160e-6, 110e-6); /* at device memory's ceiling, waiting for it says nothing */
    rungs w = waiting(RFT_COUNTER_STALL_LONG_SCOREBOARD, 9, 6);
    memcpy(r.counters, w.counters, sizeof r.counters);
    rft_run_free(w.run);
    expect(&r, true, "dram has as much to do (counted), at 91 % of its ceiling in place of 63 %: why is not known");
}

/* By the kernel's formula: no counter tells what an atomic adds, or where. */
static void atomics_on_one_address(void **state) {
    (void)state;
    for (int modelled = 0; modelled < 2; modelled++) {
        rungs r = rungs_of(8000e-6, 300e-6);
        fixture_ceiling(r.run, RFT_CEILING_ATOMICS_L2_F32_ONE, 5e8);
        for (int i = 0; i < 1 + modelled; i++) { /* the second rung has none at one address, or its formula is silent */
            r.points[i]->traffic.present = true;
            r.points[i]->traffic.evidence = RFT_EVIDENCE_MODELLED;
            r.points[i]->traffic.pipe_ops[RFT_PIPE_ATOMICS_L2_F32_ONE] = i ? 1.25e5 : 4e6;
        }
        count(&r, RFT_COUNTER_L2_ATOMIC, 4e6, modelled ? 1.25e5 : 1e3);
        expect(&r, true,
               modelled ? "L2, atomic sectors: 4.000 M sectors to 125.0 k sectors (counted), at its ceiling all of the "
                          "difference"
                        : "L2, atomic sectors: 4.000 M sectors to 1000 sectors (counted), at its ceiling all of the "
                          "difference");
    }
}

static rungs tensor(rft_pipe before, rft_pipe after, double before_s, double after_s) {
    rungs r = rungs_of(before_s, after_s);
    fixture_ceiling(r.run, RFT_CEILING_TENSOR_TF32, 350e12);
    for (size_t i = 0; i < 2; i++) {
        r.points[i]->work.bytes_read = 1e6;
        r.points[i]->work.pipe_ops[i ? after : before] = 700e9;
    }
    return r;
}

static void another_pipe_or_clock_explains(void **state) {
    (void)state;
    rungs r = tensor(RFT_PIPE_TENSOR_BF16, RFT_PIPE_TENSOR_TF32, 1.1e-3, 2.2e-3);
    expect(&r, false,
           "BF16 tensor operations: 700 Gop, to TF32 tensor operations: 700 Gop (declared), at their ceilings 91 % "
           "of the difference");
    r = tensor(RFT_PIPE_TENSOR_BF16, RFT_PIPE_TENSOR_BF16, 1.1e-3, 1.3e-3);
    r.points[0]->rounds[0].clock_mhz = 1800;
    r.points[1]->rounds[0].clock_mhz = 1500;
    expect(&r, false,
           "SM clock: 1800 MHz to 1500 MHz (measured), 1.20\xc3\x97 where the times differ by 1.18\xc3\x97; at one SM "
           "clock 1.02\xc3\x97");
    r = tensor(RFT_PIPE_TENSOR_BF16, RFT_PIPE_TENSOR_BF16, 2.2e-3, 2.6e-3); /* far from the ceiling it follows, too */
    r.points[0]->rounds[0].clock_mhz = 1800;
    r.points[1]->rounds[0].clock_mhz = 1500;
    count(&r, RFT_COUNTER_WARPS_ACTIVE, 0.24, 0.2);
    expect(&r, true,
           "SM clock: 1800 MHz to 1500 MHz (measured), 1.20\xc3\x97 where the times differ by 1.18\xc3\x97; at one SM "
           "clock 1.02\xc3\x97");
    r = tensor(RFT_PIPE_TENSOR_BF16, RFT_PIPE_TENSOR_BF16, 1.2e-3, 1.2e-3); /* as fast, since power took the gain */
    r.points[0]->rounds[0].clock_mhz = 1650;
    r.points[1]->rounds[0].clock_mhz = 1500;
    expect(
        &r, true,
        "as fast: no count that costs time changed; BF16 tensor holds both, at 83 % of its ceiling (declared); at one "
        "SM clock 1.10\xc3\x97");
    r = tensor(RFT_PIPE_TENSOR_BF16, RFT_PIPE_TENSOR_BF16, 2.2e-3, 2.6e-3);
    count(&r, RFT_COUNTER_WARPS_ACTIVE, 0.24, 0.2); /* a warpgroup's instructions are no warp's */
    expect(&r, true, "not known; no count that costs time changed");
    r = rungs_of(110e-6, 130e-6); /* device memory does not follow that clock */
    r.points[0]->rounds[0].clock_mhz = 1800;
    r.points[1]->rounds[0].clock_mhz = 1500;
    expect(&r, true, "dram has as much to do (counted), at 77 % of its ceiling in place of 91 %: why is not known");
}

/* Long tiles first: as much to do, and no SM is left without at the end. Else how often the units are at work. */
static void work_for_all_explains(void **state) {
    (void)state;
    for (int spread = 0; spread < 2; spread++) {
        rungs r = tensor(RFT_PIPE_TENSOR_BF16, RFT_PIPE_TENSOR_BF16, 1.2e-3, 1e-3);
        r.run->gpu.sms = 100;
        for (size_t i = 0; i < 2; i++) {
            r.points[i]->rounds[0].clock_mhz = 1000;
        }
        count(&r, RFT_COUNTER_TENSOR_BUSY, spread ? NAN : 0.75, spread ? NAN : 0.9);
        count(&r, RFT_COUNTER_ISSUE, 0.5, 0.5);
        count(&r, RFT_COUNTER_WARP_INSTRUCTIONS, spread ? 19.2e7 * 0.98 : 1.2 * 19.2e7, 19.2e7);
        expect(&r, true,
               spread ? "SMs with work: 78 % to 96 % (counted), 1.22\xc3\x97 where the times differ by 1.20\xc3\x97"
                      : "cycles with tensor units at work: 75 % to 90 % (counted), 1.20\xc3\x97 where the times differ "
                        "by 1.20\xc3\x97");
    }
}

/* Two rungs at device memory's ceiling, or nowhere near one. */
static void a_tie_says_what_changed_and_what_holds_both(void **state) {
    (void)state;
    for (int held = 0; held < 2; held++) {
        rungs r = rungs_of(held ? 110e-6 : 300e-6, held ? 112e-6 : 306e-6);
        rungs w = waiting(RFT_COUNTER_STALL_SHORT_SCOREBOARD, 3, 1);
        memcpy(r.counters, w.counters, sizeof r.counters);
        rft_run_free(w.run);
        count(&r, RFT_COUNTER_L2_READ, 2e7, 1.2e7);
        count(&r, RFT_COUNTER_L2_WRITE, 0, 0);
        count(&r, RFT_COUNTER_L2_ATOMIC, 0, 0);
        for (size_t i = 0; i < 2; i++) {
            rft_stats *stats = &r.points[i]->rounds[0].stats;
            stats->interval_is_95 = true;
            stats->low = 0.9 * stats->median;
            stats->high = 1.1 * stats->median;
        }
        expect(&r, true,
               held ? "a tie: L2 40 % less (counted); dram holds both, at 91 and 89 % of its ceiling (counted)"
                    : "a tie: L2 40 % less (counted); both wait, dram nearest its ceiling (33 %, counted); warps "
                      "most often waiting a fixed latency, 50 % of their time; before waiting for shared memory or XU, "
                      "50 %");
    }
}

static void launches_count_with_the_floor(void **state) {
    (void)state;
    for (int fits = 0; fits < 2; fits++) {
        rungs r = rungs_of(fits ? 306e-6 : 400e-6, 300e-6);
        r.points[0]->step_count = 3; /* two more, 2.7 us each */
        expect(&r, false,
               fits ? "launches a run: 3 to 1 (recorded), at an empty kernel's time 90 % of the difference"
                    : "not known: not counted");
    }
}

static void expect_ladder(rft_run *run, const char *text) {
    rft_str out = RFT_STR_INIT;
    rft_print_text(&out, rft_finding_ladder(run, 0, false, run->arena), &(rft_print_opts){.label = ""});
    if (!strstr(rft_str_get(&out), text)) {
        fail_msg("\"%s\" is not in %s", text, rft_str_get(&out));
    }
    rft_str_clear(&out);
}

/* 200 us and 100 us in the sweep's round; the final one, on a warmer card, has the second alone at first. */
static void ratios_are_of_one_round(void **state) {
    (void)state;
    rungs r = rungs_of(200e-6, 100e-6);
    r.run->sweeps[0].sweep.variant_count = 2;
    r.run->sweeps[0].sweep.variants[1].name = "fast";
    r.points[1]->variant = 1;
    expect_ladder(r.run, "2.00x the first, 2.00x the one before\n");
    r.points[1]->rounds[1] = r.points[1]->rounds[0];
    r.points[1]->rounds[1].stats.median = 125e-6;
    expect_ladder(r.run, "2.00x the first (in the first round), 2.00x the one before (in the first\n");
    r.points[0]->rounds[1] = r.points[0]->rounds[0];
    expect_ladder(r.run, "1.60x the first, 1.60x the one before\n");
    r.points[1]->rounds[1].batch = 16; /* the launch is in the first one's time alone */
    r.points[1]->rounds[1].floor_s = 3e-6;
    expect_ladder(r.run, "1.60x the first (one with its launch, 3.00 us), 1.60x the one before");
    r.points[1]->rounds[1].floor_s = 80e-6;
    expect_ladder(r.run, "1.60x the first (a tie), 1.60x the one before (a tie)\n");
    assert_non_null(
        strstr(rft_ladder_change(r.run, r.points[0], r.points[1], r.run->arena), "not known: one was timed"));
    r.points[1]->rounds[1].batch = 0;
    for (size_t i = 0; i < 2; i++) {
        rft_stats *stats = &r.points[i]->rounds[1].stats;
        stats->interval_is_95 = true;
        stats->low = 90e-6;
        stats->high = 210e-6;
    }
    expect_ladder(r.run, "1.60x the first (a tie), 1.60x the one before (a tie)\n");
    rft_run_free(r.run);
}

/* Four variants on one problem, of which nothing was taken up of the first and the third. */
static void what_was_not_taken_up_is_no_rung(void **state) {
    (void)state;
    rungs r = rungs_of(200e-6, 100e-6);
    rft_sweep *sweep = &r.run->sweeps[0].sweep;
    static const char *const names[] = {"loops", "tiles", "threads", "pipeline"};
    sweep->variants = rft_arena_calloc(r.run->arena, 4, sizeof *sweep->variants);
    sweep->variant_count = 4;
    for (size_t v = 0; v < 4; v++) {
        sweep->variants[v].name = names[v];
    }
    r.points[0]->variant = 1;
    r.points[1]->variant = 3;
    expect_ladder(r.run, "Not taken up here: loops; threads.");
    expect_ladder(r.run, "2.00x the first, 2.00x the one before\n");
    const rft_finding *f = rft_finding_ladder(r.run, 0, false, r.run->arena);
    const rft_cell_table *table = NULL;
    for (size_t i = 0; i < f->item_count; i++) {
        table = f->items[i].table ? f->items[i].table : table;
    }
    assert_int_equal(table->row_count, 2);
    size_t explained = 0;
    for (size_t c = 0; c < table->field_count; c++) {
        const rft_datum *cell = &table->rows[1].cells[c];
        explained += cell->kind == RFT_DATUM_TEXT && strstr(cell->as.text, "Explains the step: ") != NULL;
    }
    assert_int_equal(explained, 1);
    rft_run_free(r.run);
}

/* A prior that is right on one problem, wrong on another, and cannot be judged on the last. */
static rft_run *foretold(size_t judged) {
    rft_run *run = fixture_run();
    const int64_t blocks[] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    fixture_axis(run, "n", true, true);
    fixture_param(run, 0, "BLOCK", blocks, 10);
    for (int64_t n = 0; n < 3; n++) {
        fixture_problem(run, &n);
        for (int i = 0; i < ((size_t)n < judged ? 10 : 3); i++) {
            rft_point *point = fixture_point(run, (size_t)n, &blocks[i], 1e-3 * (1 + i));
            point->prior = n == 0 ? 20 - i : 1 + i;
        }
    }
    return run;
}

static void priors_are_told_where_they_rank(void **state) {
    (void)state;
    const char *const wanted[] = {"alone with enough", "and 1.00 [1.00, 1.00] at n=1"};
    for (size_t judged = 1; judged <= 2; judged++) {
        rft_run *run = foretold(judged);
        rft_str text = RFT_STR_INIT;
        rft_print_text(&text, rft_finding_priors(run, 0, run->arena), &(rft_print_opts){.label = ""});
        for (size_t i = 0; i < text.length; i++) {
            text.data[i] = text.data[i] == '\n' ? ' ' : text.data[i];
        }
        if (!strstr(rft_str_get(&text), wanted[judged - 1]) || strstr(rft_str_get(&text), "too few)")) {
            fail_msg("not \"%s\" in: %s", wanted[judged - 1], rft_str_get(&text));
        }
        rft_str_clear(&text);
        rft_run_free(run);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sectors_of_loads_explain_gemv),
        cmocka_unit_test(a_ceiling_explains_its_own_time),
        cmocka_unit_test(what_does_not_explain_the_time_is_not_named),
        cmocka_unit_test(what_warps_wait_for_explains),
        cmocka_unit_test(atomics_on_one_address),
        cmocka_unit_test(another_pipe_or_clock_explains),
        cmocka_unit_test(work_for_all_explains),
        cmocka_unit_test(a_tie_says_what_changed_and_what_holds_both),
        cmocka_unit_test(launches_count_with_the_floor),
        cmocka_unit_test(ratios_are_of_one_round),
        cmocka_unit_test(what_was_not_taken_up_is_no_rung),
        cmocka_unit_test(priors_are_told_where_they_rank),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
