/* SPDX-License-Identifier: Apache-2.0 */
/*
 * board.h - memory that the runs of several cards of a host share while they divide a space: who has which
 * configuration, and what it took. Each slot is a word that changes by compare and swap: no lock is held, so that a run
 * that is killed leaves nothing locked.
 */
#ifndef RFT_RUN_BOARD_H
#define RFT_RUN_BOARD_H

#include "base/err.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define RFT_BOARD_CARDS 256  /* at most */
#define RFT_BOARD_COMMONS 64 /* configurations that every card measures and whose times are told, at most */
#define RFT_BOARD_SLOTS ((uint64_t)1 << 26)

typedef struct rft_board rft_board;

/* In anonymous memory, for `cards` runs. *fd: open it as /dev/fd/N in processes that inherit it; owned. RFT_E_IO. */
int rft_board_make(rft_board **out, int *fd, unsigned cards, rft_err *err);
/* The same memory in another process, which is `card`, 0, 1, ... RFT_E_IO, RFT_E_USAGE: it is no board. */
int rft_board_open(rft_board **out, const char *path, unsigned card, rft_err *err);
void rft_board_close(rft_board *board); /* NULL is accepted */

/* How many configurations there are, and in how many parts: every card says so before anything else, and the same.
 * RFT_E_LIMIT: too many. RFT_E_SPACE: another card has said otherwise. */
int rft_board_size(rft_board *board, uint64_t slots, uint64_t parts, rft_err *err);

unsigned rft_board_card(const rft_board *board);
unsigned rft_board_cards(const rft_board *board);

/* ---- a slot: free, asked for (it compiles), taken (a device is at work on it), done ---- */
/* true: it is this card's now. ask(): where it was free, or, to `steal`, where another card has not taken it. */
bool rft_board_ask(rft_board *board, uint64_t slot, bool steal);
/* A free slot that this card has measured in an earlier session, or where this card has asked: false: another has it.
 */
bool rft_board_take(rft_board *board, uint64_t slot);
/* seconds: NaN where it has no time. */
void rft_board_done(rft_board *board, uint64_t slot, double seconds);
/* Of one that is done: which card, and its time; false: it is not done. */
bool rft_board_look(const rft_board *board, uint64_t slot, unsigned *card, double *seconds);

/* ---- cards ---- */
/* Of the configurations that all measure; NaN: not known. */
void rft_board_put_common(rft_board *board, size_t common, double seconds);
double rft_board_common(const rft_board *board, unsigned card, size_t common);
/* This card's best of a part so far, of those with samples enough, and at which clock; as floats. */
void rft_board_put_best(rft_board *board, uint64_t part, double seconds, double clock_mhz);
/* false: it has none yet. */
bool rft_board_best(const rft_board *board, unsigned card, uint64_t part, double *seconds, double *clock_mhz);
/* It is where all meet, once more; how often now. Its process has ended. */
unsigned rft_board_arrive(rft_board *board);
void rft_board_mark_gone(rft_board *board, unsigned card);
/* Has every card arrived so often, or gone? */
bool rft_board_all_there(const rft_board *board, unsigned times);
/* Changes with everything that a card does: one that stands still is told from one at work. */
uint64_t rft_board_pulse(const rft_board *board);

#endif
