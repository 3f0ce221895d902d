/* SPDX-License-Identifier: Apache-2.0 */
/* mix_read.c - the constructor mix: a buyer's workload, prices, names and remarks, checked and brought into the one
 * form that model/mix/mix.h reads from the data file's JSON. */
#include "script/mix_read.h"
#include "script/sweep_parts.h"

#include <ctype.h>
#include <string.h>

#define ITEMS_MAX 1024 /* RFT_MIX_LIST_MOST */
#define CURRENCY_MAX 16
#define NUMBER_MAX 1e15
#define CARDS_MAX 1000000

/* The number on top. */
static void read_positive(lua_State *lua, const rft_at *at) {
    if (lua_type(lua, -1) == LUA_TNUMBER && !(lua_tonumber(lua, -1) > 0)) {
        rft_read_fail(lua, at, "leave it out where it is not known", "must be more than 0");
    }
    rft_read_real(lua, -1, at, 0, NUMBER_MAX);
}

static void read_filled_text(lua_State *lua, const rft_at *at) {
    const char *text = rft_read_text(lua, -1, at);
    if (!*text) {
        rft_read_fail(lua, at, "leave it out where it is not known", "the text is empty");
    }
}

/* Moves table[key] into the table at `to`; false where it is not there. */
static bool move_field(lua_State *lua, int from, int to, const rft_at *root, const char *key,
                       void (*read)(lua_State *, const rft_at *)) {
    rft_at at = {root, key, 0};
    if (!rft_read_field(lua, from, key)) {
        lua_pop(lua, 1);
        return false;
    }
    read(lua, &at);
    lua_setfield(lua, to, key);
    return true;
}

/* A table with texts as keys, each value checked; on top, stays. */
static void read_named(lua_State *lua, const rft_at *at, const char *what, void (*read)(lua_State *, const rft_at *)) {
    rft_read_table(lua, -1, at);
    int table = lua_gettop(lua);
    luaL_checkstack(lua, 8, NULL);
    lua_pushnil(lua);
    while (lua_next(lua, table)) {
        if (lua_type(lua, -2) != LUA_TSTRING) {
            char got[120];
            rft_read_describe(lua, -2, got, sizeof(got));
            rft_read_fail(lua, at,
                          "[\"NVIDIA H200\"] = ..., as `rooftune devices` prints it, or [\"GPU-...\"]: its UUID",
                          "expected %s by a device's name, got the key %s", what, got);
        }
        rft_at here = {at, lua_tostring(lua, -2), 0};
        read(lua, &here);
        lua_pop(lua, 1);
    }
}

static void read_prices_of_devices(lua_State *lua, const rft_at *at) {
    read_named(lua, at, "prices", read_positive);
}

static void read_names(lua_State *lua, const rft_at *at) {
    read_named(lua, at, "names", read_filled_text);
}

/* Remarks, or names of files. */
static void read_texts(lua_State *lua, const rft_at *at) {
    lua_Integer count = rft_read_list(lua, -1, at, ITEMS_MAX);
    for (lua_Integer i = 1; i <= count; i++) {
        rft_at here = {at, NULL, i};
        lua_rawgeti(lua, -1, i);
        read_filled_text(lua, &here);
        lua_pop(lua, 1);
    }
}

static void read_currency(lua_State *lua, const rft_at *at) {
    read_filled_text(lua, at);
    if (strlen(lua_tostring(lua, -1)) > CURRENCY_MAX) {
        rft_read_fail(lua, at, "write \"EUR\"", "the currency is longer than %d bytes", CURRENCY_MAX);
    }
}

/* "2026", "2026-11" or "2026-11-21". */
static void read_date(lua_State *lua, const rft_at *at) {
    static const char pattern[] = "dddd-dd-dd";
    const char *text = rft_read_text(lua, -1, at);
    size_t length = strlen(text);
    bool good = length == 4 || length == 7 || length == 10;
    for (size_t i = 0; i < length && good; i++) {
        good = pattern[i] == 'd' ? isdigit((unsigned char)text[i]) != 0 : text[i] == pattern[i];
    }
    if (!good) {
        rft_read_fail(lua, at, "write \"2026-11\" or \"2026-11-21\"", "\"%.40s\" is no date", text);
    }
}

/* A share that some write in percent. */
static void read_share(lua_State *lua, const rft_at *at) {
    if (lua_type(lua, -1) == LUA_TNUMBER && !(lua_tonumber(lua, -1) > 0 && lua_tonumber(lua, -1) <= 1)) {
        rft_read_fail(lua, at, "60 % is 0.6", "must be more than 0 and at most 1");
    }
    rft_read_real(lua, -1, at, 0, 1);
}

static void read_pue(lua_State *lua, const rft_at *at) {
    if (lua_type(lua, -1) == LUA_TNUMBER && !(lua_tonumber(lua, -1) >= 1)) {
        rft_read_fail(lua, at, "the energy of the site over that of its machines, such as 1.3", "must be 1 or more");
    }
    rft_read_real(lua, -1, at, 1, NUMBER_MAX);
}

static void read_cards(lua_State *lua, const rft_at *at) {
    rft_read_int(lua, -1, at, 1, CARDS_MAX);
}

/* { price, watts }, or whatever two numbers the keys are; both may be left out. */
static void read_two(lua_State *lua, const rft_at *at, rft_key_table keys) {
    const rft_key_set *set = rft_keys(keys);
    rft_read_keys(lua, -1, at, keys, 0);
    int from = lua_gettop(lua);
    lua_createtable(lua, 0, (int)set->count);
    for (size_t i = 0; i < set->count; i++) {
        move_field(lua, from, from + 1, at, set->names[i], read_positive);
    }
    lua_replace(lua, from);
}

static void read_host(lua_State *lua, const rft_at *at) {
    read_two(lua, at, RFT_KEYS_MIX_HOST);
}

static void read_memory(lua_State *lua, const rft_at *at) {
    read_two(lua, at, RFT_KEYS_MIX_MEMORY);
}

/* prices = { currency, date, kwh, years, utilisation, pue, host, devices } */
static void read_prices(lua_State *lua, const rft_at *at) {
    rft_read_keys(lua, -1, at, RFT_KEYS_PRICES, 0);
    int from = lua_gettop(lua);
    lua_createtable(lua, 0, 8);
    int to = from + 1;
    bool currency = move_field(lua, from, to, at, "currency", read_currency);
    bool date = move_field(lua, from, to, at, "date", read_date);
    bool kwh = move_field(lua, from, to, at, "kwh", read_positive);
    bool devices = move_field(lua, from, to, at, "devices", read_prices_of_devices);
    bool host = move_field(lua, from, to, at, "host", read_host);
    move_field(lua, from, to, at, "years", read_positive);
    move_field(lua, from, to, at, "utilisation", read_share);
    move_field(lua, from, to, at, "pue", read_pue);
    rft_at currency_at = {at, "currency", 0}, date_at = {at, "date", 0};
    if (!currency && (kwh || devices || host)) {
        rft_read_fail(lua, &currency_at, "currency = \"EUR\"", "prices need their currency");
    }
    if (!date && (kwh || devices || host)) {
        rft_read_fail(lua, &date_at, "date = \"2026-11\"", "prices need their date");
    }
    lua_replace(lua, from);
}

/* ---- operations ---- */

/* { m = 32, n = 8192 } on top: values of dimensions. */
static void read_problem(lua_State *lua, const rft_at *at) {
    rft_read_table(lua, -1, at);
    int from = lua_gettop(lua);
    rft_arena *arena = rft_lua_script(lua)->arena;
    luaL_checkstack(lua, 8, NULL);
    lua_createtable(lua, 0, 4);
    lua_pushnil(lua);
    while (lua_next(lua, from)) {
        if (lua_type(lua, -2) != LUA_TSTRING) {
            rft_read_fail(lua, at, "{ m = 32, n = 8192, k = 8192 }", "expected dimensions by name");
        }
        rft_at here = {at, lua_tostring(lua, -2), 0};
        rft_value value = rft_read_value(lua, -1, &here, arena, NULL);
        lua_pop(lua, 1);
        lua_pushvalue(lua, -1);
        rft_push_value(lua, &value);
        lua_rawset(lua, from + 1);
    }
    lua_replace(lua, from);
}

/* { "operation", { m = 1, ... }, count = 160 } -> { operation =, problem =, count = }; on top, replaced. */
static void normalise_item(lua_State *lua, const rft_at *at) {
    rft_at operation = {at, NULL, 1}, problem = {at, NULL, 2}, count = {at, "count", 0};
    rft_read_keys(lua, -1, at, RFT_KEYS_MIX_ITEM, 2);
    int from = lua_gettop(lua);
    lua_createtable(lua, 0, 3);
    lua_rawgeti(lua, from, 1);
    read_filled_text(lua, &operation);
    lua_setfield(lua, -2, "operation");
    lua_rawgeti(lua, from, 2);
    read_problem(lua, &problem);
    lua_setfield(lua, -2, "problem");
    if (!rft_read_field(lua, from, "count")) {
        rft_read_fail(lua, &count, "count = 160: how often it is launched in one pass", "the count is missing");
    }
    read_positive(lua, &count);
    lua_setfield(lua, -2, "count");
    lua_replace(lua, from);
}

static void read_items(lua_State *lua, const rft_at *root, lua_Integer count) {
    if (count > ITEMS_MAX) {
        rft_read_fail(lua, root, NULL, "%lld operations, at most %d are allowed", (long long)count, ITEMS_MAX);
    }
    lua_createtable(lua, (int)count, 0);
    for (lua_Integer i = 1; i <= count; i++) {
        rft_at here = {root, NULL, i};
        lua_rawgeti(lua, 1, i);
        normalise_item(lua, &here);
        lua_rawseti(lua, -2, i);
    }
    lua_setfield(lua, 2, "items");
}

int rft_api_mix(lua_State *lua) {
    rft_at root = {NULL, "mix", 0}, name = {&root, "name", 0}, per = {&root, "per", 0};
    rft_at cards_at = {&root, "cards", 0}, memory_at = {&root, "memory", 0}, sweeps_at = {&root, "sweeps", 0};
    lua_settop(lua, 1);
    rft_read_table(lua, 1, &root);
    lua_Integer count = (lua_Integer)lua_rawlen(lua, 1);
    rft_read_keys(lua, 1, &root, RFT_KEYS_MIX, count);
    lua_createtable(lua, 0, 11);
    bool named = move_field(lua, 1, 2, &root, "name", read_filled_text);
    bool unit = move_field(lua, 1, 2, &root, "unit", read_filled_text);
    if (move_field(lua, 1, 2, &root, "per", read_positive) && !unit) {
        rft_read_fail(lua, &per, "unit = \"token\", per = 32: what one pass makes", "per needs a unit");
    }
    bool sweeps = move_field(lua, 1, 2, &root, "sweeps", read_texts);
    bool cards = move_field(lua, 1, 2, &root, "cards", read_cards);
    bool memory = move_field(lua, 1, 2, &root, "memory", read_memory);
    bool facts = move_field(lua, 1, 2, &root, "prices", read_prices);
    facts = move_field(lua, 1, 2, &root, "names", read_names) || facts;
    facts = move_field(lua, 1, 2, &root, "remarks", read_texts) || facts;
    if (!named && (count > 0 || !facts)) {
        lua_pushnil(lua);
        rft_read_wrong(lua, -1, &name, "text");
    }
    if (count == 0 && (cards || memory || sweeps)) {
        rft_read_fail(lua,
                      cards    ? &cards_at
                      : memory ? &memory_at
                               : &sweeps_at,
                      "put it where the operations of the pass are", "belongs to a mix with operations");
    }
    if (count == 0 && !facts) {
        rft_read_fail(lua, &root, "{ \"kernel\", { m = 32, ... }, count = 160 }", "the mix has no operations");
    }
    read_items(lua, &root, count);
    return 1;
}
