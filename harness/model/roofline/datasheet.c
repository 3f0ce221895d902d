/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/datasheet.h"

#include "base/json.h"
#include "base/units.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

static const rft_ceiling_id dram_mixes[] = {RFT_CEILING_DRAM_READ, RFT_CEILING_DRAM_WRITE, RFT_CEILING_DRAM_COPY,
                                            RFT_CEILING_DRAM_2TO1};

/* What may be missing of the bus that the sheet names. */
#define BUS_IN_USE_FRAC 0.05
/* What the rate that the driver tells may be off the sheet's, which rounds and may leave a reserve: 6 % at most of the
 * cards known. Parts of one name with other memory differ by 11 % and more, or stand in the table each for itself. */
#define MEMORY_RATE_FRAC 0.10

static bool word_char(char c) {
    return isalnum((unsigned char)c) != 0;
}

/* Whether `name` contains `pattern` as whole words. */
static bool contains_words(const char *name, const char *pattern) {
    size_t length = strlen(pattern);
    for (const char *at = strstr(name, pattern); length > 0 && at != NULL; at = strstr(at + 1, pattern)) {
        if ((at == name || !word_char(at[-1])) && !word_char(at[length])) {
            return true;
        }
    }
    return false;
}

static bool is_one_of(const char *key, const char *const *keys, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(key, keys[i]) == 0) {
            return true;
        }
    }
    return false;
}

static const char *const text_keys[] = {"match", "name", "short", "source", "basis", "memory", "pcie"};
static const char *const number_keys[] = {"dram",         "cc",       "sms",         "mhz",   "tensor_mhz",
                                          "memory_bytes", "bus_bits", "memory_gbps", "tdp_w", "nvlink"};
#define IS_ONE_OF(key, keys) is_one_of(key, keys, sizeof(keys) / sizeof *(keys))

/* Every key of an entry is a text, "dram", or a ceiling with a positive number. */
static int check_entry(const json_t *entry, size_t index, rft_err *err) {
    if (!json_is_object(entry)) {
        rft_err_set(err, RFT_E_SCRIPT, "expected a table");
        rft_err_place(err, "devices[%zu]", index + 1);
        return RFT_E_SCRIPT;
    }
    json_t *map = (json_t *)(uintptr_t)entry; /* jansson's iterators take no const */
    for (void *at = json_object_iter(map); at != NULL; at = json_object_iter_next(map, at)) {
        const char *key = json_object_iter_key(at);
        const json_t *value = json_object_iter_value(at);
        rft_ceiling_id id;
        const char *wrong = NULL;
        if (IS_ONE_OF(key, text_keys)) {
            wrong = json_is_string(value) ? NULL : "expected a text";
        } else if (IS_ONE_OF(key, number_keys) || rft_ceiling_from_name(&id, key)) {
            wrong = json_is_number(value) && json_number_value(value) > 0.0 ? NULL : "expected a positive number";
        } else {
            wrong = "unknown key: neither a ceiling nor one of harness/model/roofline/datasheet.h";
        }
        if (wrong != NULL) {
            rft_err_set(err, RFT_E_SCRIPT, "%s", wrong);
            rft_err_place(err, "devices[%zu].%s", index + 1, key);
            return RFT_E_SCRIPT;
        }
    }
    if (!json_is_string(json_object_get(entry, "match"))) {
        rft_err_set(err, RFT_E_SCRIPT, "needs `match`, part of the device's name");
        rft_err_place(err, "devices[%zu]", index + 1);
        return RFT_E_SCRIPT;
    }
    return 0;
}

static bool differs(const json_t *entry, const char *key, int device) {
    const json_t *value = json_object_get(entry, key);
    return value != NULL && device > 0 && json_number_value(value) != device;
}

/* Drivers name the bus of a card as it is in use: an H200 says 6016 bits where 6144 are there. Other parts of the same
 * name differ by much more. */
static bool is_other_bus(const json_t *entry, const rft_gpu_info *gpu) {
    double sheet = json_number_value(json_object_get(entry, "bus_bits"));
    return sheet > 0 && gpu->memory_bus_bits > 0 && fabs(gpu->memory_bus_bits - sheet) > BUS_IN_USE_FRAC * sheet;
}

/* B/s; 0: the driver tells no clock or width. Its memory clock is half the data rate for every memory type it reports.
 */
static double bus_rate(const rft_gpu_info *gpu) {
    return gpu->memory_clock_khz > 0 && gpu->memory_bus_bits > 0
               ? 2.0 * gpu->memory_clock_khz * 1e3 * gpu->memory_bus_bits / 8.0
               : 0.0;
}

/* By how much the memory of the device is faster or slower than the sheet's; 0 where one of both is not known. What
 * drivers tell of a host's memory (LPDDR) nobody has checked. */
static double memory_differs_frac(const json_t *entry, const rft_gpu_info *gpu) {
    double sheet = json_number_value(json_object_get(entry, "dram")), told = bus_rate(gpu);
    const bool of_host = strstr(rft_json_text_or(entry, "memory", ""), "LPDDR") != NULL;
    return sheet > 0 && told > 0 && !of_host ? fabs(told / sheet - 1.0) : 0.0;
}

static bool is_for_laptops(const char *name) {
    return contains_words(name, "Laptop") || contains_words(name, "Max-Q");
}

/* "A10-24Q", "A100-1-5C": names of virtual GPUs end in the memory of their profile and its kind. */
static bool is_virtual(const char *name) {
    size_t end = strlen(name);
    if (end < 3 || !strchr("ABCQ", name[end - 1])) {
        return false;
    }
    size_t digits = end - 1;
    while (digits > 0 && isdigit((unsigned char)name[digits - 1])) {
        digits--;
    }
    return digits > 0 && digits < end - 1 && name[digits - 1] == '-';
}

/* NULL: it may have a sheet. */
static const char *no_sheet_because(const char *name) {
    return strstr(name, " MIG ") ? "this is a slice of a card (MIG): no sheet tells its rates"
           : is_virtual(name)    ? "this is a virtual GPU, which shares a card: no sheet tells its rates"
                                 : NULL;
}

/* Whether the entry speaks of this device: laptop parts share names with others, and so do parts of other sizes. */
static bool speaks_of(const json_t *entry, const rft_gpu_info *gpu) {
    const char *match = json_string_value(json_object_get(entry, "match"));
    bool other = is_for_laptops(gpu->name) && !is_for_laptops(match);
    return contains_words(gpu->name, match) && !other && !differs(entry, "sms", gpu->sms) &&
           !is_other_bus(entry, gpu) && memory_differs_frac(entry, gpu) <= MEMORY_RATE_FRAC;
}

/* The entry with the longest match; of several, that with the device's memory rate. NULL in *out when there is none, or
 * nothing tells which of several it is. Checks them all. */
static int find_entry(const json_t *table, const rft_gpu_info *gpu, const json_t **out, rft_err *err) {
    *out = NULL;
    size_t longest = 0;
    double nearest = 0.0;
    for (size_t i = 0; i < json_array_size(table); i++) {
        const json_t *entry = json_array_get(table, i);
        int code = check_entry(entry, i, err);
        if (code != 0) {
            return code;
        }
        const size_t length = strlen(json_string_value(json_object_get(entry, "match")));
        const double off = memory_differs_frac(entry, gpu);
        if (length < longest || !speaks_of(entry, gpu)) {
            continue;
        }
        if (length > longest || off < nearest) {
            *out = entry;
            nearest = off;
        } else if (off <= nearest) {
            *out = NULL;
        }
        longest = length;
    }
    return 0;
}

static void set_value(rft_ceiling *ceiling, double value, const char *basis) {
    ceiling->datasheet = value;
    ceiling->datasheet_basis = basis;
}

static void apply_entry(rft_ceilings *ceilings, const json_t *entry, rft_arena *arena) {
    const char *clock = rft_json_text_or(entry, "basis", "");
    const char *source = rft_json_text_or(entry, "source", "");
    const char *basis =
        rft_arena_printf(arena, "%s%s%s", clock, clock[0] != '\0' && source[0] != '\0' ? "; " : "", source);
    const json_t *dram = json_object_get(entry, "dram");
    for (size_t i = 0; dram != NULL && i < sizeof dram_mixes / sizeof *dram_mixes; i++) {
        set_value(&ceilings->items[dram_mixes[i]], json_number_value(dram), basis);
    }
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        const json_t *value = json_object_get(entry, rft_ceiling_name((rft_ceiling_id)i));
        if (value != NULL) {
            set_value(&ceilings->items[i], json_number_value(value), basis);
        }
    }
}

/* NULL in *entry when the table says nothing of the device. The caller releases *table. */
static int look_up(const char *json, const rft_gpu_info *gpu, json_t **table, const json_t **entry, rft_err *err) {
    *entry = NULL;
    int code = rft_json_parse(table, json, strlen(json), "devices", err);
    if (code != 0) {
        *table = NULL;
        return code;
    }
    /* A Lua table without entries reads as an object. */
    if (!json_is_array(*table) && json_object_size(*table) > 0) {
        code = rft_err_set(err, RFT_E_SCRIPT, "devices: expected a list of tables");
        return code != 0 ? code : RFT_E_SCRIPT;
    }
    code = find_entry(*table, gpu, entry, err);
    if (no_sheet_because(gpu->name)) {
        *entry = NULL;
    }
    return code;
}

int rft_datasheet_apply(rft_ceilings *ceilings, const rft_gpu_info *gpu, const char *json, rft_arena *arena,
                        rft_err *err) {
    json_t *table = NULL;
    const json_t *entry = NULL;
    int code = look_up(json, gpu, &table, &entry, err);
    if (code == 0 && entry != NULL) {
        apply_entry(ceilings, entry, arena);
    }
    json_decref(table);
    return code;
}

static double number_or_nan(const json_t *entry, const char *key) {
    const json_t *value = json_object_get(entry, key);
    return value != NULL ? json_number_value(value) : (double)NAN;
}

static const char *entry_text(const json_t *entry, const char *key, rft_arena *arena) {
    return rft_arena_strdup(arena, rft_json_text_or(entry, key, NULL));
}

int rft_datasheet_facts_of(rft_datasheet_facts *out, const rft_gpu_info *gpu, const char *json, rft_arena *arena,
                           rft_err *err) {
    json_t *table = NULL;
    const json_t *entry = NULL;
    int code = look_up(json, gpu, &table, &entry, err);
    const char *never = no_sheet_because(gpu->name);
    *out = (rft_datasheet_facts){
        .name = entry_text(entry, "name", arena),
        .source = entry_text(entry, "source", arena),
        .memory = entry_text(entry, "memory", arena),
        .reason = entry != NULL ? NULL
                  : never       ? never
                                : "kernels/lib/devices.lua has no entry for this device",
        .is_part = never != NULL,
        .dram = number_or_nan(entry, "dram"),
    };
    json_decref(table);
    return code;
}

/* ---- the hardware's own limits, from the device's clocks and widths ---- */

/* Per SM and clock. 0 = not known. */
typedef struct arch_widths {
    int cc;
    int fp16_lanes;                                                     /* FMA results, counting each half of a pair */
    int sfu_lanes;                                                      /* ex2 results */
    int tensor_fp64, tensor_tf32, tensor_half, tensor_fp8, tensor_int8; /* FLOP, dense */
    int l2_bytes;                                                       /* of the whole device, per clock */
} arch_widths;

/* fp16_lanes, sfu_lanes: CUDA C++ Programming Guide, throughput of native arithmetic instructions. Tensor cores:
 * whitepapers of V100, Turing, A100, GA102, Ada, H100, RTX Blackwell; the Blackwell Technical Brief's figures of a B200
 * by its SMs and clock, the power of two above. GeForce parts with FP32 accumulation reach half of them: a limit all
 * the same. L2 of GH100: what Nsight Compute takes as its peak. */
static const arch_widths widths[] = {
    {.cc = 70, .fp16_lanes = 128, .sfu_lanes = 16, .tensor_half = 1024},
    {.cc = 75, .fp16_lanes = 128, .sfu_lanes = 16, .tensor_half = 1024, .tensor_int8 = 2048},
    {.cc = 80,
     .fp16_lanes = 256,
     .sfu_lanes = 16,
     .tensor_fp64 = 128,
     .tensor_tf32 = 1024,
     .tensor_half = 2048,
     .tensor_int8 = 4096},
    {.cc = 86, .fp16_lanes = 128, .sfu_lanes = 16, .tensor_tf32 = 512, .tensor_half = 1024, .tensor_int8 = 2048},
    {.cc = 89,
     .fp16_lanes = 128,
     .sfu_lanes = 16,
     .tensor_tf32 = 512,
     .tensor_half = 1024,
     .tensor_fp8 = 2048,
     .tensor_int8 = 2048},
    {.cc = 90,
     .fp16_lanes = 256,
     .sfu_lanes = 16,
     .tensor_fp64 = 256,
     .tensor_tf32 = 2048,
     .tensor_half = 4096,
     .tensor_fp8 = 8192,
     .tensor_int8 = 8192,
     .l2_bytes = 5120},
    {.cc = 100,
     .fp16_lanes = 256,
     .sfu_lanes = 16,
     .tensor_fp64 = 128,
     .tensor_tf32 = 4096,
     .tensor_half = 8192,
     .tensor_fp8 = 16384,
     .tensor_int8 = 16384},
    /* Blackwell Ultra: FP64 and INT8 were cut, by how much is not published. */
    {.cc = 103, .fp16_lanes = 256, .tensor_tf32 = 4096, .tensor_half = 8192, .tensor_fp8 = 16384},
    {.cc = 120,
     .fp16_lanes = 128,
     .sfu_lanes = 16,
     .tensor_tf32 = 512,
     .tensor_half = 1024,
     .tensor_fp8 = 2048,
     .tensor_int8 = 2048},
    {.cc = 121,
     .fp16_lanes = 128,
     .sfu_lanes = 16,
     .tensor_tf32 = 512,
     .tensor_half = 1024,
     .tensor_fp8 = 2048,
     .tensor_int8 = 2048},
};

#define L1_BYTES 128 /* per SM and clock, L1 and shared memory alike, on every architecture from 7.0 on */

static void set_limit(rft_ceiling *ceiling, double limit, const char *basis) {
    ceiling->limit = limit > 0 ? limit : (double)NAN; /* a driver that tells no clock */
    ceiling->limit_basis = basis;
}

/* SMs x lanes x operations each x clock. */
static void set_lanes(rft_ceilings *ceilings, rft_ceiling_id id, const rft_gpu_info *gpu, int lanes, int ops,
                      rft_arena *arena) {
    int mhz = gpu->sm_clock_khz / 1000;
    if (lanes > 0 && mhz > 0 && gpu->sms > 0) {
        double limit = (double)gpu->sms * lanes * ops * gpu->sm_clock_khz * 1e3;
        set_limit(&ceilings->items[id], limit,
                  ops == 1 ? rft_arena_printf(arena, "%d SMs x %d x %d MHz", gpu->sms, lanes, mhz)
                           : rft_arena_printf(arena, "%d SMs x %d lanes x %d x %d MHz", gpu->sms, lanes, ops, mhz));
    }
}

static void set_memory(rft_ceilings *ceilings, const rft_gpu_info *gpu, rft_arena *arena) {
    static const rft_ceiling_id mixes[] = {RFT_CEILING_DRAM_READ, RFT_CEILING_DRAM_WRITE, RFT_CEILING_DRAM_COPY,
                                           RFT_CEILING_DRAM_2TO1};
    const double limit = bus_rate(gpu);
    if (limit <= 0) {
        return;
    }
    const char *basis =
        rft_arena_printf(arena, "%d MHz x 2 x %d bit", gpu->memory_clock_khz / 1000, gpu->memory_bus_bits);
    for (size_t i = 0; i < sizeof mixes / sizeof *mixes; i++) {
        set_limit(&ceilings->items[mixes[i]], limit, basis);
    }
}

/* The smaller Turings run products of matrices in their other units; only names tell them apart. */
static bool has_tensor_units(const rft_gpu_info *gpu) {
    static const char *const without[] = {"GTX",  "MX450", "MX550", "T400",  "T500",
                                          "T550", "T600",  "T1000", "T1200", "T2000"};
    bool has = true;
    for (size_t i = 0; i < sizeof without / sizeof *without; i++) {
        has = has && !contains_words(gpu->name, without[i]);
    }
    return has;
}

static void set_tensor_widths(rft_ceilings *ceilings, const rft_gpu_info *gpu, const arch_widths *width,
                              rft_arena *arena) {
    set_lanes(ceilings, RFT_CEILING_TENSOR_FP64, gpu, width->tensor_fp64, 1, arena);
    set_lanes(ceilings, RFT_CEILING_TENSOR_TF32, gpu, width->tensor_tf32, 1, arena);
    set_lanes(ceilings, RFT_CEILING_TENSOR_FP16, gpu, width->tensor_half, 1, arena);
    /* Turing's tensor cores know no bf16. */
    set_lanes(ceilings, RFT_CEILING_TENSOR_BF16, gpu, width->cc >= 80 ? width->tensor_half : 0, 1, arena);
    set_lanes(ceilings, RFT_CEILING_TENSOR_FP8, gpu, width->tensor_fp8, 1, arena);
    set_lanes(ceilings, RFT_CEILING_TENSOR_INT8, gpu, width->tensor_int8, 1, arena);
}

static void set_widths(rft_ceilings *ceilings, const rft_gpu_info *gpu, const arch_widths *width, rft_arena *arena) {
    set_lanes(ceilings, RFT_CEILING_FP16, gpu, width->fp16_lanes, 2, arena);
    set_lanes(ceilings, RFT_CEILING_SFU, gpu, width->sfu_lanes, 1, arena);
    if (has_tensor_units(gpu)) {
        set_tensor_widths(ceilings, gpu, width, arena);
    }
    if (width->l2_bytes > 0 && gpu->sm_clock_khz > 0) {
        set_limit(&ceilings->items[RFT_CEILING_L2_READ], (double)width->l2_bytes * gpu->sm_clock_khz * 1e3,
                  rft_arena_printf(arena, "%d B x %d MHz", width->l2_bytes, gpu->sm_clock_khz / 1000));
    }
}

/* Nothing is faster than its own limit: such a reading says that the kernel did not do what it was counted for. */
static void withdraw_impossible(rft_ceilings *ceilings, rft_arena *arena) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        rft_ceiling *ceiling = &ceilings->items[id];
        if (id != RFT_CEILING_LAUNCH && ceiling->measured && ceiling->stats.median > 1.03 * ceiling->limit) {
            char rate[48];
            char limit[48];
            rft_units_format_si(rate, sizeof rate, ceiling->stats.median, 3, rft_ceiling_unit((rft_ceiling_id)id));
            rft_units_format_si(limit, sizeof limit, ceiling->limit, 3, rft_ceiling_unit((rft_ceiling_id)id));
            ceiling->measured = false;
            ceiling->reason =
                rft_arena_printf(arena, "withdrawn: %s read, over the hardware's limit of %s", rate, limit);
        }
    }
}

void rft_limits_apply(rft_ceilings *ceilings, const rft_gpu_info *gpu, rft_arena *arena) {
    set_memory(ceilings, gpu, arena);
    set_lanes(ceilings, RFT_CEILING_FP32, gpu, rft_gpu_info_fp32_lanes(gpu), 2, arena);
    set_lanes(ceilings, RFT_CEILING_FP64, gpu, rft_gpu_info_fp64_lanes(gpu), 2, arena);
    if (gpu->cc_major >= 7) {
        set_lanes(ceilings, RFT_CEILING_L1_READ, gpu, L1_BYTES, 1, arena);
        set_lanes(ceilings, RFT_CEILING_SHARED_READ, gpu, L1_BYTES, 1, arena);
    }
    int cc = gpu->cc_major * 10 + gpu->cc_minor;
    for (size_t i = 0; i < sizeof widths / sizeof *widths; i++) {
        if (widths[i].cc == cc) {
            set_widths(ceilings, gpu, &widths[i], arena);
        }
    }
    withdraw_impossible(ceilings, arena);
}
