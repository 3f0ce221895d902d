/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_constants.c - constants = { d_filter = input(f32, 225), alpha = f32(2.0) }: what variables of the code hold. */
#include "script/lua/lua_struct.h"
#include "script/sweep_parts.h"

#include "base/str.h"
#include "model/sweep/names.h"

#include <ctype.h>
#include <string.h>

#define KEYS_MAX (RFT_BUFFERS_MAX + 1) /* one more than may be: then there are too many */

static rft_fill given(const void *bytes, size_t count, rft_arena *arena) {
    char *hex = rft_arena_alloc(arena, 2 * count + 1);
    rft_text_of_bytes(hex, bytes, count);
    return (rft_fill){.kind = RFT_FILL_GIVEN, .identity = hex};
}

static rft_buffer of_struct(lua_State *lua, const rft_at *at, const rft_struct_tag *tag, rft_arena *arena) {
    if (tag->field_count > 0) {
        rft_read_fail(lua, at, "give the buffer to the launch as an argument",
                      "a constant has no addresses of buffers");
    }
    return (rft_buffer){
        .type = RFT_TYPE_U8, .count = tag->bytes, .fill = given(rft_struct_image(tag), tag->bytes, arena)};
}

/* The value on top. */
static rft_buffer read_constant(lua_State *lua, const rft_at *at, rft_arena *arena) {
    const rft_buffer *buffer = luaL_testudata(lua, -1, RFT_TAG_BUFFER);
    const rft_scalar_tag *scalar = luaL_testudata(lua, -1, RFT_TAG_SCALAR);
    const rft_struct_tag *tag = luaL_testudata(lua, -1, RFT_TAG_STRUCT);
    if (buffer && buffer->role != RFT_BUFFER_INPUT) {
        rft_read_fail(lua, at, "input(TYPE, n); memory that a kernel writes belongs in buffers",
                      "a constant is filled before the kernel runs, and stays as it is");
    }
    if (!buffer && !scalar && !tag) {
        rft_read_wrong(lua, -1, at, "input(...), a typed scalar like f32(2.0), or struct { ... }");
    }
    rft_buffer constant = buffer ? *buffer : (rft_buffer){.count = 1};
    rft_fill_read(lua, at, arena, &constant);
    if (scalar) {
        constant.type = scalar->type;
        constant.fill = given(scalar->bytes, rft_type_bytes(scalar->type), arena);
    } else if (tag) {
        constant = of_struct(lua, at, tag, arena);
    }
    constant.role = RFT_BUFFER_CONSTANT;
    return constant;
}

static bool is_name_byte(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '$';
}

/* Identifiers with :: between them. */
static bool is_variable_name(const char *name) {
    bool expects = true; /* an identifier */
    for (const char *at = name; *at; at++) {
        if (is_name_byte(*at)) {
            expects = false;
        } else if (strncmp(at, "::", 2) == 0 && !expects) {
            at++;
            expects = true;
        } else {
            return false;
        }
    }
    return !expects && strlen(name) <= RFT_ENTRY_MAX;
}

/* "&ns::d_filter", as a name expression has it, and "::d_filter" are the same variable. */
static const char *variable_name(lua_State *lua, const rft_at *at, const char *written) {
    const char *name = written + (*written == '&');
    name += strncmp(name, "::", 2) == 0 ? 2 : 0;
    if (!is_variable_name(name)) {
        rft_read_fail(lua, at,
                      "the name as in the source, with its namespace: [\"ns::d_filter\"] = input(...); a "
                      "template's variable goes by its symbol, which cuobjdump -elf shows",
                      "\"%.60s\" is no variable's name", name);
    }
    return name;
}

rft_buffer *rft_constants_read(lua_State *lua, const rft_at *at, rft_arena *arena, size_t most, size_t *count) {
    const char *keys[KEYS_MAX];
    rft_read_table(lua, -1, at);
    if (lua_rawlen(lua, -1) > 0) {
        rft_read_fail(lua, at, NULL, "expected VARIABLE = input(...), got a list");
    }
    *count = rft_read_sorted_keys(lua, -1, keys, KEYS_MAX);
    if (*count > most) {
        rft_read_fail(lua, at, NULL, "more than %d buffers and constants", RFT_BUFFERS_MAX);
    }
    rft_buffer *constants = rft_arena_calloc(arena, *count + 1, sizeof(*constants));
    for (size_t i = 0; i < *count; i++) {
        rft_at here = {at, keys[i], 0};
        rft_read_field(lua, -1, keys[i]);
        constants[i] = read_constant(lua, &here, arena);
        constants[i].name = rft_arena_strdup(arena, variable_name(lua, &here, keys[i]));
        lua_pop(lua, 1);
        for (size_t j = 0; j < i; j++) {
            if (strcmp(constants[j].name, constants[i].name) == 0) {
                rft_read_fail(lua, &here, NULL, "\"%s\" is there twice", constants[i].name);
            }
        }
    }
    return constants;
}

void rft_constants_of_kernel(lua_State *lua, int table, rft_kernel_facts *kernel) {
    rft_at root = {NULL, "kernel", 0};
    rft_at at = {&root, "constants", 0};
    kernel->constants_ref = LUA_NOREF;
    if (!rft_read_field(lua, table, "constants")) {
        lua_pop(lua, 1);
        return;
    }
    if (lua_isfunction(lua, -1)) {
        lua_Debug record;
        rft_read_function(lua, -1, &at);
        lua_pushvalue(lua, -1);
        lua_getinfo(lua, ">u", &record);
        kernel->constants_fixed = !record.isvararg && record.nparams < 2;
        kernel->constants_ref = luaL_ref(lua, LUA_REGISTRYINDEX);
        return;
    }
    kernel->constants =
        rft_constants_read(lua, &at, rft_lua_script(lua)->arena, RFT_BUFFERS_MAX - 1, &kernel->constant_count);
    lua_pop(lua, 1);
}
