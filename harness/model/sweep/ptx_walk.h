/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_walk.h - one thread of a kernel, followed without a GPU as far as whole numbers decide where it goes: what it
 * reads from memory and what it computes in reals is unknown, and a branch on that ends the walk. So each address that
 * is told is one that the thread uses on every GPU, whatever the data.
 */
#ifndef RFT_MODEL_PTX_WALK_H
#define RFT_MODEL_PTX_WALK_H

#include "model/sweep/ptx_program.h"

typedef struct rft_ptx_param {
    const unsigned char *bytes;
    size_t size; /* 0: not known */
} rft_ptx_param;

typedef struct rft_ptx_thread {
    uint32_t specials[RFT_PTX_SPECIALS]; /* tid, ntid, ctaid, nctaid */
    bool grid_unknown;                   /* nctaid is not known */
} rft_ptx_thread;

typedef struct rft_ptx_access {
    const rft_ptx_instruction *by;
    uint64_t address;
    size_t bytes;
    bool writes;
} rft_ptx_access;

typedef void rft_ptx_seen(void *self, const rft_ptx_access *access);

typedef struct rft_ptx_walk {
    const rft_ptx_program *program;
    const rft_ptx_param *params;
    size_t param_count;
    rft_ptx_seen *seen;
    void *self;
    size_t steps; /* instructions that may still be followed; a walk ends at 0 */
} rft_ptx_walk;

/* Takes off walk->steps what it followed, `most` at most. */
void rft_ptx_walk_thread(rft_ptx_walk *walk, const rft_ptx_thread *thread, size_t most);

#endif
