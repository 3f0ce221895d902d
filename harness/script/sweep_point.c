/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_point.c - one point spelled out: the kernel's functions are called and what they return becomes a spec. */
#include "base/fs.h"
#include "script/lua/lua_modules.h"
#include "script/lua/lua_strict.h"
#include "script/sweep_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define KEYS_MAX (RFT_BUFFERS_MAX + 1) /* one more than may be: then there are too many */

/* Calls a kernel's function with (p, c, gpu[, b]); one result on top. */
static void call_function(rft_point_reader *reader, int ref, int config, int handles) {
    lua_State *lua = reader->lua;
    rft_lua_push_function(lua, ref);
    lua_pushvalue(lua, reader->p);
    lua_pushvalue(lua, config);
    lua_pushvalue(lua, reader->gpu);
    if (handles) {
        lua_pushvalue(lua, handles);
    }
    lua_call(lua, handles ? 4 : 3, 1);
}

/* ---- buffers ---- */

rft_buffer *rft_point_read_buffers(const rft_point_reader *reader, const char *name, size_t *count) {
    lua_State *lua = reader->lua;
    rft_arena *arena = reader->call->arena;
    rft_at root = {NULL, name, 0};
    const char *keys[KEYS_MAX];
    rft_read_table(lua, -1, &root);
    if (lua_rawlen(lua, -1) > 0) {
        rft_read_fail(lua, &root, NULL, "expected NAME = input(...), got a list");
    }
    *count = rft_read_sorted_keys(lua, -1, keys, KEYS_MAX);
    if (*count == 0 || *count == KEYS_MAX) {
        rft_read_fail(lua, &root, NULL, *count ? "too many buffers" : "a kernel needs at least one buffer");
    }
    rft_buffer *buffers = rft_arena_calloc(arena, RFT_BUFFERS_MAX, sizeof(*buffers));
    for (size_t i = 0; i < *count; i++) {
        rft_at here = {&root, keys[i], 0};
        rft_read_field(lua, -1, keys[i]);
        const rft_buffer *buffer = luaL_testudata(lua, -1, RFT_TAG_BUFFER);
        if (!buffer) {
            rft_read_wrong(lua, -1, &here, "input(...), output(...), inout(...) or temp(...)");
        }
        buffers[i] = *buffer;
        buffers[i].name = rft_arena_strdup(arena, keys[i]);
        rft_fill_read(lua, &here, arena, &buffers[i]);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    return buffers;
}

static void add_constants(rft_point_reader *reader, int config, rft_buffer *buffers, size_t *count) {
    const rft_kernel_facts *kernel = reader->kernel;
    const rft_buffer *constants = kernel->constants;
    size_t added = kernel->constant_count, most = RFT_BUFFERS_MAX - *count;
    rft_at root = {NULL, "constants", 0};
    if (kernel->constants_ref != LUA_NOREF) {
        call_function(reader, kernel->constants_ref, config, 0);
        constants = rft_constants_read(reader->lua, &root, reader->call->arena, most, &added);
        lua_pop(reader->lua, 1);
    }
    if (added > most) {
        rft_read_fail(reader->lua, &root, NULL, "more than %d buffers and constants", RFT_BUFFERS_MAX);
    }
    if (added > 0) {
        memcpy(buffers + *count, constants, added * sizeof(*buffers));
        *count += added;
    }
}

/* Of this configuration: buffers, and constants behind them. */
static rft_buffer *call_buffers(rft_point_reader *reader, int config, size_t *count) {
    call_function(reader, reader->kernel->buffers_ref, config, 0);
    rft_buffer *buffers = rft_point_read_buffers(reader, "buffers", count);
    add_constants(reader, config, buffers, count);
    rft_fills_settle(reader->lua, reader->call->arena, buffers, *count);
    return buffers;
}

static const char *role_text(const rft_buffer *buffer) {
    return buffer->role == RFT_BUFFER_CONSTANT                                    ? "a constant"
           : buffer->role == RFT_BUFFER_INPUT || buffer->role == RFT_BUFFER_INOUT ? "an input"
                                                                                  : "an output";
}

bool rft_point_same_buffer(const rft_buffer *a, const rft_buffer *b) {
    return a->role == b->role && a->type == b->type && a->count == b->count && rft_fill_equal(&a->fill, &b->fill);
}

/* Configurations are compared on the same inputs, and outputs with the same reference: only temps may differ. */
static void check_fixed(rft_point_reader *reader) {
    lua_State *lua = reader->lua;
    rft_point_spec *spec = reader->spec;
    rft_push_config(lua, reader->call->state, reader->call->variant, reader->state->base_config);
    size_t count;
    rft_buffer *base = call_buffers(reader, lua_gettop(lua), &count);
    lua_pop(lua, 1);
    for (size_t side = 0; side < 2; side++) {
        const rft_buffer *mine = side ? base : spec->buffers, *others = side ? spec->buffers : base;
        size_t mine_count = side ? count : spec->buffer_count, other_count = side ? spec->buffer_count : count;
        for (size_t i = 0; i < mine_count; i++) {
            bool is_constant = mine[i].role == RFT_BUFFER_CONSTANT;
            rft_at root = {NULL, is_constant ? "constants" : "buffers", 0};
            rft_at here = {&root, mine[i].name, 0};
            bool found = mine[i].role == RFT_BUFFER_TEMP;
            for (size_t k = 0; k < other_count && !found; k++) {
                found = strcmp(mine[i].name, others[k].name) == 0 && rft_point_same_buffer(&mine[i], &others[k]);
            }
            if (!found) {
                rft_read_fail(lua, &here,
                              is_constant
                                  ? "make it depend on p only; what depends on c is an argument of the launch"
                                  : "make it depend on p only; a temp buffer with a prepare launch may depend on c",
                              "%s must not depend on the configuration", role_text(&mine[i]));
            }
        }
    }
}

static bool is_fixed(const rft_kernel_facts *kernel) {
    return kernel->buffers_fixed && (kernel->constants_ref == LUA_NOREF || kernel->constants_fixed);
}

void rft_point_push_handles(lua_State *lua, const rft_buffer *buffers, size_t count) {
    uint64_t turn = ++rft_lua_script(lua)->turn;
    lua_createtable(lua, 0, (int)count);
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].role == RFT_BUFFER_CONSTANT) {
            continue; /* no argument */
        }
        rft_handle_tag *handle = rft_tag_new(lua, RFT_TAG_HANDLE, sizeof(*handle), 0);
        *handle = (rft_handle_tag){
            .name = buffers[i].name, .buffer = i, .type = buffers[i].type, .count = buffers[i].count, .turn = turn};
        lua_setfield(lua, -2, buffers[i].name);
    }
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].role == RFT_BUFFER_CONSTANT && !rft_read_field(lua, -1, buffers[i].name)) {
            rft_tag_new(lua, RFT_TAG_CONSTANT, 0, 0);
            lua_setfield(lua, -3, buffers[i].name);
        }
        lua_pop(lua, buffers[i].role == RFT_BUFFER_CONSTANT ? 1 : 0);
    }
    rft_strict_wrap(lua, "b");
}

/* ---- the unit: names and macros ---- */

void rft_options_add(rft_option_list *list, const char *option) {
    if (list->count < list->room) {
        list->items[list->count++] = option;
    }
}

void rft_options_add_macros(rft_arena *arena, rft_option_list *list, const char *name, const rft_value *value,
                            const rft_alternatives *alternatives, bool with_value) {
    for (size_t i = 0; i < alternatives->count && !alternatives->is_ctype; i++) {
        rft_options_add(list, rft_arena_printf(arena, "-D%s_%s=%zu", name, alternatives->texts[i], i + 1));
    }
    if (with_value) {
        rft_options_add(list, rft_arena_printf(arena, "-D%s=%s", name, rft_macro_text(arena, value, alternatives)));
    }
}

static const char **kernel_options(rft_point_reader *reader, size_t *count) {
    lua_State *lua = reader->lua;
    const rft_kernel_facts *kernel = reader->kernel;
    *count = kernel->option_count;
    if (kernel->options_ref == LUA_NOREF) {
        return kernel->options;
    }
    rft_at root = {NULL, "options", 0};
    rft_lua_push_function(lua, kernel->options_ref);
    lua_pushvalue(lua, reader->c);
    lua_pushvalue(lua, reader->gpu);
    lua_call(lua, 2, 1);
    const char **options = rft_compile_options_read(lua, &root, kernel->file, reader->call->arena, count);
    lua_pop(lua, 1);
    return options;
}

/* The compiler takes the last of two -D of one name, silently. `list`: those of parameters and dimensions. */
static void refuse_defined_twice(rft_point_reader *reader, const rft_option_list *list, size_t defined,
                                 const char *option, size_t index) {
    size_t length = strcspn(option, "=");
    for (size_t i = 0; i < defined && rft_text_starts(option, "-D") && length > 2; i++) {
        if (strcspn(list->items[i], "=") == length && strncmp(list->items[i], option, length) == 0) {
            rft_at root = {NULL, "options", 0}, at = {&root, NULL, (lua_Integer)index + 1};
            rft_read_fail(
                reader->lua, &at, "leave it out: `tune`, or `over`, gives its value",
                "%.80s defines %.*s again, which is a parameter or dimension: all its values would be this one", option,
                (int)length - 2, option + 2);
        }
    }
}

static void make_unit(rft_point_reader *reader, const rft_launch_reader *launches) {
    rft_arena *arena = reader->call->arena;
    const rft_variant *variant = reader->variant;
    const rft_sweep *sweep = reader->sweep;
    rft_unit_spec *unit = &reader->spec->unit;
    unit->source = rft_arena_strdup(arena, variant->source);
    unit->names = launches->names;
    unit->name_count = launches->name_count;
    size_t own_count;
    const char **own = kernel_options(reader, &own_count);
    rft_option_list list = {.room = own_count + variant->param_count + sweep->axis_count};
    for (size_t i = 0; i < variant->param_count; i++) {
        list.room += reader->state->alternatives[i].count;
    }
    for (size_t i = 0; i < sweep->axis_count; i++) {
        list.room += reader->call->state->axis_alternatives[i].count;
    }
    list.room = rft_variant_is_given(variant) ? 0 : list.room; /* compiled dimensions are the reference's alone */
    list.items = rft_arena_calloc(arena, list.room + 1, sizeof(*list.items));
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_options_add_macros(arena, &list, variant->params[i].name, &reader->call->config[i],
                               &reader->state->alternatives[i], !variant->params[i].in_entry && !launches->in_entry[i]);
    }
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (reader->kernel->axis_compiled[i]) {
            rft_options_add_macros(arena, &list, sweep->axes[i].name, &reader->call->problem[i],
                                   &reader->call->state->axis_alternatives[i],
                                   !launches->in_entry[variant->param_count + i]);
        }
    }
    const size_t defined = list.count;
    for (size_t i = 0; i < own_count; i++) {
        refuse_defined_twice(reader, &list, defined, own[i], i);
        rft_options_add(&list, rft_arena_strdup(arena, own[i]));
    }
    unit->options = list.items;
    unit->option_count = list.count;
}

static void read_launches(rft_point_reader *reader) {
    lua_State *lua = reader->lua;
    const rft_point_call *call = reader->call;
    rft_point_spec *spec = reader->spec;
    size_t params = reader->variant->param_count, axes = reader->sweep->axis_count;
    rft_launch_reader launches = {.call = call,
                                  .buffers = spec->buffers,
                                  .buffer_count = spec->buffer_count,
                                  .entry = reader->variant->entry,
                                  .param_count = params + axes};
    launches.names = rft_arena_calloc(call->arena, RFT_ENTRIES_MAX, sizeof(*launches.names));
    launches.in_entry = rft_arena_calloc(call->arena, params + axes + 1, sizeof(bool));
    launches.param_names = rft_arena_calloc(call->arena, params + axes + 1, sizeof(*launches.param_names));
    launches.param_texts = rft_arena_calloc(call->arena, params + axes + 1, sizeof(*launches.param_texts));
    for (size_t i = 0; i < params; i++) {
        launches.param_names[i] = reader->variant->params[i].name;
        launches.param_texts[i] = rft_macro_text(call->arena, &call->config[i], &reader->state->alternatives[i]);
    }
    for (size_t i = 0; i < axes; i++) {
        launches.param_names[params + i] = reader->kernel->axis_compiled[i] ? reader->sweep->axes[i].name : "";
        launches.param_texts[params + i] =
            rft_macro_text(call->arena, &call->problem[i], &call->state->axis_alternatives[i]);
        for (size_t e = 0; e < reader->kernel->entry_count; e++) {
            rft_entry_substitute(call->arena, reader->kernel->entries[e], &reader->sweep->axes[i].name, NULL, 1,
                                 &launches.in_entry[params + i]);
        }
    }
    rft_point_push_handles(lua, spec->buffers, spec->buffer_count);
    int handles = lua_gettop(lua);
    if (reader->kernel->prepare_ref != LUA_NOREF) {
        call_function(reader, reader->kernel->prepare_ref, reader->c, handles);
        spec->prepare = rft_launches_read(lua, "prepare", &launches, &spec->prepare_count);
        lua_pop(lua, 1);
    }
    call_function(reader, reader->kernel->launch_ref, reader->c, handles);
    spec->launches = rft_launches_read(lua, "launch", &launches, &spec->launch_count);
    lua_settop(lua, handles - 1);
    if (launches.name_count == 0 || spec->launch_count == 0) {
        rft_at root = {NULL, "launch", 0};
        rft_read_fail(lua, &root, NULL, "no kernel is launched");
    }
    make_unit(reader, &launches);
}

/* ---- check, work, traffic ---- */

static void read_tolerances(rft_point_reader *reader) {
    rft_point_spec *spec = reader->spec;
    const rft_check_facts *facts = &reader->kernel->check;
    rft_at root = {NULL, "check", 0};
    spec->check.buffer_tol = rft_arena_calloc(reader->call->arena, spec->buffer_count, sizeof(double));
    size_t outputs = 0;
    const char *names[KEYS_MAX];
    for (size_t i = 0; i < spec->buffer_count; i++) {
        spec->check.buffer_tol[i] = NAN;
        if (spec->buffers[i].role == RFT_BUFFER_OUTPUT || spec->buffers[i].role == RFT_BUFFER_INOUT) {
            names[outputs++] = spec->buffers[i].name;
        }
    }
    rft_lua_push_function(reader->lua, reader->kernel->buffers_ref); /* for the place of what follows */
    lua_pop(reader->lua, 1);
    if (outputs == 0) {
        rft_at buffers = {NULL, "buffers", 0};
        rft_read_fail(reader->lua, &buffers, "output(...) or inout(...)", "nothing is written that could be checked");
    }
    rft_script *script = rft_lua_script(reader->lua);
    snprintf(script->where, sizeof(script->where), "%s", reader->kernel->place);
    for (size_t k = 0; k < facts->buffer_count; k++) {
        rft_at here = {&root, facts->buffer_names[k], 0};
        bool found = false;
        for (size_t i = 0; i < spec->buffer_count; i++) {
            if (strcmp(spec->buffers[i].name, facts->buffer_names[k]) == 0) {
                found = spec->buffers[i].role == RFT_BUFFER_OUTPUT || spec->buffers[i].role == RFT_BUFFER_INOUT;
                spec->check.buffer_tol[i] = facts->buffer_tols[k];
            }
        }
        if (!found) {
            char hint[120], known[300];
            rft_read_hint(hint, sizeof(hint), facts->buffer_names[k], names, outputs);
            rft_read_fail(reader->lua, &here, rft_read_known(known, sizeof(known), names, outputs),
                          "no output buffer has this name%s", hint);
        }
    }
}

static void read_check(rft_point_reader *reader) {
    lua_State *lua = reader->lua;
    const rft_check_facts *facts = &reader->kernel->check;
    rft_check *check = &reader->spec->check;
    read_tolerances(reader);
    check->tol = facts->tol;
    check->length = facts->length;
    if (facts->length_ref != LUA_NOREF) {
        rft_at root = {NULL, "check", 0};
        rft_at here = {&root, "length", 0};
        rft_lua_push_function(lua, facts->length_ref);
        lua_pushvalue(lua, reader->p);
        lua_call(lua, 1, 1);
        check->length = rft_read_real(lua, -1, &here, 1, 1e300);
        lua_pop(lua, 1);
    }
    check->reference = rft_reference_spell(reader);
}

static void read_work(rft_point_reader *reader) {
    lua_State *lua = reader->lua;
    rft_lua_push_function(lua, reader->kernel->work_ref);
    lua_pushvalue(lua, reader->p);
    lua_call(lua, 1, 1);
    rft_work_read(lua, reader->spec, reader->call->arena, &reader->spec->work);
    lua_pop(lua, 1);
    if (reader->spec->launch_count > 1) {
        rft_launch_work_check(lua, reader->spec);
    }
    reader->spec->traffic = rft_traffic_unknown();
    if (reader->kernel->traffic_ref != LUA_NOREF && !reader->call->baseline) {
        call_function(reader, reader->kernel->traffic_ref, reader->c, 0);
        rft_traffic_read(lua, &reader->spec->traffic);
        lua_pop(lua, 1);
    }
}

/* Pushes p, c, gpu and calls buffers(). */
static rft_point_reader begin(lua_State *lua, const rft_point_call *call) {
    rft_point_reader reader = {.lua = lua,
                               .call = call,
                               .sweep = &call->state->sweep,
                               .variant = &call->state->sweep.variants[call->variant],
                               .state = &call->state->states[call->variant],
                               .kernel = call->state->states[call->variant].kernel,
                               .spec = call->out};
    memset(call->out, 0, sizeof(*call->out));
    rft_push_problem(lua, call->state, call->problem, NULL);
    reader.p = lua_gettop(lua);
    rft_push_config(lua, call->state, call->variant, call->config);
    reader.c = lua_gettop(lua);
    rft_push_gpu(lua);
    reader.gpu = lua_gettop(lua);
    reader.spec->buffers = call_buffers(&reader, reader.c, &reader.spec->buffer_count);
    return reader;
}

int rft_point_buffers(lua_State *lua) {
    begin(lua, lua_touserdata(lua, 1));
    return 0;
}

void rft_point_amounts(lua_State *lua, const rft_point_call *call) {
    int top = lua_gettop(lua);
    luaL_checkstack(lua, 16, NULL);
    rft_point_reader reader = begin(lua, call);
    read_work(&reader);
    lua_settop(lua, top);
}

void rft_point_spell_call(lua_State *lua, const rft_point_call *call) {
    int top = lua_gettop(lua);
    luaL_checkstack(lua, 16, NULL);
    rft_point_reader reader = begin(lua, call);
    if (!is_fixed(reader.kernel) && !call->baseline) {
        check_fixed(&reader);
    }
    const rft_baseline_facts *library = call->baseline ? call->baseline : reader.kernel->vendor;
    if (library) {
        rft_baseline_launch(lua, call, library, reader.p);
    } else {
        read_launches(&reader);
    }
    read_check(&reader);
    if (library) {
        rft_baseline_tolerance(call, library);
    }
    if (!call->is_reference) {
        read_work(&reader);
    }
    lua_settop(lua, top);
}

int rft_point_spell(lua_State *lua) {
    rft_point_spell_call(lua, lua_touserdata(lua, 1));
    return 0;
}
