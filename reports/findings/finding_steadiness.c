/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_drift.h"
#include "model/run/run_throttled.h"
#include "reports/findings/findings.h"

static rft_finding *drift_data(const rft_run *run, const char *text, rft_arena *arena) {
    if (!text) {
        return NULL;
    }
    const rft_drift drift = rft_run_drift(run);
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "kind", rft_datum_text(rft_drift_kind_name(drift.kind)));
    rft_finding_set(f, "readings", rft_datum_count((int64_t)drift.n));
    rft_finding_set(f, "amount_frac", rft_datum_number(drift.amount_frac));
    rft_finding_set(f, "span_s", rft_datum_number(drift.span_s));
    rft_finding_set(f, "step_s", rft_datum_number(drift.step_s));
    rft_finding_set(f, "noise_frac", rft_datum_number(drift.noise_frac));
    rft_finding_set(f, "widen_frac", rft_datum_number(drift.widen_frac));
    rft_finding_set(f, "p", rft_datum_number(drift.p));
    rft_finding_set(f, "text", rft_datum_text(text));
    return f;
}

static rft_finding *throttled_data(const rft_run_throttled *found, rft_arena *arena) {
    if (found->judged == 0) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena), *causes = rft_finding_new(arena);
    for (int i = 0; i <= RFT_THROTTLE_COUNT; i++) {
        rft_finding_set(causes, i < RFT_THROTTLE_COUNT ? rft_throttle_name((rft_throttle_cause)i) : "unknown",
                        rft_datum_count((int64_t)found->causes[i]));
    }
    rft_finding_set(f, "judged", rft_datum_count((int64_t)found->judged));
    rft_finding_set(f, "affected", rft_datum_count((int64_t)found->affected));
    rft_finding_set(f, "measured_again", rft_datum_count((int64_t)found->again));
    rft_finding_add(f, "causes", causes);
    return f;
}

rft_finding *rft_finding_steadiness(const rft_run *run, bool all, rft_arena *arena) {
    const char *drift_text = rft_run_drift_sentence(run, arena);
    const char *clock_text = rft_run_throttled_sentence(run, arena);
    const rft_drift drift = rft_run_drift(run);
    const rft_run_throttled throttled = rft_run_throttled_of(run);
    rft_finding *f = rft_finding_new(arena);
    if (drift_text && (all || rft_drift_found(&drift))) {
        rft_finding_body(f, RFT_IN_TEXT, "drift: %s", drift_text);
    }
    if (clock_text && (all || throttled.affected > 0)) {
        rft_finding_body(f, RFT_IN_TEXT, "clock: %s", clock_text);
    }
    rft_finding_add(f, "drift", drift_data(run, drift_text, arena));
    rft_finding_add(f, "throttled", throttled_data(&throttled, arena));
    return f;
}
