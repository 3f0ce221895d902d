/* SPDX-License-Identifier: Apache-2.0 */
/* point_choice.h - one problem and one configuration picked on the command line: --at n=4096 --set TILE=128. */
#ifndef RFT_CLI_POINT_CHOICE_H
#define RFT_CLI_POINT_CHOICE_H

#include "cli/cli.h"
#include "model/run/run.h"

typedef struct rft_point_choice {
    size_t variant;
    rft_value *problem; /* one per axis, complete */
    rft_value *config;  /* one per parameter */
} rft_point_choice;

/* What is not named takes the sweep's first problem and every parameter's default. `variant` NULL: the first.
 * RFT_E_USAGE: unknown names (with the nearest), values that do not read as the axis's or parameter's kind. Of a stored
 * sweep, which has no functions, the first of its problems that has the values named; RFT_E_NOT_FOUND: none has. */
int rft_point_choose(rft_point_choice *out, const rft_sweep *sweep, const char *variant, const rft_words *at,
                     const rft_words *set, rft_arena *arena, rft_err *err);

/* "saxpy, naive: n=4096 VEC=1". */
const char *rft_point_choice_text(const rft_point_choice *choice, const rft_sweep *sweep, rft_arena *arena);

/* The point of a run that it names, by the numbers, whatever their kinds; NULL: the run does not have it. */
const rft_point *rft_point_choice_find(const rft_point_choice *choice, const rft_run *run, size_t sweep);

/* RFT_E_SPACE: a constraint leaves the choice out, or raises an error for it; names it, and what it allows that differs
 * in the fewest parameters. RFT_E_SCRIPT_STOPPED. */
int rft_point_check_where(const rft_point_choice *choice, const rft_sweep *sweep, rft_arena *arena, rft_err *err);

/* RFT_E_USAGE: no `what` ("axis") of the name that `word` ("n=4096", or the name alone) begins with; with the nearest
 * of `names`, and all of them. */
int rft_choice_unknown(const char *what, const char *word, const char *const *names, size_t count, rft_arena *arena,
                       rft_err *err);

#endif
