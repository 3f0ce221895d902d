/* SPDX-License-Identifier: Apache-2.0 */
/* kernels/lib/devices.lua: every figure agrees with the part's widths and clocks, so that no sparse one slips in. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/json.h"
#include "base/str.h"
#include "model/roofline/datasheet.h"
#include "script/script.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define TOLERANCE 0.03
#define MAX_TENSOR_MHZ 2700.0 /* of parts whose clock is not published: no GPU has reached it with its tensor cores */

typedef struct fixture {
    rft_arena *arena;
    char *json;
    json_t *table;
} fixture;

static int setup(void **state) {
    static fixture f;
    rft_err err = RFT_ERR_INIT;
    f.arena = rft_arena_new();
    if (rft_script_read_table(&f.json, RFT_SOURCE_DIR "/kernels/lib/devices.lua", NULL, &err) != 0) {
        print_error("%s %s\n", err.place, err.message);
        return -1;
    }
    *state = &f;
    return rft_json_parse(&f.table, f.json, strlen(f.json), "devices", &err);
}

static int teardown(void **state) {
    fixture *f = *state;
    json_decref(f->table);
    free(f->json);
    rft_arena_free(f->arena);
    return 0;
}

static double number(const json_t *entry, const char *key) {
    const json_t *value = json_object_get(entry, key);
    return value ? json_number_value(value) : (double)NAN;
}

static bool is_near(double value, double expected) {
    return fabs(value / expected - 1.0) <= TOLERANCE;
}

static rft_gpu_info device_of(const json_t *entry, double mhz) {
    int cc = (int)number(entry, "cc");
    return (rft_gpu_info){.name = "",
                          .cc_major = cc / 10,
                          .cc_minor = cc % 10,
                          .sms = isnan(number(entry, "sms")) ? 0 : (int)number(entry, "sms"),
                          .sm_clock_khz = isnan(mhz) ? 0 : (int)(mhz * 1e3)};
}

/* ---- each returns what is wrong, or NULL ---- */

/* Parts whose sheet gives half the width: with FP32 accumulation (GeForce), or as it is (L40). */
static bool is_halved(const char *name) {
    return strstr(name, "GeForce") || rft_text_equal(name, "L40");
}

static const char *judge_memory(const json_t *entry) {
    double bus = number(entry, "bus_bits") * number(entry, "memory_gbps") * 1e9 / 8.0;
    if (!isnan(bus) && !is_near(number(entry, "dram"), bus)) {
        return "dram is not bus_bits x memory_gbps";
    }
    double size = number(entry, "memory_bytes");
    return size < 4e9 || size > 300e9 ? "memory_bytes is not a card's" : NULL;
}

static const char *judge_lanes(const json_t *entry) {
    rft_gpu_info gpu = device_of(entry, number(entry, "mhz"));
    double per_lane = 2.0 * gpu.sms * number(entry, "mhz") * 1e6;
    double fp32 = number(entry, "fp32"), fp64 = number(entry, "fp64");
    if (isnan(per_lane)) {
        return NULL;
    }
    if (!isnan(fp32) && !is_near(fp32, per_lane * rft_gpu_info_fp32_lanes(&gpu))) {
        return "fp32 is not SMs x lanes x 2 x mhz";
    }
    if (!isnan(fp64) && !is_near(fp64, per_lane * rft_gpu_info_fp64_lanes(&gpu))) {
        return "fp64 is not SMs x lanes x 2 x mhz";
    }
    return NULL;
}

/* At its clock every tensor figure is the whole width, or half of it where the part's own sheet halves it. */
static const char *judge_tensor(const json_t *entry, rft_arena *arena) {
    double mhz = isnan(number(entry, "tensor_mhz")) ? number(entry, "mhz") : number(entry, "tensor_mhz");
    rft_gpu_info gpu = device_of(entry, isnan(mhz) ? MAX_TENSOR_MHZ : mhz);
    rft_gpu_info fp64_gpu = device_of(entry, number(entry, "mhz"));
    const char *name = rft_json_text_or(entry, "name", "");
    bool may_halve = is_halved(name);
    rft_run *run = rft_run_new();
    rft_ceilings limits = run->ceilings, fp64_limits = run->ceilings;
    rft_run_free(run);
    rft_limits_apply(&limits, &gpu, arena);
    rft_limits_apply(&fp64_limits, &fp64_gpu, arena);
    limits.items[RFT_CEILING_TENSOR_FP64] = fp64_limits.items[RFT_CEILING_TENSOR_FP64]; /* its clock is that of FP64 */
    for (int id = RFT_CEILING_TENSOR_FP64; id < RFT_CEILING_TENSOR_END; id++) {
        double sheet = number(entry, rft_ceiling_name((rft_ceiling_id)id)), limit = limits.items[id].limit;
        if (isnan(sheet) || gpu.sms == 0 || (id == RFT_CEILING_TENSOR_FP64 && isnan(limit))) {
            continue;
        }
        bool fits = isnan(mhz) ? sheet <= limit : is_near(sheet, limit) || (may_halve && is_near(sheet, limit / 2));
        if (!fits) {
            return rft_arena_printf(arena, "%s is %.4g of its width", rft_ceiling_name((rft_ceiling_id)id),
                                    sheet / limit);
        }
    }
    return NULL;
}

/* Half as wide numbers, twice the rate: a figure that is sparse beside dense ones stands out. */
static const char *judge_ratios(const json_t *entry) {
    double tf32 = number(entry, "tensor_tf32"), bf16 = number(entry, "tensor_bf16"),
           fp16 = number(entry, "tensor_fp16");
    double fp8 = number(entry, "tensor_fp8"), fp32 = number(entry, "fp32");
    if (!isnan(bf16) && !isnan(tf32) && !is_near(bf16, 2 * tf32)) {
        return "tensor_bf16 is not twice tensor_tf32";
    }
    if (!isnan(bf16) && !is_near(fp16, bf16)) {
        return "tensor_fp16 is not tensor_bf16";
    }
    if (!isnan(fp8) && !isnan(bf16) && !is_near(fp8, 2 * bf16)) {
        return "tensor_fp8 is not twice tensor_bf16";
    }
    if (!isnan(bf16) && !isnan(fp32) && (bf16 < 1.9 * fp32 || bf16 > 33 * fp32)) {
        return "tensor_bf16 and fp32 are not of one part";
    }
    return NULL;
}

static const char *judge(const json_t *entry, rft_arena *arena) {
    bool has_figures = json_object_get(entry, "dram") != NULL;
    if (has_figures && (rft_json_text_or(entry, "source", "")[0] == '\0' ||
                        rft_json_text_or(entry, "basis", "")[0] == '\0' || isnan(number(entry, "cc")))) {
        return "needs source, basis and cc";
    }
    const char *wrong = judge_memory(entry);
    wrong = wrong ? wrong : judge_lanes(entry);
    wrong = wrong ? wrong : judge_tensor(entry, arena);
    return wrong ? wrong : judge_ratios(entry);
}

/* ---- tests ---- */

static void every_entry_is_plausible(void **state) {
    fixture *f = *state;
    size_t failed = 0, figures = 0;
    for (size_t i = 0; i < json_array_size(f->table); i++) {
        const json_t *entry = json_array_get(f->table, i);
        const char *wrong = judge(entry, f->arena);
        figures += json_object_size(entry);
        if (wrong) {
            print_error("%s: %s\n", rft_json_text_or(entry, "name", "?"), wrong);
            failed++;
        }
        for (size_t j = 0; j < i; j++) {
            const json_t *other = json_array_get(f->table, j);
            bool same = rft_text_equal(rft_json_text_or(entry, "match", ""), rft_json_text_or(other, "match", ""));
            bool alike = number(entry, "sms") == number(other, "sms") && number(entry, "dram") == number(other, "dram");
            assert_false(same && alike);
        }
    }
    print_message("%zu devices, %zu keys\n", json_array_size(f->table), figures);
    assert_int_equal(failed, 0);
    assert_true(json_array_size(f->table) >= 60);
}

/* Sheets print sparse figures in larger type: any of them in place of a dense one must be seen. */
static void a_sparse_figure_is_found(void **state) {
    fixture *f = *state;
    static const char *const keys[] = {"tensor_tf32", "tensor_bf16", "tensor_fp16",
                                       "tensor_fp8",  "tensor_int8", "tensor_fp64"};
    size_t tried = 0;
    for (size_t i = 0; i < json_array_size(f->table); i++) {
        for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
            json_t *entry = json_deep_copy(json_array_get(f->table, i));
            double sheet = number(entry, keys[k]);
            bool known =
                !isnan(sheet) && !isnan(number(entry, "mhz")) && !is_halved(rft_json_text_or(entry, "name", ""));
            if (known) {
                json_object_set_new(entry, keys[k], json_real(2 * sheet));
                assert_non_null(judge(entry, f->arena));
                tried++;
            }
            json_decref(entry);
        }
    }
    assert_true(tried >= 80);
}

static void wrong_facts_are_found(void **state) {
    fixture *f = *state;
    static const char *const keys[] = {"dram", "fp32", "sms", "mhz"};
    for (size_t k = 0; k < sizeof keys / sizeof *keys; k++) {
        json_t *entry = json_deep_copy(json_array_get(f->table, 0));
        assert_null(judge(entry, f->arena));
        json_object_set_new(entry, keys[k], json_real(1.1 * number(entry, keys[k])));
        assert_non_null(judge(entry, f->arena));
        json_decref(entry);
    }
}

typedef struct named {
    const char *device, *entry; /* as the driver names it; NULL: none */
    int sms, bus_bits, memory_mhz;
} named;

static void devices_find_their_entry(void **state) {
    fixture *f = *state;
    static const named rows[] = {
        {"NVIDIA H200", "H200 SXM", 132, 6144, 3201},
        {"NVIDIA H200", "H200 SXM", 132, 6016, 3201}, /* as its driver says */
        {"NVIDIA H200 NVL", "H200 NVL", 132, 6144, 3201},
        {"NVIDIA H100 80GB HBM3", "H100 SXM", 132, 5120, 2619},
        {"NVIDIA H100 PCIe", "H100 PCIe", 114, 5120, 1593},
        {"NVIDIA H100 NVL", "H100 NVL", 132, 0, 0},
        {"NVIDIA GH200 480GB", "GH200, 96 GB HBM3", 132, 6144, 2619},
        {"NVIDIA A100-SXM4-80GB", "A100 SXM 80 GB", 108, 5120, 1593},
        {"NVIDIA A100 80GB PCIe", "A100 PCIe 80 GB", 108, 5120, 1512},
        {"NVIDIA A10", "A10", 72, 384, 6251},
        {"NVIDIA A10G", NULL, 80, 384, 6251},
        {"NVIDIA L40S", "L40S", 142, 384, 9001},
        {"NVIDIA L40", "L40", 142, 384, 9001},
        {"NVIDIA L4", "L4", 58, 192, 6251},
        {"NVIDIA B200", "B200 (HGX)", 148, 7680, 3996},
        {"NVIDIA B300 SXM6 AC", "B300 (HGX)", 148, 0, 0},
        {"NVIDIA GB200", "GB200", 152, 0, 0},
        {"NVIDIA GB10", "GB10 (DGX Spark)", 48, 256, 0},
        {"NVIDIA GB10", "GB10 (DGX Spark)", 48, 256, 8533}, /* whatever it may say of the host's memory */
        {"NVIDIA RTX A2000 12GB", "RTX A2000, 12 GB", 26, 192, 0},
        {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada", 142, 384, 10001},
        {"NVIDIA RTX 4000 SFF Ada Generation", "RTX 4000 SFF Ada", 48, 160, 0},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000 Blackwell Server", 188, 512, 0},
        {"NVIDIA GeForce RTX 3080", "GeForce RTX 3080", 68, 320, 0},
        {"NVIDIA GeForce RTX 3080", "GeForce RTX 3080, 12 GB", 70, 384, 0},
        {"NVIDIA GeForce RTX 4070 Ti SUPER", "GeForce RTX 4070 Ti SUPER", 66, 256, 0},
        {"NVIDIA GeForce RTX 4090", "GeForce RTX 4090", 128, 384, 10501},
        {"NVIDIA GeForce RTX 4090 D", "GeForce RTX 4090 D", 114, 384, 0},
        {"NVIDIA GeForce RTX 4060 Laptop GPU", NULL, 24, 128, 0},
        {"NVIDIA GeForce RTX 2070 with Max-Q Design", NULL, 36, 256, 0},
        {"NVIDIA GeForce RTX 2080 SUPER", "GeForce RTX 2080 SUPER", 48, 256, 0},
        {"NVIDIA GeForce RTX 5090", "GeForce RTX 5090", 170, 512, 14001},
        {"NVIDIA H200 MIG 1g.18gb", NULL, 16, 0, 0},
        {"NVIDIA GeForce RTX 2080 Ti", "GeForce RTX 2080 Ti", 68, 352, 0},
        {"NVIDIA GeForce RTX 2080", "GeForce RTX 2080", 46, 256, 0},
        {"Tesla T4", "T4", 40, 256, 5001},
        {"NVIDIA GeForce GTX 1080 Ti", NULL, 28, 352, 0},
        /* Other memory under the same name: as the driver tells; where it does not, nothing is known. */
        {"NVIDIA GeForce RTX 3060 Ti", "GeForce RTX 3060 Ti", 38, 256, 7001},
        {"NVIDIA GeForce RTX 3060 Ti", "GeForce RTX 3060 Ti, GDDR6X", 38, 256, 9501},
        {"NVIDIA GeForce RTX 3060 Ti", NULL, 38, 256, 0},
        {"NVIDIA GeForce RTX 3060", "GeForce RTX 3060, 8 GB", 28, 128, 7501},
        {"NVIDIA GeForce RTX 4070", "GeForce RTX 4070", 46, 192, 10501},
        {"NVIDIA GeForce RTX 4070", "GeForce RTX 4070, GDDR6", 46, 192, 10001},
        {"NVIDIA GeForce GTX 1650", "GeForce GTX 1650, GDDR6", 14, 128, 6001},
        {"NVIDIA GeForce GTX 1650", "GeForce GTX 1650", 14, 128, 4001},
        {"NVIDIA RTX PRO 4000 Blackwell", "RTX PRO 4000 Blackwell", 70, 192, 14001},
        {"NVIDIA RTX PRO 4000 Blackwell SFF Edition", "RTX PRO 4000 Blackwell SFF", 70, 192, 9001},
        {"NVIDIA RTX PRO 4500 Blackwell Server Edition", NULL, 82, 256, 12501}, /* 800 GB/s, not 896 */
        {"NVIDIA H100 NVL", "H100 NVL", 132, 6144, 2619},                       /* 3 % over its sheet */
        {"NVIDIA B200", "B200 (HGX)", 148, 8192, 3996},                         /* 6 % */
        {"Tesla V100-SXM2-32GB", "V100 SXM2, 32 GB", 80, 4096, 877},
        {"GRID T4-8Q", NULL, 40, 256, 0},
        {"NVIDIA A10-24Q", NULL, 72, 384, 0},
        {"NVIDIA A30-1-6C", NULL, 14, 384, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        rft_gpu_info gpu = {.name = rows[i].device,
                            .sms = rows[i].sms,
                            .memory_clock_khz = rows[i].memory_mhz * 1000,
                            .memory_bus_bits = rows[i].bus_bits};
        rft_datasheet_facts facts;
        rft_err err = RFT_ERR_INIT;
        assert_int_equal(rft_datasheet_facts_of(&facts, &gpu, f->json, f->arena, &err), 0);
        if (!rft_text_equal(facts.name, rows[i].entry)) {
            print_error("%s: %s\n", rows[i].device, facts.name ? facts.name : "no entry");
        }
        assert_true(rft_text_equal(facts.name, rows[i].entry));
        assert_true((facts.reason != NULL) == (facts.name == NULL));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_entry_is_plausible),
        cmocka_unit_test(a_sparse_figure_is_found),
        cmocka_unit_test(wrong_facts_are_found),
        cmocka_unit_test(devices_find_their_entry),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
