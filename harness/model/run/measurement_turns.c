/* SPDX-License-Identifier: Apache-2.0 */
/* measurement_turns.c - a measurement taken in turns with others: its samples joined (run.h). */
#include "model/run/run.h"
#include "model/stats/throttle.h"

#include <math.h>
#include <string.h>

bool rft_measurement_affected(const rft_measurement *m, size_t i) {
    double clock_mhz = m->clocks_mhz ? m->clocks_mhz[i] : (double)NAN;
    bool any_clock = isfinite(m->clock_mhz);
    return any_clock ? clock_mhz < (1.0 - RFT_THROTTLE_BELOW_FRAC) * m->steady_mhz : m->affected_frac > 0.5;
}

/* NaN-filled where one side has none. */
static double *joined_array(const double *a, size_t a_count, const double *b, size_t b_count, rft_arena *arena) {
    double *out = rft_arena_calloc(arena, a_count + b_count + 1, sizeof *out);
    for (size_t i = 0; i < a_count; i++) {
        out[i] = a ? a[i] : (double)NAN;
    }
    for (size_t i = 0; i < b_count; i++) {
        out[a_count + i] = b ? b[i] : (double)NAN;
    }
    return out;
}

static double median_known(const double *items, size_t n, rft_arena *arena) {
    double *known = rft_arena_calloc(arena, n + 1, sizeof *known);
    size_t count = 0;
    for (size_t i = 0; i < n; i++) {
        if (isfinite(items[i])) {
            known[count++] = items[i];
        }
    }
    return rft_stats_of(known, count).median;
}

static void join_throttling(rft_measurement *into, const rft_measurement *turn) {
    double share = (double)turn->n / (double)(into->n + turn->n);
    bool worse = turn->attempts > 0 && (into->attempts == 0 || turn->affected_frac > into->affected_frac);
    if (into->attempts == 0 || turn->attempts == 0) {
        into->affected_frac = into->attempts == 0 ? turn->affected_frac : into->affected_frac;
    } else {
        into->affected_frac += (turn->affected_frac - into->affected_frac) * share;
    }
    into->attempts = turn->attempts > into->attempts ? turn->attempts : into->attempts;
    into->steady_mhz = isfinite(turn->steady_mhz) ? turn->steady_mhz : into->steady_mhz;
    if (worse) {
        into->throttle_cause = turn->throttle_cause;
        into->throttle_note = turn->throttle_note;
    }
}

static double sum_known(double a, double b) {
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

void rft_measurement_join(rft_measurement *into, const rft_measurement *turn, rft_arena *arena) {
    int turns = into->n > 0 ? into->turns + 1 : 1;
    if (into->n == 0) {
        *into = *turn;
        into->samples_s = joined_array(turn->samples_s, turn->n, NULL, 0, arena);
        into->clocks_mhz = turn->clocks_mhz ? joined_array(turn->clocks_mhz, turn->n, NULL, 0, arena) : NULL;
    } else {
        bool clocks = into->clocks_mhz || turn->clocks_mhz;
        join_throttling(into, turn);
        into->samples_s = joined_array(into->samples_s, into->n, turn->samples_s, turn->n, arena);
        into->clocks_mhz = clocks ? joined_array(into->clocks_mhz, into->n, turn->clocks_mhz, turn->n, arena) : NULL;
        into->n += turn->n;
        into->stats = rft_stats_of(into->samples_s, into->n);
        into->clock_mhz = clocks ? median_known(into->clocks_mhz, into->n, arena) : turn->clock_mhz;
        into->wall_s += turn->wall_s;
        into->verify_s += turn->verify_s;
        into->busy_s = sum_known(into->busy_s, turn->busy_s);
        into->batch = turn->batch > into->batch ? turn->batch : into->batch;
        into->floor_s = isfinite(turn->floor_s) ? turn->floor_s : into->floor_s;
    }
    if (turn->step_count > 0) {
        into->step_s = rft_arena_memdup(arena, turn->step_s, turn->step_count * sizeof *turn->step_s);
        into->step_count = turn->step_count;
    }
    into->turns = turns;
    into->throttle_cause = rft_arena_strdup(arena, into->throttle_cause);
    into->throttle_note = rft_arena_strdup(arena, into->throttle_note);
}
