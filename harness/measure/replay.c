/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Answers from a recording. A point is found by what it is called, not by where it stands: the hash of a point is a sum
 * over its names and values, so that the order of axes and parameters does not matter; equality is checked by name.
 */
#include "measure/replay.h"

#include "base/hash.h"
#include "base/str.h"
#include "model/run/field.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct replay {
    rft_probe probe;
    const rft_run *run;
    size_t *slots;     /* open addressing: index of a point + 1, 0 = empty; heap */
    size_t slot_count; /* a power of two */
} replay;

/* A recording of a bare space (all of another tuner's are) is asked by spaces that others wrote down: they are named
 * after their files, and seldom repeat the parameters that never change. There a sweep is found by its name or by being
 * the only one, its variant is not asked for, and parameters with one recorded value may be left out. The variant to
 * look in; NULL: this is no such recording. */
static const rft_variant *bare_variant(const replay *r, const char *sweep_name) {
    for (size_t s = 0; s < r->run->sweep_count; s++) {
        const rft_sweep *sweep = &r->run->sweeps[s].sweep;
        if (sweep->bare_space && sweep->variant_count == 1 &&
            (r->run->sweep_count == 1 || strcmp(sweep->name, sweep_name) == 0)) {
            return &sweep->variants[0];
        }
    }
    return NULL;
}

static const rft_param *param_named(const rft_variant *variant, const char *name) {
    for (size_t i = 0; i < variant->param_count; i++) {
        if (strcmp(variant->params[i].name, name) == 0) {
            return &variant->params[i];
        }
    }
    return NULL;
}

/* One point as sweep script or recording spell it. */
typedef struct identity {
    const rft_sweep *sweep;
    const rft_variant *variant;
    const rft_value *problem, *config;
} identity;

static uint64_t hash_value(uint64_t seed, const char *name, const rft_value *value) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%llu/%s=", (unsigned long long)seed, name);
    rft_value_format(&text, value);
    uint64_t hash = rft_hash_fnv1a(text.data, text.length);
    rft_str_clear(&text);
    return hash;
}

static uint64_t hash_identity(const replay *r, const identity *id) {
    const rft_variant *bare = bare_variant(r, id->sweep->name);
    uint64_t hash = bare ? rft_hash_fnv1a(bare->name, strlen(bare->name))
                         : rft_hash_fnv1a(id->sweep->name, strlen(id->sweep->name)) * 3 +
                               rft_hash_fnv1a(id->variant->name, strlen(id->variant->name));
    for (size_t i = 0; i < id->sweep->axis_count; i++) {
        hash += hash_value(1, id->sweep->axes[i].name, &id->problem[i]);
    }
    for (size_t i = 0; i < id->variant->param_count; i++) {
        const rft_param *known = bare ? param_named(bare, id->variant->params[i].name) : NULL;
        if (!known || known->value_count > 1) {
            hash += hash_value(2, id->variant->params[i].name, &id->config[i]);
        }
    }
    return hash;
}

static bool same_problem(const identity *a, const identity *b) {
    for (size_t i = 0; i < a->sweep->axis_count; i++) {
        size_t j = 0;
        while (j < b->sweep->axis_count && strcmp(a->sweep->axes[i].name, b->sweep->axes[j].name) != 0) {
            j++;
        }
        if (j == b->sweep->axis_count || !rft_value_equal(&a->problem[i], &b->problem[j])) {
            return false;
        }
    }
    return a->sweep->axis_count == b->sweep->axis_count;
}

static bool same_config(const identity *a, const identity *b) {
    for (size_t i = 0; i < a->variant->param_count; i++) {
        size_t j = 0;
        while (j < b->variant->param_count && strcmp(a->variant->params[i].name, b->variant->params[j].name) != 0) {
            j++;
        }
        if (j == b->variant->param_count || !rft_value_equal(&a->config[i], &b->config[j])) {
            return false;
        }
    }
    return a->variant->param_count == b->variant->param_count;
}

/* Every asked parameter was recorded with its value, and what was not asked for never changes. */
static bool same_bare_config(const identity *asked, const identity *there) {
    for (size_t i = 0; i < asked->variant->param_count; i++) {
        const rft_param *known = param_named(there->variant, asked->variant->params[i].name);
        if (!known || !rft_value_equal(&asked->config[i], &there->config[known - there->variant->params])) {
            return false;
        }
    }
    for (size_t i = 0; i < there->variant->param_count; i++) {
        const rft_param *known = &there->variant->params[i];
        if (known->value_count > 1 && !param_named(asked->variant, known->name)) {
            return false;
        }
    }
    return true;
}

static bool same(const replay *r, const identity *a, const identity *b) {
    const rft_variant *bare = bare_variant(r, a->sweep->name);
    if (bare) {
        return b->variant == bare && same_problem(a, b) && same_bare_config(a, b);
    }
    return strcmp(a->sweep->name, b->sweep->name) == 0 && strcmp(a->variant->name, b->variant->name) == 0 &&
           same_problem(a, b) && same_config(a, b);
}

static identity identity_of(const rft_run *run, const rft_point *point) {
    const rft_sweep *sweep = &run->sweeps[point->sweep].sweep;
    return (identity){sweep, &sweep->variants[point->variant], sweep->problems[point->problem].values, point->config};
}

/* The slot of a point like `id`, or the empty one where it would go. */
static size_t *slot_of(const replay *r, const identity *id) {
    size_t at = hash_identity(r, id) & (r->slot_count - 1);
    while (r->slots[at]) {
        identity there = identity_of(r->run, &r->run->points[r->slots[at] - 1]);
        if (same(r, id, &there)) {
            break;
        }
        at = (at + 1) & (r->slot_count - 1);
    }
    return &r->slots[at];
}

/* Of two recorded points of the same identity, the later one counts. */
static void index_points(replay *r) {
    r->slot_count = 16;
    while (r->slot_count < 2 * r->run->point_count) {
        r->slot_count *= 2;
    }
    r->slots = rft_calloc(r->slot_count, sizeof *r->slots);
    for (size_t i = 0; i < r->run->point_count; i++) {
        identity id = identity_of(r->run, &r->run->points[i]);
        *slot_of(r, &id) = i + 1;
    }
}

/* The point whose numbers `point` shows; NULL when the recording does not have it. Points are sorted by id. */
static const rft_point *resolve(const rft_run *run, const rft_point *point) {
    for (size_t hops = 0; point && point->alias_of != 0 && hops < run->point_count; hops++) {
        size_t low = 0, high = run->point_count;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (run->points[middle].id < point->alias_of) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        point = low < run->point_count && run->points[low].id == point->alias_of ? &run->points[low] : NULL;
    }
    return point && point->alias_of == 0 ? point : NULL;
}

static int not_recorded(rft_probe_result *out, const char *reason) {
    *out = (rft_probe_result){.outcome = RFT_OUTCOME_NOT_RECORDED, .reason = reason, .facts = rft_facts_unknown()};
    out->measurement = rft_measurement_none();
    return RFT_OK;
}

/* The load is the recording's own, which outlives the caller. */
static int loaded(const rft_point *point, rft_load_kind kind, rft_probe_result *out) {
    if (!point->loads[kind]) {
        return not_recorded(out, "the recording has no such load of this point");
    }
    *out = (rft_probe_result){.outcome = RFT_OUTCOME_OK, .facts = rft_facts_unknown(), .load = point->loads[kind]};
    out->measurement = rft_measurement_none();
    return RFT_OK;
}

static int replay_idle(rft_probe *self, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err) {
    const replay *r = (const replay *)self;
    (void)order;
    (void)arena;
    (void)err;
    *out = r->run->idle ? *r->run->idle : rft_load_none(RFT_LOAD_IDLE, "the recording has no idle power");
    return RFT_OK;
}

/* Reading 1, 2, ... of the point's problem, where the point was its reference in the recording, too. */
static int reread(const rft_run *run, const rft_point *point, size_t number, rft_probe_result *out) {
    for (size_t i = 0; i < run->reference_count; i++) {
        const rft_reference *reading = &run->references[i];
        if (reading->sweep != point->sweep || reading->problem != point->problem || --number > 0) {
            continue;
        }
        if (reading->point != point->id) {
            return not_recorded(out, "the recording has another reference");
        }
        *out = (rft_probe_result){.outcome = isnan(reading->median) ? RFT_OUTCOME_LAUNCH_FAILED : RFT_OUTCOME_OK,
                                  .facts = rft_facts_unknown(),
                                  .reading_s = reading->time_s};
        out->measurement = rft_measurement_none();
        out->measurement.clock_mhz = reading->clock_mhz;
        out->measurement.stats.n = reading->n;
        out->measurement.stats.median = reading->median;
        out->measurement.stats.low = reading->low;
        out->measurement.stats.high = reading->high;
        return RFT_OK;
    }
    return not_recorded(out, "the recording has no such reading of the reference");
}

static int replay_measure(rft_probe *self, const rft_probe_request *request, rft_arena *arena, rft_probe_result *out,
                          rft_err *err) {
    const replay *r = (const replay *)self;
    (void)err;
    identity id = {request->sweep, &request->sweep->variants[request->variant], request->problem->values,
                   request->config};
    size_t found = *slot_of(r, &id);
    if (!found) {
        return not_recorded(out, "the recording has no such point");
    }
    const rft_point *point = resolve(r->run, &r->run->points[found - 1]);
    if (!point) {
        return not_recorded(out, "the recording lacks the point that this one is an alias of");
    }
    if (request->reading > 0) {
        return reread(r->run, point, request->reading, out);
    }
    bool measured = rft_outcome_is_measured(point->outcome);
    if (measured && request->verify_only && !point->verification.done) {
        return not_recorded(out, "the recording has no verification of this point");
    }
    if (request->load.wanted) {
        return loaded(point, request->load.kind, out);
    }
    if (measured && !request->verify_only && point->rounds[request->round].n == 0) {
        return not_recorded(out, request->round == 0 ? "the recording has no samples of this point"
                                                     : "the point was not in the recording's final round");
    }
    if (measured && !request->sweep->bare_space && point->rounds[0].n > 0 &&
        point->rounds[0].mode != request->measure.mode) {
        return not_recorded(out, point->rounds[0].mode == RFT_TIMING_GRAPH
                                     ? "the recording timed it as a CUDA graph, the sweep asks for launches one by one"
                                     : "the recording timed its launches one by one, the sweep asks for a CUDA graph");
    }
    *out = (rft_probe_result){.outcome = point->outcome,
                              .reason = rft_arena_strdup(arena, point->reason),
                              .log = rft_arena_strdup(arena, point->log),
                              .facts = point->facts,
                              .verification = point->verification};
    rft_fields_own(&rft_fields_facts, &out->facts, arena);
    rft_fields_own(&rft_fields_verification, &out->verification, arena);
    out->measurement = rft_measurement_none();
    if (!request->verify_only) {
        out->measurement = rft_measurement_copy(&point->rounds[request->round], arena);
    }
    return RFT_OK;
}

static size_t baselines(rft_probe *self, const rft_sweep *sweep, const rft_problem *problem, rft_arena *arena,
                        const rft_baseline ***out) {
    const rft_run *run = ((const replay *)self)->run;
    const identity asked = {sweep, NULL, problem->values, NULL};
    size_t count = 0;
    *out = rft_arena_calloc(arena, run->baseline_count + 1, sizeof **out);
    for (size_t i = 0; i < run->baseline_count; i++) {
        const rft_baseline *baseline = &run->baselines[i];
        const rft_sweep *of = &run->sweeps[baseline->sweep].sweep;
        const identity there = {of, NULL, of->problems[baseline->problem].values, NULL};
        if (strcmp(of->name, sweep->name) == 0 && same_problem(&asked, &there)) {
            (*out)[count++] = baseline;
        }
    }
    return count;
}

static int replay_ceilings(rft_probe *self, const rft_ceilings_request *request, rft_arena *arena, rft_ceilings *out,
                           rft_err *err) {
    const replay *r = (const replay *)self;
    (void)err, (void)request;
    *out = r->run->ceilings;
    for (int i = 0; i < RFT_CEILING_COUNT; i++) {
        rft_ceiling *ceiling = &out->items[i];
        ceiling->reason = rft_arena_strdup(arena, ceiling->reason);
        ceiling->kernel = rft_arena_strdup(arena, ceiling->kernel);
        ceiling->datasheet_basis = rft_arena_strdup(arena, ceiling->datasheet_basis);
        ceiling->limit_basis = rft_arena_strdup(arena, ceiling->limit_basis);
    }
    return RFT_OK;
}

static int replay_device(rft_probe *self, rft_arena *arena, rft_gpu_info *gpu, rft_env *env, rft_err *err) {
    const replay *r = (const replay *)self;
    (void)err;
    *gpu = rft_gpu_info_copy(arena, &r->run->gpu);
    for (size_t i = 0; i < r->run->env.count; i++) {
        const rft_env_item *item = &r->run->env.items[i];
        rft_env_set(env, arena, item->key, item->value, item->reason);
    }
    return RFT_OK;
}

/* What was recorded is all there is, whatever set is asked for. */
static int replay_count(rft_probe *self, const rft_probe_request *request, const rft_counter_set *set, rft_arena *arena,
                        rft_count_result *out, rft_err *err) {
    const replay *r = (const replay *)self;
    identity id = {request->sweep, &request->sweep->variants[request->variant], request->problem->values,
                   request->config};
    size_t found = *slot_of(r, &id);
    const rft_point *point = found ? resolve(r->run, &r->run->points[found - 1]) : NULL;
    (void)set;
    if (!point || !point->counters) {
        return rft_err_set(err, RFT_E_NOT_FOUND, "not recorded");
    }
    *out = (rft_count_result){.counters = *rft_counters_copy(point->counters, arena)};
    return RFT_OK;
}

static void free_replay(rft_probe *self) {
    replay *r = (replay *)self;
    free(r->slots);
    free(r);
}

int rft_replay_new(rft_probe **out, const rft_run *recording, rft_err *err) {
    (void)err;
    replay *r = rft_alloc(sizeof *r);
    r->probe = (rft_probe){.measure = replay_measure,
                           .ceilings = replay_ceilings,
                           .idle = replay_idle,
                           .device = replay_device,
                           .count = replay_count,
                           .baselines = baselines,
                           .free = free_replay};
    r->run = recording;
    index_points(r);
    *out = &r->probe;
    return RFT_OK;
}
