/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_steadiness.h"

#include "model/run/run_drift.h"
#include "model/run/run_throttled.h"
#include "reports/print/layout.h"

void rft_show_steadiness(rft_str *out, const rft_run *run, bool all, rft_arena *arena) {
    const char *drift_text = rft_run_drift_sentence(run, arena);
    const char *clock_text = rft_run_throttled_sentence(run, arena);
    rft_drift drift = rft_run_drift(run);
    if (drift_text && (all || rft_drift_found(&drift))) {
        rft_layout_wrapped(out, 0, 2, rft_arena_printf(arena, "drift: %s", drift_text));
    }
    if (clock_text && (all || rft_run_throttled_of(run).affected > 0)) {
        rft_layout_wrapped(out, 0, 2, rft_arena_printf(arena, "clock: %s", clock_text));
    }
}

static json_t *count_json(size_t count) {
    return json_integer((json_int_t)count);
}

static json_t *of_drift(const rft_run *run, rft_arena *arena) {
    const char *text = rft_run_drift_sentence(run, arena);
    if (!text) {
        return json_null();
    }
    rft_drift drift = rft_run_drift(run);
    return json_pack("{s:s,s:o,s:o,s:o,s:o,s:o,s:o,s:o,s:s}", "kind", rft_drift_kind_name(drift.kind), "readings",
                     count_json(drift.n), "amount_frac", rft_json_real_new(drift.amount_frac), "span_s",
                     rft_json_real_new(drift.span_s), "step_s", rft_json_real_new(drift.step_s), "noise_frac",
                     rft_json_real_new(drift.noise_frac), "widen_frac", rft_json_real_new(drift.widen_frac), "p",
                     rft_json_real_new(drift.p), "text", text);
}

static json_t *of_throttled(const rft_run *run) {
    rft_run_throttled found = rft_run_throttled_of(run);
    json_t *causes = json_object();
    for (int i = 0; i <= RFT_THROTTLE_COUNT; i++) {
        const char *name = i < RFT_THROTTLE_COUNT ? rft_throttle_name((rft_throttle_cause)i) : "unknown";
        json_object_set_new(causes, name, count_json(found.causes[i]));
    }
    if (found.judged == 0) {
        json_decref(causes);
        return json_null();
    }
    return json_pack("{s:o,s:o,s:o,s:o}", "judged", count_json(found.judged), "affected", count_json(found.affected),
                     "measured_again", count_json(found.again), "causes", causes);
}

void rft_show_set_steadiness(json_t *object, const rft_run *run, rft_arena *arena) {
    json_object_set_new(object, "drift", of_drift(run, arena));
    json_object_set_new(object, "throttled", of_throttled(run));
}
