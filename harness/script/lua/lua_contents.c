/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_contents.h"

#include "base/fs.h"
#include "base/str.h"
#include "script/lua/lua_modules.h"
#include "script/lua/lua_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- files ---- */

/* A file that was named: points come in their thousands, and it stays the same. */
struct rft_named_file {
    rft_npy_file file; /* first: file() hands out its address */
    rft_npy npy;       /* item_bytes 0: not looked at */
    const rft_script_file *from;
    const char *written, *path;
    struct rft_named_file *next;
};

static struct rft_named_file *find(rft_script *script, const rft_script_file *from, const char *written) {
    struct rft_named_file *at = script->named_files;
    while (at && (at->from != from || strcmp(at->written, written) != 0)) {
        at = at->next;
    }
    return at;
}

static struct rft_named_file *name_file(lua_State *lua, const rft_at *at, const rft_script_file *from,
                                        const char *written) {
    rft_script *script = rft_lua_script(lua);
    struct rft_named_file *named = find(script, from, written);
    if (named) {
        return named;
    }
    rft_lua_check_kept(lua);
    const char *path = rft_modules_path(script, from, written);
    rft_modules_check_path(lua, at, path);
    if (!rft_fs_exists(path) || rft_fs_is_folder(path)) {
        rft_modules_no_file(lua, at, path);
    }
    named = rft_arena_alloc(script->arena, sizeof *named);
    named->from = from;
    named->written = rft_arena_strdup(script->arena, written);
    named->path = path;
    named->next = script->named_files;
    script->named_files = named;
    return named;
}

const char *rft_contents_path(lua_State *lua, const rft_at *at, const rft_script_file *file, const char *written) {
    return name_file(lua, at, file, written)->path;
}

/* The file as it is after links: what was checked is what is opened. */
static void look_at(lua_State *lua, const rft_at *at, struct rft_named_file *named) {
    rft_script *script = rft_lua_script(lua);
    rft_err failed = RFT_ERR_INIT;
    char *real = rft_fs_absolute(named->path);
    const char *path = rft_arena_strdup(script->arena, real);
    free(real);
    rft_modules_check_path(lua, at, path);
    if (rft_npy_look(&named->npy, &named->file, path, &failed) != RFT_OK) {
        named->npy.item_bytes = 0;
        rft_read_fail_code(lua, at, failed.code, failed.remedy[0] ? failed.remedy : NULL, "%s: %s", named->path,
                           failed.message);
    }
}

static int api_file(lua_State *lua) {
    rft_at here = {NULL, "file", 0};
    const char *written = rft_read_text(lua, 1, &here);
    struct rft_named_file *named = name_file(lua, &here, rft_modules_caller(lua), written);
    if (named->npy.item_bytes == 0) {
        look_at(lua, &here, named);
    }
    rft_fill *fill = rft_tag_new(lua, RFT_TAG_FILL, sizeof(*fill), 0);
    *fill = (rft_fill){.kind = RFT_FILL_FILE, .identity = named->file.path, .file = &named->file};
    return 1;
}

/* A format that NumPy has no type of is saved as whole numbers without a sign, or, by ml_dtypes, as bytes. */
static bool is_of(const rft_npy *npy, rft_type type) {
    bool real = rft_type_significand_bits(type) > 0, has_numpy = type <= RFT_TYPE_F16;
    if (npy->item_bytes != rft_type_bytes(type)) {
        return false;
    }
    if (real) {
        return has_numpy ? npy->kind == 'f' : npy->kind == 'u' || npy->kind == 'V';
    }
    bool is_unsigned = rft_type_name(type)[0] == 'u';
    return npy->kind == (is_unsigned ? 'u' : 'i') || (npy->kind == 'b' && type == RFT_TYPE_U8);
}

static const char *numpy_type(rft_type type) {
    static const char *const names[RFT_TYPE_COUNT] = {
        [RFT_TYPE_F64] = "<f8",        [RFT_TYPE_F32] = "<f4",        [RFT_TYPE_F16] = "<f2",
        [RFT_TYPE_BF16] = "<u2 or V2", [RFT_TYPE_E4M3] = "|u1 or V1", [RFT_TYPE_E5M2] = "|u1 or V1",
        [RFT_TYPE_I8] = "|i1",         [RFT_TYPE_U8] = "|u1 or |b1",  [RFT_TYPE_I16] = "<i2",
        [RFT_TYPE_U16] = "<u2",        [RFT_TYPE_I32] = "<i4",        [RFT_TYPE_U32] = "<u4",
        [RFT_TYPE_I64] = "<i8",        [RFT_TYPE_U64] = "<u8"};
    return names[type];
}

static void check_file(lua_State *lua, const rft_at *at, const rft_npy_file *file, rft_type type, uint64_t count) {
    const struct rft_named_file *named = (const struct rft_named_file *)file;
    if (!is_of(&named->npy, type)) {
        rft_read_fail(lua, at, "declare the input as what the file holds, or save array.astype(...) as that type",
                      "%s holds \"%s\", and %s is %s there", named->written, named->npy.dtype, rft_type_name(type),
                      numpy_type(type));
    }
    if (named->npy.count != count) {
        rft_read_fail(lua, at, "the whole array is read: give its size", "%s holds %llu elements, the buffer has %llu",
                      named->written, (unsigned long long)named->npy.count, (unsigned long long)count);
    }
}

/* ---- filled by a kernel ---- */

static int api_from(lua_State *lua) {
    rft_at here = {NULL, "from", 0}, first = {&here, NULL, 1};
    if (lua_istable(lua, 1)) {
        rft_read_keys(lua, 1, &here, RFT_KEYS_FROM, 1);
        lua_rawgeti(lua, 1, 1);
        rft_read_text(lua, -1, &first);
        lua_pop(lua, 1);
    } else if (lua_type(lua, 1) != LUA_TSTRING) {
        rft_read_wrong(lua, 1, &here, "\"FILE.cu:NAME\" or { \"FILE.cu:NAME\", args = { ... } }");
    }
    rft_from_tag *tag = rft_tag_new(lua, RFT_TAG_FROM, sizeof(*tag), 1);
    tag->file = rft_modules_caller(lua);
    rft_lua_place(lua, tag->place, sizeof(tag->place));
    lua_pushvalue(lua, 1);
    lua_setiuservalue(lua, -2, 1);
    return 1;
}

/* ---- seeded ---- */

static double limit_of(lua_State *lua, int index, const char *name) {
    rft_at root = {NULL, "uniform", 0};
    rft_at here = {&root, name, 0};
    return rft_read_real(lua, index, &here, -9007199254740992.0, 9007199254740992.0);
}

static int api_uniform(lua_State *lua) {
    rft_fill fill = {.kind = RFT_FILL_UNIFORM};
    fill.low = limit_of(lua, 1, "low");
    fill.high = limit_of(lua, 2, "high");
    if (fill.low > fill.high) {
        rft_lua_fault(lua, RFT_E_SCRIPT, "uniform(0, 1); uniform(2, 2) is 2 everywhere",
                      "uniform: the first limit must not be above the second");
    }
    fill.high = fill.low == fill.high ? nextafter(fill.low, HUGE_VAL) : fill.high; /* the range holds `low` alone */
    *(rft_fill *)rft_tag_new(lua, RFT_TAG_FILL, sizeof(fill), 0) = fill;
    return 1;
}

static int api_integers(lua_State *lua) {
    rft_at root = {NULL, "integers", 0};
    rft_read_keys(lua, 1, &root, RFT_KEYS_INTEGERS, 0);
    rft_fill fill = {.kind = RFT_FILL_INTEGERS, .order = RFT_ORDER_RANDOM};
    rft_at below = {&root, "below", 0};
    rft_read_field(lua, 1, "below");
    fill.below = rft_read_int(lua, -1, &below, 1, INT64_MAX);
    rft_at order = {&root, "order", 0};
    if (rft_read_field(lua, 1, "order")) {
        static const char *const names[] = {"random", "sorted", "zipf"};
        const char *name = rft_read_text(lua, -1, &order);
        int found = -1;
        for (int i = 0; i < 3; i++) {
            found = strcmp(name, names[i]) == 0 ? i : found;
        }
        if (found < 0) {
            char hint[120];
            rft_read_hint(hint, sizeof(hint), name, names, 3);
            rft_read_fail(lua, &order, "known orders: random, sorted, zipf", "unknown order \"%.40s\"%s", name, hint);
        }
        fill.order = (rft_order)found;
    }
    *(rft_fill *)rft_tag_new(lua, RFT_TAG_FILL, sizeof(fill), 0) = fill;
    return 1;
}

/* ---- buffers ---- */

/* What a buffer holds when the script does not say: small enough that products and sums stay well inside half
 * precision, with both signs where the type has them. */
static rft_fill default_fill(rft_type type) {
    rft_fill fill = {.kind = RFT_FILL_UNIFORM, .low = -1, .high = 1};
    if (rft_type_significand_bits(type) == 0) {
        bool is_unsigned = rft_type_name(type)[0] == 'u';
        fill.low = is_unsigned ? 0 : -8;
        fill.high = is_unsigned ? 16 : 8;
    }
    return fill;
}

/* The third argument. What a kernel fills is read once all buffers are known. */
static void read_contents(lua_State *lua, const rft_at *at, bool filled, rft_buffer *buffer) {
    const rft_fill *fill = luaL_testudata(lua, 3, RFT_TAG_FILL);
    bool from = luaL_testudata(lua, 3, RFT_TAG_FROM) != NULL;
    if (!filled || (!fill && !from)) {
        rft_read_wrong(lua, 3, at,
                       filled ? "uniform(a, b), integers{...}, from \"FILE.cu:NAME\" or file \"FILE.npy\""
                              : "no fill: only input and inout");
    }
    buffer->fill = fill ? *fill : (rft_fill){.kind = RFT_FILL_KERNEL};
    if (buffer->fill.kind == RFT_FILL_FILE) {
        check_file(lua, at, buffer->fill.file, buffer->type, buffer->count);
    }
}

static int new_buffer(lua_State *lua, const char *function, rft_buffer_role role) {
    rft_at root = {NULL, function, 0};
    rft_at type_at = {&root, "type", 0}, count_at = {&root, "n", 0}, fill_at = {&root, "fill", 0};
    rft_type *type = luaL_testudata(lua, 1, RFT_TAG_TYPE);
    if (!type) {
        rft_read_wrong(lua, 1, &type_at, "an element type (f32, f16, bf16, i32, ...)");
    }
    rft_buffer buffer = {.type = *type, .role = role, .fill = {.kind = RFT_FILL_NONE}};
    buffer.count = (uint64_t)rft_read_int(lua, 2, &count_at, 1, (int64_t)1 << 48);
    bool filled = role == RFT_BUFFER_INPUT || role == RFT_BUFFER_INOUT;
    if (filled) {
        buffer.fill = default_fill(buffer.type);
    }
    if (!lua_isnoneornil(lua, 3)) {
        read_contents(lua, &fill_at, filled, &buffer);
    }
    *(rft_buffer *)rft_tag_new(lua, RFT_TAG_BUFFER, sizeof(buffer), 1) = buffer;
    if (buffer.fill.kind == RFT_FILL_KERNEL) {
        lua_pushvalue(lua, 3);
        lua_setiuservalue(lua, -2, 1);
    }
    return 1;
}

static int api_input(lua_State *lua) {
    return new_buffer(lua, "input", RFT_BUFFER_INPUT);
}

static int api_output(lua_State *lua) {
    return new_buffer(lua, "output", RFT_BUFFER_OUTPUT);
}

static int api_inout(lua_State *lua) {
    return new_buffer(lua, "inout", RFT_BUFFER_INOUT);
}

static int api_temp(lua_State *lua) {
    return new_buffer(lua, "temp", RFT_BUFFER_TEMP);
}

void rft_contents_open(lua_State *lua) {
    static const char *const tags[] = {RFT_TAG_BUFFER, RFT_TAG_FILL, RFT_TAG_FROM};
    static const luaL_Reg functions[] = {{"uniform", api_uniform}, {"integers", api_integers}, {"from", api_from},
                                         {"file", api_file},       {"input", api_input},       {"output", api_output},
                                         {"inout", api_inout},     {"temp", api_temp},         {NULL, NULL}};
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        luaL_newmetatable(lua, tags[i]);
        lua_pop(lua, 1);
    }
    luaL_setfuncs(lua, functions, 0);
}
