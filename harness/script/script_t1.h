/* SPDX-License-Identifier: Apache-2.0 */
/*
 * script_t1.h - the kernel of a T1 file (odgaard/TuningSchema): its KernelSpecification, or the arguments of a call of
 * Kernel Tuner's tune_kernel() as JSON, with every expression as Lua. A parameter is c.NAME there, ProblemSize[0] is
 * p.size_x. Its Python is translated and never run (python.h).
 */
#ifndef RFT_SCRIPT_T1_H
#define RFT_SCRIPT_T1_H

#include "base/arena.h"
#include "base/err.h"
#include "model/sweep/value.h"

#include <stdbool.h>
#include <stddef.h>

#define RFT_T1_ARGUMENTS_MAX 64
#define RFT_T1_REMARKS_MAX 64

typedef enum rft_t1_memory {
    RFT_T1_VECTOR,
    RFT_T1_SCALAR,
    RFT_T1_CONSTANT, /* a __constant__ variable; Kernel Tuner's T1 files list it among the arguments, too */
} rft_t1_memory;

typedef struct rft_t1_argument {
    const char *name; /* "" where the file has none */
    rft_t1_memory memory;
    const char *type;   /* "f32" */
    int lanes;          /* 4 for float4 */
    bool read, written; /* as the file says; both where it does not */
    bool access_said;
    const char *size;        /* not SCALAR. Lua: elements of `type`, lanes counted */
    const char *value;       /* SCALAR. Lua, without the type */
    const char *fill;        /* Lua: "uniform(0, 1)"; NULL: rooftune's own */
    const char *unlike;      /* what the fill stands for ("Generator: i"); NULL: nothing */
    bool is_argument_surely; /* false: a constant that may be an argument besides */
} rft_t1_argument;

typedef struct rft_t1_param {
    const char *name;
    const rft_value *values;
    size_t value_count;
    size_t preset; /* place of the default among the values; SIZE_MAX: the file names none of them */
} rft_t1_param;

typedef struct rft_t1_kernel {
    const char *name;   /* name expression */
    const char *file;   /* as written; NULL: `source` is there */
    const char *source; /* the CUDA text itself */
    const char *space;  /* a sweep of the parameters and conditions alone (script.h) */
    const rft_t1_param *params;
    size_t param_count;
    const char *const *conditions; /* Lua */
    size_t condition_count;
    const char *size_names[3];      /* dimensions of the problem: "size_x" */
    const char *sizes[3];           /* whole numbers */
    size_t size_count;              /* 0: the grid stands in the file */
    const char *grid[3], *block[3]; /* Lua; all three are there */
    const char *extent[3];          /* Lua: what the grid covers; NULL: it stands in the file */
    const char *block_names[3];     /* what Kernel Tuner calls a block's sizes, NULL: no such macro */
    const char *shared;             /* Lua, bytes of dynamic shared memory; NULL: none */
    const char *const *options;     /* of the compiler, as written */
    size_t option_count;
    const rft_t1_argument *arguments;
    size_t argument_count;
    const char *remarks[RFT_T1_REMARKS_MAX]; /* what is not as the file has it, a sentence each */
    size_t remark_count;
    bool is_call; /* of Kernel Tuner's, as it was printed */
} rft_t1_kernel;

/* Reads JSON text; `what` names it in messages. All of *out lives in the arena. RFT_E_SCRIPT with the JSON path: what
 * is not as T1 has it, Python beyond what is translated, what a sweep cannot have (another language, textures, host
 * functions). */
int rft_script_t1_kernel(rft_t1_kernel *out, const char *text, size_t size, const char *what, rft_arena *arena,
                         rft_err *err);

/* An error's paths as the printed call has them: "restrictions[0]" for "ConfigurationSpace.Conditions[0].Expression".
 */
void rft_script_tuner_words(rft_err *err);

typedef struct rft_t1_macro {
    const char *name, *number;
} rft_t1_macro;

/* The number of elements that a declaration gives an array ("(33*33)"), over parameters of one value and these macros.
 * Lua, in the arena; NULL: it is not known here. */
const char *rft_script_t1_elements(const rft_t1_kernel *kernel, const char *declared, const rft_t1_macro *macros,
                                   size_t macro_count, rft_arena *arena);

#endif
