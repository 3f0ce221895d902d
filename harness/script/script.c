/* SPDX-License-Identifier: Apache-2.0 */
/* script.c - from a file to sweeps: the public functions of the room. */
#include "script/script.h"
#include "base/fs.h"
#include "model/sweep/names.h"
#include "script/lua/lua_keys.h"
#include "script/lua/lua_modules.h"
#include "script/lua/lua_sandbox.h"
#include "script/sweep_parts.h"
#include "script/table_json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SWEEPS_MAX 1024
#define GLOBALS_MAX 256

bool rft_script_name_is_free(const char *name) {
    return !rft_keys_is_reserved(name);
}

typedef struct load_call {
    const rft_script_opts *opts;
    const char *text;
    size_t size;
    char *json; /* rft_script_read_table() */
} load_call;

static void open_arguments(lua_State *lua, const rft_script_opts *opts) {
    lua_getfield(lua, LUA_REGISTRYINDEX, RFT_KNOWN_GLOBALS);
    lua_createtable(lua, (int)opts->arg_count, 0);
    for (size_t i = 0; i < opts->arg_count; i++) {
        lua_pushstring(lua, opts->args[i]);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
        rft_sha256_add_text(&rft_lua_script(lua)->hash, opts->args[i]);
    }
    lua_setfield(lua, -2, "arg");
    lua_pop(lua, 1);
}

static void keep_sweep(lua_State *lua, const rft_at *at) {
    rft_script *script = rft_lua_script(lua);
    rft_sweep_state *const *tag = luaL_testudata(lua, -1, RFT_TAG_SWEEP);
    if (!tag) {
        rft_read_wrong(lua, -1, at, "sweep { ... }");
    }
    for (size_t i = 0; i < script->sweep_count; i++) {
        if (script->sweeps[i] == *tag) {
            rft_read_fail(lua, at, NULL, "the same sweep is returned twice");
        }
    }
    script->sweeps[script->sweep_count++] = *tag;
}

static bool has_key(lua_State *lua, const char *key) {
    lua_pushstring(lua, key);
    bool found = lua_rawget(lua, -2) != LUA_TNIL;
    lua_pop(lua, 1);
    return found;
}

/* A table with names is no list of sweeps: what is meant? */
static void refuse_named(lua_State *lua) {
    if (has_key(lua, "per") && has_key(lua, "unit")) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "give it to `rooftune run` or `report` by --mix FILE",
                      "this is a mix, no sweep");
    }
    if (has_key(lua, "kernel") || has_key(lua, "variants") || has_key(lua, "tune")) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "write sweep in front of it: return sweep { ... }",
                      "the file returns a table that is no sweep");
    }
}

/* What the file returned: a sweep, or a list of sweeps. */
static void collect_sweeps(lua_State *lua, int count) {
    rft_script *script = rft_lua_script(lua);
    rft_at root = {NULL, "return", 0};
    snprintf(script->where, sizeof(script->where), "%s", script->files[0]->shown);
    if (count == 0) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "end it with: return sweep { ... }", "the file returns nothing");
    }
    if (count > 1) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "several sweeps are a list: return { sweep { ... }, sweep { ... } }",
                      "the file returns %d values, of which the first alone would be taken", count);
    }
    lua_settop(lua, lua_gettop(lua) - count + 1);
    if (!lua_istable(lua, -1)) {
        script->sweeps = rft_alloc(sizeof(rft_sweep_state *));
        keep_sweep(lua, &root);
        return;
    }
    refuse_named(lua);
    lua_Integer length = rft_read_list(lua, -1, &root, SWEEPS_MAX);
    if (length == 0) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "end it with: return sweep { ... }", "the file returns an empty list");
    }
    script->sweeps = rft_calloc((size_t)length, sizeof(rft_sweep_state *));
    for (lua_Integer i = 1; i <= length; i++) {
        rft_at here = {&root, NULL, i};
        lua_rawgeti(lua, -1, i);
        keep_sweep(lua, &here);
        lua_pop(lua, 1);
    }
}

static int run_script(lua_State *lua) {
    load_call *call = lua_touserdata(lua, 1);
    rft_script *script = rft_lua_script(lua);
    rft_lua_open_faults(lua);
    rft_sandbox_open(lua);
    lua_settop(lua, 0);
    open_arguments(lua, call->opts);
    script->files[0]->loading = true;
    int count = rft_modules_run(lua, script->files[0], call->text, call->size);
    script->files[0]->loading = false;
    if (!script->data_only) {
        collect_sweeps(lua, count);
        return 0;
    }
    snprintf(script->where, sizeof(script->where), "%s", script->files[0]->shown);
    rft_at root = {NULL, "return", 0};
    lua_settop(lua, 1);
    rft_read_table(lua, 1, &root);
    char problem[200] = "";
    call->json = rft_table_json(lua, 1, problem, sizeof(problem));
    if (!call->json) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "a data file returns tables of numbers, texts, booleans and tables", "%s",
                      problem);
    }
    return 0;
}

/* ---- what is only known when the whole script has run ---- */

static int name_sweeps(rft_script *script, const char *path, rft_err *err) {
    char *stem = rft_fs_stem(path);
    for (size_t i = 0; i < script->sweep_count; i++) {
        rft_sweep *sweep = &script->sweeps[i]->sweep;
        if (!sweep->name) {
            sweep->name = script->sweep_count == 1 ? rft_arena_strdup(script->arena, stem)
                                                   : rft_arena_printf(script->arena, "%s_%zu", stem, i + 1);
        }
    }
    free(stem);
    for (size_t i = 0; i < script->sweep_count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(script->sweeps[i]->sweep.name, script->sweeps[k]->sweep.name) == 0) {
                rft_err_set(err, RFT_E_SCRIPT, "two sweeps are named \"%s\"", script->sweeps[i]->sweep.name);
                rft_err_place(err, "%s", script->sweeps[i]->place);
                return rft_err_remedy(err, "give each a name = \"...\"");
            }
        }
    }
    return 0;
}

/* Without work there is no useful rate and no roof to hold it against; nothing else says so. */
static void warn_of_no_work(const rft_script *script, const rft_sweep_state *state, size_t v, const rft_work *work) {
    if (rft_work_ops(work) == 0 && rft_work_bytes(work) == 0) {
        rft_log_warn(script->log,
                     "%s: work of variant %s is nothing, so no rate and no roof can be told\n  remedy: give what the "
                     "problem needs: work = function(p) return { fp32 = 2 * p.n, bytes = 12 * p.n } end",
                     state->states[v].kernel->place, state->sweep.variants[v].name);
    }
}

/* What passes is then only as right as that variant. Once, of the first that is compared with it. */
static void warn_of_unverified(const rft_script *script, const rft_sweep_state *state, size_t v,
                               const rft_point_spec *reference) {
    bool is_told = false;
    for (size_t i = 0; i < v; i++) {
        is_told =
            is_told || (state->states[i].reference_config && state->states[i].reference == state->states[v].reference);
    }
    if (reference && reference->is_variant && !reference->check.reference && !is_told) {
        rft_log_warn(script->log,
                     "%s: %s is the reference, and nothing verifies it: a wrong result of its own passes as right\n  "
                     "remedy: give that variant reference = \"FILE.cu:NAME\", however slow",
                     state->states[v].kernel->place, reference->told);
    }
}

/* Spells out one point of each variant, and each baseline: a misspelt key in launch() is an error of the script, not of
 * every point. A configuration that a constraint refuses is left alone, its functions may rightly fail. Also finds
 * item_name. */
static int try_points(rft_script *script, rft_sweep_state *state, rft_err *err) {
    rft_sweep *sweep = &state->sweep;
    rft_arena *arena = rft_arena_new();
    const rft_problem *problem = sweep->problems;
    int code = 0;
    for (size_t p = 0; p + 1 < sweep->problem_count && problem->odd; p++) {
        problem++;
    }
    for (size_t v = 0; v < sweep->variant_count && code == 0 && !sweep->bare_space; v++) {
        const rft_value *config = state->states[v].base_config;
        bool holds = true;
        for (size_t i = 0; i < sweep->variants[v].constraint_count && holds; i++) {
            if (sweep->vt->constraint(state, v, i, problem->values, config, &holds, NULL) != 0) {
                holds = false; /* counted and shown where the space is enumerated; a stop is told there */
            }
        }
        rft_point_spec spec;
        if (holds) {
            code = sweep->vt->point(state, v, problem->values, config, arena, &spec, err);
        }
        if (holds && code == 0 && state->states[v].prior_ref != LUA_NOREF) {
            code = rft_prior_try(state, v, problem->values, config, err);
        }
        if (holds && code == 0) {
            warn_of_no_work(script, state, v, &spec.work);
            warn_of_unverified(script, state, v, spec.check.reference);
        }
        if (holds && code == 0 && !sweep->item_name) {
            sweep->item_name = rft_arena_strdup(script->arena, spec.work.item_name);
        }
    }
    for (size_t i = 0; i < sweep->baseline_count && code == 0; i++) {
        rft_point_spec spec;
        code = sweep->vt->baseline(state, i, problem->values, arena, &spec, err);
    }
    rft_arena_free(arena);
    return code;
}

static int check_names(rft_script *script, const rft_sweep_state *state, rft_err *err) {
    const char *fault = rft_sweep_names_fault(&state->sweep, script->arena);
    if (fault) {
        rft_err_set(err, RFT_E_SCRIPT, "sweep %.60s: %s", state->sweep.name, fault);
        rft_err_place(err, "%s", state->place);
        return rft_err_remedy(err, "give it a shorter name of one line of UTF-8, or split the sweep");
    }
    return 0;
}

static int finish(rft_script *script, const char *path, rft_err *err) {
    int code = name_sweeps(script, path, err);
    char hash[RFT_HASH_HEX_SIZE];
    rft_sha256_hex(&script->hash, hash);
    for (size_t i = 0; i < script->sweep_count && code == 0; i++) {
        script->sweeps[i]->sweep.path = rft_arena_strdup(script->arena, path);
        script->sweeps[i]->sweep.script_hash = rft_arena_strdup(script->arena, hash);
        code = try_points(script, script->sweeps[i], err);
        code = code == 0 ? check_names(script, script->sweeps[i], err) : code;
    }
    return code;
}

static int start(rft_script **out, const char *path, const rft_script_opts *opts, rft_err *err) {
    int code = rft_lua_new(out, opts, err);
    if (code != 0) {
        return code;
    }
    rft_script *script = *out;
    script->module_folder_count = opts->module_folder_count;
    script->module_folders = rft_arena_calloc(script->arena, opts->module_folder_count + 1, sizeof(const char *));
    for (size_t i = 0; i < opts->module_folder_count; i++) {
        script->module_folders[i] = rft_arena_strdup(script->arena, opts->module_folders[i]);
        rft_roots_add(&script->roots, rft_arena_printf(script->arena, "%s/kernels", opts->module_folders[i]),
                      script->arena);
    }
    rft_roots_add_tree(&script->roots, path, script->arena);
    for (size_t i = 0; opts->more_roots && i < opts->more_roots->count; i++) {
        rft_roots_add(&script->roots, opts->more_roots->folders[i], script->arena);
    }
    rft_modules_add(script, path, rft_fs_name(path));
    return 0;
}

int rft_script_load_text(rft_script **out, const char *path, const char *text, size_t size, const rft_script_opts *opts,
                         rft_err *err) {
    rft_script *script = NULL;
    int code = start(&script, path, opts, err);
    if (code == 0) {
        load_call call = {.opts = opts, .text = text, .size = size};
        code = rft_lua_protected(script, run_script, &call, err);
    }
    if (code == 0) {
        code = finish(script, path, err);
    }
    if (code != 0) {
        rft_lua_free(script);
        script = NULL;
    }
    *out = script;
    return code;
}

static int read_file(char **text, size_t *size, const char *path, rft_err *err) {
    int code = rft_fs_read(text, size, path, RFT_LUA_SOURCE_MAX, err);
    if (code == RFT_E_LIMIT) {
        rft_err_set(err, RFT_E_SCRIPT, "%s is larger than %zu KiB, the limit for a script", path,
                    RFT_LUA_SOURCE_MAX >> 10);
        return rft_err_remedy(err, "split it into files and require them");
    }
    return code;
}

/* A kernel's file in place of the sweep that names it: Lua would find fault with its C++. */
static int refuse_source(const char *path, rft_err *err) {
    static const char *const ends[] = {".cu", ".cuh", ".cpp", ".cc", ".c", ".h", ".ptx", ".cubin"};
    const char *dot = strrchr(rft_fs_name(path), '.');
    for (size_t i = 0; dot && i < sizeof(ends) / sizeof(ends[0]); i++) {
        if (strcmp(dot, ends[i]) == 0) {
            rft_err_set(err, RFT_E_SCRIPT, "%s is a kernel's source, not a sweep", path);
            bool is_cuda = strcmp(dot, ".ptx") != 0 && strcmp(dot, ".cubin") != 0;
            return rft_err_remedy(err, "name the Lua file that has source = \"%s\"%s%s", rft_fs_name(path),
                                  is_cuda ? "; `rooftune new` writes one: rooftune new " : "", is_cuda ? path : "");
        }
    }
    return RFT_OK;
}

int rft_script_load(rft_script **out, const char *path, const rft_script_opts *opts, rft_err *err) {
    char *text = NULL;
    size_t size = 0;
    *out = NULL;
    if (refuse_source(path, err) != RFT_OK) {
        return RFT_E_SCRIPT;
    }
    int code = read_file(&text, &size, path, err);
    if (code == 0) {
        code = rft_script_load_text(out, path, text, size, opts, err);
    }
    free(text);
    return code;
}

static int eval_table(char **out_json, const char *path, const load_call *data, rft_err *err) {
    rft_script *script = NULL;
    load_call call = *data;
    *out_json = NULL;
    int code = start(&script, path, call.opts, err);
    if (code == 0) {
        script->data_only = true;
        code = rft_lua_protected(script, run_script, &call, err);
        *out_json = call.json;
    }
    rft_lua_free(script);
    return code;
}

int rft_script_eval_table(char **out_json, const char *path, const char *text, const rft_script_opts *opts,
                          rft_err *err) {
    return eval_table(out_json, path, &(load_call){.opts = opts, .text = text, .size = strlen(text)}, err);
}

int rft_script_read_table(char **out_json, const char *path, const rft_script_opts *opts, rft_err *err) {
    static const rft_script_opts none = {0};
    char *text = NULL;
    size_t size = 0;
    *out_json = NULL;
    int code = read_file(&text, &size, path, err);
    if (code == 0) {
        code = eval_table(out_json, path, &(load_call){.opts = opts ? opts : &none, .text = text, .size = size}, err);
    }
    free(text);
    return code;
}

typedef struct names_call {
    rft_arena *arena;
    const char **names;
    size_t count;
} names_call;

static int list_names(lua_State *lua) {
    names_call *call = lua_touserdata(lua, 1);
    rft_lua_open_faults(lua);
    rft_sandbox_open(lua);
    open_arguments(lua, &(rft_script_opts){0});
    lua_getfield(lua, LUA_REGISTRYINDEX, RFT_KNOWN_GLOBALS);
    call->names = rft_arena_calloc(call->arena, GLOBALS_MAX, sizeof(*call->names));
    call->count = rft_read_sorted_keys(lua, -1, call->names, GLOBALS_MAX);
    for (size_t i = 0; i < call->count; i++) {
        call->names[i] = rft_arena_strdup(call->arena, call->names[i]);
    }
    return 0;
}

int rft_script_global_names(rft_arena *arena, const char ***out, size_t *count, rft_err *err) {
    rft_script_opts opts = {0};
    rft_script *script = NULL;
    names_call call = {.arena = arena};
    int code = start(&script, "names.lua", &opts, err);
    if (code == 0) {
        code = rft_lua_protected(script, list_names, &call, err);
    }
    rft_lua_free(script);
    *out = call.names;
    *count = call.count;
    return code;
}

void rft_script_free(rft_script *script) {
    rft_lua_free(script);
}

size_t rft_script_sweep_count(const rft_script *script) {
    return script->sweep_count;
}

const rft_sweep *rft_script_sweep(const rft_script *script, size_t index) {
    return index < script->sweep_count ? &script->sweeps[index]->sweep : NULL;
}
