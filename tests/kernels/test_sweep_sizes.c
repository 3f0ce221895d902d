/* SPDX-License-Identifier: Apache-2.0 */
/* How large the shipped sweeps are: the quick one is a promise, the others must stay affordable. */
#include "kernels/kernel_case.h"

#include "base/fs.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX 4096

typedef struct sizes {
    uint64_t points; /* valid, over all timed problems */
    uint64_t largest_bytes;
    const char *units[UNITS_MAX];
    size_t unit_count;
    rft_arena *arena;
} sizes;

static void count_unit(sizes *total, const rft_unit_spec *unit) {
    const char *key = kernel_case_unit_key(unit, total->arena);
    for (size_t i = 0; i < total->unit_count; i++) {
        if (strcmp(total->units[i], key) == 0) {
            return;
        }
    }
    assert_in_range(total->unit_count, 0, UNITS_MAX - 1);
    total->units[total->unit_count++] = key;
}

static uint64_t count_problem(sizes *total, const rft_sweep *sweep, size_t variant, size_t problem) {
    rft_space *space = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_space_new(&space, sweep, variant, sweep->problems[problem].values, NULL, &err) != 0) {
        fail_msg("%s: %s", sweep->name, err.message);
    }
    if (rft_space_errors(space) > 0) {
        fail_msg("%s: %s", sweep->name, rft_space_first_error(space));
    }
    uint64_t count = rft_space_count(space);
    rft_value *config = rft_arena_calloc(total->arena, sweep->variants[variant].param_count + 1, sizeof(*config));
    for (uint64_t i = 0; i < count; i++) {
        rft_space_get(space, i, config);
        rft_point_spec spec = kernel_case_point(sweep, variant, problem, config, total->arena);
        if (spec.unit.name_count > 0) {
            count_unit(total, &spec.unit);
        }
        count_unit(total, &spec.check.reference->unit);
        uint64_t bytes = rft_spec_memory_bytes(&spec);
        total->largest_bytes = bytes > total->largest_bytes ? bytes : total->largest_bytes;
        if (spec.launches[0].kind != RFT_LAUNCH_KERNEL) {
            continue;
        }
        assert_in_range(spec.launches[0].block[0] * spec.launches[0].block[1], 32, 1024);
        assert_int_equal(spec.launches[0].block[0] * spec.launches[0].block[1] % 32, 0);
    }
    rft_space_free(space);
    return count;
}

/* counts[variant][is odd]: what is timed is verified at sizes that fill nothing, too. The library takes none such. */
static void each_is_verified(const rft_sweep *sweep, uint64_t (*counts)[2]) {
    for (size_t v = 0; v < sweep->variant_count; v++) {
        if (counts[v][0] > 0 && counts[v][1] == 0 && !rft_variant_is_library(&sweep->variants[v])) {
            fail_msg("%s, %s: no configuration is valid on an odd problem", sweep->name, sweep->variants[v].name);
        }
    }
}

/* arg: of the script; NULL: none. */
static void count_sweeps(sizes *total, const char *name, const char *arch, const char *arg) {
    rft_gpu_info gpu = kernel_case_gpu(arch);
    rft_script *script = kernel_case_load_with(name, &gpu, &arg, arg != NULL);
    *total = (sizes){.arena = rft_arena_new()};
    for (size_t i = 0; i < rft_script_sweep_count(script); i++) {
        const rft_sweep *sweep = rft_script_sweep(script, i);
        uint64_t(*counts)[2] = rft_arena_calloc(total->arena, sweep->variant_count, sizeof *counts);
        for (size_t problem = 0; problem < sweep->problem_count; problem++) {
            uint64_t count = 0;
            for (size_t variant = 0; variant < sweep->variant_count; variant++) {
                const uint64_t valid = count_problem(total, sweep, variant, problem);
                counts[variant][sweep->problems[problem].odd] += valid;
                count += valid;
            }
            if (count == 0) {
                fail_msg("%s: problem %zu of %s has no valid configuration", name, problem, sweep->name);
            }
            total->points += sweep->problems[problem].odd ? 0 : count;
        }
        each_is_verified(sweep, counts);
    }
    printf("%s for %s: %llu points, %zu units, at most %.1f MiB\n", name, arch, (unsigned long long)total->points,
           total->unit_count, (double)total->largest_bytes / (1 << 20));
    rft_script_free(script);
    rft_arena_free(total->arena);
}

/* At most 200 points, about 100 compilations on a laptop with two cores, 2 GiB with room for what flushes the L2. */
static void quick_keeps_its_promise(void **state) {
    static const char *const archs[] = {"sm_80", "sm_86", "sm_90a", "sm_100a", "sm_120a"};
    (void)state;
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        sizes total;
        count_sweeps(&total, "quick.lua", archs[i], NULL);
        assert_in_range(total.points, 100, 200);
        assert_in_range(total.unit_count, 10, 100);
        assert_in_range(total.largest_bytes, 1, (uint64_t)1792 << 20);
    }
}

static void full_sweeps_stay_affordable(void **state) {
    (void)state;
    char **names = NULL;
    size_t count = 0;
    kernel_case_sweeps(&names, &count);
    for (size_t i = 0; i < count; i++) {
        sizes total;
        count_sweeps(&total, names[i], "sm_90a", NULL);
        assert_in_range(total.points, 40, 1500);
        assert_in_range(total.largest_bytes, 1, (uint64_t)16 << 30);
    }
    rft_fs_list_free(names, count);
}

/* Heads of all depths in one sweep: each has configurations of its own. */
static void attention_goes_along_heads(void **state) {
    (void)state;
    sizes total;
    count_sweeps(&total, "attention.lua", "sm_90a", "all");
    assert_in_range(total.points, 200, 500);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quick_keeps_its_promise),
        cmocka_unit_test(full_sweeps_stay_affordable),
        cmocka_unit_test(attention_goes_along_heads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
