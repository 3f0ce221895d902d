/* SPDX-License-Identifier: Apache-2.0 */
/* measurement.c - what follows from a measurement's samples (run.h). */
#include "model/run.h"

#include <math.h>
#include <stdlib.h>

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
