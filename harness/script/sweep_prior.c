/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_prior.c - prior(p, c, gpu, t): a number for a configuration that was not tried, by the script's own formula. */
#include "model/roofline/floor.h"
#include "model/run/field.h"
#include "script/lua/lua_strict.h"
#include "script/sweep_parts.h"

#include <math.h>

typedef struct prior_call {
    rft_sweep_state *state;
    size_t variant;
    const rft_value *problem, *config;
    rft_arena *arena; /* of what work and traffic are read into */
    double prior;
} prior_call;

static const rft_run *limits_of(rft_script *script) {
    if (!script->limits) {
        rft_run *run = rft_arena_alloc(script->arena, sizeof(*run));
        *run = (rft_run){.arena = script->arena};
        if (script->gpu) {
            run->gpu = *script->gpu;
            rft_limits_complete(run, script->arena);
        }
        script->limits = run;
    }
    return script->limits;
}

static void set_seconds(lua_State *lua, const char *name, double seconds) {
    lua_pushnumber(lua, isfinite(seconds) ? seconds : 0);
    lua_setfield(lua, -2, name);
}

/* What the configuration's work and traffic take at the hardware's limits: the model that pruning has. */
static void push_times(lua_State *lua, const prior_call *call) {
    rft_point_spec spec;
    rft_point_call asked = {call->state, call->variant, call->problem, call->config, call->arena, &spec, NULL, false};
    rft_point_amounts(lua, &asked);
    rft_limit_times times =
        rft_limit_times_of(limits_of(call->state->script), &spec.work, &spec.traffic, call->state->sweep.measure.cache);
    lua_createtable(lua, 0, RFT_LEVEL_COUNT + RFT_PIPE_COUNT + 2);
    set_seconds(lua, "floor", times.floor.seconds);
    set_seconds(lua, "sum", times.floor.sum_s);
    for (int level = 0; level < RFT_LEVEL_COUNT; level++) {
        set_seconds(lua, rft_level_name((rft_level)level), times.level_s[level]);
    }
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        set_seconds(lua, rft_pipe_name((rft_pipe)pipe), times.pipe_s[pipe]);
    }
    rft_strict_wrap(lua, "t");
}

/* The times cost a call of buffers(), work() and traffic(): only for a function that takes them. */
static bool takes_times(lua_State *lua) {
    lua_Debug record;
    lua_pushvalue(lua, -1);
    lua_getinfo(lua, ">u", &record);
    return record.isvararg || record.nparams > 3;
}

static int call_prior(lua_State *lua) {
    prior_call *call = lua_touserdata(lua, 1);
    rft_at root = {NULL, "prior", 0};
    int ref = call->state->states[call->variant].prior_ref;
    luaL_checkstack(lua, 16, NULL);
    rft_watch_place(call->state->script->watch, "prior");
    rft_lua_push_function(lua, ref);
    bool with_times = takes_times(lua);
    rft_push_problem(lua, call->state, call->problem, NULL);
    rft_push_config(lua, call->state, call->variant, call->config);
    rft_push_gpu(lua);
    if (with_times) {
        push_times(lua, call);
    }
    lua_call(lua, with_times ? 4 : 3, 1);
    rft_lua_push_function(lua, ref); /* names the place */
    lua_pop(lua, 1);
    double number = lua_type(lua, -1) == LUA_TNUMBER ? lua_tonumber(lua, -1) : NAN;
    bool knows_nothing = with_times && number == 0; /* of this card: times that are not known are 0 */
    if (!knows_nothing && (!(number > 0) || number > RFT_NUMBER_MAX)) {
        char got[120];
        bool nothing = lua_isnil(lua, -1);
        rft_read_describe(lua, -1, got, sizeof(got));
        rft_read_fail(lua, &root,
                      "give what should be slower the larger number: an estimate in seconds, a count of waves",
                      "expected a number above 0, got %s%s", got, nothing ? ": does it return anything?" : "");
    }
    call->prior = number;
    return 0;
}

int rft_prior_of(rft_sweep_state *state, size_t variant, const rft_value *problem, const rft_value *config, double *out,
                 rft_err *err) {
    prior_call call = {state, variant, problem, config, rft_arena_new(), 0};
    int code = rft_lua_protected(state->script, call_prior, &call, err);
    *out = code == RFT_OK ? call.prior : 0;
    rft_arena_free(call.arena);
    return code;
}

static int compare_twice(lua_State *lua) {
    prior_call *call = lua_touserdata(lua, 1);
    rft_at root = {NULL, "prior", 0};
    double first = call->prior;
    call_prior(lua);
    if (call->prior != first) {
        rft_read_fail(lua, &root, "count and remember nothing outside of the function: use p, c, gpu and t alone",
                      "two calls for the same configuration gave different numbers");
    }
    return 0;
}

int rft_prior_try(rft_sweep_state *state, size_t variant, const rft_value *problem, const rft_value *config,
                  rft_err *err) {
    prior_call call = {state, variant, problem, config, rft_arena_new(), 0};
    int code = rft_prior_of(state, variant, problem, config, &call.prior, err);
    code = code == RFT_OK ? rft_lua_protected(state->script, compare_twice, &call, err) : code;
    rft_arena_free(call.arena);
    return code;
}
