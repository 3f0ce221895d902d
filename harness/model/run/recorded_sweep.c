/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/recorded_sweep.h"

#include "base/hash.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* One sweep, with its place in the run. */
typedef struct recorded_state {
    struct rft_recorded *recorded;
    size_t index;
    rft_sweep sweep;
} recorded_state;

struct rft_recorded {
    rft_arena *arena;
    const rft_run *run;
    recorded_state *states;
    /* Open addressing over the beginnings of all configurations; a whole one holds its point. Heap. */
    struct slot {
        uint64_t hash; /* 0: empty */
        size_t point;  /* of a whole configuration: index + 1 */
    } * slots;
    size_t slot_count; /* a power of two */
};

/* ---- hashes ---- */

static uint64_t hash_place(const rft_sweep *sweep, size_t index, size_t variant, const rft_value *problem) {
    const uint64_t numbers[] = {index, variant};
    uint64_t hash = rft_hash_fnv1a(numbers, sizeof numbers);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        hash = rft_value_hash(hash, &problem[i]);
    }
    return hash;
}

static struct slot *slot_of(const rft_recorded *r, uint64_t hash) {
    size_t at = hash & (r->slot_count - 1);
    while (r->slots[at].hash != 0 && r->slots[at].hash != hash) {
        at = (at + 1) & (r->slot_count - 1);
    }
    return &r->slots[at];
}

/* ---- the vtable ---- */

/* Constraint i: there is a point with these values of parameters 0 to i. */
static int holds(void *self, size_t variant, size_t constraint, const rft_value *problem, const rft_value *config,
                 bool *out, rft_err *err) {
    const recorded_state *state = self;
    uint64_t hash = hash_place(&state->sweep, state->index, variant, problem);
    (void)err;
    for (size_t i = 0; i <= constraint; i++) {
        hash = rft_value_hash(hash, &config[i]);
    }
    const struct slot *slot = slot_of(state->recorded, hash);
    *out = slot->hash != 0;
    if (*out && constraint + 1 == state->sweep.variants[variant].param_count) { /* exactly, at the end */
        const rft_run *run = state->recorded->run;
        *out = slot->point != 0 && rft_values_equal(run->points[slot->point - 1].config, config, constraint + 1);
    }
    return RFT_OK;
}

static const rft_point *find_recorded(const recorded_state *state, size_t variant, const rft_value *problem,
                                      const rft_value *config) {
    uint64_t hash = hash_place(&state->sweep, state->index, variant, problem);
    for (size_t i = 0; i < state->sweep.variants[variant].param_count; i++) {
        hash = rft_value_hash(hash, &config[i]);
    }
    const struct slot *slot = slot_of(state->recorded, hash);
    return slot->point ? &state->recorded->run->points[slot->point - 1] : NULL;
}

static int point(void *self, size_t variant, const rft_value *problem, const rft_value *config, rft_arena *arena,
                 rft_point_spec *out, rft_err *err) {
    const rft_point *known = find_recorded(self, variant, problem, config);
    (void)err;
    *out = (rft_point_spec){.traffic = rft_traffic_unknown()};
    out->check.tol = (double)NAN;
    if (known) {
        out->work = known->work;
        out->traffic = known->traffic;
        /* What tells aliases from others of the same code (run/plan/job_key.c): here only the recording knows. */
        out->check.reference = rft_arena_calloc(arena, 1, sizeof *out->check.reference);
        out->check.reference->told =
            rft_arena_printf(arena, "point %lld", (long long)(known->alias_of ? known->alias_of : known->id));
    }
    return RFT_OK;
}

static int prior(void *self, size_t variant, const rft_value *problem, const rft_value *config, double *out,
                 rft_err *err) {
    const rft_point *known = find_recorded(self, variant, problem, config);
    (void)err;
    *out = known && known->prior > 0 ? known->prior : 0;
    return RFT_OK;
}

static int complete(void *self, rft_value *values, rft_arena *arena, rft_err *err) {
    (void)self, (void)values, (void)arena, (void)err;
    return RFT_OK;
}

static const rft_sweep_vt recorded_vt = {.constraint = holds, .point = point, .prior = prior, .complete = complete};

/* ---- making ---- */

static void index_points(rft_recorded *r) {
    size_t beginnings = 16;
    for (size_t i = 0; i < r->run->point_count; i++) {
        const rft_point *p = &r->run->points[i];
        beginnings += r->states[p->sweep].sweep.variants[p->variant].param_count + 1;
    }
    for (r->slot_count = 32; r->slot_count < 2 * beginnings;) {
        r->slot_count *= 2;
    }
    r->slots = rft_calloc(r->slot_count, sizeof *r->slots);
    for (size_t i = 0; i < r->run->point_count; i++) {
        const rft_point *p = &r->run->points[i];
        const rft_sweep *sweep = &r->states[p->sweep].sweep;
        size_t params = sweep->variants[p->variant].param_count;
        if (p->outcome == RFT_OUTCOME_NOT_RECORDED) {
            continue;
        }
        uint64_t hash = hash_place(sweep, p->sweep, p->variant, sweep->problems[p->problem].values);
        for (size_t k = 0; k < params; k++) {
            slot_of(r, hash)->hash = hash;
            hash = rft_value_hash(hash, &p->config[k]);
        }
        struct slot *whole = slot_of(r, hash); /* of a variant without parameters: its place alone */
        whole->hash = hash;
        whole->point = i + 1;
    }
}

/* 0, 1, 2 ...: the lists of all constraints are the beginnings of this one. */
static size_t *count_up(rft_arena *arena, size_t count) {
    size_t *indices = rft_arena_calloc(arena, count + 1, sizeof *indices);
    for (size_t i = 0; i < count; i++) {
        indices[i] = i;
    }
    return indices;
}

static void constrain(rft_recorded *r, const rft_sweep *sweep, rft_variant *variant) {
    size_t *params = count_up(r->arena, variant->param_count), *axes = count_up(r->arena, sweep->axis_count);
    variant->constraint_count = variant->param_count;
    variant->constraints = rft_arena_calloc(r->arena, variant->param_count + 1, sizeof *variant->constraints);
    for (size_t c = 0; c < variant->param_count; c++) {
        variant->constraints[c] = (rft_constraint){
            .text = rft_arena_printf(r->arena, "recorded with these values up to %s", variant->params[c].name),
            .params = params,
            .param_count = c + 1,
            .axes = axes,
            .axis_count = sweep->axis_count};
    }
}

static void make_sweep(rft_recorded *r, size_t index, const char *path) {
    recorded_state *state = &r->states[index];
    rft_sweep *sweep = &state->sweep;
    state->recorded = r;
    state->index = index;
    *sweep = r->run->sweeps[index].sweep;
    sweep->path = rft_arena_strdup(r->arena, path);
    sweep->script_hash = rft_arena_printf(r->arena, "recorded %s", r->run->info.id);
    sweep->bare_space = true;
    sweep->search = (rft_search_opts)RFT_SEARCH_OPTS_INIT;
    sweep->baselines = NULL;
    sweep->baseline_count = 0;
    sweep->vt = &recorded_vt;
    sweep->self = state;
    sweep->variants = rft_arena_memdup(r->arena, sweep->variants, sweep->variant_count * sizeof *sweep->variants);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        constrain(r, sweep, &sweep->variants[v]);
    }
}

int rft_recorded_new(rft_recorded **out, const rft_run *run, const char *path, rft_err *err) {
    *out = NULL;
    if (run->point_count == 0) {
        rft_err_set(err, RFT_E_SPACE, "%s has no points: there is nothing to search", path);
        return rft_err_remedy(err, "name a run or a recording that measured something");
    }
    for (size_t s = 0; s < run->sweep_count; s++) {
        for (size_t v = 0; v < run->sweeps[s].sweep.variant_count; v++) {
            const rft_variant *variant = &run->sweeps[s].sweep.variants[v];
            for (size_t i = 0; i < variant->param_count; i++) {
                if (variant->params[i].value_count > UINT16_MAX) {
                    return rft_err_set(err, RFT_E_LIMIT,
                                       "%s: parameter %.60s has %zu values, at most 65,535 are searched", path,
                                       variant->params[i].name, variant->params[i].value_count);
                }
            }
        }
    }
    rft_recorded *r = rft_alloc(sizeof *r);
    r->arena = rft_arena_new();
    r->run = run;
    r->states = rft_arena_calloc(r->arena, run->sweep_count + 1, sizeof *r->states);
    for (size_t s = 0; s < run->sweep_count; s++) {
        make_sweep(r, s, path);
    }
    index_points(r);
    *out = r;
    return RFT_OK;
}

void rft_recorded_free(rft_recorded *recorded) {
    if (recorded) {
        rft_arena_free(recorded->arena);
        free(recorded->slots);
        free(recorded);
    }
}

size_t rft_recorded_count(const rft_recorded *recorded) {
    return recorded->run->sweep_count;
}

const rft_sweep *rft_recorded_sweep(const rft_recorded *recorded, size_t index) {
    return &recorded->states[index].sweep;
}
