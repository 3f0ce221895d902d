/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_read.c - sweep{}: which kernels, and the parts in their order. */
#include "script/lua/lua_modules.h"
#include "script/lua/lua_sandbox.h"
#include "script/lua/lua_strict.h"
#include "script/mix_read.h"
#include "script/sweep_parts.h"

#include <stdio.h>
#include <string.h>

#define VARIANTS_MAX 64

static const rft_kernel_facts *read_kernel(lua_State *lua, const rft_at *at) {
    if (luaL_testudata(lua, -1, RFT_TAG_VENDOR)) {
        rft_vendor_make_kernel(lua, at);
    }
    rft_kernel_facts *const *tag = luaL_testudata(lua, -1, RFT_TAG_KERNEL);
    if (!tag) {
        rft_read_wrong(lua, -1, at, "kernel { ... }, what require \"kernels.NAME\" returns, or vendor.matmul { ... }");
    }
    return *tag;
}

/* All variants answer the same problem: their dimensions are the same, in the same order. */
void rft_variant_check_axes(lua_State *lua, const rft_at *at, const rft_sweep_state *state,
                            const rft_kernel_facts *other) {
    const rft_kernel_facts *first = state->states[0].kernel;
    bool same = first->axis_count == other->axis_count;
    for (size_t i = 0; same && i < first->axis_count; i++) {
        same = strcmp(first->axes[i], other->axes[i]) == 0;
    }
    if (!same) {
        rft_read_fail(lua, at, "variants answer the same problem: give the kernels the same problem = { ... }",
                      "the kernel's problem has other dimensions than the first variant's");
    }
}

void rft_variant_set(rft_sweep_state *state, size_t v, const char *name, const rft_kernel_facts *kernel) {
    rft_variant *variant = &state->sweep.variants[v];
    state->states[v].kernel = kernel;
    state->states[v].prior_ref = kernel->prior_ref;
    variant->name = name ? name : kernel->name;
    variant->kernel = kernel->name;
    variant->source = kernel->source;
    variant->entry = kernel->entries[0];
    variant->place = kernel->place;
}

static void allocate_variants(rft_sweep_state *state, size_t count) {
    state->sweep.variant_count = count;
    state->sweep.variants = rft_arena_calloc(state->script->arena, count + RFT_BASELINES_MAX, sizeof(rft_variant));
    state->states = rft_arena_calloc(state->script->arena, count + RFT_BASELINES_MAX, sizeof(rft_variant_state));
}

/* The variant on top has `name = "..."`, as other tables have. */
static void refuse_named(lua_State *lua, const rft_at *here) {
    rft_at at = {here, "name", 0};
    if (lua_istable(lua, -1)) {
        if (rft_read_field(lua, -1, "name")) {
            rft_read_fail(lua, &at, "the name stands first, alone: { \"naive\", kernel = k1 }", "unknown key");
        }
        lua_pop(lua, 1);
    }
}

/* The list of variants is on top. */
static void read_variants(lua_State *lua, const rft_at *at, rft_sweep_state *state) {
    size_t count = (size_t)rft_read_list(lua, -1, at, VARIANTS_MAX);
    if (count == 0) {
        rft_read_fail_code(lua, at, RFT_E_SPACE, "{ { \"name\", kernel = k, tune = { ... } }, ... }",
                           "the list of variants is empty");
    }
    allocate_variants(state, count);
    for (size_t v = 0; v < count; v++) {
        rft_at here = {at, NULL, (lua_Integer)v + 1};
        rft_at name_at = {&here, NULL, 1}, kernel_at = {&here, "kernel", 0}, prior_at = {&here, "prior", 0};
        lua_rawgeti(lua, -1, (lua_Integer)v + 1);
        refuse_named(lua, &here);
        rft_read_keys(lua, -1, &here, RFT_KEYS_VARIANT, 1);
        lua_rawgeti(lua, -1, 1);
        const char *name = rft_arena_strdup(state->script->arena, rft_read_text(lua, -1, &name_at));
        for (size_t i = 0; i < v; i++) {
            if (strcmp(state->sweep.variants[i].name, name) == 0) {
                rft_read_fail(lua, &name_at, NULL, "two variants are named \"%.60s\"", name);
            }
        }
        rft_read_field(lua, -2, "kernel");
        rft_variant_set(state, v, name, read_kernel(lua, &kernel_at));
        rft_variant_check_axes(lua, &kernel_at, state, state->states[v].kernel);
        if (rft_read_field(lua, -3, "prior")) {
            rft_read_function(lua, -1, &prior_at);
            lua_pushvalue(lua, -1);
            state->states[v].prior_ref = luaL_ref(lua, LUA_REGISTRYINDEX);
        }
        lua_pop(lua, 4);
    }
}

static void read_ladder(lua_State *lua, const rft_at *root, rft_sweep_state *state) {
    rft_at kernel_at = {root, "kernel", 0}, variants_at = {root, "variants", 0};
    bool single = rft_read_field(lua, 1, "kernel");
    bool several = rft_read_field(lua, 1, "variants");
    if (single && several) {
        rft_read_fail(lua, root, "a sweep has one kernel, or variants", "both kernel and variants are given");
    }
    if (several) {
        read_variants(lua, &variants_at, state);
    } else if (single) {
        lua_pop(lua, 1);
        const rft_kernel_facts *kernel = read_kernel(lua, &kernel_at);
        allocate_variants(state, 1);
        rft_variant_set(state, 0, NULL, kernel);
    } else {
        static const char *const needs_kernel[] = {"over", "problems", "with", "along", "baseline"};
        for (size_t i = 0; i < sizeof(needs_kernel) / sizeof(needs_kernel[0]); i++) {
            if (rft_read_field(lua, 1, needs_kernel[i])) {
                rft_at at = {root, needs_kernel[i], 0};
                rft_read_fail(lua, &at, "add kernel = ...", "a sweep without a kernel has no problem sizes");
            }
        }
        if (!rft_read_field(lua, 1, "tune")) {
            rft_read_fail(lua, root, "kernel = kernel { ... }", "the key \"kernel\" is missing");
        }
        allocate_variants(state, 1);
        state->sweep.bare_space = true;
        state->states[0].prior_ref = LUA_NOREF;
        state->sweep.variants[0].name = "space";
        state->sweep.variants[0].kernel = "";
        state->sweep.variants[0].source = "";
        state->sweep.variants[0].entry = "";
    }
    lua_settop(lua, 1);
}

static int sweep_constraint(void *self, size_t variant, size_t constraint, const rft_value *problem,
                            const rft_value *config, bool *holds, rft_err *err);
static int sweep_point(void *self, size_t variant, const rft_value *problem, const rft_value *config, rft_arena *arena,
                       rft_point_spec *out, rft_err *err);
static int sweep_prior(void *self, size_t variant, const rft_value *problem, const rft_value *config, double *out,
                       rft_err *err);
static int sweep_complete(void *self, rft_value *values, rft_arena *arena, rft_err *err);
static int sweep_baseline(void *self, size_t index, const rft_value *problem, rft_arena *arena, rft_point_spec *out,
                          rft_err *err);

static int sweep_along(void *self, const rft_sweep_along *call, unsigned *next, uint64_t *holds, rft_err *err);
static int sweep_buffers(void *self, size_t variant, const rft_value *problem, rft_arena *arena, rft_point_spec *out,
                         rft_err *err);

static const rft_sweep_vt sweep_vt = {.constraint = sweep_constraint,
                                      .point = sweep_point,
                                      .prior = sweep_prior,
                                      .complete = sweep_complete,
                                      .baseline = sweep_baseline,
                                      .constraint_along = sweep_along,
                                      .buffers = sweep_buffers};

int rft_api_sweep(lua_State *lua) {
    rft_script *script = rft_lua_script(lua);
    rft_lua_check_kept(lua);
    lua_settop(lua, 1);
    rft_at root = {NULL, "sweep", 0};
    rft_read_keys(lua, 1, &root, RFT_KEYS_SWEEP, 0);
    rft_sweep_state *state = rft_arena_alloc(script->arena, sizeof(*state));
    char place[200];
    rft_lua_place(lua, place, sizeof(place));
    state->script = script;
    state->place = rft_arena_strdup(script->arena, place);
    state->sweep.vt = &sweep_vt;
    state->sweep.self = state;
    rft_at name_at = {&root, "name", 0};
    if (rft_read_field(lua, 1, "name")) {
        state->sweep.name = rft_arena_strdup(script->arena, rft_read_text(lua, -1, &name_at));
        if (state->sweep.name[0] == '\0' || strpbrk(state->sweep.name, "/\\\n")) {
            rft_read_fail(lua, &name_at, NULL, "the name goes into file names: no slash, not empty");
        }
    }
    lua_pop(lua, 1);
    if (rft_read_field(lua, 1, "diagnostic")) {
        state->sweep.diagnostic = rft_read_bool(lua, -1, &(rft_at){&root, "diagnostic", 0});
    }
    rft_at note_at = {&root, "note", 0};
    if (rft_read_field(lua, 1, "note")) {
        state->sweep.note = rft_arena_strdup(script->arena, rft_read_text(lua, -1, &note_at));
    }
    lua_settop(lua, 1);
    read_ladder(lua, &root, state);
    rft_tune_read(lua, 1, state);
    for (size_t v = 0; v < state->sweep.variant_count; v++) {
        rft_reference_resolve(lua, state, v);
    }
    rft_problems_read(lua, 1, state);
    rft_constraints_read(lua, 1, state);
    rft_options_read(lua, 1, state);
    *(rft_sweep_state **)rft_tag_new(lua, RFT_TAG_SWEEP, sizeof(state), 0) = state;
    return 1;
}

/* ---- the functions behind rft_sweep_vt ---- */

typedef struct constraint_call {
    const rft_constraint_state *constraint;
    rft_script *script;
    const rft_value *problem, *config;
    bool holds;
} constraint_call;

/* What a constraint gave, on top and popped. A number would always count as true, and nil always as false: neither can
 * be meant. */
static bool read_truth(lua_State *lua, const rft_constraint_state *constraint) {
    if (!lua_isboolean(lua, -1)) {
        const char *gave = rft_lua_text(lua, -1, NULL);
        bool nothing = lua_isnil(lua, -2);
        rft_lua_push_function(lua, constraint->ref); /* names the place */
        rft_lua_fault(lua, RFT_E_SCRIPT, "compare it with something, as in \"A % B == 0\"",
                      "the constraint gave %.60s, not true or false%s", gave,
                      nothing ? " (does it return anything?)" : ", as in \"A % B == 0\"");
    }
    bool truth = lua_toboolean(lua, -1);
    lua_pop(lua, 1);
    return truth;
}

static void push_need(lua_State *lua, const rft_needed *need, const rft_value *problem, const rft_value *config) {
    if (need->kind == RFT_NEEDS_GPU) {
        rft_push_gpu(lua);
    } else {
        rft_push_value(lua, need->kind == RFT_NEEDS_PARAM ? &config[need->index] : &problem[need->index]);
    }
}

static int call_constraint(lua_State *lua) {
    constraint_call *call = lua_touserdata(lua, 1);
    const rft_constraint_state *constraint = call->constraint;
    luaL_checkstack(lua, (int)constraint->need_count + 8, NULL);
    rft_watch_place(rft_lua_script(lua)->watch, constraint->text);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, constraint->ref);
    for (size_t i = 0; i < constraint->need_count; i++) {
        push_need(lua, &constraint->needs[i], call->problem, call->config);
    }
    lua_call(lua, (int)constraint->need_count, 1);
    call->holds = read_truth(lua, constraint);
    return 0;
}

const char *rft_constraint_against(lua_State *lua, const rft_point_call *call) {
    const rft_variant_state *state = &call->state->states[call->variant];
    for (size_t i = 0; i < call->state->sweep.variants[call->variant].constraint_count; i++) {
        constraint_call asked = {&state->constraints[i], call->state->script, call->problem, call->config, false};
        lua_pushcfunction(lua, call_constraint);
        lua_pushlightuserdata(lua, &asked);
        lua_call(lua, 1, 0);
        if (!asked.holds) {
            return state->constraints[i].text;
        }
    }
    return NULL;
}

typedef struct along_call {
    const rft_constraint_state *constraint;
    const rft_sweep_along *along;
    unsigned next;
    uint64_t holds;
} along_call;

/* One protected call for many values, since entering one costs more than most constraints. */
static int call_along(lua_State *lua) {
    along_call *call = lua_touserdata(lua, 1);
    const rft_constraint_state *constraint = call->constraint;
    const rft_sweep_along *along = call->along;
    luaL_checkstack(lua, (int)constraint->need_count + 8, NULL);
    rft_watch_place(rft_lua_script(lua)->watch, constraint->text);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, constraint->ref);
    int function = lua_gettop(lua);
    for (unsigned i = call->next; i < 64; i++) {
        if (!(along->wanted >> i & 1)) {
            continue;
        }
        call->next = i;
        lua_pushvalue(lua, function);
        for (size_t n = 0; n < constraint->need_count; n++) {
            const rft_needed *need = &constraint->needs[n];
            if (need->kind == RFT_NEEDS_PARAM && need->index == along->param) {
                rft_push_value(lua, &along->values[i]);
            } else {
                push_need(lua, need, along->problem, along->config);
            }
        }
        lua_call(lua, (int)constraint->need_count, 1);
        call->holds |= (uint64_t)read_truth(lua, constraint) << i;
    }
    return 0;
}

static int sweep_along(void *self, const rft_sweep_along *along, unsigned *next, uint64_t *holds, rft_err *err) {
    rft_sweep_state *state = self;
    along_call call = {&state->states[along->variant].constraints[along->constraint], along, *next, 0};
    int code = rft_lua_protected(state->script, call_along, &call, err);
    *next = call.next;
    *holds |= call.holds;
    return code;
}

static int sweep_constraint(void *self, size_t variant, size_t constraint, const rft_value *problem,
                            const rft_value *config, bool *holds, rft_err *err) {
    rft_sweep_state *state = self;
    constraint_call call = {&state->states[variant].constraints[constraint], state->script, problem, config, false};
    int code = rft_lua_protected(state->script, call_constraint, &call, err);
    *holds = code == 0 && call.holds;
    return code;
}

/* A number that is out of its bounds is so for some sizes only. */
static void name_point(const rft_sweep *sweep, size_t variant, const rft_value *problem, const rft_value *config,
                       rft_err *err) {
    const rft_variant *of = &sweep->variants[variant];
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < sweep->axis_count + of->param_count; i++) {
        bool is_axis = i < sweep->axis_count;
        size_t param = is_axis ? 0 : i - sweep->axis_count;
        rft_str_addf(&text, "%s%s=", i ? " " : "", is_axis ? sweep->axes[i].name : of->params[param].name);
        rft_value_format(&text, is_axis ? &problem[i] : &config[param]);
    }
    rft_err_context(err, "for %.200s", rft_str_get(&text));
    rft_str_clear(&text);
}

static int sweep_point(void *self, size_t variant, const rft_value *problem, const rft_value *config, rft_arena *arena,
                       rft_point_spec *out, rft_err *err) {
    rft_sweep_state *state = self;
    if (!state->states[variant].kernel) {
        *out = (rft_point_spec){.traffic = rft_traffic_unknown()}; /* a bare space: the recording knows the rest */
        return RFT_OK;
    }
    rft_point_call call = {state, variant, problem, config, arena, out, NULL, false};
    int code = rft_lua_protected(state->script, rft_point_spell, &call, err);
    if (code != 0 && state->script->is_of_value) {
        name_point(&state->sweep, variant, problem, config, err);
    }
    return code;
}

static int sweep_prior(void *self, size_t variant, const rft_value *problem, const rft_value *config, double *out,
                       rft_err *err) {
    rft_sweep_state *state = self;
    *out = 0;
    if (state->states[variant].prior_ref == LUA_NOREF) {
        return RFT_OK;
    }
    int code = rft_prior_of(state, variant, problem, config, out, err);
    if (code == RFT_E_SCRIPT) {
        name_point(&state->sweep, variant, problem, config, err);
    }
    return code;
}

/* The first variant's buffers, reference and work: all variants answer the same problem. */
static int sweep_baseline(void *self, size_t index, const rft_value *problem, rft_arena *arena, rft_point_spec *out,
                          rft_err *err) {
    rft_sweep_state *state = self;
    size_t variant = state->baselines[index] ? 0 : state->baseline_variants[index];
    rft_point_call call = {
        state, variant, problem, state->states[variant].base_config, arena, out, state->baselines[index], false};
    return rft_lua_protected(state->script, rft_point_spell, &call, err);
}

static int sweep_buffers(void *self, size_t variant, const rft_value *problem, rft_arena *arena, rft_point_spec *out,
                         rft_err *err) {
    rft_sweep_state *state = self;
    rft_point_call call = {state, variant, problem, state->states[variant].base_config, arena, out, NULL, false};
    *out = (rft_point_spec){.traffic = rft_traffic_unknown()};
    return state->states[variant].kernel ? rft_lua_protected(state->script, rft_point_buffers, &call, err) : RFT_OK;
}

typedef struct complete_call {
    const rft_sweep_state *state;
    rft_value *values;
    rft_arena *arena;
} complete_call;

static int call_complete(lua_State *lua) {
    complete_call *call = lua_touserdata(lua, 1);
    rft_problems_complete(lua, call->state, call->values, call->arena);
    return 0;
}

static int sweep_complete(void *self, rft_value *values, rft_arena *arena, rft_err *err) {
    complete_call call = {self, values, arena};
    return rft_lua_protected(call.state->script, call_complete, &call, err);
}

void rft_sweep_api_open(lua_State *lua) {
    static const luaL_Reg functions[] = {{"kernel", rft_api_kernel},
                                         {"sweep", rft_api_sweep},
                                         {"variant", rft_api_variant},
                                         {"mix", rft_api_mix},
                                         {NULL, NULL}};
    luaL_setfuncs(lua, functions, 0);
    luaL_newmetatable(lua, RFT_TAG_KERNEL);
    luaL_newmetatable(lua, RFT_TAG_SWEEP);
    luaL_newmetatable(lua, RFT_TAG_VENDOR);
    luaL_newmetatable(lua, RFT_TAG_VARIANT);
    lua_pop(lua, 4);
    lua_createtable(lua, 0, 1);
    lua_pushcfunction(lua, rft_api_vendor_matmul);
    lua_setfield(lua, -2, "matmul");
    rft_strict_wrap(lua, "vendor");
    lua_setfield(lua, -2, "vendor");
}
