/* SPDX-License-Identifier: Apache-2.0 */
/*
 * screen.h - what is seen while a run goes on: the first line, and progress.
 *
 * On a terminal two lines rewrite themselves: how far the run is, and the best so far. Where they do not fit, what
 * matters least is left out first. Elsewhere the same is one plain line every few seconds, and one at the end.
 */
#ifndef RFT_CLI_SCREEN_H
#define RFT_CLI_SCREEN_H

#include "cli/cli.h"
#include "cli/target.h"
#include "run/exec.h"

typedef struct rft_screen {
    rft_cli *cli;
    rft_run *run;
    const char *counters; /* "default": what will be counted; NULL: nothing */
    double next_line_s;   /* of the session, when the next one is due */
    rft_str pending;      /* plain: the latest line, not printed yet; empty when it was */
    char part[32];        /* behind the points, begun last: "counters"; "" before */
    int interrupts;       /* seen so far: each has left a line of its own on the terminal */
} rft_screen;

/* "1,536 of 9,216 valid, about 4 min, Ctrl-C is safe, counters default"; of a replay then what it replays and whether
 * it compiles. The time is a guess, from budgets and the number of configurations. */
void rft_screen_begin(rft_screen *screen, const rft_plan *plan, const rft_target *target);
void rft_screen_progress(rft_screen *screen, const rft_exec_progress *progress);
void rft_screen_end(rft_screen *screen);

#endif
