/* SPDX-License-Identifier: Apache-2.0 */
/*
 * given_binary.h - a cubin or PTX from elsewhere stands where NVRTC's would. Nothing of the file is trusted:
 * what cannot be is told with its remedy, in the log of a result that is not ok. Private to compile.
 */
#ifndef RFT_GPU_GIVEN_BINARY_H
#define RFT_GPU_GIVEN_BINARY_H

#include "gpu/compiler.h"

typedef struct rft_given {
    const rft_compile_request *request; /* names are symbols; arch "compute_*" asks for PTX */
    void *nvrtc;                        /* handle: nvJitLink is looked for beside it */
    rft_arena *arena;
} rft_given;

/* As rft_compiler.compile. RFT_E_SOURCE: the file cannot be read. RFT_E_SCRIPT: it may not be. */
int rft_given_compile(const rft_given *given, rft_compile_result *out, rft_err *err);

#endif
