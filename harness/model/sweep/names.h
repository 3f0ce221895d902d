/* SPDX-License-Identifier: Apache-2.0 */
/*
 * names.h - what a name may be, wherever it comes from: a script, a recording, a run file, another tuner's file. Names
 * stand in tables, headings and legends, which fit them into columns; they are at most RFT_NAME_MAX bytes of one line,
 * in UTF-8.
 */
#ifndef RFT_MODEL_NAMES_H
#define RFT_MODEL_NAMES_H

#include "model/sweep/sweep.h"

#define RFT_NAME_MAX                                                                                                   \
    256 /* bytes of a sweep's, variant's, kernel's, axis', parameter's, device's name, of a text value */
#define RFT_NOTE_MAX 600      /* of what a sweep says on its page */
#define RFT_AXES_MAX 256      /* of a sweep */
#define RFT_VARIANTS_MAX 2000 /* of a sweep */
#define RFT_ENTRY_MAX 4096    /* bytes of a path, and of a kernel's entry with its template arguments */

/* NULL when `name` (NULL is no name) is one line of UTF-8 of at most `most` bytes; else what was expected: "one line of
 * at most 256 bytes, found 4000". In `arena`. */
const char *rft_name_fault(const char *name, size_t most, rft_arena *arena);

/* How many axes and variants a sweep has, all its names and the texts among its values. NULL when they are good; else
 * which is not, and why: "variants[0].params[2].name: expected one line of at most 256 bytes, found 4000". In `arena`.
 */
const char *rft_sweep_names_fault(const rft_sweep *sweep, rft_arena *arena);

#endif
