/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_throttled.h"

#include "base/str.h"
#include "base/units.h"

#include <math.h>

rft_run_throttled rft_run_throttled_of(const rft_run *run) {
    rft_run_throttled out = {0};
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_measurement *m = rft_point_measurement(&run->points[i]);
        bool looked = m && m->attempts > 0 && (isfinite(m->clock_mhz) || m->throttled_frac > 0);
        if (!looked || run->points[i].alias_of) {
            continue;
        }
        out.judged++;
        out.again += m->attempts > 1;
        if (m->throttled_frac > RFT_THROTTLE_TOLERATED_FRAC) {
            out.affected++;
            out.causes[rft_throttle_from_name(m->throttled_by)]++;
        }
    }
    return out;
}

static const char *count_text(size_t count, rft_arena *arena) {
    char text[40];
    return rft_arena_strdup(arena, rft_units_format_count(text, sizeof text, count));
}

const char *rft_run_throttled_sentence(const rft_run *run, rft_arena *arena) {
    rft_run_throttled found = rft_run_throttled_of(run);
    rft_str text = RFT_STR_INIT;
    if (found.judged == 0) {
        return NULL;
    }
    if (found.affected == 0) {
        rft_str_addf(&text, "none of %s points ran below the run's steady clock", count_text(found.judged, arena));
    } else {
        rft_str_addf(&text, "%s of %s points ran below the run's steady clock", count_text(found.affected, arena),
                     count_text(found.judged, arena));
        const char *separator = " (";
        for (int i = 0; i <= RFT_THROTTLE_COUNT; i++) {
            if (found.causes[i]) {
                rft_str_addf(&text, "%s%s %s", separator, count_text(found.causes[i], arena),
                             rft_throttle_words((rft_throttle_cause)i));
                separator = ", ";
            }
        }
        rft_str_add(&text, ")");
    }
    if (found.again) {
        rft_str_addf(&text, "; %s %s measured again", count_text(found.again, arena),
                     found.again == 1 ? "was" : "were");
    }
    const char *sentence = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return sentence;
}
