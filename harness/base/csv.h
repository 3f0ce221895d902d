/* SPDX-License-Identifier: Apache-2.0 */
/*
 * csv.h - comma-separated values (RFC 4180), a record at a time: cells are ended and unquoted where they stand in the
 * text. Blank lines are passed over; blanks around a cell are not part of it. Files come from anywhere: what is no CSV
 * ends in a fault with its line and cell.
 */
#ifndef RFT_BASE_CSV_H
#define RFT_BASE_CSV_H

#include "base/arena.h"

#include <stdbool.h>
#include <stddef.h>

typedef struct rft_csv_cell {
    char *text; /* in the text that is read; a zero byte in it became "?" */
    bool quoted;
} rft_csv_cell;

typedef struct rft_csv {
    char *at, *end; /* what is left; *end is '\0' and may be written to */
    bool one_line;  /* a quoted cell does not go on in the next line */
    rft_csv_cell *cells;
    size_t most; /* cells there is room for; what is beyond is counted, not kept */
    /* Of the record read last: */
    size_t count;      /* its cells */
    size_t line;       /* its first line, from 1 */
    const char *fault; /* NULL; RFT_CSV_... below, in cell `count` of it */
    size_t passed;     /* lines that were read; private */
} rft_csv;

#define RFT_CSV_OPEN "the quote is not closed"
#define RFT_CSV_BEHIND "there is text behind the closing quote"

/* `text` has `size` bytes and a writable one behind them. A byte order mark at its front is passed over. */
rft_csv rft_csv_of(char *text, size_t size, rft_csv_cell *cells, size_t most);
/* The same of a copy in the arena. */
rft_csv rft_csv_of_copy(rft_arena *arena, const char *text, size_t size, rft_csv_cell *cells, size_t most);

/* Reads the next record. False at the end, and at a fault. */
bool rft_csv_next(rft_csv *csv);

/* The cell's number in the record, from 0, whose text is `name`; `count` when there is none. Of those kept. */
size_t rft_csv_find(const rft_csv *csv, const char *name);

#endif
