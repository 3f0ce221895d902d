/* SPDX-License-Identifier: Apache-2.0 */
/* Architectures, datasheet values, hardware limits. */
#include "model_fixture.h"

#include "model/roofline/datasheet.h"

static void every_architecture_stands_for_a_device(void **state) {
    (void)state;
    const char *archs[] = {"sm_75",  "sm_80",   "sm_86",   "sm_87",   "sm_89",   "sm_90",
                           "sm_90a", "sm_100a", "sm_103a", "sm_110a", "sm_120a", "sm_121a"};
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        rft_gpu_info gpu;
        assert_int_equal(rft_gpu_info_for_arch(&gpu, archs[i], NULL), 0);
        assert_string_equal(gpu.arch, archs[i]);
        assert_true(gpu.representative && gpu.sms > 0 && gpu.warp_size == 32);
        assert_true(gpu.shared_per_block <= gpu.shared_per_sm);
        assert_true(gpu.shared_per_block_static == 49152);
        assert_true(gpu.max_threads_per_sm % gpu.warp_size == 0);
        const char *native = rft_gpu_info_native_arch(gpu.cc_major, gpu.cc_minor);
        assert_true(rft_text_starts(native, gpu.arch));
        assert_int_equal(gpu.max_cluster, gpu.cc_major >= 9 ? 8 : 0);
    }
    rft_gpu_info gpu;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_90a", NULL), 0);
    assert_int_equal(gpu.shared_per_block, 232448);
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_80", NULL), 0);
    assert_int_equal(gpu.shared_per_block, 166912);
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_120a", NULL), 0);
    assert_int_equal(gpu.shared_per_block, 101376);
}

static void unknown_architecture_lists_the_known(void **state) {
    (void)state;
    rft_gpu_info gpu;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_91", &err), RFT_E_USAGE);
    assert_non_null(strstr(err.message, "sm_91"));
    assert_non_null(strstr(err.remedy, "sm_90a"));
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "hopper", NULL), RFT_E_USAGE);
}

static void native_architectures(void **state) {
    (void)state;
    assert_string_equal(rft_gpu_info_native_arch(9, 0), "sm_90a");
    assert_string_equal(rft_gpu_info_native_arch(8, 6), "sm_86");
    assert_string_equal(rft_gpu_info_native_arch(12, 0), "sm_120a");
    assert_string_equal(rft_gpu_info_native_arch(13, 2), "sm_132a"); /* not out yet: still a name */
    assert_string_equal(rft_gpu_info_native_arch(99, 0), "sm_unknown");
}

static rft_ceilings empty_ceilings(void) {
    rft_run *run = rft_run_new();
    rft_ceilings ceilings = run->ceilings;
    rft_run_free(run);
    return ceilings;
}

static void limits_of_an_h200(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_ceilings ceilings = empty_ceilings();
    rft_gpu_info gpu;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_90a", NULL), 0);
    gpu.memory_clock_khz = 3201000;
    gpu.memory_bus_bits = 6144;
    rft_limits_apply(&ceilings, &gpu, arena);
    assert_true(near(ceilings.items[RFT_CEILING_DRAM_COPY].limit, 4.917e12, 1e-3));
    assert_string_equal(ceilings.items[RFT_CEILING_DRAM_COPY].limit_basis, "3201 MHz x 2 x 6144 bit");
    assert_true(near(ceilings.items[RFT_CEILING_FP32].limit, 66.9e12, 1e-3));
    assert_string_equal(ceilings.items[RFT_CEILING_FP32].limit_basis, "132 SMs x 128 lanes x 2 x 1980 MHz");
    assert_true(near(ceilings.items[RFT_CEILING_FP64].limit, 33.45e12, 1e-3));
    assert_true(near(ceilings.items[RFT_CEILING_FP16].limit, 133.8e12, 1e-3));
    assert_true(near(ceilings.items[RFT_CEILING_TENSOR_BF16].limit, 1070e12, 1e-2));
    assert_true(near(ceilings.items[RFT_CEILING_SHARED_READ].limit, 33.45e12, 1e-3));
    assert_true(near(ceilings.items[RFT_CEILING_L2_READ].limit, 10.1e12, 1e-2));
    assert_true(isnan(ceilings.items[RFT_CEILING_LAUNCH].limit));
    rft_arena_free(arena);
}

static double tensor_limit(const char *arch, rft_ceiling_id id) {
    rft_arena *arena = rft_arena_new();
    rft_ceilings ceilings = empty_ceilings();
    rft_gpu_info gpu;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, arch, NULL), 0);
    rft_limits_apply(&ceilings, &gpu, arena);
    rft_arena_free(arena);
    return ceilings.items[id].limit;
}

/* Against the figures of datasheets, at their clocks. */
static void limits_of_tensor_cores(void **state) {
    (void)state;
    assert_true(near(tensor_limit("sm_80", RFT_CEILING_TENSOR_FP64), 19.5e12, 1e-2));
    assert_true(near(tensor_limit("sm_80", RFT_CEILING_TENSOR_TF32), 156e12, 1e-2));
    assert_true(near(tensor_limit("sm_80", RFT_CEILING_TENSOR_BF16), 312e12, 1e-2));
    assert_true(near(tensor_limit("sm_80", RFT_CEILING_TENSOR_INT8), 624e12, 1e-2));
    assert_true(isnan(tensor_limit("sm_80", RFT_CEILING_TENSOR_FP8)));
    assert_true(isnan(tensor_limit("sm_86", RFT_CEILING_TENSOR_FP64)));
    assert_true(near(tensor_limit("sm_86", RFT_CEILING_TENSOR_FP16), 125e12, 1e-2));
    assert_true(near(tensor_limit("sm_89", RFT_CEILING_TENSOR_FP8), 733e12, 1e-2));
    assert_true(near(tensor_limit("sm_90a", RFT_CEILING_TENSOR_FP64), 66.9e12, 1e-2));
    assert_true(near(tensor_limit("sm_90a", RFT_CEILING_TENSOR_TF32), 494.7e12 * 1980 / 1830, 1e-2));
    assert_true(near(tensor_limit("sm_90a", RFT_CEILING_TENSOR_FP8), 1978.9e12 * 1980 / 1830, 1e-2));
    assert_true(near(tensor_limit("sm_90a", RFT_CEILING_TENSOR_INT8), 1978.9e12 * 1980 / 1830, 1e-2));
    assert_true(near(tensor_limit("sm_100a", RFT_CEILING_TENSOR_FP64), 37e12, 1e-2));
    assert_true(tensor_limit("sm_100a", RFT_CEILING_TENSOR_BF16) > 2250e12);
    assert_true(tensor_limit("sm_100a", RFT_CEILING_TENSOR_BF16) < 1.1 * 2250e12);
    assert_true(near(tensor_limit("sm_120a", RFT_CEILING_TENSOR_INT8), 838e12, 1e-2));
    assert_true(near(tensor_limit("sm_120a", RFT_CEILING_TENSOR_BF16), 2 * 209.5e12, 1e-2));
    assert_true(isnan(tensor_limit("sm_120a", RFT_CEILING_TENSOR_FP64)));
    assert_false(isnan(tensor_limit("sm_75", RFT_CEILING_TENSOR_FP16)));
}

static void the_smaller_turings_have_no_tensor_units(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_ceilings ceilings = empty_ceilings();
    rft_gpu_info gpu;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_75", NULL), 0);
    gpu.name = "NVIDIA GeForce GTX 1660 SUPER";
    rft_limits_apply(&ceilings, &gpu, arena);
    assert_true(isnan(ceilings.items[RFT_CEILING_TENSOR_FP16].limit));
    assert_false(isnan(ceilings.items[RFT_CEILING_FP16].limit));
    rft_arena_free(arena);
}

static void limits_stay_unknown_without_facts(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_ceilings ceilings = empty_ceilings();
    rft_gpu_info gpu;
    assert_int_equal(rft_gpu_info_for_arch(&gpu, "sm_103a", NULL), 0); /* clocks not published */
    rft_limits_apply(&ceilings, &gpu, arena);
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        assert_true(isnan(ceilings.items[i].limit));
    }
    rft_arena_free(arena);
}

static const char *const table = "[{\"match\":\"H200\",\"source\":\"sheet\",\"basis\":\"1980 MHz\",\"dram\":4.8e12,"
                                 "\"fp32\":66.9e12},"
                                 "{\"match\":\"H200 NVL\"},"
                                 "{\"match\":\"L4\",\"dram\":300000000000}]";

static double sheet(const char *device, rft_ceiling_id id) {
    rft_arena *arena = rft_arena_new();
    rft_ceilings ceilings = empty_ceilings();
    rft_gpu_info gpu = {.name = device};
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_datasheet_apply(&ceilings, &gpu, table, arena, &err), 0);
    if (!isnan(ceilings.items[RFT_CEILING_FP32].datasheet)) {
        assert_string_equal(ceilings.items[RFT_CEILING_FP32].datasheet_basis, "1980 MHz; sheet");
    }
    double value = ceilings.items[id].datasheet;
    rft_arena_free(arena);
    return value;
}

static void datasheet_by_whole_words_longest_first(void **state) {
    (void)state;
    assert_true(sheet("NVIDIA H200", RFT_CEILING_DRAM_READ) == 4.8e12);
    assert_true(sheet("NVIDIA H200", RFT_CEILING_DRAM_2TO1) == 4.8e12);
    assert_true(sheet("NVIDIA H200", RFT_CEILING_FP32) == 66.9e12);
    assert_true(isnan(sheet("NVIDIA H200", RFT_CEILING_FP64)));
    assert_true(isnan(sheet("NVIDIA H200 NVL", RFT_CEILING_FP32)));
    assert_true(isnan(sheet("NVIDIA GH200 480GB", RFT_CEILING_FP32)));
    assert_true(isnan(sheet("NVIDIA H200 MIG 1g.18gb", RFT_CEILING_FP32)));
    assert_true(sheet("NVIDIA L4", RFT_CEILING_DRAM_COPY) == 300e9);
    assert_true(isnan(sheet("NVIDIA L40S", RFT_CEILING_DRAM_COPY)));
    assert_true(isnan(sheet("", RFT_CEILING_DRAM_COPY)));
}

static const char *const parts = "[{\"match\":\"RTX 3080\",\"sms\":68,\"bus_bits\":320,\"dram\":760e9,"
                                 "\"memory\":\"GDDR6X\",\"mhz\":1710,\"name\":\"ten\",\"tdp_w\":320},"
                                 "{\"match\":\"RTX 3080\",\"sms\":70,\"bus_bits\":384,\"dram\":912e9,"
                                 "\"name\":\"twelve\",\"mhz\":1710,\"tensor_mhz\":1500,\"pcie\":\"4.0 x16\"}]";

static rft_datasheet_facts facts_of(rft_arena *arena, rft_gpu_info gpu) {
    rft_datasheet_facts facts;
    rft_err err = RFT_ERR_INIT;
    assert_int_equal(rft_datasheet_facts_of(&facts, &gpu, parts, arena, &err), 0);
    return facts;
}

/* Parts of one name are told apart by what the device says of itself; a laptop's is none of them. */
static void datasheet_parts_of_one_name(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    rft_datasheet_facts facts = facts_of(arena, (rft_gpu_info){.name = "NVIDIA GeForce RTX 3080", .sms = 70});
    assert_string_equal(facts.name, "twelve");
    assert_true(facts.dram == 912e9);
    assert_null(facts.memory);
    facts = facts_of(arena, (rft_gpu_info){.name = "NVIDIA GeForce RTX 3080", .sms = 68, .memory_bus_bits = 320});
    assert_string_equal(facts.name, "ten");
    assert_string_equal(facts.memory, "GDDR6X");
    assert_null(facts.reason);
    facts = facts_of(arena, (rft_gpu_info){.name = "NVIDIA GeForce RTX 3080", .sms = 68, .memory_bus_bits = 384});
    assert_null(facts.name);
    assert_non_null(facts.reason);
    assert_true(isnan(facts.dram));
    facts = facts_of(arena, (rft_gpu_info){.name = "NVIDIA GeForce RTX 3080 Laptop GPU"});
    assert_non_null(facts.reason);
    assert_false(facts.is_part);
    facts = facts_of(arena, (rft_gpu_info){.name = "RTX 3080"}); /* nothing tells which */
    assert_null(facts.name);
    facts = facts_of(arena, (rft_gpu_info){.name = "NVIDIA RTX 3080-10C", .sms = 68});
    assert_true(facts.is_part);
    assert_non_null(strstr(facts.reason, "virtual GPU"));
    facts = facts_of(arena, (rft_gpu_info){.name = "NVIDIA RTX 3080 MIG 1g.5gb", .sms = 68});
    assert_true(facts.is_part);
    assert_non_null(strstr(facts.reason, "MIG"));
    rft_arena_free(arena);
}

static void datasheet_table_is_checked(void **state) {
    (void)state;
    const char *wrong[] = {"[{\"match\":\"X\",\"fp23\":1}]",
                           "[{\"match\":\"X\",\"fp32\":\"much\"}]",
                           "[{\"match\":\"X\",\"dram\":-1}]",
                           "[{\"dram\":1}]",
                           "[3]",
                           "{\"a\":{}}"};
    rft_arena *arena = rft_arena_new();
    rft_ceilings ceilings = empty_ceilings();
    rft_gpu_info gpu = {.name = "X"};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        rft_err err = RFT_ERR_INIT;
        assert_int_equal(rft_datasheet_apply(&ceilings, &gpu, wrong[i], arena, &err), RFT_E_SCRIPT);
        assert_true(err.message[0] != '\0');
        assert_int_equal(rft_datasheet_apply(&ceilings, &gpu, wrong[i], arena, NULL), RFT_E_SCRIPT);
    }
    rft_err err = RFT_ERR_INIT;
    rft_datasheet_apply(&ceilings, &gpu, wrong[0], arena, &err);
    assert_string_equal(err.place, "devices[1].fp23");
    assert_int_not_equal(rft_datasheet_apply(&ceilings, &gpu, "[{", arena, &err), 0);
    assert_int_equal(rft_datasheet_apply(&ceilings, &gpu, "{}", arena, &err), 0);
    rft_arena_free(arena);
}

static void copies_are_deep(void **state) {
    (void)state;
    rft_arena *arena = rft_arena_new();
    char name[] = "NVIDIA H200";
    rft_gpu_info gpu = {.name = name, .arch = "sm_90a", .uuid = "GPU-1", .pci_id = NULL, .sms = 132};
    rft_gpu_info copy = rft_gpu_info_copy(arena, &gpu);
    name[0] = 'x';
    assert_string_equal(copy.name, "NVIDIA H200");
    assert_null(copy.pci_id);
    assert_int_equal(copy.sms, 132);
    rft_arena_free(arena);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_architecture_stands_for_a_device),
        cmocka_unit_test(unknown_architecture_lists_the_known),
        cmocka_unit_test(native_architectures),
        cmocka_unit_test(limits_of_an_h200),
        cmocka_unit_test(limits_of_tensor_cores),
        cmocka_unit_test(the_smaller_turings_have_no_tensor_units),
        cmocka_unit_test(limits_stay_unknown_without_facts),
        cmocka_unit_test(datasheet_by_whole_words_longest_first),
        cmocka_unit_test(datasheet_parts_of_one_name),
        cmocka_unit_test(datasheet_table_is_checked),
        cmocka_unit_test(copies_are_deep),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
