/* SPDX-License-Identifier: Apache-2.0 */
/*
 * expr_lanes.h - an expression as code over registers whose kinds are known, run over 64 values of one slot at a time.
 *
 * A register holds 64 whole numbers, 64 reals or 64 truths (bits of a mask), or one for all 64 (`uniform`). What would
 * be an error in Lua sets the value's bit in `bad`; and / or forget it where the left operand decides. Private to
 * expr_*.c: expr_specialise.c makes the code, expr_run.c runs it.
 */
#ifndef RFT_MODEL_EXPR_LANES_H
#define RFT_MODEL_EXPR_LANES_H

#include "model/sweep/expr_tree.h"

#define RFT_EXPR_LANES 64

typedef union rft_expr_cell {
    int64_t whole;
    double real;
} rft_expr_cell;

typedef struct rft_expr_register {
    rft_expr_cell *data; /* INT and REAL; borrowed from a slot's list, or `own` */
    rft_expr_cell *own;
    uint64_t mask; /* BOOL */
    uint64_t bad;
    rft_expr_kind kind;
    bool uniform, constant;
} rft_expr_register;

typedef struct rft_expr_step {
    rft_expr_op op;
    uint16_t to, a, b;
    uint16_t jump; /* SKIP_*: the instruction to go on with */
} rft_expr_step;

/* A slot that is used: its list as cells or bits, and the register it is loaded into. */
typedef struct rft_expr_list {
    uint16_t slot, to;
    size_t count;
    rft_expr_cell *cells;
    uint64_t *bits;
} rft_expr_list;

struct rft_expr_code {
    const rft_expr *expr;
    rft_expr_register *registers;
    size_t register_count, register_room;
    rft_expr_step *code;
    size_t code_count, code_room;
    rft_expr_list *lists;
    size_t list_count, list_room;
    size_t varying, length; /* the slot run along, and its number of values */
    uint16_t result;
};

/* One instruction over so many lanes (one where its result is uniform). */
void rft_expr_run_step(rft_expr_code *code, const rft_expr_step *step, size_t lanes);

#endif
