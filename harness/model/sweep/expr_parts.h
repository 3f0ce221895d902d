/* SPDX-License-Identifier: Apache-2.0 */
/* expr_parts.h - what the parser leaves and both evaluators read. Private to expr_*.c. */
#ifndef RFT_MODEL_EXPR_PARTS_H
#define RFT_MODEL_EXPR_PARTS_H

#include "model/sweep/expr.h"

typedef enum rft_expr_op {
    RFT_OP_CONSTANT,
    RFT_OP_SLOT,
    /* one operand */
    RFT_OP_NEGATE,
    RFT_OP_NOT,
    RFT_OP_INVERT, /* ~x */
    RFT_OP_FLOOR,
    RFT_OP_CEIL,
    RFT_OP_ABS,
    RFT_OP_SQRT,
    /* two */
    RFT_OP_ADD,
    RFT_OP_SUBTRACT,
    RFT_OP_MULTIPLY,
    RFT_OP_DIVIDE,
    RFT_OP_FLOOR_DIVIDE,
    RFT_OP_MODULO,
    RFT_OP_POWER,
    RFT_OP_BIT_AND,
    RFT_OP_BIT_OR,
    RFT_OP_BIT_XOR,
    RFT_OP_SHIFT_LEFT,
    RFT_OP_SHIFT_RIGHT,
    RFT_OP_MIN,
    RFT_OP_MAX,
    RFT_OP_EQUAL,
    RFT_OP_UNEQUAL,
    RFT_OP_LESS,
    RFT_OP_LESS_EQUAL, /* > and >= are these, their operands exchanged but evaluated in order all the same */
    RFT_OP_AND,
    RFT_OP_OR,
    /* only in code, see below */
    RFT_OP_TO_REAL,
    RFT_OP_SKIP_AND, /* decided by the left operand alone: jump behind the RFT_OP_AND */
    RFT_OP_SKIP_OR
} rft_expr_op;

/* Operands stand before their operator. */
typedef struct rft_expr_node {
    rft_expr_op op;
    uint16_t a, b; /* nodes */
    uint16_t slot; /* SLOT */
    rft_expr_value constant;
} rft_expr_node;

struct rft_expr {
    rft_expr_node *nodes; /* the last is the whole */
    size_t count;
    size_t slot_count;
};

#define RFT_EXPR_NODES_MAX 4096

/* The arithmetic of Lua 5.4 on whole numbers and reals, where C's differs. */
int64_t rft_lua_floor_divide(int64_t a, int64_t b); /* b is not 0 */
int64_t rft_lua_modulo(int64_t a, int64_t b);       /* b is not 0 */
double rft_lua_real_modulo(double a, double b);
double rft_lua_power(double a, double b);
int64_t rft_lua_shift_left(int64_t a, int64_t b); /* right when b is negative; 0 beyond 63 */
/* Exact comparison of a whole number with a real: -1, 0, 1; 2 when the real is NaN. */
int rft_lua_compare(int64_t a, double b);
bool rft_lua_to_integer(double real, int64_t *out); /* false unless integral and in range */

/* ---- an expression as code over registers whose kinds are known, run over 64 values of one slot at a time ----
 *
 * A register holds 64 whole numbers, 64 reals or 64 truths (bits of a mask), or one for all 64 (`uniform`). What would
 * be an error in Lua sets the value's bit in `bad`; and / or forget it where the left operand decides.
 * expr_specialise.c makes the code, expr_run.c runs it. */

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
