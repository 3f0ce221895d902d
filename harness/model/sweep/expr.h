/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr.h - expressions in Lua syntax, compiled to something faster than Lua.
 *
 * The subset: whole numbers, reals and hexadecimal integers, texts without escapes, true and false, names, brackets,
 * + - * / // % ^, & | ~ << >>, comparisons, and, or, not, and math.min, max, floor, ceil, abs, sqrt, huge, pi,
 * maxinteger, mininteger. What they mean is the Lua 5.4 manual, sections 3.3 and 3.4: `/` and `^` are real, `//` and
 * `%` round towards minus infinity, integers wrap around, whole numbers and reals compare by their exact values,
 * and / or skip what they need not know, everything but false counts as true.
 *
 * Whatever is not in the subset is not compiled, and whatever cannot be decided here (an error such as n // 0, a text
 * that would become a number) is reported as unknown: the caller asks Lua then, so that both always mean the same.
 */
#ifndef RFT_MODEL_EXPR_H
#define RFT_MODEL_EXPR_H

#include "base/arena.h"
#include "model/sweep/value.h"

typedef struct rft_expr rft_expr;

typedef struct rft_expr_names {
    const char *const *names; /* variables: the position is the slot */
    size_t count;
    /* A constant by its name, dotted or not: "gpu.sm_count", "KiB". NULL: none. Values are copied, texts borrowed. */
    bool (*constant)(void *payload, const char *name, rft_value *out);
    void *payload;
} rft_expr_names;

/* NULL when the text is not one expression of the subset, or nested too deeply (100). Lives in the arena. */
rft_expr *rft_expr_parse(rft_arena *arena, const char *text, const rft_expr_names *names);

/* A value as Lua has it: 2 and 2.0 differ in kind, which rft_value does not keep. */
typedef enum rft_expr_kind { RFT_EXPR_BOOL, RFT_EXPR_INT, RFT_EXPR_REAL, RFT_EXPR_TEXT } rft_expr_kind;
typedef struct rft_expr_value {
    rft_expr_kind kind;
    union {
        int64_t integer; /* INT, and BOOL as 0 or 1 */
        double real;
        const char *text;
    } as;
} rft_expr_value;
rft_expr_value rft_expr_value_of(const rft_value *value);

/* One evaluation, of any kinds; `slots` has a value for each name. False: unknown, ask Lua. */
bool rft_expr_eval(const rft_expr *expr, const rft_expr_value *slots, rft_expr_value *out);

/* ---- many evaluations at once ---- */

/* What a slot can be: one value is a constant; every value must be a number or every one a boolean. */
typedef struct rft_expr_slot {
    const rft_value *values; /* borrowed as long as the code lives */
    size_t count;
} rft_expr_slot;

/* The expression with the constants worked in, as code that runs over 64 values of one slot at a time. */
typedef struct rft_expr_code rft_expr_code;

/* `varying`: the slot to run along (any with several values). NULL where the kind of some part depends on values, as in
 * `A > 1 and B or 2.5`, or on texts: rft_expr_eval() takes those. rft_expr_code_free(). */
rft_expr_code *rft_expr_specialise(const rft_expr *expr, const rft_expr_slot *slots, size_t varying);
void rft_expr_code_free(rft_expr_code *code); /* NULL is accepted */

/* Values 64 * word ... of the varying slot; every other slot has the value at[slot] of its list. Bit i of *truth: it is
 * true; of *unknown: ask Lua (also for all where the result is no boolean). Bits beyond the list are 0. */
void rft_expr_run(rft_expr_code *code, const uint16_t *at, size_t word, uint64_t *truth, uint64_t *unknown);

#endif
