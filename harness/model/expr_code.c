/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_code.c - an expression as code over registers whose kinds are known, run over 64 values of one slot at a time.
 *
 * A register holds 64 whole numbers, 64 reals or 64 truths (bits of a mask), or one for all 64 (`uniform`). What would
 * be an error in Lua sets the value's bit in `bad`; and / or forget it where the left operand decides.
 */
#include "base/arena.h"
#include "model/expr_tree.h"

#include <math.h>
#include <stdlib.h>

#define LANES 64
#define NO_REGISTER UINT16_MAX

typedef union cell {
    int64_t whole;
    double real;
} cell;

typedef struct lane_register {
    cell *data; /* INT and REAL; borrowed from a slot's list, or `own` */
    cell *own;
    uint64_t mask; /* BOOL */
    uint64_t bad;
    rft_expr_kind kind;
    bool uniform, constant;
} lane_register;

typedef struct instruction {
    rft_expr_op op;
    uint16_t to, a, b;
    uint16_t jump; /* SKIP_*: the instruction to go on with */
} instruction;

/* A slot that is used: its list as cells or bits, and the register it is loaded into. */
typedef struct slot_list {
    uint16_t slot, to;
    size_t count;
    cell *cells;
    uint64_t *bits;
} slot_list;

struct rft_expr_code {
    const rft_expr *expr;
    lane_register *registers;
    size_t register_count, register_room;
    instruction *code;
    size_t code_count, code_room;
    slot_list *lists;
    size_t list_count, list_room;
    size_t varying, length; /* the slot run along, and its number of values */
    uint16_t result;
};

/* ---- running ---- */

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

static void run_whole(rft_expr_op op, const lane_register *a, const lane_register *b, lane_register *to, size_t lanes) {
    cell *out = to->own;
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

static void run_real(rft_expr_op op, const lane_register *a, const lane_register *b, lane_register *to, size_t lanes) {
    cell *out = to->own;
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

static uint64_t compare_alike(rft_expr_op op, const lane_register *a, const lane_register *b, size_t lanes) {
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
static uint64_t compare_unlike(rft_expr_op op, const lane_register *a, const lane_register *b, size_t lanes) {
    uint64_t mask = 0;
    for (size_t i = 0; i < lanes; i++) {
        cell x = a->data[a->uniform ? 0 : i], y = b->data[b->uniform ? 0 : i];
        int order = a->kind == RFT_EXPR_INT ? rft_lua_compare(x.whole, y.real) : rft_lua_compare(y.whole, x.real);
        if (a->kind != RFT_EXPR_INT && order != 2) {
            order = -order;
        }
        bool holds = order == 0 ? op != RFT_OP_LESS : order == -1 && op <= RFT_OP_LESS_EQUAL && op >= RFT_OP_LESS;
        mask |= (uint64_t)holds << i;
    }
    return mask;
}

static void run_compare(rft_expr_op op, const lane_register *a, const lane_register *b, lane_register *to,
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

static void run_rounding(rft_expr_op op, const lane_register *a, lane_register *to, size_t lanes) {
    for (size_t i = 0; i < lanes; i++) {
        double x = a->data[i].real;
        if (!rft_lua_to_integer(op == RFT_OP_FLOOR ? floor(x) : ceil(x), &to->own[i].whole)) {
            to->own[i].whole = 0;
            to->bad |= to->uniform ? UINT64_MAX : (uint64_t)1 << i; /* stays real in Lua */
        }
    }
}

static void run_unary(rft_expr_op op, const lane_register *a, lane_register *to, size_t lanes) {
    cell *out = to->own;
    const cell *in = a->data;
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
static bool skips(const instruction *step, lane_register *registers, uint64_t active) {
    const lane_register *a = &registers[step->a];
    lane_register *to = &registers[step->to];
    uint64_t open = step->op == RFT_OP_SKIP_AND ? a->mask & ~a->bad : ~a->mask & ~a->bad;
    if (open & active) {
        return false;
    }
    to->mask = a->mask;
    to->bad = a->bad;
    return true;
}

static void run_one(rft_expr_code *code, const instruction *step, size_t lanes) {
    lane_register *to = &code->registers[step->to];
    const lane_register *a = &code->registers[step->a], *b = &code->registers[step->b];
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
        const slot_list *list = &code->lists[i];
        lane_register *to = &code->registers[list->to];
        bool along = list->slot == code->varying;
        size_t place = along ? word * LANES : at[list->slot];
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
    size_t left = code->length - word * LANES;
    size_t lanes = left < LANES ? left : LANES;
    uint64_t active = UINT64_MAX >> (LANES - lanes);
    load(code, at, word);
    for (size_t i = 0; i < code->code_count;) {
        const instruction *step = &code->code[i++];
        if (step->op != RFT_OP_SKIP_AND && step->op != RFT_OP_SKIP_OR) {
            run_one(code, step, lanes);
        } else if (skips(step, code->registers, active)) {
            i = step->jump;
        }
    }
    const lane_register *result = &code->registers[code->result];
    *unknown = result->bad & active;
    *truth = result->mask & ~result->bad & active;
}

/* ---- making ---- */

static uint16_t add_register(rft_expr_code *code, rft_expr_kind kind, bool uniform) {
    RFT_GROW(code->registers, code->register_room, code->register_count + 1);
    lane_register *made = &code->registers[code->register_count];
    *made = (lane_register){.kind = kind, .uniform = uniform};
    made->own = kind == RFT_EXPR_BOOL ? NULL : rft_calloc(uniform ? 1 : LANES, sizeof(cell));
    made->data = made->own;
    return (uint16_t)code->register_count++;
}

static uint16_t add_constant(rft_expr_code *code, const rft_expr_value *value) {
    if (value->kind == RFT_EXPR_TEXT) {
        return NO_REGISTER;
    }
    uint16_t to = add_register(code, value->kind, true);
    lane_register *made = &code->registers[to];
    made->constant = true;
    made->mask = value->kind == RFT_EXPR_BOOL && value->as.integer ? UINT64_MAX : 0;
    if (value->kind == RFT_EXPR_INT) {
        made->own->whole = value->as.integer;
    } else if (value->kind == RFT_EXPR_REAL) {
        made->own->real = value->as.real;
    }
    return to;
}

static void fill_list(slot_list *list, const rft_expr_slot *from, rft_expr_kind kind) {
    if (kind == RFT_EXPR_BOOL) {
        list->bits = rft_calloc(from->count / 64 + 1, sizeof *list->bits);
    } else {
        list->cells = rft_calloc(from->count, sizeof *list->cells);
    }
    for (size_t i = 0; i < from->count; i++) {
        rft_expr_value value = rft_expr_value_of(&from->values[i]);
        if (kind == RFT_EXPR_BOOL) {
            list->bits[i / 64] |= (uint64_t)(value.as.integer != 0) << (i % 64);
        } else if (kind == RFT_EXPR_INT) {
            list->cells[i].whole = value.as.integer;
        } else {
            list->cells[i].real = value.as.real;
        }
    }
}

static uint16_t add_slot(rft_expr_code *code, const rft_expr_slot *slots, uint16_t slot) {
    const rft_expr_slot *from = &slots[slot];
    for (size_t i = 0; i < code->list_count; i++) {
        if (code->lists[i].slot == slot) {
            return code->lists[i].to;
        }
    }
    rft_expr_value first = rft_expr_value_of(&from->values[0]);
    if (from->count == 1) {
        return add_constant(code, &first);
    }
    for (size_t i = 0; i < from->count; i++) {
        if (rft_expr_value_of(&from->values[i]).kind != first.kind || first.kind == RFT_EXPR_TEXT) {
            return NO_REGISTER;
        }
    }
    RFT_GROW(code->lists, code->list_room, code->list_count + 1);
    slot_list *list = &code->lists[code->list_count++];
    *list = (slot_list){.slot = slot, .count = from->count};
    fill_list(list, from, first.kind);
    list->to = add_register(code, first.kind, slot != code->varying);
    return list->to;
}

/* Adds the instruction, or runs it at once where its operands are constants. */
static uint16_t add_step(rft_expr_code *code, rft_expr_op op, rft_expr_kind kind, uint16_t a, uint16_t b) {
    bool uniform = code->registers[a].uniform && code->registers[b].uniform;
    bool constant = code->registers[a].constant && code->registers[b].constant;
    instruction step = {.op = op, .to = add_register(code, kind, uniform), .a = a, .b = b};
    if (constant) {
        run_one(code, &step, 1);
        code->registers[step.to].constant = code->registers[step.to].bad == 0;
    }
    if (!code->registers[step.to].constant) {
        RFT_GROW(code->code, code->code_room, code->code_count + 1);
        code->code[code->code_count++] = step;
    }
    return step.to;
}

static uint16_t as_real(rft_expr_code *code, uint16_t from) {
    bool real = code->registers[from].kind == RFT_EXPR_REAL;
    return real ? from : add_step(code, RFT_OP_TO_REAL, RFT_EXPR_REAL, from, from);
}

static uint16_t make(rft_expr_code *code, const rft_expr_slot *slots, uint16_t index);

static uint16_t make_logic(rft_expr_code *code, const rft_expr_slot *slots, const rft_expr_node *node) {
    uint16_t a = make(code, slots, node->a);
    bool is_and = node->op == RFT_OP_AND;
    if (a == NO_REGISTER || code->registers[a].kind != RFT_EXPR_BOOL) {
        return NO_REGISTER;
    }
    if (code->registers[a].constant) { /* decided, or the other operand alone */
        return (code->registers[a].mask != 0) == is_and ? make(code, slots, node->b) : a;
    }
    size_t skip = code->code_count;
    RFT_GROW(code->code, code->code_room, skip + 1);
    code->code[code->code_count++] = (instruction){.op = is_and ? RFT_OP_SKIP_AND : RFT_OP_SKIP_OR, .a = a};
    uint16_t b = make(code, slots, node->b);
    if (b == NO_REGISTER || code->registers[b].kind != RFT_EXPR_BOOL) {
        return NO_REGISTER;
    }
    uint16_t to = add_step(code, node->op, RFT_EXPR_BOOL, a, b);
    code->code[skip].to = to;
    code->code[skip].jump = (uint16_t)code->code_count;
    return to;
}

static uint16_t make_unary(rft_expr_code *code, rft_expr_op op, uint16_t a) {
    rft_expr_kind kind = code->registers[a].kind;
    if ((op == RFT_OP_NOT) != (kind == RFT_EXPR_BOOL) || (op == RFT_OP_INVERT && kind != RFT_EXPR_INT)) {
        return NO_REGISTER;
    }
    if (op == RFT_OP_SQRT) {
        a = as_real(code, a);
        return add_step(code, op, RFT_EXPR_REAL, a, a);
    }
    if (op == RFT_OP_FLOOR || op == RFT_OP_CEIL) {
        return kind == RFT_EXPR_INT ? a : add_step(code, op, RFT_EXPR_INT, a, a);
    }
    return add_step(code, op, kind, a, a);
}

static uint16_t make_binary(rft_expr_code *code, rft_expr_op op, uint16_t a, uint16_t b) {
    rft_expr_kind left = code->registers[a].kind, right = code->registers[b].kind;
    bool compares = op >= RFT_OP_EQUAL;
    if (left == RFT_EXPR_BOOL || right == RFT_EXPR_BOOL) {
        bool equality = op == RFT_OP_EQUAL || op == RFT_OP_UNEQUAL;
        return equality && left == right ? add_step(code, op, RFT_EXPR_BOOL, a, b) : NO_REGISTER;
    }
    if (compares) {
        return add_step(code, op, RFT_EXPR_BOOL, a, b);
    }
    if (left == RFT_EXPR_INT && right == RFT_EXPR_INT && op != RFT_OP_DIVIDE && op != RFT_OP_POWER) {
        return add_step(code, op, RFT_EXPR_INT, a, b);
    }
    if ((op >= RFT_OP_BIT_AND && op <= RFT_OP_SHIFT_RIGHT) ||
        ((op == RFT_OP_MIN || op == RFT_OP_MAX) && left != right)) {
        return NO_REGISTER;
    }
    a = as_real(code, a);
    b = as_real(code, b);
    return add_step(code, op, RFT_EXPR_REAL, a, b);
}

static uint16_t make(rft_expr_code *code, const rft_expr_slot *slots, uint16_t index) {
    const rft_expr_node *node = &code->expr->nodes[index];
    if (node->op == RFT_OP_CONSTANT) {
        return add_constant(code, &node->constant);
    }
    if (node->op == RFT_OP_SLOT) {
        return add_slot(code, slots, node->slot);
    }
    if (node->op == RFT_OP_AND || node->op == RFT_OP_OR) {
        return make_logic(code, slots, node);
    }
    uint16_t a = make(code, slots, node->a);
    if (a == NO_REGISTER || node->op < RFT_OP_ADD) {
        return a == NO_REGISTER ? a : make_unary(code, node->op, a);
    }
    uint16_t b = make(code, slots, node->b);
    return b == NO_REGISTER ? b : make_binary(code, node->op, a, b);
}

rft_expr_code *rft_expr_specialise(const rft_expr *expr, const rft_expr_slot *slots, size_t varying) {
    rft_expr_code *code = rft_alloc(sizeof *code);
    code->expr = expr;
    code->varying = varying;
    code->length = slots[varying].count;
    code->result = make(code, slots, (uint16_t)(expr->count - 1));
    if (code->result == NO_REGISTER || code->registers[code->result].kind != RFT_EXPR_BOOL) {
        rft_expr_code_free(code);
        return NULL;
    }
    return code;
}

void rft_expr_code_free(rft_expr_code *code) {
    if (code != NULL) {
        for (size_t i = 0; i < code->register_count; i++) {
            free(code->registers[i].own);
        }
        for (size_t i = 0; i < code->list_count; i++) {
            free(code->lists[i].cells);
            free(code->lists[i].bits);
        }
        free(code->registers);
        free(code->lists);
        free(code->code);
        free(code);
    }
}
