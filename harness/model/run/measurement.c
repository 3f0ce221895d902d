/* SPDX-License-Identifier: Apache-2.0 */
/* measurement.c - what follows from a measurement's samples (run.h). */
#include "base/str.h"
#include "base/units.h"
#include "model/run/run.h"
#include "model/stats/drift.h"

#include <math.h>
#include <stdlib.h>

#define DRIFT_WORTH_FRAC 0.005 /* medians nearer than this are a tie in any case (rft_stats_tie) */

rft_measurement rft_measurement_none(void) {
    return (rft_measurement){.stats = rft_stats_of(NULL, 0),
                             .clock_mhz = NAN,
                             .busy_s = NAN,
                             .floor_s = NAN,
                             .affected_frac = NAN,
                             .steady_mhz = NAN};
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
    rft_drift drift = rft_drift_of_samples(m->samples_s, m->n);
    if (rft_drift_found(&drift) && fabs(drift.amount_frac) >= DRIFT_WORTH_FRAC) {
        rft_str_addf(&text, "%sthe samples are not independent (%s of ", text.length ? "; " : "",
                     rft_drift_kind_name(drift.kind));
        rft_str_add_fixed(&text, fabs(drift.amount_frac) * 100.0, 1);
        rft_str_add(&text, " %), so the interval is too narrow");
    }
    if (m->throttle_note) {
        rft_str_addf(&text, "%s%s", text.length ? "; " : "", m->throttle_note);
    }
    const char *note = text.length ? rft_arena_strdup(arena, rft_str_get(&text)) : NULL;
    rft_str_clear(&text);
    return note;
}
