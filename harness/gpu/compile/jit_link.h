/* SPDX-License-Identifier: Apache-2.0 */
/* jit_link.h - nvJitLink, which makes a cubin of PTX without a GPU; opened where it lies beside NVRTC. Private to
 * compile. */
#ifndef RFT_GPU_JIT_LINK_H
#define RFT_GPU_JIT_LINK_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct rft_jit_input {
    const char *ptx; /* ends in a NUL behind its `bytes` */
    size_t bytes;
    const char *name; /* in messages */
    const char *arch; /* "sm_90a" */
} rft_jit_input;

typedef struct rft_jit_linked {
    bool ok;     /* false: `log` says why */
    void *cubin; /* with ok; in the arena, as the log */
    size_t bytes;
    const char *log; /* what ptxas says, with its statistics; "" when empty */
} rft_jit_linked;

/* False, and nothing done: there is none, or it does not know the architecture. `nvrtc` (may be NULL) is the handle of
 * the library beside which it is looked for. Functions that kernels call are linked, not inlined. */
bool rft_jit_link(void *nvrtc, const rft_jit_input *input, rft_arena *arena, rft_jit_linked *out);

#endif
