/* SPDX-License-Identifier: Apache-2.0 */
#include "script/table_json.h"

#include "base/str.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"

#define DEPTH_MAX 60
#define BYTES_MAX ((size_t)16 << 20) /* a table met on many paths is written on each */
#define NAMES_MAX 512                /* finding them again is quadratic */

typedef struct json_writer {
    lua_State *lua;
    rft_str out;
    char *problem;
    size_t problem_size;
} json_writer;

static bool write_value(json_writer *writer, int index, int depth);

static bool refuse_value(json_writer *writer, const char *reason, const char *detail) {
    snprintf(writer->problem, writer->problem_size, "%s%s", reason, detail);
    return false;
}

static void write_text(json_writer *writer, const char *text, size_t length) {
    rft_str_add_char(&writer->out, '"');
    for (size_t i = 0; i < length; i++) {
        unsigned char c = (unsigned char)text[i];
        if (c == '"' || c == '\\') {
            rft_str_add_char(&writer->out, '\\');
            rft_str_add_char(&writer->out, (char)c);
        } else if (c < 0x20) {
            rft_str_addf(&writer->out, "\\u%04x", c);
        } else {
            rft_str_add_char(&writer->out, (char)c);
        }
    }
    rft_str_add_char(&writer->out, '"');
}

static int compare_texts(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool write_list(json_writer *writer, int index, size_t length, int depth) {
    rft_str_add_char(&writer->out, '[');
    for (size_t i = 1; i <= length; i++) {
        if (i > 1) {
            rft_str_add_char(&writer->out, ',');
        }
        lua_rawgeti(writer->lua, index, (lua_Integer)i);
        if (!write_value(writer, lua_gettop(writer->lua), depth + 1)) {
            return false;
        }
        lua_pop(writer->lua, 1);
    }
    rft_str_add_char(&writer->out, ']');
    return true;
}

/* The keys' texts belong to the table, which does not change meanwhile; they are found again by a second walk, since
 * looking one up by name would have to create a Lua string. */
static bool write_object(json_writer *writer, int index, const char **keys, size_t count, int depth) {
    lua_State *lua = writer->lua;
    if (count > 1) {
        if (count) { /* an empty list may be NULL, which qsort() does not take */
            qsort(keys, count, sizeof(*keys), compare_texts);
        }
    }
    rft_str_add_char(&writer->out, '{');
    for (size_t i = 0; i < count; i++) {
        bool good = true;
        lua_pushnil(lua);
        while (lua_next(lua, index)) {
            if (lua_tostring(lua, -2) == keys[i]) {
                rft_str_add(&writer->out, i ? "," : "");
                write_text(writer, keys[i], strlen(keys[i]));
                rft_str_add_char(&writer->out, ':');
                good = write_value(writer, lua_gettop(lua), depth + 1);
                lua_settop(lua, lua_gettop(lua) - 2);
                break;
            }
            lua_pop(lua, 1);
        }
        if (!good) {
            return false;
        }
    }
    rft_str_add_char(&writer->out, '}');
    return true;
}

static bool write_table(json_writer *writer, int index, int depth) {
    lua_State *lua = writer->lua;
    size_t length = lua_rawlen(lua, index), total = 0, named = 0, capacity = 0;
    const char **keys = NULL;
    bool good = true;
    if (depth > DEPTH_MAX || !lua_checkstack(lua, 8)) {
        return refuse_value(writer, "tables are nested too deeply (or in a circle)", "");
    }
    lua_pushnil(lua);
    while (good && lua_next(lua, index)) {
        lua_pop(lua, 1);
        total++;
        if (lua_type(lua, -1) == LUA_TSTRING) {
            RFT_GROW(keys, capacity, named + 1);
            keys[named++] = lua_tostring(lua, -1);
        } else if (!lua_isinteger(lua, -1)) {
            good =
                refuse_value(writer, "keys must be texts or 1, 2, 3 ..., not a ", lua_typename(lua, lua_type(lua, -1)));
            lua_pop(lua, 1);
        }
    }
    if (good && named > 0 && total != named) {
        good = refuse_value(writer, "a table has both names and positions, beside ", keys[0]);
    } else if (good && named > NAMES_MAX) {
        good = refuse_value(writer, "a table has more than 512 names", "");
    } else if (good && named == 0 && total != length) {
        good = refuse_value(writer, "a list has a gap (nil) in it", "");
    } else if (good && named == 0 && total > 0) {
        good = write_list(writer, index, length, depth);
    } else if (good) {
        good = write_object(writer, index, keys, named, depth);
    }
    free(keys);
    return good;
}

static bool write_value(json_writer *writer, int index, int depth) {
    lua_State *lua = writer->lua;
    size_t length;
    if (writer->out.length > BYTES_MAX) {
        return refuse_value(writer, "the data are larger than 16 MiB as text", "");
    }
    switch (lua_type(lua, index)) {
    case LUA_TNUMBER:
        if (lua_isinteger(lua, index)) {
            rft_str_addf(&writer->out, "%lld", (long long)lua_tointeger(lua, index));
        } else if (isfinite(lua_tonumber(lua, index))) {
            rft_str_add_double(&writer->out, lua_tonumber(lua, index));
        } else {
            rft_str_add(&writer->out, "null");
        }
        return true;
    case LUA_TBOOLEAN:
        rft_str_add(&writer->out, lua_toboolean(lua, index) ? "true" : "false");
        return true;
    case LUA_TSTRING: {
        const char *text = lua_tolstring(lua, index, &length);
        write_text(writer, text, length);
        return true;
    }
    case LUA_TTABLE:
        return write_table(writer, index, depth);
    default:
        return refuse_value(writer, "a data file cannot hold a ", lua_typename(lua, lua_type(lua, index)));
    }
}

char *rft_table_json(lua_State *lua, int index, char *problem, size_t problem_size) {
    json_writer writer = {.lua = lua, .out = RFT_STR_INIT};
    writer.problem = problem;
    writer.problem_size = problem_size;
    if (!write_value(&writer, index, 0)) {
        rft_str_clear(&writer.out);
        return NULL;
    }
    return rft_str_take(&writer.out);
}
