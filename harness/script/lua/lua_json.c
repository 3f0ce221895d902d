/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_json.h"

#include "base/json.h"
#include "script/lua/lua_modules.h"

#include <string.h>

#define DEPTH_MAX 32

static void free_json(void *payload) {
    json_decref(payload);
}

static void push(lua_State *lua, const json_t *value, const char *shown, int depth) {
    if (depth > DEPTH_MAX) {
        rft_lua_fault(lua, RFT_E_SCRIPT, NULL, "json: %s is nested deeper than %d", shown, DEPTH_MAX);
    }
    luaL_checkstack(lua, 4, NULL);
    if (json_is_object(value)) {
        lua_newtable(lua);
        for (void *i = json_object_iter((json_t *)(uintptr_t)value); i;
             i = json_object_iter_next((json_t *)(uintptr_t)value, i)) {
            push(lua, json_object_iter_value(i), shown, depth + 1);
            lua_setfield(lua, -2, json_object_iter_key(i));
        }
    } else if (json_is_array(value)) {
        lua_newtable(lua);
        for (size_t i = 0; i < json_array_size(value); i++) {
            push(lua, json_array_get(value, i), shown, depth + 1);
            lua_rawseti(lua, -2, (lua_Integer)i + 1);
        }
    } else if (json_is_integer(value)) {
        lua_pushinteger(lua, json_integer_value(value));
    } else if (json_is_real(value)) {
        lua_pushnumber(lua, json_real_value(value));
    } else if (json_is_string(value)) {
        lua_pushlstring(lua, json_string_value(value), json_string_length(value));
    } else if (json_is_boolean(value)) {
        lua_pushboolean(lua, json_is_true(value));
    } else {
        lua_pushnil(lua);
    }
}

int rft_json_of_file(lua_State *lua) {
    rft_script *script = rft_lua_script(lua);
    const char *shown = NULL;
    json_t *value = NULL;
    rft_err failed = RFT_ERR_INIT;
    const char *text = rft_modules_data(lua, "json", &shown);
    if (rft_json_parse(&value, text, strlen(text), shown, &failed) != RFT_OK) {
        rft_lua_fault(lua, RFT_E_SCRIPT, failed.remedy[0] ? failed.remedy : NULL, "json: %s", failed.message);
    }
    rft_arena_on_free(script->arena, free_json, value); /* raising skips a json_decref() */
    if (!json_is_object(value) && !json_is_array(value)) {
        rft_lua_fault(lua, RFT_E_SCRIPT, NULL, "json: %s holds neither an object nor a list", shown);
    }
    push(lua, value, shown, 1);
    return 1;
}
