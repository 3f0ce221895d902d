/* SPDX-License-Identifier: Apache-2.0 */
/* Ceilings kept from one run to the next: for a day, for the same card in the same state, and never worth failing for.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"
#include "run/kept_ceilings.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define HOUR_NS (3600LL * 1000000000LL)
#define DAY_NS (24 * HOUR_NS)
#define NOW_NS (1800000000LL * 1000000000LL)

static int64_t now_ns;

static int64_t read_clock(void *self) {
    (void)self;
    return now_ns;
}

static const rft_clock stopped = {.monotonic_ns = read_clock, .unix_ns = read_clock};

typedef struct scene {
    char folder[64];
    rft_arena *arena;
    rft_gpu_info gpu;
    rft_env env;
    rft_kept_ceilings_opts opts;
    rft_ceilings measured;
    rft_err err;
} scene;

static rft_ceiling reading(double rate) {
    const double rates[] = {rate, rate * 1.001, rate * 0.999};
    rft_ceiling ceiling = rft_ceiling_none(NULL);
    ceiling.measured = true;
    ceiling.stats = rft_stats_of(rates, 3);
    ceiling.kernel = "a kernel \"of\" this test";
    ceiling.clock_mhz = 1980.0;
    ceiling.measured_unix_ns = now_ns;
    ceiling.limit = 1e18;
    return ceiling;
}

static void start(scene *s) {
    *s = (scene){.arena = rft_arena_new(), .err = RFT_ERR_INIT};
    now_ns = NOW_NS;
    rft_text_format(s->folder, sizeof s->folder, "/tmp/rft-kept-XXXXXX");
    assert_non_null(mkdtemp(s->folder));
    assert_int_equal(rft_gpu_info_for_arch(&s->gpu, "sm_90a", NULL), 0);
    s->gpu.uuid = "GPU-12345678-1234";
    rft_env_set(&s->env, s->arena, "nvml.driver_version", "580.95.05", NULL);
    rft_env_set(&s->env, s->arena, "nvml.power_limit_enforced_w", "700", NULL);
    s->opts = (rft_kept_ceilings_opts){.folder = s->folder, .gpu = &s->gpu, .env = &s->env, .clock = &stopped};
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        s->measured.items[id] = rft_ceiling_none("not asked for");
    }
    s->measured.items[RFT_CEILING_FP32] = reading(6e13);
    s->measured.items[RFT_CEILING_FP32].sustained = s->measured.items[RFT_CEILING_FP32].stats;
    s->measured.items[RFT_CEILING_TENSOR_BF16] = reading(8e14);
    s->measured.items[RFT_CEILING_TENSOR_BF16].at_least = true;
    assert_int_equal(rft_kept_ceilings_write(&s->opts, &s->measured, &s->err), RFT_OK);
}

static void stop(scene *s) {
    char command[96];
    rft_text_format(command, sizeof command, "chmod -R u+w %s && rm -r %s", s->folder, s->folder);
    assert_int_equal(system(command), 0);
    rft_arena_free(s->arena);
}

static rft_kept_ceilings read_kept(scene *s) {
    rft_kept_ceilings kept;
    rft_kept_ceilings_read(&kept, &s->opts, s->arena);
    return kept;
}

static void expect_none(scene *s, const char *why) {
    rft_kept_ceilings kept = read_kept(s);
    assert_int_equal(kept.there, 0);
    assert_non_null(kept.why);
    assert_non_null(strstr(kept.why, why));
    assert_false(kept.ceilings.items[RFT_CEILING_FP32].measured);
}

static void what_was_measured_comes_back(void **state) {
    (void)state;
    scene s;
    start(&s);
    now_ns += 3 * HOUR_NS;
    rft_kept_ceilings kept = read_kept(&s);
    assert_null(kept.why);
    assert_int_equal(kept.there, RFT_CEILING_BIT(RFT_CEILING_FP32) | RFT_CEILING_BIT(RFT_CEILING_TENSOR_BF16));
    const rft_ceiling *fp32 = &kept.ceilings.items[RFT_CEILING_FP32];
    const rft_ceiling *want = &s.measured.items[RFT_CEILING_FP32];
    assert_true(fp32->measured && fp32->stats.median == want->stats.median && fp32->stats.n == 3);
    assert_true(fp32->sustained.n == 3 && fp32->sustained.low == want->stats.low);
    assert_string_equal(fp32->kernel, want->kernel);
    assert_true(fp32->measured_unix_ns == NOW_NS && fp32->clock_mhz == 1980.0);
    assert_true(isnan(fp32->limit)); /* of the program that reads, not of the one that wrote */
    assert_true(kept.ceilings.items[RFT_CEILING_TENSOR_BF16].at_least);
    assert_true(isnan(rft_ceilings_rate(&kept.ceilings, RFT_CEILING_TENSOR_BF16)));
    assert_string_equal(rft_ceilings_age_text(&kept.ceilings, now_ns, s.arena), "3 h");
    assert_string_equal(rft_ceilings_age_text(&kept.ceilings, NOW_NS + HOUR_NS / 4, s.arena), "15 min");
    assert_null(rft_ceilings_age_text(&kept.ceilings, NOW_NS, s.arena));
    stop(&s);
}

/* They decide what every run is judged by: not where somebody else may have put them. */
static void a_folder_of_others_keeps_none(void **state) {
    (void)state;
    scene s;
    start(&s);
    assert_int_equal(chmod(s.folder, 0777), 0);
    expect_none(&s, "the cache folder may be written by anyone");
    assert_int_equal(rft_kept_ceilings_write(&s.opts, &s.measured, &s.err), RFT_OK);
    assert_int_equal(chmod(s.folder, 0755), 0);
    assert_null(read_kept(&s).why);
    stop(&s);
}

/* Each has its own time: what came later is kept when the first is too old. */
static void a_day_is_the_end(void **state) {
    (void)state;
    scene s;
    start(&s);
    now_ns = NOW_NS + DAY_NS / 2;
    rft_ceilings later = s.measured;
    later.items[RFT_CEILING_FP32] = rft_ceiling_none("not asked for");
    later.items[RFT_CEILING_TENSOR_BF16] = reading(9e14);
    assert_int_equal(rft_kept_ceilings_write(&s.opts, &later, &s.err), RFT_OK);
    now_ns = NOW_NS + DAY_NS;
    assert_int_equal(read_kept(&s).there, RFT_CEILING_BIT(RFT_CEILING_FP32) | RFT_CEILING_BIT(RFT_CEILING_TENSOR_BF16));
    now_ns = NOW_NS + DAY_NS + 1000000000;
    rft_kept_ceilings kept = read_kept(&s);
    assert_int_equal(kept.there, RFT_CEILING_BIT(RFT_CEILING_TENSOR_BF16));
    assert_true(kept.ceilings.items[RFT_CEILING_TENSOR_BF16].stats.median == 9e14);
    now_ns = NOW_NS + 2 * DAY_NS;
    expect_none(&s, "older than a day");
    now_ns = NOW_NS - HOUR_NS; /* a clock that was set back */
    expect_none(&s, "older than a day");
    stop(&s);
}

static void another_state_of_the_card_has_none(void **state) {
    (void)state;
    scene s;
    start(&s);
    rft_env_set(&s.env, s.arena, "nvml.driver_version", "590.10", NULL);
    expect_none(&s, "changed since");
    rft_env_set(&s.env, s.arena, "nvml.driver_version", "580.95.05", NULL);
    rft_env_set(&s.env, s.arena, "nvml.power_limit_enforced_w", "350", NULL);
    expect_none(&s, "changed since");
    rft_env_set(&s.env, s.arena, "nvml.power_limit_enforced_w", "700", NULL);
    s.gpu.sm_clock_khz -= 1000;
    expect_none(&s, "changed since");
    s.gpu.sm_clock_khz += 1000;
    assert_true(read_kept(&s).there != 0);
    s.gpu.uuid = "GPU-another";
    expect_none(&s, "none were measured here");
    s.gpu.uuid = "";
    expect_none(&s, "no UUID");
    s.opts.folder = NULL;
    expect_none(&s, "no cache folder");
    assert_int_equal(rft_kept_ceilings_write(&s.opts, &s.measured, &s.err), RFT_OK);
    stop(&s);
}

/* Every byte counts: wherever one is changed or the rest is missing, there is nothing. */
static void a_damaged_file_is_none(void **state) {
    (void)state;
    scene s;
    start(&s);
    const char *path = read_kept(&s).path;
    char *text = NULL;
    size_t size = 0;
    assert_int_equal(rft_fs_read(&text, &size, path, 0, &s.err), RFT_OK);
    for (size_t at = 0; at < size; at += 1 + size / 97) {
        char before = text[at];
        text[at] = (char)(before ^ 1);
        assert_int_equal(rft_fs_write_atomic(path, text, size, &s.err), RFT_OK);
        expect_none(&s, "damaged");
        text[at] = before;
        assert_int_equal(rft_fs_write_atomic(path, text, at, &s.err), RFT_OK);
        expect_none(&s, "damaged");
    }
    /* And the next that measures puts it right. */
    assert_int_equal(rft_kept_ceilings_write(&s.opts, &s.measured, &s.err), RFT_OK);
    assert_true(read_kept(&s).there != 0);
    free(text);
    stop(&s);
}

static void a_folder_that_cannot_be_written_is_told(void **state) {
    (void)state;
    scene s;
    start(&s);
    char file[96];
    rft_text_format(file, sizeof file, "%s/file", s.folder);
    assert_int_equal(rft_fs_write_atomic(file, "x", 1, &s.err), RFT_OK);
    s.opts.folder = file; /* also for root, who may write everywhere else */
    expect_none(&s, "none were measured here");
    assert_int_equal(rft_kept_ceilings_write(&s.opts, &s.measured, &s.err), RFT_E_IO);
    stop(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_was_measured_comes_back),
        cmocka_unit_test(a_folder_of_others_keeps_none),
        cmocka_unit_test(a_day_is_the_end),
        cmocka_unit_test(another_state_of_the_card_has_none),
        cmocka_unit_test(a_damaged_file_is_none),
        cmocka_unit_test(a_folder_that_cannot_be_written_is_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
