/* SPDX-License-Identifier: Apache-2.0 */
/* expr_specialise.c - from a tree to code, once it is known what every slot can be. */
#include "base/arena.h"
#include "model/sweep/expr_parts.h"

#include <stdlib.h>

#define NO_REGISTER UINT16_MAX

static uint16_t add_register(rft_expr_code *code, rft_expr_kind kind, bool uniform) {
    RFT_GROW(code->registers, code->register_room, code->register_count + 1);
    rft_expr_register *made = &code->registers[code->register_count];
    *made = (rft_expr_register){.kind = kind, .uniform = uniform};
    made->own = kind == RFT_EXPR_BOOL ? NULL : rft_calloc(uniform ? 1 : RFT_EXPR_LANES, sizeof(rft_expr_cell));
    made->data = made->own;
    return (uint16_t)code->register_count++;
}

static uint16_t add_constant(rft_expr_code *code, const rft_expr_value *value) {
    if (value->kind == RFT_EXPR_TEXT) {
        return NO_REGISTER;
    }
    uint16_t to = add_register(code, value->kind, true);
    rft_expr_register *made = &code->registers[to];
    made->constant = true;
    made->mask = value->kind == RFT_EXPR_BOOL && value->as.integer ? UINT64_MAX : 0;
    if (value->kind == RFT_EXPR_INT) {
        made->own->whole = value->as.integer;
    } else if (value->kind == RFT_EXPR_REAL) {
        made->own->real = value->as.real;
    }
    return to;
}

static void fill_list(rft_expr_list *list, const rft_expr_slot *from, rft_expr_kind kind) {
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
    rft_expr_list *list = &code->lists[code->list_count++];
    *list = (rft_expr_list){.slot = slot, .count = from->count};
    fill_list(list, from, first.kind);
    list->to = add_register(code, first.kind, slot != code->varying);
    return list->to;
}

/* Adds the rft_expr_step, or runs it at once where its operands are constants. */
static uint16_t add_step(rft_expr_code *code, rft_expr_op op, rft_expr_kind kind, uint16_t a, uint16_t b) {
    bool uniform = code->registers[a].uniform && code->registers[b].uniform;
    bool constant = code->registers[a].constant && code->registers[b].constant;
    rft_expr_step step = {.op = op, .to = add_register(code, kind, uniform), .a = a, .b = b};
    if (constant) {
        rft_expr_run_step(code, &step, 1);
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
    code->code[code->code_count++] = (rft_expr_step){.op = is_and ? RFT_OP_SKIP_AND : RFT_OP_SKIP_OR, .a = a};
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
