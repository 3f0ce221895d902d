/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_kernel.c - kernel{}: what a kernel is and what it needs, checked where it is written. */
#include "base/fs.h"
#include "script/lua/lua_modules.h"
#include "script/lua/lua_ways.h"
#include "script/sweep_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#define AXES_MAX 16
#define PARAMS_MAX 64

typedef struct kernel_reader {
    lua_State *lua;
    rft_script *script;
    int table;
    rft_at root;
    rft_kernel_facts *kernel;
} kernel_reader;

/* Pushes a field; raises when it is missing. */
static void required(kernel_reader *reader, const char *key, const char *remedy) {
    if (!rft_read_field(reader->lua, reader->table, key)) {
        rft_read_fail(reader->lua, &reader->root, remedy, "the key \"%s\" is missing", key);
    }
}

static int function_ref(kernel_reader *reader, const char *key, bool is_required, int *parameters) {
    lua_State *lua = reader->lua;
    rft_at here = {&reader->root, key, 0};
    if (!rft_read_field(lua, reader->table, key)) {
        if (is_required) {
            char remedy[200], path[80];
            snprintf(path, sizeof(path), "kernel.%s", key);
            snprintf(remedy, sizeof(remedy), "add %s", rft_ways_example(path));
            required(reader, key, remedy);
        }
        lua_pop(lua, 1);
        return LUA_NOREF;
    }
    rft_read_function(lua, -1, &here);
    if (parameters) {
        lua_Debug record;
        lua_pushvalue(lua, -1);
        lua_getinfo(lua, ">u", &record);
        *parameters = record.isvararg ? 256 : record.nparams;
    }
    return luaL_ref(lua, LUA_REGISTRYINDEX);
}

const char *rft_kernel_source_path(lua_State *lua, const rft_at *at, const rft_kernel_facts *kernel,
                                   const char *written) {
    const char *path = rft_modules_path(rft_lua_script(lua), kernel->file, written);
    if (!rft_fs_exists(path) || rft_fs_is_folder(path)) {
        rft_modules_no_file(lua, at, path);
    }
    rft_modules_check_path(lua, at, path);
    struct stat status;
    if (stat(path, &status) == 0 && !S_ISREG(status.st_mode)) { /* a pipe would be waited for */
        rft_read_fail_code(lua, at, RFT_E_SOURCE, "name a file that can be read again", "%s is no file", path);
    }
    return path;
}

static void read_source(kernel_reader *reader) {
    lua_State *lua = reader->lua;
    rft_kernel_facts *kernel = reader->kernel;
    rft_at source = {&reader->root, "source", 0};
    required(reader, "source", "source = \"NAME.cu\"");
    const char *written = rft_read_text(lua, -1, &source);
    kernel->source = rft_kernel_source_path(lua, &source, kernel, written);
    rft_at name = {&reader->root, "name", 0};
    if (rft_read_field(lua, reader->table, "name")) {
        kernel->name = rft_arena_strdup(reader->script->arena, rft_read_text(lua, -1, &name));
    } else {
        const char *base = rft_fs_name(kernel->source);
        const char *dot = strrchr(base, '.');
        kernel->name =
            rft_arena_strndup(reader->script->arena, base, dot && dot != base ? (size_t)(dot - base) : strlen(base));
    }
    rft_at entry = {&reader->root, "entry", 0};
    required(reader, "entry", "entry = \"name<PARAMETER>\", or a list when launches have different ones");
    if (lua_istable(lua, -1)) {
        kernel->entries = rft_read_texts(lua, -1, &entry, reader->script->arena, &kernel->entry_count);
    } else {
        kernel->entries = rft_arena_alloc(reader->script->arena, sizeof(*kernel->entries));
        kernel->entries[0] = rft_arena_strdup(reader->script->arena, rft_read_text(lua, -1, &entry));
        kernel->entry_count = 1;
    }
    if (kernel->entry_count == 0 || kernel->entries[0][0] == '\0') {
        rft_read_fail(lua, &entry, NULL, "the name of a kernel function is missing");
    }
    lua_pop(lua, 3);
}

static void refuse_repeated(lua_State *lua, const rft_at *at, const char *name, const char *const *names,
                            size_t count) {
    for (size_t i = 0; i < count; i++) {
        if (strcmp(names[i], name) == 0) {
            rft_read_fail(lua, at, NULL, "\"%s\" is there twice", name);
        }
    }
}

static void read_axes(kernel_reader *reader) {
    lua_State *lua = reader->lua;
    rft_kernel_facts *kernel = reader->kernel;
    rft_arena *arena = reader->script->arena;
    rft_at at = {&reader->root, "problem", 0};
    required(reader, "problem", "problem = { \"n\" } names the problem's dimensions, {} when there are none");
    size_t count = (size_t)rft_read_list(lua, -1, &at, AXES_MAX);
    kernel->axes = rft_arena_calloc(arena, count + 1, sizeof(*kernel->axes));
    kernel->axis_compiled = rft_arena_calloc(arena, count + 1, sizeof(bool));
    for (size_t i = 0; i < count; i++) {
        rft_at here = {&at, NULL, (lua_Integer)i + 1};
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        const char *name = rft_read_name(lua, -1, &here);
        if (strcmp(name, "gpu") == 0) {
            rft_read_fail(lua, &here, NULL, "\"gpu\" is the device's name in constraints");
        }
        refuse_repeated(lua, &here, name, kernel->axes, i);
        kernel->axes[i] = rft_arena_strdup(arena, name);
        kernel->axis_count = i + 1;
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

static void check_macro_name(lua_State *lua, const rft_at *at, const char *name) {
    if (strlen(name) < 2) {
        rft_read_fail(lua, at,
                      "a macro of one letter would break the CUDA headers: use a longer name. The template's own "
                      "may differ: entry = \"scale<TYPE>\"",
                      "the name \"%s\" is too short", name);
    }
    if (rft_keys_is_reserved(name) || (name[0] == '_' && (name[1] == '_' || isupper((unsigned char)name[1])))) {
        rft_read_fail(lua, at, "use another name", "\"%s\" is a reserved word in CUDA C++ or in rooftune", name);
    }
}

static void read_param(kernel_reader *reader, const rft_at *at, size_t index) {
    lua_State *lua = reader->lua;
    rft_kernel_facts *kernel = reader->kernel;
    rft_param *param = &kernel->params[index];
    rft_at name_at = {at, NULL, 1}, value_at = {at, NULL, 2}, help_at = {at, NULL, 3};
    lua_Integer length = rft_read_list(lua, -1, at, 3);
    if (length < 2) {
        rft_read_fail(lua, at, NULL, "expected { \"NAME\", default, \"help\" }");
    }
    lua_rawgeti(lua, -1, 1);
    param->name = rft_arena_strdup(reader->script->arena, rft_read_name(lua, -1, &name_at));
    check_macro_name(lua, &name_at, param->name);
    for (size_t i = 0; i < index; i++) {
        refuse_repeated(lua, &name_at, param->name, &kernel->params[i].name, 1);
    }
    refuse_repeated(lua, &name_at, param->name, kernel->axes, kernel->axis_count);
    lua_rawgeti(lua, -2, 2);
    param->default_value = rft_read_value(lua, -1, &value_at, reader->script->arena, &kernel->param_is_ctype[index]);
    param->values = &param->default_value;
    param->value_count = 1;
    param->help = "";
    if (lua_rawgeti(lua, -3, 3) != LUA_TNIL) {
        param->help = rft_arena_strdup(reader->script->arena, rft_read_text(lua, -1, &help_at));
    }
    lua_pop(lua, 3);
}

static void read_params(kernel_reader *reader) {
    lua_State *lua = reader->lua;
    rft_kernel_facts *kernel = reader->kernel;
    rft_at at = {&reader->root, "params", 0};
    size_t count = 0;
    if (rft_read_field(lua, reader->table, "params")) {
        count = (size_t)rft_read_list(lua, -1, &at, PARAMS_MAX);
    }
    kernel->params = rft_arena_calloc(reader->script->arena, count + 1, sizeof(*kernel->params));
    kernel->param_is_ctype = rft_arena_calloc(reader->script->arena, count + 1, sizeof(bool));
    for (size_t i = 0; i < count; i++) {
        rft_at here = {&at, NULL, (lua_Integer)i + 1};
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        read_param(reader, &here, i);
        lua_pop(lua, 1);
        kernel->param_count = i + 1;
    }
    lua_pop(lua, 1);
    for (size_t i = 0; i < count; i++) {
        for (size_t e = 0; e < kernel->entry_count; e++) {
            const char *name = kernel->params[i].name;
            rft_entry_substitute(reader->script->arena, kernel->entries[e], &name, NULL, 1,
                                 &kernel->params[i].in_entry);
        }
    }
}

static void read_compiled(kernel_reader *reader) {
    lua_State *lua = reader->lua;
    rft_kernel_facts *kernel = reader->kernel;
    rft_at at = {&reader->root, "compiled", 0};
    size_t count = rft_read_field(lua, reader->table, "compiled") ? (size_t)rft_read_list(lua, -1, &at, AXES_MAX) : 0;
    for (size_t i = 0; i < count; i++) {
        rft_at here = {&at, NULL, (lua_Integer)i + 1};
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        const char *name = rft_read_text(lua, -1, &here);
        size_t axis = 0;
        while (axis < kernel->axis_count && strcmp(kernel->axes[axis], name) != 0) {
            axis++;
        }
        if (axis == kernel->axis_count) {
            char hint[120], known[300];
            rft_read_hint(hint, sizeof(hint), name, kernel->axes, kernel->axis_count);
            rft_read_fail(lua, &here, rft_read_known(known, sizeof(known), kernel->axes, kernel->axis_count),
                          "no dimension of the problem is named \"%.60s\"%s", name, hint);
        }
        kernel->axis_compiled[axis] = true;
        bool in_entry = false;
        for (size_t e = 0; e < kernel->entry_count; e++) {
            rft_entry_substitute(reader->script->arena, kernel->entries[e], &name, NULL, 1, &in_entry);
        }
        if (!in_entry) {
            check_macro_name(lua, &here, name);
        }
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

/* ---- check ---- */

/* The table on top: axes of one odd problem. */
static void read_odd_axes(kernel_reader *reader, const rft_at *at, rft_odd_facts *out) {
    lua_State *lua = reader->lua;
    const rft_kernel_facts *kernel = reader->kernel;
    const char *keys[AXES_MAX + 1];
    rft_read_table(lua, -1, at);
    out->values = rft_arena_calloc(reader->script->arena, kernel->axis_count + 1, sizeof(rft_value));
    out->given = rft_arena_calloc(reader->script->arena, kernel->axis_count + 1, sizeof(bool));
    size_t count = rft_read_sorted_keys(lua, -1, keys, AXES_MAX + 1);
    for (size_t i = 0; i < count; i++) {
        rft_at here = {at, keys[i], 0};
        size_t axis = 0;
        while (axis < kernel->axis_count && strcmp(kernel->axes[axis], keys[i]) != 0) {
            axis++;
        }
        if (axis == kernel->axis_count) {
            char hint[120], known[300];
            rft_read_hint(hint, sizeof(hint), keys[i], kernel->axes, kernel->axis_count);
            rft_read_fail(lua, &here, rft_read_known(known, sizeof(known), kernel->axes, kernel->axis_count),
                          "no dimension of the problem has this name%s", hint);
        }
        rft_read_field(lua, -1, keys[i]);
        out->values[axis] = rft_read_value(lua, -1, &here, reader->script->arena, NULL);
        out->given[axis] = true;
        lua_pop(lua, 1);
    }
}

/* One table, or a list of them. */
static void read_odd(kernel_reader *reader, const rft_at *check, int table) {
    lua_State *lua = reader->lua;
    rft_check_facts *facts = &reader->kernel->check;
    rft_at at = {check, "odd", 0};
    rft_read_field(lua, table, "odd");
    const size_t listed = lua_istable(lua, -1) ? lua_rawlen(lua, -1) : 0;
    if (lua_isboolean(lua, -1) && !lua_toboolean(lua, -1)) {
        facts->odd = RFT_ODD_NONE;
    } else if (!lua_isnil(lua, -1)) {
        facts->odd = RFT_ODD_GIVEN;
        facts->odd_count = listed > 0 ? listed : 1;
        facts->odds = rft_arena_calloc(reader->script->arena, facts->odd_count, sizeof *facts->odds);
    }
    for (size_t i = 0; i < listed; i++) {
        rft_at here = {&at, NULL, (lua_Integer)i + 1};
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        read_odd_axes(reader, &here, &facts->odds[i]);
        lua_pop(lua, 1);
    }
    if (facts->odd_count == 1 && listed == 0) {
        read_odd_axes(reader, &at, &facts->odds[0]);
    }
    lua_pop(lua, 1);
}

void rft_entry_split(lua_State *lua, const rft_at *at, const char *text, rft_arena *arena, const char **source,
                     const char **name) {
    const char *colon = NULL;
    for (const char *c = text + strlen(text); c > text && !colon; c--) { /* the last one that is not part of a :: */
        colon = *c == ':' && c[-1] != ':' && c[1] != ':' ? c : NULL;
    }
    if (!colon || colon == text || colon[1] == '\0') {
        rft_read_fail(lua, at, NULL, "expected \"FILE.cu:NAME\", got \"%.80s\"", text);
    }
    *name = rft_arena_strdup(arena, colon + 1);
    *source = rft_arena_strndup(arena, text, (size_t)(colon - text));
}

/* Every other key names an output buffer and is a table; anything else is a misspelt key. */
static void read_buffer_tols(kernel_reader *reader, const rft_at *check, int table) {
    lua_State *lua = reader->lua;
    rft_check_facts *facts = &reader->kernel->check;
    const rft_key_set *set = rft_keys(RFT_KEYS_CHECK);
    const char *keys[64];
    size_t count = rft_read_sorted_keys(lua, table, keys, 64);
    if (count == 64) {
        rft_read_fail(lua, check, NULL, "too many keys");
    }
    facts->buffer_names = rft_arena_calloc(reader->script->arena, count + 1, sizeof(*facts->buffer_names));
    facts->buffer_tols = rft_arena_calloc(reader->script->arena, count + 1, sizeof(double));
    for (size_t i = 0; i < count; i++) {
        rft_at here = {check, keys[i], 0};
        bool known = false;
        for (size_t k = 0; k < set->count; k++) {
            known = known || strcmp(set->names[k], keys[i]) == 0;
        }
        if (known) {
            continue;
        }
        rft_read_field(lua, table, keys[i]);
        if (!lua_istable(lua, -1)) {
            char hint[120];
            rft_read_hint(hint, sizeof(hint), keys[i], set->names, set->count);
            rft_read_fail(lua, &here, "reference, options, tol, length, odd, or OUTPUT = { tol = ... }",
                          "unknown key%s", hint);
        }
        rft_at tol = {&here, "tol", 0};
        rft_read_keys(lua, -1, &here, RFT_KEYS_CHECK_BUFFER, 0);
        rft_read_field(lua, -1, "tol");
        facts->buffer_tols[facts->buffer_count] = rft_read_real(lua, -1, &tol, 0, 1e300);
        facts->buffer_names[facts->buffer_count++] = rft_arena_strdup(reader->script->arena, keys[i]);
        lua_pop(lua, 2);
    }
}

static void read_check(kernel_reader *reader) {
    lua_State *lua = reader->lua;
    rft_check_facts *facts = &reader->kernel->check;
    rft_at at = {&reader->root, "check", 0};
    required(reader, "check", "check = { reference = \"FILE.cu:NAME\" }: no point is timed that was not verified");
    rft_read_table(lua, -1, &at);
    int table = lua_gettop(lua);
    rft_reference_read(lua, &at, table, reader->kernel);
    rft_at tol = {&at, "tol", 0}, length = {&at, "length", 0}, options = {&at, "options", 0};
    facts->tol = rft_read_field(lua, table, "tol") ? rft_read_real(lua, -1, &tol, 0, 1e300) : NAN;
    facts->length = 1;
    facts->length_ref = LUA_NOREF;
    if (rft_read_field(lua, table, "length")) {
        if (lua_isfunction(lua, -1)) {
            rft_read_function(lua, -1, &length);
            lua_pushvalue(lua, -1);
            facts->length_ref = luaL_ref(lua, LUA_REGISTRYINDEX);
        } else {
            facts->length = rft_read_real(lua, -1, &length, 1, 1e300);
        }
    }
    if (rft_read_field(lua, table, "options")) {
        facts->options =
            rft_compile_options_read(lua, &options, reader->kernel->file, reader->script->arena, &facts->option_count);
    }
    lua_settop(lua, table);
    read_odd(reader, &at, table);
    read_buffer_tols(reader, &at, table);
    lua_settop(lua, table - 1);
}

static void read_functions(kernel_reader *reader) {
    lua_State *lua = reader->lua;
    rft_kernel_facts *kernel = reader->kernel;
    int parameters = 0;
    kernel->buffers_ref = function_ref(reader, "buffers", true, &parameters);
    kernel->buffers_fixed = parameters < 2;
    rft_constants_of_kernel(lua, reader->table, kernel);
    kernel->launch_ref = kernel->vendor ? LUA_NOREF : function_ref(reader, "launch", true, NULL);
    kernel->work_ref = function_ref(reader, "work", true, NULL);
    kernel->prepare_ref = function_ref(reader, "prepare", false, NULL);
    kernel->traffic_ref = function_ref(reader, "traffic", false, NULL);
    kernel->prior_ref = function_ref(reader, "prior", false, NULL);
    kernel->options_ref = LUA_NOREF;
    rft_at at = {&reader->root, "options", 0};
    if (rft_read_field(lua, reader->table, "options")) {
        if (lua_istable(lua, -1)) {
            kernel->options =
                rft_compile_options_read(lua, &at, kernel->file, reader->script->arena, &kernel->option_count);
        } else {
            kernel->options_ref = function_ref(reader, "options", true, NULL);
        }
    }
    lua_pop(lua, 1);
}

int rft_api_kernel(lua_State *lua) {
    rft_script *script = rft_lua_script(lua);
    rft_lua_check_kept(lua);
    lua_settop(lua, 1);
    kernel_reader reader = {.lua = lua, .script = script, .table = 1, .root = {NULL, "kernel", 0}};
    rft_read_keys(lua, 1, &reader.root, RFT_KEYS_KERNEL, 0);
    rft_kernel_facts *kernel = rft_arena_alloc(script->arena, sizeof(*kernel));
    reader.kernel = kernel;
    kernel->file = rft_modules_caller(lua);
    char place[200];
    rft_lua_place(lua, place, sizeof(place));
    kernel->place = rft_arena_strdup(script->arena, place);
    if (rft_vendor_kernel_read(lua, 1, kernel)) {
        rft_at launch = {&reader.root, "launch", 0};
        read_axes(&reader);
        rft_vendor_check_dims(lua, &launch, kernel->vendor, kernel->axes, kernel->axis_count);
    } else {
        read_source(&reader);
        if (rft_source_is_given(kernel->source)) {
            rft_given_kernel_read(lua, 1, kernel);
        }
        read_axes(&reader);
        read_params(&reader);
        read_compiled(&reader);
    }
    read_functions(&reader);
    read_check(&reader);
    *(rft_kernel_facts **)rft_tag_new(lua, RFT_TAG_KERNEL, sizeof(kernel), 0) = kernel;
    return 1;
}
