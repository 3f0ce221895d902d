/* SPDX-License-Identifier: Apache-2.0 */
/* shipped.h - kernels, sweeps and recordings that come with the program, wherever it was installed. */
#ifndef RFT_CLI_SHIPPED_H
#define RFT_CLI_SHIPPED_H

#include "base/arena.h"

/* Folders that hold `kernels/`: the installation's of the program at this path, or the source tree's. Also where data
 * files lie. Array in `arena`. */
size_t rft_shipped_folders(const char *program, rft_arena *arena, const char ***out);

/* "sweeps/quick.lua", also behind "replay:", that is not in the current folder but ships: its path, in `arena`. Any
 * other word as it is. */
const char *rft_shipped_find(const char *program, const char *word, rft_arena *arena);

#endif
