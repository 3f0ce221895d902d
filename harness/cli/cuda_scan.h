/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_scan.h - what a CUDA source says of itself without a compiler: its kernels, their parameters, and the macros
 * that the compiler's command line must define. A scan of words: what a header makes is not seen, of macros only
 * kernels in whole, and NVRTC has the last word. Regions under `#ifndef __CUDACC_RTC__` and `#if 0` are left out, as
 * NVRTC leaves them out.
 */
#ifndef RFT_CLI_CUDA_SCAN_H
#define RFT_CLI_CUDA_SCAN_H

#include "base/arena.h"
#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFT_CUDA_ENTRIES_MAX 256
#define RFT_CUDA_PARAMS_MAX 64 /* of a kernel or a template */

typedef struct rft_cuda_param {
    const char *name;
    const char *written;   /* its type as written, words one space apart */
    const char *base;      /* the same without const, * and the like: "unsigned int" */
    const char *type;      /* "f32"; NULL: none of rooftune's */
    int lanes;             /* 4 for float4 */
    bool pointer;          /* to `type`, one level */
    bool is_const;         /* what it points to */
    bool is_enum;          /* an enumeration's: no size of anything */
    bool guessed;          /* the type it points to is not known: `type` is a guess */
    bool aliased;          /* by a name that a macro, a template or one of several typedefs stands for */
    bool assigned;         /* `x[...] = ` stands in the body, under no #if and in no template */
    const char *count_of;  /* n, where the body has x[i] alone, and i is held against n; NULL: not seen */
    bool read, written_to; /* what the body seems to do with what it points to; both where that is not seen */
    /* A struct that the file or a header defines, all of it understood: its fields in order, of `type` or with fields
     * of their own; NULL: none. */
    const struct rft_cuda_param *fields;
    size_t field_count;
    size_t elements; /* of a field that is an array; else 1 */
    size_t align;    /* what a struct says itself: alignas(16); 0: nothing */
} rft_cuda_param;

typedef struct rft_cuda_template {
    const char *name;  /* "" without one */
    const char *kind;  /* "int", "typename", "bool", as written */
    const char *given; /* the default, NULL: none */
} rft_cuda_template;

/* What a kernel makes of blockIdx.x, .y or .z. */
typedef struct rft_cuda_axis {
    const char *factor; /* what it is multiplied by, as written: "BLOCK*ITEMS"; NULL: nothing that was understood */
    const char *times;  /* VEC of `(blockIdx.x * blockDim.x + threadIdx.x) * VEC`; NULL: none */
    const char *alias;  /* row of `int row = blockIdx.x;`; NULL: none */
    bool by_threads;    /* multiplied by blockDim */
    const char *bound;  /* n of `if (i < n)`, i being made of it; NULL: not seen */
    const char *index;  /* that i; NULL: no bound */
    bool once; /* i is blockIdx * factor + threadIdx, a thread has one, and none at n or beyond does anything */
} rft_cuda_axis;

typedef struct rft_cuda_entry {
    const char *name; /* with its namespaces: "mine::saxpy" */
    size_t line;      /* from 1 */
    rft_cuda_template templates[RFT_CUDA_PARAMS_MAX];
    size_t template_count;
    rft_cuda_param params[RFT_CUDA_PARAMS_MAX];
    size_t param_count;
    int block_axes;        /* 2: blockIdx.y is used and blockIdx.z is not */
    int thread_axes;       /* the same of threadIdx */
    rft_cuda_axis axes[3]; /* of the grid: x, y, z */
    const char
        *extents[3];     /* what threadIdx.x, .y, .z run up to: BX of `blockIdx.x * BX + threadIdx.x`; NULL: not seen */
    const char *threads; /* of __launch_bounds__, as written: "BM*BN/(TM*TN)"; NULL: none */
    uint64_t variables;  /* a bit for each of the file's variables that the body names */
    bool is_c;           /* extern "C" */
    bool several;        /* alternatives under #if, overloads, specialisations: the first is here */
    bool dynamic_shared; /* extern __shared__ */
    bool always_dynamic; /* and neither an #if nor a template argument may leave it out */
    bool cooperative;    /* this_grid().sync(): its blocks wait for each other, as it seems */
    bool waits;          /* the same, for certain, unless an #if or a template argument leaves it out */
    long max_threads;    /* of __launch_bounds__, 0: not said as a number */
} rft_cuda_entry;

typedef struct rft_cuda_macro {
    const char *name;
    const char *given; /* its value under #ifndef NAME; NULL: used and not defined */
    bool only_in_if;   /* asked in #if alone */
    bool device;       /* it stands for __device__ or __global__ */
    const char *word;  /* the one name that an unconditional #define stands for; NULL: something else */
    const char *fixed; /* the number of an unconditional #define or a constant; then no other place defines it */
} rft_cuda_macro;

/* A __constant__ variable. */
typedef struct rft_cuda_variable {
    const char *name;  /* without its namespaces */
    const char *type;  /* "f32"; NULL: none of rooftune's */
    int lanes;         /* 2 for float2 */
    const char *count; /* its elements as written: "(33*33)*(2)"; "1": no array */
    size_t elements;   /* the same as a number; 0: not known */
    const char *space; /* its namespaces: "mine::"; "" */
    bool initialised;  /* = { ... }: the source has its contents */
} rft_cuda_variable;

typedef struct rft_cuda_file {
    const rft_cuda_entry *entries;
    size_t entry_count;
    const rft_cuda_macro *macros;
    size_t macro_count;
    const rft_cuda_variable *variables; /* RFT_CUDA_PARAMS_MAX at most */
    size_t variable_count;
    bool newer;          /* concept, requires, consteval, constinit: C++20 */
    const char *text;    /* what was scanned, borrowed */
    const char *refused; /* what NVRTC or a sweep cannot have: "a launch (<<<)"; NULL: nothing */
    size_t refused_line;
} rft_cuda_file;

/* Scans text that ends in NUL; what lies behind the first NUL is not seen. `headers`: the text of those that it
 * includes, read for their macros and names of types alone; NULL: not known. All of *out lives in the arena.
 * RFT_E_LIMIT: more kernels, parameters or macros than the constants above allow. */
int rft_cuda_scan(rft_cuda_file *out, const char *text, const char *headers, rft_arena *arena, rft_err *err);

/* Gives the template's parameters that have no default the arguments of the first launch (<<<) in `text`, the file with
 * its host code: literals, constants of it, and types of rooftune's, which the kernel's parameters then have. */
void rft_cuda_take_launches(rft_cuda_entry *entry, const char *text, rft_arena *arena);

/* A texture or surface, of the runtime or the driver. */
bool rft_cuda_is_texture(const rft_cuda_param *param);

/* A scalar or pointer in a struct. */
typedef struct rft_cuda_place {
    const rft_cuda_param *field;
    size_t at; /* bytes from the struct's beginning */
} rft_cuda_place;

/* Where the scalars and pointers of a struct with known fields lie, `capacity` at most, their number in *count; returns
 * its bytes, padding included. */
size_t rft_cuda_layout(const rft_cuda_param *param, rft_cuda_place *places, size_t capacity, size_t *count);

/* Does this name stand anywhere in the text, even in a comment? */
bool rft_cuda_mentions(const rft_cuda_file *file, const char *name);

#endif
