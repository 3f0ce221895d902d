/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/embedded.h"
#include "measure/protocol.h"

#include "base/hash.h"
#include "base/str.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* device/prelude.cuh names the types by these numbers. */
static_assert(RFT_TYPE_F64 == 0 && RFT_TYPE_E5M2 == 5 && RFT_TYPE_I8 == 6 && RFT_TYPE_U64 == 13 && RFT_TYPE_COUNT == 14,
              "device/prelude.cuh numbers the element types");
static_assert(RFT_FILL_UNIFORM == 1 && RFT_ORDER_SORTED == 1 && RFT_ORDER_ZIPF == 2,
              "device/fill.cu numbers fills and orders");

static const char *const builtin_names[RFT_BUILTIN_COUNT] = {
    "rft_fill_kernel",     "rft_convert_kernel", "rft_magnitude_kernel",   "rft_compare_kernel",
    "rft_checksum_kernel", "rft_fold_kernel",    "rft_flush_write_kernel", "rft_flush_read_kernel",
    "rft_stamp_kernel",    "rft_block_kernel",   "rft_empty_kernel",
};

static const unsigned char *const seeding_texts[] = {rft_embedded_fill_cu, rft_embedded_convert_cu};
static const unsigned char *const judging_texts[] = {rft_embedded_compare_cu};
static const unsigned char *const timing_texts[] = {rft_embedded_flush_cu, rft_embedded_stamp_cu, rft_embedded_block_cu,
                                                    rft_embedded_empty_cu};

#define TEXTS(texts) texts, sizeof(texts) / sizeof *(texts)
#define NAMES(first, end) builtin_names + (first), (end) - (first)
const rft_kernel_group rft_builtin_groups[RFT_BUILTIN_GROUPS] = {
    {"rooftune_seeding.cu", TEXTS(seeding_texts), NAMES(RFT_BUILTIN_FILL, RFT_BUILTIN_MAGNITUDE), 0},
    {"rooftune_judging.cu", TEXTS(judging_texts), NAMES(RFT_BUILTIN_MAGNITUDE, RFT_BUILTIN_FLUSH_WRITE), 0},
    {"rooftune_timing.cu", TEXTS(timing_texts), NAMES(RFT_BUILTIN_FLUSH_WRITE, RFT_BUILTIN_COUNT), 0},
};

static int load(rft_protocol *p, const rft_kernel_group *group, const rft_compile_result *result, rft_module **module,
                rft_function **functions, rft_err *err) {
    if (!result->ok || result->entry_count != group->name_count) {
        return rft_err_set(err, RFT_E_COMPILER, "rooftune's own %s do not compile for %s:\n%s", group->title,
                           p->info.arch, result->log);
    }
    int rc = p->gpu->vt->module_load(p->gpu, result->cubin, result->cubin_bytes, module, err);
    bool loaded = rc == RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < group->name_count; i++) {
        rc = p->gpu->vt->function(p->gpu, *module, result->entries[i].symbol, &functions[i], err);
    }
    if (rc != RFT_OK) {
        if (loaded) {
            p->gpu->vt->module_free(p->gpu, *module);
        }
        *module = NULL;
        rft_err_context(err, "loading rooftune's own %s", group->title);
    }
    return rc;
}

rft_compile_request rft_kernels_request(const rft_kernel_group *group, const char *arch, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, (const char *)rft_embedded_prelude_cuh);
    for (size_t i = 0; i < group->text_count; i++) {
        rft_str_add(&text, (const char *)group->texts[i]);
    }
    rft_compile_request request = {.source_name = group->title,
                                   .source_text = rft_arena_strdup(arena, rft_str_get(&text)),
                                   .names = group->names,
                                   .name_count = group->name_count,
                                   .arch = arch};
    rft_str_clear(&text);
    return request;
}

int rft_kernels_load(rft_protocol *p, const rft_kernel_group *group, rft_module **module, rft_function **functions,
                     rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_compile_request request = rft_kernels_request(group, p->info.arch, arena);
    rft_compile_result result = {0};
    int rc = p->compiler->compile(p->compiler, &request, arena, &result, err);
    if (rc == RFT_OK) {
        rc = load(p, group, &result, module, functions, err);
    }
    rft_arena_free(arena);
    return rc;
}

/* Runs once what is later queued behind the blocking kernel: code is loaded at its first launch, and that waits for the
 * stream. The blocking kernel itself finds its ticket there and ends at once. */
static int preload(rft_protocol *p, rft_err *err) {
    uint64_t none = 0;
    uint32_t slots = 0, word = 0;
    void *empty_values[] = {NULL};
    void *block_values[] = {&p->block_device, &p->ticket, &none};
    void *stamp_values[] = {&p->partials, &slots, &none};
    void *flush_values[] = {&p->partials, &none, &word, &p->partials, &p->partials};
    const struct {
        rft_builtin which;
        void **values;
    } rows[] = {{RFT_BUILTIN_BLOCK, block_values},
                {RFT_BUILTIN_STAMP, stamp_values},
                {RFT_BUILTIN_EMPTY, empty_values},
                {RFT_BUILTIN_FLUSH_WRITE, flush_values},
                {RFT_BUILTIN_FLUSH_READ, flush_values}};
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < sizeof rows / sizeof *rows; i++) {
        rc = rft_kernel_launch(p, p->functions[rows[i].which], (rft_grid){1, 32}, rows[i].values, err);
    }
    return rc == RFT_OK ? p->gpu->vt->sync(p->gpu, err) : rc;
}

/* The flags of the blocking kernel, then the stamps of each shot, in one piece of mapped memory. */
static int map_words(rft_protocol *p, rft_err *err) {
    const size_t flag_bytes = 256, stamp_bytes = 2 * (size_t)RFT_STAMP_SLOTS * RFT_STAMP_BYTES;
    void *host = NULL;
    rft_device_ptr device = 0;
    int rc = p->gpu->vt->mapped(p->gpu, flag_bytes + RFT_SHOTS * stamp_bytes, &host, &device, err);
    if (rc == RFT_OK) {
        p->block_words = host;
        p->block_device = device;
        for (size_t i = 0; i < RFT_SHOTS; i++) {
            p->shots[i].stamps = (const char *)host + flag_bytes + i * stamp_bytes;
            p->shots[i].stamps_device = device + flag_bytes + i * stamp_bytes;
        }
    }
    return rc;
}

static int make_events(rft_protocol *p, rft_err *err) {
    rft_event **events[3 * RFT_SHOTS + 2 * RFT_SPAN_COUNT];
    size_t count = 0;
    int rc = RFT_OK;
    for (size_t i = 0; i < RFT_SHOTS; i++) {
        events[count++] = &p->shots[i].start;
        events[count++] = &p->shots[i].stop;
        events[count++] = &p->shots[i].done;
    }
    for (size_t i = 0; i < RFT_SPAN_COUNT; i++) {
        events[count++] = &p->spans[i].start;
        events[count++] = &p->spans[i].stop;
    }
    for (size_t i = 0; rc == RFT_OK && i < count; i++) {
        rc = p->gpu->vt->event_new(p->gpu, events[i], err);
    }
    return rc;
}

static int load_builtins(rft_protocol *p, rft_err *err) {
    rft_function **functions = p->functions;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < RFT_BUILTIN_GROUPS; i++) {
        if (!p->modules[i]) { /* what an attempt before this one has loaded is good */
            rc = rft_kernels_load(p, &rft_builtin_groups[i], &p->modules[i], functions, err);
        }
        functions += rft_builtin_groups[i].name_count;
    }
    return rc;
}

int rft_protocol_prepare(rft_protocol *p, rft_err *err) {
    if (p->ready) {
        return RFT_OK;
    }
    int rc = load_builtins(p, err);
    if (rc == RFT_OK) {
        rc = make_events(p, err);
    }
    if (rc == RFT_OK) {
        rc = map_words(p, err);
    }
    if (rc == RFT_OK) {
        rc = p->gpu->vt->alloc(p->gpu, (uint64_t)(RFT_PARTIAL_COUNT + RFT_HALF_COUNT) * RFT_PARTIAL_BYTES, &p->partials,
                               err);
    }
    if (rc == RFT_OK) {
        rc = preload(p, err);
    }
    p->ready = rc == RFT_OK;
    return rc;
}

int rft_kernel_launch(rft_protocol *p, rft_function *function, rft_grid grid, void **values, rft_err *err) {
    rft_gpu_launch launch = {.function = function,
                             .grid = {grid.blocks, 1, 1},
                             .block = {grid.threads, 1, 1},
                             .cluster = {1, 1, 1},
                             .values = values};
    return p->gpu->vt->launch(p->gpu, &launch, err);
}

/* Enough blocks to keep every SM busy, each thread taking several elements. */
static rft_grid elementwise(const rft_protocol *p, uint64_t count) {
    uint64_t blocks = (count + 255) / 256, most = (uint64_t)p->info.sms * 16;
    return (rft_grid){(unsigned)(blocks < most ? blocks : most), 256};
}

int rft_kernel_fill(rft_protocol *p, const rft_buffer *buffer, uint64_t seed, rft_device_ptr to, rft_err *err) {
    uint64_t state = seed;
    uint64_t key = rft_random_next(&state) ^ rft_hash_fnv1a(buffer->name, strlen(buffer->name));
    uint64_t count = buffer->count;
    int type = (int)buffer->type, kind = (int)buffer->fill.kind, order = (int)buffer->fill.order;
    double low = buffer->fill.low, high = buffer->fill.high;
    long long below = buffer->fill.below;
    if (buffer->fill.kind == RFT_FILL_NONE) {
        return p->gpu->vt->set(p->gpu, to, 0, count * rft_type_bytes(buffer->type), err);
    }
    void *values[] = {&to, &count, &type, &kind, &order, &low, &high, &below, &key};
    return rft_kernel_launch(p, p->functions[RFT_BUILTIN_FILL], elementwise(p, count), values, err);
}

int rft_kernel_convert(rft_protocol *p, rft_device_ptr to, rft_device_ptr from, rft_type type, uint64_t count,
                       rft_err *err) {
    int type_number = (int)type;
    void *values[] = {&to, &from, &type_number, &count};
    return rft_kernel_launch(p, p->functions[RFT_BUILTIN_CONVERT], elementwise(p, count), values, err);
}
