/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run/run_join.h"

#include "base/hash.h"
#include "base/str.h"
#include "model/run/run_cards.h"

#include <string.h>

/* ---- what cannot be one run ---- */

static int refuse_join(rft_err *err, const rft_run *run, const char *why, const char *remedy) {
    rft_err_set(err, RFT_E_USAGE, "run %s %s", run->info.id, why);
    return rft_err_remedy(err, "%s", remedy);
}

static bool holds(const rft_run *run, const char *sweep) {
    for (size_t s = 0; s < run->sweep_count; s++) {
        if (rft_text_equal(run->sweeps[s].sweep.name, sweep)) {
            return true;
        }
    }
    return false;
}

static int check_pair(const rft_run *run, const rft_run *other, rft_err *err) {
    if (!rft_text_equal(run->gpu.uuid, other->gpu.uuid) || !rft_text_equal(run->gpu.name, other->gpu.name)) {
        return refuse_join(err, other, "is of another card than the first",
                           "`rooftune compare` puts cards side by side");
    }
    if ((run->info.replay_of != NULL) != (other->info.replay_of != NULL)) {
        return refuse_join(err, other, "is a replay and others are not, or the reverse", "name runs of one kind");
    }
    for (size_t s = 0; s < other->sweep_count; s++) {
        if (holds(run, other->sweeps[s].sweep.name)) {
            rft_err_set(err, RFT_E_USAGE, "runs %s and %s both hold the sweep %s", run->info.id, other->info.id,
                        other->sweeps[s].sweep.name);
            return rft_err_remedy(err, "leave one out, or put them side by side with `rooftune compare`");
        }
    }
    return RFT_OK;
}

static int check(rft_run *const *runs, size_t count, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 1; i < count && rc == RFT_OK; i++) {
        for (size_t j = 0; j < i && rc == RFT_OK; j++) {
            rc = check_pair(runs[j], runs[i], err);
        }
    }
    return rc;
}

/* ---- sums ---- */

static void join_info(rft_run *out, const rft_run *run) {
    rft_run_info *info = &out->info;
    const rft_run_info *more = &run->info;
    info->command =
        rft_arena_printf(out->arena, "%s; %s", info->command ? info->command : "", more->command ? more->command : "");
    info->started_unix_ns =
        more->started_unix_ns < info->started_unix_ns ? more->started_unix_ns : info->started_unix_ns;
    bool ended = info->finished_unix_ns != 0 && more->finished_unix_ns != 0;
    bool later = more->finished_unix_ns > info->finished_unix_ns;
    info->finished_unix_ns = !ended ? 0 : later ? more->finished_unix_ns : info->finished_unix_ns;
    info->recompiled += more->recompiled;
    info->recompiled_same += more->recompiled_same;
    info->elapsed_s += more->elapsed_s;
    info->busy_s += more->busy_s;
    info->compile_s += more->compile_s;
    if (!more->tool_revision || !info->tool_revision || !strstr(info->tool_revision, more->tool_revision)) {
        info->tool_revision = rft_arena_printf(out->arena, "%s, %s", info->tool_revision, more->tool_revision);
    }
}

static bool env_holds(const rft_env *env, const rft_env_item *item) {
    for (size_t i = 0; i < env->count; i++) {
        if (rft_text_equal(env->items[i].key, item->key) && rft_text_equal(env->items[i].value, item->value)) {
            return true;
        }
    }
    return false;
}

/* Is the key in "nvml.power_w, host.cores"? */
static bool names(const rft_str *keys, const char *key) {
    size_t length = strlen(key);
    for (const char *at = keys->length ? rft_str_get(keys) : NULL; at; at = strchr(at, ',')) {
        at += *at == ',' ? 2 : 0;
        if (strncmp(at, key, length) == 0 && (at[length] == ',' || at[length] == '\0')) {
            return true;
        }
    }
    return false;
}

static void join_env(rft_run *out, rft_run *const *runs, size_t count) {
    size_t most = 1;
    for (size_t i = 0; i < count; i++) {
        most += runs[i]->env.count;
    }
    rft_env *env = &out->env;
    *env = (rft_env){.items = rft_arena_calloc(out->arena, most, sizeof *env->items), .capacity = most};
    rft_str differing = RFT_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < runs[i]->env.count; k++) {
            const rft_env_item *item = &runs[i]->env.items[k], *first = rft_env_get(env, item->key);
            if (!first || (rft_env_hashed(item->key) && !env_holds(env, item))) {
                env->items[env->count++] = *item;
            } else if (!env_holds(env, item) && !names(&differing, item->key)) {
                rft_str_addf(&differing, "%s%s", differing.length ? ", " : "", item->key);
            }
        }
    }
    if (differing.length) {
        rft_env_set(env, out->arena, "joined.differing", rft_str_get(&differing), NULL);
    }
    rft_str_clear(&differing);
}

static void join_ceilings(rft_run *out, const rft_run *run) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        rft_ceiling *mine = &out->ceilings.items[id];
        if (!mine->measured && run->ceilings.items[id].measured) {
            *mine = run->ceilings.items[id];
        }
    }
    out->ceilings.busy_s += run->ceilings.busy_s;
    out->idle = out->idle ? out->idle : run->idle;
}

/* ---- lists ---- */

/* `begun_s`: of what ran before it. */
static void append_points(rft_run *out, const rft_run *run, size_t sweeps_before, double begun_s) {
    int64_t before = (int64_t)out->point_count;
    for (size_t i = 0; i < run->point_count; i++) {
        rft_point *point = &out->points[out->point_count++];
        *point = run->points[i];
        point->id += before;
        point->alias_of += point->alias_of ? before : 0;
        point->sweep += sweeps_before;
    }
    for (size_t i = 0; i < run->reference_count; i++) {
        rft_reference reference = run->references[i];
        reference.sweep += sweeps_before;
        reference.time_s += begun_s;
        reference.point += before;
        reference.after_point += before;
        rft_run_add_reference(out, &reference);
    }
}

static void append_cards(rft_run *out, rft_run *const *runs, size_t count) {
    int64_t before = 0;
    size_t most = 0;
    for (size_t i = 0; i < count; i++) {
        most += runs[i]->card_count;
    }
    rft_run_card *cards = rft_arena_calloc(out->arena, most + 1, sizeof *cards);
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < runs[i]->card_count; k++) {
            rft_run_card *card = &cards[out->card_count++];
            *card = runs[i]->cards[k];
            card->first += before;
            card->last += before;
        }
        before += (int64_t)runs[i]->point_count;
    }
    out->cards = cards;
}

static void append_run(rft_run *out, const rft_run *run, double begun_s) {
    size_t sweeps_before = out->sweep_count;
    append_points(out, run, sweeps_before, begun_s);
    for (size_t i = 0; i < run->baseline_count; i++) {
        rft_baseline *baseline = &out->baselines[out->baseline_count++];
        *baseline = run->baselines[i];
        baseline->sweep += sweeps_before;
    }
    for (size_t i = 0; i < run->sweep_count; i++) {
        out->sweeps[out->sweep_count++] = run->sweeps[i];
    }
}

static void give_room(rft_run *out, rft_run *const *runs, size_t count) {
    size_t sweeps = 0, points = 0, baselines = 0;
    for (size_t i = 0; i < count; i++) {
        sweeps += runs[i]->sweep_count;
        points += runs[i]->point_count;
        baselines += runs[i]->baseline_count;
    }
    out->sweeps = rft_arena_calloc(out->arena, sweeps + 1, sizeof *out->sweeps);
    out->points = rft_arena_calloc(out->arena, points + 1, sizeof *out->points);
    out->baselines = rft_arena_calloc(out->arena, baselines + 1, sizeof *out->baselines);
    out->baseline_capacity = baselines;
}

#define ID_DIGITS 12

const char *rft_run_id_of(const char *const *texts, size_t count, rft_arena *arena) {
    rft_sha256 hash;
    char hex[RFT_HASH_HEX_SIZE];
    rft_sha256_init(&hash);
    for (size_t i = 0; i < count; i++) {
        rft_sha256_add_text(&hash, texts[i]);
    }
    rft_sha256_hex(&hash, hex);
    return rft_arena_strndup(arena, hex, ID_DIGITS);
}

static const char *id_of(rft_run *const *runs, size_t count, rft_arena *arena) {
    const char **ids = rft_arena_calloc(arena, count + 1, sizeof(const char *));
    for (size_t i = 0; i < count; i++) {
        ids[i] = runs[i]->info.id;
    }
    return rft_run_id_of(ids, count, arena);
}

int rft_run_join(rft_run **out, rft_run *const *runs, size_t count, rft_err *err) {
    int rc = check(runs, count, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rft_run *run = rft_run_new();
    run->info = runs[0]->info;
    run->gpu = runs[0]->gpu;
    join_env(run, runs, count);
    run->ceilings = runs[0]->ceilings;
    run->idle = runs[0]->idle;
    give_room(run, runs, count);
    for (size_t i = 0; i < count; i++) {
        append_run(run, runs[i], i > 0 ? run->info.elapsed_s : 0);
        if (i > 0) {
            join_info(run, runs[i]);
            join_ceilings(run, runs[i]);
        }
    }
    append_cards(run, runs, count);
    rft_run_mark_spans(run);
    run->package = count > 1 ? NULL : runs[0]->package;
    run->info.id = count > 1 ? id_of(runs, count, run->arena) : run->info.id;
    *out = run;
    return RFT_OK;
}
