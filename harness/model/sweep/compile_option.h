/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compile_option.h - which of the compiler's options a sweep may give. One table says it for the script, where the
 * message has a place, and for the worker that compiles. What writes a file, chooses the architecture or replaces the
 * cubin is not in it, and neither is an option that was not looked at.
 */
#ifndef RFT_MODEL_COMPILE_OPTION_H
#define RFT_MODEL_COMPILE_OPTION_H

#include "base/err.h"

#include <stddef.h>

typedef enum rft_option_names {
    RFT_OPTION_NAMES_NOTHING,
    RFT_OPTION_NAMES_FOLDER, /* -I: headers are looked for there */
    RFT_OPTION_NAMES_FILE,   /* -include: it is read before the source */
} rft_option_names;

typedef struct rft_compile_option {
    rft_option_names names;
    const char *value; /* points into the words; NULL: it has none */
    size_t words;      /* 1; 2 where the value is the next word */
} rft_compile_option;

/* Reads the option at words[at] as NVRTC does: "-x=v", "-x" and "v", for -D, -U and -I also "-Dv". RFT_E_SCRIPT with a
 * remedy: it is not allowed, or its value is not. */
int rft_compile_option_read(rft_compile_option *out, const char *const *words, size_t count, size_t at, rft_err *err);

#endif
