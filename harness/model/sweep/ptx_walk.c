/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/ptx_walk.h"

#include <stdlib.h>
#include <string.h>

typedef struct value {
    uint64_t bits;
    bool known;
} value;

typedef struct state {
    rft_ptx_walk *walk;
    const rft_ptx_thread *thread;
    value *registers;
} state;

static const value unknown = {0, false};

static uint64_t cut(uint64_t bits, int width) {
    return width >= 64 ? bits : bits & ((UINT64_C(1) << width) - 1);
}

static int64_t extended(uint64_t bits, int width) {
    uint64_t sign = width >= 64 ? 0 : UINT64_C(1) << (width - 1);
    return (int64_t)((cut(bits, width) ^ sign) - sign);
}

static value known(uint64_t bits, int width) {
    return (value){cut(bits, width), true};
}

static value get(const state *s, const rft_ptx_operand *o) {
    switch (o->kind) {
    case RFT_PTX_REG:
        return s->registers[o->at];
    case RFT_PTX_NUMBER:
        return (value){o->value, true};
    case RFT_PTX_SPECIAL:
        return s->thread->grid_unknown && o->value >= 9 ? unknown : (value){s->thread->specials[o->value], true};
    default:
        return unknown;
    }
}

static void set(const state *s, const rft_ptx_operand *o, value v) {
    if (o->kind == RFT_PTX_REG) {
        s->registers[o->at] = v;
    }
    for (size_t i = 0; o->kind == RFT_PTX_LIST && i < o->count; i++) {
        s->registers[s->walk->program->lists[o->at + i]] = unknown;
    }
}

/* ---- arithmetic ---- */

static bool decides(const rft_ptx_instruction *in, uint64_t a, uint64_t b, bool *result) {
    int64_t x = extended(a, in->bits), y = extended(b, in->bits);
    a = cut(a, in->bits);
    b = cut(b, in->bits);
    bool less = in->is_signed ? x < y : a < b, same = a == b;
    static const char *const words[] = {"eq", "ne", "lt", "le", "gt", "ge"};
    const bool results[] = {same, !same, less, less || same, !less && !same, !less};
    for (size_t i = 0; i < 6; i++) {
        if (strcmp(in->compare, words[i]) == 0) {
            *result = results[i];
            return true;
        }
    }
    return false;
}

static value divide(const rft_ptx_instruction *in, uint64_t a, uint64_t b, bool rest) {
    if (in->is_signed) {
        int64_t x = extended(a, in->bits), y = extended(b, in->bits);
        bool fits = y != 0 && !(y == -1 && x < 0);
        return fits ? known((uint64_t)(rest ? x % y : x / y), in->bits) : unknown;
    }
    a = cut(a, in->bits);
    b = cut(b, in->bits);
    return b != 0 ? known(rest ? a % b : a / b, in->bits) : unknown;
}

static value product(const rft_ptx_instruction *in, uint64_t a, uint64_t b) {
    bool whole = in->wide || in->hi; /* of 32 bits at most */
    uint64_t x = in->is_signed ? (uint64_t)extended(a, in->bits) : cut(a, in->bits);
    uint64_t y = in->is_signed ? (uint64_t)extended(b, in->bits) : cut(b, in->bits);
    return known(in->hi ? x * y >> 32 : x * y, whole && !in->hi ? 2 * in->bits : in->bits);
}

static value shifted(const rft_ptx_instruction *in, uint64_t a, uint64_t by) {
    uint64_t amount = cut(by, 32), width = (uint64_t)in->bits;
    if (in->op == RFT_PTX_SHL) {
        return known(amount >= width ? 0 : a << amount, in->bits);
    }
    if (in->is_signed) {
        int64_t x = extended(a, in->bits);
        uint64_t shift = amount >= width ? width - 1 : amount;
        return known(x < 0 ? ~(~(uint64_t)x >> shift) : (uint64_t)x >> shift, in->bits);
    }
    return known(amount >= width ? 0 : cut(a, in->bits) >> amount, in->bits);
}

/* Of two where one alone may decide: 0 & x. */
static value logical(const rft_ptx_instruction *in, value a, value b) {
    bool zero = (a.known && a.bits == 0) || (b.known && b.bits == 0);
    bool one = in->bits == 1 && ((a.known && a.bits == 1) || (b.known && b.bits == 1));
    if (in->op == RFT_PTX_AND && zero) {
        return known(0, in->bits);
    }
    if (in->op == RFT_PTX_OR && one) {
        return known(1, 1);
    }
    if (!a.known || !b.known) {
        return unknown;
    }
    return known(in->op == RFT_PTX_AND  ? a.bits & b.bits
                 : in->op == RFT_PTX_OR ? a.bits | b.bits
                                        : a.bits ^ b.bits,
                 in->bits);
}

static value extreme(const rft_ptx_instruction *in, uint64_t a, uint64_t b) {
    bool less = in->is_signed ? extended(a, in->bits) < extended(b, in->bits) : cut(a, in->bits) < cut(b, in->bits);
    return known(less == (in->op == RFT_PTX_MIN) ? a : b, in->bits);
}

static value of_two(const rft_ptx_instruction *in, value a, value b) {
    if (in->op == RFT_PTX_AND || in->op == RFT_PTX_OR || in->op == RFT_PTX_XOR) {
        return logical(in, a, b);
    }
    if (!a.known || !b.known) {
        return unknown;
    }
    switch (in->op) {
    case RFT_PTX_ADD:
        return known(a.bits + b.bits, in->bits);
    case RFT_PTX_SUB:
        return known(a.bits - b.bits, in->bits);
    case RFT_PTX_MUL:
        return product(in, a.bits, b.bits);
    case RFT_PTX_DIV:
    case RFT_PTX_REM:
        return divide(in, a.bits, b.bits, in->op == RFT_PTX_REM);
    case RFT_PTX_MIN:
    case RFT_PTX_MAX:
        return extreme(in, a.bits, b.bits);
    default:
        return shifted(in, a.bits, b.bits);
    }
}

static value of_one(const rft_ptx_instruction *in, value a) {
    int64_t x = extended(a.bits, in->bits);
    if (!a.known) {
        return unknown;
    }
    switch (in->op) {
    case RFT_PTX_NOT:
        return known(~a.bits, in->bits);
    case RFT_PTX_NEG:
        return known(0 - a.bits, in->bits);
    case RFT_PTX_ABS:
        return known(x < 0 ? 0 - a.bits : a.bits, in->bits);
    case RFT_PTX_CVT: /* the last of its types is the source's */
        return known(in->is_signed ? (uint64_t)x : cut(a.bits, in->bits), in->from_bits ? in->from_bits : in->bits);
    default:
        return known(a.bits, in->bits);
    }
}

static value chosen(const state *s, const rft_ptx_instruction *in) {
    value which = get(s, &in->operands[3]);
    return which.known ? get(s, &in->operands[which.bits ? 1 : 2]) : unknown;
}

static value compared(const rft_ptx_instruction *in, value a, value b) {
    bool result = false;
    return a.known && b.known && decides(in, a.bits, b.bits, &result) ? known(result, 1) : unknown;
}

static value multiplied_and_added(const rft_ptx_instruction *in, value a, value b, value c) {
    value first = a.known && b.known ? product(in, a.bits, b.bits) : unknown;
    return first.known && c.known ? known(first.bits + c.bits, in->wide ? 2 * in->bits : in->bits) : unknown;
}

/* ---- memory ---- */

static value param_at(const state *s, const rft_ptx_instruction *in) {
    const rft_ptx_operand *from = &in->operands[1];
    value v = {0, false};
    const rft_ptx_param *param = from->at < s->walk->param_count ? &s->walk->params[from->at] : NULL;
    if (from->kind == RFT_PTX_PARAM && param && in->bytes <= 8 && from->value + in->bytes <= param->size) {
        v.known = true;
        memcpy(&v.bits, param->bytes + from->value, in->bytes);
        v.bits = in->is_signed ? (uint64_t)extended(v.bits, in->bits) : v.bits;
    }
    return v;
}

static void tell_access(const state *s, const rft_ptx_instruction *in, const rft_ptx_operand *at, size_t bytes,
                        bool writes) {
    value base = at->kind == RFT_PTX_ADDRESS && at->at != SIZE_MAX ? s->registers[at->at]
                 : at->kind == RFT_PTX_ADDRESS                     ? (value){0, true}
                                                                   : unknown;
    if (base.known) {
        rft_ptx_access access = {in, base.bits + at->value, bytes, writes};
        s->walk->seen(s->walk->self, &access);
    }
}

static void tell_copy(const state *s, const rft_ptx_instruction *in) {
    value bytes = get(s, &in->operands[2]);
    bool plain = in->operand_count == 3 && bytes.known; /* else it may read less */
    if (plain) {
        tell_access(s, in, &in->operands[0], (size_t)bytes.bits, true);
        tell_access(s, in, &in->operands[1], (size_t)bytes.bits, false);
    }
}

/* ---- one after another ---- */

static void execute(const state *s, const rft_ptx_instruction *in) {
    const rft_ptx_operand *o = in->operands;
    switch (in->op) {
    case RFT_PTX_MAD:
        set(s, &o[0], multiplied_and_added(in, get(s, &o[1]), get(s, &o[2]), get(s, &o[3])));
        break;
    case RFT_PTX_NOT:
    case RFT_PTX_NEG:
    case RFT_PTX_ABS:
    case RFT_PTX_MOV:
    case RFT_PTX_CVT:
        set(s, &o[0], of_one(in, get(s, &o[1])));
        break;
    case RFT_PTX_SELP:
        set(s, &o[0], chosen(s, in));
        break;
    case RFT_PTX_SETP:
        set(s, &o[0], compared(in, get(s, &o[1]), get(s, &o[2])));
        break;
    case RFT_PTX_LD_PARAM:
        set(s, &o[0], param_at(s, in));
        break;
    case RFT_PTX_READ:
    case RFT_PTX_ATOMIC:
        tell_access(s, in, &o[1], in->bytes, in->op == RFT_PTX_ATOMIC);
        set(s, &o[0], unknown);
        break;
    case RFT_PTX_WRITE:
        tell_access(s, in, &o[0], in->bytes, true);
        break;
    case RFT_PTX_COPY:
        tell_copy(s, in);
        break;
    case RFT_PTX_OTHER:
    case RFT_PTX_BRANCH:
    case RFT_PTX_END:
        set(s, &o[0], unknown);
        break;
    default:
        set(s, &o[0], of_two(in, get(s, &o[1]), get(s, &o[2])));
    }
}

/* What may be done, and is not known to be, leaves its result unknown. */
static void may_execute(const state *s, const rft_ptx_instruction *in) {
    bool no_result = in->op == RFT_PTX_WRITE || in->op == RFT_PTX_COPY || in->op == RFT_PTX_BRANCH;
    if (!no_result) {
        set(s, &in->operands[0], unknown);
    }
}

void rft_ptx_walk_thread(rft_ptx_walk *walk, const rft_ptx_thread *thread, size_t most) {
    const rft_ptx_program *program = walk->program;
    state s = {walk, thread, rft_calloc(program->register_count + 1, sizeof(value))};
    size_t at = 0;
    for (; at < program->count && walk->steps > 0 && most > 0; walk->steps--, most--) {
        const rft_ptx_instruction *in = &program->items[at];
        value guard = in->guard == SIZE_MAX ? known(1, 1) : s.registers[in->guard];
        bool taken = guard.known && (guard.bits != 0) != in->guard_not;
        bool leaves = in->op == RFT_PTX_BRANCH || in->op == RFT_PTX_END;
        if (leaves && (!guard.known || (taken && (in->op == RFT_PTX_END || in->target == SIZE_MAX)))) {
            break;
        }
        if (!leaves && taken) {
            execute(&s, in);
        } else if (!guard.known) {
            may_execute(&s, in);
        }
        at = leaves && taken ? in->target : at + 1;
    }
    free(s.registers);
}
