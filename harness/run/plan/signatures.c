/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan/signatures.h"

#include "base/str.h"
#include "model/sweep/arguments.h"

#include <string.h>

static void read_signature(rft_signature *out, const rft_compile_result *compiled, const rft_compiled_entry *entry) {
    uint32_t sizes[RFT_PARAMS_MAX];
    size_t count = rft_cubin_params(compiled->cubin, compiled->cubin_bytes, entry->symbol, sizes, RFT_PARAMS_MAX);
    rft_signature_read(out, entry->name, entry->symbol, sizes, count);
}

/* 0 asks for nothing. */
static bool differs(const uint32_t asked[3], const int64_t given[3]) {
    return asked[0] > 0 && (asked[0] != given[0] || asked[1] != given[1] || asked[2] != given[2]);
}

static bool has_cluster(const rft_launch *launch) {
    return launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1;
}

/* What the code was compiled for, against the launch's shape. */
static const char *shape_wrong(const rft_launch *launch, const rft_kernel_needs *needs, rft_arena *arena) {
    const int64_t *block = launch->block, *cluster = launch->cluster;
    int64_t threads = block[0] * block[1] * block[2];
    if (differs(needs->block, block)) {
        return rft_arena_printf(arena, "block is %lld x %lld x %lld: %s was compiled for %u x %u x %u and no other",
                                (long long)block[0], (long long)block[1], (long long)block[2], launch->entry,
                                needs->block[0], needs->block[1], needs->block[2]);
    }
    if (needs->threads_max > 0 && (uint64_t)threads > needs->threads_max) {
        return rft_arena_printf(arena, "block has %lld threads: %s was compiled for %llu at most (__launch_bounds__)",
                                (long long)threads, launch->entry, (unsigned long long)needs->threads_max);
    }
    if (has_cluster(launch) && differs(needs->cluster, cluster)) {
        return rft_arena_printf(arena, "cluster is %lld x %lld x %lld: %s was compiled for %u x %u x %u",
                                (long long)cluster[0], (long long)cluster[1], (long long)cluster[2], launch->entry,
                                needs->cluster[0], needs->cluster[1], needs->cluster[2]);
    }
    for (size_t i = 0; i < 3; i++) {
        if (needs->cluster[i] > 1 && launch->grid[i] % needs->cluster[i] != 0) {
            return rft_arena_printf(arena, "grid.%c is %lld: %s was compiled for clusters of %u x %u x %u", "xyz"[i],
                                    (long long)launch -> grid[i], launch -> entry, needs -> cluster[0],
                                    needs -> cluster[1], needs -> cluster[2]);
        }
    }
    return NULL;
}

static const rft_compiled_entry *entry_of(const rft_launch *launch, const rft_compile_result *compiled) {
    for (size_t i = 0; launch->kind == RFT_LAUNCH_KERNEL && i < compiled->entry_count; i++) {
        const rft_compiled_entry *entry = &compiled->entries[i];
        if (entry->symbol && rft_text_equal(entry->name, launch->entry)) {
            return entry;
        }
    }
    return NULL;
}

typedef const char *judge_of_launch(const rft_point_spec *spec, const rft_launch *launch, const rft_signature *takes,
                                    rft_arena *arena);

static const char *judge(const rft_point_spec *spec, const rft_launch *launch, const rft_compile_result *compiled,
                         judge_of_launch *of, rft_arena *arena) {
    rft_signature takes;
    const rft_compiled_entry *entry = entry_of(launch, compiled);
    if (!entry) {
        return NULL;
    }
    read_signature(&takes, compiled, entry);
    return of(spec, launch, &takes, arena);
}

static const char *judge_constants(const rft_point_spec *spec, const rft_compile_result *compiled, rft_arena *arena) {
    const rft_unit_spec *unit = &spec->unit;
    bool of_reference = spec->told && !spec->is_variant;
    const char *slash = strrchr(unit->source, '/');
    rft_variable *variables;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (spec->buffers[i].role == RFT_BUFFER_CONSTANT) {
            size_t count = rft_code_variables(compiled->cubin, compiled->cubin_bytes, &variables, arena);
            return rft_constants_wrong(spec, variables, count, slash ? slash + 1 : unit->source, of_reference, arena);
        }
    }
    return NULL;
}

static const char *judge_all(const rft_point_spec *spec, const rft_compile_result *compiled, judge_of_launch *of,
                             rft_arena *arena) {
    const char *found = NULL;
    for (size_t i = 0; i < spec->prepare_count && !found; i++) {
        found = judge(spec, &spec->prepare[i], compiled, of, arena);
    }
    for (size_t i = 0; i < spec->launch_count && !found; i++) {
        found = judge(spec, &spec->launches[i], compiled, of, arena);
    }
    return found;
}

static const char *judge_shapes(const rft_launch *launches, size_t count, const rft_compile_result *compiled,
                                rft_arena *arena) {
    const char *wrong = NULL;
    for (size_t i = 0; i < count && !wrong; i++) {
        const rft_compiled_entry *entry = entry_of(&launches[i], compiled);
        if (entry) {
            rft_kernel_needs needs = rft_cubin_needs(compiled->cubin, compiled->cubin_bytes, entry->symbol);
            wrong = shape_wrong(&launches[i], &needs, arena);
        }
    }
    return wrong;
}

const char *rft_signatures_wrong(const rft_point_spec *spec, const rft_compile_result *compiled, rft_arena *arena) {
    const char *wrong = judge_all(spec, compiled, rft_arguments_wrong, arena);
    wrong = wrong ? wrong : judge_shapes(spec->prepare, spec->prepare_count, compiled, arena);
    wrong = wrong ? wrong : judge_shapes(spec->launches, spec->launch_count, compiled, arena);
    return wrong ? wrong : judge_constants(spec, compiled, arena);
}

const char *rft_signatures_other_type(const rft_point_spec *spec, const rft_compile_result *compiled,
                                      rft_arena *arena) {
    return judge_all(spec, compiled, rft_arguments_other_type, arena);
}

const char *rft_signatures_unread(const rft_point_spec *spec, const rft_compile_result *compiled, rft_arena *arena) {
    return judge_all(spec, compiled, rft_arguments_unread, arena);
}

static size_t macro_count(const rft_launch *launch) {
    size_t count = 0;
    for (size_t i = 0; i < launch->arg_count; i++) {
        count += launch->args[i].is_macro ? 1 : 0;
    }
    return count;
}

static void leave_out_macros(rft_launch *launch) {
    size_t left = 0;
    for (size_t i = 0; i < launch->arg_count; i++) {
        if (!launch->args[i].is_macro) {
            launch->args[left++] = launch->args[i];
        }
    }
    launch->arg_count = left;
}

size_t rft_signatures_taken(const rft_launch *launch, const rft_compile_result *compiled) {
    rft_signature takes = {.count = -1};
    const rft_compiled_entry *entry = entry_of(launch, compiled);
    if (entry) {
        read_signature(&takes, compiled, entry);
    }
    return takes.count >= 0 ? (size_t)takes.count : SIZE_MAX;
}

void rft_signatures_settle(rft_point_spec *reference, const rft_compile_result *compiled) {
    for (size_t i = 0; i < reference->launch_count; i++) {
        rft_launch *launch = &reference->launches[i];
        size_t taken = rft_signatures_taken(launch, compiled);
        if (taken != SIZE_MAX && taken + macro_count(launch) == launch->arg_count) {
            leave_out_macros(launch);
        }
    }
}

const rft_variable *rft_signatures_unfilled(const rft_point_spec *spec, const rft_compile_result *compiled,
                                            rft_arena *arena) {
    rft_variable *variables = NULL;
    size_t count = rft_code_variables(compiled->cubin, compiled->cubin_bytes, &variables, arena);
    return rft_constants_unfilled(spec, variables, count);
}

static const char *judge_fill(const rft_point_spec *spec, size_t buffer, const rft_compile_result *compiled,
                              judge_of_launch *of, rft_arena *arena) {
    rft_signature takes;
    if (compiled->entry_count == 0 || !compiled->entries[0].symbol) {
        return NULL;
    }
    read_signature(&takes, compiled, &compiled->entries[0]);
    return of(spec, &spec->buffers[buffer].fill.kernel->launch, &takes, arena);
}

const char *rft_signatures_of_fill_wrong(const rft_point_spec *spec, size_t buffer, const rft_compile_result *compiled,
                                         rft_arena *arena) {
    return judge_fill(spec, buffer, compiled, rft_arguments_wrong, arena);
}

const char *rft_signatures_of_fill_unread(const rft_point_spec *spec, size_t buffer, const rft_compile_result *compiled,
                                          rft_arena *arena) {
    bool lists = spec->buffers[buffer].fill.kernel->launch.arg_count > RFT_FILL_ARG_SEED + 1;
    return lists ? judge_fill(spec, buffer, compiled, rft_arguments_unread, arena) : NULL;
}

/* ---- outputs that nothing can write ---- */

/* Only a pointer to const is known to be none to write through. *given: the launch gets the buffer. */
static bool may_write(const rft_launch *launch, const rft_compile_result *compiled, size_t buffer, bool *given) {
    rft_signature takes = {.count = -1};
    bool may = launch->kind == RFT_LAUNCH_VENDOR || launch->kind == RFT_LAUNCH_MEMSET;
    for (size_t i = 0; launch->kind == RFT_LAUNCH_KERNEL && i < compiled->entry_count; i++) {
        if (compiled->entries[i].symbol && rft_text_equal(compiled->entries[i].name, launch->entry)) {
            read_signature(&takes, compiled, &compiled->entries[i]);
        }
    }
    for (size_t a = 0; a < launch->arg_count && launch->kind == RFT_LAUNCH_KERNEL; a++) {
        const rft_arg *arg = &launch->args[a];
        bool is_it = arg->kind == RFT_ARG_BUFFER && arg->buffer == buffer;
        bool known = takes.count > 0 && a < (size_t)takes.count && takes.params[a].to_const;
        *given = *given || is_it;
        may = may || (is_it && !known) || arg->kind == RFT_ARG_TENSOR_MAP ||
              (arg->kind == RFT_ARG_STRUCT && arg->field_count > 0);
    }
    return may;
}

const rft_buffer *rft_signatures_unwritten(const rft_point_spec *spec, const rft_compile_result *compiled) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        rft_buffer_role role = spec->buffers[i].role;
        bool given = false, may = role == RFT_BUFFER_INPUT || role == RFT_BUFFER_CONSTANT;
        for (size_t l = 0; l < spec->prepare_count && !may; l++) {
            may = may_write(&spec->prepare[l], compiled, i, &given);
        }
        for (size_t l = 0; l < spec->launch_count && !may; l++) {
            may = may_write(&spec->launches[l], compiled, i, &given);
        }
        if (given && !may) {
            return &spec->buffers[i];
        }
    }
    return NULL;
}

static const char *unsized(const rft_launch *launches, size_t count, const rft_compile_result *compiled) {
    for (size_t i = 0; i < count; i++) {
        const rft_compiled_entry *entry = launches[i].shared_bytes == 0 ? entry_of(&launches[i], compiled) : NULL;
        if (entry && entry->shared_bytes == 0 &&
            rft_cubin_needs(compiled->cubin, compiled->cubin_bytes, entry->symbol).shared) {
            return entry->name;
        }
    }
    return NULL;
}

const char *rft_signatures_unsized(const rft_point_spec *spec, const rft_compile_result *compiled) {
    const char *found = unsized(spec->prepare, spec->prepare_count, compiled);
    return found ? found : unsized(spec->launches, spec->launch_count, compiled);
}
