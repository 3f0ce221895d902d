/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_take.h"

#include "base/str.h"
#include "model/run/run_cards.h"
#include "model/run/run_join.h"

#include <math.h>
#include <string.h>

#define NOT_TAKEN SIZE_MAX

typedef struct taking {
    const rft_run *run;
    rft_run *out;
    size_t *sweep_of; /* a sweep's place in `out`, by its place in `run`; NOT_TAKEN */
    int64_t *taken;   /* of the run's points up to an id: how many are taken. 0 has none */
} taking;

/* ---- which ---- */

static bool is_named(const char *sweep, const char *const *names, size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (rft_text_equal(sweep, names[i])) {
            return true;
        }
    }
    return false;
}

static int refuse_name(const rft_run *run, const char *name, rft_err *err) {
    rft_str all = RFT_STR_INIT;
    for (size_t s = 0; s < run->sweep_count; s++) {
        rft_str_addf(&all, "%s%s", s ? ", " : "", run->sweeps[s].sweep.name);
    }
    rft_err_set(err, RFT_E_USAGE, "run %s has no sweep \"%s\"", run->info.id, name);
    int rc = rft_err_remedy(err, "it has: %.1500s", rft_str_get(&all));
    rft_str_clear(&all);
    return rc;
}

static int check_names(const rft_run *run, const char *const *names, size_t count, rft_err *err) {
    for (size_t i = 0; i < count; i++) {
        bool found = false;
        for (size_t s = 0; s < run->sweep_count && !found; s++) {
            found = rft_text_equal(run->sweeps[s].sweep.name, names[i]);
        }
        if (!found) {
            return refuse_name(run, names[i], err);
        }
    }
    return RFT_OK;
}

static void choose_sweeps(taking *t, const char *const *names, size_t count) {
    rft_run *out = t->out;
    t->sweep_of = rft_arena_calloc(out->arena, t->run->sweep_count + 1, sizeof *t->sweep_of);
    t->taken = rft_arena_calloc(out->arena, t->run->point_count + 1, sizeof *t->taken);
    out->sweeps = rft_arena_calloc(out->arena, t->run->sweep_count + 1, sizeof *out->sweeps);
    for (size_t s = 0; s < t->run->sweep_count; s++) {
        bool named = is_named(t->run->sweeps[s].sweep.name, names, count);
        t->sweep_of[s] = named ? out->sweep_count : NOT_TAKEN;
        if (named) {
            out->sweeps[out->sweep_count++] = t->run->sweeps[s];
        }
    }
    for (size_t i = 0; i < t->run->point_count; i++) {
        t->taken[i + 1] = t->taken[i] + (t->sweep_of[t->run->points[i].sweep] != NOT_TAKEN);
    }
}

static int64_t taken_to(const taking *t, int64_t id) {
    int64_t last = (int64_t)t->run->point_count;
    return t->taken[id < 0 ? 0 : id > last ? last : id];
}

/* ---- what goes along ---- */

static void take_points(taking *t) {
    rft_run *out = t->out;
    out->points = rft_arena_calloc(out->arena, t->run->point_count + 1, sizeof *out->points);
    out->info.compile_s = 0;
    out->info.busy_s = out->ceilings.busy_s;
    for (size_t i = 0; i < t->run->point_count; i++) {
        const rft_point *point = &t->run->points[i];
        if (t->sweep_of[point->sweep] == NOT_TAKEN) {
            continue;
        }
        rft_point *mine = &out->points[out->point_count++];
        *mine = *point;
        mine->sweep = t->sweep_of[point->sweep];
        mine->id = taken_to(t, point->id);
        mine->alias_of = point->alias_of ? taken_to(t, point->alias_of) : 0;
        out->info.compile_s += point->facts.from_cache || isnan(point->facts.compile_s) ? 0 : point->facts.compile_s;
        for (int round = 0; round < RFT_ROUNDS && !point->alias_of; round++) {
            out->info.busy_s += isnan(point->rounds[round].busy_s) ? 0 : point->rounds[round].busy_s;
        }
    }
}

static void take_references(taking *t) {
    for (size_t i = 0; i < t->run->reference_count; i++) {
        rft_reference reference = t->run->references[i];
        if (t->sweep_of[reference.sweep] != NOT_TAKEN) {
            reference.sweep = t->sweep_of[reference.sweep];
            reference.point = taken_to(t, reference.point);
            reference.after_point = taken_to(t, reference.after_point);
            rft_run_add_reference(t->out, &reference);
        }
    }
}

static void take_baselines(taking *t) {
    rft_run *out = t->out;
    out->baselines = rft_arena_calloc(out->arena, t->run->baseline_count + 1, sizeof *out->baselines);
    out->baseline_capacity = t->run->baseline_count;
    for (size_t i = 0; i < t->run->baseline_count; i++) {
        if (t->sweep_of[t->run->baselines[i].sweep] != NOT_TAKEN) {
            rft_baseline *mine = &out->baselines[out->baseline_count++];
            *mine = t->run->baselines[i];
            mine->sweep = t->sweep_of[mine->sweep];
        }
    }
}

static void take_cards(taking *t) {
    const rft_run *run = t->run;
    rft_run_card *cards = rft_arena_calloc(t->out->arena, run->card_count + 1, sizeof *cards);
    for (size_t i = 0; i < run->card_count; i++) {
        cards[i] = run->cards[i];
        cards[i].first = taken_to(t, cards[i].first - 1) + 1;
        cards[i].last = taken_to(t, cards[i].last);
    }
    if (run->card_count > 0) {
        rft_run_put_cards(t->out, cards, run->card_count);
    }
}

static rft_env env_of(const rft_run *run, rft_arena *arena) {
    rft_env env = run->env;
    env.items = rft_arena_calloc(arena, env.count + 1, sizeof *env.items);
    env.capacity = env.count + 1;
    for (size_t i = 0; i < env.count; i++) {
        env.items[i] = run->env.items[i];
    }
    return env;
}

static const char *id_of(const rft_run *part, const rft_run *run) {
    const char **texts = rft_arena_calloc(part->arena, part->sweep_count + 1, sizeof(const char *));
    texts[0] = run->info.id;
    for (size_t s = 0; s < part->sweep_count; s++) {
        texts[s + 1] = part->sweeps[s].sweep.name;
    }
    return rft_run_id_of(texts, part->sweep_count + 1, part->arena);
}

int rft_run_take(rft_run **out, const rft_run *run, const char *const *names, size_t count, rft_err *err) {
    int rc = check_names(run, names, count, err);
    if (rc != RFT_OK) {
        return rc;
    }
    taking t = {.run = run, .out = rft_run_new()};
    rft_run *part = t.out;
    part->info = run->info;
    part->info.elapsed_s = NAN;
    part->gpu = run->gpu;
    part->env = env_of(run, part->arena);
    part->ceilings = run->ceilings;
    part->idle = run->idle;
    choose_sweeps(&t, names, count);
    part->info.id = id_of(part, run);
    take_points(&t);
    take_references(&t);
    take_baselines(&t);
    take_cards(&t);
    rft_run_mark_spans(part);
    *out = part;
    return RFT_OK;
}
