/* SPDX-License-Identifier: Apache-2.0 */
/* expr_eval.c - one evaluation at a time, of any kinds; and the arithmetic of Lua (lvm.c, lmathlib.c, llimits.h). */
#include "model/sweep/expr_parts.h"

#include <math.h>
#include <string.h>

int64_t rft_lua_floor_divide(int64_t a, int64_t b) {
    if (b == -1) {
        return (int64_t)(0 - (uint64_t)a); /* the most negative one has no opposite */
    }
    int64_t quotient = a / b;
    return (a ^ b) < 0 && a % b != 0 ? quotient - 1 : quotient;
}

int64_t rft_lua_modulo(int64_t a, int64_t b) {
    if (b == -1) {
        return 0;
    }
    int64_t rest = a % b;
    return rest != 0 && (rest ^ b) < 0 ? rest + b : rest;
}

double rft_lua_real_modulo(double a, double b) {
    double rest = fmod(a, b);
    return (rest > 0 ? b < 0 : rest < 0 && b > 0) ? rest + b : rest;
}

double rft_lua_power(double a, double b) {
    return b == 2 ? a * a : pow(a, b);
}

int64_t rft_lua_shift_left(int64_t a, int64_t b) {
    if (b <= -64 || b >= 64) {
        return 0;
    }
    return (int64_t)(b < 0 ? (uint64_t)a >> -b : (uint64_t)a << b);
}

bool rft_lua_to_integer(double real, int64_t *out) {
    if (!(real >= -0x1p63 && real < 0x1p63) || real != floor(real)) {
        return false;
    }
    *out = (int64_t)real;
    return true;
}

int rft_lua_compare(int64_t a, double b) {
    if (isnan(b)) {
        return 2;
    }
    if (b >= 0x1p63) {
        return -1;
    }
    if (b < -0x1p63) {
        return 1;
    }
    int64_t whole = (int64_t)floor(b);
    return a < whole ? -1 : a > whole ? 1 : b > floor(b) ? -1 : 0;
}

rft_expr_value rft_expr_value_of(const rft_value *value) {
    switch (value->kind) {
    case RFT_VALUE_INT:
        break;
    case RFT_VALUE_REAL:
        return (rft_expr_value){RFT_EXPR_REAL, {.real = value->as.real}};
    case RFT_VALUE_BOOL:
        return (rft_expr_value){RFT_EXPR_BOOL, {.integer = value->as.integer != 0}};
    case RFT_VALUE_TEXT:
        return (rft_expr_value){RFT_EXPR_TEXT, {.text = value->as.text ? value->as.text : ""}};
    }
    return (rft_expr_value){RFT_EXPR_INT, {.integer = value->as.integer}};
}

static rft_expr_value integer_of(int64_t integer) {
    return (rft_expr_value){RFT_EXPR_INT, {.integer = integer}};
}

static rft_expr_value real_of(double real) {
    return (rft_expr_value){RFT_EXPR_REAL, {.real = real}};
}

static rft_expr_value bool_of(bool truth) {
    return (rft_expr_value){RFT_EXPR_BOOL, {.integer = truth}};
}

static bool is_number(const rft_expr_value *value) {
    return value->kind == RFT_EXPR_INT || value->kind == RFT_EXPR_REAL;
}

static double number_of(const rft_expr_value *value) {
    return value->kind == RFT_EXPR_INT ? (double)value->as.integer : value->as.real;
}

/* As bits are taken of it: a real only without a fraction. */
static bool as_integer(const rft_expr_value *value, int64_t *out) {
    *out = value->as.integer;
    return value->kind == RFT_EXPR_INT || rft_lua_to_integer(value->as.real, out);
}

static bool is_true(const rft_expr_value *value) {
    return value->kind != RFT_EXPR_BOOL || value->as.integer;
}

/* -1, 0, 1; 2 when one is NaN. */
static int compare(const rft_expr_value *a, const rft_expr_value *b) {
    if (a->kind == RFT_EXPR_INT && b->kind == RFT_EXPR_INT) {
        return a->as.integer < b->as.integer ? -1 : a->as.integer > b->as.integer;
    }
    if (a->kind == RFT_EXPR_INT) {
        return rft_lua_compare(a->as.integer, b->as.real);
    }
    if (b->kind == RFT_EXPR_INT) {
        int order = rft_lua_compare(b->as.integer, a->as.real);
        return order == 2 ? 2 : -order;
    }
    double x = a->as.real, y = b->as.real;
    return isnan(x) || isnan(y) ? 2 : x < y ? -1 : x > y;
}

static bool equal(const rft_expr_value *a, const rft_expr_value *b) {
    if (is_number(a) && is_number(b)) {
        return compare(a, b) == 0;
    }
    if (a->kind != b->kind) {
        return false;
    }
    return a->kind == RFT_EXPR_TEXT ? strcmp(a->as.text, b->as.text) == 0 : a->as.integer == b->as.integer;
}

/* Of two whole numbers. False: an error in Lua. */
static bool whole(rft_expr_op op, int64_t a, int64_t b, rft_expr_value *out) {
    int64_t result = 0;
    switch (op) {
    case RFT_OP_ADD:
        result = (int64_t)((uint64_t)a + (uint64_t)b);
        break;
    case RFT_OP_SUBTRACT:
        result = (int64_t)((uint64_t)a - (uint64_t)b);
        break;
    case RFT_OP_MULTIPLY:
        result = (int64_t)((uint64_t)a * (uint64_t)b);
        break;
    case RFT_OP_FLOOR_DIVIDE:
    case RFT_OP_MODULO:
        if (b == 0) {
            return false;
        }
        result = op == RFT_OP_MODULO ? rft_lua_modulo(a, b) : rft_lua_floor_divide(a, b);
        break;
    case RFT_OP_BIT_AND:
        result = a & b;
        break;
    case RFT_OP_BIT_OR:
        result = a | b;
        break;
    case RFT_OP_BIT_XOR:
        result = a ^ b;
        break;
    case RFT_OP_SHIFT_LEFT:
        result = rft_lua_shift_left(a, b);
        break;
    case RFT_OP_SHIFT_RIGHT:
        result = rft_lua_shift_left(a, (int64_t)(0 - (uint64_t)b));
        break;
    default:
        return false;
    }
    *out = integer_of(result);
    return true;
}

/* Of two numbers, one of them real, or for an operator that is always real. */
static bool real(rft_expr_op op, double a, double b, rft_expr_value *out) {
    switch (op) {
    case RFT_OP_ADD:
        *out = real_of(a + b);
        return true;
    case RFT_OP_SUBTRACT:
        *out = real_of(a - b);
        return true;
    case RFT_OP_MULTIPLY:
        *out = real_of(a * b);
        return true;
    case RFT_OP_DIVIDE:
        *out = real_of(a / b);
        return true;
    case RFT_OP_FLOOR_DIVIDE:
        *out = real_of(floor(a / b));
        return true;
    case RFT_OP_MODULO:
        *out = real_of(rft_lua_real_modulo(a, b));
        return true;
    case RFT_OP_POWER:
        *out = real_of(rft_lua_power(a, b));
        return true;
    default:
        return false; /* bits of reals */
    }
}

static bool binary(rft_expr_op op, const rft_expr_value *a, const rft_expr_value *b, rft_expr_value *out) {
    if (op == RFT_OP_EQUAL || op == RFT_OP_UNEQUAL) {
        *out = bool_of(equal(a, b) == (op == RFT_OP_EQUAL));
        return true;
    }
    if (!is_number(a) || !is_number(b)) {
        return false;
    }
    int order;
    switch (op) {
    case RFT_OP_LESS:
        *out = bool_of(compare(a, b) == -1);
        return true;
    case RFT_OP_LESS_EQUAL:
        order = compare(a, b);
        *out = bool_of(order == -1 || order == 0);
        return true;
    case RFT_OP_MIN:
        *out = compare(b, a) == -1 ? *b : *a;
        return true;
    case RFT_OP_MAX:
        *out = compare(a, b) == -1 ? *b : *a;
        return true;
    default:
        break;
    }
    int64_t x = 0, y = 0;
    if (op >= RFT_OP_BIT_AND && op <= RFT_OP_SHIFT_RIGHT) {
        return as_integer(a, &x) && as_integer(b, &y) && whole(op, x, y, out);
    }
    if (a->kind == RFT_EXPR_INT && b->kind == RFT_EXPR_INT && op != RFT_OP_DIVIDE && op != RFT_OP_POWER) {
        return whole(op, a->as.integer, b->as.integer, out);
    }
    return real(op, number_of(a), number_of(b), out);
}

static bool unary(rft_expr_op op, const rft_expr_value *a, rft_expr_value *out) {
    if (op == RFT_OP_NOT) {
        *out = bool_of(!is_true(a));
        return true;
    }
    if (!is_number(a)) {
        return false;
    }
    bool is_whole = a->kind == RFT_EXPR_INT;
    int64_t integer = 0;
    switch (op) {
    case RFT_OP_NEGATE:
        *out = is_whole ? integer_of((int64_t)(0 - (uint64_t)a->as.integer)) : real_of(-a->as.real);
        return true;
    case RFT_OP_INVERT:
        if (!as_integer(a, &integer)) {
            return false;
        }
        *out = integer_of(~integer);
        return true;
    case RFT_OP_ABS:
        integer = is_whole && a->as.integer < 0 ? (int64_t)(0 - (uint64_t)a->as.integer) : a->as.integer;
        *out = is_whole ? integer_of(integer) : real_of(fabs(a->as.real));
        return true;
    case RFT_OP_SQRT:
        *out = real_of(sqrt(number_of(a)));
        return true;
    case RFT_OP_FLOOR:
    case RFT_OP_CEIL:
        *out = *a;
        if (!is_whole) {
            double rounded = op == RFT_OP_FLOOR ? floor(a->as.real) : ceil(a->as.real);
            *out = rft_lua_to_integer(rounded, &integer) ? integer_of(integer) : real_of(rounded);
        }
        return true;
    default:
        return false;
    }
}

static bool evaluate(const rft_expr *expr, size_t index, const rft_expr_value *slots, rft_expr_value *out) {
    const rft_expr_node *node = &expr->nodes[index];
    rft_expr_value a, b;
    if (node->op == RFT_OP_CONSTANT || node->op == RFT_OP_SLOT) {
        *out = node->op == RFT_OP_CONSTANT ? node->constant : slots[node->slot];
        return true;
    }
    if (!evaluate(expr, node->a, slots, &a)) {
        return false;
    }
    if (node->op < RFT_OP_ADD) {
        return unary(node->op, &a, out);
    }
    if (node->op == RFT_OP_AND || node->op == RFT_OP_OR) {
        if (is_true(&a) == (node->op == RFT_OP_OR)) {
            *out = a;
            return true;
        }
        return evaluate(expr, node->b, slots, out);
    }
    return evaluate(expr, node->b, slots, &b) && binary(node->op, &a, &b, out);
}

bool rft_expr_eval(const rft_expr *expr, const rft_expr_value *slots, rft_expr_value *out) {
    return evaluate(expr, expr->count - 1, slots, out);
}
