/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_part.h - a part of a sweep: `rooftune run --at n=4096 --variant tiled --set VEC=4`. The part is a sweep like any
 * other, with fewer problems, variants and values; whatever plans, measures, stores and tells reads that alone.
 */
#ifndef RFT_CLI_RUN_PART_H
#define RFT_CLI_RUN_PART_H

#include "cli/cli.h"
#include "model/mix/mix.h"
#include "model/sweep/sweep.h"

/* What was asked for, as given. Words about one name add up: --set VEC=2 --set VEC=4 keeps both values. */
typedef struct rft_run_part {
    rft_words at, variants, set; /* "n=4096", "tiled", "VEC=4" */
    const rft_mix_book *book;    /* of --mix: only problems that its operations mean; NULL: all */
} rft_run_part;

/* RFT_E_USAGE: a word that is not NAME=VALUE. */
int rft_run_part_check(const rft_run_part *part, rft_err *err);

/* Puts the parts in the place of sweeps[0] to sweeps[*count - 1] (and their paths); borrowed from them, in `arena`. A
 * sweep that lacks what is asked for is left out and `log` told. RFT_E_USAGE, with the nearest name or value: all lack
 * it. The odd problem stays that of the whole sweep. */
int rft_run_part_take(const rft_run_part *part, const rft_sweep **sweeps, const char **paths, size_t *count,
                      rft_arena *arena, const rft_log *log, rft_err *err);

/* Leaves out the sweeps of several of whose part constraints leave nothing, and tells `log`. RFT_E_SPACE: nothing is
 * left in any (run_part_empty.c). */
int rft_run_part_leave_out_empty(const rft_run_part *part, const rft_sweep **sweeps, const char **paths, size_t *count,
                                 rft_arena *arena, const rft_log *log, rft_err *err);

/* "--at n=4096 --variant tiled --set VEC=4" in `arena`; NULL: the whole sweep was asked for. */
const char *rft_run_part_text(const rft_run_part *part, rft_arena *arena);

/* Do both have the same problems (those of refine() aside), variants and values, in the same order? Points are stored
 * by their place in these. */
bool rft_run_part_same(const rft_sweep *a, const rft_sweep *b);

#endif
