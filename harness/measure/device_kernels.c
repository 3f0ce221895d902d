/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/device_kernels.h"
#include "measure/embedded.h"

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
static_assert(RFT_GUARD_BYTES == 65536 && RFT_GUARD_AREAS == 192 && sizeof(rft_guard_area) == 16,
              "device/guard.cu says the same");

static const char *const builtin_names[RFT_BUILTIN_COUNT] = {
    "rft_fill_kernel",        "rft_convert_kernel",    "rft_magnitude_kernel",  "rft_compare_kernel",
    "rft_checksum_kernel",    "rft_fold_kernel",       "rft_guard_mark_kernel", "rft_guard_check_kernel",
    "rft_flush_write_kernel", "rft_flush_read_kernel", "rft_stamp_kernel",      "rft_block_kernel",
    "rft_empty_kernel",
};

static const unsigned char *const seeding_texts[] = {rft_embedded_fill_cu, rft_embedded_convert_cu};
static const unsigned char *const judging_texts[] = {rft_embedded_partials_cuh, rft_embedded_compare_cu};
static const unsigned char *const folding_texts[] = {rft_embedded_guard_cu, rft_embedded_partials_cuh,
                                                     rft_embedded_fold_cu};
static const unsigned char *const timing_texts[] = {rft_embedded_flush_cu, rft_embedded_stamp_cu, rft_embedded_block_cu,
                                                    rft_embedded_empty_cu};

#define TEXTS(texts) texts, sizeof(texts) / sizeof *(texts)
#define NAMES(first, end) builtin_names + (first), (end) - (first)
const rft_kernel_group rft_builtin_groups[RFT_BUILTIN_GROUPS] = {
    {"rooftune_seeding.cu", TEXTS(seeding_texts), NAMES(RFT_BUILTIN_FILL, RFT_BUILTIN_MAGNITUDE), 0},
    {"rooftune_judging.cu", TEXTS(judging_texts), NAMES(RFT_BUILTIN_MAGNITUDE, RFT_BUILTIN_CHECKSUM), 0},
    {"rooftune_folding.cu", TEXTS(folding_texts), NAMES(RFT_BUILTIN_CHECKSUM, RFT_BUILTIN_FLUSH_WRITE), 0},
    {"rooftune_timing.cu", TEXTS(timing_texts), NAMES(RFT_BUILTIN_FLUSH_WRITE, RFT_BUILTIN_COUNT), 0},
};

static int load_group(rft_protocol *p, const rft_kernel_group *group, const rft_compile_result *result,
                      rft_module **module, rft_function **functions, rft_err *err) {
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
        rc = load_group(p, group, &result, module, functions, err);
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
    void *block_values[] = {&p->sampling.block_device, &p->sampling.ticket, &none};
    void *stamp_values[] = {&p->builtins.partials, &slots, &none};
    void *flush_values[] = {&p->builtins.partials, &none, &word, &p->builtins.partials, &p->builtins.partials};
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
        rc = rft_kernel_launch(p, p->builtins.functions[rows[i].which], (rft_grid_1d){1, 32}, rows[i].values, err);
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
        p->sampling.block_words = host;
        p->sampling.block_device = device;
        for (size_t i = 0; i < RFT_SHOTS; i++) {
            p->sampling.shots[i].stamps = (const char *)host + flag_bytes + i * stamp_bytes;
            p->sampling.shots[i].stamps_device = device + flag_bytes + i * stamp_bytes;
        }
    }
    return rc;
}

static int make_events(rft_protocol *p, rft_err *err) {
    rft_event **events[3 * RFT_SHOTS + 2 * RFT_SPAN_COUNT];
    size_t count = 0;
    int rc = RFT_OK;
    for (size_t i = 0; i < RFT_SHOTS; i++) {
        events[count++] = &p->sampling.shots[i].start;
        events[count++] = &p->sampling.shots[i].stop;
        events[count++] = &p->sampling.shots[i].done;
    }
    for (size_t i = 0; i < RFT_SPAN_COUNT; i++) {
        events[count++] = &p->busy.spans[i].start;
        events[count++] = &p->busy.spans[i].stop;
    }
    for (size_t i = 0; rc == RFT_OK && i < count; i++) {
        rc = p->gpu->vt->event_new(p->gpu, events[i], err);
    }
    return rc;
}

static int load_builtins(rft_protocol *p, rft_err *err) {
    rft_function **functions = p->builtins.functions;
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < RFT_BUILTIN_GROUPS; i++) {
        if (!p->builtins.modules[i]) { /* what an attempt before this one has loaded is good */
            rc = rft_kernels_load(p, &rft_builtin_groups[i], &p->builtins.modules[i], functions, err);
        }
        functions += rft_builtin_groups[i].name_count;
    }
    return rc;
}

int rft_kernels_prepare(rft_protocol *p, rft_err *err) {
    if (p->builtins.ready) {
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
        rc = p->gpu->vt->alloc(p->gpu, (uint64_t)(RFT_PARTIAL_COUNT + RFT_HALF_COUNT) * RFT_PARTIAL_BYTES,
                               &p->builtins.partials, err);
    }
    if (rc == RFT_OK) {
        rc = preload(p, err);
    }
    p->builtins.ready = rc == RFT_OK;
    return rc;
}

int rft_kernel_launch(rft_protocol *p, rft_function *function, rft_grid_1d grid, void **values, rft_err *err) {
    rft_gpu_launch launch = {.function = function,
                             .grid = {grid.blocks, 1, 1},
                             .block = {grid.threads, 1, 1},
                             .cluster = {1, 1, 1},
                             .values = values};
    return p->gpu->vt->launch(p->gpu, &launch, err);
}

/* Enough blocks to keep every SM busy, each thread taking several elements. */
static rft_grid_1d elementwise(const rft_protocol *p, uint64_t count) {
    uint64_t blocks = (count + 255) / 256, most = (uint64_t)p->info.sms * 16;
    return (rft_grid_1d){(unsigned)(blocks < most ? blocks : most), 256};
}

/* What two hexadecimal digits a byte say. */
static int write_given(rft_protocol *p, const rft_buffer *buffer, rft_device_ptr to, rft_err *err) {
    size_t count = (size_t)(buffer->count * rft_type_bytes(buffer->type));
    unsigned char *bytes = rft_alloc(count);
    int rc = rft_text_to_bytes(buffer->fill.identity, bytes, count)
                 ? p->gpu->vt->write(p->gpu, to, bytes, count, err)
                 : rft_err_set(err, RFT_E_INTERNAL, "the contents of %s are no bytes", buffer->name);
    free(bytes);
    return rc;
}

int rft_kernel_fill(rft_protocol *p, const rft_buffer *buffer, uint64_t seed, rft_device_ptr to, rft_err *err) {
    uint64_t key = rft_fill_seed(buffer->name, seed);
    uint64_t count = buffer->count;
    int type = (int)buffer->type, kind = (int)buffer->fill.kind, order = (int)buffer->fill.order;
    double low = buffer->fill.low, high = buffer->fill.high;
    long long below = buffer->fill.below;
    if (buffer->fill.kind == RFT_FILL_NONE) {
        return p->gpu->vt->set(p->gpu, to, 0, count * rft_type_bytes(buffer->type), err);
    }
    if (buffer->fill.kind == RFT_FILL_GIVEN) {
        return write_given(p, buffer, to, err);
    }
    void *values[] = {&to, &count, &type, &kind, &order, &low, &high, &below, &key};
    return rft_kernel_launch(p, p->builtins.functions[RFT_BUILTIN_FILL], elementwise(p, count), values, err);
}

int rft_kernel_convert(rft_protocol *p, rft_device_ptr to, rft_device_ptr from, rft_type type, uint64_t count,
                       rft_err *err) {
    int type_number = (int)type;
    void *values[] = {&to, &from, &type_number, &count};
    return rft_kernel_launch(p, p->builtins.functions[RFT_BUILTIN_CONVERT], elementwise(p, count), values, err);
}

/* ---- verdicts: of 65,536 partial results of a reducing kernel 32 reach the host, read all at once ---- */

/* Layouts and numbers of device/compare.cu and device/guard.cu. */
typedef struct magnitude_partial {
    double sum;
    uint64_t count;
} magnitude_partial;
typedef struct compare_partial {
    double worst, squares;
    uint64_t index, wrong;
    double got, want;
} compare_partial;
typedef struct guard_partial {
    uint64_t distance, band, changed;
} guard_partial;
static_assert(sizeof(compare_partial) <= RFT_PARTIAL_BYTES, "room for partial results");
static_assert(RFT_PARTIAL_COUNT % RFT_HALF_COUNT == 0 && RFT_HALF_COUNT % RFT_VERDICT_COUNT == 0,
              "folds come out even");
enum { FOLD_MAGNITUDE, FOLD_COMPARE, FOLD_CHECKSUM, FOLD_GUARD };

static const rft_grid_1d reducing = {RFT_PARTIAL_BLOCKS, RFT_PARTIAL_THREADS};

int rft_verdicts_take(rft_protocol *p, size_t slots, rft_err *err) {
    if (slots <= p->builtins.verdict_capacity) {
        return RFT_OK;
    }
    size_t capacity = slots < 16 ? 16 : slots;
    rft_device_ptr memory = 0;
    int rc = p->gpu->vt->alloc(p->gpu, capacity * RFT_VERDICT_BYTES, &memory, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (p->builtins.verdicts_device) {
        p->gpu->vt->free(p->gpu, p->builtins.verdicts_device);
    }
    p->builtins.verdicts_device = memory;
    p->builtins.verdicts = rft_realloc(p->builtins.verdicts, capacity, RFT_VERDICT_BYTES);
    p->builtins.verdict_capacity = capacity;
    return RFT_OK;
}

static int fold(rft_protocol *p, int what, rft_device_ptr from, rft_device_ptr to, rft_grid_1d grid, uint32_t per,
                rft_err *err) {
    void *values[] = {&what, &from, &per, &to};
    return rft_kernel_launch(p, p->builtins.functions[RFT_BUILTIN_FOLD], grid, values, err);
}

/* A reducing kernel, which writes to p->builtins.partials, and its two folds. One after the other: the stream keeps
 * order. */
static int reduce(rft_protocol *p, rft_builtin which, void **values, int what, size_t slot, rft_err *err) {
    rft_device_ptr half = p->builtins.partials + (uint64_t)RFT_PARTIAL_COUNT * RFT_PARTIAL_BYTES;
    rft_device_ptr verdict = p->builtins.verdicts_device + slot * RFT_VERDICT_BYTES;
    int rc = rft_kernel_launch(p, p->builtins.functions[which], reducing, values, err);
    if (rc == RFT_OK) {
        rft_grid_1d spread = {RFT_HALF_COUNT / 32, 32}; /* over as many SMs as there are blocks: each reads little */
        rc = fold(p, what, p->builtins.partials, half, spread, RFT_PARTIAL_COUNT / RFT_HALF_COUNT, err);
    }
    if (rc == RFT_OK) {
        rc = fold(p, what, half, verdict, (rft_grid_1d){1, RFT_VERDICT_COUNT}, RFT_HALF_COUNT / RFT_VERDICT_COUNT, err);
    }
    return rc;
}

static rft_type want_type(const rft_comparison *comparison) {
    return rft_type_significand_bits(comparison->type) == 0 ? comparison->type : RFT_TYPE_F64;
}

int rft_verdicts_queue_compare(rft_protocol *p, const rft_comparison *comparison, size_t slot, rft_err *err) {
    rft_comparison c = *comparison;
    int got_number = (int)c.type, want_number = (int)want_type(comparison);
    void *values[] = {&c.got, &got_number, &c.want, &want_number, &c.count, &c.tol, &c.scale, &p->builtins.partials};
    return reduce(p, RFT_BUILTIN_COMPARE, values, FOLD_COMPARE, slot, err);
}

int rft_verdicts_queue_checksum(rft_protocol *p, rft_device_ptr data, uint64_t bytes, size_t slot, rft_err *err) {
    void *values[] = {&data, &bytes, &p->builtins.partials};
    return reduce(p, RFT_BUILTIN_CHECKSUM, values, FOLD_CHECKSUM, slot, err);
}

int rft_verdicts_queue_scale(rft_protocol *p, const rft_comparison *comparison, size_t slot, rft_err *err) {
    rft_comparison c = *comparison;
    int want_number = (int)want_type(comparison);
    void *values[] = {&c.want, &want_number, &c.count, &p->builtins.partials};
    return reduce(p, RFT_BUILTIN_MAGNITUDE, values, FOLD_MAGNITUDE, slot, err);
}

/* NaN alone does not equal itself. */
int rft_verdicts_queue_nan(rft_protocol *p, rft_device_ptr data, rft_type type, uint64_t count, size_t slot,
                           rft_err *err) {
    int number = (int)type;
    double tol = 0.0, scale = 0.0;
    void *values[] = {&data, &number, &data, &number, &count, &tol, &scale, &p->builtins.partials};
    return reduce(p, RFT_BUILTIN_COMPARE, values, FOLD_COMPARE, slot, err);
}

int rft_verdicts_read(rft_protocol *p, size_t slots, rft_err *err) {
    return p->gpu->vt->read(p->gpu, p->builtins.verdicts, p->builtins.verdicts_device, slots * RFT_VERDICT_BYTES, err);
}

static const void *verdict_of(const rft_protocol *p, size_t slot) {
    return p->builtins.verdicts + slot * RFT_VERDICT_BYTES;
}

rft_difference rft_verdict_difference(const rft_protocol *p, size_t slot) {
    const compare_partial *partials = verdict_of(p, slot);
    rft_difference out = {.worst_frac = -1.0};
    for (size_t i = 0; i < RFT_VERDICT_COUNT; i++) {
        const compare_partial *partial = &partials[i];
        bool earlier = partial->worst == out.worst_frac && partial->index < out.index;
        out.wrong_count += partial->wrong;
        out.squares += partial->squares;
        if (partial->worst > out.worst_frac || (earlier && partial->worst >= 0.0)) {
            out.worst_frac = partial->worst;
            out.index = partial->index;
            out.got = partial->got;
            out.want = partial->want;
        }
    }
    return out;
}

uint64_t rft_verdict_checksum(const rft_protocol *p, size_t slot) {
    const uint64_t *partials = verdict_of(p, slot);
    uint64_t sum = 0;
    for (size_t i = 0; i < RFT_VERDICT_COUNT; i++) {
        sum += partials[i];
    }
    return sum;
}

double rft_verdict_scale(const rft_protocol *p, size_t slot) {
    const magnitude_partial *partials = verdict_of(p, slot);
    double sum = 0.0;
    uint64_t finite = 0;
    for (size_t i = 0; i < RFT_VERDICT_COUNT; i++) {
        sum += partials[i].sum;
        finite += partials[i].count;
    }
    return finite ? sum / (double)finite : 0.0;
}

int rft_kernel_checksum(rft_protocol *p, rft_device_ptr data, uint64_t bytes, uint64_t *out, rft_err *err) {
    int rc = rft_verdicts_take(p, 1, err);
    if (rc == RFT_OK) {
        rc = rft_verdicts_queue_checksum(p, data, bytes, 0, err);
    }
    if (rc == RFT_OK) {
        rc = rft_verdicts_read(p, 1, err);
    }
    *out = rc == RFT_OK ? rft_verdict_checksum(p, 0) : 0;
    return rc;
}

/* ---- bands ---- */

typedef struct guard_list {
    rft_guard_area areas[RFT_GUARD_AREAS];
} guard_list;

static guard_list list_of(const rft_guard_area *areas, size_t count) {
    guard_list list = {0};
    assert(count <= RFT_GUARD_AREAS);
    memcpy(list.areas, areas, count * sizeof *areas);
    return list;
}

int rft_kernel_mark_guards(rft_protocol *p, const rft_guard_area *areas, size_t count, rft_err *err) {
    guard_list list = list_of(areas, count);
    uint32_t how_many = (uint32_t)count;
    void *values[] = {&list, &how_many};
    return rft_kernel_launch(p, p->builtins.functions[RFT_BUILTIN_GUARD_MARK], reducing, values, err);
}

int rft_verdicts_queue_guards(rft_protocol *p, const rft_guard_area *areas, size_t count, size_t slot, rft_err *err) {
    guard_list list = list_of(areas, count);
    uint32_t how_many = (uint32_t)count;
    void *values[] = {&list, &how_many, &p->builtins.partials};
    return reduce(p, RFT_BUILTIN_GUARD_CHECK, values, FOLD_GUARD, slot, err);
}

rft_trespass rft_verdict_trespass(const rft_protocol *p, size_t slot) {
    const guard_partial *partials = verdict_of(p, slot);
    guard_partial all = {UINT64_MAX, UINT64_MAX, 0};
    for (size_t i = 0; i < RFT_VERDICT_COUNT; i++) {
        const guard_partial *one = &partials[i];
        if (one->distance < all.distance || (one->distance == all.distance && one->band < all.band)) {
            all.distance = one->distance;
            all.band = one->band;
        }
        all.changed += one->changed;
    }
    return (rft_trespass){.changed_bytes = all.changed,
                          .area = (size_t)(all.band / 2),
                          .behind = all.band % 2 != 0,
                          .distance = all.distance};
}
