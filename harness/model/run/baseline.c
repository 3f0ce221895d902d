/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/baseline.h"

#include "model/run/field.h"
#include "model/run/run_drift.h"

#include <math.h>
#include <string.h>

rft_baseline rft_baseline_none(rft_arena *arena, size_t sweep, size_t problem, const char *name, const char *which) {
    return (rft_baseline){.sweep = sweep,
                          .problem = problem,
                          .name = rft_arena_strdup(arena, name),
                          .which = rft_arena_strdup(arena, which),
                          .algo_at = -1,
                          .same_protocol = strcmp(which, RFT_BASELINE_GIVEN) != 0,
                          .measurement = rft_measurement_none()};
}

rft_baseline rft_baseline_copy(rft_arena *arena, const rft_baseline *from) {
    rft_baseline out = *from;
    rft_fields_own(&rft_fields_baseline, &out, arena);
    rft_fields_own(&rft_fields_verification, &out.verification, arena);
    out.measurement = rft_measurement_copy(&from->measurement, arena);
    out.measurement.step_s = NULL; /* one launch has no steps */
    out.measurement.step_count = 0;
    return out;
}

bool rft_baseline_is_measured(const rft_baseline *baseline) {
    return rft_outcome_is_measured(baseline->outcome) && isfinite(baseline->measurement.stats.median);
}

static bool is_same(const rft_baseline *a, const rft_baseline *b) {
    return a->sweep == b->sweep && a->problem == b->problem && strcmp(a->name, b->name) == 0 &&
           strcmp(a->which, b->which) == 0 && a->same_protocol == b->same_protocol;
}

const rft_baseline *rft_run_find_baseline(const rft_run *run, const rft_baseline *like) {
    for (size_t i = 0; i < run->baseline_count; i++) {
        if (is_same(&run->baselines[i], like)) {
            return &run->baselines[i];
        }
    }
    return NULL;
}

const rft_baseline *rft_run_put_baseline(rft_run *run, const rft_baseline *baseline) {
    const rft_baseline *there = rft_run_find_baseline(run, baseline);
    if (there) {
        rft_baseline *slot = &run->baselines[there - run->baselines];
        *slot = *baseline;
        return slot;
    }
    run->baselines = rft_arena_grown(run->arena, run->baselines, run->baseline_count, &run->baseline_capacity,
                                     sizeof *run->baselines);
    run->baselines[run->baseline_count] = *baseline;
    return &run->baselines[run->baseline_count++];
}

size_t rft_run_baselines(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena,
                         const rft_baseline ***out) {
    size_t count = 0;
    *out = rft_arena_calloc(arena, run->baseline_count + 1, sizeof **out);
    for (size_t i = 0; i < run->baseline_count; i++) {
        if (run->baselines[i].sweep == sweep && run->baselines[i].problem == problem) {
            (*out)[count++] = &run->baselines[i];
        }
    }
    return count;
}

/* ---- how exact ---- */

#define NOTABLE 2.0 /* root mean squares that differ by less: the same arithmetic in another order */

rft_errors rft_errors_of(const rft_verification *check) {
    bool known = check->done && check->tol > 0 && isfinite(check->worst_frac) && isfinite(check->rms_frac);
    return known ? (rft_errors){check->buffer, check->tol * check->worst_frac, check->tol * check->rms_frac}
                 : (rft_errors){NULL, NAN, NAN};
}

bool rft_errors_comparable(const rft_errors *own, const rft_errors *its) {
    return isfinite(own->rms) && its->rms > 0 && its->most > 0 && rft_text_equal(own->output, its->output);
}

bool rft_errors_larger(const rft_verification *own, const rft_verification *its) {
    rft_errors a = rft_errors_of(own), b = rft_errors_of(its);
    return rft_errors_comparable(&a, &b) && a.rms > NOTABLE * b.rms;
}

const rft_baseline *rft_run_fastest_baseline(const rft_run *run, size_t sweep, size_t problem) {
    const rft_baseline *first = NULL, *best = NULL;
    for (size_t i = 0; i < run->baseline_count; i++) {
        const rft_baseline *b = &run->baselines[i];
        if (b->sweep != sweep || b->problem != problem || !b->same_protocol || !rft_baseline_is_measured(b) ||
            b->measurement.n == 0) {
            continue;
        }
        first = first ? first : b;
        if (!rft_errors_larger(&b->verification, &first->verification) &&
            (!best || b->measurement.stats.median < best->measurement.stats.median)) {
            best = b;
        }
    }
    return best;
}

#define OTHER_PROTOCOL " (other protocol)"

static bool is_first(const rft_baseline *baseline) {
    return strcmp(baseline->which, RFT_BASELINE_FIRST) == 0;
}

const char *rft_baseline_label(const rft_baseline *baseline, rft_arena *arena) {
    if (!baseline->same_protocol) {
        return rft_arena_printf(arena, "%s" OTHER_PROTOCOL, baseline->name);
    }
    if (strcmp(baseline->which, RFT_BASELINE_BINARY) == 0) {
        return rft_arena_printf(arena, "%s, given binary", baseline->name);
    }
    if (is_first(baseline)) {
        return rft_arena_printf(arena, "%s, first heuristic", baseline->name);
    }
    if (baseline->tried == 0) {
        return rft_arena_printf(arena, "%s, best heuristic", baseline->name);
    }
    return rft_arena_printf(arena, "%s, best of %d heuristic%s", baseline->name, baseline->tried,
                            baseline->tried == 1 ? "" : "s");
}

const char *rft_baseline_short_label(const rft_baseline *baseline, rft_arena *arena) {
    const char *after = !baseline->same_protocol ? OTHER_PROTOCOL : is_first(baseline) ? " (first)" : "";
    return rft_arena_printf(arena, "%s%s", baseline->name, after);
}

/* They were not measured in turns: what the device did meanwhile is between them. */
rft_versus rft_versus_of(const rft_run *run, const rft_point *point, const rft_baseline *baseline) {
    const rft_measurement *m = point ? rft_point_measurement(point) : NULL;
    rft_versus out = {NAN, NAN, NAN, false};
    if (!m || !rft_baseline_is_measured(baseline)) {
        return out;
    }
    double widen_frac = rft_run_widen_frac(run, point->sweep, point->problem);
    rft_stats ours = rft_measurement_apart(m, widen_frac);
    rft_stats theirs = rft_measurement_apart(&baseline->measurement, widen_frac);
    out.frac = theirs.median / ours.median;
    out.low = theirs.low / ours.high;
    out.high = theirs.high / ours.low;
    out.tie = baseline->same_protocol && rft_measurement_tie(m, &baseline->measurement, widen_frac);
    return out;
}

static void add_percent(rft_str *out, double frac) {
    rft_str_add_fixed(out, frac * 100.0, 1);
}

const char *rft_versus_text(const rft_run *run, const rft_point *point, const rft_baseline *baseline,
                            rft_arena *arena) {
    rft_versus versus = rft_versus_of(run, point, baseline);
    const char *label = rft_baseline_short_label(baseline, arena);
    if (!rft_baseline_is_measured(baseline)) {
        return rft_arena_printf(arena, "%s: %s: %s", label, rft_outcome_name(baseline->outcome),
                                baseline->reason ? baseline->reason : "not measured");
    }
    if (isnan(versus.frac)) {
        return rft_arena_printf(arena, "%s: nothing to compare with it", label);
    }
    rft_str text = RFT_STR_INIT;
    add_percent(&text, versus.frac);
    rft_str_add(&text, " % ");
    if (isfinite(versus.low) && isfinite(versus.high)) {
        rft_str_add(&text, "[");
        add_percent(&text, versus.low);
        rft_str_add(&text, ", ");
        add_percent(&text, versus.high);
        rft_str_add(&text, "] ");
    }
    rft_str_addf(&text, "of %s%s%s", label, versus.tie ? ", a tie" : "",
                 rft_errors_larger(&point->verification, &baseline->verification) ? ", less exact" : "");
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* ---- the chief one ---- */

bool rft_run_has_baselines(const rft_run *run, size_t sweep) {
    bool any = false;
    for (size_t i = 0; i < run->baseline_count; i++) {
        any = any || run->baselines[i].sweep == sweep;
    }
    return any;
}

const rft_baseline *rft_run_chief_baseline(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    const rft_baseline **found = NULL;
    const rft_baseline *chief = NULL;
    size_t count = rft_run_baselines(run, sweep, problem, arena, &found);
    for (size_t i = 0; i < count; i++) {
        bool better = !chief || (!rft_baseline_is_measured(chief) && rft_baseline_is_measured(found[i])) ||
                      (!chief->same_protocol && found[i]->same_protocol && rft_baseline_is_measured(found[i]));
        chief = !is_first(found[i]) && better ? found[i] : chief;
    }
    return chief;
}

const char *rft_run_chief_name(const rft_run *run, rft_arena *arena) {
    const char *name = NULL;
    for (size_t s = 0; s < run->sweep_count; s++) {
        for (size_t p = 0; p < run->sweeps[s].sweep.problem_count; p++) {
            const rft_baseline *chief = rft_run_chief_baseline(run, s, p, arena);
            const char *label = chief ? rft_baseline_short_label(chief, arena) : name;
            if (name && label && strcmp(name, label) != 0) {
                return NULL;
            }
            name = label;
        }
    }
    return name;
}
