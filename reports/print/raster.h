/* SPDX-License-Identifier: Apache-2.0 */
/* raster.h - a small drawing area of character cells: lines as braille dots (two by four a cell) below marks of one
 * character each. In ASCII lines are characters too. */
#ifndef RFT_REPORTS_RASTER_H
#define RFT_REPORTS_RASTER_H

#include "base/arena.h"
#include "base/str.h"

typedef struct rft_raster {
    size_t columns, rows;
    bool ascii;
    unsigned char *dots; /* braille bits of each cell, row by row from the top */
    char *strokes;       /* ASCII: the line in each cell; 0 = none */
    const char **marks;  /* over the lines; NULL = none. Static text of one column */
} rft_raster;

rft_raster rft_raster_new(size_t columns, size_t rows, bool ascii, rft_arena *arena);

/* Places are shares of the area, 0..1 from the left and from the bottom; what lies outside is left out. */
/* A straight line; `every`: 1 = solid, n = one dot in n. `stroke` is its ASCII character. */
void rft_raster_line(rft_raster *raster, const double from[2], const double to[2], int every, char stroke);
/* The cell of a place: column from the left, row from the top. False outside. */
bool rft_raster_cell(const rft_raster *raster, double x, double y, size_t *column, size_t *row);
/* Replaces a mark that is there. */
void rft_raster_mark(rft_raster *raster, double x, double y, const char *mark);
/* One row, without spaces at its end. */
void rft_raster_row(const rft_raster *raster, size_t row, rft_str *out);

#endif
