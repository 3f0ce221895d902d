/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_keys.h - every key of every table that a sweep may contain, in one place: readers refuse what is not here, hints
 * are drawn from here, and a test compares it with the editor file sweeps/types/rooftune.lua in both directions.
 */
#ifndef RFT_SCRIPT_LUA_KEYS_H
#define RFT_SCRIPT_LUA_KEYS_H

#include <stddef.h>

typedef enum rft_key_table {
    RFT_KEYS_SWEEP,
    RFT_KEYS_VARIANT,
    RFT_KEYS_KERNEL,
    RFT_KEYS_CHECK,        /* and one key per output buffer */
    RFT_KEYS_REFERENCE,    /* check.reference where it is a table */
    RFT_KEYS_CHECK_BUFFER, /* check.NAME */
    RFT_KEYS_MEASURE,
    RFT_KEYS_SEARCH,
    RFT_KEYS_LAUNCH,
    RFT_KEYS_WINDOW,
    RFT_KEYS_TENSOR_MAP, /* third argument of tensor_map() */
    RFT_KEYS_IM2COL,     /* tensor_map.im2col */
    RFT_KEYS_WORK,
    RFT_KEYS_TRAFFIC,
    RFT_KEYS_ATOMICS, /* of both */
    RFT_KEYS_INTEGERS,
    RFT_KEYS_STRUCT,
    RFT_KEYS_FROM,
    RFT_KEYS_VENDOR_MATMUL,
    RFT_KEYS_MIX,
    RFT_KEYS_MIX_ITEM,
    RFT_KEYS_MIX_MEMORY, /* mix.memory */
    RFT_KEYS_MIX_HOST,   /* mix.prices.host */
    RFT_KEYS_PRICES,     /* mix.prices */
    RFT_KEYS_GPU,
    RFT_KEYS_HANDLE, /* methods of a buffer handle */
    RFT_KEYS_COUNT
} rft_key_table;

typedef struct rft_key_set {
    const char *name; /* the class in the editor file: "rooftune.sweep" */
    const char *const *names;
    size_t count;
} rft_key_set;

/* Static storage. */
const rft_key_set *rft_keys(rft_key_table table);

/* Words that cannot name a parameter: C++ keywords, names CUDA defines, Lua keywords. */
int rft_keys_is_reserved(const char *word);
/* Words that cannot follow a dot in Lua. */
int rft_keys_is_lua_word(const char *word);

#endif
