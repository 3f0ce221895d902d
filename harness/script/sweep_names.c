/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_names.c - p, c and gpu as the script's functions see them. */
#include "script/lua/lua_strict.h"
#include "script/sweep_parts.h"

#include <string.h>

void rft_push_problem(lua_State *lua, const rft_sweep_state *state, const rft_value *values, const bool *known) {
    luaL_checkstack(lua, 4, NULL);
    lua_createtable(lua, 0, (int)state->sweep.axis_count);
    for (size_t i = 0; i < state->sweep.axis_count; i++) {
        if (!known || known[i]) {
            rft_push_value(lua, &values[i]);
            lua_setfield(lua, -2, state->sweep.axes[i].name);
        }
    }
    rft_strict_wrap(lua, "p");
}

void rft_push_config(lua_State *lua, const rft_sweep_state *state, size_t variant, const rft_value *values) {
    const rft_variant *of = &state->sweep.variants[variant];
    luaL_checkstack(lua, 4, NULL);
    lua_createtable(lua, 0, (int)of->param_count);
    for (size_t i = 0; i < of->param_count; i++) {
        rft_push_value(lua, &values[i]);
        lua_setfield(lua, -2, of->params[i].name);
    }
    rft_strict_wrap(lua, "c");
}

static void set_integer(lua_State *lua, const char *key, int64_t value) {
    lua_pushinteger(lua, value);
    lua_setfield(lua, -2, key);
}

static void set_gpu_fields(lua_State *lua, const rft_gpu_info *gpu) {
    lua_pushstring(lua, gpu->name ? gpu->name : "");
    lua_setfield(lua, -2, "name");
    lua_pushstring(lua, gpu->arch ? gpu->arch : "");
    lua_setfield(lua, -2, "arch");
    lua_pushboolean(lua, gpu->cooperative);
    lua_setfield(lua, -2, "cooperative");
    set_integer(lua, "cc", gpu->cc_major * 10 + gpu->cc_minor);
    set_integer(lua, "sms", gpu->sms);
    set_integer(lua, "warp_size", gpu->warp_size);
    set_integer(lua, "max_threads_per_block", gpu->max_threads_per_block);
    set_integer(lua, "max_threads_per_sm", gpu->max_threads_per_sm);
    set_integer(lua, "max_blocks_per_sm", gpu->max_blocks_per_sm);
    set_integer(lua, "registers_per_block", gpu->registers_per_block);
    set_integer(lua, "registers_per_sm", gpu->registers_per_sm);
    set_integer(lua, "shared_per_block", gpu->shared_per_block);
    set_integer(lua, "shared_per_block_static", gpu->shared_per_block_static);
    set_integer(lua, "shared_per_sm", gpu->shared_per_sm);
    set_integer(lua, "l2_bytes", gpu->l2_bytes);
    set_integer(lua, "persisting_l2_max_bytes", gpu->persisting_l2_max_bytes);
    set_integer(lua, "memory_bytes", gpu->memory_bytes);
    set_integer(lua, "memory_free", gpu->memory_free_bytes);
    set_integer(lua, "max_cluster", gpu->max_cluster);
    set_integer(lua, "sm_clock_khz", gpu->sm_clock_khz);
    set_integer(lua, "memory_clock_khz", gpu->memory_clock_khz);
    set_integer(lua, "memory_bus_bits", gpu->memory_bus_bits);
}

void rft_push_gpu(lua_State *lua) {
    rft_script *script = rft_lua_script(lua);
    luaL_checkstack(lua, 4, NULL);
    if (script->gpu_ref == LUA_NOREF) {
        lua_createtable(lua, 0, 24);
        if (script->gpu) {
            set_gpu_fields(lua, script->gpu);
        }
        rft_strict_wrap(lua, "gpu");
        script->gpu_ref = luaL_ref(lua, LUA_REGISTRYINDEX);
    }
    lua_rawgeti(lua, LUA_REGISTRYINDEX, script->gpu_ref);
}

/* ---- parameters as text: in entries and in macros ---- */

size_t rft_alternative_number(const rft_alternatives *alternatives, const char *text) {
    for (size_t i = 0; i < alternatives->count; i++) {
        if (strcmp(alternatives->texts[i], text) == 0) {
            return i + 1;
        }
    }
    return 0;
}

const char *rft_macro_text(rft_arena *arena, const rft_value *value, const rft_alternatives *alternatives) {
    switch (value->kind) {
    case RFT_VALUE_INT:
    case RFT_VALUE_BOOL:
        return rft_arena_printf(arena, "%lld", (long long)value->as.integer);
    case RFT_VALUE_TEXT:
        if (alternatives->is_ctype) {
            return value->as.text;
        }
        return rft_arena_printf(arena, "%zu", rft_alternative_number(alternatives, value->as.text));
    case RFT_VALUE_REAL:
        break;
    }
    rft_str digits = RFT_STR_INIT;
    rft_str_add_double(&digits, value->as.real);
    const char *kept = rft_arena_strdup(arena, rft_str_get(&digits));
    rft_str_clear(&digits);
    return kept;
}
