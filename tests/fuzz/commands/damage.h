/* SPDX-License-Identifier: Apache-2.0 */
/* damage.h - puts a sample into the box: as it is, or damaged in the way that fits its format. */
#ifndef RFT_TESTS_FUZZ_DAMAGE_H
#define RFT_TESTS_FUZZ_DAMAGE_H

#include "fuzz/commands/samples.h"

#include <stdbool.h>

/* The sample as a good file: gzip where the name ends so. */
void damage_none(const char *path, const sample *from);

/* A damaged file in `folder` (good: an undamaged one); its name, in the arena. */
const char *damage_make(const char *folder, const samples *from, family of, bool good, rft_arena *arena,
                        uint64_t *random);

/* Things that are no ordinary files: a folder, a FIFO, links to nothing, to each other, to the good files. */
void damage_odd_files(const char *folder);

#endif
