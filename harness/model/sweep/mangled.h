/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mangled.h - the parameters of a kernel, read from its symbol: "_Z5saxpyILi4EEvPKfPffx" takes const float *, float *,
 * float, long long. As much of the Itanium C++ ABI's mangling as kernels need; what is not understood is not guessed.
 */
#ifndef RFT_MODEL_MANGLED_H
#define RFT_MODEL_MANGLED_H

#include "base/arena.h"
#include "model/sweep/value.h"

typedef enum rft_mangled_kind {
    RFT_PARAM_UNKNOWN, /* a struct, an enum, ... */
    RFT_PARAM_VALUE,
    RFT_PARAM_POINTER,
    RFT_PARAM_TENSOR_MAP
} rft_mangled_kind;

typedef struct rft_mangled_param {
    rft_mangled_kind kind;
    const char *name; /* VALUE, POINTER: of the value or of what is pointed to ("long long"), static; NULL: unknown */
    bool to_const;    /* POINTER: nothing is written through it; false: not known to be so */
    bool has_type;    /* false: unknown, void, or a map */
    rft_type type;    /* a bool is a u8, a char an i8 */
} rft_mangled_param;

#define RFT_PARAMS_MAX 64

/* How many parameters `symbol` takes, described in `out`; -1 when it is no mangled function's name (extern "C"), or not
 * one that is understood here. Any text may be given. */
int rft_mangled_params(const char *symbol, rft_mangled_param out[RFT_PARAMS_MAX]);

/* The name of a variable as C++ says it, from its symbol: "_ZN2ns8d_filterE" is ns::d_filter. Nameless namespaces and
 * what stands for `static` are left out; the symbol itself where it is not understood (templates). In `arena`. */
const char *rft_mangled_variable(const char *symbol, rft_arena *arena);

#endif
