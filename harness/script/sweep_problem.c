/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_problem.c - over, with, along: axes and the problems they make, the odd ones first. */
#include "script/sweep_parts.h"

#include <math.h>
#include <string.h>

#define PROBLEMS_MAX 100000
#define LISTED_MAX 4096
#define ODD_ABOVE 16 /* smaller sizes are edge cases already */

typedef struct problem_reader {
    lua_State *lua;
    rft_sweep_state *state;
    rft_arena *arena;
    int table;
    rft_at root;
    bool *swept; /* per axis: from over, a list of values or a list of problems */
} problem_reader;

static size_t find_axis(const rft_sweep_state *state, const char *name) {
    size_t axis = 0;
    while (axis < state->sweep.axis_count && strcmp(state->sweep.axes[axis].name, name) != 0) {
        axis++;
    }
    return axis;
}

static size_t require_axis(problem_reader *reader, const rft_at *at, const char *name) {
    const rft_sweep *sweep = &reader->state->sweep;
    size_t axis = find_axis(reader->state, name);
    if (axis < sweep->axis_count) {
        return axis;
    }
    const char *names[64];
    char hint[120], known[300];
    for (size_t i = 0; i < sweep->axis_count; i++) {
        names[i] = sweep->axes[i].name;
    }
    rft_read_hint(hint, sizeof(hint), name, names, sweep->axis_count);
    rft_read_fail(reader->lua, at, rft_read_known(known, sizeof(known), names, sweep->axis_count),
                  "the kernel's problem has no dimension \"%.60s\"%s", name, hint);
}

/* Every key of the table on top, as an axis; the value is on top when visit() runs. */
static void each_axis(problem_reader *reader, const rft_at *at,
                      void (*visit)(problem_reader *, const rft_at *, size_t)) {
    const char *keys[64];
    rft_read_table(reader->lua, -1, at);
    if (lua_rawlen(reader->lua, -1) > 0) {
        rft_read_fail(reader->lua, at, NULL, "expected NAME = ..., got a list");
    }
    size_t count = rft_read_sorted_keys(reader->lua, -1, keys, 64);
    for (size_t i = 0; i < count; i++) {
        rft_at here = {at, keys[i], 0};
        size_t axis = require_axis(reader, &here, keys[i]);
        rft_read_field(reader->lua, -1, keys[i]);
        visit(reader, &here, axis);
        lua_pop(reader->lua, 1);
    }
}

/* A text can only reach the kernel as a macro. */
static void check_text_axis(problem_reader *reader, const rft_at *at, size_t axis, const rft_value *value) {
    if (value->kind == RFT_VALUE_TEXT && !reader->state->sweep.axes[axis].compiled) {
        rft_read_fail(
            reader->lua, at,
            "a number is written without quotes: 2^20; one with texts is named in the kernel's compiled = { ... }",
            "a dimension with texts must be compiled");
    }
}

static void read_over(problem_reader *reader, const rft_at *at, size_t index) {
    lua_State *lua = reader->lua;
    rft_axis *axis = &reader->state->sweep.axes[index];
    if (!luaL_testudata(lua, -1, RFT_TAG_VALUES)) {
        char got[120];
        rft_read_describe(lua, -1, got, sizeof(got));
        rft_read_fail(lua, at,
                      lua_istable(lua, -1) ? "write values(1024, 4096) in place of { 1024, 4096 }"
                                           : "a fixed size belongs in with = { ... }",
                      "expected values(...), range(...) or pow2_values(...), got %s", got);
    }
    bool is_ctype;
    axis->values = rft_values_read(lua, -1, at, &axis->value_count, &is_ctype);
    axis->refine_depth = rft_values_refine_depth(lua, -1);
    axis->swept = true;
    reader->swept[index] = true;
    check_text_axis(reader, at, index, &axis->values[0]);
    if (is_ctype) {
        rft_read_fail(lua, at, NULL, "ctype is for parameters, a dimension takes numbers, booleans or texts");
    }
    reader->state->axis_alternatives[index] = rft_alternatives_of(lua, at, axis->values, axis->value_count, false);
    bool numeric = rft_value_is_number(&axis->values[0]);
    axis->along = numeric && axis->value_count > 1;
    if (axis->refine_depth > 0 && !numeric) {
        rft_read_fail(lua, at, "take refine() away here", "only a dimension of numbers can be refined");
    }
}

static void read_with(problem_reader *reader, const rft_at *at, size_t axis) {
    lua_State *lua = reader->lua;
    rft_sweep_state *state = reader->state;
    if (reader->swept[axis]) {
        rft_read_fail(lua, at, NULL, "the dimension is in over already");
    }
    state->with_given[axis] = true;
    if (lua_isfunction(lua, -1)) {
        rft_read_function(lua, -1, at);
        lua_pushvalue(lua, -1);
        state->with_refs[axis] = luaL_ref(lua, LUA_REGISTRYINDEX);
        return;
    }
    state->with_values[axis] = rft_read_value(lua, -1, at, reader->arena, NULL);
    check_text_axis(reader, at, axis, &state->with_values[axis]);
    state->axis_alternatives[axis] = rft_alternatives_of(lua, at, &state->with_values[axis], 1, false);
}

/* Fills in what is not known yet, in the order of the axes. */
static void complete(lua_State *lua, const rft_sweep_state *state, rft_value *values, bool *known, rft_arena *arena) {
    rft_at root = {NULL, "with", 0};
    for (size_t i = 0; i < state->sweep.axis_count; i++) {
        if (known[i]) {
            continue;
        }
        if (state->with_refs[i] == LUA_NOREF) {
            values[i] = state->with_values[i];
        } else {
            rft_at here = {&root, state->sweep.axes[i].name, 0};
            rft_lua_push_function(lua, state->with_refs[i]);
            rft_push_problem(lua, state, values, known);
            lua_call(lua, 1, 1);
            values[i] = rft_read_value(lua, -1, &here, arena, NULL);
            if (values[i].kind == RFT_VALUE_TEXT) {
                rft_read_fail(lua, &here, "drop the quotes, or tonumber(...)",
                              "the function must return a number or a boolean");
            }
            lua_pop(lua, 1);
        }
        known[i] = true;
    }
}

void rft_problems_complete(lua_State *lua, const rft_sweep_state *state, rft_value *values, rft_arena *arena) {
    bool *known = rft_arena_calloc(arena, state->sweep.axis_count + 1, sizeof(bool));
    for (size_t i = 0; i < state->sweep.axis_count; i++) {
        known[i] = !state->with_given[i];
    }
    complete(lua, state, values, known, arena);
}

/* ---- the problems ---- */

static rft_value *new_problem(problem_reader *reader, bool odd) {
    rft_sweep *sweep = &reader->state->sweep;
    rft_problem *problem = &sweep->problems[sweep->problem_count++];
    problem->values = rft_arena_calloc(reader->arena, sweep->axis_count + 1, sizeof(rft_value));
    problem->odd = odd;
    return problem->values;
}

static void combine_axes(problem_reader *reader) {
    rft_sweep *sweep = &reader->state->sweep;
    size_t total = 1;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (reader->swept[i]) {
            total *= sweep->axes[i].value_count;
        }
        if (total > PROBLEMS_MAX) {
            rft_read_fail_code(reader->lua, &reader->root, RFT_E_LIMIT, "use fewer values",
                               "over makes more than %d problems", PROBLEMS_MAX);
        }
    }
    sweep->problems = rft_arena_calloc(reader->arena, total + 1, sizeof(rft_problem));
    for (size_t p = 0; p < total; p++) {
        rft_value *values = new_problem(reader, false);
        size_t rest = p;
        for (size_t i = sweep->axis_count; i-- > 0;) {
            if (reader->swept[i]) {
                values[i] = sweep->axes[i].values[rest % sweep->axes[i].value_count];
                rest /= sweep->axes[i].value_count;
            }
        }
        rft_problems_complete(reader->lua, reader->state, values, reader->arena);
    }
}

static void read_listed(problem_reader *reader, const rft_at *at, rft_value *values) {
    lua_State *lua = reader->lua;
    rft_sweep *sweep = &reader->state->sweep;
    const char *keys[64];
    size_t count = rft_read_sorted_keys(lua, -1, keys, 64);
    for (size_t i = 0; i < count; i++) {
        rft_at here = {at, keys[i], 0};
        size_t axis = require_axis(reader, &here, keys[i]);
        if (!reader->swept[axis]) {
            rft_read_fail(lua, &here, NULL, "the dimension is in with already");
        }
    }
    for (size_t i = 0; i < sweep->axis_count; i++) {
        rft_at here = {at, sweep->axes[i].name, 0};
        if (!reader->swept[i]) {
            continue;
        }
        if (!rft_read_field(lua, -1, sweep->axes[i].name)) {
            rft_read_fail(lua, &here, "give it here or in with = { ... }", "the dimension is missing");
        }
        values[i] = rft_read_value(lua, -1, &here, reader->arena, NULL);
        check_text_axis(reader, &here, i, &values[i]);
        lua_pop(lua, 1);
    }
}

/* A dimension's values are of one kind, as in values(). */
static void refuse_mixed(problem_reader *reader, const rft_at *at, size_t count) {
    const rft_sweep *sweep = &reader->state->sweep;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        bool text = sweep->problems[0].values[i].kind == RFT_VALUE_TEXT;
        for (size_t p = 1; p < count && reader->swept[i]; p++) {
            rft_at row = {at, NULL, (lua_Integer)p + 1}, here = {&row, sweep->axes[i].name, 0};
            if ((sweep->problems[p].values[i].kind == RFT_VALUE_TEXT) != text) {
                rft_read_fail(reader->lua, &here, "give the dimension numbers everywhere, or texts",
                              "%s, and the first problem has %s", text ? "a number" : "a text",
                              text ? "a text" : "a number");
            }
        }
    }
}

/* problems = { { m = 1, n = 2 }, ... } or over = problems { ... }: the list is on top. */
static void list_problems(problem_reader *reader) {
    lua_State *lua = reader->lua;
    rft_sweep_state *state = reader->state;
    rft_sweep *sweep = &state->sweep;
    rft_at at = {&reader->root, "problems", 0};
    size_t count = lua_rawlen(lua, -1);
    if (count == 0) {
        rft_read_fail_code(lua, &at, RFT_E_SPACE, "list at least one problem", "problems {} is empty");
    }
    sweep->problems = rft_arena_calloc(reader->arena, count + 1, sizeof(rft_problem));
    for (size_t p = 0; p < count; p++) {
        rft_at here = {&at, NULL, (lua_Integer)p + 1};
        lua_rawgeti(lua, -1, (lua_Integer)p + 1);
        rft_value *values = new_problem(reader, false);
        read_listed(reader, &here, values);
        lua_pop(lua, 1);
        rft_problems_complete(lua, state, values, reader->arena);
        for (size_t earlier = 0; earlier < p; earlier++) {
            if (rft_values_equal(values, sweep->problems[earlier].values, sweep->axis_count)) {
                rft_read_fail(lua, &here, NULL, "the same problem is listed twice");
            }
        }
    }
    refuse_mixed(reader, &at, count);
    rft_value *column = rft_arena_calloc(reader->arena, count, sizeof(*column));
    for (size_t i = 0; i < sweep->axis_count; i++) {
        size_t distinct = 0;
        for (size_t p = 0; p < count && sweep->problems[p].values[i].kind == RFT_VALUE_TEXT; p++) {
            bool seen = false;
            for (size_t d = 0; d < distinct; d++) {
                seen = seen || rft_value_equal(&column[d], &sweep->problems[p].values[i]);
            }
            if (!seen) {
                column[distinct++] = sweep->problems[p].values[i];
            }
        }
        if (reader->swept[i]) {
            state->axis_alternatives[i] = rft_alternatives_of(lua, &at, column, distinct, false);
        }
    }
}

static void read_along(problem_reader *reader) {
    lua_State *lua = reader->lua;
    rft_sweep *sweep = &reader->state->sweep;
    rft_at at = {&reader->root, "along", 0};
    if (!rft_read_field(lua, reader->table, "along")) {
        lua_pop(lua, 1);
        return;
    }
    for (size_t i = 0; i < sweep->axis_count; i++) {
        sweep->axes[i].along = false;
    }
    bool single = lua_type(lua, -1) == LUA_TSTRING;
    lua_Integer count = single ? 1 : rft_read_list(lua, -1, &at, 64);
    for (lua_Integer i = 1; i <= count; i++) {
        rft_at here = {&at, NULL, i};
        const rft_at *place = single ? &at : &here;
        if (single) {
            lua_pushvalue(lua, -1);
        } else {
            lua_rawgeti(lua, -1, i);
        }
        rft_axis *axis = &sweep->axes[require_axis(reader, place, rft_read_text(lua, -1, place))];
        if (!axis->swept || !rft_value_is_number(&axis->values[0])) {
            rft_read_fail(lua, place, "transitions need a dimension of numbers in over = { ... }",
                          "\"%s\" is not swept over numbers", axis->name);
        }
        axis->along = true;
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

/* Flips are looked for along the axes of `along` only. */
static void check_refined(problem_reader *reader) {
    const rft_sweep *sweep = &reader->state->sweep;
    rft_at at = {&reader->root, "over", 0};
    for (size_t i = 0; i < sweep->axis_count; i++) {
        rft_at here = {&at, sweep->axes[i].name, 0};
        if (sweep->axes[i].refine_depth > 0 && sweep->axes[i].value_count > 1 && !sweep->axes[i].along) {
            rft_read_fail(reader->lua, &here, "name it in along as well, or take refine() away",
                          "refine() bisects where the bound changes along it, and along leaves it out");
        }
    }
}

/* ---- the odd problem ---- */

static rft_value make_odd(rft_value value) {
    if (value.kind == RFT_VALUE_INT && value.as.integer > ODD_ABOVE) {
        value.as.integer = (value.as.integer | 1) + 2;
    }
    return value;
}

static const rft_value *smallest_problem(const rft_sweep *sweep) {
    const rft_value *best = NULL;
    double least = INFINITY;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        double size = 1;
        for (size_t i = 0; i < sweep->axis_count; i++) {
            const rft_value *value = &sweep->problems[p].values[i];
            size *= rft_value_is_number(value) ? fabs(rft_value_number(value)) + 1 : 1;
        }
        if (!best || size < least) {
            best = sweep->problems[p].values;
            least = size;
        }
    }
    return best;
}

/* The smallest problem with every run-time size made odd, the script's own values instead where it gives them; NULL: it
 * gives none. */
static rft_value *odd_values(problem_reader *reader, const rft_value *base, const rft_odd_facts *given) {
    rft_sweep_state *state = reader->state;
    const rft_sweep *sweep = &state->sweep;
    rft_value *values = rft_values_copy(reader->arena, base, sweep->axis_count + 1);
    bool *known = rft_arena_calloc(reader->arena, sweep->axis_count + 1, sizeof(bool));
    for (size_t i = 0; i < sweep->axis_count; i++) {
        const bool is_given = given && given->given[i];
        known[i] = is_given || state->with_refs[i] == LUA_NOREF;
        if (is_given) {
            values[i] = given->values[i];
        } else if (known[i] && !sweep->axes[i].compiled) {
            values[i] = make_odd(values[i]);
        }
    }
    complete(reader->lua, state, values, known, reader->arena);
    return values;
}

/* Those in front of all problems that there are already; what is one of them is verified anyway. */
static void add_odd(problem_reader *reader) {
    rft_sweep *sweep = &reader->state->sweep;
    const rft_check_facts *check = &reader->state->states[0].kernel->check;
    const bool is_given = check->odd == RFT_ODD_GIVEN;
    const size_t most = check->odd == RFT_ODD_NONE ? 0 : is_given ? check->odd_count : 1;
    rft_problem *problems = rft_arena_calloc(reader->arena, sweep->problem_count + most, sizeof(*problems));
    const rft_value *base = smallest_problem(sweep);
    size_t count = 0;
    for (size_t i = 0; i < most; i++) {
        rft_value *values = odd_values(reader, base, is_given ? &check->odds[i] : NULL);
        bool there = false;
        for (size_t p = 0; p < sweep->problem_count && !there; p++) {
            there = rft_values_equal(values, sweep->problems[p].values, sweep->axis_count);
        }
        if (!there) {
            problems[count++] = (rft_problem){.values = values, .odd = true};
        }
    }
    memcpy(problems + count, sweep->problems, sweep->problem_count * sizeof(*problems));
    sweep->problems = problems;
    sweep->problem_count += count;
}

static void name_axes(problem_reader *reader) {
    rft_sweep_state *state = reader->state;
    rft_sweep *sweep = &state->sweep;
    const rft_kernel_facts *kernel = state->states[0].kernel;
    size_t count = kernel ? kernel->axis_count : 0;
    sweep->axes = rft_arena_calloc(reader->arena, count + 1, sizeof(*sweep->axes));
    sweep->axis_count = count;
    reader->swept = rft_arena_calloc(reader->arena, count + 1, sizeof(bool));
    state->with_refs = rft_arena_calloc(reader->arena, count + 1, sizeof(int));
    state->with_values = rft_arena_calloc(reader->arena, count + 1, sizeof(rft_value));
    state->with_given = rft_arena_calloc(reader->arena, count + 1, sizeof(bool));
    state->axis_alternatives = rft_arena_calloc(reader->arena, count + 1, sizeof(rft_alternatives));
    for (size_t i = 0; i < count; i++) {
        sweep->axes[i].name = kernel->axes[i];
        state->with_refs[i] = LUA_NOREF;
        for (size_t v = 0; v < sweep->variant_count; v++) {
            sweep->axes[i].compiled |= state->states[v].kernel->axis_compiled[i];
        }
    }
}

/* Pushes the explicit list of problems; false (nothing pushed) when there is none. */
static bool push_list(problem_reader *reader) {
    lua_State *lua = reader->lua;
    rft_at at = {&reader->root, "problems", 0};
    bool by_over = rft_read_field(lua, reader->table, "over") && luaL_testudata(lua, -1, RFT_TAG_PROBLEMS);
    bool has_over = !lua_isnil(lua, -1);
    bool by_key = rft_read_field(lua, reader->table, "problems");
    if (by_key && has_over) {
        rft_read_fail(lua, &at, "use one of them, and with = { ... } for what all problems share",
                      "problems stand in place of over");
    }
    if (!by_key && !by_over) {
        lua_pop(lua, 2);
        return false;
    }
    if (!by_key) {
        lua_pop(lua, 1);
    }
    if (luaL_testudata(lua, -1, RFT_TAG_PROBLEMS)) {
        lua_getiuservalue(lua, -1, 1);
    }
    lua_Integer count = rft_read_list(lua, -1, &at, LISTED_MAX);
    for (lua_Integer i = 1; i <= count; i++) {
        rft_at here = {&at, NULL, i};
        lua_rawgeti(lua, -1, i);
        rft_read_table(lua, -1, &here);
        lua_pop(lua, 1);
    }
    lua_replace(lua, reader->table + 1);
    lua_settop(lua, reader->table + 1);
    return true;
}

/* Sizes that depend on the card: `over` and `problems` may be a function(gpu), whose result stands in its place. */
static void ask_for_sizes(lua_State *lua, int table, const char *key) {
    if (rft_read_field(lua, table, key) && lua_isfunction(lua, -1)) {
        rft_push_gpu(lua);
        lua_call(lua, 1, 1);
        lua_setfield(lua, table, key);
    } else {
        lua_pop(lua, 1);
    }
}

void rft_problems_read(lua_State *lua, int table, rft_sweep_state *state) {
    ask_for_sizes(lua, table, "over");
    ask_for_sizes(lua, table, "problems");
    problem_reader reader = {.lua = lua, .state = state, .arena = state->script->arena, .table = table};
    reader.root = (rft_at){NULL, "sweep", 0};
    rft_at over = {&reader.root, "over", 0}, with = {&reader.root, "with", 0};
    name_axes(&reader);
    bool listed = push_list(&reader);
    if (!listed && rft_read_field(lua, table, "over")) {
        each_axis(&reader, &over, read_over);
    }
    lua_settop(lua, table + listed);
    if (rft_read_field(lua, table, "with")) {
        each_axis(&reader, &with, read_with);
    }
    lua_pop(lua, 1);
    for (size_t i = 0; i < state->sweep.axis_count; i++) {
        reader.swept[i] = reader.swept[i] || (listed && !state->with_given[i]);
        if (!reader.swept[i] && !state->with_given[i]) {
            rft_read_fail(lua, &reader.root, "give it in over = { ... } or with = { ... }",
                          "the problem's dimension \"%s\" has no value", state->sweep.axes[i].name);
        }
    }
    if (listed) {
        list_problems(&reader);
        lua_pop(lua, 1);
    } else {
        combine_axes(&reader);
    }
    read_along(&reader);
    check_refined(&reader);
    if (state->states[0].kernel) {
        add_odd(&reader);
    }
}
