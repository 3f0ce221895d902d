/* SPDX-License-Identifier: Apache-2.0 */
/* lua_struct.c - arguments of a launch, and struct { i32(p.n), f32(0.5), b.x }: several in one, laid out as C does. */
#include "script/lua/lua_struct.h"

#include "base/str.h"
#include "script/lua/lua_read.h"

#include <stdio.h>
#include <string.h>

#define DEPTH_MAX 8
#define ITEMS_MAX RFT_STRUCT_BYTES_MAX
#define ALIGNMENT_MAX 128
#define MAP_BYTES 128
#define MAP_ALIGNMENT 64
#define LAYOUT_BYTES 200

const rft_arg *rft_struct_fields(const rft_struct_tag *tag) {
    return (const rft_arg *)(tag + 1);
}

const unsigned char *rft_struct_image(const rft_struct_tag *tag) {
    return (const unsigned char *)(rft_struct_fields(tag) + tag->field_count);
}

const char *rft_struct_layout(const rft_struct_tag *tag) {
    return (const char *)rft_struct_image(tag) + tag->bytes;
}

/* ---- arguments ---- */

static const char *hex_of(const unsigned char *bytes, size_t count, rft_arena *arena) {
    char *hex = rft_arena_alloc(arena, 2 * count + 1);
    rft_text_of_bytes(hex, bytes, count);
    return hex;
}

static void read_struct(lua_State *lua, const rft_at *at, const rft_struct_tag *tag, rft_arena *arena, rft_arg *out) {
    if (tag->field_count > 0) {
        rft_handle_check_turn(lua, at, tag->turn);
    }
    out->kind = RFT_ARG_STRUCT;
    out->bytes = tag->bytes;
    out->hex = hex_of(rft_struct_image(tag), tag->bytes, arena);
    out->layout = rft_arena_strdup(arena, rft_struct_layout(tag));
    out->field_count = tag->field_count;
    out->fields = rft_arena_calloc(arena, tag->field_count + 1, sizeof(*out->fields));
    memcpy(out->fields, rft_struct_fields(tag), tag->field_count * sizeof(*out->fields));
}

/* A buffer, scalar or tensor map on top; false: none of them. */
static bool read_plain(lua_State *lua, const rft_at *at, rft_arg *out) {
    const rft_handle_tag *handle = luaL_testudata(lua, -1, RFT_TAG_HANDLE);
    const rft_scalar_tag *scalar = luaL_testudata(lua, -1, RFT_TAG_SCALAR);
    const rft_map_tag *map = luaL_testudata(lua, -1, RFT_TAG_MAP);
    *out = (rft_arg){0};
    if (handle) {
        rft_handle_check_turn(lua, at, handle->turn);
        out->kind = RFT_ARG_BUFFER;
        out->buffer = handle->buffer;
        out->offset_bytes = handle->offset_bytes;
        out->type = handle->passed_as;
        out->is_cast = handle->is_cast;
    } else if (scalar) {
        out->kind = RFT_ARG_SCALAR;
        out->type = scalar->type;
        memcpy(out->scalar, scalar->bytes, sizeof(out->scalar));
    } else if (map) {
        rft_handle_check_turn(lua, at, map->turn);
        out->kind = RFT_ARG_TENSOR_MAP;
        out->buffer = map->buffer;
        out->map = map->map;
    } else if (lua_type(lua, -1) == LUA_TNUMBER || lua_type(lua, -1) == LUA_TBOOLEAN) {
        rft_read_fail(lua, at, "write i32(...), i64(...), f32(...): the type of the kernel's parameter",
                      "a plain number has no type");
    }
    return handle || scalar || map;
}

void rft_arg_read(lua_State *lua, const rft_at *at, rft_arena *arena, rft_arg *out) {
    const rft_struct_tag *tag = luaL_testudata(lua, -1, RFT_TAG_STRUCT);
    if (tag) {
        read_struct(lua, at, tag, arena, out);
    } else if (!read_plain(lua, at, out)) {
        rft_read_wrong(lua, -1, at,
                       "a buffer like b.x, a typed scalar like i64(p.n), tensor_map(...) or struct { ... }");
    }
}

/* ---- struct { ... } ---- */

typedef struct builder {
    unsigned char image[RFT_STRUCT_BYTES_MAX];
    size_t bytes, alignment;
    rft_arg fields[RFT_STRUCT_FIELDS_MAX];
    size_t field_count;
    char layout[LAYOUT_BYTES];
    size_t layout_length;
    bool is_cut;
} builder;

/* Room for a field, whose offset it returns. */
static size_t add_room(lua_State *lua, const rft_at *at, builder *b, size_t bytes, size_t alignment) {
    size_t offset = (b->bytes + alignment - 1) / alignment * alignment;
    if (offset + bytes > RFT_STRUCT_BYTES_MAX) {
        rft_read_fail(lua, at, "larger data belongs in a buffer", "a kernel's parameters have %d bytes together",
                      RFT_STRUCT_BYTES_MAX);
    }
    b->alignment = alignment > b->alignment ? alignment : b->alignment;
    b->bytes = offset + bytes;
    return offset;
}

/* What does not fit is left out, and so is all behind it. */
static void describe_field(builder *b, const char *what, size_t offset) {
    static const char cut[] = ", ...";
    char at[32];
    snprintf(at, sizeof(at), " at %zu", offset);
    const char *const parts[] = {b->layout_length ? ", " : "", what, at};
    size_t length = strlen(parts[0]) + strlen(what) + strlen(at);
    if (b->is_cut || b->layout_length + length + sizeof(cut) > sizeof(b->layout)) {
        memcpy(b->layout + b->layout_length, cut, b->is_cut ? 0 : sizeof(cut));
        b->is_cut = true;
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        memcpy(b->layout + b->layout_length, parts[i], strlen(parts[i]) + 1);
        b->layout_length += strlen(parts[i]);
    }
}

static void add_address(lua_State *lua, const rft_at *at, builder *b, const rft_arg *arg, size_t offset) {
    if (b->field_count == RFT_STRUCT_FIELDS_MAX) {
        rft_read_fail(lua, at, NULL, "more than %d buffers in a struct", RFT_STRUCT_FIELDS_MAX);
    }
    b->fields[b->field_count] = *arg;
    b->fields[b->field_count++].at = offset;
}

/* The value on top. */
static void add_plain(lua_State *lua, const rft_at *at, builder *b, const rft_arg *arg) {
    const rft_handle_tag *handle = luaL_testudata(lua, -1, RFT_TAG_HANDLE);
    bool is_map = arg->kind == RFT_ARG_TENSOR_MAP, is_scalar = arg->kind == RFT_ARG_SCALAR;
    size_t bytes = is_scalar ? rft_type_bytes(arg->type) : is_map ? MAP_BYTES : sizeof(uint64_t);
    size_t offset = add_room(lua, at, b, bytes, is_map ? MAP_ALIGNMENT : bytes);
    if (is_scalar) {
        memcpy(b->image + offset, arg->scalar, bytes);
        describe_field(b, rft_type_name(arg->type), offset);
    } else {
        add_address(lua, at, b, arg, offset);
        describe_field(b, is_map || !handle ? "a tensor map" : handle->name, offset);
    }
}

static void add_nested(lua_State *lua, const rft_at *at, builder *b, const rft_struct_tag *tag) {
    size_t offset = add_room(lua, at, b, tag->bytes, tag->alignment);
    char what[60];
    if (tag->field_count > 0) {
        rft_handle_check_turn(lua, at, tag->turn);
    }
    memcpy(b->image + offset, rft_struct_image(tag), tag->bytes);
    for (size_t i = 0; i < tag->field_count; i++) {
        add_address(lua, at, b, &rft_struct_fields(tag)[i], offset + rft_struct_fields(tag)[i].at);
    }
    snprintf(what, sizeof(what), "a struct of %zu bytes", tag->bytes);
    describe_field(b, what, offset);
}

/* The fields of the list on top; an array is a list in it. */
static void add_fields(lua_State *lua, const rft_at *at, builder *b, int depth) {
    lua_Integer count = (lua_Integer)lua_rawlen(lua, -1);
    for (lua_Integer i = 1; i <= count; i++) {
        rft_at here = {at, NULL, i};
        rft_arg arg;
        lua_rawgeti(lua, -1, i);
        const rft_struct_tag *tag = luaL_testudata(lua, -1, RFT_TAG_STRUCT);
        if (tag) {
            add_nested(lua, &here, b, tag);
        } else if (lua_istable(lua, -1) && depth < DEPTH_MAX) {
            rft_read_list(lua, -1, &here, ITEMS_MAX);
            luaL_checkstack(lua, 4, NULL);
            add_fields(lua, &here, b, depth + 1);
        } else if (read_plain(lua, &here, &arg)) {
            add_plain(lua, &here, b, &arg);
        } else {
            rft_read_wrong(lua, -1, &here,
                           "a typed scalar like i32(p.n), a buffer like b.x, a list of them, or struct { ... }");
        }
        lua_pop(lua, 1);
    }
}

/* float4 and the like begin at multiples of more than their fields do. */
static void read_alignment(lua_State *lua, const rft_at *root, builder *b) {
    rft_at at = {root, "align", 0};
    if (rft_read_field(lua, 1, "align")) {
        size_t given = (size_t)rft_read_int(lua, -1, &at, 1, ALIGNMENT_MAX);
        if ((given & (given - 1)) != 0) {
            rft_read_fail(lua, &at, "16 for a float4", "%zu is no power of two", given);
        }
        b->alignment = given > b->alignment ? given : b->alignment;
    }
    lua_pop(lua, 1);
}

/* A table's named fields have no order. */
static void refuse_names(lua_State *lua, const rft_at *root) {
    const char *keys[8];
    size_t count = rft_read_sorted_keys(lua, 1, keys, 8);
    for (size_t i = 0; i < count; i++) {
        rft_at at = {root, keys[i], 0};
        rft_read_field(lua, 1, keys[i]);
        if (lua_isuserdata(lua, -1) || lua_istable(lua, -1)) {
            rft_read_fail(lua, &at, "write them in their order: struct { i32(p.n), f32(0.5), b.x }",
                          "fields have no names");
        }
        lua_pop(lua, 1);
    }
}

static int api_struct(lua_State *lua) {
    rft_at root = {NULL, "struct", 0};
    static const builder empty = {.alignment = 1};
    lua_settop(lua, 1);
    rft_read_table(lua, 1, &root);
    refuse_names(lua, &root);
    rft_read_keys(lua, 1, &root, RFT_KEYS_STRUCT, ITEMS_MAX);
    builder b = empty;
    add_fields(lua, &root, &b, 0);
    read_alignment(lua, &root, &b);
    size_t padded = (b.bytes + b.alignment - 1) / b.alignment * b.alignment;
    padded = padded ? padded : b.alignment; /* as C++ has it: an empty struct has a byte */
    if (padded > RFT_STRUCT_BYTES_MAX) {
        padded = b.bytes;
    }
    size_t fields_bytes = b.field_count * sizeof(rft_arg), layout_bytes = strlen(b.layout) + 1;
    rft_struct_tag *tag = rft_tag_new(lua, RFT_TAG_STRUCT, sizeof(*tag) + fields_bytes + padded + layout_bytes, 0);
    *tag = (rft_struct_tag){
        .bytes = padded, .alignment = b.alignment, .field_count = b.field_count, .turn = rft_lua_script(lua)->turn};
    memcpy((rft_arg *)(uintptr_t)rft_struct_fields(tag), b.fields, fields_bytes);
    memcpy((unsigned char *)(uintptr_t)rft_struct_image(tag), b.image, padded);
    memcpy((char *)(uintptr_t)rft_struct_layout(tag), b.layout, layout_bytes);
    return 1;
}

void rft_struct_open(lua_State *lua) {
    luaL_newmetatable(lua, RFT_TAG_STRUCT);
    lua_pop(lua, 1);
    lua_pushcfunction(lua, api_struct);
    lua_setfield(lua, -2, "struct");
}
