/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/page/label.h"

#include <math.h>
#include <string.h>

#define AIR 0.8          /* points kept free around a label */
#define AIR_LABELS 3.0   /* points between the ends of two labels, half of it between lines of them */
#define LEADER_LEAST 9.0 /* points */
#define LEADER_STEP 20.0 /* a leader costs 1 for so much of its length, */
#define CLOSE_COST 12    /* a label so near to another that both read as one, */
#define LINE_COST 24     /* one across a line, */
#define LEADER_COST 24   /* and a leader across another label */

rft_quad rft_quad_of_rect(const rft_rect *r) {
    return (rft_quad){
        {{r->x, r->y}, {r->x + r->width, r->y}, {r->x + r->width, r->y + r->height}, {r->x, r->y + r->height}}};
}

rft_quad rft_quad_of_text(const rft_text_run *run, double width) {
    double turn = run->angle * 3.14159265358979323846 / 180.0;
    double along_x = cos(turn), along_y = -sin(turn), up_x = -sin(turn), up_y = -cos(turn);
    double up = RFT_FONT_ASCENT * run->size, down = RFT_FONT_DESCENT * run->size;
    rft_quad quad;
    const double share[4][2] = {{0, up}, {width, up}, {width, -down}, {0, -down}};
    for (int i = 0; i < 4; i++) {
        quad.corners[i].x = run->x + share[i][0] * along_x + share[i][1] * up_x;
        quad.corners[i].y = run->y + share[i][0] * along_y + share[i][1] * up_y;
    }
    return quad;
}

/* Whether some edge of `a` has all of `b` outside (separating axis). */
static bool separates(const rft_quad *a, const rft_quad *b) {
    for (int i = 0; i < 4; i++) {
        rft_spot from = a->corners[i], to = a->corners[(i + 1) % 4];
        double nx = to.y - from.y, ny = from.x - to.x;
        double length = hypot(nx, ny);
        if (length < 1e-9) {
            continue;
        }
        double a_low = INFINITY, a_high = -INFINITY, b_low = INFINITY, b_high = -INFINITY;
        for (int k = 0; k < 4; k++) {
            double pa = (a->corners[k].x * nx + a->corners[k].y * ny) / length;
            double pb = (b->corners[k].x * nx + b->corners[k].y * ny) / length;
            a_low = fmin(a_low, pa);
            a_high = fmax(a_high, pa);
            b_low = fmin(b_low, pb);
            b_high = fmax(b_high, pb);
        }
        if (a_high <= b_low + 1e-6 || b_high <= a_low + 1e-6) {
            return true;
        }
    }
    return false;
}

static void box_of(const rft_quad *quad, rft_spot *low, rft_spot *high) {
    *low = *high = quad->corners[0];
    for (int i = 1; i < 4; i++) {
        const rft_spot at = quad->corners[i];
        *low = (rft_spot){at.x < low->x ? at.x : low->x, at.y < low->y ? at.y : low->y};
        *high = (rft_spot){at.x > high->x ? at.x : high->x, at.y > high->y ? at.y : high->y};
    }
}

/* Most are far from each other, which upright boxes tell at once. */
static bool far_apart(const rft_quad *a, const rft_quad *b) {
    rft_spot a_low, a_high, b_low, b_high;
    box_of(a, &a_low, &a_high);
    box_of(b, &b_low, &b_high);
    return a_high.x < b_low.x || b_high.x < a_low.x || a_high.y < b_low.y || b_high.y < a_low.y;
}

bool rft_quad_meets(const rft_quad *a, const rft_quad *b) {
    return !far_apart(a, b) && !separates(a, b) && !separates(b, a);
}

static void add_quad(rft_arena *arena, rft_quad **items, size_t *count, size_t *capacity, const rft_quad *quad) {
    *items = rft_arena_grown(arena, *items, *count, capacity, sizeof **items);
    (*items)[(*count)++] = *quad;
}

void rft_label_take(rft_label_field *field, const rft_quad *quad) {
    add_quad(field->arena, &field->taken, &field->taken_count, &field->taken_capacity, quad);
}

void rft_label_avoid(rft_label_field *field, const rft_quad *quad) {
    add_quad(field->arena, &field->avoided, &field->avoided_count, &field->avoided_capacity, quad);
}

void rft_label_avoid_faint(rft_label_field *field, const rft_quad *quad) {
    add_quad(field->arena, &field->faint, &field->faint_count, &field->faint_capacity, quad);
}

void rft_label_avoid_line(rft_label_field *field, rft_spot from, rft_spot to, double thickness) {
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    if (length < 1e-9) {
        return;
    }
    double nx = -dy / length * thickness / 2, ny = dx / length * thickness / 2;
    rft_quad quad = {
        {{from.x + nx, from.y + ny}, {to.x + nx, to.y + ny}, {to.x - nx, to.y - ny}, {from.x - nx, from.y - ny}}};
    rft_label_avoid(field, &quad);
}

static bool inside(const rft_label_field *field, const rft_quad *quad) {
    for (int i = 0; i < 4; i++) {
        double x = quad->corners[i].x - field->bounds.x, y = quad->corners[i].y - field->bounds.y;
        if (x < 0 || y < 0 || x > field->bounds.width || y > field->bounds.height) {
            return false;
        }
    }
    return true;
}

/* Wider by `along` at both ends and by `across` above and below. */
static rft_quad grown(const rft_quad *quad, double along, double across) {
    const rft_spot *c = quad->corners;
    double length = fmax(hypot(c[1].x - c[0].x, c[1].y - c[0].y), 1e-9);
    double height = fmax(hypot(c[3].x - c[0].x, c[3].y - c[0].y), 1e-9);
    rft_spot to_end = {(c[1].x - c[0].x) / length * along, (c[1].y - c[0].y) / length * along};
    rft_spot to_foot = {(c[3].x - c[0].x) / height * across, (c[3].y - c[0].y) / height * across};
    return (rft_quad){{{c[0].x - to_end.x - to_foot.x, c[0].y - to_end.y - to_foot.y},
                       {c[1].x + to_end.x - to_foot.x, c[1].y + to_end.y - to_foot.y},
                       {c[2].x + to_end.x + to_foot.x, c[2].y + to_end.y + to_foot.y},
                       {c[3].x - to_end.x + to_foot.x, c[3].y - to_end.y + to_foot.y}}};
}

/* What lying there costs; SIZE_MAX when it must not. */
static size_t cost_of(const rft_label_field *field, const rft_quad *quad, bool clear) {
    size_t cost = 0;
    if (!inside(field, quad)) {
        return SIZE_MAX;
    }
    const rft_quad apart = grown(quad, AIR_LABELS, AIR_LABELS / 2);
    for (size_t i = 0; i < field->taken_count; i++) {
        if (rft_quad_meets(quad, &field->taken[i])) {
            return SIZE_MAX;
        }
        if (i >= field->mark_count && rft_quad_meets(&apart, &field->taken[i])) {
            cost += CLOSE_COST; /* reads as one text with it */
        }
    }
    for (size_t i = 0; i < field->avoided_count; i++) {
        if (rft_quad_meets(quad, &field->avoided[i])) {
            if (clear) {
                return SIZE_MAX;
            }
            cost += LINE_COST;
        }
    }
    for (size_t i = 0; i < field->faint_count; i++) {
        if (rft_quad_meets(quad, &field->faint[i])) {
            return SIZE_MAX;
        }
    }
    return cost;
}

bool rft_label_leader(const rft_label_spot *spot, double width, double size, rft_spot *from, rft_spot *to) {
    if (!spot->tied) {
        return false;
    }
    rft_spot near = {fmax(spot->at.x, fmin(spot->tie.x, spot->at.x + width)),
                     fmax(spot->at.y - size * RFT_FONT_ASCENT, fmin(spot->tie.y, spot->at.y))};
    double dx = near.x - spot->tie.x, dy = near.y - spot->tie.y, length = hypot(dx, dy);
    if (length < LEADER_LEAST) {
        return false;
    }
    *from = (rft_spot){spot->tie.x + dx / length * 3, spot->tie.y + dy / length * 3};
    *to = (rft_spot){near.x - dx / length * 1.5, near.y - dy / length * 1.5};
    return true;
}

static rft_quad thin(rft_spot from, rft_spot to) {
    double dx = to.x - from.x, dy = to.y - from.y, length = hypot(dx, dy);
    double nx = -dy / length * 0.3, ny = dx / length * 0.3;
    return (rft_quad){
        {{from.x + nx, from.y + ny}, {to.x + nx, to.y + ny}, {to.x - nx, to.y - ny}, {from.x - nx, from.y - ny}}};
}

/* A leader across another label is worse than one across a line; SIZE_MAX when it must not be there. */
static size_t leader_cost(const rft_label_field *field, const rft_label_spot *spot, double width, double size,
                          bool clear) {
    rft_spot from, to;
    size_t cost = 0;
    if (!rft_label_leader(spot, width, size, &from, &to)) {
        return 0;
    }
    rft_quad quad = thin(from, to);
    cost += (size_t)(hypot(to.x - from.x, to.y - from.y) / LEADER_STEP);
    for (size_t i = 0; i < field->taken_count; i++) {
        bool meets = rft_quad_meets(&quad, &field->taken[i]), mark = i < field->mark_count;
        if (meets && !mark && clear) {
            return SIZE_MAX;
        }
        cost += meets ? (mark ? 1 : LEADER_COST) : 0;
    }
    for (size_t i = 0; i < field->avoided_count; i++) {
        cost += rft_quad_meets(&quad, &field->avoided[i]) ? 2 : 0;
    }
    return cost;
}

bool rft_label_place(rft_label_field *field, double width, double size, const rft_label_spots *candidates, bool clear,
                     size_t *chosen) {
    size_t best = SIZE_MAX;
    rft_quad best_quad = {0};
    for (size_t i = 0; i < candidates->count && best > 0; i++) {
        double turn = candidates->items[i].angle * 3.14159265358979323846 / 180.0;
        /* The label with a little air on every side. */
        rft_text_run run = {.x = candidates->items[i].at.x - AIR * cos(turn),
                            .y = candidates->items[i].at.y + AIR * sin(turn),
                            .angle = candidates->items[i].angle,
                            .size = size};
        rft_quad quad = rft_quad_of_text(&run, width + 2 * AIR);
        size_t cost = cost_of(field, &quad, clear);
        size_t leader = cost == SIZE_MAX ? 0 : leader_cost(field, &candidates->items[i], width, size, clear);
        cost = leader == SIZE_MAX ? SIZE_MAX : cost + leader;
        if (cost < best) {
            best = cost;
            best_quad = quad;
            *chosen = i;
        }
    }
    if (best == SIZE_MAX) {
        return false;
    }
    rft_spot from, to;
    if (rft_label_leader(&candidates->items[*chosen], width, size, &from, &to)) {
        rft_label_avoid_line(field, from, to, 0.6);
    }
    rft_label_take(field, &best_quad);
    return true;
}
