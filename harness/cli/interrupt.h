/* SPDX-License-Identifier: Apache-2.0 */
/*
 * interrupt.h - Ctrl-C, SIGTERM and SIGHUP (a terminal that was closed). One process has one set of signals, so this is
 * the one place of the program with state of its own.
 *
 * A thread waits for them, and every other thread has them blocked: a library that takes signals for itself while it
 * works (NVRTC does) takes nothing from here, and no system call of the program is cut short by one.
 *
 * Until something is stored the first signal ends the process at once: there is nothing to finish. From then on the
 * first one asks for a clean end, says so, and the second one ends at once. Workers and the lock of the GPU go with the
 * process. A SIGHUP that was ignored when the program started (nohup) stays ignored.
 */
#ifndef RFT_CLI_INTERRUPT_H
#define RFT_CLI_INTERRUPT_H

/* Takes the signals, in the first of the two ways. Once, before any other thread is there. */
void rft_interrupt_begin(void);
/* From here on the first signal asks and the second ends. */
void rft_interrupt_defer(void);
/* Signals since rft_interrupt_begin(), none of which has ended the process. */
int rft_interrupt_count(void);

#endif
