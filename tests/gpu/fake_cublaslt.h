/* SPDX-License-Identifier: Apache-2.0 */
/* fake_cublaslt.h - what the libcublasLt of tests keeps, for the program that tests harness/gpu/cublaslt*.c against it.
 * It multiplies on the host, since the fake driver's device memory is host memory (fake_cuda.c). */
#ifndef RFT_TESTS_FAKE_CUBLASLT_H
#define RFT_TESTS_FAKE_CUBLASLT_H

#include <cublasLt.h>

typedef struct fake_cublaslt_state {
    size_t version;                                /* 0: the headers' */
    int handles, operations, layouts, preferences; /* alive */
    int fails;                                     /* the next multiplication answers "execution failed" */
    int empty;                                     /* the list of algorithms is */
    unsigned long long workspace_max_bytes;        /* asked for */
    size_t workspace_bytes;                        /* of the last multiplication */
    cudaStream_t stream;
    int algo; /* of the last multiplication */
    int fast_accumulation;
    int compute_type, scale_type;
    int transposes[2]; /* of the last multiplication */
    unsigned epilogue; /* asked for in the last list */
    int types[2];      /* of its matrices */
    int scale_modes[2];
    const void *scales[2];
} fake_cublaslt_state;

#endif
