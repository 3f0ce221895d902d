/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_tune.c - tune: the values of every parameter. Also the reading of values() for axes. */
#include "base/str.h"
#include "script/sweep_parts.h"

#include <ctype.h>
#include <string.h>

#define TUNE_MAX 256
#define TEXTS_MAX 256

/* ---- values() ---- */

int rft_values_refine_depth(lua_State *lua, int index) {
    const rft_values_tag *tag = luaL_testudata(lua, index, RFT_TAG_VALUES);
    return tag ? tag->refine_depth : 0;
}

static int value_family(const rft_value *value) {
    return value->kind == RFT_VALUE_REAL ? RFT_VALUE_INT : (int)value->kind;
}

/* Where the value is in a table of positions + 1, or would be. */
static uint32_t *find_value(uint32_t *seen, size_t room, const rft_value *values, const rft_value *value) {
    const char *text = value->kind == RFT_VALUE_TEXT ? value->as.text : NULL;
    uint64_t hash = text ? rft_hash_fnv1a(text, strlen(text)) : rft_hash_fnv1a(&value->as, sizeof(value->as));
    size_t at = (size_t)hash & (room - 1);
    while (seen[at] && !rft_value_equal(&values[seen[at] - 1], value)) {
        at = (at + 1) & (room - 1);
    }
    return &seen[at];
}

rft_value *rft_values_read(lua_State *lua, int index, const rft_at *at, size_t *count, bool *is_ctype) {
    rft_arena *arena = rft_lua_script(lua)->arena;
    lua_getiuservalue(lua, index, 1);
    size_t length = lua_rawlen(lua, -1);
    if (length == 0) {
        rft_read_fail_code(lua, at, RFT_E_SPACE, "give at least one value", "the list of values is empty");
    }
    rft_value *values = rft_arena_calloc(arena, length, sizeof(*values));
    lua_rawgeti(lua, -1, 1);
    if (length > TEXTS_MAX && lua_type(lua, -1) != LUA_TNUMBER) {
        rft_read_fail(lua, at, NULL, "more than %d texts", TEXTS_MAX);
    }
    lua_pop(lua, 1);
    size_t room = 16;
    while (room < 2 * length) {
        room *= 2;
    }
    uint32_t *seen = rft_arena_calloc(arena, room, sizeof(*seen));
    for (size_t i = 0; i < length; i++) {
        rft_at here = {at, NULL, (lua_Integer)i + 1};
        bool ctype = false;
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        values[i] = rft_read_value(lua, -1, &here, arena, &ctype);
        lua_pop(lua, 1);
        if (i > 0 && (value_family(&values[i]) != value_family(&values[0]) || ctype != *is_ctype)) {
            char unquoted[80];
            lua_rawgeti(lua, -1, values[i].kind == RFT_VALUE_TEXT ? (lua_Integer)i + 1 : 1);
            rft_read_fail(lua, &here, rft_read_unquoted(lua, -1, unquoted, sizeof(unquoted)),
                          "numbers, booleans, texts and ctypes cannot be mixed in one list");
        }
        *is_ctype = ctype;
        uint32_t *place = find_value(seen, room, values, &values[i]);
        if (*place) {
            rft_read_fail(lua, &here, "leave one of the two out", "the value is there twice");
        }
        *place = (uint32_t)i + 1;
    }
    lua_pop(lua, 1);
    *count = length;
    return values;
}

rft_alternatives rft_alternatives_of(lua_State *lua, const rft_at *at, const rft_value *values, size_t count,
                                     bool is_ctype) {
    rft_alternatives found = {.is_ctype = is_ctype};
    if (count == 0 || values[0].kind != RFT_VALUE_TEXT) {
        return found;
    }
    found.texts = rft_arena_calloc(rft_lua_script(lua)->arena, count, sizeof(*found.texts));
    for (size_t i = 0; i < count; i++) {
        const char *text = values[i].as.text;
        bool word = text[0] != '\0';
        for (const char *c = text; *c; c++) {
            word = word && (isalnum((unsigned char)*c) || *c == '_');
        }
        if (!word && !is_ctype) {
            rft_read_fail(lua, at, "for a C++ type write ctype \"unsigned int\"",
                          "\"%.60s\" becomes part of a macro's name: letters, digits and _ only", text);
        }
        found.texts[found.count++] = text;
    }
    return found;
}

/* ---- tune ---- */

/* Keys of the table on top, into room for TUNE_MAX. */
static size_t sorted_keys(lua_State *lua, const rft_at *at, const char **keys) {
    size_t count = rft_read_sorted_keys(lua, -1, keys, TUNE_MAX);
    if (count == TUNE_MAX) {
        rft_read_fail(lua, at, NULL, "too many keys, at most %d are allowed", TUNE_MAX - 1);
    }
    return count;
}

static size_t find_param(const rft_variant *variant, const char *name) {
    size_t param = 0;
    while (param < variant->param_count && strcmp(variant->params[param].name, name) != 0) {
        param++;
    }
    return param;
}

/* The values on top, or one value: `VEC = 4` fixes it. */
static rft_value *read_tuned(lua_State *lua, const rft_at *at, size_t *count, bool *is_ctype) {
    if (luaL_testudata(lua, -1, RFT_TAG_VALUES)) {
        if (rft_values_refine_depth(lua, -1) > 0) {
            rft_read_fail(lua, at, "give a parameter all its values: values(...)",
                          "refine() is for the dimensions in over, not for parameters");
        }
        return rft_values_read(lua, -1, at, count, is_ctype);
    }
    if (lua_istable(lua, -1) || lua_isfunction(lua, -1)) {
        char got[120];
        rft_read_describe(lua, -1, got, sizeof(got));
        rft_read_fail(lua, at, "write values(1, 2, 4) in place of { 1, 2, 4 }",
                      "expected values(...), range(...), pow2_values(...) or one value, got %s", got);
    }
    rft_value *value = rft_arena_alloc(rft_lua_script(lua)->arena, sizeof(*value));
    *value = rft_read_value(lua, -1, at, rft_lua_script(lua)->arena, is_ctype);
    *count = 1;
    return value;
}

/* `of_ctype`: the parameter's default is a type. */
static const char *other_kind_remedy(const rft_param *param, bool of_ctype, rft_arena *arena) {
    double number;
    bool text = param->values[0].kind == RFT_VALUE_TEXT, of_text = param->default_value.kind == RFT_VALUE_TEXT;
    const char *first = text ? param->values[0].as.text : "";
    if (text && !of_text && rft_text_to_double(first, &number)) {
        return rft_arena_printf(arena, "drop the quotes: %.40s", first);
    }
    if (text && !of_text && first[strspn(first, "0123456789., ")] == '\0') {
        return rft_arena_printf(arena, "without quotes, as a list: values(%.60s)", first);
    }
    if (text && of_ctype) {
        return rft_arena_printf(arena, "a type is written ctype \"%.40s\"", first);
    }
    return "give the default in the kernel's params the same kind";
}

static void tune_param(lua_State *lua, const rft_at *at, rft_variant *variant, rft_variant_state *state, size_t index) {
    rft_param *param = &variant->params[index];
    bool is_ctype = false;
    param->values = read_tuned(lua, at, &param->value_count, &is_ctype);
    bool text = param->values[0].kind == RFT_VALUE_TEXT;
    if (text != (param->default_value.kind == RFT_VALUE_TEXT) ||
        (text && is_ctype != state->alternatives[index].is_ctype)) {
        rft_read_fail(lua, at,
                      other_kind_remedy(param, state->alternatives[index].is_ctype, rft_lua_script(lua)->arena),
                      "the values are of another kind than the parameter's default");
    }
}

/* Applies the table on top to every variant that has the parameter. */
static void apply_tune(lua_State *lua, const rft_at *at, rft_sweep_state *state, size_t first, size_t last) {
    const char *keys[TUNE_MAX], *known[TUNE_MAX];
    rft_read_table(lua, -1, at);
    if (lua_rawlen(lua, -1) > 0) {
        rft_read_fail(lua, at, NULL, "expected PARAMETER = values(...), got a list");
    }
    size_t count = sorted_keys(lua, at, keys);
    for (size_t i = 0; i < count; i++) {
        rft_at here = {at, keys[i], 0};
        size_t hits = 0, known_count = 0;
        rft_read_field(lua, -1, keys[i]);
        for (size_t v = first; v < last; v++) {
            rft_variant *variant = &state->sweep.variants[v];
            size_t param = find_param(variant, keys[i]);
            for (size_t p = 0; p < variant->param_count && known_count < TUNE_MAX; p++) {
                known[known_count++] = variant->params[p].name;
            }
            if (param < variant->param_count) {
                tune_param(lua, &here, variant, &state->states[v], param);
                hits++;
            }
        }
        if (hits == 0 && last - first == 1 && rft_variant_is_given(&state->sweep.variants[first])) {
            rft_read_fail(lua, &here, "leave it out; several builds of a kernel are several variants",
                          "the kernel is given compiled: it has no parameters");
        }
        if (hits == 0) {
            char hint[120], names[400], remedy[600];
            rft_read_hint(hint, sizeof(hint), keys[i], known, known_count);
            rft_read_known(names, sizeof(names), known, known_count);
            snprintf(remedy, sizeof(remedy), "name it in the kernel's params: { \"%.60s\", DEFAULT, \"help\" }%s%s",
                     keys[i], known_count ? "; " : "", known_count ? names : "");
            rft_read_fail(lua, &here, *hint ? names : remedy, "the kernel has no such parameter%s", hint);
        }
        lua_pop(lua, 1);
    }
}

static void finish_variant(lua_State *lua, rft_sweep_state *state, size_t v) {
    rft_variant *variant = &state->sweep.variants[v];
    rft_variant_state *own = &state->states[v];
    rft_arena *arena = state->script->arena;
    own->base_config = rft_arena_calloc(arena, variant->param_count + 1, sizeof(rft_value));
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_param *param = &variant->params[i];
        rft_at root = {NULL, "params", 0};
        rft_at at = {&root, param->name, 0};
        bool listed = false;
        for (size_t k = 0; k < param->value_count; k++) {
            listed = listed || rft_value_equal(&param->values[k], &param->default_value);
        }
        own->base_config[i] = listed ? param->default_value : param->values[0];
        rft_value *all = rft_arena_calloc(arena, param->value_count + 1, sizeof(*all));
        memcpy(all, param->values, param->value_count * sizeof(*all));
        all[param->value_count] = param->default_value;
        own->alternatives[i] =
            rft_alternatives_of(lua, &at, all, param->value_count + !listed, own->alternatives[i].is_ctype);
    }
}

/* A sweep without a kernel: the parameters are what tune names, sorted, since a table has no order. */
static void read_bare(lua_State *lua, int table, rft_sweep_state *state) {
    rft_at root = {NULL, "sweep", 0};
    rft_at at = {&root, "tune", 0};
    rft_arena *arena = state->script->arena;
    const char *keys[TUNE_MAX];
    rft_variant *variant = &state->sweep.variants[0];
    rft_read_field(lua, table, "tune");
    rft_read_table(lua, -1, &at);
    size_t count = sorted_keys(lua, &at, keys);
    variant->params = rft_arena_calloc(arena, count + 1, sizeof(*variant->params));
    variant->param_count = count;
    state->states[0].alternatives = rft_arena_calloc(arena, count + 1, sizeof(rft_alternatives));
    for (size_t i = 0; i < count; i++) {
        rft_at here = {&at, keys[i], 0};
        rft_param *param = &variant->params[i];
        rft_read_field(lua, -1, keys[i]);
        lua_pushstring(lua, keys[i]);
        param->name = rft_arena_strdup(arena, rft_read_name(lua, -1, &here));
        lua_pop(lua, 1);
        param->help = "";
        param->values = read_tuned(lua, &here, &param->value_count, &state->states[0].alternatives[i].is_ctype);
        param->default_value = param->values[0];
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

static void copy_params(rft_sweep_state *state, size_t v) {
    rft_variant *variant = &state->sweep.variants[v];
    const rft_kernel_facts *kernel = state->states[v].kernel;
    rft_arena *arena = state->script->arena;
    variant->param_count = kernel->param_count;
    variant->params = rft_arena_calloc(arena, kernel->param_count + 1, sizeof(*variant->params));
    state->states[v].alternatives = rft_arena_calloc(arena, kernel->param_count + 1, sizeof(rft_alternatives));
    for (size_t i = 0; i < kernel->param_count; i++) {
        variant->params[i] = kernel->params[i];
        state->states[v].alternatives[i].is_ctype = kernel->param_is_ctype[i];
    }
}

void rft_tune_read(lua_State *lua, int table, rft_sweep_state *state) {
    rft_at root = {NULL, "sweep", 0};
    rft_at tune = {&root, "tune", 0}, variants = {&root, "variants", 0};
    if (state->sweep.bare_space) {
        read_bare(lua, table, state);
        finish_variant(lua, state, 0);
        return;
    }
    for (size_t v = 0; v < state->sweep.variant_count; v++) {
        copy_params(state, v);
    }
    if (rft_read_field(lua, table, "tune")) {
        apply_tune(lua, &tune, state, 0, state->sweep.variant_count);
    }
    bool several = rft_read_field(lua, table, "variants");
    for (size_t v = 0; v < state->sweep.variant_count; v++) {
        if (several) {
            rft_at each = {&variants, NULL, (lua_Integer)v + 1};
            rft_at own = {&each, "tune", 0};
            lua_rawgeti(lua, -1, (lua_Integer)v + 1);
            if (rft_read_field(lua, -1, "tune")) {
                apply_tune(lua, &own, state, v, v + 1);
            }
            lua_pop(lua, 2);
        }
        finish_variant(lua, state, v);
    }
    lua_pop(lua, 2);
}
