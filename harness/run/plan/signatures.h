/* SPDX-License-Identifier: Apache-2.0 */
/* signatures.h - a point's arguments and constants against the parameters and variables of its compiled code: no GPU is
 * needed. */
#ifndef RFT_RUN_SIGNATURES_H
#define RFT_RUN_SIGNATURES_H

#include "gpu/compiler.h"
#include "model/sweep/spec.h"

/* What is wrong with the first launch that gives what its kernel cannot take (model/sweep/arguments.h), or with the
 * first constant (model/sweep/constants.h), or with a block or cluster that its code was not compiled for, in `arena`;
 * NULL: nothing is known to be. `compiled` is ok. */
const char *rft_signatures_wrong(const rft_point_spec *spec, const rft_compile_result *compiled, rft_arena *arena);
/* The same for the kernel that fills a buffer; `compiled` is its unit. */
const char *rft_signatures_of_fill_wrong(const rft_point_spec *spec, size_t buffer, const rft_compile_result *compiled,
                                         rft_arena *arena);
/* What of a fill's `args` it never reads; that it leaves out its count or seed is its own affair. NULL: it reads all.
 */
const char *rft_signatures_of_fill_unread(const rft_point_spec *spec, size_t buffer, const rft_compile_result *compiled,
                                          rft_arena *arena);
#define RFT_FILL_TAKES                                                                                                 \
    "a fill takes the buffer, its count and a seed, both in 64 bits, then what `args` lists: rows(int *rows, long "    \
    "long "                                                                                                            \
    "count, unsigned long long seed, ...)"
/* Takes the arguments that are macros, too, out of the reference's launches whose kernels have no parameters for them.
 * `compiled` is the reference's unit, and ok. */
void rft_signatures_settle(rft_point_spec *reference, const rft_compile_result *compiled);

/* A buffer of another type than is pointed to, as arguments.h has it, in the first launch that has one. */
const char *rft_signatures_other_type(const rft_point_spec *spec, const rft_compile_result *compiled, rft_arena *arena);

/* What is given and never read, as arguments.h has it, of the first launch that does. */
const char *rft_signatures_unread(const rft_point_spec *spec, const rft_compile_result *compiled, rft_arena *arena);
/* How many parameters the kernel of a launch takes; SIZE_MAX: not known. */
size_t rft_signatures_taken(const rft_launch *launch, const rft_compile_result *compiled);

/* The first __constant__ variable of compiled code that nothing fills (model/sweep/constants.h); NULL: none. In
 * `arena`. */
const rft_variable *rft_signatures_unfilled(const rft_point_spec *spec, const rft_compile_result *compiled,
                                            rft_arena *arena);

/* The kernel of a launch without `shared` whose code has shared memory, and none of static size; NULL: none is known to
 * be, as where several are compiled together. */
const char *rft_signatures_unsized(const rft_point_spec *spec, const rft_compile_result *compiled);

/* An output or scratch that every launch gets by a pointer to const alone; NULL: none is known to be. */
const rft_buffer *rft_signatures_unwritten(const rft_point_spec *spec, const rft_compile_result *compiled);

#endif
