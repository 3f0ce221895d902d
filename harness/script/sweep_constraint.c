/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep_constraint.c - where: functions whose parameter names say what they need, texts in Lua syntax, and
 * { "A", "B", f }. Each becomes a function and the list of what it is called with.
 */
#include "script/lua/lua_modules.h"
#include "script/lua/lua_strict.h"
#include "script/lua/lua_ways.h"
#include "script/sweep_parts.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#define NAMES_MAX 64
#define WHERE_MAX 512

typedef struct where_item {
    const char *text;
    const char *names[NAMES_MAX];
    size_t name_count;
    int ref;              /* LUA_NOREF: a text, compiled once its names are known */
    const rft_expr *expr; /* of a text that is an expression of the subset; NULL */
    rft_at at;
} where_item;

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Past the quoted text or comment that begins at `at`, or `at` when there is none. */
static const char *skip_quoted(const char *at) {
    if (*at == '"' || *at == '\'') {
        char quote = *at++;
        while (*at && *at != quote) {
            at += *at == '\\' && at[1] ? 2 : 1;
        }
        return *at ? at + 1 : at;
    }
    if (at[0] == '-' && at[1] == '-') {
        return at + strcspn(at, "\n");
    }
    return at;
}

static bool find_needed(const rft_sweep *sweep, const rft_variant *variant, const char *name, rft_needed *out) {
    *out = (rft_needed){RFT_NEEDS_GPU, 0};
    if (strcmp(name, "gpu") == 0) {
        return true;
    }
    for (size_t i = 0; i < variant->param_count; i++) {
        if (strcmp(variant->params[i].name, name) == 0) {
            *out = (rft_needed){RFT_NEEDS_PARAM, i};
            return true;
        }
    }
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (strcmp(sweep->axes[i].name, name) == 0) {
            *out = (rft_needed){RFT_NEEDS_AXIS, i};
            return true;
        }
    }
    return false;
}

/* A global of the sandbox that no parameter or dimension hides (a dimension may be called s, like the second). */
static bool is_global(lua_State *lua, const rft_sweep *sweep, const char *name) {
    rft_needed needed;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        if (find_needed(sweep, &sweep->variants[v], name, &needed)) {
            return false;
        }
    }
    lua_getfield(lua, LUA_REGISTRYINDEX, RFT_KNOWN_GLOBALS);
    bool known = rft_read_field(lua, -1, name);
    lua_pop(lua, 2);
    return known;
}

/* The names a text uses: identifiers that are no keyword, no field and no global of the sandbox. (A text that declares
 * locals of its own is better written as a function: the name would be looked for among the parameters.) */
static void find_names(lua_State *lua, const rft_sweep *sweep, where_item *item) {
    rft_arena *arena = rft_lua_script(lua)->arena;
    const char *begin = item->text;
    char before = '\0', before2 = '\0';
    for (const char *at = begin; *at;) {
        const char *past = skip_quoted(at);
        if (past != at || !is_word(*at)) {
            if (past == at && !isspace((unsigned char)*at)) {
                before2 = before;
                before = *at;
            }
            at = past == at ? at + 1 : past;
            continue;
        }
        size_t length = 1;
        while (is_word(at[length]) || (isdigit((unsigned char)*at) && at[length] == '.' && at[length + 1] != '.')) {
            length++;
        }
        bool field = (before == '.' && before2 != '.') || before == ':';
        char *name = rft_arena_strndup(arena, at, length);
        bool known = isdigit((unsigned char)*at) || field || rft_keys_is_lua_word(name);
        for (size_t i = 0; i < item->name_count && !known; i++) {
            known = strcmp(item->names[i], name) == 0;
        }
        if (!known && !is_global(lua, sweep, name) && item->name_count < NAMES_MAX) {
            item->names[item->name_count++] = name;
        }
        before2 = before;
        before = 'a';
        at += length;
    }
}

/* `local A, B = ...; return TEXT`, or with the text as statements when it is no expression. */
static int compile_text(lua_State *lua, const where_item *item) {
    rft_arena *arena = rft_lua_script(lua)->arena;
    const char *locals = "";
    for (size_t i = 0; i < item->name_count; i++) {
        locals = rft_arena_printf(arena, "%s%s%s", locals, i ? ", " : "", item->names[i]);
    }
    const char *head = item->name_count ? rft_arena_printf(arena, "local %s = ...; ", locals) : "";
    const char *expression = rft_arena_printf(arena, "%sreturn %s\n", head, item->text);
    const char *body = rft_arena_printf(arena, "%s%s\n", head, item->text);
    char chunk[80];
    snprintf(chunk, sizeof(chunk), "=where \"%.50s\"", item->text);
    if (luaL_loadbufferx(lua, expression, strlen(expression), chunk, "t") != LUA_OK) {
        char message[300];
        snprintf(message, sizeof(message), "%.280s", lua_tostring(lua, -1));
        lua_pop(lua, 1);
        if (luaL_loadbufferx(lua, body, strlen(body), chunk, "t") != LUA_OK) {
            const char *reason = strstr(message, "\":"); /* behind the chunk's name and line */
            reason = reason ? strstr(reason, ": ") : NULL;
            const char *way = rft_ways_of_message(message, item->text);
            rft_read_fail(lua, &item->at, way ? way : "a constraint is an expression in Lua, like \"BM * BN <= 32768\"",
                          "not valid Lua: %s", reason ? reason + 2 : message);
        }
        if (!strstr(item->text, "return")) {
            rft_read_fail(lua, &item->at, "compare with ==: = sets a variable",
                          "\"%.80s\" is a statement, which is neither true nor false", item->text);
        }
    }
    return luaL_ref(lua, LUA_REGISTRYINDEX);
}

/* "gpu.sm_count" and the sandbox's own numbers ("KiB"). Reals without a fraction are left to Lua: an rft_value would
 * make integers of them, which divide differently. */
static bool find_constant(void *payload, const char *name, rft_value *out) {
    lua_State *lua = payload;
    bool found = false;
    int top = lua_gettop(lua);
    luaL_checkstack(lua, 8, NULL);
    if (strncmp(name, "gpu.", 4) == 0) {
        rft_push_gpu(lua);
        rft_strict_data(lua, -1);
        name += 4;
    } else {
        lua_getfield(lua, LUA_REGISTRYINDEX, RFT_KNOWN_GLOBALS);
    }
    lua_pushstring(lua, name);
    lua_rawget(lua, -2);
    if (lua_isinteger(lua, -1)) {
        *out = rft_value_int(lua_tointeger(lua, -1));
        found = true;
    } else if (lua_type(lua, -1) == LUA_TNUMBER) {
        *out = rft_value_real(lua_tonumber(lua, -1));
        found = out->kind == RFT_VALUE_REAL;
    } else if (lua_isboolean(lua, -1)) {
        *out = rft_value_bool(lua_toboolean(lua, -1));
        found = true;
    } else if (lua_type(lua, -1) == LUA_TSTRING) {
        *out = rft_value_text(rft_arena_strdup(rft_lua_script(lua)->arena, lua_tostring(lua, -1)));
        found = true;
    }
    lua_settop(lua, top);
    return found;
}

/* The same text for model/sweep/expr.h, which is faster; NULL when it is no expression of that subset. */
static const rft_expr *compile_expression(lua_State *lua, const where_item *item) {
    const char *names[NAMES_MAX];
    for (size_t i = 0; i < item->name_count; i++) {
        names[i] = strcmp(item->names[i], "gpu") == 0 ? "" : item->names[i]; /* a table: only its fields are values */
    }
    rft_expr_names known = {names, item->name_count, find_constant, lua};
    return rft_expr_parse(rft_lua_script(lua)->arena, item->text, &known);
}

/* Parameter names of the function on top. */
static void function_names(lua_State *lua, where_item *item) {
    lua_Debug record;
    lua_pushvalue(lua, -1);
    lua_getinfo(lua, ">Su", &record);
    if (record.isvararg) {
        rft_read_fail(lua, &item->at, "name what it needs, or write { \"A\", \"B\", f }",
                      "varargs (...) say nothing about what a constraint needs: its parameter names do");
    }
    for (int i = 1; i <= record.nparams && i <= NAMES_MAX; i++) {
        item->names[item->name_count++] = rft_arena_strdup(rft_lua_script(lua)->arena, lua_getlocal(lua, NULL, i));
    }
    item->text =
        rft_arena_printf(rft_lua_script(lua)->arena, "function at %s:%d", record.short_src, record.linedefined);
}

/* { "A", "B", f }: for functions a helper made, whose own parameter names say nothing. */
static void read_named(lua_State *lua, where_item *item) {
    lua_Integer length = rft_read_list(lua, -1, &item->at, NAMES_MAX + 1);
    if (length < 2) {
        rft_read_fail(lua, &item->at, NULL, "expected { \"A\", \"B\", function }");
    }
    const char *list = "";
    for (lua_Integer i = 1; i < length; i++) {
        rft_at here = {&item->at, NULL, i};
        lua_rawgeti(lua, -1, i);
        item->names[item->name_count] = rft_arena_strdup(rft_lua_script(lua)->arena, rft_read_name(lua, -1, &here));
        list = rft_arena_printf(rft_lua_script(lua)->arena, "%s%s%s", list, i > 1 ? ", " : "",
                                item->names[item->name_count]);
        item->name_count++;
        lua_pop(lua, 1);
    }
    rft_at here = {&item->at, NULL, length};
    char place[200];
    lua_rawgeti(lua, -1, length);
    rft_read_function(lua, -1, &here);
    lua_pushvalue(lua, -1);
    rft_lua_function_place(lua, place, sizeof(place));
    item->text = rft_arena_printf(rft_lua_script(lua)->arena, "function of %s at %s", list, place);
    item->ref = luaL_ref(lua, LUA_REGISTRYINDEX);
}

/* The constraint on top, which stays. */
static void read_item(lua_State *lua, const rft_sweep *sweep, where_item *item) {
    switch (lua_type(lua, -1)) {
    case LUA_TSTRING:
        item->text = rft_arena_strdup(rft_lua_script(lua)->arena, rft_read_text(lua, -1, &item->at));
        find_names(lua, sweep, item);
        item->ref = compile_text(lua, item);
        item->expr = compile_expression(lua, item);
        break;
    case LUA_TFUNCTION:
        rft_read_function(lua, -1, &item->at);
        function_names(lua, item);
        lua_pushvalue(lua, -1);
        item->ref = luaL_ref(lua, LUA_REGISTRYINDEX);
        break;
    case LUA_TTABLE:
        read_named(lua, item);
        break;
    default:
        rft_read_wrong(lua, -1, &item->at, "a function, text in Lua syntax or { \"A\", \"B\", f }");
    }
}

static void append_constraint(rft_sweep_state *state, size_t v, const where_item *item, const rft_needed *needs) {
    rft_variant *variant = &state->sweep.variants[v];
    rft_arena *arena = state->script->arena;
    rft_constraint *constraint = &variant->constraints[variant->constraint_count];
    rft_constraint_state *own = &state->states[v].constraints[variant->constraint_count++];
    constraint->text = item->text;
    constraint->params = rft_arena_calloc(arena, item->name_count + 1, sizeof(size_t));
    constraint->axes = rft_arena_calloc(arena, item->name_count + 1, sizeof(size_t));
    own->ref = item->ref;
    own->text = item->text;
    own->needs = rft_arena_memdup(arena, needs, sizeof(*needs) * (item->name_count + 1));
    own->need_count = item->name_count;
    constraint->expr = item->expr;
    constraint->slots = rft_arena_calloc(arena, item->name_count + 1, sizeof(rft_constraint_slot));
    constraint->slot_count = item->name_count;
    for (size_t i = 0; i < item->name_count; i++) {
        bool param = needs[i].kind == RFT_NEEDS_PARAM, axis = needs[i].kind == RFT_NEEDS_AXIS;
        constraint->slots[i].kind = param ? RFT_SLOT_PARAM : axis ? RFT_SLOT_AXIS : RFT_SLOT_UNUSED;
        constraint->slots[i].index = needs[i].index;
        if (needs[i].kind == RFT_NEEDS_PARAM) {
            constraint->params[constraint->param_count++] = needs[i].index;
        } else if (needs[i].kind == RFT_NEEDS_AXIS) {
            constraint->axes[constraint->axis_count++] = needs[i].index;
        }
    }
}

/* A name that no variant knows is a misspelling; names of different variants together fit nowhere. */
static _Noreturn void nothing_fits(lua_State *lua, const where_item *item, const rft_sweep_state *state, size_t first,
                                   size_t last) {
    const rft_sweep *sweep = &state->sweep;
    for (size_t n = 0; n < item->name_count; n++) {
        const char *known[512];
        size_t count = 0;
        bool found = false;
        rft_needed needed;
        for (size_t v = first; v < last; v++) {
            found = found || find_needed(sweep, &sweep->variants[v], item->names[n], &needed);
            for (size_t i = 0; i < sweep->variants[v].param_count && count < 400; i++) {
                known[count++] = sweep->variants[v].params[i].name;
            }
        }
        for (size_t i = 0; i < sweep->axis_count; i++) {
            known[count++] = sweep->axes[i].name;
        }
        known[count++] = "gpu";
        if (!found) {
            char hint[120], names[400];
            bool bare = strcmp(item->names[n], "c") == 0 || strcmp(item->names[n], "p") == 0;
            const char *way = rft_ways_of_name(item->names[n]);
            rft_read_hint(hint, sizeof(hint), item->names[n], known, count);
            rft_read_fail(lua, &item->at,
                          bare  ? "a constraint names parameters and dimensions themselves: VEC, n; no c. or p."
                          : way ? way
                                : rft_read_known(names, sizeof(names), known, count),
                          "no parameter or dimension is named \"%.60s\"%s", item->names[n], hint);
        }
    }
    rft_read_fail(lua, &item->at, "split it, or put it into the variant's own where",
                  "the constraint names parameters of different variants");
}

/* Adds one constraint to every variant in [first, last) that has all it names. */
static void distribute(lua_State *lua, rft_sweep_state *state, const where_item *item, size_t first, size_t last) {
    size_t hits = 0;
    for (size_t v = first; v < last; v++) {
        rft_needed needs[NAMES_MAX + 1];
        bool fits = true;
        memset(needs, 0, sizeof(needs));
        for (size_t n = 0; n < item->name_count && fits; n++) {
            fits = find_needed(&state->sweep, &state->sweep.variants[v], item->names[n], &needs[n]);
        }
        if (fits) {
            append_constraint(state, v, item, needs);
            hits++;
        }
    }
    if (hits == 0) {
        nothing_fits(lua, item, state, first, last);
    }
}

/* The list on top. */
static void read_where(lua_State *lua, const rft_at *at, rft_sweep_state *state, size_t first, size_t last) {
    lua_Integer count = rft_read_list(lua, -1, at, WHERE_MAX);
    for (lua_Integer i = 1; i <= count; i++) {
        where_item item = {.ref = LUA_NOREF, .at = {at, NULL, i}};
        lua_rawgeti(lua, -1, i);
        read_item(lua, &state->sweep, &item);
        lua_pop(lua, 1);
        distribute(lua, state, &item, first, last);
    }
}

static size_t list_length(lua_State *lua, int index, const rft_at *at) {
    size_t length = 0;
    if (rft_read_field(lua, index, "where")) {
        length = (size_t)rft_read_list(lua, -1, at, WHERE_MAX);
    }
    lua_pop(lua, 1);
    return length;
}

void rft_constraints_read(lua_State *lua, int table, rft_sweep_state *state) {
    rft_at root = {NULL, "sweep", 0};
    rft_at where = {&root, "where", 0}, variants = {&root, "variants", 0};
    rft_sweep *sweep = &state->sweep;
    size_t shared = list_length(lua, table, &where);
    bool several = rft_read_field(lua, table, "variants");
    int list = lua_gettop(lua);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        rft_at each = {&variants, NULL, (lua_Integer)v + 1};
        rft_at own = {&each, "where", 0};
        size_t room = shared + 1;
        if (several) {
            lua_rawgeti(lua, list, (lua_Integer)v + 1);
            room += list_length(lua, -1, &own);
            lua_pop(lua, 1);
        }
        sweep->variants[v].constraints = rft_arena_calloc(state->script->arena, room, sizeof(rft_constraint));
        state->states[v].constraints = rft_arena_calloc(state->script->arena, room, sizeof(rft_constraint_state));
    }
    if (rft_read_field(lua, table, "where")) {
        read_where(lua, &where, state, 0, sweep->variant_count);
    }
    for (size_t v = 0; several && v < sweep->variant_count; v++) {
        rft_at each = {&variants, NULL, (lua_Integer)v + 1};
        rft_at own = {&each, "where", 0};
        lua_rawgeti(lua, list, (lua_Integer)v + 1);
        if (rft_read_field(lua, -1, "where")) {
            read_where(lua, &own, state, v, v + 1);
        }
        lua_pop(lua, 2);
    }
    lua_settop(lua, list - 1);
}
