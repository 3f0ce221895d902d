/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ptx_scan.h - what a PTX file says of itself and of its kernels: .version, .target, each .entry with its parameters'
 * sizes and the launches that it asks for, and its variables. Nothing is trusted: what cannot be read is left out.
 * Private to compile.
 */
#ifndef RFT_GPU_PTX_SCAN_H
#define RFT_GPU_PTX_SCAN_H

#include "gpu/compiler.h"
#include "model/sweep/mangled.h"

typedef struct rft_ptx_text {
    const char *at, *end; /* what is still to be read */
} rft_ptx_text;
/* The whole of it; NULL: nothing. */
rft_ptx_text rft_ptx_begin(const char *text, size_t bytes);

typedef struct rft_ptx_word {
    const char *text; /* in the PTX; length 0: the end */
    size_t length;
} rft_ptx_word;

typedef struct rft_ptx_entry {
    rft_ptx_word name;
    uint32_t param_bytes[RFT_PARAMS_MAX];
    size_t param_count; /* 0: none, more than RFT_PARAMS_MAX, or not to be read */
    rft_kernel_needs needs;
} rft_ptx_entry;

typedef struct rft_ptx_variable {
    rft_ptx_word name;
    uint64_t bytes;
    bool is_constant, is_zero; /* .const, not .global; without a value */
} rft_ptx_variable;

/* Is it PTX: does it begin, behind comments, with .version? Sets "9.0" and "sm_90a" where they are given, else "". */
bool rft_ptx_head(const char *text, size_t bytes, char version[16], char target[16]);
/* Does it define functions besides kernels? */
bool rft_ptx_has_functions(const char *text, size_t bytes);
/* The next kernel of `text`; false: there is none. */
bool rft_ptx_next(rft_ptx_text *text, rft_ptx_entry *out);
/* The kernel of this name. */
bool rft_ptx_find(const char *text, size_t bytes, const char *name, rft_ptx_entry *out);
/* The next .const or .global variable outside of functions; false: there is none. */
bool rft_ptx_next_variable(rft_ptx_text *text, rft_ptx_variable *out);

#endif
