/* SPDX-License-Identifier: Apache-2.0 */
/* script_names.h - what a script can name, as the sandbox really has it: for the tests of the editor file and the
 * documentation. */
#ifndef RFT_SCRIPT_SCRIPT_NAMES_H
#define RFT_SCRIPT_SCRIPT_NAMES_H

#include "base/arena.h"
#include "base/err.h"

#include <stddef.h>

/* The sorted names of all globals, allocated from the arena. */
int rft_script_global_names(rft_arena *arena, const char ***out, size_t *count, rft_err *err);

#endif
