/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_scan.h - the kernels of a CUDA source, found by looking for __global__: enough for messages and for a first
 * guess. Comments and literals are left out; #if, macros and namespaces are not understood, so that a kernel whose name
 * a macro makes is not found.
 */
#ifndef RFT_GPU_KERNEL_SCAN_H
#define RFT_GPU_KERNEL_SCAN_H

#include "base/arena.h"

#include <stddef.h>

typedef struct rft_seen_kernel {
    const char *name;          /* without its namespace */
    const char *template_head; /* "template <int VEC>", on one line; NULL: no template */
} rft_seen_kernel;

/* All zero: none yet. */
typedef struct rft_seen_kernels {
    rft_seen_kernel *items; /* in the order of the text; one that is declared and defined stands here twice */
    size_t count, capacity;
} rft_seen_kernels;

/* Adds those of `text`. Everything lives in `arena`. */
void rft_kernel_scan(rft_seen_kernels *kernels, const char *text, rft_arena *arena);

#endif
