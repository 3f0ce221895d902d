/* SPDX-License-Identifier: Apache-2.0 */
/* run_options.h - what `rooftune run` was asked for, read from words and written back as words. */
#ifndef RFT_CLI_RUN_OPTIONS_H
#define RFT_CLI_RUN_OPTIONS_H

#include "cli/cli.h"
#include "model/roofline/counted.h"
#include "model/sweep/budget.h"
#include "run/exec.h"

typedef struct rft_run_options {
    const char *device, *output, *report, *events; /* as given; NULL: not given */
    const char *budget, *strategy, *seed, *timeout, *compile_timeout, *min_time, *counters;
    const char *ceilings; /* as given */
    const char *energy, *soak, *goal, *objective;
    bool fresh, dry_run, no_report, no_race, no_prune, wait;
    bool ceilings_again; /* measured anew, whatever is kept of the last day */
    rft_words files, script_args, allow_paths;
    rft_counted_wish counter_wish;                         /* the default when `counters` is not given */
    rft_budget budgets;                                    /* of `budget` */
    double goal_frac;                                      /* 0: as each sweep says */
    rft_objective objective_value;                         /* when `objective` is given */
    uint64_t seed_value;                                   /* when `seed` is given */
    rft_power_choice power;                                /* `energy`; AUTO when not given */
    double soak_s;                                         /* 0: none */
    double point_timeout_s, compile_timeout_s, min_time_s; /* 0: as each sweep says */
} rft_run_options;

/* RFT_E_USAGE with a remedy: no sweep, a budget or limit that is none, no such strategy or counter. RFT_E_IO: the
 * report could not be written, which is better known before the run than after. Texts live as long as argv and `arena`.
 */
int rft_run_options_parse(rft_cli *cli, rft_run_options *out, int argc, char **argv, rft_arena *arena, bool *helped,
                          rft_err *err);

/* The words after the program's name ("run", "x.lua", "-o", ...) that ask for the same. Array in `arena`. */
rft_words rft_run_options_words(const rft_run_options *o, rft_arena *arena);

/* The command that goes on with a stored run, as a line to paste: the same, with -o OUTPUT and without --fresh. In
 * `arena`. */
const char *rft_run_options_continue(const rft_cli *cli, const rft_run_options *o, const char *output,
                                     rft_arena *arena);

#endif
