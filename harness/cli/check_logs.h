/* SPDX-License-Identifier: Apache-2.0 */
/* check_logs.h - what the compiler said of a sample, each log once: configurations fail in the same words but for their
 * numbers. */
#ifndef RFT_CLI_CHECK_LOGS_H
#define RFT_CLI_CHECK_LOGS_H

#include "base/arena.h"
#include "base/str.h"

typedef struct rft_check_log {
    const char *text; /* the first of its kind */
    uint64_t kind;    /* hash of the text without its numbers */
    size_t count;     /* configurations */
} rft_check_log;

/* All zero: none yet. */
typedef struct rft_check_logs {
    rft_check_log *items; /* in the order first met */
    size_t count, capacity;
} rft_check_logs;

void rft_check_logs_clear(rft_check_logs *logs);
/* `log` (copied into `arena`, which must outlive *logs) of one configuration more. */
void rft_check_logs_add(rft_check_logs *logs, const char *log, rft_arena *arena);
/* "the compiler, of 4 configurations:" and its words, for each; nothing where there are none. */
void rft_check_logs_format(rft_str *out, const rft_check_logs *logs);

#endif
