/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_reference.c - check.reference: a kernel and how it is launched, several of them, or a variant of the sweep. */
#include "base/fs.h"
#include "model/sweep/reference_spec.h"
#include "script/lua/lua_strict.h"
#include "script/sweep_parts.h"

#include <stdio.h>
#include <string.h>

#define SET_MAX 64

int rft_api_variant(lua_State *lua) {
    rft_at at = {NULL, "variant", 0};
    const char *name = rft_read_text(lua, 1, &at);
    *(const char **)rft_tag_new(lua, RFT_TAG_VARIANT, sizeof(name), 0) =
        rft_arena_strdup(rft_lua_script(lua)->arena, name);
    return 1;
}

/* ---- kernel{} ---- */

/* "FILE.cu:NAME" on top; without ":NAME" where that may be. */
static void read_name(lua_State *lua, const rft_at *at, rft_kernel_facts *kernel, bool may_lack_name) {
    rft_reference_facts *facts = &kernel->check.reference;
    rft_arena *arena = rft_lua_script(lua)->arena;
    const char *text = rft_read_text(lua, -1, at);
    const char *colon = NULL;
    for (const char *c = text + strlen(text); c > text && !colon; c--) { /* the last one that is not part of a :: */
        colon = *c == ':' && c[-1] != ':' && c[1] != ':' ? c : NULL;
    }
    if (colon ? colon == text || colon[1] == '\0' : !may_lack_name || !*text) {
        rft_read_fail(lua, at, "reference = \"saxpy.cu:saxpy_reference\", or variant \"NAME\" of the sweep",
                      "expected \"FILE.cu:NAME\", got \"%.80s\"", text);
    }
    facts->name = colon ? rft_arena_strdup(arena, colon + 1) : NULL;
    facts->source =
        rft_kernel_source_path(lua, at, kernel, colon ? rft_arena_strndup(arena, text, (size_t)(colon - text)) : text);
    if (rft_source_is_given(facts->source)) {
        rft_given_hash(lua, at, facts->source);
    }
}

/* A reference to table[key], LUA_NOREF where it is not there. */
static int read_ref(lua_State *lua, const rft_at *root, const char *key, bool is_function) {
    rft_at at = {root, key, 0};
    if (!rft_read_field(lua, -1, key)) {
        lua_pop(lua, 1);
        return LUA_NOREF;
    }
    if (is_function) {
        rft_read_function(lua, -1, &at);
    }
    return luaL_ref(lua, LUA_REGISTRYINDEX);
}

static void refuse_beside(lua_State *lua, const rft_at *root, const char *const *keys, size_t count, const char *beside,
                          const char *remedy) {
    for (size_t i = 0; i < count; i++) {
        rft_at at = {root, keys[i], 0};
        if (rft_read_field(lua, -1, keys[i])) {
            rft_read_fail(lua, &at, remedy, "does not go with %s", beside);
        }
        lua_pop(lua, 1);
    }
}

static void read_set(lua_State *lua, const rft_at *root, rft_reference_facts *facts) {
    rft_at at = {root, "set", 0};
    rft_arena *arena = rft_lua_script(lua)->arena;
    const char *keys[SET_MAX];
    if (!rft_read_field(lua, -1, "set")) {
        lua_pop(lua, 1);
        return;
    }
    rft_read_table(lua, -1, &at);
    facts->set_count = rft_read_sorted_keys(lua, -1, keys, SET_MAX);
    facts->set_names = rft_arena_calloc(arena, facts->set_count + 1, sizeof(*facts->set_names));
    facts->set_values = rft_arena_calloc(arena, facts->set_count + 1, sizeof(*facts->set_values));
    for (size_t i = 0; i < facts->set_count; i++) {
        rft_at here = {&at, keys[i], 0};
        bool is_ctype = false;
        rft_read_field(lua, -1, keys[i]);
        facts->set_names[i] = rft_arena_strdup(arena, keys[i]);
        facts->set_values[i] = rft_read_value(lua, -1, &here, arena, &is_ctype);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

static bool read_variant(lua_State *lua, rft_reference_facts *facts) {
    const char *const *name = luaL_testudata(lua, -1, RFT_TAG_VARIANT);
    facts->variant = name ? *name : NULL;
    return name != NULL;
}

/* { "FILE.cu:NAME", grid = ... } or { variant "NAME", set = ... } on top. */
static void read_table(lua_State *lua, const rft_at *at, rft_kernel_facts *kernel) {
    static const char *const of_kernel[] = {"grid", "block", "shared", "launch", "buffers"};
    static const char *const of_variant[] = {"set"};
    static const char *const extents[] = {"grid", "block", "shared"};
    rft_reference_facts *facts = &kernel->check.reference;
    rft_at first = {at, NULL, 1};
    rft_read_keys(lua, -1, at, RFT_KEYS_REFERENCE, 1);
    lua_rawgeti(lua, -1, 1);
    bool is_variant = read_variant(lua, facts);
    lua_pop(lua, 1);
    if (is_variant) {
        refuse_beside(lua, at, of_kernel, 5, "a variant",
                      "a variant brings its own launches; set = { ... } is all it takes");
        read_set(lua, at, facts);
        return;
    }
    refuse_beside(lua, at, of_variant, 1, "a reference kernel",
                  "it is for reference = { variant \"NAME\", set = { ... } }");
    facts->launch_ref = read_ref(lua, at, "launch", true);
    facts->buffers_ref = read_ref(lua, at, "buffers", true);
    lua_rawgeti(lua, -1, 1);
    read_name(lua, &first, kernel, facts->launch_ref != LUA_NOREF);
    lua_pop(lua, 1);
    if (facts->launch_ref != LUA_NOREF) {
        refuse_beside(lua, at, extents, 3, "launch", "each launch has its own grid, block and shared");
    } else if (facts->buffers_ref != LUA_NOREF) {
        rft_at buffers = {at, "buffers", 0};
        rft_read_fail(lua, &buffers, "add launch = function(p, c, gpu, b), whose args name them",
                      "a reference's own buffers are for its launches");
    }
    facts->grid_ref = read_ref(lua, at, "grid", false);
    facts->block_ref = read_ref(lua, at, "block", false);
    facts->shared_ref = read_ref(lua, at, "shared", false);
}

void rft_reference_read(lua_State *lua, const rft_at *check, int table, rft_kernel_facts *kernel) {
    rft_at at = {check, "reference", 0};
    rft_reference_facts *facts = &kernel->check.reference;
    *facts = (rft_reference_facts){.grid_ref = LUA_NOREF,
                                   .block_ref = LUA_NOREF,
                                   .shared_ref = LUA_NOREF,
                                   .launch_ref = LUA_NOREF,
                                   .buffers_ref = LUA_NOREF};
    if (!rft_read_field(lua, table, "reference")) {
        rft_read_fail(lua, check, "reference = \"FILE.cu:NAME\": no point is timed that was not verified",
                      "the key \"reference\" is missing");
    }
    if (lua_istable(lua, -1)) {
        read_table(lua, &at, kernel);
    } else if (!read_variant(lua, facts)) {
        read_name(lua, &at, kernel, false);
    }
    lua_pop(lua, 1);
}

/* ---- sweep{} ---- */

static size_t find_variant(lua_State *lua, const rft_sweep_state *state, const rft_at *at, const char *name) {
    const rft_sweep *sweep = &state->sweep;
    const char **names = rft_arena_calloc(state->script->arena, sweep->variant_count + 1, sizeof(*names));
    for (size_t v = 0; v < sweep->variant_count; v++) {
        names[v] = sweep->variants[v].name;
        if (strcmp(names[v], name) == 0) {
            return v;
        }
    }
    char hint[120], known[300];
    rft_read_hint(hint, sizeof(hint), name, names, sweep->variant_count);
    rft_read_fail(lua, at, rft_read_known(known, sizeof(known), names, sweep->variant_count),
                  "the sweep has no variant \"%.60s\"%s", name, hint);
}

static void apply_set(lua_State *lua, const rft_sweep_state *state, const rft_at *at, const rft_variant *of,
                      const rft_reference_facts *facts, rft_value *config) {
    rft_at set = {at, "set", 0};
    for (size_t i = 0; i < facts->set_count; i++) {
        rft_at here = {&set, facts->set_names[i], 0};
        const char **names = rft_arena_calloc(state->script->arena, of->param_count + 1, sizeof(*names));
        size_t p = 0;
        for (size_t k = 0; k < of->param_count; k++) {
            names[k] = of->params[k].name;
        }
        while (p < of->param_count && strcmp(names[p], facts->set_names[i]) != 0) {
            p++;
        }
        if (p == of->param_count) {
            char hint[120], known[300];
            rft_read_hint(hint, sizeof(hint), facts->set_names[i], names, of->param_count);
            rft_read_fail(lua, &here, rft_read_known(known, sizeof(known), names, of->param_count),
                          "variant \"%.60s\" has no such parameter%s", of->name, hint);
        }
        if (rft_param_find(&of->params[p], &facts->set_values[i]) == of->params[p].value_count) {
            rft_read_fail(lua, &here, "give one of those that `tune` tries for it",
                          "the sweep has no such value for it");
        }
        config[p] = facts->set_values[i];
    }
}

/* What a variant is compared with may be compared with a kernel, or be the truth itself: no circle is possible. */
static void refuse_circle(lua_State *lua, const rft_sweep_state *state, const rft_at *at, size_t named) {
    const char *of_named = state->states[named].kernel->check.reference.variant;
    const char *name = state->sweep.variants[named].name;
    if (of_named && strcmp(of_named, name) != 0) {
        rft_read_fail(lua, at,
                      "give that one reference = \"FILE.cu:NAME\", or its own name: then it is the truth, unverified",
                      "variant \"%.60s\" is itself compared with variant \"%.60s\"", name, of_named);
    }
}

/* "variant naive (BLOCK=256)" */
static const char *tell_variant(const rft_variant *of, const rft_value *config, rft_arena *arena) {
    const char **names = rft_arena_calloc(arena, of->param_count + 1, sizeof(*names));
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < of->param_count; i++) {
        names[i] = of->params[i].name;
    }
    rft_values_format(&text, names, config, of->param_count);
    const char *told = rft_arena_printf(arena, "variant %s%s%s%s", of->name, of->param_count ? " (" : "",
                                        rft_str_get(&text), of->param_count ? ")" : "");
    rft_str_clear(&text);
    return told;
}

void rft_reference_resolve(lua_State *lua, rft_sweep_state *state, size_t v) {
    rft_script *script = rft_lua_script(lua);
    rft_at check = {NULL, "check", 0}, at = {&check, "reference", 0};
    rft_variant_state *own = &state->states[v];
    const rft_reference_facts *facts = own->kernel ? &own->kernel->check.reference : NULL;
    if (!facts || !facts->variant) {
        return;
    }
    snprintf(script->where, sizeof(script->where), "%s", own->kernel->place);
    size_t named = find_variant(lua, state, &at, facts->variant);
    if (state->states[named].kernel->vendor) {
        rft_read_fail(lua, &at, "name a variant with a kernel; cuBLASLt is compared as a baseline",
                      "variant \"%.60s\" is a library's", facts->variant);
    }
    refuse_circle(lua, state, &at, named);
    const rft_variant *of = &state->sweep.variants[named];
    own->reference = named;
    own->reference_config = rft_values_copy(script->arena, state->states[named].base_config, of->param_count);
    apply_set(lua, state, &at, of, facts, own->reference_config);
    if (state->states[named].kernel->check.reference.variant) { /* its own name, see refuse_circle() */
        state->sweep.variants[v].unverified_reference = tell_variant(of, own->reference_config, script->arena);
    }
}

/* ---- a point: the reference kernel ---- */

static void make_unit(const rft_point_reader *reader, rft_unit_spec *unit) {
    rft_arena *arena = reader->call->arena;
    const rft_sweep *sweep = reader->sweep;
    const rft_check_facts *facts = &reader->kernel->check;
    unit->source = rft_arena_strdup(arena, facts->reference.source);
    rft_option_list list = {.room = facts->option_count + sweep->axis_count};
    for (size_t i = 0; i < sweep->axis_count; i++) {
        list.room += reader->call->state->axis_alternatives[i].count;
    }
    list.items = rft_arena_calloc(arena, list.room + 1, sizeof(*list.items));
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (reader->kernel->axis_compiled[i] && strlen(sweep->axes[i].name) > 1) {
            rft_options_add_macros(arena, &list, sweep->axes[i].name, &reader->call->problem[i],
                                   &reader->call->state->axis_alternatives[i], true);
        }
    }
    for (size_t i = 0; i < facts->option_count; i++) {
        rft_options_add(&list, rft_arena_strdup(arena, facts->options[i]));
    }
    unit->options = list.items;
    unit->option_count = list.count;
}

/* A text reaches the reference as its number, like the macro. A macro of one letter would break headers: such a
 * dimension is an argument alone. */
static rft_reference_dims dims_of(const rft_point_reader *reader) {
    const rft_sweep *sweep = reader->sweep;
    const rft_point_call *call = reader->call;
    rft_value *values = rft_values_copy(call->arena, call->problem, sweep->axis_count);
    bool *is_macro = rft_arena_calloc(call->arena, sweep->axis_count + 1, sizeof(bool));
    const char **names = rft_arena_calloc(call->arena, sweep->axis_count + 1, sizeof(*names));
    for (size_t i = 0; i < sweep->axis_count; i++) {
        is_macro[i] = reader->kernel->axis_compiled[i] && strlen(sweep->axes[i].name) > 1;
        names[i] = is_macro[i] ? NULL : sweep->axes[i].name;
        if (values[i].kind == RFT_VALUE_TEXT) {
            values[i] =
                rft_value_int((int64_t)rft_alternative_number(&call->state->axis_alternatives[i], values[i].as.text));
        }
    }
    return (rft_reference_dims){values, is_macro, names, sweep->axis_count};
}

static void add_buffers(const rft_point_reader *reader, rft_point_spec *reference) {
    lua_State *lua = reader->lua;
    int ref = reader->kernel->check.reference.buffers_ref;
    size_t count = 0;
    if (ref == LUA_NOREF) {
        return;
    }
    rft_lua_push_function(lua, ref);
    lua_pushvalue(lua, reader->p);
    lua_call(lua, 1, 1);
    const rft_buffer *own = rft_point_read_buffers(reader, "check.reference.buffers", &count);
    for (size_t i = 0; i < count; i++) {
        rft_at root = {NULL, "check.reference.buffers", 0}, at = {&root, own[i].name, 0};
        if (own[i].role != RFT_BUFFER_TEMP) {
            rft_read_fail(lua, &at, "inputs and outputs are the kernel's: b has them, too",
                          "a reference's own buffers are temp(...)");
        }
        for (size_t k = 0; k < reference->buffer_count; k++) {
            if (strcmp(reference->buffers[k].name, own[i].name) == 0) {
                rft_read_fail(lua, &at, "give it another name", "the kernel has a buffer of this name");
            }
        }
        if (reference->buffer_count == RFT_BUFFERS_MAX) {
            rft_read_fail(lua, &root, NULL, "too many buffers");
        }
        reference->buffers[reference->buffer_count++] = own[i];
    }
}

/* table[key] = the value, or what the function makes of p. */
static void set_extent(const rft_point_reader *reader, const char *key, int ref) {
    lua_State *lua = reader->lua;
    if (ref == LUA_NOREF) {
        return;
    }
    lua_rawgeti(lua, LUA_REGISTRYINDEX, ref);
    if (lua_isfunction(lua, -1)) {
        lua_pop(lua, 1);
        rft_lua_push_function(lua, ref);
        lua_pushvalue(lua, reader->p);
        lua_call(lua, 1, 1);
    }
    lua_setfield(lua, -2, key);
}

/* One launch, as a table on top. */
static void push_launch(const rft_point_reader *reader) {
    const rft_reference_facts *facts = &reader->kernel->check.reference;
    lua_State *lua = reader->lua;
    lua_createtable(lua, 0, 3);
    lua_pushinteger(lua, 1);
    lua_setfield(lua, -2, "grid");
    lua_pushinteger(lua, RFT_REFERENCE_BLOCK);
    lua_setfield(lua, -2, "block");
    set_extent(reader, "grid", facts->grid_ref);
    set_extent(reader, "block", facts->block_ref);
    set_extent(reader, "shared", facts->shared_ref);
}

/* What launch() returned on top: b is the reference's. */
static void push_launches(const rft_point_reader *reader, const rft_point_spec *reference) {
    lua_State *lua = reader->lua;
    rft_point_push_handles(lua, reference->buffers, reference->buffer_count);
    int handles = lua_gettop(lua);
    rft_lua_push_function(lua, reader->kernel->check.reference.launch_ref);
    lua_pushvalue(lua, reader->p);
    lua_newtable(lua);
    rft_strict_wrap(lua, "c");
    lua_pushvalue(lua, reader->gpu);
    lua_pushvalue(lua, handles);
    lua_call(lua, 4, 1);
}

static void read_launches(const rft_point_reader *reader, rft_point_spec *reference) {
    const rft_reference_facts *facts = &reader->kernel->check.reference;
    lua_State *lua = reader->lua;
    rft_arena *arena = reader->call->arena;
    rft_launch_reader launches = {.call = reader->call,
                                  .buffers = reference->buffers,
                                  .buffer_count = reference->buffer_count,
                                  .entry = facts->name,
                                  .of_reference = true};
    rft_reference_dims dims = dims_of(reader);
    launches.names = rft_arena_calloc(arena, RFT_ENTRIES_MAX, sizeof(*launches.names));
    if (facts->launch_ref != LUA_NOREF) {
        push_launches(reader, reference);
    } else {
        push_launch(reader);
    }
    reference->launches = rft_launches_read(lua, "check.reference", &launches, &reference->launch_count);
    if (launches.name_count == 0) {
        rft_at root = {NULL, "check.reference", 0};
        rft_read_fail(lua, &root, NULL, "no kernel is launched");
    }
    for (size_t i = 0; i < reference->launch_count; i++) {
        rft_launch *launch = &reference->launches[i];
        if (launch->kind == RFT_LAUNCH_KERNEL && !launch->args) {
            rft_reference_spec_args(reference, &dims, launch, arena);
        }
        if (facts->launch_ref == LUA_NOREF && facts->grid_ref == LUA_NOREF) {
            launch->grid[0] =
                rft_reference_spec_blocks(reference, launch->block[0] * launch->block[1] * launch->block[2]);
        }
    }
    reference->unit.names = launches.names;
    reference->unit.name_count = launches.name_count;
}

static rft_point_spec *spell_kernel(const rft_point_reader *reader) {
    const rft_reference_facts *facts = &reader->kernel->check.reference;
    rft_script *script = rft_lua_script(reader->lua);
    const char *told = rft_arena_printf(reader->call->arena, "%s%s%s", rft_fs_name(facts->source),
                                        facts->name ? ":" : "", facts->name ? facts->name : "");
    rft_point_spec *reference = rft_reference_spec_new(reader->spec, told, reader->call->arena);
    snprintf(script->where, sizeof(script->where), "%s", reader->kernel->place);
    make_unit(reader, &reference->unit);
    add_buffers(reader, reference);
    read_launches(reader, reference);
    return reference;
}

/* ---- a point: a variant as the reference ---- */

/* Both get the same inputs, and write the same outputs. */
static void check_buffers(const rft_point_reader *reader, const rft_point_spec *reference, const char *told) {
    const rft_point_spec *sides[2] = {reader->spec, reference};
    for (size_t s = 0; s < 2; s++) {
        const rft_point_spec *mine = sides[s], *other = sides[1 - s];
        for (size_t i = 0; i < mine->buffer_count; i++) {
            bool found = mine->buffers[i].role == RFT_BUFFER_TEMP;
            for (size_t k = 0; k < other->buffer_count && !found; k++) {
                found = strcmp(mine->buffers[i].name, other->buffers[k].name) == 0 &&
                        rft_point_same_buffer(&mine->buffers[i], &other->buffers[k]);
            }
            found = found || (s == 0 && mine->buffers[i].role == RFT_BUFFER_CONSTANT);
            if (!found) {
                rft_at root = {NULL, "check", 0}, at = {&root, "reference", 0};
                rft_read_fail(reader->lua, &at, "give both the same inputs and outputs: name, type, size and contents",
                              "%.200s, the reference, has another buffer %s", told, mine->buffers[i].name);
            }
        }
    }
}

static rft_point_spec *spell_variant(const rft_point_reader *reader) {
    rft_script *script = rft_lua_script(reader->lua);
    rft_point_spec *reference = rft_arena_calloc(reader->call->arena, 1, sizeof(*reference));
    rft_point_call call = *reader->call;
    rft_at root = {NULL, "check", 0}, at = {&root, "reference", 0};
    call.variant = reader->state->reference;
    call.config = reader->state->reference_config;
    call.out = reference;
    call.baseline = NULL;
    call.is_reference = true;
    const char *told = tell_variant(&reader->sweep->variants[call.variant], call.config, call.arena);
    const char *against = rft_constraint_against(reader->lua, &call);
    snprintf(script->where, sizeof(script->where), "%s", reader->kernel->place);
    if (against) {
        rft_read_fail(reader->lua, &at, "set = { ... } to values that every problem allows, or odd = false",
                      "%.200s, the reference, is left out for this problem by %.200s", told, against);
    }
    rft_point_spell_call(reader->lua, &call);
    snprintf(script->where, sizeof(script->where), "%s", reader->kernel->place);
    check_buffers(reader, reference, told);
    for (size_t i = 0; i < reference->buffer_count; i++) {
        reference->buffers[i].fill = (rft_fill){.kind = RFT_FILL_NONE}; /* the point's are filled */
    }
    reference->told = told;
    reference->is_variant = true;
    return reference;
}

/* A variant that is a reference is compared with a kernel, or is the truth. */
rft_point_spec *rft_reference_spell(const rft_point_reader *reader) {
    if (!reader->kernel->check.reference.variant) {
        return spell_kernel(reader);
    }
    return reader->call->is_reference ? NULL : spell_variant(reader);
}
