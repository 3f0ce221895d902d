/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a sweep can ask of a launch, on a real device: one run of the program over tests/gpu/sweeps, each sweep using
 * one feature of the language. Every point is verified against its fp64 or integer reference, so a feature that does
 * nothing or the wrong thing shows as another outcome than ok; several kernels stop themselves where the result could
 * not show it (tests/gpu/sweeps/inout.cu, histogram.cu, cluster.cu).
 */
#include "gpu/gpu_given.h"
#include "gpu/gpu_tests.h"
#include "gpu/real_program.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <string.h>

typedef struct sweep_file {
    const char *name;
    int cc; /* the least compute capability that has it */
} sweep_file;

static const sweep_file files[] = {
    {"tensor_map", 90},    {"cluster", 90},    {"dependent", 90},     {"text_parameter", 90}, {"cooperative", 80},
    {"window", 80},        {"histogram", 80},  {"inout", 80},         {"prepare", 80},        {"ctype", 80},
    {"compiled_axes", 80}, {"resident", 80},   {"element_types", 89}, {"constants", 80},      {"struct_arguments", 80},
    {"filled", 80},        {"references", 80},
};
enum { FILE_COUNT = sizeof files / sizeof *files };

static rft_run *the_run;

/* SIZE_MAX when the device is too old for the file it is in. */
static size_t find_sweep(const char *name) {
    for (size_t i = 0; the_run && i < the_run->sweep_count; i++) {
        if (strcmp(the_run->sweeps[i].sweep.name, name) == 0) {
            return i;
        }
    }
    return SIZE_MAX;
}

/* Skips the test where the device is too old; fails it where the run is missing. */
static size_t need_sweep(const char *name, int cc) {
    assert_non_null(the_run);
    size_t sweep = find_sweep(name);
    if (sweep == SIZE_MAX && real_program_cc() < cc) {
        skip();
    }
    if (sweep == SIZE_MAX) {
        fail_msg("the run has no sweep %s", name);
    }
    return sweep;
}

static bool is_odd(const rft_point *point) {
    return the_run->sweeps[point->sweep].sweep.problems[point->problem].odd;
}

/* The value of a parameter, by name. */
static const rft_value *setting(const rft_point *point, const char *name) {
    const rft_variant *variant = &the_run->sweeps[point->sweep].sweep.variants[point->variant];
    for (size_t i = 0; i < variant->param_count; i++) {
        if (strcmp(variant->params[i].name, name) == 0) {
            return &point->config[i];
        }
    }
    return NULL;
}

static double setting_number(const rft_point *point, const char *name) {
    const rft_value *value = setting(point, name);
    return value ? rft_value_number(value) : (double)NAN;
}

static void the_run_ends_well(void **state) {
    (void)state;
    const char *words[FILE_COUNT + 11] = {"run", "-o", "language.db", "--no-report", TIMES_ONLY};
    char paths[FILE_COUNT][4096];
    size_t count = 10;
    for (size_t i = 0; i < FILE_COUNT; i++) {
        char name[128];
        snprintf(name, sizeof name, "tests/gpu/sweeps/%s.lua", files[i].name);
        snprintf(paths[i], sizeof paths[i], "%s", real_program_file(name));
        if (real_program_cc() >= files[i].cc) {
            words[count++] = paths[i];
        }
    }
    real_program_expect(0, words);
    the_run = real_program_load("language.db");
    assert_true(the_run->info.finished_unix_ns > 0);
}

/* 16 blocks a cluster are no promise: a device may lack so many SMs together. */
static bool may_be_skipped(const rft_point *point) {
    return setting_number(point, "CLUSTER") == 16;
}

static void every_point_is_ok(void **state) {
    (void)state;
    assert_non_null(the_run);
    size_t wrong = 0;
    for (size_t i = 0; i < the_run->point_count; i++) {
        const rft_point *point = &the_run->points[i];
        bool skipped = point->outcome == RFT_OUTCOME_SKIPPED && may_be_skipped(point);
        if (skipped) {
            printf("    %s\n", real_program_point_text(the_run, point));
        } else if (point->outcome != RFT_OUTCOME_OK) {
            print_error("%s\n", real_program_point_text(the_run, point));
            wrong++;
        } else {
            assert_true(point->verification.done && point->verification.wrong_count == 0);
            size_t least = point->rounds[0].stop == RFT_STOP_SLOWER ? 1 : 10; /* one may tell that it is far slower */
            assert_true(is_odd(point) ? point->rounds[0].n == 0 : point->rounds[0].n >= least);
        }
    }
    assert_int_equal(wrong, 0);
}

/* All that was counted was tried: nothing fell out on the way. */
static void every_configuration_was_tried(void **state) {
    (void)state;
    assert_non_null(the_run);
    for (size_t s = 0; s < the_run->sweep_count; s++) {
        const rft_run_sweep *sweep = &the_run->sweeps[s];
        uint64_t valid = 0, points = 0;
        for (size_t i = 0; i < sweep->sweep.variant_count * sweep->sweep.problem_count; i++) {
            valid += sweep->valid[i];
        }
        for (size_t i = 0; i < the_run->point_count; i++) {
            points += the_run->points[i].sweep == s;
        }
        assert_true(valid > 0);
        assert_int_equal(points, valid);
        assert_null(sweep->unexplored);
        for (size_t p = 0; p < sweep->sweep.problem_count; p++) {
            assert_true(sweep->sweep.problems[p].odd || rft_run_best(the_run, s, SIZE_MAX, p) != NULL);
        }
    }
}

static void clusters_are_part_of_the_point(void **state) {
    (void)state;
    size_t sweep = need_sweep("cluster", 90);
    size_t with = 0;
    for (size_t i = 0; i < the_run->point_count; i++) {
        const rft_point *point = &the_run->points[i];
        if (point->sweep == sweep && point->outcome == RFT_OUTCOME_OK && setting_number(point, "CLUSTER") > 1) {
            assert_true(point->facts.blocks_per_sm >= 1);
            with++;
        }
    }
    assert_true(with >= 10); /* 5 of them certain, on two problems */
}

static void resident_fills_the_device_once(void **state) {
    (void)state;
    size_t sweep = need_sweep("resident", 80);
    int blocks_at[257] = {0}, sizes = 0, last = 0;
    for (size_t i = 0; i < the_run->point_count; i++) {
        const rft_point *point = &the_run->points[i];
        if (point->sweep == sweep && point->variant == 0 && !is_odd(point)) {
            int size = (int)setting_number(point, "SHARED_KIB");
            assert_in_range(size, 1, 256);
            assert_true(fabs(point->facts.waves - 1.0) < 1e-9);
            assert_int_equal(point->facts.shared_dynamic_bytes, 1024 * size);
            blocks_at[size] = point->facts.blocks_per_sm;
            sizes++;
        }
    }
    assert_true(sizes >= 2);
    for (int size = 1; size <= 256; size++) {
        if (blocks_at[size]) {
            assert_true(last == 0 || blocks_at[size] < last); /* more shared memory, fewer blocks at once */
            last = blocks_at[size];
        }
    }
}

static void each_launch_of_a_list_has_its_time(void **state) {
    (void)state;
    const struct {
        const char *sweep;
        size_t variant, launches;
    } rows[] = {{"histogram", 0, 3}, {"resident", 1, 2}, {"dependent", 0, 2}};
    for (size_t i = 0; i < 3; i++) {
        size_t sweep = find_sweep(rows[i].sweep);
        if (sweep == SIZE_MAX && real_program_cc() < 90) {
            continue;
        }
        assert_true(sweep != SIZE_MAX);
        size_t problem = the_run->sweeps[sweep].sweep.problem_count - 1;
        const rft_point *best = rft_run_best(the_run, sweep, rows[i].variant, problem);
        assert_non_null(best);
        const rft_measurement *last = &best->rounds[1];
        assert_int_equal(last->step_count, rows[i].launches);
        double sum = 0;
        for (size_t k = 0; k < last->step_count; k++) {
            assert_true(last->step_s[k] > 0);
            sum += last->step_s[k];
        }
        printf("    %s: %.2f us, its launches alone %.2f us together\n", rows[i].sweep, 1e6 * rft_point_median_s(best),
               1e6 * sum);
        assert_true(sum > 0.5 * rft_point_median_s(best));
    }
}

static void the_cache_mode_is_the_sweeps(void **state) {
    (void)state;
    bool seen[RFT_CACHE_COUNT] = {false};
    for (size_t i = 0; i < the_run->point_count; i++) {
        const rft_point *point = &the_run->points[i];
        if (point->rounds[0].n > 0) {
            rft_cache_mode asked = the_run->sweeps[point->sweep].sweep.measure.cache;
            assert_int_equal(point->rounds[0].cache, asked);
            seen[asked] = true;
        }
    }
    assert_true(seen[RFT_CACHE_COLD] && seen[RFT_CACHE_HOT] && seen[RFT_CACHE_ROTATING]);
}

/* A window is a matter of launching only: same code, but another point and no alias. */
static void a_window_is_no_alias(void **state) {
    (void)state;
    size_t sweep = need_sweep("window", 80);
    const char *hash = NULL;
    size_t count = 0;
    for (size_t i = 0; i < the_run->point_count; i++) {
        const rft_point *point = &the_run->points[i];
        if (point->sweep == sweep && !is_odd(point)) {
            assert_int_equal(point->alias_of, 0);
            assert_non_null(point->facts.cubin_hash);
            assert_true(!hash || strcmp(hash, point->facts.cubin_hash) == 0);
            hash = point->facts.cubin_hash;
            count++;
        }
    }
    assert_true(count >= 1);
}

static void texts_reach_the_kernel(void **state) {
    (void)state;
    size_t sweep = need_sweep("text_parameter", 90);
    const char *hashes[2] = {NULL, NULL};
    for (size_t i = 0; i < the_run->point_count; i++) {
        const rft_point *point = &the_run->points[i];
        if (point->sweep == sweep && !is_odd(point) && setting_number(point, "BLOCK") == 128 &&
            strcmp(setting(point, "ACC")->as.text, "float") == 0) {
            hashes[strcmp(setting(point, "COPY")->as.text, "bulk") == 0] = point->facts.cubin_hash;
        }
    }
    assert_non_null(hashes[0]);
    assert_non_null(hashes[1]);
    assert_string_not_equal(hashes[0], hashes[1]);
}

int gpu_language(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_run_ends_well),
        cmocka_unit_test(every_point_is_ok),
        cmocka_unit_test(every_configuration_was_tried),
        cmocka_unit_test(clusters_are_part_of_the_point),
        cmocka_unit_test(resident_fills_the_device_once),
        cmocka_unit_test(each_launch_of_a_list_has_its_time),
        cmocka_unit_test(the_cache_mode_is_the_sweeps),
        cmocka_unit_test(a_window_is_no_alias),
        cmocka_unit_test(texts_reach_the_kernel),
        cmocka_unit_test(given_binaries_are_measured_as_templates_are),
        cmocka_unit_test(a_changed_binary_is_told),
    };
    return real_program_tests(tests, sizeof tests / sizeof *tests, 0, NULL);
}
