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
    "rft_fill_kernel",     "rft_convert_kernel",     "rft_magnitude_kernel",  "rft_compare_kernel",
    "rft_checksum_kernel", "rft_flush_write_kernel", "rft_flush_read_kernel", "rft_stamp_kernel",
    "rft_block_kernel",    "rft_empty_kernel",
};

static const unsigned char *const builtin_texts[] = {
    rft_embedded_fill_cu,  rft_embedded_convert_cu, rft_embedded_compare_cu, rft_embedded_flush_cu,
    rft_embedded_stamp_cu, rft_embedded_block_cu,   rft_embedded_empty_cu,
};

/* Layout of device/compare.cu. */
typedef struct magnitude_partial {
    double sum;
    uint64_t count;
} magnitude_partial;
typedef struct compare_partial {
    double worst;
    uint64_t index, wrong;
} compare_partial;
static_assert(sizeof(compare_partial) <= RFT_PARTIAL_BYTES, "room for partial results");

static int load(rft_protocol *p, const rft_kernel_group *group, const rft_compile_result *result, rft_module **module,
                rft_function **functions, rft_err *err) {
    if (!result->ok || result->entry_count != group->name_count) {
        return rft_err_set(err, RFT_E_COMPILER, "rooftune's own %s do not compile for %s:\n%s", group->title,
                           p->info.arch, result->log);
    }
    int rc = p->gpu->vt->module_load(p->gpu, result->cubin, result->cubin_bytes, module, err);
    for (size_t i = 0; rc == RFT_OK && i < group->name_count; i++) {
        rc = p->gpu->vt->function(p->gpu, *module, result->entries[i].symbol, &functions[i], err);
    }
    if (rc != RFT_OK) {
        rft_err_context(err, "loading rooftune's own %s", group->title);
    }
    return rc;
}

int rft_kernels_load(rft_protocol *p, const rft_kernel_group *group, rft_module **module, rft_function **functions,
                     rft_err *err) {
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, (const char *)rft_embedded_prelude_cuh);
    for (size_t i = 0; i < group->text_count; i++) {
        rft_str_add(&text, (const char *)group->texts[i]);
    }
    rft_compile_request request = {.source_name = group->title,
                                   .source_text = rft_str_get(&text),
                                   .names = group->names,
                                   .name_count = group->name_count,
                                   .arch = p->info.arch};
    rft_arena *arena = rft_arena_new();
    rft_compile_result result = {0};
    int rc = p->compiler->compile(p->compiler, &request, arena, &result, err);
    if (rc == RFT_OK) {
        rc = load(p, group, &result, module, functions, err);
    }
    rft_arena_free(arena);
    rft_str_clear(&text);
    return rc;
}

/* Runs once what is later queued behind the blocking kernel: code is loaded at its first launch, and that waits for the
 * stream. The blocking kernel itself finds its ticket there and ends at once. */
static int preload(rft_protocol *p, rft_err *err) {
    uint64_t none = 0;
    uint32_t slots = 0, word = 0;
    void *empty_values[] = {NULL};
    void *block_values[] = {&p->block_device, &p->ticket, &none};
    void *stamp_values[] = {&p->stamps, &slots, &none};
    void *flush_values[] = {&p->partials, &none, &word, &p->partials};
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

int rft_protocol_prepare(rft_protocol *p, rft_err *err) {
    if (p->ready) {
        return RFT_OK;
    }
    const rft_gpu_vt *vt = p->gpu->vt;
    rft_kernel_group group = {.title = "rooftune_kernels.cu",
                              .texts = builtin_texts,
                              .text_count = sizeof builtin_texts / sizeof *builtin_texts,
                              .names = builtin_names,
                              .name_count = RFT_BUILTIN_COUNT};
    void *host = NULL;
    int rc = rft_kernels_load(p, &group, &p->module, p->functions, err);
    if (rc == RFT_OK) {
        rc = vt->event_new(p->gpu, &p->start, err);
    }
    if (rc == RFT_OK) {
        rc = vt->event_new(p->gpu, &p->stop, err);
    }
    if (rc == RFT_OK) {
        rc = vt->mapped(p->gpu, 2 * sizeof(uint32_t), &host, &p->block_device, err);
        p->block_words = host;
    }
    if (rc == RFT_OK) {
        rc = vt->alloc(p->gpu, 2ull * RFT_STAMP_SLOTS * 32, &p->stamps, err);
    }
    if (rc == RFT_OK) {
        rc = vt->alloc(p->gpu, (uint64_t)RFT_PARTIAL_COUNT * RFT_PARTIAL_BYTES, &p->partials, err);
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

static const rft_grid reducing = {RFT_PARTIAL_BLOCKS, RFT_PARTIAL_THREADS};

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

/* Runs a reducing kernel and reads its partial results (heap). */
static int reduce(rft_protocol *p, rft_builtin which, void **values, size_t partial_bytes, void **out, rft_err *err) {
    size_t bytes = RFT_PARTIAL_COUNT * partial_bytes;
    *out = rft_alloc(bytes);
    int rc = rft_kernel_launch(p, p->functions[which], reducing, values, err);
    return rc == RFT_OK ? p->gpu->vt->read(p->gpu, *out, p->partials, bytes, err) : rc;
}

int rft_kernel_checksum(rft_protocol *p, rft_device_ptr data, uint64_t bytes, uint64_t *out, rft_err *err) {
    uint64_t words = bytes / sizeof(uint64_t);
    void *values[] = {&data, &words, &p->partials}, *partials = NULL;
    int rc = reduce(p, RFT_BUILTIN_CHECKSUM, values, sizeof(uint64_t), &partials, err);
    *out = 0;
    for (size_t i = 0; rc == RFT_OK && i < RFT_PARTIAL_COUNT; i++) {
        *out += ((const uint64_t *)partials)[i];
    }
    free(partials);
    return rc;
}

/* Mean |reference|: the absolute part of the tolerance. */
static int scale_of(rft_protocol *p, const rft_comparison *comparison, int want_type, double *scale, rft_err *err) {
    rft_device_ptr want = comparison->want;
    uint64_t count = comparison->count;
    void *values[] = {&want, &want_type, &count, &p->partials}, *partials = NULL;
    int rc = reduce(p, RFT_BUILTIN_MAGNITUDE, values, sizeof(magnitude_partial), &partials, err);
    double sum = 0.0;
    uint64_t finite = 0;
    for (size_t i = 0; rc == RFT_OK && i < RFT_PARTIAL_COUNT; i++) {
        sum += ((const magnitude_partial *)partials)[i].sum;
        finite += ((const magnitude_partial *)partials)[i].count;
    }
    free(partials);
    *scale = finite ? sum / (double)finite : 0.0;
    return rc;
}

/* Reads one element as a number, by converting it on the device: the types are decoded in one place. */
static int element(rft_protocol *p, rft_device_ptr data, rft_type type, uint64_t index, double *out, rft_err *err) {
    int rc = rft_kernel_convert(p, p->partials, data + index * rft_type_bytes(type), type, 1, err);
    return rc == RFT_OK ? p->gpu->vt->read(p->gpu, out, p->partials, sizeof *out, err) : rc;
}

int rft_kernel_compare(rft_protocol *p, const rft_comparison *comparison, rft_difference *out, rft_err *err) {
    bool whole = rft_type_significand_bits(comparison->type) == 0;
    rft_type want_type = whole ? comparison->type : RFT_TYPE_F64;
    int got_number = (int)comparison->type, want_number = (int)want_type;
    rft_device_ptr got = comparison->got, want = comparison->want;
    uint64_t count = comparison->count;
    double tol = comparison->tol, scale = 0.0;
    void *partials = NULL;
    *out = (rft_difference){.worst_frac = -1.0};
    int rc = scale_of(p, comparison, want_number, &scale, err);
    if (rc == RFT_OK) {
        void *values[] = {&got, &got_number, &want, &want_number, &count, &tol, &scale, &p->partials};
        rc = reduce(p, RFT_BUILTIN_COMPARE, values, sizeof(compare_partial), &partials, err);
    }
    for (size_t i = 0; rc == RFT_OK && i < RFT_PARTIAL_COUNT; i++) {
        const compare_partial *partial = (const compare_partial *)partials + i;
        out->wrong_count += partial->wrong;
        bool earlier = partial->worst == out->worst_frac && partial->index < out->index;
        if (partial->worst > out->worst_frac || (earlier && partial->worst >= 0.0)) {
            out->worst_frac = partial->worst;
            out->index = partial->index;
        }
    }
    free(partials);
    if (rc == RFT_OK) {
        rc = element(p, got, comparison->type, out->index, &out->got, err);
    }
    return rc == RFT_OK ? element(p, want, want_type, out->index, &out->want, err) : rc;
}
