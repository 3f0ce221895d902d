/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/constants.h"

#include "base/str.h"

#include <string.h>

#define NAMED_MOST 8 /* in a message */

const rft_variable *rft_variable_find(const rft_variable *variables, size_t count, const char *name) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(variables[i].name, name) == 0 || strcmp(variables[i].symbol, name) == 0) {
            return &variables[i];
        }
    }
    return NULL;
}

static const char *unqualified(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

/* The variable that was meant: of the same name in another namespace, or spelt much alike. */
static const char *nearest(const rft_variable *variables, size_t count, const char *name, rft_arena *arena) {
    const char **names = rft_arena_calloc(arena, count + 1, sizeof *names);
    for (size_t i = 0; i < count; i++) {
        names[i] = variables[i].name;
        if (strcmp(unqualified(names[i]), unqualified(name)) == 0) {
            return names[i];
        }
    }
    return rft_text_nearest(name, names, count);
}

static void describe_missing(rft_str *text, const char *name, const rft_variable *variables, size_t count,
                             const char *source, rft_arena *arena) {
    const char *meant = nearest(variables, count, name, arena);
    rft_str_addf(text, "constant %s: %s has no __constant__ or __device__ variable of this name", name, source);
    if (meant) {
        rft_str_addf(text, ", did you mean \"%s\"?", meant);
        return;
    }
    rft_str_add(text, count ? "; it has " : "; it has none at all");
    for (size_t i = 0; i < count && i < NAMED_MOST; i++) {
        rft_str_addf(text, "%s%s", i ? ", " : "", variables[i].name);
    }
    rft_str_add(text, count > NAMED_MOST ? ", ..." : "");
}

static void describe_size(rft_str *text, const rft_buffer *buffer, const rft_variable *variable, const char *source) {
    uint64_t size = rft_type_bytes(buffer->type), bytes = buffer->count * size;
    bool is_given = buffer->fill.kind == RFT_FILL_GIVEN;
    rft_str_addf(text, "constant %s: ", buffer->name);
    if (is_given && buffer->count > 1) {
        rft_str_addf(text, "the struct has %llu bytes", (unsigned long long)bytes);
    } else if (is_given) {
        rft_str_addf(text, "one %s has %llu bytes", rft_type_name(buffer->type), (unsigned long long)bytes);
    } else {
        rft_str_addf(text, "%llu %s are %llu bytes", (unsigned long long)buffer->count, rft_type_name(buffer->type),
                     (unsigned long long)bytes);
    }
    rft_str_addf(text, ", the variable in %s has %llu", source, (unsigned long long)variable->bytes);
    if (variable->bytes % size == 0 && !is_given) {
        rft_str_addf(text, "; write %s, %llu", rft_type_name(buffer->type),
                     (unsigned long long)(variable->bytes / size));
    }
    unsigned long long each = buffer->count > 1 && !is_given ? variable->bytes / buffer->count : 0;
    if (each > 0 && each <= 8 && (each & (each - 1)) == 0 && each * buffer->count == variable->bytes) {
        rft_str_addf(text, "; or is it a type of %llu byte%s?", each, each == 1 ? "" : "s");
    }
}

const char *rft_constants_wrong(const rft_point_spec *spec, const rft_variable *variables, size_t count,
                                const char *source, bool of_reference, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < spec->buffer_count && !text.length; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        if (buffer->role != RFT_BUFFER_CONSTANT) {
            continue;
        }
        const rft_variable *variable = rft_variable_find(variables, count, buffer->name);
        if (!variable && !of_reference) {
            describe_missing(&text, buffer->name, variables, count, source, arena);
        } else if (variable && variable->bytes != buffer->count * rft_type_bytes(buffer->type)) {
            describe_size(&text, buffer, variable, source);
        }
    }
    const char *wrong = text.length ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return wrong;
}

static bool is_filled(const rft_point_spec *spec, const rft_variable *variable) {
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (spec->buffers[i].role == RFT_BUFFER_CONSTANT &&
            rft_variable_find(variable, 1, spec->buffers[i].name) != NULL) {
            return true;
        }
    }
    return false;
}

const rft_variable *rft_constants_unfilled(const rft_point_spec *spec, const rft_variable *variables, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const rft_variable *variable = &variables[i];
        bool is_own = !rft_text_starts(unqualified(variable->name), "__"); /* not of a compiler's header */
        if (variable->is_constant && variable->is_zero && is_own && !is_filled(spec, variable)) {
            return variable;
        }
    }
    return NULL;
}
