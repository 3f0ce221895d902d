/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run.h"

#include "model/run/run_cards.h"

#include "model/run/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

void rft_env_set(rft_env *env, rft_arena *arena, const char *key, const char *value, const char *reason) {
    rft_env_item *item = (rft_env_item *)rft_env_get(env, key);
    if (item == NULL) {
        env->items = rft_arena_grown(arena, env->items, env->count, &env->capacity, sizeof *env->items);
        item = &env->items[env->count++];
        item->key = rft_arena_strdup(arena, key);
    }
    item->value = rft_arena_strdup(arena, value);
    item->reason = value ? NULL : rft_arena_strdup(arena, reason ? reason : "not known");
}

const rft_env_item *rft_env_get(const rft_env *env, const char *key) {
    for (size_t i = 0; i < env->count; i++) {
        if (strcmp(env->items[i].key, key) == 0) {
            return &env->items[i];
        }
    }
    return NULL;
}

const char *rft_env_value(const rft_env *env, const char *key) {
    const rft_env_item *item = rft_env_get(env, key);
    return item ? item->value : NULL;
}

const char *rft_env_hashed(const char *key) {
    static const char *const starts[] = {"source.",        "header.",        "data.",
                                         "replay.source.", "replay.header.", "replay.data."};
    for (size_t i = 0; i < sizeof starts / sizeof *starts; i++) {
        if (rft_text_starts(key, starts[i])) {
            return key + strlen(starts[i]);
        }
    }
    return rft_text_equal(key, "replay.recording_sha256") ? "" : NULL;
}

rft_facts rft_facts_unknown(void) {
    rft_facts facts = {0};
    rft_fields_clear(&rft_fields_facts, &facts);
    return facts;
}

rft_run *rft_run_new(void) {
    rft_run *run = rft_alloc(sizeof *run);
    run->arena = rft_arena_new();
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        run->ceilings.items[i] = rft_ceiling_none("not measured");
    }
    return run;
}

void rft_run_add_reference(rft_run *run, const rft_reference *reference) {
    run->references = rft_arena_grown(run->arena, run->references, run->reference_count, &run->reference_capacity,
                                      sizeof *run->references);
    run->references[run->reference_count++] = *reference;
}

void rft_run_free(rft_run *run) {
    if (run != NULL) {
        rft_arena_free(run->arena);
        free(run);
    }
}

const char *rft_run_problem_text(const rft_run *run, size_t sweep, size_t problem, bool swept_only, rft_arena *arena) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    bool any_swept = false;
    for (size_t i = 0; i < data->axis_count; i++) {
        any_swept = any_swept || data->axes[i].swept;
    }
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < data->axis_count; i++) {
        /* A listed problem (`problems`) has no swept axis: then all of them tell it from the others. */
        if (swept_only && any_swept && !data->axes[i].swept) {
            continue;
        }
        rft_str_add(&text, text.length > 0 ? " " : "");
        rft_values_format(&text, &data->axes[i].name, &data->problems[problem].values[i], 1);
    }
    const char *result = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return result;
}

const char *rft_run_config_text(const rft_run *run, const rft_point *point, bool tuned_only, rft_arena *arena) {
    const rft_variant *variant = &run->sweeps[point->sweep].sweep.variants[point->variant];
    rft_str text = RFT_STR_INIT;
    if (rft_variant_is_given(variant)) {
        return "given binary";
    }
    for (size_t i = 0; i < variant->param_count; i++) {
        if (tuned_only && variant->params[i].value_count < 2) {
            continue;
        }
        rft_str_add(&text, text.length > 0 ? " " : "");
        rft_values_format(&text, &variant->params[i].name, &point->config[i], 1);
    }
    const char *result = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return result;
}

/* ---- which point is the best, and the order of the rest ---- */

const rft_measurement *rft_point_measurement(const rft_point *point) {
    if (!rft_outcome_is_measured(point->outcome)) {
        return NULL;
    }
    for (int round = RFT_ROUNDS - 1; round >= 0; round--) {
        if (point->rounds[round].n > 0) {
            return &point->rounds[round];
        }
    }
    return NULL;
}

double rft_point_median_s(const rft_point *point) {
    const rft_measurement *measurement = rft_point_measurement(point);
    return measurement ? measurement->stats.median : NAN;
}

double rft_point_swept_s(const rft_point *point) {
    return point->rounds[0].n > 0 ? point->rounds[0].stats.median : rft_point_median_s(point);
}

static double floor_apart_s(const rft_measurement *a, const rft_measurement *b) {
    const rft_measurement *batched = a->batch > 1 ? a : b;
    return (a->batch > 1) != (b->batch > 1) && isfinite(batched->floor_s) ? batched->floor_s : 0.0;
}

rft_point_gain rft_point_gain_of(const rft_point *before, const rft_point *after) {
    const rft_measurement *of[] = {rft_point_measurement(before), rft_point_measurement(after)};
    bool final[] = {before->rounds[RFT_ROUNDS - 1].n > 0, after->rounds[RFT_ROUNDS - 1].n > 0};
    bool swept = final[0] != final[1];
    for (size_t i = 0; i < 2; i++) {
        of[i] = swept && (i ? after : before)->rounds[0].n > 0 ? &(i ? after : before)->rounds[0] : of[i];
    }
    bool known = of[0] && of[1];
    return (rft_point_gain){.ratio = known ? of[0]->stats.median / of[1]->stats.median : (double)NAN,
                            .swept = swept,
                            .apart_s = known ? floor_apart_s(of[0], of[1]) : 0.0};
}

double rft_point_objective(const rft_run *run, const rft_point *point) {
    const rft_load *load = point->loads[RFT_LOAD_ENERGY];
    double median_s = rft_point_median_s(point), joules = load && !load->reason ? load->joules_per_run : (double)NAN;
    switch (run->sweeps[point->sweep].sweep.search.objective) {
    case RFT_OBJECTIVE_ENERGY:
        return joules;
    case RFT_OBJECTIVE_EDP:
        return joules * median_s;
    default:
        return median_s;
    }
}

bool rft_run_is_candidate(const rft_run *run, const rft_point *point) {
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    return point->alias_of == 0 && rft_point_measurement(point) != NULL && !sweep->problems[point->problem].odd &&
           !rft_run_other_card(run, point);
}

void rft_run_mark_spans(rft_run *run) {
    rft_run_spans spans = {.point_count = run->point_count};
    spans.first = rft_arena_calloc(run->arena, run->sweep_count + 1, sizeof *spans.first);
    spans.end = rft_arena_calloc(run->arena, run->sweep_count + 1, sizeof *spans.end);
    for (size_t i = 0; i < run->point_count; i++) {
        size_t sweep = run->points[i].sweep;
        spans.first[sweep] = spans.end[sweep] ? spans.first[sweep] : i;
        spans.end[sweep] = i + 1;
    }
    run->spans = spans;
}

const rft_point *rft_run_span(const rft_run *run, size_t sweep, const rft_point **end) {
    const rft_run_spans *spans = &run->spans;
    bool known = spans->first && spans->point_count == run->point_count && sweep < run->sweep_count;
    *end = run->points + (known ? spans->end[sweep] : run->point_count);
    return run->points + (known ? spans->first[sweep] : 0);
}

static bool belongs(const rft_point *point, size_t sweep, size_t variant, size_t problem) {
    return point->sweep == sweep && point->problem == problem && (variant == SIZE_MAX || point->variant == variant);
}

static bool is_final(const rft_point *point) {
    return point->rounds[RFT_ROUNDS - 1].n > 0;
}

/* What a point is ranked by, beside each other: points lie far apart, and a sort looks at each many times. */
typedef struct rank {
    const rft_point *point;
    double objective; /* NaN: not known, or time is asked for */
    double time_s;
    int64_t id;
    bool final;
} rank;

static rank rank_of(const rft_run *run, const rft_point *point) {
    bool timed = run->sweeps[point->sweep].sweep.search.objective == RFT_OBJECTIVE_TIME;
    return (rank){.point = point,
                  .objective = timed ? NAN : rft_point_objective(run, point),
                  .time_s = rft_point_median_s(point),
                  .id = point->id,
                  .final = is_final(point)};
}

/* Where energy is the objective: whose energy is known goes before whose is not. The final round compares the best few
 * side by side; medians of the sweep were taken minutes apart. So points of the final go before all others.
 * Equal times: the earlier point. */
static bool goes_before(const rank *a, const rank *b) {
    if (isnan(a->objective) != isnan(b->objective)) {
        return isnan(b->objective);
    }
    if (a->objective != b->objective && !isnan(a->objective)) {
        return a->objective < b->objective;
    }
    if (a->final != b->final) {
        return a->final;
    }
    return a->time_s != b->time_s ? a->time_s < b->time_s : a->id < b->id;
}

static int compare_ranks(const void *a, const void *b) {
    const rank *x = a, *y = b;
    return x->point == y->point ? 0 : goes_before(x, y) ? -1 : 1;
}

/* *best: so far. */
static void prefer(rank *best, const rft_run *run, const rft_point *point) {
    rank own = rank_of(run, point);
    *best = best->point == NULL || goes_before(&own, best) ? own : *best;
}

const rft_point *rft_run_best(const rft_run *run, size_t sweep, size_t variant, size_t problem) {
    rank best = {.point = NULL};
    const rft_point *end = NULL;
    for (const rft_point *point = rft_run_span(run, sweep, &end); point < end; point++) {
        if (belongs(point, sweep, variant, problem) && rft_run_is_candidate(run, point)) {
            prefer(&best, run, point);
        }
    }
    return best.point;
}

size_t rft_run_ranked(const rft_run *run, size_t sweep, size_t variant, size_t problem, rft_arena *arena,
                      const rft_point ***out) {
    size_t count = 0;
    const rft_point *end = NULL, *first = rft_run_span(run, sweep, &end);
    for (const rft_point *point = first; point < end; point++) {
        count += belongs(point, sweep, variant, problem) && rft_run_is_candidate(run, point);
    }
    rank *sorted = rft_arena_calloc(arena, count + 1, sizeof *sorted);
    const rft_point **ranked = rft_arena_calloc(arena, count + 1, sizeof(const rft_point *));
    size_t filled = 0;
    for (const rft_point *point = first; point < end; point++) {
        if (belongs(point, sweep, variant, problem) && rft_run_is_candidate(run, point)) {
            sorted[filled++] = rank_of(run, point);
        }
    }
    qsort(sorted, count, sizeof *sorted, compare_ranks);
    for (size_t i = 0; i < count; i++) {
        ranked[i] = sorted[i].point;
    }
    *out = ranked;
    return count;
}

const rft_point *rft_run_default(const rft_run *run, size_t sweep, size_t variant, size_t problem) {
    const rft_point *end = NULL;
    for (const rft_point *point = rft_run_span(run, sweep, &end); point < end; point++) {
        if (belongs(point, sweep, variant, problem) && point->is_default) {
            return point;
        }
    }
    return NULL;
}

double rft_point_sustained_s(const rft_point *point) {
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    return soak && !soak->reason ? soak->stats.median : (double)NAN;
}

double rft_point_back_to_back_s(const rft_point *point) {
    const rft_load *load = point->loads[RFT_LOAD_ENERGY];
    bool pure = load && !load->reason && !load->restored && load->run_s > 0.0;
    return pure ? load->run_s : rft_point_sustained_s(point);
}

bool rft_point_sags(const rft_point *point) {
    double ratio = rft_point_sustained_s(point) / rft_point_median_s(point);
    return fabs(ratio - 1.0) > RFT_LOAD_APART_FRAC; /* false for NaN */
}

/* The best of each problem in one pass: there may be as many problems as configurations. */
size_t rft_run_largest(const rft_run *run, size_t sweep) {
    const size_t count = run->sweeps[sweep].sweep.problem_count;
    rank *bests = rft_calloc(count + 1, sizeof *bests);
    size_t largest = SIZE_MAX;
    double longest_s = 0.0;
    const rft_point *end = NULL;
    for (const rft_point *point = rft_run_span(run, sweep, &end); point < end; point++) {
        if (point->sweep == sweep && rft_run_is_candidate(run, point)) {
            prefer(&bests[point->problem], run, point);
        }
    }
    for (size_t p = 0; p < count; p++) {
        if (bests[p].point && bests[p].time_s > longest_s) {
            largest = p;
            longest_s = bests[p].time_s;
        }
    }
    free(bests);
    return largest;
}

const char *rft_run_ceilings_age_text(const rft_run *run, rft_arena *arena) {
    const rft_run_info *info = &run->info;
    return rft_ceilings_age_text(&run->ceilings, info->replay_of ? info->replay_started_unix_ns : info->started_unix_ns,
                                 arena);
}
