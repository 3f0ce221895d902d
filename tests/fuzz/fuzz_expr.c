/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as an expression: it is refused, or evaluated; and as code over many values it says the same. */
#include "fuzz/fuzz.h"
#include "model/sweep/expr.h"

#include <stdlib.h>
#include <string.h>

#define NAMES 4

/* The code leaves to Lua what it cannot decide; what it decides is what one evaluation finds. */
static void compare(const rft_expr *expr, const rft_expr_slot *lists, size_t varying) {
    rft_expr_code *code = rft_expr_specialise(expr, lists, varying);
    for (uint16_t round = 0; code && round < 2; round++) {
        uint16_t at[NAMES];
        rft_expr_value slots[NAMES], value;
        uint64_t truth, unknown;
        for (size_t i = 0; i < NAMES; i++) {
            at[i] = (uint16_t)(round % lists[i].count);
            slots[i] = rft_expr_value_of(&lists[i].values[at[i]]);
        }
        rft_expr_run(code, at, 0, &truth, &unknown);
        require((truth & unknown) == 0 && (truth | unknown) >> lists[varying].count == 0);
        for (size_t v = 0; v < lists[varying].count; v++) {
            slots[varying] = rft_expr_value_of(&lists[varying].values[v]);
            bool decided = rft_expr_eval(expr, slots, &value);
            if (!(unknown >> v & 1)) {
                require(decided && value.kind == RFT_EXPR_BOOL && (truth >> v & 1) == (uint64_t)value.as.integer);
            }
        }
    }
    rft_expr_code_free(code);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const char *const names[NAMES] = {"A", "B", "C", "D"};
    static const rft_value a[] = {
        {RFT_VALUE_INT, {.integer = 0}}, {RFT_VALUE_INT, {.integer = -7}}, {RFT_VALUE_INT, {.integer = INT64_MIN}}};
    static const rft_value b[] = {{RFT_VALUE_INT, {.integer = 3}}, {RFT_VALUE_INT, {.integer = -1}}};
    static const rft_value c[] = {{RFT_VALUE_REAL, {.real = 0.5}}, {RFT_VALUE_REAL, {.real = -1e300}}};
    static const rft_value d[] = {{RFT_VALUE_BOOL, {.integer = 1}}, {RFT_VALUE_BOOL, {.integer = 0}}};
    const rft_expr_slot lists[NAMES] = {{a, 3}, {b, 2}, {c, 2}, {d, 2}};
    const rft_expr_names known = {.names = names, .count = NAMES};
    rft_arena *arena = rft_arena_new();
    char *text = rft_arena_strndup(arena, data ? (const char *)data : "", size);
    rft_expr *expr = rft_expr_parse(arena, text, &known);
    for (size_t varying = 0; expr && varying < NAMES; varying++) {
        compare(expr, lists, varying);
    }
    rft_arena_free(arena);
    return 0;
}
