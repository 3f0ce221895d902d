/* SPDX-License-Identifier: Apache-2.0 */
/*
 * repeat_cases.h - a point of every variant that ships and waits for copies or products of others (wgmma, TMA, bulk
 * copies, mbarriers): on a small odd problem and on a small even one. Which they are needs no GPU.
 */
#ifndef RFT_TESTS_REPEAT_CASES_H
#define RFT_TESTS_REPEAT_CASES_H

#include "script/script.h"

typedef struct repeat_case {
    const rft_sweep *sweep;
    size_t variant;
    rft_value *problem, *config;
    bool even, any_order; /* any_order: atomics add up in the order in which they come, other bits are no mistake */
    const char *text;     /* "matmul_bf16, ping-pong: m=515 n=515 k=515 BLOCK_M=128 ..." */
} repeat_case;

typedef struct repeat_cases {
    rft_arena *arena;
    repeat_case *items;           /* heap */
    size_t count, capacity, lost; /* lost: variants without a valid configuration, words without a variant */
    rft_script **scripts;         /* heap; the sweeps live in them */
    size_t script_count;
    bool every;
} repeat_cases;

/* `file` finds "sweeps/stream.lua"; what it returns need not live long. Fails the cmocka test where a row names what is
 * not there, or has no valid configuration. `every`: for a sanitizer, all variants of these files and of more. */
void repeat_cases_make(repeat_cases *out, const rft_gpu_info *gpu, const char *(*file)(const char *name), bool every);
void repeat_cases_free(repeat_cases *cases);

#endif
