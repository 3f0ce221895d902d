/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ceilings of a real device through the real program: bands on a card whose rates are known, and that they are kept
 * for the next run, which says so. About half a minute: a second under load is the least that a sustained rate is read
 * from, and the power limit has brought the clock down by then.
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

#define SWEEP "docs/examples/saxpy.lua"

static json_t *the_answer; /* of `ceilings --soak --json -` */

static const json_t *ceiling(const char *name) {
    return json_object_get(json_object_get(the_answer, "ceilings"), name);
}

static double number(const char *name, const char *member) {
    return rft_json_real_or(ceiling(name), member, NAN);
}

/* A matrix pipe's burst may begin at the clock that the pipe before it left: it can come out lower than what is
 * sustained a second later. */
static double sustained_over_burst_most(int id) {
    return id >= RFT_CEILING_TENSOR_FP64 && id < RFT_CEILING_TENSOR_END ? 1.08 : 1.05;
}

/* Each has a rate or a reason, and lies under its limit. */
static void every_ceiling_is_told(void **state) {
    (void)state;
    real_program_expect(0, WORDS("ceilings", "--soak", "1s", "--json", "-"));
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
};

static void an_h200_is_in_its_bands(void **state) {
    (void)state;
    assert_non_null(the_answer);
    const json_t *device = json_object_get(the_answer, "device");
    if (strcmp(rft_json_text_or(device, "name", ""), "NVIDIA H200") != 0) {
        skip(); /* no bands are known of others */
    }
    int missed = 0;
    for (size_t i = 0; i < sizeof h200 / sizeof *h200; i++) {
        double rate = number(h200[i].name, h200[i].member);
        if (!(rate >= h200[i].low && rate <= h200[i].high)) {
            printf("    %s %s: %.4g is not in %.4g .. %.4g\n", h200[i].name, h200[i].member, rate, h200[i].low,
                   h200[i].high);
            missed++;
        }
    }
    assert_int_equal(missed, 0);
    /* FP32 against the clock that was measured meanwhile. */
    double possible = 128.0 * 2.0 * (double)rft_json_int_or(device, "sms", 0) * number("fp32", "clock_mhz") * 1e6;
    printf("    fp32: %.2f %% of 128 x 2 x SMs x %.0f MHz\n", number("fp32", "median") / possible * 100.0,
           number("fp32", "clock_mhz"));
    assert_true(fabs(number("fp32", "median") / possible - 1.0) <= 0.03);
    assert_true(number("tensor_bf16", "median") > number("tensor_bf16", "sustained"));
}

/* Kept: the next run needs to measure none, says how old they are, and stores it. Asked anew, it measures its own. */
static void a_run_takes_what_is_kept(void **state) {
    (void)state;
    real_program_expect(0, WORDS("devices"));
    real_program_said(real_program_out(), "ceilings kept: ");
    real_program_expect(0, WORDS("run", real_program_file(SWEEP), "-o", "kept.db", "--no-report", TIMES_ONLY));
    real_program_said(real_program_err(), "on this card are taken");
    assert_null(strstr(real_program_err(), "measuring the ceilings"));
    rft_run *run = real_program_load("kept.db");
    const rft_ceiling *copy = &run->ceilings.items[RFT_CEILING_DRAM_COPY];
    assert_true(copy->measured && copy->stats.median == number("dram_copy", "median"));
    assert_true(copy->measured_unix_ns > 0 && copy->measured_unix_ns < run->info.started_unix_ns);
    assert_true(copy->sustained.n > 0);
    rft_run_free(run);

    real_program_expect(
        0, WORDS("run", real_program_file(SWEEP), "-o", "again.db", "--no-report", "--ceilings", "again", TIMES_ONLY));
    real_program_said(real_program_err(), "measuring the ceilings");
    run = real_program_load("again.db");
    copy = &run->ceilings.items[RFT_CEILING_DRAM_COPY];
    assert_true(copy->measured && copy->measured_unix_ns > run->info.started_unix_ns);
    const rft_ceiling *bf16 = &run->ceilings.items[RFT_CEILING_TENSOR_BF16]; /* nothing of saxpy needs it */
    assert_false(bf16->measured);
    assert_non_null(strstr(bf16->reason, "not asked for"));
    rft_run_free(run);
}

int gpu_ceilings(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ceiling_is_told),
        cmocka_unit_test(an_h200_is_in_its_bands),
        cmocka_unit_test(a_run_takes_what_is_kept),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
