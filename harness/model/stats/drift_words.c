/* SPDX-License-Identifier: Apache-2.0 */
#include "model/stats/drift.h"

#include "base/str.h"
#include "base/units.h"

#include <math.h>

static void add_percent(rft_str *text, double frac) {
    rft_str_add_fixed(text, fabs(frac) * 100.0, fabs(frac) < 0.001 ? 2 : 1);
    rft_str_add(text, " %");
}

static void add_duration(rft_str *text, const char *before, double seconds) {
    char duration[48];
    if (isfinite(seconds)) {
        rft_str_addf(text, "%s%s", before, rft_units_format_seconds(duration, sizeof duration, seconds, 2));
    }
}

static void add_finding(rft_str *text, const rft_drift *drift) {
    const char *direction = drift->amount_frac > 0 ? " slower" : " faster";
    if (drift->kind == RFT_DRIFT_WANDER) {
        rft_str_add(text, "the reference wandered over ");
        add_percent(text, drift->amount_frac);
        add_duration(text, " within ", drift->span_s);
    } else {
        rft_str_add(text, "the reference became ");
        add_percent(text, drift->amount_frac);
        rft_str_add(text, direction);
        if (drift->kind == RFT_DRIFT_STEP) {
            rft_str_add(text, " at once");
            add_duration(text, ", ", drift->step_s);
            rft_str_add(text, isfinite(drift->step_s) ? " into the run" : "");
        } else {
            add_duration(text, " over ", drift->span_s);
        }
    }
}

char *rft_drift_words(const rft_drift *drift, char *out, size_t size) {
    rft_str text = RFT_STR_INIT;
    if (drift->kind == RFT_DRIFT_UNKNOWN) {
        rft_str_addf(&text, "whether the device drifted is not known: %zu reading%s of the reference, %d are needed",
                     drift->n, drift->n == 1 ? "" : "s", RFT_DRIFT_MIN_READINGS);
    } else if (drift->kind == RFT_DRIFT_NONE) {
        rft_str_addf(&text, "no drift: %zu readings of the reference", drift->n);
        add_duration(&text, " over ", drift->span_s);
        rft_str_add(&text, " scatter by ");
        add_percent(&text, drift->noise_frac);
    } else {
        add_finding(&text, drift);
        rft_str_addf(&text, " (%zu readings)", drift->n);
    }
    if (isfinite(drift->widen_frac) && drift->widen_frac >= RFT_DRIFT_MIN_FRAC) {
        rft_str_add(&text, ", so intervals are ");
        add_percent(&text, drift->widen_frac);
        rft_str_add(&text, " wider on each side when runs are compared");
    }
    rft_text_format(out, size, "%s", rft_str_get(&text));
    rft_str_clear(&text);
    return out;
}
