/* SPDX-License-Identifier: Apache-2.0 */
/* lua_struct.h - arguments of a launch, and structs by value. Private to the room. */
#ifndef RFT_SCRIPT_LUA_STRUCT_H
#define RFT_SCRIPT_LUA_STRUCT_H

#include "script/lua/lua_values.h"

/* Behind it its fields that are addresses, its bytes, and what its fields are, as text. */
typedef struct rft_struct_tag {
    size_t bytes, alignment, field_count;
    uint64_t turn; /* as in a handle; of no matter without addresses */
} rft_struct_tag;
const rft_arg *rft_struct_fields(const rft_struct_tag *tag);
const unsigned char *rft_struct_image(const rft_struct_tag *tag);
const char *rft_struct_layout(const rft_struct_tag *tag);

/* The argument of a launch on top; what it points to is in the arena */
void rft_arg_read(lua_State *lua, const rft_at *at, rft_arena *arena, rft_arg *out);
/* struct into the table on top. */
void rft_struct_open(lua_State *lua);

#endif
