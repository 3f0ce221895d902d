/* SPDX-License-Identifier: Apache-2.0 */
/* judge.h - what no command may do, whatever it is given. */
#ifndef RFT_TESTS_FUZZ_JUDGE_H
#define RFT_TESTS_FUZZ_JUDGE_H

#include "fuzz/commands/box.h"
#include "fuzz/commands/execute.h"
#include "fuzz/commands/option_table.h"

enum { VERDICT_MAX = 6 };

/* What a command is judged by. */
typedef struct evidence {
    const execution *done;
    const meaning *means;
    const box_list *before, *after; /* below the root */
    const char *folder;             /* the command's, below the root: "a/b/box" */
    size_t input_bytes;             /* of the files it names, inflated */
    bool sanitized;                 /* slower and larger by what the sanitizers take */
    bool script_runs;
} evidence;

typedef struct verdict {
    const char *texts[VERDICT_MAX]; /* in the arena: what is wrong, the same text for the same fault */
    size_t count;
} verdict;

verdict verdict_of(const evidence *e, rft_arena *arena);

/* Inflated bytes of a file, plain ones as they are; counts to 1 GiB. */
size_t verdict_inflated_bytes(const char *path);

/* The wall clock's limit of one command, generous: what is judged is the processor's. */
double verdict_wall_limit_s(void);

#endif
