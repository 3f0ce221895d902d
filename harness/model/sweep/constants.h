/* SPDX-License-Identifier: Apache-2.0 */
/*
 * constants.h - the constants of a point (spec.h, RFT_BUFFER_CONSTANT) against the variables of compiled code.
 */
#ifndef RFT_MODEL_CONSTANTS_H
#define RFT_MODEL_CONSTANTS_H

#include "model/sweep/spec.h"

#define RFT_CONSTANT_BYTES_MAX (64u << 10) /* of all __constant__ variables of a module together, on every device */

/* A __constant__ or __device__ variable of compiled code. */
typedef struct rft_variable {
    const char *symbol;
    const char *name; /* as rft_mangled_variable() says it */
    uint64_t bytes;
    bool is_constant; /* false: __device__ */
    bool is_zero;     /* as the code has it */
} rft_variable;

/* By its name or its symbol; NULL: there is none. */
const rft_variable *rft_variable_find(const rft_variable *variables, size_t count, const char *name);

/* NULL, or what is wrong with the first constant that the code has not, or not in this size, and what to write; in
 * `arena`. A reference may be without them. `source` is named in the message. */
const char *rft_constants_wrong(const rft_point_spec *spec, const rft_variable *variables, size_t count,
                                const char *source, bool of_reference, rft_arena *arena);

/* The first __constant__ variable that neither its code nor the point gives a value, so that a kernel reads 0 there;
 * NULL: there is none. */
const rft_variable *rft_constants_unfilled(const rft_point_spec *spec, const rft_variable *variables, size_t count);

#endif
