/* SPDX-License-Identifier: Apache-2.0 */
/* What gpu_repeats launches, on a machine without a GPU: each point is spelled out, and waits for copies or products of
 * others; no variant whose name says so is left out. */
#include "gpu/repeat_cases.h"
#include "kernels/kernel_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *source_file(const char *name) {
    static char path[4096];
    snprintf(path, sizeof path, "%s/%s", RFT_SOURCE_DIR, name);
    return path;
}

static void spell_out(bool every) {
    repeat_cases cases;
    rft_gpu_info gpu = kernel_case_gpu("sm_90a");
    kernel_case_units units = {0};
    size_t even = 0;
    repeat_cases_make(&cases, &gpu, source_file, every);
    for (size_t i = 0; i < cases.count; i++) {
        const repeat_case *c = &cases.items[i];
        rft_point_spec spec;
        rft_err err = RFT_ERR_INIT;
        if (c->sweep->vt->point(c->sweep->self, c->variant, c->problem, c->config, cases.arena, &spec, &err) != 0) {
            fail_msg("%s: %s: %s", c->text, err.place, err.message);
        }
        printf("%s\n", c->text);
        kernel_case_add(&units, &spec.unit, c->text, false);
        even += c->even;
    }
    printf("%zu points, %zu of them of even problems, %zu kernels of %zu sources\n", cases.count, even,
           units.name_count, units.count);
    kernel_case_units_free(&units);
    repeat_cases_free(&cases);
}

static void every_point_is_spelled_out(void **state) {
    (void)state;
    spell_out(false);
}

static void so_is_what_a_sanitizer_looks_at(void **state) {
    (void)state;
    spell_out(true);
}

static bool waits(const rft_variant *variant) {
    static const char *const words[] = {"TMA", "_tma", "bulk", "copy engine", "wgmma", "cluster"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        found = found || strstr(variant->name, words[i]) || strstr(variant->kernel, words[i]);
    }
    return found;
}

static bool has_variant(const repeat_cases *cases, const rft_variant *variant) {
    for (size_t i = 0; i < cases->count; i++) {
        const repeat_case *c = &cases->items[i];
        const rft_variant *of = &c->sweep->variants[c->variant];
        if (strcmp(of->name, variant->name) == 0 && strcmp(of->kernel, variant->kernel) == 0) {
            return true;
        }
    }
    return false;
}

static size_t count_left_out(const repeat_cases *cases, const rft_script *script) {
    size_t count = 0;
    for (size_t s = 0; s < rft_script_sweep_count(script); s++) {
        const rft_sweep *sweep = rft_script_sweep(script, s);
        for (size_t v = 0; v < sweep->variant_count; v++) {
            const rft_variant *variant = &sweep->variants[v];
            if (waits(variant) && !has_variant(cases, variant)) {
                print_error("%s, %s (%s) is in no row of repeat_cases.c\n", sweep->name, variant->name,
                            variant->kernel);
                count++;
            }
        }
    }
    return count;
}

static void no_variant_is_left_out(void **state) {
    (void)state;
    repeat_cases cases;
    rft_gpu_info gpu = kernel_case_gpu("sm_90a");
    char **names = NULL;
    size_t count = 0, left_out = 0;
    repeat_cases_make(&cases, &gpu, source_file, false);
    kernel_case_sweeps(&names, &count);
    for (size_t i = 0; i < count; i++) {
        rft_script *script = kernel_case_load(names[i], &gpu);
        left_out += count_left_out(&cases, script);
        rft_script_free(script);
    }
    rft_fs_list_free(names, count);
    repeat_cases_free(&cases);
    assert_int_equal(left_out, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_point_is_spelled_out),
                                       cmocka_unit_test(so_is_what_a_sanitizer_looks_at),
                                       cmocka_unit_test(no_variant_is_left_out)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
