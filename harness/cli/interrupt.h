/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interrupt.h - Ctrl-C, SIGTERM and SIGHUP (a terminal that was closed) while `rooftune run` goes on. One process has
 * one set of signals, so this is the one place of the program with state of its own.
 *
 * Until something is stored the first signal ends the process at once: there is nothing to finish. From then on the
 * first one asks for a clean end, says so, and the second one ends at once. Workers and the lock of the GPU go with the
 * process. A SIGHUP that was ignored when the program started (nohup) stays ignored.
 */
#ifndef RFT_CLI_INTERRUPT_H
#define RFT_CLI_INTERRUPT_H

#include "cli/cli.h"

/* Takes the signals, in the first of the two ways; SIGPIPE is ignored from here on, so that a reader who leaves is an
 * error of the write. */
void rft_interrupt_begin(const rft_cli *cli);
/* From here on the first signal asks and the second ends. */
void rft_interrupt_defer(void);
/* Signals since rft_interrupt_begin(), none of which has ended the process. */
int rft_interrupt_count(void);

#endif
