/* SPDX-License-Identifier: Apache-2.0 */
/*
 * label.h - finds room for labels in a chart. A label never lies on another label or on a mark, strong or faint; it
 * avoids lines where it can.
 */
#ifndef RFT_REPORTS_LABEL_H
#define RFT_REPORTS_LABEL_H

#include "base/arena.h"
#include "reports/page/canvas.h"

/* Four corners, in order round it. */
typedef struct rft_quad {
    rft_spot corners[4];
} rft_quad;

rft_quad rft_quad_of_rect(const rft_rect *rect);
/* The box of a text whose baseline starts at (x, y) and runs at `angle` degrees. */
rft_quad rft_quad_of_text(const rft_text_run *run, double width);
/* Whether they share more than an edge. */
bool rft_quad_meets(const rft_quad *a, const rft_quad *b);

typedef struct rft_label_field {
    rft_rect bounds;
    rft_quad *taken; /* never covered */
    size_t taken_count, taken_capacity;
    size_t mark_count; /* the first so many of the taken are marks; a leader may cross those */
    rft_quad *avoided; /* covered only if there is no other place: lines */
    size_t avoided_count, avoided_capacity;
    rft_quad *faint; /* never covered: faint marks; a leader may cross them */
    size_t faint_count, faint_capacity;
    rft_arena *arena;
} rft_label_field;

void rft_label_take(rft_label_field *field, const rft_quad *quad);
void rft_label_avoid(rft_label_field *field, const rft_quad *quad);
void rft_label_avoid_faint(rft_label_field *field, const rft_quad *quad);
/* Avoids a line of this thickness. */
void rft_label_avoid_line(rft_label_field *field, rft_spot from, rft_spot to, double thickness);

/* A text `width` wide of this size. The first of the candidates (left end of the baseline, angle) that is free is
 * taken; else the one that covers least of what is avoided: with `clear` no line, since a line's name on another reads
 * as that one's, and no leader across another label. False when every one lies on something that it must not cover, or
 * outside. */
typedef struct rft_label_spot {
    rft_spot at;
    double angle;
    bool tied;    /* a line is drawn to `tie` when that is far away; angle is 0 then */
    rft_spot tie; /* what the label belongs to */
} rft_label_spot;
/* The line from what a label belongs to, to the label; false when they are so near that none is needed. */
bool rft_label_leader(const rft_label_spot *spot, double width, double size, rft_spot *from, rft_spot *to);
/* The places for one label, best first. */
typedef struct rft_label_spots {
    rft_label_spot *items;
    size_t count;
} rft_label_spots;
bool rft_label_place(rft_label_field *field, double width, double size, const rft_label_spots *candidates, bool clear,
                     size_t *chosen);

#endif
