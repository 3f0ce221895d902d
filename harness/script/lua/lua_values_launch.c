/* SPDX-License-Identifier: Apache-2.0 */
/* lua_values_launch.c - what a launch is described with: element types, typed scalars, memset, tensor maps, handles. */
#include "script/lua/lua_read.h"
#include "script/lua/lua_values.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

/* Rounds to nearest even into a format of `exponent_bits` and `mantissa_bits`; IEEE formats overflow to infinity,
 * e4m3 (no infinity) saturates at its largest finite value, as cvt.rn.satfinite does. */
static uint32_t encode_small(double real, int exponent_bits, int mantissa_bits, bool has_infinity) {
    uint32_t sign = signbit(real) ? 1u << (exponent_bits + mantissa_bits) : 0;
    uint32_t all_exponent = ((1u << exponent_bits) - 1) << mantissa_bits;
    uint32_t all_mantissa = (1u << mantissa_bits) - 1;
    if (isnan(real)) {
        return sign | all_exponent | (has_infinity ? 1u << (mantissa_bits - 1) : all_mantissa);
    }
    uint32_t over = has_infinity ? all_exponent : all_exponent | all_mantissa;
    double magnitude = fabs(real);
    uint32_t code;
    if (isinf(real)) {
        code = over;
    } else {
        int least = 2 - (1 << (exponent_bits - 1)); /* exponent of the smallest normal number */
        int exponent = magnitude > 0 ? ilogb(magnitude) : least;
        if (exponent < least) {
            exponent = least;
        }
        double units = nearbyint(ldexp(magnitude, mantissa_bits - exponent));
        double wide = ldexp((double)(exponent - least), mantissa_bits) + units;
        code = wide >= (double)over ? over : (uint32_t)wide;
    }
    if (!has_infinity && code >= over) {
        code = over - 1; /* the last code is NaN */
    }
    return sign | code;
}

static bool encode_integer(rft_type type, int64_t integer, unsigned char out[8]) {
    size_t bits = 8 * rft_type_bytes(type);
    if (rft_type_name(type)[0] == 'u') {
        if (integer < 0 || (bits < 64 && integer >> bits != 0)) {
            return false;
        }
    } else if (bits < 64 && (integer < -((int64_t)1 << (bits - 1)) || integer >= (int64_t)1 << (bits - 1))) {
        return false;
    }
    for (size_t i = 0; i < bits / 8; i++) {
        out[i] = (unsigned char)((uint64_t)integer >> (8 * i));
    }
    return true;
}

bool rft_scalar_encode(rft_type type, double real, int64_t integer, unsigned char out[8]) {
    memset(out, 0, 8);
    if (rft_type_significand_bits(type) == 0) {
        return encode_integer(type, integer, out);
    }
    uint64_t code = 0;
    float single = (float)real;
    uint32_t single_bits;
    switch (type) {
    case RFT_TYPE_F64:
        memcpy(&code, &real, sizeof(real));
        break;
    case RFT_TYPE_F32:
        memcpy(&single_bits, &single, sizeof(single));
        code = single_bits;
        break;
    case RFT_TYPE_F16:
        code = encode_small(real, 5, 10, true);
        break;
    case RFT_TYPE_BF16:
        code = encode_small(real, 8, 7, true);
        break;
    case RFT_TYPE_E4M3:
        code = encode_small(real, 4, 3, false);
        break;
    case RFT_TYPE_E5M2:
        code = encode_small(real, 5, 2, true);
        break;
    default:
        return false;
    }
    for (int i = 0; i < 8; i++) {
        out[i] = (unsigned char)(code >> (8 * i));
    }
    return true;
}

/* f32(2.0): the type called as a function. */
static int type_call(lua_State *lua) {
    rft_type type = *(rft_type *)luaL_checkudata(lua, 1, RFT_TAG_TYPE);
    rft_at here = {NULL, rft_type_name(type), 0};
    double real = 0;
    int64_t integer = 0;
    if (rft_type_significand_bits(type) == 0) {
        if (lua_isboolean(lua, 2)) {
            integer = lua_toboolean(lua, 2);
        } else {
            integer = rft_read_int(lua, 2, &here, INT64_MIN, INT64_MAX);
        }
    } else if (lua_type(lua, 2) == LUA_TNUMBER) {
        real = lua_tonumber(lua, 2); /* infinities and NaN are values too */
    } else {
        rft_read_wrong(lua, 2, &here, "a number");
    }
    rft_scalar_tag *scalar = rft_tag_new(lua, RFT_TAG_SCALAR, sizeof(*scalar), 0);
    scalar->type = type;
    if (!rft_scalar_encode(type, real, integer, scalar->bytes)) {
        rft_read_fail(lua, &here, "use a wider type", "%lld does not fit", (long long)integer);
    }
    return 1;
}

static int type_text(lua_State *lua) {
    lua_pushstring(lua, rft_type_name(*(rft_type *)luaL_checkudata(lua, 1, RFT_TAG_TYPE)));
    return 1;
}

void rft_handle_check_turn(lua_State *lua, const rft_at *at, uint64_t turn) {
    if (turn != rft_lua_script(lua)->turn) {
        rft_read_fail(lua, at, "use the b that launch() and prepare() are called with",
                      "this buffer belongs to an earlier point");
    }
}

static const rft_handle_tag *read_handle(lua_State *lua, int index, const rft_at *at) {
    const rft_handle_tag *handle = luaL_testudata(lua, index, RFT_TAG_HANDLE);
    if (!handle) {
        rft_read_wrong(lua, index, at, "a buffer of b, like b.x");
    }
    rft_handle_check_turn(lua, at, handle->turn);
    return handle;
}

static int handle_offset(lua_State *lua) {
    rft_at root = {NULL, "offset", 0};
    rft_handle_tag handle = *read_handle(lua, 1, &root);
    rft_at here = {&root, "bytes", 0};
    uint64_t bytes = handle.count * rft_type_bytes(handle.type);
    handle.offset_bytes += (uint64_t)rft_read_int(lua, 2, &here, 0, (int64_t)1 << 48);
    if (handle.offset_bytes >= bytes) {
        rft_read_fail(lua, &here, NULL, "%llu bytes are outside the buffer of %llu bytes",
                      (unsigned long long)handle.offset_bytes, (unsigned long long)bytes);
    }
    *(rft_handle_tag *)rft_tag_new(lua, RFT_TAG_HANDLE, sizeof(handle), 0) = handle;
    return 1;
}

static int handle_as(lua_State *lua) {
    rft_at root = {NULL, "as", 0};
    rft_handle_tag handle = *read_handle(lua, 1, &root);
    rft_at here = {&root, "type", 0};
    const rft_type *type = luaL_testudata(lua, 2, RFT_TAG_TYPE);
    if (!type) {
        rft_read_wrong(lua, 2, &here, "an element type, like u32");
    }
    handle.passed_as = *type;
    handle.is_cast = true;
    *(rft_handle_tag *)rft_tag_new(lua, RFT_TAG_HANDLE, sizeof(handle), 0) = handle;
    return 1;
}

/* A handle has methods only; anything else is a misspelling. */
static int handle_index(lua_State *lua) {
    const char *key = lua_type(lua, 2) == LUA_TSTRING ? lua_tostring(lua, 2) : "";
    lua_CFunction method = strcmp(key, "offset") == 0 ? handle_offset : strcmp(key, "as") == 0 ? handle_as : NULL;
    if (method) {
        lua_pushcfunction(lua, method);
        return 1;
    }
    rft_lua_fault(lua, RFT_E_SCRIPT, "b.NAME:offset(bytes) and b.NAME:as(type) are all a buffer can do",
                  "a buffer has no \"%.60s\"", key);
}

static int api_memset(lua_State *lua) {
    rft_at root = {NULL, "memset", 0};
    const rft_handle_tag *handle = read_handle(lua, 1, &root);
    rft_at here = {&root, "byte", 0};
    if (handle->offset_bytes != 0) {
        rft_read_fail(lua, &root, NULL, "sets a whole buffer, not from an offset");
    }
    int byte = (int)rft_read_int(lua, 2, &here, 0, 255);
    rft_memset_tag *tag = rft_tag_new(lua, RFT_TAG_MEMSET, sizeof(*tag), 0);
    *tag = (rft_memset_tag){.buffer = handle->buffer, .byte = byte, .turn = handle->turn};
    return 1;
}

static int api_resident(lua_State *lua) {
    rft_tag_new(lua, RFT_TAG_RESIDENT, 0, 0);
    return 1;
}

/* ---- tensor maps (cuTensorMapEncodeTiled, cuTensorMapEncodeIm2col; limits from the CUDA driver API reference) ---- */

static int read_one_of(lua_State *lua, const rft_at *root, const char *key, const int *allowed, size_t count) {
    rft_at here = {root, key, 0};
    if (!rft_read_field(lua, 3, key)) {
        lua_pop(lua, 1);
        return allowed[0];
    }
    int64_t value = rft_read_int(lua, -1, &here, INT32_MIN, INT32_MAX);
    lua_pop(lua, 1);
    for (size_t i = 0; i < count; i++) {
        if (value == allowed[i]) {
            return allowed[i];
        }
    }
    rft_read_fail(lua, &here, NULL, "%lld is not one of %d, %d, %d, %d", (long long)value, allowed[0], allowed[1],
                  allowed[2], allowed[3]);
}

static void read_map_strides(lua_State *lua, const rft_at *root, rft_tensor_map *map, size_t type_bytes) {
    rft_at at = {root, "strides", 0};
    uint64_t dense = map->dims[0] * type_bytes;
    bool given = rft_read_field(lua, 3, "strides");
    if (given && rft_read_list(lua, -1, &at, 4) != map->rank - 1) {
        rft_read_fail(lua, &at, NULL, "a map of %d dimensions has %d strides, in bytes", map->rank, map->rank - 1);
    }
    for (int i = 0; i + 1 < map->rank; i++) {
        rft_at here = {&at, NULL, i + 1};
        uint64_t stride = dense;
        if (given) {
            lua_rawgeti(lua, -1, i + 1);
            stride = (uint64_t)rft_read_int(lua, -1, &here, 1, ((int64_t)1 << 40) - 1);
            map->strides[i] = stride;
            lua_pop(lua, 1);
        }
        if (stride % 16 != 0) {
            rft_read_fail(lua, &here, "pad the rows", "%llu bytes: TMA needs multiples of 16",
                          (unsigned long long)stride);
        }
        if (stride >= (uint64_t)1 << 40) {
            rft_read_fail(lua, &here, NULL, "a stride must be below 2^40 bytes");
        }
        dense = stride < ((uint64_t)1 << 62) / map->dims[i + 1] ? stride * map->dims[i + 1] : (uint64_t)1 << 60;
    }
    lua_pop(lua, 1);
}

static void read_map_box(lua_State *lua, const rft_at *root, rft_tensor_map *map, size_t type_bytes) {
    rft_at at = {root, "box", 0};
    int sides = map->im2col ? 2 : map->rank;
    rft_read_field(lua, 3, "box");
    if (rft_read_list(lua, -1, &at, 5) != sides) {
        rft_read_fail(lua, &at, map->im2col ? "name channels and pixels: box = { 64, 128 }" : NULL,
                      "a map of %d dimensions needs a box of %d numbers", map->rank, sides);
    }
    for (int i = 0; i < sides; i++) {
        rft_at here = {&at, NULL, i + 1};
        lua_rawgeti(lua, -1, i + 1);
        map->box[i] = (uint32_t)rft_read_int(lua, -1, &here, 1, map->im2col && i > 0 ? 1024 : 256);
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
    size_t row_bytes = map->box[0] * type_bytes;
    rft_at first = {&at, NULL, 1};
    if (row_bytes % 16 != 0) {
        rft_read_fail(lua, &first, NULL, "%zu bytes: TMA copies rows of multiples of 16 bytes", row_bytes);
    }
    if (map->swizzle > 0 && row_bytes > (size_t)map->swizzle) {
        rft_read_fail(lua, &first, "use a smaller box or a wider swizzle", "%zu bytes are wider than the swizzle of %d",
                      row_bytes, map->swizzle);
    }
}

static void read_map_corner(lua_State *lua, const rft_at *im2col, const char *key, int rank, int out[3]) {
    rft_at at = {im2col, key, 0};
    rft_read_field(lua, -1, key);
    if (rft_read_list(lua, -1, &at, 3) != rank - 2) {
        rft_read_fail(lua, &at, NULL, "of %d dimensions %d have pixels: an offset for each, fastest first", rank,
                      rank - 2);
    }
    for (int i = 0; i < rank - 2; i++) {
        rft_at here = {&at, NULL, i + 1};
        lua_rawgeti(lua, -1, i + 1);
        out[i] = (int)rft_read_int(lua, -1, &here, -RFT_IM2COL_MOST(rank) - 1, RFT_IM2COL_MOST(rank));
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

static void read_map_im2col(lua_State *lua, const rft_at *root, rft_tensor_map *map) {
    rft_at at = {root, "im2col", 0};
    map->im2col = rft_read_field(lua, 3, "im2col");
    if (map->im2col) {
        rft_read_keys(lua, -1, &at, RFT_KEYS_IM2COL, 0);
        if (map->rank < 3) {
            rft_read_fail(lua, &at, NULL, "needs three to five dimensions: channels, pixels, images");
        }
        read_map_corner(lua, &at, "lower", map->rank, map->lower);
        read_map_corner(lua, &at, "upper", map->rank, map->upper);
    }
    lua_pop(lua, 1);
    for (int i = 0; map->im2col && i < map->rank - 2; i++) {
        if ((int64_t)map->dims[1 + i] + map->upper[i] - map->lower[i] < 1) {
            rft_read_fail(lua, &at, NULL, "no pixel lies between lower[%d] = %d and %llu - 1 + upper[%d] = %d", i + 1,
                          map->lower[i], (unsigned long long)map->dims[1 + i], i + 1, map->upper[i]);
        }
    }
}

static int read_map_tf32(lua_State *lua, const rft_at *root, rft_type type) {
    rft_at at = {root, "tf32", 0};
    int tf32 = rft_read_field(lua, 3, "tf32") && rft_read_bool(lua, -1, &at);
    lua_pop(lua, 1);
    if (tf32 && type != RFT_TYPE_F32) {
        rft_read_fail(lua, &at, NULL, "only elements of f32 are rounded to TF32");
    }
    return tf32;
}

static int api_tensor_map(lua_State *lua) {
    static const int swizzles[] = {0, 32, 64, 128};
    static const int promotions[] = {0, 64, 128, 256};
    rft_at root = {NULL, "tensor_map", 0};
    rft_at dims_at = {&root, "dims", 0};
    const rft_handle_tag *handle = read_handle(lua, 1, &root);
    if (handle->offset_bytes != 0) {
        rft_read_fail(lua, &root, NULL, "covers a whole buffer, not from an offset");
    }
    if (handle->is_cast) {
        rft_read_fail(lua, &root, "declare the buffer with the type that is copied",
                      "takes the buffer's own elements, not as another type");
    }
    size_t type_bytes = rft_type_bytes(handle->type);
    rft_tensor_map map = {0};
    map.rank = (int)rft_read_list(lua, 2, &dims_at, 5);
    if (map.rank < 1) {
        rft_read_fail(lua, &dims_at, NULL, "one to five dimensions, fastest first");
    }
    for (int i = 0; i < map.rank; i++) {
        rft_at here = {&dims_at, NULL, i + 1};
        lua_rawgeti(lua, 2, i + 1);
        map.dims[i] = (uint64_t)rft_read_int(lua, -1, &here, 1, (int64_t)1 << 32);
        lua_pop(lua, 1);
    }
    rft_read_keys(lua, 3, &root, RFT_KEYS_TENSOR_MAP, 0);
    map.swizzle = read_one_of(lua, &root, "swizzle", swizzles, 4);
    map.l2_promotion = read_one_of(lua, &root, "l2_promotion", promotions, 4);
    map.tf32 = read_map_tf32(lua, &root, handle->type);
    read_map_im2col(lua, &root, &map);
    read_map_strides(lua, &root, &map, type_bytes);
    read_map_box(lua, &root, &map, type_bytes);
    uint64_t end = map.dims[0] * type_bytes;
    for (int i = 1; i < map.rank; i++) {
        uint64_t stride = map.strides[i - 1] ? map.strides[i - 1] : end;
        if (map.dims[i] - 1 > ((uint64_t)1 << 50) / stride) {
            rft_read_fail(lua, &dims_at, NULL, "the map is larger than any memory");
        }
        end += (map.dims[i] - 1) * stride;
    }
    if (end > handle->count * type_bytes) {
        rft_read_fail(lua, &dims_at, NULL, "the map needs %llu bytes, buffer %s has %llu", (unsigned long long)end,
                      handle->name, (unsigned long long)(handle->count * type_bytes));
    }
    rft_map_tag *tag = rft_tag_new(lua, RFT_TAG_MAP, sizeof(*tag), 0);
    *tag = (rft_map_tag){.buffer = handle->buffer, .map = map, .turn = handle->turn};
    return 1;
}

void rft_launch_api_open(lua_State *lua) {
    static const luaL_Reg functions[] = {
        {"memset", api_memset}, {"resident", api_resident}, {"tensor_map", api_tensor_map}, {NULL, NULL}};
    luaL_setfuncs(lua, functions, 0);
    static const char *const tags[] = {RFT_TAG_SCALAR, RFT_TAG_MEMSET, RFT_TAG_MAP, RFT_TAG_RESIDENT, RFT_TAG_CONSTANT};
    for (size_t i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
        luaL_newmetatable(lua, tags[i]);
        lua_pop(lua, 1);
    }
    luaL_newmetatable(lua, RFT_TAG_HANDLE);
    lua_pushcfunction(lua, handle_index);
    lua_setfield(lua, -2, "__index");
    lua_pop(lua, 1);
    luaL_newmetatable(lua, RFT_TAG_TYPE);
    lua_pushcfunction(lua, type_call);
    lua_setfield(lua, -2, "__call");
    lua_pushcfunction(lua, type_text);
    lua_setfield(lua, -2, "__tostring");
    lua_pop(lua, 1);
    for (int type = 0; type < RFT_TYPE_COUNT; type++) {
        *(rft_type *)rft_tag_new(lua, RFT_TAG_TYPE, sizeof(rft_type), 0) = (rft_type)type;
        lua_setfield(lua, -2, rft_type_name((rft_type)type));
    }
}
