/* SPDX-License-Identifier: Apache-2.0 */
/* expr_run.c - running an expression's code. */
#include "model/sweep/expr_parts.h"

#include <math.h>

/* Runs `statement` for every lane with x, y from `field` of the operands; uniform ones are read once. */
#define FOR_LANES(field, type, statement)                                                                              \
    if (!a->uniform && !b->uniform) {                                                                                  \
        for (size_t i = 0; i < lanes; i++) {                                                                           \
            type x = a->data[i].field, y = b->data[i].field;                                                           \
            statement;                                                                                                 \
        }                                                                                                              \
    } else if (!a->uniform) {                                                                                          \
        type y = b->data[0].field;                                                                                     \
        for (size_t i = 0; i < lanes; i++) {                                                                           \
            type x = a->data[i].field;                                                                                 \
            statement;                                                                                                 \
        }                                                                                                              \
    } else {                                                                                                           \
        type x = a->data[0].field;                                                                                     \
        for (size_t i = 0; i < lanes; i++) {                                                                           \
            type y = b->data[i].field;                                                                                 \
            statement;                                                                                                 \
        }                                                                                                              \
    }

static void run_whole(rft_expr_op op, const rft_expr_register *a, const rft_expr_register *b, rft_expr_register *to,
                      size_t lanes) {
    rft_expr_cell *out = to->own;
    uint64_t zero = 0;
    switch (op) {
    case RFT_OP_ADD:
        FOR_LANES(whole, int64_t, out[i].whole = (int64_t)((uint64_t)x + (uint64_t)y))
        break;
    case RFT_OP_SUBTRACT:
        FOR_LANES(whole, int64_t, out[i].whole = (int64_t)((uint64_t)x - (uint64_t)y))
        break;
    case RFT_OP_MULTIPLY:
        FOR_LANES(whole, int64_t, out[i].whole = (int64_t)((uint64_t)x * (uint64_t)y))
        break;
    case RFT_OP_FLOOR_DIVIDE:
        FOR_LANES(whole, int64_t, {
            zero |= (uint64_t)(y == 0) << i;
            out[i].whole = y == 0 ? 0 : rft_lua_floor_divide(x, y);
        })
        break;
    case RFT_OP_MODULO:
        FOR_LANES(whole, int64_t, {
            zero |= (uint64_t)(y == 0) << i;
            out[i].whole = y == 0 ? 0 : rft_lua_modulo(x, y);
        })
        break;
    case RFT_OP_BIT_AND:
        FOR_LANES(whole, int64_t, out[i].whole = x & y)
        break;
    case RFT_OP_BIT_OR:
        FOR_LANES(whole, int64_t, out[i].whole = x | y)
        break;
    case RFT_OP_BIT_XOR:
        FOR_LANES(whole, int64_t, out[i].whole = x ^ y)
        break;
    case RFT_OP_SHIFT_LEFT:
        FOR_LANES(whole, int64_t, out[i].whole = rft_lua_shift_left(x, y))
        break;
    case RFT_OP_SHIFT_RIGHT:
        FOR_LANES(whole, int64_t, out[i].whole = rft_lua_shift_left(x, (int64_t)(0 - (uint64_t)y)))
        break;
    case RFT_OP_MIN:
        FOR_LANES(whole, int64_t, out[i].whole = y < x ? y : x)
        break;
    default: /* RFT_OP_MAX */
        FOR_LANES(whole, int64_t, out[i].whole = x < y ? y : x)
        break;
    }
    to->bad |= to->uniform && zero ? UINT64_MAX : zero;
}

static void run_real(rft_expr_op op, const rft_expr_register *a, const rft_expr_register *b, rft_expr_register *to,
                     size_t lanes) {
    rft_expr_cell *out = to->own;
    switch (op) {
    case RFT_OP_ADD:
        FOR_LANES(real, double, out[i].real = x + y)
        break;
    case RFT_OP_SUBTRACT:
        FOR_LANES(real, double, out[i].real = x - y)
        break;
    case RFT_OP_MULTIPLY:
        FOR_LANES(real, double, out[i].real = x * y)
        break;
    case RFT_OP_DIVIDE:
        FOR_LANES(real, double, out[i].real = x / y)
        break;
    case RFT_OP_FLOOR_DIVIDE:
        FOR_LANES(real, double, out[i].real = floor(x / y))
        break;
    case RFT_OP_MODULO:
        FOR_LANES(real, double, out[i].real = rft_lua_real_modulo(x, y))
        break;
    case RFT_OP_POWER:
        FOR_LANES(real, double, out[i].real = rft_lua_power(x, y))
        break;
    case RFT_OP_MIN:
        FOR_LANES(real, double, out[i].real = y < x ? y : x)
        break;
    default: /* RFT_OP_MAX */
        FOR_LANES(real, double, out[i].real = x < y ? y : x)
        break;
    }
}

static uint64_t compare_alike(rft_expr_op op, const rft_expr_register *a, const rft_expr_register *b, size_t lanes) {
    uint64_t mask = 0;
    if (a->kind == RFT_EXPR_INT) {
        if (op == RFT_OP_LESS) {
            FOR_LANES(whole, int64_t, mask |= (uint64_t)(x < y) << i)
        } else if (op == RFT_OP_LESS_EQUAL) {
            FOR_LANES(whole, int64_t, mask |= (uint64_t)(x <= y) << i)
        } else {
            FOR_LANES(whole, int64_t, mask |= (uint64_t)(x == y) << i)
        }
    } else if (op == RFT_OP_LESS) {
        FOR_LANES(real, double, mask |= (uint64_t)(x < y) << i)
    } else if (op == RFT_OP_LESS_EQUAL) {
        FOR_LANES(real, double, mask |= (uint64_t)(x <= y) << i)
    } else {
        FOR_LANES(real, double, mask |= (uint64_t)(x == y) << i)
    }
    return mask;
}

/* A whole number with a real, by their exact values. */
static uint64_t compare_unlike(rft_expr_op op, const rft_expr_register *a, const rft_expr_register *b, size_t lanes) {
    uint64_t mask = 0;
    for (size_t i = 0; i < lanes; i++) {
        rft_expr_cell x = a->data[a->uniform ? 0 : i], y = b->data[b->uniform ? 0 : i];
        int order = a->kind == RFT_EXPR_INT ? rft_lua_compare(x.whole, y.real) : rft_lua_compare(y.whole, x.real);
        if (a->kind != RFT_EXPR_INT && order != 2) {
            order = -order;
        }
        bool holds = order == 0 ? op != RFT_OP_LESS : order == -1 && op <= RFT_OP_LESS_EQUAL && op >= RFT_OP_LESS;
        mask |= (uint64_t)holds << i;
    }
    return mask;
}

static void run_compare(rft_expr_op op, const rft_expr_register *a, const rft_expr_register *b, rft_expr_register *to,
                        size_t lanes) {
    if (a->kind == RFT_EXPR_BOOL) {
        to->mask = ~(a->mask ^ b->mask);
    } else if (a->kind == b->kind) {
        to->mask = compare_alike(op, a, b, lanes);
    } else {
        to->mask = compare_unlike(op, a, b, lanes);
    }
    if (to->uniform && a->kind != RFT_EXPR_BOOL) {
        to->mask = to->mask & 1 ? UINT64_MAX : 0;
    }
    to->mask = op == RFT_OP_UNEQUAL ? ~to->mask : to->mask;
}

static void run_rounding(rft_expr_op op, const rft_expr_register *a, rft_expr_register *to, size_t lanes) {
    for (size_t i = 0; i < lanes; i++) {
        double x = a->data[i].real;
        if (!rft_lua_to_integer(op == RFT_OP_FLOOR ? floor(x) : ceil(x), &to->own[i].whole)) {
            to->own[i].whole = 0;
            to->bad |= to->uniform ? UINT64_MAX : (uint64_t)1 << i; /* stays real in Lua */
        }
    }
}

static void run_unary(rft_expr_op op, const rft_expr_register *a, rft_expr_register *to, size_t lanes) {
    rft_expr_cell *out = to->own;
    const rft_expr_cell *in = a->data;
    if (op == RFT_OP_NOT) {
        to->mask = ~a->mask;
    } else if (op == RFT_OP_FLOOR || op == RFT_OP_CEIL) {
        run_rounding(op, a, to, lanes);
    } else if (op == RFT_OP_TO_REAL) {
        for (size_t i = 0; i < lanes; i++) {
            out[i].real = (double)in[i].whole;
        }
    } else if (op == RFT_OP_SQRT) {
        for (size_t i = 0; i < lanes; i++) {
            out[i].real = sqrt(in[i].real);
        }
    } else if (a->kind == RFT_EXPR_REAL) {
        for (size_t i = 0; i < lanes; i++) {
            out[i].real = op == RFT_OP_ABS ? fabs(in[i].real) : -in[i].real;
        }
    } else {
        for (size_t i = 0; i < lanes; i++) {
            int64_t x = in[i].whole, opposite = (int64_t)(0 - (uint64_t)x);
            out[i].whole = op == RFT_OP_INVERT ? ~x : op == RFT_OP_ABS && x >= 0 ? x : opposite;
        }
    }
}

/* Whether the left operand alone decides; the result is set then. */
static bool skips(const rft_expr_step *step, rft_expr_register *registers, uint64_t active) {
    const rft_expr_register *a = &registers[step->a];
    rft_expr_register *to = &registers[step->to];
    uint64_t open = step->op == RFT_OP_SKIP_AND ? a->mask & ~a->bad : ~a->mask & ~a->bad;
    if (open & active) {
        return false;
    }
    to->mask = a->mask;
    to->bad = a->bad;
    return true;
}

void rft_expr_run_step(rft_expr_code *code, const rft_expr_step *step, size_t lanes) {
    rft_expr_register *to = &code->registers[step->to];
    const rft_expr_register *a = &code->registers[step->a], *b = &code->registers[step->b];
    size_t count = to->uniform ? 1 : lanes;
    to->bad = a->bad;
    if (step->op < RFT_OP_ADD || step->op == RFT_OP_TO_REAL) {
        run_unary(step->op, a, to, count);
        return;
    }
    if (step->op == RFT_OP_AND || step->op == RFT_OP_OR) {
        bool is_and = step->op == RFT_OP_AND;
        to->mask = is_and ? a->mask & b->mask : a->mask | b->mask;
        to->bad = a->bad | (b->bad & (is_and ? a->mask : ~a->mask));
        return;
    }
    to->bad |= b->bad;
    if (step->op >= RFT_OP_EQUAL) {
        run_compare(step->op, a, b, to, count);
    } else if (to->kind == RFT_EXPR_INT) {
        run_whole(step->op, a, b, to, count);
    } else {
        run_real(step->op, a, b, to, count);
    }
}

static void load(rft_expr_code *code, const uint16_t *at, size_t word) {
    for (size_t i = 0; i < code->list_count; i++) {
        const rft_expr_list *list = &code->lists[i];
        rft_expr_register *to = &code->registers[list->to];
        bool along = list->slot == code->varying;
        size_t place = along ? word * RFT_EXPR_LANES : at[list->slot];
        if (to->kind != RFT_EXPR_BOOL) {
            to->data = list->cells + place;
        } else if (along) {
            to->mask = list->bits[word];
        } else {
            to->mask = list->bits[place / 64] >> (place % 64) & 1 ? UINT64_MAX : 0;
        }
    }
}

void rft_expr_run(rft_expr_code *code, const uint16_t *at, size_t word, uint64_t *truth, uint64_t *unknown) {
    size_t left = code->length - word * RFT_EXPR_LANES;
    size_t lanes = left < RFT_EXPR_LANES ? left : RFT_EXPR_LANES;
    uint64_t active = UINT64_MAX >> (RFT_EXPR_LANES - lanes);
    load(code, at, word);
    for (size_t i = 0; i < code->code_count;) {
        const rft_expr_step *step = &code->code[i++];
        if (step->op != RFT_OP_SKIP_AND && step->op != RFT_OP_SKIP_OR) {
            rft_expr_run_step(code, step, lanes);
        } else if (skips(step, code->registers, active)) {
            i = step->jump;
        }
    }
    const rft_expr_register *result = &code->registers[code->result];
    *unknown = result->bad & active;
    *truth = result->mask & ~result->bad & active;
}
