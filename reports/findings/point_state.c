/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/point_state.h"

#include "model/roofline/bound.h"
#include "reports/findings/words.h"

#include <math.h>

#define TOLD_FRAC 0.005 /* device memory's share is the same at any clock */

double rft_back_to_back_rate(const rft_run *run, const rft_point *point) {
    rft_placement place = rft_placement_of(run, point);
    return rft_rate_of(&place) * rft_point_median_s(point) / rft_point_back_to_back_s(point);
}

const char *rft_words_at_clock(const rft_run *run, const rft_point *point, rft_arena *arena) {
    rft_held_clock clock = rft_held_clock_of(run, point);
    rft_placement place = rft_placement_of(run, point);
    double frac = place.clock_frac;
    return clock.below && fabs(frac - place.efficiency_frac) > TOLD_FRAC /* false for NaN */
               ? rft_arena_printf(arena, "%s of what %.0f MHz allow", rft_figure_percent(arena, frac), clock.clock_mhz)
               : NULL;
}

const char *rft_words_back_to_back(const rft_run *run, const rft_point *point, rft_arena *arena) {
    rft_placement place = rft_placement_of(run, point);
    double rate = rft_back_to_back_rate(run, point);
    return isfinite(rate)
               ? rft_arena_printf(arena, "back to back %s", rft_figure_si(arena, rate, rft_rate_unit(&place)))
               : NULL;
}

const char *rft_words_with_state(const char *words, const rft_run *run, const rft_point *point, rft_arena *arena) {
    const char *clock = rft_words_at_clock(run, point, arena), *steady = rft_words_back_to_back(run, point, arena);
    return rft_arena_printf(arena, "%s%s%s%s%s", words, clock ? ", " : "", clock ? clock : "", steady ? ", " : "",
                            steady ? steady : "");
}

void rft_finding_set_state(rft_finding *f, const rft_run *run, const rft_point *point) {
    rft_placement place = rft_placement_of(run, point);
    rft_held_clock clock = rft_held_clock_of(run, point);
    double back_s = rft_point_back_to_back_s(point), burst_s = rft_point_median_s(point);
    rft_finding *own = rft_finding_new(f->arena);
    rft_finding_set(own, "efficiency_frac", rft_datum_number(place.clock_frac));
    rft_finding_set(own, "clock_mhz", rft_datum_number(clock.clock_mhz));
    rft_finding_set(own, "run_clock_mhz", rft_datum_number(clock.run_mhz));
    rft_finding_set(own, "below_run_clock", rft_datum_flag(clock.below));
    rft_finding_set(own, "held_by",
                    rft_datum_text(clock.cause < RFT_THROTTLE_COUNT ? rft_throttle_name(clock.cause) : NULL));
    rft_finding_add(f, "at_clock", own);
    rft_finding_set(f, "left_factor", rft_datum_number(rft_reach_of(run, point).left_factor));
    rft_finding_set(f, "back_to_back_s", rft_datum_number(back_s));
    rft_finding_set(f, "back_to_back_bytes_s", rft_datum_number(place.rate_bytes_s * burst_s / back_s));
    rft_finding_set(f, "back_to_back_ops_s", rft_datum_number(place.rate_ops_s * burst_s / back_s));
}
