/* SPDX-License-Identifier: Apache-2.0 */
/* options_read.c - measure, search and baseline of a sweep. */
#include "base/units.h"
#include "model/sweep/budget.h"
#include "script/sweep_state.h"

#include <math.h>
#include <string.h>

/* Pushes measure.KEY or search.KEY; pops it again when it is not there. */
static bool field(lua_State *lua, const char *key) {
    if (rft_read_field(lua, -1, key)) {
        return true;
    }
    lua_pop(lua, 1);
    return false;
}

static void read_whole(lua_State *lua, const rft_at *root, const char *key, int *out) {
    rft_at at = {root, key, 0};
    if (field(lua, key)) {
        *out = (int)rft_read_int(lua, -1, &at, 1, 1000000);
        lua_pop(lua, 1);
    }
}

static void read_time(lua_State *lua, const rft_at *root, const char *key, double *out) {
    rft_at at = {root, key, 0};
    if (field(lua, key)) {
        *out = rft_read_seconds(lua, -1, &at);
        if (!(*out > 0)) {
            rft_read_fail(lua, &at, NULL, "must be longer than 0 s");
        }
        lua_pop(lua, 1);
    }
}

static bool read_seed(lua_State *lua, const rft_at *root, uint64_t *out) {
    rft_at at = {root, "seed", 0};
    if (!field(lua, "seed")) {
        return false;
    }
    *out = (uint64_t)rft_read_int(lua, -1, &at, 0, INT64_MAX);
    lua_pop(lua, 1);
    return true;
}

static void read_measure(lua_State *lua, const rft_at *root, rft_measure_opts *out) {
    rft_at cache = {root, "cache", 0}, noise = {root, "noise", 0}, samples = {root, "max_samples", 0};
    rft_at race = {root, "race", 0};
    rft_read_keys(lua, -1, root, RFT_KEYS_MEASURE, 0);
    if (field(lua, "cache")) {
        const char *mode = rft_read_text(lua, -1, &cache);
        if (!rft_cache_mode_from_name(&out->cache, mode)) {
            rft_read_fail(lua, &cache, NULL, "expected \"cold\", \"hot\" or \"rotating\", got \"%.40s\"", mode);
        }
        lua_pop(lua, 1);
    }
    read_time(lua, root, "timeout", &out->point_timeout_s);
    read_time(lua, root, "compile_timeout", &out->compile_timeout_s);
    read_time(lua, root, "max_time", &out->max_seconds);
    read_time(lua, root, "min_time", &out->min_seconds);
    read_whole(lua, root, "min_samples", &out->min_samples);
    read_whole(lua, root, "max_samples", &out->max_samples);
    if (out->max_samples < out->min_samples) {
        rft_read_fail(lua, &samples, NULL, "%d is less than min_samples = %d", out->max_samples, out->min_samples);
    }
    if (field(lua, "noise")) {
        out->noise_frac = rft_read_real(lua, -1, &noise, 1e-6, 1);
        lua_pop(lua, 1);
    }
    if (field(lua, "race")) {
        out->no_race = !rft_read_bool(lua, -1, &race);
        lua_pop(lua, 1);
    }
    read_seed(lua, root, &out->seed);
}

static void read_budget(lua_State *lua, const rft_at *at, rft_search_opts *out) {
    rft_budget budget = {0};
    rft_err err = RFT_ERR_INIT;
    if (lua_type(lua, -1) == LUA_TNUMBER) {
        budget.points = (uint64_t)rft_read_int(lua, -1, at, 1, INT64_MAX);
    } else if (rft_budget_parse(&budget, rft_read_text(lua, -1, at), &err) != RFT_OK) {
        rft_read_fail(lua, at, err.remedy, "%s", err.message);
    }
    out->budget_points = budget.points;
    out->budget_s = budget.seconds;
    out->budget_gpu_s = budget.gpu_s;
}

static void read_search(lua_State *lua, const rft_at *root, rft_arena *arena, rft_search_opts *out) {
    rft_at strategy = {root, "strategy", 0}, budget = {root, "budget", 0};
    rft_at goal = {root, "goal", 0}, objective = {root, "objective", 0};
    rft_read_keys(lua, -1, root, RFT_KEYS_SEARCH, 0);
    if (field(lua, "strategy")) {
        out->strategy = rft_arena_strdup(arena, rft_read_text(lua, -1, &strategy));
        lua_pop(lua, 1);
    }
    if (field(lua, "budget")) {
        read_budget(lua, &budget, out);
        lua_pop(lua, 1);
    }
    if (field(lua, "goal")) {
        out->goal_frac = rft_read_real(lua, -1, &goal, 1e-6, 1);
        lua_pop(lua, 1);
    }
    if (field(lua, "objective")) {
        const char *name = rft_read_text(lua, -1, &objective);
        if (!rft_objective_from_name(&out->objective, name)) {
            rft_read_wrong(lua, -1, &objective, "\"time\", \"energy\" or \"edp\"");
        }
        lua_pop(lua, 1);
    }
    out->seed_given = read_seed(lua, root, &out->seed);
}

void rft_options_read(lua_State *lua, int table, rft_sweep_state *state) {
    rft_at root = {NULL, "sweep", 0};
    rft_at measure = {&root, "measure", 0}, search = {&root, "search", 0}, baseline = {&root, "baseline", 0};
    rft_sweep *sweep = &state->sweep;
    sweep->measure = (rft_measure_opts)RFT_MEASURE_OPTS_INIT;
    sweep->search = (rft_search_opts){.strategy = "auto", .seed = 1};
    if (rft_read_field(lua, table, "measure")) {
        read_measure(lua, &measure, &sweep->measure);
    }
    if (rft_read_field(lua, table, "search")) {
        read_search(lua, &search, state->script->arena, &sweep->search);
    }
    if (rft_read_field(lua, table, "baseline")) {
        rft_baselines_read(lua, &baseline, state);
    }
    lua_settop(lua, table);
}
