/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reference_spec.h - a reference kernel as a spec of its own, and what it gets where the script does not say.
 *
 * Its buffers are the point's inputs, outputs and inouts in the order of their names, floating-point outputs and inouts
 * as f64 (an inout holds its original values, converted), its constants, and its own temp buffers. A launch without
 * arguments gets those of the point, in that order, then every problem dimension in 64 bits, a real one as double. A
 * launch without geometry has one thread an element of the largest output, in blocks of RFT_REFERENCE_BLOCK.
 */
#ifndef RFT_MODEL_REFERENCE_SPEC_H
#define RFT_MODEL_REFERENCE_SPEC_H

#include "model/sweep/spec.h"

#define RFT_REFERENCE_BLOCK 256

/* The reference of `spec`, with its buffers and without launches; `told` as in rft_point_spec, copied. In `arena`. */
rft_point_spec *rft_reference_spec_new(const rft_point_spec *spec, const char *told, rft_arena *arena);

/* The problem as arguments: numbers, texts replaced by theirs. */
typedef struct rft_reference_dims {
    const rft_value *values;
    const bool *is_macro;     /* compiled, and defined where the reference is compiled; NULL: none is */
    const char *const *names; /* NULL, of all or of a compiled one */
    size_t count;
} rft_reference_dims;
/* The arguments that a launch gets by itself, and its grid for blocks of so many threads. */
void rft_reference_spec_args(const rft_point_spec *reference, const rft_reference_dims *dims, rft_launch *out,
                             rft_arena *arena);
int64_t rft_reference_spec_blocks(const rft_point_spec *reference, int64_t threads);

/* "hist.cu:count (256 threads in all)" where it is a kernel launched once, else what it is called. */
const char *rft_reference_spec_size(const rft_point_spec *reference, rft_arena *arena);

#endif
