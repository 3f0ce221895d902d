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

typedef const char *judge_of_launch(const rft_point_spec *spec, const rft_launch *launch, const rft_signature *takes,
                                    rft_arena *arena);

static const char *judge(const rft_point_spec *spec, const rft_launch *launch, const rft_compile_result *compiled,
                         judge_of_launch *of, rft_arena *arena) {
    rft_signature takes;
    for (size_t i = 0; launch->kind == RFT_LAUNCH_KERNEL && i < compiled->entry_count; i++) {
        const rft_compiled_entry *entry = &compiled->entries[i];
        if (entry->symbol && rft_text_equal(entry->name, launch->entry)) {
            read_signature(&takes, compiled, entry);
            return of(spec, launch, &takes, arena);
        }
    }
    return NULL;
}

static const char *judge_constants(const rft_point_spec *spec, const rft_unit_spec *unit,
                                   const rft_compile_result *compiled, bool of_reference, rft_arena *arena) {
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

const char *rft_signatures_wrong(const rft_point_spec *spec, const rft_compile_result *compiled, rft_arena *arena) {
    const char *wrong = judge_all(spec, compiled, rft_arguments_wrong, arena);
    return wrong ? wrong : judge_constants(spec, &spec->unit, compiled, false, arena);
}

const char *rft_signatures_unread(const rft_point_spec *spec, const rft_compile_result *compiled, rft_arena *arena) {
    return judge_all(spec, compiled, rft_arguments_unread, arena);
}

const char *rft_signatures_of_reference_wrong(const rft_point_spec *spec, const rft_compile_result *compiled,
                                              rft_arena *arena) {
    rft_signature takes;
    if (compiled->entry_count == 0 || !compiled->entries[0].symbol) {
        return NULL;
    }
    read_signature(&takes, compiled, &compiled->entries[0]);
    const char *wrong = rft_arguments_of_reference_wrong(spec, &takes, arena);
    return wrong ? wrong : judge_constants(spec, &spec->check.unit, compiled, true, arena);
}

size_t rft_signatures_of_reference_unread(const rft_point_spec *spec, const rft_compile_result *compiled) {
    rft_signature takes;
    if (compiled->entry_count == 0 || !compiled->entries[0].symbol) {
        return 0;
    }
    read_signature(&takes, compiled, &compiled->entries[0]);
    return rft_arguments_of_reference_unread(spec, &takes);
}
