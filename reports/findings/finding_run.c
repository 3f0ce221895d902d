/* SPDX-License-Identifier: Apache-2.0 */
/* All findings of a run as one, for programs. */
#include "reports/findings/buyer.h"
#include "reports/findings/findings.h"
#include "reports/findings/point_state.h"
#include "reports/findings/words.h"

#include "model/roofline/bound.h"
#include "model/roofline/over_roof.h"
#include "model/roofline/placement.h"
#include "model/roofline/ridge.h"
#include "model/run/field.h"
#include "model/transition/refine.h"

#include <math.h>

/* ---- the best of a problem ---- */

static rft_datum datum_of_field(const rft_field *field, const void *record) {
    const rft_content content = rft_field_shown(field, record);
    switch (content.kind) {
    case RFT_CONTENT_INT:
        return field->kind == RFT_FIELD_BOOL || field->kind == RFT_FIELD_FLAG ? rft_datum_flag(content.integer != 0)
                                                                              : rft_datum_count(content.integer);
    case RFT_CONTENT_REAL:
        return rft_datum_number(content.real);
    case RFT_CONTENT_TEXT:
        return rft_datum_text(content.text);
    case RFT_CONTENT_NULL:
    case RFT_CONTENT_REALS:
    case RFT_CONTENT_COUNTS:
        break;
    }
    return rft_datum_absent();
}

rft_finding *rft_finding_timing(const rft_measurement *m, rft_arena *arena) {
    rft_measurement told = m ? rft_words_measurement(m) : rft_measurement_none();
    rft_finding *f = rft_finding_new(arena);
    for (size_t i = 0; i < rft_fields_measurement.count; i++) {
        const rft_field *field = &rft_fields_measurement.items[i];
        if (field->flags & RFT_FIELD_SHOWN) {
            rft_finding_set(f, field->name, m ? datum_of_field(field, &told) : rft_datum_absent());
        }
    }
    bool several = told.process_count > 0, known = rft_repeat_is_known(&told.repeat);
    rft_finding_set(f, "processes", several ? rft_datum_count((int64_t)told.process_count) : rft_datum_absent());
    rft_finding_set(f, "repeat_low_s", rft_datum_number(known ? told.repeat.repeat_low : (double)NAN));
    rft_finding_set(f, "repeat_high_s", rft_datum_number(known ? told.repeat.repeat_high : (double)NAN));
    return f;
}

/* Null under the roof. */
static rft_finding *over_roof(const rft_run *run, const rft_point *point, rft_arena *arena) {
    const rft_over_roof over = rft_over_roof_of(run, point, arena);
    rft_finding *f = over.text ? rft_finding_new(arena) : NULL;
    if (f) {
        rft_finding_set(f, "factor", rft_datum_number(over.factor));
        rft_finding_set(f, "cause", rft_datum_text(rft_over_cause_name(over.cause)));
        rft_finding_set(f, "text", rft_datum_text(over.text));
    }
    return f;
}

/* What the share of the roof rests on. */
static rft_finding *reach_data(const rft_reach *reach, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "frac", rft_datum_number(reach->frac));
    rft_finding_set(f, "back_to_back", rft_datum_flag(reach->back_to_back));
    rft_finding_set(f, "at_most", rft_datum_flag(reach->at_most));
    rft_finding_set(f, "unwritten_bytes", rft_datum_number(reach->unwritten.bytes));
    rft_finding_set(f, "unwritten_counted", rft_datum_flag(reach->unwritten.counted));
    return f;
}

static void set_times(rft_finding *f, const rft_run *run, const rft_point *best) {
    const rft_measurement *m = rft_point_measurement(best);
    rft_finding_set(f, "median_s", rft_datum_number(m->stats.median));
    rft_finding_set(f, "low_s", rft_datum_number(m->stats.low));
    rft_finding_set(f, "high_s", rft_datum_number(m->stats.high));
    rft_finding_set(f, "interval_is_95", rft_datum_flag(m->stats.interval_is_95));
    rft_finding_set(f, "samples", rft_datum_count((int64_t)m->stats.n));
    rft_finding_join(f, rft_finding_timing(m, f->arena));
    rft_finding_set(f, "note", rft_datum_text(rft_measurement_note(m, &run->ceilings, f->arena)));
    rft_finding_set(f, "ties", rft_datum_count((int64_t)rft_ties_of(run, best, f->arena)));
}

static void set_place(rft_finding *f, const rft_run *run, const rft_point *best) {
    rft_placement place = rft_placement_of(run, best);
    rft_reach reach = rft_reach_of(run, best);
    double items = best->work.items > 0 ? best->work.items / rft_point_median_s(best) : (double)NAN;
    rft_finding_set(f, "rate_bytes_s", rft_datum_number(place.rate_bytes_s));
    rft_finding_set(f, "rate_ops_s", rft_datum_number(place.rate_ops_s));
    rft_finding_set(f, "rate_items_s", rft_datum_number(items));
    rft_finding_set(f, "intensity_ops_byte", rft_datum_number(place.intensity));
    rft_finding_set(f, "efficiency_frac", rft_datum_number(place.efficiency_frac));
    rft_finding_set(f, "gap_factor", rft_datum_number(rft_gap_factor(place.efficiency_frac)));
    rft_finding_set(f, "band", rft_datum_text(rft_efficiency_band(1.0 / reach.left_factor)));
    rft_finding_set(f, "datasheet_frac", rft_datum_number(place.datasheet_frac));
    rft_finding_set_state(f, run, best);
    rft_finding_add(f, "reach", reach_data(&reach, f->arena));
    rft_finding_add(f, "over_roof", over_roof(run, best, f->arena));
}

rft_finding *rft_finding_best(const rft_run *run, const rft_point *best, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[best->sweep].sweep;
    rft_bound bound = rft_bound_of(run, best);
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "point", rft_datum_count(best->id));
    rft_finding_add(f, "problem", rft_finding_problem(sweep, best->problem, arena));
    rft_finding_set(f, "refined", rft_datum_count(sweep->problems[best->problem].refined));
    rft_finding_set(f, "refined_text", rft_datum_text(rft_refine_text(run, best->sweep, best->problem, arena)));
    rft_finding_set(f, "variant", rft_datum_text(sweep->variants[best->variant].name));
    if (sweep->variants[best->variant].unverified_reference) {
        rft_finding_set(f, "unverified_reference", rft_datum_text(sweep->variants[best->variant].unverified_reference));
    }
    rft_finding_add(f, "configuration", rft_finding_config(sweep, best, arena));
    set_times(f, run, best);
    set_place(f, run, best);
    rft_finding_set(f, "bound", rft_datum_text(rft_resource_name(bound.resource, bound.pipe)));
    rft_finding_set(f, "bound_turns", rft_datum_text(rft_words_turns(&bound, arena)));
    rft_finding_set(f, "bound_frac", rft_datum_number(bound.frac));
    rft_finding_set(f, "evidence", rft_datum_text(rft_evidence_name(bound.evidence)));
    rft_finding_add(f, "counters", rft_finding_counters(run, best, arena));
    rft_finding_add(f, "energy", rft_finding_energy(run, best, arena));
    rft_finding_add(f, "sustained", rft_finding_sustained(run, best, arena));
    rft_finding_set(f, "bound_text", rft_datum_text(rft_bound_text(&bound, arena)));
    rft_finding_add(f, "steps", rft_finding_steps(run, best, arena));
    rft_finding_add(f, "baselines", rft_finding_baselines(run, best->sweep, best->problem, arena));
    rft_finding_add(f, "advice", rft_finding_advice(run, best, arena));
    return f;
}

/* ---- a sweep ---- */

static void add_best_of_all(rft_finding *f, const rft_run *run, size_t sweep) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    const size_t *order = rft_refine_order(data, f->arena);
    rft_item *list = rft_finding_list(f, "best");
    for (size_t i = 0; i < data->problem_count; i++) {
        const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, order[i]);
        if (best) {
            rft_finding_append(f, list, rft_finding_best(run, best, f->arena));
        }
    }
    size_t problem = data->variant_count > 1 ? rft_counted_ladder(run, sweep) : SIZE_MAX;
    list = rft_finding_list(f, "ladder");
    for (size_t v = 0; v < data->variant_count && problem != SIZE_MAX; v++) {
        const rft_point *best = rft_run_best(run, sweep, v, problem);
        if (best) {
            rft_finding_append(f, list, rft_finding_best(run, best, f->arena));
        }
    }
}

rft_finding *rft_finding_closing(const rft_run *run, size_t sweep, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_add(f, "failures", rft_finding_failures(run, sweep, arena));
    rft_finding_add(f, "sanitized", rft_finding_sanitized(run, sweep, arena));
    rft_finding_add(f, "errors", rft_finding_errors(run, sweep, arena));
    rft_finding_add(f, "base", rft_finding_base(run, sweep, arena));
    rft_finding_add(f, "priors", rft_finding_priors(run, sweep, arena));
    return f;
}

static rft_finding *finding_of_sweep(const rft_run *run, size_t s, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[s].sweep;
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "name", rft_datum_text(sweep->name));
    rft_finding_set(f, "cache", rft_datum_text(rft_cache_mode_name(sweep->measure.cache)));
    rft_finding_set(f, "mode", rft_datum_text(rft_timing_mode_names[sweep->measure.mode]));
    rft_finding_set(f, "diagnostic",
                    sweep->diagnostic < 0 ? rft_datum_absent() : rft_datum_flag(sweep->diagnostic == 1));
    rft_finding_set(f, "note", rft_datum_text(sweep->note));
    rft_finding_set(f, "objective", rft_datum_text(rft_objective_name(sweep->search.objective)));
    rft_finding_add(f, "counts", rft_finding_counts(run, s, arena));
    rft_finding_set(f, "unexplored", rft_datum_text(run->sweeps[s].unexplored));
    add_best_of_all(f, run, s);
    rft_finding_add(f, "baselines", rft_finding_baselines(run, s, SIZE_MAX, arena));
    rft_finding_add(f, "counted", rft_finding_counted(run, s, false, arena));
    rft_finding_add(f, "loads", rft_finding_loads(run, s, arena));
    rft_finding_add(f, "transitions", rft_finding_transitions(run, s, arena));
    rft_finding_add(f, "fits", rft_finding_fits(run, s, arena));
    rft_finding_add(f, "profiles", rft_finding_profiles(run, s, arena));
    rft_finding_add(f, "progress", rft_finding_progress(run, s, rft_run_largest(run, s), arena));
    rft_finding_join(f, rft_finding_closing(run, s, arena));
    return f;
}

rft_finding *rft_finding_run(const rft_run *run, rft_arena *arena) {
    rft_finding *f = rft_finding_head(run, arena);
    rft_finding_join(f, rft_finding_steadiness(run, true, arena));
    rft_finding_add(f, "cards", rft_finding_split(run, arena));
    rft_finding_add(f, "load_state", rft_finding_state(run, arena));
    rft_finding_add(f, "idle", rft_finding_idle(run, arena));
    rft_finding_add(f, "ceilings", rft_finding_ceilings(run, arena));
    rft_finding_add(f, "ridges", rft_finding_ridges(run, arena));
    rft_item *sweeps = rft_finding_list(f, "sweeps");
    for (size_t s = 0; s < run->sweep_count; s++) {
        rft_finding_append(f, sweeps, finding_of_sweep(run, s, arena));
    }
    const rft_buyer_given given = {.run = run};
    rft_finding_add(f, "buyer", rft_finding_buyer(rft_buyer_of(&given, arena), arena));
    rft_finding_add(f, "rooflines", rft_finding_rooflines(run, arena));
    rft_finding_add(f, "conformance", rft_finding_conformance(run, arena));
    rft_finding_add(f, "system", rft_finding_system(run, arena));
    return f;
}
