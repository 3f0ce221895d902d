/* SPDX-License-Identifier: Apache-2.0 */
/* run_options.h - what `rooftune run` was asked for, read from words and written back as words. */
#ifndef RFT_CLI_RUN_OPTIONS_H
#define RFT_CLI_RUN_OPTIONS_H

#include "cli/asked.h"
#include "cli/run_part.h"
#include "run/exec.h"

typedef struct rft_run_options {
    /* As given; NULL: not given. */
    const char *device, *arch, *output, *report, *package, *events, *counters, *shard, *sbatch;
    const char *board;   /* of a part of --split: "/dev/fd/7" behind its --shard K/N@; NULL */
    const char *meeting; /* of one of several that are loaded together: "/dev/fd/7" behind its -d 0@; NULL */
    unsigned meeting_card;
    bool split, together, fresh, dry_run, no_report, wait, submit;
    enum {
        RFT_CEILINGS_KEPT,
        RFT_CEILINGS_AGAIN
    } ceilings; /* AGAIN: measured anew, whatever is kept of the last day */
    enum { RFT_SANITIZE_NONE, RFT_SANITIZE_BEST } sanitize;
    rft_exec_opts
        exec; /* no_prune, in_order, counters (the default when not given), power, soak_s; the rest is not for users */
    rft_words files, script_args, allow_paths, mixes;
    rft_run_part part;  /* of the sweeps */
    const char **given; /* of every option of the table in run_options.c, as given; NULL: not given */
    rft_asked asked;    /* of the sweeps */
} rft_run_options;

/* RFT_E_USAGE with a remedy: no sweep, a budget or limit that is not one, no such strategy or counter. RFT_E_IO: the
 * report could not be written, which is better known before the run than after. Texts live as long as argv and `arena`.
 */
int rft_run_options_parse(rft_cli *cli, rft_run_options *out, int argc, char **argv, rft_arena *arena, bool *helped,
                          rft_err *err);

/* The values that an option of the table takes by name, ended by NULL; NULL: any other. */
const char *const *rft_run_options_choices(const char *option);

/* An option said otherwise: "output" with another text, NULL: left out. */
typedef struct rft_run_change {
    const char *option, *text;
} rft_run_change;

/* The words after the program's name ("run", "x.lua", "-o", ...) that ask for the same but for `changes`, ended by one
 * without an option. Array in `arena`. */
rft_words rft_run_options_words(const rft_run_options *o, const rft_run_change *changes, rft_arena *arena);

/* The command that goes on with a stored run, as a line to paste: the same, with -o OUTPUT and without --fresh. In
 * `arena`. */
const char *rft_run_options_continue(const rft_cli *cli, const rft_run_options *o, const char *output,
                                     rft_arena *arena);
/* As the error's remedy: beside the message where it fits, else on a line of its own. Returns the error's code. */
int rft_run_options_tell_continue(const rft_cli *cli, const char *line, rft_err *err);

#endif
