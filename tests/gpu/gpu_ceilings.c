/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ceilings of a real device through the real program: bands of any card and of those whose rates are known, by the
 * cycle too, and that they are kept for the next run, which says so. The power limit acts within a tenth of a second:
 * after three the median is that of a load. gpu_tensor has a load of seconds.
 */
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SAXPY real_program_file("docs/examples/saxpy.lua"), "--at", "n=1048576"

static json_t *the_answer; /* of `ceilings --soak --json -` */

static const json_t *ceiling(const char *name) {
    return json_object_get(json_object_get(the_answer, "ceilings"), name);
}

static double number(const char *name, const char *member) {
    return rft_json_real_or(ceiling(name), member, NAN);
}

static bool is_tensor(int id) {
    return id >= RFT_CEILING_TENSOR_FP64 && id < RFT_CEILING_TENSOR_END;
}

/* A matrix pipe's burst may begin at the clock that the pipe before it left: it can come out lower than what is
 * sustained a second later. */
static double sustained_over_burst_most(int id) {
    return is_tensor(id) ? 1.08 : 1.05;
}

/* Each has a rate or a reason, and lies under its limit. */
static void every_ceiling_is_told(void **state) {
    (void)state;
    real_program_expect(0, WORDS("ceilings", "--soak", "0.3s", "--json", "-"));
    const char *text = real_program_out();
    assert_int_equal(rft_json_parse(&the_answer, text, strlen(text), "ceilings", NULL), 0);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        const char *name = rft_ceiling_name((rft_ceiling_id)id);
        double rate = number(name, "median"), sustained = number(name, "sustained"),
               limit = number(name, "hardware_limit");
        const char *kernel = rft_json_text_or(ceiling(name), "kernel", "");
        const char *reason = rft_json_text_or(ceiling(name), "reason", "");
        printf("    %-12s %s%.4g, sustained %.4g at %.0f MHz, limit %.4g: %s%s\n", name,
               rft_json_bool_or(ceiling(name), "at_least", false) ? "at least " : "", rate, sustained,
               number(name, "sustained_clock_mhz"), limit, kernel, reason);
        assert_true(isnan(rate) ? *reason != '\0' : rate > 0 && *kernel != '\0');
        assert_true(!is_tensor(id) || !strstr(reason, "withdrawn"));
        bool exact = is_tensor(id) && !rft_json_bool_or(ceiling(name), "at_least", false);
        assert_true(!exact || isnan(rate) || isnan(limit) || rate > 0.3 * limit); /* GeForce with FP32 sums: a half */
        assert_true(isnan(rate) || isnan(limit) || rate <= 1.03 * limit);
        assert_true(isnan(sustained) || (sustained > 0.3 * rate && sustained < sustained_over_burst_most(id) * rate));
    }
    assert_false(isnan(number("dram_copy", "median")) || isnan(number("fp32", "median")));
    assert_false(isnan(number("dram_copy", "sustained")) || isnan(number("fp32", "sustained")));
    assert_false(isnan(number("launch", "median")));
}

typedef struct band {
    const char *name, *member;
    double low, high;
} band;

static void expect_in(const band *bands, size_t count) {
    int missed = 0;
    for (size_t i = 0; i < count; i++) {
        double rate = number(bands[i].name, bands[i].member);
        if (!(rate >= bands[i].low && rate <= bands[i].high)) {
            printf("    %s %s: %.4g is not in %.4g .. %.4g\n", bands[i].name, bands[i].member, rate, bands[i].low,
                   bands[i].high);
            missed++;
        }
    }
    assert_int_equal(missed, 0);
}

static bool is_card(const char *name) {
    return strcmp(rft_json_text_or(json_object_get(the_answer, "device"), "name", ""), name) == 0;
}

static void a_card_is_in_its_bands(void **state) {
    static const band any[] = {{"h2d", "median", 1e9, 1e12},
                               {"d2h", "median", 1e9, 1e12},
                               {"h2d_d2h", "median", 1e9, 2e12}}; /* PCIe 3.0 x4 to C2C */
    static const band big_hopper[] = {
        {"tensor_fp64", "median", 50e12, INFINITY},
        {"tensor_tf32", "median", 350e12, INFINITY},
        {"tensor_bf16", "median", 700e12, INFINITY},
        {"tensor_fp16", "median", 700e12, INFINITY},
        {"tensor_fp8", "median", 1300e12, INFINITY},
        {"tensor_int8", "median", 1300e12, INFINITY},
        {"h2d", "median", 20e9, 64e9},
    };
    (void)state;
    assert_non_null(the_answer);
    expect_in(any, sizeof any / sizeof *any);
    if (is_card("NVIDIA H200") || is_card("NVIDIA H100 80GB HBM3")) { /* SXM: the power allows what is issued */
        expect_in(big_hopper, sizeof big_hopper / sizeof *big_hopper);
    }
}

/* What an H200 is known to reach (measured by others, and by this project before). */
static const band h200[] = {
    {"dram_copy", "median", 4.2e12, 4.4e12},
    {"dram_copy", "sustained", 4.1e12, 4.5e12},
    {"l2_read", "median", 7e12, 10e12},
    {"l1_read", "median", 31.5e12, 34e12},
    {"shared_read", "median", 31.5e12, 34e12},
    {"fp64", "median", 29e12, 33.5e12},
    {"fp32", "median", 62e12, 67e12},
    {"fp16", "median", 124e12, 134e12},
    {"tensor_fp64", "median", 50e12, 67e12},
    {"tensor_tf32", "median", 350e12, 536e12},
    {"tensor_bf16", "median", 700e12, 1072e12},
    {"tensor_bf16", "sustained", 700e12, 1072e12},
    {"tensor_fp16", "median", 700e12, 1072e12},
    {"tensor_fp8", "median", 1300e12, 2142e12},
    {"tensor_int8", "median", 1300e12, 2142e12},
    {"h2d", "median", 20e9, 64e9},
    {"d2h", "median", 20e9, 64e9},
    {"h2d_d2h", "median", 25e9, 128e9},
};

static void an_h200_is_in_its_bands(void **state) {
    (void)state;
    assert_non_null(the_answer);
    const json_t *device = json_object_get(the_answer, "device");
    if (!is_card("NVIDIA H200")) {
        skip(); /* nothing so narrow is known of others */
    }
    expect_in(h200, sizeof h200 / sizeof *h200);
    /* FP32 against the clock that was measured meanwhile. */
    double possible = 128.0 * 2.0 * (double)rft_json_int_or(device, "sms", 0) * number("fp32", "clock_mhz") * 1e6;
    printf("    fp32: %.2f %% of 128 x 2 x SMs x %.0f MHz\n", number("fp32", "median") / possible * 100.0,
           number("fp32", "clock_mhz"));
    assert_true(fabs(number("fp32", "median") / possible - 1.0) <= 0.03);
}

/* Kept: the next run needs to measure none, says how old they are, and stores it. Asked anew, it measures its own. */
static void a_run_takes_what_is_kept(void **state) {
    (void)state;
    real_program_expect(0, WORDS("devices"));
    real_program_said(real_program_out(), "ceilings kept: ");
    real_program_expect(0, WORDS("run", SAXPY, "-o", "kept.db", "--no-report", TIMES_ONLY));
    real_program_said(real_program_err(), "on this card are taken");
    assert_null(strstr(real_program_err(), "measuring the ceilings"));
    rft_run *run = real_program_load("kept.db");
    const rft_ceiling *copy = &run->ceilings.items[RFT_CEILING_DRAM_COPY];
    assert_true(copy->measured && copy->stats.median == number("dram_copy", "median"));
    assert_true(copy->measured_unix_ns > 0 && copy->measured_unix_ns < run->info.started_unix_ns);
    assert_true(copy->sustained.n > 0);
    rft_run_free(run);

    real_program_expect(0, WORDS("run", SAXPY, "-o", "again.db", "--no-report", "--ceilings", "again", TIMES_ONLY));
    real_program_said(real_program_err(), "measuring the ceilings");
    run = real_program_load("again.db");
    copy = &run->ceilings.items[RFT_CEILING_DRAM_COPY];
    assert_true(copy->measured && copy->measured_unix_ns > run->info.started_unix_ns);
    const rft_ceiling *bf16 = &run->ceilings.items[RFT_CEILING_TENSOR_BF16]; /* nothing of saxpy needs it */
    assert_false(bf16->measured);
    assert_non_null(strstr(bf16->reason, "not asked for"));
    rft_run_free(run);
}

/* INT32 and atomics per cycle of the device, or of an SM. One word takes about one addition a cycle of the L2, whoever
 * asks, unless the lanes of a warp are put together on the way; 32 banks serve an SM. */
static void they_are_possible_by_the_cycle(void **state) {
    static const struct {
        rft_ceiling_id id;
        bool of_an_sm;
        double low, high;           /* of any device */
        double h200_low, h200_high; /* 0: nothing is known */
    } rows[] = {
        {RFT_CEILING_INT32, true, 60, 260, 120, 200},
        {RFT_CEILING_ATOMICS_SHARED, true, 4, 32.1, 0, 0},
        {RFT_CEILING_ATOMICS_SHARED_ONE, true, 0.05, 32.1, 0, 0},
        {RFT_CEILING_ATOMICS_L2, false, 4, 512, 20, 200},
        {RFT_CEILING_ATOMICS_L2_ONE, false, 0.1, 32.1, 0.5, 32.1}, /* 0.63 with a lane of each warp */
        {RFT_CEILING_ATOMICS_SHARED_F32, true, 0.1, 32.1, 0, 0},
        {RFT_CEILING_ATOMICS_SHARED_F32_ONE, true, 0.001, 2, 0, 0},
        {RFT_CEILING_ATOMICS_L2_F32, false, 4, 512, 10, 200},
        {RFT_CEILING_ATOMICS_L2_F32_ONE, false, 0.05, 32.1, 0.2, 0.6}, /* 0.29: a sum by an atomic a thread */
    };
    (void)state;
    assert_true(real_program_has_file("kept.db"));
    rft_run *run = real_program_load("kept.db"); /* has taken what `ceilings` kept: all of them */
    const bool is_h200 = strcmp(run->gpu.name, "NVIDIA H200") == 0;
    int missed = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const rft_ceiling *ceiling = &run->ceilings.items[rows[i].id];
        double cycle = rft_ceilings_per_cycle(&run->ceilings, rows[i].id) / (rows[i].of_an_sm ? run->gpu.sms : 1);
        bool known = is_h200 && rows[i].h200_high > 0;
        double low = known ? rows[i].h200_low : rows[i].low, high = known ? rows[i].h200_high : rows[i].high;
        bool in = cycle >= low && cycle <= high;
        printf("    %-24s %.4g/s, %.4g a cycle%s%s: %s\n", rft_ceiling_name(rows[i].id), ceiling->stats.median, cycle,
               rows[i].of_an_sm ? " and SM" : "", in ? "" : " IS NOT IN ITS BAND",
               ceiling->measured ? ceiling->kernel : ceiling->reason);
        missed += !in;
    }
    rft_run_free(run);
    assert_int_equal(missed, 0);
}

int gpu_ceilings(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ceiling_is_told),          cmocka_unit_test(a_card_is_in_its_bands),
        cmocka_unit_test(an_h200_is_in_its_bands),        cmocka_unit_test(a_run_takes_what_is_kept),
        cmocka_unit_test(they_are_possible_by_the_cycle),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
