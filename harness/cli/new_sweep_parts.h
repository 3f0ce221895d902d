/* SPDX-License-Identifier: Apache-2.0 */
/* new_sweep_parts.h - what new_sweep.c finds out and new_sweep_*.c write. */
#ifndef RFT_CLI_NEW_SWEEP_PARTS_H
#define RFT_CLI_NEW_SWEEP_PARTS_H

#include "cli/new_sweep.h"

#define RFT_NEW_DIMENSIONS_MAX 16
#define RFT_NEW_TUNED_MAX 63 /* one is left for the threads of a block */

typedef struct rft_new_dimension {
    const char *name;
    const char *values; /* "1024,4096" */
    bool guessed;
} rft_new_dimension;

typedef struct rft_new_tuned {
    const char *name;
    const char *given;  /* the source's own default, NULL: none */
    const char *values; /* Lua */
    const char *preset; /* Lua: the default */
    const char *help;
    bool truth, flag; /* a template's bool; a macro asked in #if alone */
    bool by_launch;   /* threads that the source leaves to the launch */
    bool guessed;
} rft_new_tuned;

typedef struct rft_new_plan {
    const rft_new_request *request;
    const rft_cuda_entry *kernel;                       /* the request's, or its truth; structs as their fields */
    const rft_cuda_param *structs[RFT_CUDA_PARAMS_MAX]; /* whose first field the parameter is; NULL: none */
    const char *names[RFT_CUDA_PARAMS_MAX];             /* of the parameters, in Lua */
    rft_new_dimension dimensions[RFT_NEW_DIMENSIONS_MAX];
    size_t dimension_count;
    bool free_dimension;                /* no parameter of the kernel: only sizes follow it */
    bool square;                        /* one dimension is that of both axes */
    bool is_product;                    /* A of m x k, B of k x n, C of m x n, whatever their layouts */
    size_t product[3];                  /* then: which dimensions m, n and k are */
    size_t counts[RFT_CUDA_PARAMS_MAX]; /* 1 + the one dimension that a buffer follows; 0: all of them */
    size_t along[3];                    /* the dimension that blocks along x, y and z walk */
    const char *entry;                  /* name expression */
    bool has_type;                      /* it names a type that was guessed */
    rft_new_tuned tuned[RFT_NEW_TUNED_MAX + 1];
    size_t tuned_count;
    const char *block, *grid; /* Lua */
    const char *limit;        /* a constraint, NULL: none */
} rft_new_plan;

/* Adds a parameter; beyond RFT_NEW_TUNED_MAX the last is replaced. */
void rft_new_tune(rft_new_plan *plan, const char *name, const char *given, bool truth);
/* "(BM*BN)/(TM*TN)" as "(c.BM * c.BN) // (c.TM * c.TN)", `before` being "c."; NULL: a name in it is no parameter and no
 * constant of the file, or there is no text. */
const char *rft_new_lua(const rft_new_plan *plan, const char *text, const char *before, rft_arena *arena);
/* What blocks along the axis lie apart, of parameters and constants: the factor, or BM of `row * BM * K`; NULL. */
const char *rft_new_factor(const rft_new_plan *plan, const rft_cuda_axis *axis, rft_arena *arena);
/* Has the source a number of its own for what sweeps usually tune: #define TILE 32? */
bool rft_new_is_fixed(const rft_cuda_macro *macro);
/* Values, block and grid, by the names. */
void rft_new_choose(rft_new_plan *plan, rft_arena *arena);
int rft_new_type_bytes(const char *type); /* of "f32" */

/* ---- of a given specification ---- */

typedef struct rft_given_argument {
    const rft_t1_argument *given;
    const char *name; /* in Lua */
    const char *type, *size, *fill;
    bool read, written;
    bool in_launch, is_symbol;
    const char *constant_type, *constant_size; /* of a symbol */
} rft_given_argument;

typedef struct rft_given_plan {
    const rft_given_request *request;
    rft_given_argument arguments[RFT_T1_ARGUMENTS_MAX];
    const rft_value **presets; /* per parameter: the configuration that stands for the others' reference */
    const char *options[RFT_T1_ARGUMENTS_MAX];
    size_t option_count;
    const char *remarks[RFT_T1_REMARKS_MAX * 2];
    size_t remark_count;
    bool sizes_open; /* an input of one element, contents that stand elsewhere, a macro that nothing defines */
} rft_given_plan;

/* 'a', 'b' or 'c' of A, d_A and b; 0: another name. */
char rft_new_matrix(const char *name);
void rft_given_write(rft_str *out, const rft_given_plan *plan);

/* `truth`: the plan of the kernel that is the reference; NULL: a file is. */
void rft_new_write_sweep(rft_str *out, const rft_new_plan *plan, const rft_new_plan *truth);
void rft_new_write_reference(rft_str *out, const rft_new_plan *plan);

#endif
