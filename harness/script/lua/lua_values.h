/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lua_values.h - the small objects a script builds with constructors: lists of values, element types, typed scalars,
 * buffers, fills, handles, tensor maps. Each is a Lua userdata; its metatable's name is also what messages call it.
 * Private to the room.
 */
#ifndef RFT_SCRIPT_LUA_VALUES_H
#define RFT_SCRIPT_LUA_VALUES_H

#include "model/sweep/spec.h"
#include "script/lua/lua_read.h"
#include "script/lua/lua_state.h"

#define RFT_TAG_VALUES "values()"      /* uservalue 1: the list; payload rft_values_tag */
#define RFT_TAG_PROBLEMS "problems{}"  /* uservalue 1: the list */
#define RFT_TAG_CTYPE "ctype"          /* uservalue 1: the text */
#define RFT_TAG_TYPE "an element type" /* payload rft_type */
#define RFT_TAG_SCALAR "a typed scalar"
#define RFT_TAG_BUFFER                                                                                                 \
    "a buffer description"    /* payload rft_buffer, name NULL; uservalue 1: from() of a KERNEL fill                   \
                               */
#define RFT_TAG_FILL "a fill" /* payload rft_fill */
#define RFT_TAG_HANDLE "a buffer"
#define RFT_TAG_MEMSET "memset()"
#define RFT_TAG_MAP "tensor_map()"
#define RFT_TAG_CONSTANT "a constant, which kernels read by its name"
#define RFT_TAG_RESIDENT "resident()"
#define RFT_TAG_STRUCT "struct{}"

/* More values than this cannot be tuned: positions are 16 bits wide. */
#define RFT_VALUES_MAX 65535

typedef struct rft_values_tag {
    int refine_depth;
} rft_values_tag;

typedef struct rft_scalar_tag {
    rft_type type;
    unsigned char bytes[8];
} rft_scalar_tag;

/* A buffer as launch() sees it. `turn` says for which point it was made: an old one must not be used again. */
typedef struct rft_handle_tag {
    const char *name; /* the arena of the point */
    size_t buffer;
    rft_type type;
    uint64_t count;
    uint64_t offset_bytes;
    rft_type passed_as; /* where is_cast */
    bool is_cast;
    uint64_t turn;
} rft_handle_tag;

typedef struct rft_memset_tag {
    size_t buffer;
    int byte;
    uint64_t turn;
} rft_memset_tag;

typedef struct rft_map_tag {
    size_t buffer;
    rft_tensor_map map;
    uint64_t turn;
} rft_map_tag;

/* Raises where a buffer is of another point than the one that is spelled out. */
void rft_handle_check_turn(lua_State *lua, const rft_at *at, uint64_t turn);
/* Pushes a new userdata of that kind with `uservalues` user values, zeroed. */
void *rft_tag_new(lua_State *lua, const char *tag, size_t size, int uservalues);
/* Puts the constructors of this file into the table on top. */
void rft_values_open(lua_State *lua);
/* The same for what launch() needs: types, scalars, memset, tensor_map, resident (lua_values_launch.c). */
void rft_launch_api_open(lua_State *lua);

/* The text of a ctype, borrowed; NULL for anything else. */
const char *rft_ctype_text(lua_State *lua, int index);
/* `value` in the bytes of a type, little endian; false when it does not fit. Integer types take `integer`. */
bool rft_scalar_encode(rft_type type, double real, int64_t integer, unsigned char out[8]);

#endif
