/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_grid.h"

#include <math.h>

#define DOTS_WIDE 2
#define DOTS_HIGH 4

rft_grid rft_grid_new(size_t columns, size_t rows, bool ascii, rft_arena *arena) {
    size_t count = columns * rows;
    return (rft_grid){.columns = columns,
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

bool rft_grid_cell(const rft_grid *grid, double x, double y, size_t *column, size_t *row) {
    size_t up;
    if (!place(x, grid->columns, column) || !place(y, grid->rows, &up)) {
        return false;
    }
    *row = grid->rows - 1 - up;
    return true;
}

static void dot(rft_grid *grid, double x, double y, char stroke) {
    /* U+2800 and bits: columns of three dots, then the lowest row. */
    static const unsigned char bits[DOTS_WIDE][DOTS_HIGH] = {{0x01, 0x02, 0x04, 0x40}, {0x08, 0x10, 0x20, 0x80}};
    size_t across, up;
    if (!place(x, grid->columns * DOTS_WIDE, &across) || !place(y, grid->rows * DOTS_HIGH, &up)) {
        return;
    }
    size_t down = grid->rows * DOTS_HIGH - 1 - up;
    size_t at = down / DOTS_HIGH * grid->columns + across / DOTS_WIDE;
    grid->dots[at] |= bits[across % DOTS_WIDE][down % DOTS_HIGH];
    grid->strokes[at] = grid->strokes[at] && stroke == '.' ? grid->strokes[at] : stroke;
}

void rft_grid_line(rft_grid *grid, const double from[2], const double to[2], int every, char stroke) {
    double wide = fabs(to[0] - from[0]) * (double)(grid->columns * DOTS_WIDE);
    double high = fabs(to[1] - from[1]) * (double)(grid->rows * DOTS_HIGH);
    double most = fmax(wide, high);
    if (!(most < 1e6)) {
        return;
    }
    size_t steps = (size_t)ceil(most) + 1;
    for (size_t i = 0; i <= steps; i += (size_t)every) {
        double share = (double)i / (double)steps;
        dot(grid, from[0] + share * (to[0] - from[0]), from[1] + share * (to[1] - from[1]), stroke);
    }
}

void rft_grid_mark(rft_grid *grid, double x, double y, const char *mark) {
    size_t column, row;
    if (rft_grid_cell(grid, x, y, &column, &row)) {
        grid->marks[row * grid->columns + column] = mark;
    }
}

static bool is_empty(const rft_grid *grid, size_t at) {
    return !grid->marks[at] && (grid->ascii ? !grid->strokes[at] : !grid->dots[at]);
}

void rft_grid_row(const rft_grid *grid, size_t row, rft_str *out) {
    size_t first = row * grid->columns, end = first + grid->columns;
    while (end > first && is_empty(grid, end - 1)) {
        end--;
    }
    for (size_t at = first; at < end; at++) {
        if (grid->marks[at]) {
            rft_str_add(out, grid->marks[at]);
        } else if (is_empty(grid, at)) {
            rft_str_add_char(out, ' ');
        } else if (grid->ascii) {
            rft_str_add_char(out, grid->strokes[at]);
        } else {
            const char cell[] = {'\xe2', (char)(0xa0 + (grid->dots[at] >> 6)), (char)(0x80 + (grid->dots[at] & 0x3f)),
                                 '\0'};
            rft_str_add(out, cell);
        }
    }
}
