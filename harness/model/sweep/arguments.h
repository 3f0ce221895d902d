/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arguments.h - what a launch gives a kernel, against what the kernel takes.
 *
 * Refused is only what cannot be right: too few arguments, a scalar that is narrower than its parameter or arrives as
 * another value, a scalar where a pointer is taken, a buffer of one floating-point format where another is pointed to.
 * Structs, vectors, void *, char * and integers' pointers take any buffer (packed loads), scratch goes anywhere; of
 * b.x:as(u32) the type it says counts, not the buffer's. Of a
 * struct by value only the size is compared: a symbol has no more than its name.
 */
#ifndef RFT_MODEL_ARGUMENTS_H
#define RFT_MODEL_ARGUMENTS_H

#include "model/sweep/mangled.h"
#include "model/sweep/spec.h"

typedef struct rft_signature {
    const char *name; /* of the kernel, for messages */
    int count;        /* of parameters; -1: unknown, and nothing else is known */
    rft_mangled_param params[RFT_PARAMS_MAX];
    uint32_t bytes[RFT_PARAMS_MAX]; /* 0: unknown */
} rft_signature;

/* From the symbol, and from `count` sizes in bytes that the compiled code tells (0: it tells none). */
void rft_signature_read(rft_signature *out, const char *name, const char *symbol, const uint32_t *bytes, size_t count);

/* NULL, or what is wrong with the arguments of a launch of `spec`, a point's or a reference, and what to write, in
 * `arena`. */
const char *rft_arguments_wrong(const rft_point_spec *spec, const rft_launch *launch, const rft_signature *takes,
                                rft_arena *arena);

/* NULL, or the first buffer that passes and is seldom meant: reals where whole numbers of their width are pointed to
 * (or the other way round), elements wider than what is pointed to, anything but bytes as bool. "CAUSE; REMEDY" in
 * `arena`. Bytes carry anything, narrower elements may be packed; what else is meant b.x:as(u32) says. */
const char *rft_arguments_other_type(const rft_point_spec *spec, const rft_launch *launch, const rft_signature *takes,
                                     rft_arena *arena);

/* Arguments behind the last parameter are never read, which is allowed, and seldom meant: NULL, or the first of them,
 * in words, in `arena`. */
const char *rft_arguments_unread(const rft_point_spec *spec, const rft_launch *launch, const rft_signature *takes,
                                 rft_arena *arena);

#endif
