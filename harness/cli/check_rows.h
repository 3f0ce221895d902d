/* SPDX-License-Identifier: Apache-2.0 */
/* check_rows.h - configurations that do not compile, or cannot run, a line for each reason: the first of them, and how
 * many more there are. */
#ifndef RFT_CLI_CHECK_ROWS_H
#define RFT_CLI_CHECK_ROWS_H

#include "base/arena.h"
#include "base/str.h"
#include "model/sweep/outcome.h"

typedef struct rft_check_row {
    const char *config; /* the first */
    const char *reason; /* of the first */
    rft_outcome outcome;
    uint64_t kind; /* hash of the outcome and the reason without its numbers */
    size_t count;
} rft_check_row;

/* All zero: none yet. */
typedef struct rft_check_rows {
    rft_check_row *items; /* in the order first met */
    size_t count, capacity;
} rft_check_rows;

void rft_check_rows_clear(rft_check_rows *rows);
/* Texts are copied into `arena`, which must outlive *rows. */
void rft_check_rows_add(rft_check_rows *rows, const char *config, rft_outcome outcome, const char *reason,
                        rft_arena *arena);
/* "    VEC=4 BLOCK=2048 and 3 more   skipped: block.x is 2048, the device allows 1024"; then there are none. */
void rft_check_rows_tell(rft_check_rows *rows, rft_str *out);

#endif
