/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel_name.h - is a kernel that a profiler names ("void ns::gemv<(int)4, (bool)1>(const float *, float *)", or
 * mangled) the one that an entry names ("gemv<4, true>")?
 */
#ifndef RFT_MODEL_KERNEL_NAME_H
#define RFT_MODEL_KERNEL_NAME_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum rft_kernel_likeness {
    RFT_KERNEL_OTHER,
    RFT_KERNEL_OTHER_ARGUMENTS, /* the same template, with another number or truth value in a place */
    RFT_KERNEL_SAME             /* as far as the names tell: types and expressions are not compared */
} rft_kernel_likeness;

/* The entry's text with `texts` in the place of the words `names`; a word behind "::" is another name. used[i] becomes
 * true where names[i] stands in it. texts NULL: they go. In `arena`. */
const char *rft_entry_substitute(rft_arena *arena, const char *entry, const char *const *names,
                                 const char *const *texts, size_t count, bool *used);

/* "gemv" of "ns::gemv<4, float>", "gemv(int)" and "_ZN2ns4gemvILi4EEEvv". In `arena`. */
const char *rft_kernel_base_name(const char *entry, rft_arena *arena);

/* `shown` is the profiler's name, `entry` what is launched, its parameters substituted. */
rft_kernel_likeness rft_kernel_compare(const char *shown, const char *entry);

#endif
