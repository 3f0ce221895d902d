/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/ridge.h"

#include "model/roofline/amount.h"

#include <math.h>

#define GOOD_FRAC 0.8
#define NOTE_FRAC 0.5

rft_ceiling_id rft_ridge_level(int level) {
    static const rft_ceiling_id ids[] = {
#define LEVEL_ID(name, heading) RFT_CEILING_##name,
        RFT_RIDGE_LEVEL_MAP(LEVEL_ID)
#undef LEVEL_ID
    };
    return ids[level];
}

const char *rft_ridge_heading(int level) {
    static const char *const headings[] = {
#define LEVEL_HEADING(name, heading) heading,
        RFT_RIDGE_LEVEL_MAP(LEVEL_HEADING)
#undef LEVEL_HEADING
    };
    return headings[level];
}

rft_ridge rft_ridge_of(const rft_ceilings *ceilings, rft_pipe pipe) {
    rft_ceiling_id id = rft_amount_pipe_ceiling(pipe);
    const rft_ceiling *memory = &ceilings->items[RFT_CEILING_DRAM_READ];
    rft_ridge ridge = {.datasheet = NAN, .limit = NAN};
    double rate = rft_ceilings_rate(ceilings, id);
    for (int level = 0; level < RFT_RIDGE_LEVEL_COUNT; level++) {
        ridge.measured[level] = rate / rft_ceilings_rate(ceilings, rft_ridge_level(level));
    }
    if (id < RFT_CEILING_COUNT) {
        ridge.datasheet = ceilings->items[id].datasheet / memory->datasheet;
        ridge.limit = ceilings->items[id].limit / memory->limit;
    }
    return ridge;
}

bool rft_ridge_is_known(const rft_ridge *ridge) {
    bool known = !isnan(ridge->datasheet) || !isnan(ridge->limit);
    for (int level = 0; level < RFT_RIDGE_LEVEL_COUNT; level++) {
        known = known || !isnan(ridge->measured[level]);
    }
    return known;
}

double rft_gap_factor(double efficiency_frac) {
    return efficiency_frac > 0.0 ? 1.0 / efficiency_frac : (double)NAN;
}

const char *rft_efficiency_band(double efficiency_frac) {
    if (isnan(efficiency_frac)) {
        return NULL;
    }
    return efficiency_frac >= GOOD_FRAC ? "good" : efficiency_frac >= NOTE_FRAC ? "note" : "warning";
}
