/* SPDX-License-Identifier: Apache-2.0 */
/* trial.h - one try: files put into the box, one of them damaged, and the commands to run on them. */
#ifndef RFT_TESTS_FUZZ_TRIAL_H
#define RFT_TESTS_FUZZ_TRIAL_H

#include "fuzz/commands/option_table.h"
#include "fuzz/commands/samples.h"

enum { TRIAL_WORDS = 96, TRIAL_COMMANDS = 2 };

typedef struct trial {
    rft_arena *arena;
    const char *kind;                               /* "recording", "runfile", ... */
    const char *words[TRIAL_COMMANDS][TRIAL_WORDS]; /* argv without the program, ends with NULL */
    size_t command_count;                           /* the next is run where the one before ended with 0 */
    bool script_runs;                               /* a script may take its documented time */
} trial;

/* The kinds by name, ends with NULL. */
const char *const *trial_kinds(void);

/* Makes the try that *random stands for in `folder`, which is empty. only: NULL, or the one kind. */
void trial_make(trial *out, const char *folder, const samples *from, const option_table *options, const char *only,
                rft_arena *arena, uint64_t *random);

#endif
