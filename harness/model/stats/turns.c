/* SPDX-License-Identifier: Apache-2.0 */
/* turns.c - several turns on one axis: part after part, each the widest that one turn explains (turn.h). */
#include "model/stats/turn.h"

#include <math.h>
#include <stdlib.h>

static int by_x(const void *a, const void *b) {
    double x = ((const rft_turn_point *)a)->x, y = ((const rft_turn_point *)b)->x;
    return (x > y) - (x < y);
}

/* Does each branch rule at three points at least? Two beside a step would do for a turn, at a place that is none. */
static bool firm(const rft_turn_point *sorted, size_t n, const rft_turn *turn) {
    size_t before = 0, after = 0;
    for (size_t i = 0; i < n; i++) {
        before += sorted[i].x < turn->low;
        after += sorted[i].x > turn->high;
    }
    return turn->kind == RFT_TURN_FOUND && before >= 3 && after >= 3;
}

size_t rft_turns_find(const rft_turn_point *points, size_t count, uint64_t seed, rft_arena *arena, rft_turn **out) {
    rft_turn_point *sorted = rft_arena_calloc(arena, count + 1, sizeof *sorted);
    rft_turn *found = rft_arena_calloc(arena, count + 1, sizeof *found);
    size_t n = 0, turns = 0, first = 0;
    for (size_t i = 0; i < count; i++) {
        if (points[i].x > 0.0 && isfinite(points[i].x) && points[i].time_s > 0.0 && isfinite(points[i].time_s)) {
            sorted[n++] = points[i];
        }
    }
    qsort(sorted, n, sizeof *sorted, by_x);
    *out = found;
    found[0] = rft_turn_find(sorted, n, seed, 0, arena);
    if (!found[0].other_shape) {
        return 1;
    }
    rft_turn whole = found[0];
    while (first + RFT_TURN_POINTS_MIN <= n) {
        rft_turn turn = {.kind = RFT_TURN_NONE};
        bool found_one = false;
        for (size_t last = n; last >= first + RFT_TURN_POINTS_MIN && !found_one; last--) {
            turn = rft_turn_find(&sorted[first], last - first, seed, 0, arena);
            found_one = firm(&sorted[first], last - first, &turn);
        }
        if (!found_one) {
            break;
        }
        found[turns++] = turn;
        while (first < n && sorted[first].x < turn.high) { /* the round part of this knee is no part of the next */
            first++;
        }
    }
    if (turns == 0) {
        found[turns++] = whole;
    }
    return turns;
}
