/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/print/raster.h"

#include <math.h>

#define DOTS_WIDE 2
#define DOTS_HIGH 4

rft_raster rft_raster_new(size_t columns, size_t rows, bool ascii, rft_arena *arena) {
    size_t count = columns * rows;
    return (rft_raster){.columns = columns,
                        .rows = rows,
                        .ascii = ascii,
                        .dots = rft_arena_calloc(arena, count, sizeof(unsigned char)),
                        .strokes = rft_arena_calloc(arena, count, sizeof(char)),
                        .marks = rft_arena_calloc(arena, count, sizeof(const char *))};
}

/* The last cell takes what lies on its far edge. */
static bool place(double share, size_t count, size_t *at) {
    if (!(share >= 0 && share <= 1)) {
        return false;
    }
    double cell = floor(share * (double)count);
    *at = cell >= (double)count ? count - 1 : (size_t)cell;
    return true;
}

bool rft_raster_cell(const rft_raster *raster, double x, double y, size_t *column, size_t *row) {
    size_t up;
    if (!place(x, raster->columns, column) || !place(y, raster->rows, &up)) {
        return false;
    }
    *row = raster->rows - 1 - up;
    return true;
}

static void dot(rft_raster *raster, double x, double y, char stroke) {
    /* U+2800 and bits: columns of three dots, then the lowest row. */
    static const unsigned char bits[DOTS_WIDE][DOTS_HIGH] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    size_t across, up;
    if (!place(x, raster->columns * DOTS_WIDE, &across) || !place(y, raster->rows * DOTS_HIGH, &up)) {
        return;
    }
    size_t down = raster->rows * DOTS_HIGH - 1 - up;
    size_t at = down / DOTS_HIGH * raster->columns + across / DOTS_WIDE;
    raster->dots[at] |= bits[across % DOTS_WIDE][down % DOTS_HIGH];
    raster->strokes[at] = raster->strokes[at] && stroke == '.' ? raster->strokes[at] : stroke;
}

void rft_raster_line(rft_raster *raster, const double from[2], const double to[2], int every, char stroke) {
    double wide = fabs(to[0] - from[0]) * (double)(raster->columns * DOTS_WIDE);
    double high = fabs(to[1] - from[1]) * (double)(raster->rows * DOTS_HIGH);
    double most = fmax(wide, high);
    if (!(most < 1e6)) {
        return;
    }
    size_t steps = (size_t)ceil(most) + 1;
    for (size_t i = 0; i <= steps; i += (size_t)every) {
        double share = (double)i / (double)steps;
        dot(raster, from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1]), stroke);
    }
}

void rft_raster_mark(rft_raster *raster, double x, double y, const char *mark) {
    size_t column, row;
    if (rft_raster_cell(raster, x, y, &column, &row)) {
        raster->marks[row * raster->columns + column] = mark;
    }
}

static bool is_empty(const rft_raster *raster, size_t at) {
    return !raster->marks[at] && (raster->ascii ? !raster->strokes[at] : !raster->dots[at]);
}

void rft_raster_row(const rft_raster *raster, size_t row, rft_str *out) {
    size_t first = row * raster->columns, end = first + raster->columns;
    while (end > first && is_empty(raster, end - 1)) {
        end--;
    }
    for (size_t at = first; at < end; at++) {
        if (raster->marks[at]) {
            rft_str_add(out, raster->marks[at]);
        } else if (is_empty(raster, at)) {
            rft_str_add_char(out, ' ');
        } else if (raster->ascii) {
            rft_str_add_char(out, raster->strokes[at]);
        } else {
            const char cell[] = {'\xe2', (char)(0xa0 + (raster->dots[at] >> 6)),
                                 (char)(0x80 + (raster->dots[at] & 0x3f)), '\0'};
            rft_str_add(out, cell);
        }
    }
}
