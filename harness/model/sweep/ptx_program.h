/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_program.h - one kernel of a PTX text, as far as whole numbers and addresses go: for ptx_walk.h. What is not
 * understood leaves its results unknown; nothing is trusted.
 */
#ifndef RFT_MODEL_PTX_PROGRAM_H
#define RFT_MODEL_PTX_PROGRAM_H

#include "base/arena.h"

#include <stdbool.h>
#include <stdint.h>

#define RFT_PTX_OPERANDS 5
/* Where shared memory is said to lie: the extern __shared__ array, and from the second on one array after another. */
#define RFT_PTX_DYNAMIC 0x40000000u
#define RFT_PTX_STATIC 0x80000000u
#define RFT_PTX_STATIC_STEP 0x01000000u
#define RFT_PTX_STATIC_MAX 64

typedef enum rft_ptx_op {
    RFT_PTX_OTHER, /* its first operand is unknown behind it */
    RFT_PTX_ADD,
    RFT_PTX_SUB,
    RFT_PTX_MUL,
    RFT_PTX_MAD,
    RFT_PTX_DIV,
    RFT_PTX_REM,
    RFT_PTX_AND,
    RFT_PTX_OR,
    RFT_PTX_XOR,
    RFT_PTX_NOT,
    RFT_PTX_NEG,
    RFT_PTX_ABS,
    RFT_PTX_MIN,
    RFT_PTX_MAX,
    RFT_PTX_SHL,
    RFT_PTX_SHR,
    RFT_PTX_MOV,
    RFT_PTX_CVT,
    RFT_PTX_SELP,
    RFT_PTX_SETP,
    RFT_PTX_LD_PARAM,
    RFT_PTX_READ,  /* of global, shared or any memory */
    RFT_PTX_WRITE, /* its first operand is the address */
    RFT_PTX_ATOMIC,
    RFT_PTX_COPY, /* cp.async: [shared], [global], bytes */
    RFT_PTX_BRANCH,
    RFT_PTX_END, /* or what cannot be followed: call, brx */
} rft_ptx_op;

typedef enum rft_ptx_kind {
    RFT_PTX_UNKNOWN,
    RFT_PTX_REG,
    RFT_PTX_NUMBER,
    RFT_PTX_SPECIAL, /* value: rft_ptx_special */
    RFT_PTX_LIST,    /* count registers of program->lists from `at` on */
    RFT_PTX_ADDRESS, /* register `at` (SIZE_MAX: none) plus value */
    RFT_PTX_PARAM,   /* parameter `at`, byte value */
} rft_ptx_kind;

/* tid, ntid, ctaid, nctaid: x, y, z each, in this order. */
#define RFT_PTX_SPECIALS 12

typedef struct rft_ptx_operand {
    rft_ptx_kind kind;
    size_t at, count;
    uint64_t value;
} rft_ptx_operand;

typedef struct rft_ptx_instruction {
    rft_ptx_op op;
    size_t guard; /* register; SIZE_MAX: none */
    bool guard_not;
    int bits, from_bits;      /* of the type, 1 for a predicate; of cvt's source */
    bool is_signed, is_whole; /* of the type; cvt: of the source; reals are not computed */
    bool wide, hi;            /* of mul and mad */
    char compare[3];          /* "lt" */
    size_t bytes;             /* of an access */
    rft_ptx_operand operands[RFT_PTX_OPERANDS];
    size_t operand_count;
    size_t target;     /* of a branch: index; SIZE_MAX: not known */
    size_t file, line; /* from 1; 0: not said */
} rft_ptx_instruction;

typedef struct rft_ptx_program {
    rft_ptx_instruction *items;
    size_t count;
    size_t register_count;
    size_t *lists;
    const char *static_names[RFT_PTX_STATIC_MAX]; /* as the source has them */
    uint64_t static_bytes[RFT_PTX_STATIC_MAX];
    size_t static_count;
    size_t param_count;
} rft_ptx_program;

/* Reads the kernel `symbol` out of `text`, which ends in NUL; false: it is not there, or too much. */
bool rft_ptx_program_read(rft_ptx_program *out, const char *text, const char *symbol, rft_arena *arena);

#endif
