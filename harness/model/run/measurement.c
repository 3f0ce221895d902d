/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/measurement.h"

#include "base/str.h"
#include "base/units.h"
#include "model/run/field.h"
#include "model/stats/drift.h"
#include "model/stats/interval_text.h"
#include "model/stats/throttle.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define DRIFT_WORTH_FRAC 0.005 /* medians nearer than this are a tie in any case (rft_stats_tie) */

rft_measurement rft_measurement_none(void) {
    rft_measurement m = {0};
    rft_fields_clear(&rft_fields_measurement, &m);
    m.stats = rft_stats_of(NULL, 0);
    m.repeat = rft_repeat_none();
    return m;
}

rft_measurement rft_measurement_copy(const rft_measurement *m, rft_arena *arena) {
    rft_measurement copy = *m;
    rft_fields_own(&rft_fields_measurement, &copy, arena);
    return copy;
}

double rft_measurement_cycles(const rft_measurement *m) {
    if (m->clocks_mhz == NULL || m->n == 0) {
        return NAN;
    }
    double *cycles = rft_calloc(m->n, sizeof *cycles);
    size_t known = 0;
    for (size_t i = 0; i < m->n; i++) {
        if (isfinite(m->clocks_mhz[i])) {
            cycles[known++] = m->samples_s[i] * m->clocks_mhz[i] * 1e6;
        }
    }
    double median = rft_stats_of(cycles, known).median;
    free(cycles);
    return median;
}

double rft_measurement_near_floor_s(const rft_measurement *m, const rft_ceilings *ceilings) {
    double floor_s = m->floor_s;
    if (isnan(floor_s) && ceilings != NULL) {
        floor_s = rft_ceilings_rate(ceilings, RFT_CEILING_LAUNCH);
    }
    bool near = m->n > 0 && m->batch <= 1 && m->stats.median < RFT_NEAR_FLOOR * floor_s;
    return near ? floor_s : (double)NAN;
}

/* Of one process: its interval is wider for it (rft_drift_stats_of()). */
static void add_dependence(rft_str *text, const rft_measurement *m) {
    rft_drift drift = rft_drift_of_samples(m->samples_s, m->n);
    if (rft_drift_found(&drift) && fabs(drift.amount_frac) >= DRIFT_WORTH_FRAC) {
        rft_str_addf(text, "%sthe samples are not independent (%s of ", text->length ? "; " : "",
                     rft_drift_kind_name(drift.kind));
        rft_str_add_fixed(text, fabs(drift.amount_frac) * 100.0, 1);
        rft_str_add(text, m->stats.interval_is_95 ? " %), so the interval is that of batches of them"
                                                  : " %) and too few for an interval");
    }
}

static void add_processes(rft_str *text, const rft_measurement *m, rft_arena *arena) {
    const char *repeat = rft_interval_ends_text(m->repeat.repeat_low, m->repeat.repeat_high, "s", arena);
    rft_str_addf(text, "%sof %zu processes%s%s", text->length ? "; " : "", m->process_count,
                 repeat ? ": another such run would read " : "", repeat ? repeat : "");
}

/* The sentence is of one process: another may have seen what that one did not. */
static void add_throttling(rft_str *text, const rft_measurement *m) {
    const char *unknown = rft_throttle_words(RFT_THROTTLE_COUNT), *found = strstr(m->throttle_note, unknown);
    rft_throttle_cause cause = found ? rft_throttle_from_name(m->throttled_by) : RFT_THROTTLE_COUNT;
    rft_str_add(text, text->length ? "; " : "");
    if (cause == RFT_THROTTLE_COUNT) {
        rft_str_add(text, m->throttle_note);
        return;
    }
    rft_str_addf(text, "%.*s%s%s", (int)(found - m->throttle_note), m->throttle_note, rft_throttle_words(cause),
                 found + strlen(unknown));
}

const char *rft_measurement_note(const rft_measurement *m, const rft_ceilings *ceilings, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    char time[40];
    double floor_s = rft_measurement_near_floor_s(m, ceilings);
    if (isfinite(floor_s)) {
        rft_str_addf(&text, "near the timer floor of %s", rft_units_format_seconds(time, sizeof time, floor_s, 3));
    } else if (m->batch > 1) {
        rft_str_addf(&text, "each sample is %d runs in a row%s%s", m->batch,
                     isfinite(m->floor_s) ? "; an empty kernel takes " : "",
                     isfinite(m->floor_s) ? rft_units_format_seconds(time, sizeof time, m->floor_s, 3) : "");
    }
    if (m->process_count > 1) {
        add_processes(&text, m, arena);
    } else {
        add_dependence(&text, m);
    }
    if (m->throttle_note) {
        add_throttling(&text, m);
    }
    const char *note = text.length ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return note;
}

/* ---- taken in turns with others: the samples joined ---- */

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
    bool worse = turn->attempts > 0 && (into->attempts == 0 || turn->throttled_frac > into->throttled_frac);
    if (into->attempts == 0 || turn->attempts == 0) {
        into->throttled_frac = into->attempts == 0 ? turn->throttled_frac : into->throttled_frac;
    } else {
        into->throttled_frac += (turn->throttled_frac - into->throttled_frac) * share;
    }
    into->attempts = turn->attempts > into->attempts ? turn->attempts : into->attempts;
    into->throttled_below_mhz =
        isfinite(turn->throttled_below_mhz) ? turn->throttled_below_mhz : into->throttled_below_mhz;
    if (worse || !into->throttled_by) {
        into->throttled_by = turn->throttled_by;
    }
    if (worse) {
        into->throttle_note = turn->throttle_note;
    }
}

static double sum_known(double a, double b) {
    return isnan(a) ? b : isnan(b) ? a : a + b;
}

bool rft_measurement_processes_fit(const rft_measurement *m) {
    size_t left = m->n;
    for (size_t i = 0; i < m->process_count; i++) {
        if (m->process_n[i] == 0 || m->process_n[i] > left) {
            return false;
        }
        left -= m->process_n[i];
    }
    return m->process_count == 0 || left == 0;
}

/* Before the samples are joined. What one side has not recorded is one process. */
static void join_processes(rft_measurement *into, const rft_measurement *turn, bool same_process, rft_arena *arena) {
    size_t before = into->process_count, count = 0;
    size_t *all = rft_arena_calloc(arena, before + turn->process_count + 2, sizeof *all);
    for (; count < before; count++) {
        all[count] = into->process_n[count];
    }
    if (before == 0 && into->n > 0) {
        all[count++] = into->n;
    }
    bool extends = same_process && count > 0;
    if (turn->process_count == 0) {
        all[extends ? count - 1 : count++] += turn->n;
    }
    for (size_t i = 0; i < turn->process_count; i++) {
        all[extends && i == 0 ? count - 1 : count++] += turn->process_n[i];
    }
    into->process_n = all;
    into->process_count = count;
}

void rft_measurement_join(rft_measurement *into, const rft_measurement *turn, bool same_process, rft_arena *arena) {
    int turns = into->n > 0 ? into->turns + 1 : 1;
    if (turn->n > 0) {
        join_processes(into, turn, same_process, arena);
    }
    size_t *process_n = into->process_n, process_count = into->process_count;
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
    into->process_n = process_n;
    into->process_count = process_count;
    into->turns = turns;
    into->throttled_by = rft_arena_strdup(arena, into->throttled_by);
    into->throttle_note = rft_arena_strdup(arena, into->throttle_note);
}
