/* SPDX-License-Identifier: Apache-2.0 */
/* What a machine without a GPU is told: reasons and remedies, and no crash. Skipped where there is a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "gpu/gpu.h"
#include "gpu/gpu_tests.h"

#include <string.h>

static void opening_says_what_to_do(void **state) {
    (void)state;
    rft_gpu *gpu = NULL;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_cuda_open(&gpu, 0, &err), RFT_E_DEVICE);
    assert_null(gpu);
    assert_int_equal(err.code, RFT_E_DEVICE);
    assert_true(err.message[0] != '\0');
    assert_true(err.remedy[0] != '\0');
}

static void listing_says_what_to_do(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_gpu_info *list = NULL;
    size_t count = 99;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_cuda_list(&list, &count, arena, &err), RFT_E_DEVICE);
    assert_int_equal(count, 0);
    assert_true(err.remedy[0] != '\0');
    rft_arena_free(arena);
}

static void every_fact_of_nvml_has_a_reason(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_env env = {0};
    rft_nvml_describe("ffff:ff:00.0", &env, arena); /* no such device, where NVML opens at all */
    assert_true(env.count > 20);
    for (size_t i = 0; i < env.count; i++) {
        assert_int_equal(strncmp(env.items[i].key, "nvml.", 5), 0);
        assert_null(env.items[i].value);
        assert_non_null(env.items[i].reason);
    }
    rft_arena_free(arena);
}

static void every_library_has_a_version_or_a_remedy(void **state) {
    (void)state;
    static const char *const keys[] = {"cuda", "nvrtc", "nvml", "cupti", "cublaslt"};
    rft_arena *arena = rft_arena_new();
    rft_env env = {0};
    rft_libraries_describe(&env, NULL, NULL, arena);
    assert_int_equal(env.count, 5);
    for (size_t i = 0; i < 5; i++) {
        const rft_env_item *item = rft_env_get(&env, keys[i]);
        assert_non_null(item);
        assert_true((item->value != NULL) != (item->reason != NULL));
        assert_null(strchr(item->value ? item->value : item->reason, '\n'));
    }
    rft_arena_free(arena);
}

int gpu_none(int argc, char **argv) {
    (void)argc, (void)argv;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening_says_what_to_do),
        cmocka_unit_test(listing_says_what_to_do),
        cmocka_unit_test(every_fact_of_nvml_has_a_reason),
        cmocka_unit_test(every_library_has_a_version_or_a_remedy),
    };
    rft_arena *arena = rft_arena_new();
    rft_gpu_info *list = NULL;
    size_t count = 0;
    bool has_device = rft_cuda_list(&list, &count, arena, NULL) == 0;
    rft_arena_free(arena);
    return has_device ? 77 : cmocka_run_group_tests(tests, NULL, NULL);
}
