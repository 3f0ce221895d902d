/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/names.h"

#include "base/plain.h"

#include <string.h>

enum { REPLACEMENT_BYTES = 3 }; /* of U+FFFD, which recordings have in place of a byte that is no UTF-8 */

/* A path may have bytes that are no UTF-8. */
static const char *fault_of(const char *text, size_t most, bool is_path, rft_arena *arena) {
    size_t length = 0; /* as a recording has it */
    for (const unsigned char *at = (const unsigned char *)(text ? text : ""); *at;) {
        const size_t bytes = rft_utf8_bytes(at);
        if (bytes == 0 && !is_path) {
            return rft_arena_printf(arena, "text in UTF-8, found the byte 0x%02x", *at);
        }
        if (*at < 0x20 || *at == 0x7f) {
            return rft_arena_printf(arena, "one line without control characters, found one of code %d", *at);
        }
        length += bytes ? bytes : REPLACEMENT_BYTES;
        at += bytes ? bytes : 1;
    }
    return length > most ? rft_arena_printf(arena, "one line of at most %zu bytes, found %zu", most, length) : NULL;
}

const char *rft_name_fault(const char *name, size_t most, rft_arena *arena) {
    return fault_of(name, most, false, arena);
}

/* The first fault found, and the place it was found in. */
typedef struct check {
    rft_arena *arena;
    const char *fault;
} check;

static void check_name(check *c, const char *name, size_t most, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void check_name(check *c, const char *name, size_t most, const char *format, ...) {
    const char *expected = c->fault ? NULL : fault_of(name, most, most == RFT_ENTRY_MAX, c->arena);
    if (expected) {
        char where[120];
        va_list args;
        va_start(args, format);
        rft_text_vformat(where, sizeof where, format, args);
        va_end(args);
        c->fault = rft_arena_printf(c->arena, "%s: expected %s", where, expected);
    }
}

static void check_values(check *c, const rft_value *values, size_t count, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

static void check_values(check *c, const rft_value *values, size_t count, const char *format, ...) {
    char where[80];
    va_list args;
    va_start(args, format);
    rft_text_vformat(where, sizeof where, format, args);
    va_end(args);
    for (size_t i = 0; i < count && !c->fault; i++) {
        if (values[i].kind == RFT_VALUE_TEXT) {
            check_name(c, values[i].as.text, RFT_NAME_MAX, "%s[%zu]", where, i);
        }
    }
}

static void check_variant(check *c, const rft_variant *variant, size_t v) {
    check_name(c, variant->name, RFT_NAME_MAX, "variants[%zu].name", v);
    check_name(c, variant->kernel, RFT_NAME_MAX, "variants[%zu].kernel", v);
    check_name(c, variant->source, RFT_ENTRY_MAX, "variants[%zu].source", v);
    check_name(c, variant->entry, RFT_ENTRY_MAX, "variants[%zu].entry", v);
    for (size_t i = 0; i < variant->param_count && !c->fault; i++) {
        const rft_param *param = &variant->params[i];
        check_name(c, param->name, RFT_NAME_MAX, "variants[%zu].params[%zu].name", v, i);
        check_values(c, param->values, param->value_count, "variants[%zu].params[%zu].values", v, i);
        check_values(c, &param->default_value, 1, "variants[%zu].params[%zu].default", v, i);
    }
}

const char *rft_sweep_names_fault(const rft_sweep *sweep, rft_arena *arena) {
    check c = {.arena = arena};
    if (sweep->axis_count > RFT_AXES_MAX || sweep->variant_count > RFT_VARIANTS_MAX) {
        return rft_arena_printf(arena, "expected at most %d axes and %d variants, found %zu and %zu", RFT_AXES_MAX,
                                RFT_VARIANTS_MAX, sweep->axis_count, sweep->variant_count);
    }
    check_name(&c, sweep->name, RFT_NAME_MAX, "name");
    check_name(&c, sweep->item_name, RFT_NAME_MAX, "item_name");
    check_name(&c, sweep->note, RFT_NOTE_MAX, "note");
    for (size_t i = 0; i < sweep->axis_count && !c.fault; i++) {
        check_name(&c, sweep->axes[i].name, RFT_NAME_MAX, "axes[%zu].name", i);
        check_values(&c, sweep->axes[i].values, sweep->axes[i].value_count, "axes[%zu].values", i);
    }
    for (size_t i = 0; i < sweep->problem_count && !c.fault; i++) {
        check_values(&c, sweep->problems[i].values, sweep->axis_count, "problems[%zu].values", i);
    }
    for (size_t i = 0; i < sweep->variant_count && !c.fault; i++) {
        check_variant(&c, &sweep->variants[i], i);
    }
    for (size_t i = 0; i < sweep->baseline_count && !c.fault; i++) {
        check_name(&c, sweep->baselines[i], RFT_NAME_MAX, "baselines[%zu]", i);
    }
    return c.fault;
}
