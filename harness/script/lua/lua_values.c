/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_values.h"

#include "model/sweep/sweep.h"
#include "script/lua/lua_read.h"

#include <math.h>
#include <string.h>

void *rft_tag_new(lua_State *lua, const char *tag, size_t size, int uservalues) {
    void *payload = lua_newuserdatauv(lua, size ? size : 1, uservalues);
    memset(payload, 0, size ? size : 1);
    luaL_setmetatable(lua, tag);
    return payload;
}

static void open_tag(lua_State *lua, const char *tag) {
    luaL_newmetatable(lua, tag);
    lua_pop(lua, 1);
}

/* ---- lists of values ---- */

/* Replaces the list on top by a values() object around it. */
static int wrap_values(lua_State *lua, int refine_depth) {
    rft_values_tag *tag = rft_tag_new(lua, RFT_TAG_VALUES, sizeof(*tag), 1);
    tag->refine_depth = refine_depth;
    lua_insert(lua, -2);
    lua_setiuservalue(lua, -2, 1);
    return 1;
}

static void check_value(lua_State *lua, int index, lua_Integer position) {
    rft_at root = {NULL, "values", 0};
    rft_at here = {&root, NULL, position};
    int kind = lua_type(lua, index);
    if (kind != LUA_TNUMBER && kind != LUA_TBOOLEAN && kind != LUA_TSTRING && !rft_ctype_text(lua, index)) {
        rft_read_wrong(lua, index, &here, "a number, a boolean, text or ctype");
    }
}

static int api_values(lua_State *lua) {
    int count = lua_gettop(lua);
    if (count == 1 && lua_istable(lua, 1)) {
        rft_at here = {NULL, "values", 0};
        count = (int)rft_read_list(lua, 1, &here, RFT_VALUES_MAX);
        lua_createtable(lua, count, 0);
        for (int i = 1; i <= count; i++) {
            lua_rawgeti(lua, 1, i);
            check_value(lua, -1, i);
            lua_rawseti(lua, -2, i);
        }
        return wrap_values(lua, 0);
    }
    if (count > RFT_VALUES_MAX) {
        rft_lua_fault(lua, RFT_E_SCRIPT, NULL, "values: %d values, at most %d are allowed", count, RFT_VALUES_MAX);
    }
    lua_createtable(lua, count, 0);
    for (int i = 1; i <= count; i++) {
        check_value(lua, i, i);
        lua_pushvalue(lua, i);
        lua_rawseti(lua, -2, i);
    }
    return wrap_values(lua, 0);
}

static double argument(lua_State *lua, int index, const char *function, const char *name) {
    rft_at root = {NULL, function, 0};
    rft_at here = {&root, name, 0};
    return rft_read_real(lua, index, &here, -9007199254740992.0, 9007199254740992.0);
}

static int api_range(lua_State *lua) {
    double low = argument(lua, 1, "range", "lo");
    double high = argument(lua, 2, "range", "hi");
    double step = lua_isnoneornil(lua, 3) ? 1 : argument(lua, 3, "range", "step");
    if (step <= 0) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "range(64, 512, 64): from, to, step",
                      "range: the step must be greater than 0");
    }
    /* A last value that only rounding puts beyond `hi` still belongs to the range. */
    double last = floor((high - low) / step + 1e-9);
    if (last >= RFT_VALUES_MAX) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "use a larger step", "range: more than %d values", RFT_VALUES_MAX);
    }
    lua_newtable(lua);
    for (double i = 0; i <= last; i++) {
        rft_value value = rft_value_real(low + i * step);
        rft_push_value(lua, &value);
        lua_rawseti(lua, -2, (lua_Integer)i + 1);
    }
    return wrap_values(lua, 0);
}

static int api_pow2_values(lua_State *lua) {
    double low = argument(lua, 1, "pow2_values", "lo");
    double high = argument(lua, 2, "pow2_values", "hi");
    int exponent;
    if (low < 1 || frexp(low, &exponent) != 0.5 || high < 1 || frexp(high, &exponent) != 0.5) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "it takes values, not exponents: pow2_values(1, 4096)",
                      "pow2_values: both limits must be powers of two, 1 or larger");
    }
    lua_newtable(lua);
    lua_Integer count = 0;
    for (double value = low; value <= high; value *= 2) {
        lua_pushinteger(lua, (lua_Integer)value);
        lua_rawseti(lua, -2, ++count);
    }
    return wrap_values(lua, 0);
}

static int api_refine(lua_State *lua) {
    rft_at root = {NULL, "refine", 0};
    rft_at here = {&root, "depth", 0};
    if (!luaL_testudata(lua, 1, RFT_TAG_VALUES)) {
        rft_read_wrong(lua, 1, &root, "values(...), range(...) or pow2_values(...) first");
    }
    if (((const rft_values_tag *)lua_touserdata(lua, 1))->refine_depth > 0) {
        rft_read_fail(lua, &root, "refine(values(...), depth), once", "the values are refined already");
    }
    int depth = (int)rft_read_int(lua, 2, &here, 1, RFT_REFINED_MAX);
    lua_getiuservalue(lua, 1, 1);
    return wrap_values(lua, depth);
}

static int api_problems(lua_State *lua) {
    rft_at root = {NULL, "problems", 0};
    rft_read_list(lua, 1, &root, RFT_VALUES_MAX);
    rft_tag_new(lua, RFT_TAG_PROBLEMS, 0, 1);
    lua_pushvalue(lua, 1);
    lua_setiuservalue(lua, -2, 1);
    return 1;
}

static int api_ctype(lua_State *lua) {
    rft_at here = {NULL, "ctype", 0};
    if (rft_read_text(lua, 1, &here)[0] == '\0') {
        rft_read_fail(lua, &here, NULL, "the text is empty");
    }
    if (lua_gettop(lua) > 1) {
        rft_read_fail(lua, &here, "each is a value of its own: values(ctype \"float\", ctype \"half\")",
                      "one type at a time, %d are given", lua_gettop(lua));
    }
    rft_tag_new(lua, RFT_TAG_CTYPE, 0, 1);
    lua_pushvalue(lua, 1);
    lua_setiuservalue(lua, -2, 1);
    return 1;
}

const char *rft_ctype_text(lua_State *lua, int index) {
    if (!luaL_testudata(lua, index, RFT_TAG_CTYPE)) {
        return NULL;
    }
    lua_getiuservalue(lua, index, 1);
    const char *text = lua_tostring(lua, -1);
    lua_pop(lua, 1); /* kept alive by the userdata */
    return text;
}

static int api_ceil_div(lua_State *lua) {
    rft_at root = {NULL, "ceil_div", 0};
    rft_at first = {&root, "a", 0}, second = {&root, "b", 0};
    int64_t a = rft_read_int(lua, 1, &first, 0, INT64_MAX);
    int64_t b = rft_read_int(lua, 2, &second, 1, INT64_MAX);
    lua_pushinteger(lua, a / b + (a % b != 0));
    return 1;
}

void rft_values_open(lua_State *lua) {
    static const char *const tags[] = {RFT_TAG_VALUES, RFT_TAG_PROBLEMS, RFT_TAG_CTYPE};
    static const luaL_Reg functions[] = {
        {"values", api_values},     {"range", api_range}, {"pow2_values", api_pow2_values}, {"refine", api_refine},
        {"problems", api_problems}, {"ctype", api_ctype}, {"ceil_div", api_ceil_div},       {NULL, NULL}};
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        open_tag(lua, tags[i]);
    }
    luaL_setfuncs(lua, functions, 0);
}
