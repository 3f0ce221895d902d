/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_fill.c - input(i32, n, from "fill.cu:rows"): the launches that fill buffers, once all buffers are known. */
#include "base/fs.h"
#include "script/lua/lua_contents.h"
#include "script/sweep_parts.h"

#include <stdio.h>
#include <string.h>

#define ARGS_MAX 61      /* of the script; three stand before them */
#define FILL_THREADS 256 /* of a block, where none is given */
#define SEED_STANDS 1    /* fits every whole number's parameter */

/* A fill as it is written; the buffers that it names are looked for once all are known. */
typedef struct written_fill {
    rft_filler kernel;  /* first: what the buffer's fill points to until then */
    const char **names; /* per argument: of the buffer; NULL: a scalar */
    const char *place;
} written_fill;

/* The argument on top. */
static void read_argument(lua_State *lua, const rft_at *at, rft_arena *arena, rft_arg *out, const char **name) {
    const rft_scalar_tag *scalar = luaL_testudata(lua, -1, RFT_TAG_SCALAR);
    if (scalar) {
        out->kind = RFT_ARG_SCALAR;
        out->type = scalar->type;
        memcpy(out->scalar, scalar->bytes, sizeof(out->scalar));
    } else if (lua_type(lua, -1) == LUA_TSTRING) {
        out->kind = RFT_ARG_BUFFER;
        *name = rft_arena_strdup(arena, rft_read_text(lua, -1, at));
    } else if (lua_type(lua, -1) == LUA_TNUMBER || lua_type(lua, -1) == LUA_TBOOLEAN) {
        rft_read_fail(lua, at, "write i32(...), i64(...), f32(...): the type of the kernel's parameter",
                      "a plain number has no type");
    } else {
        rft_read_wrong(lua, -1, at, "the name of an input as text, like \"rows\", or a typed scalar like i64(p.n)");
    }
}

static rft_arg whole_argument(uint64_t value) {
    rft_arg arg = {.kind = RFT_ARG_SCALAR, .type = RFT_TYPE_U64};
    memcpy(arg.scalar, &value, sizeof(value));
    return arg;
}

/* The text or table of from() on top. */
static void read_arguments(lua_State *lua, const rft_at *from, rft_arena *arena, uint64_t count, written_fill *out) {
    rft_at at = {from, "args", 0};
    rft_launch *launch = &out->kernel.launch;
    bool table = lua_istable(lua, -1);
    size_t given = 0;
    if (table && rft_read_field(lua, -1, "args")) {
        given = (size_t)rft_read_list(lua, -1, &at, ARGS_MAX);
    }
    launch->arg_count = RFT_FILL_ARG_SEED + 1 + given;
    launch->args = rft_arena_calloc(arena, launch->arg_count, sizeof(*launch->args));
    out->names = rft_arena_calloc(arena, launch->arg_count, sizeof(*out->names));
    launch->args[1] = whole_argument(count);
    launch->args[RFT_FILL_ARG_SEED] = whole_argument(SEED_STANDS);
    for (size_t i = 0; i < given; i++) {
        rft_at here = {&at, NULL, (lua_Integer)i + 1};
        size_t k = RFT_FILL_ARG_SEED + 1 + i;
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        read_argument(lua, &here, arena, &launch->args[k], &out->names[k]);
        lua_pop(lua, 1);
    }
    lua_pop(lua, table ? 1 : 0);
}

/* One thread an element, unless the script says otherwise. */
static void read_geometry(lua_State *lua, const rft_at *from, uint64_t count, rft_launch *launch) {
    rft_at grid_at = {from, "grid", 0};
    bool has_block = false, has_grid = false;
    if (lua_istable(lua, -1)) {
        has_block = rft_read_field(lua, -1, "block");
        has_grid = rft_read_field(lua, -2, "grid");
        lua_pop(lua, 2);
        rft_extent_read(lua, from, "block", false, launch->block);
        rft_extent_read(lua, from, "grid", false, launch->grid);
    }
    if (!has_block) {
        launch->block[0] = FILL_THREADS;
    }
    if (has_grid && launch->grid[0] == 0) {
        rft_read_fail(lua, &grid_at, "give a number, or leave it out: one thread an element",
                      "resident() is for what is measured");
    }
    if (!has_grid) {
        uint64_t threads = (uint64_t)(launch->block[0] * launch->block[1] * launch->block[2]);
        launch->grid[0] = (int64_t)((count + threads - 1) / threads);
    }
}

/* The text or table of from() on top. */
static void read_fill(lua_State *lua, const rft_at *from, const rft_from_tag *tag, rft_arena *arena, uint64_t count,
                      written_fill *out) {
    const char *written = NULL, *name = NULL;
    rft_filler *kernel = &out->kernel;
    bool table = lua_istable(lua, -1);
    if (table) {
        lua_rawgeti(lua, -1, 1);
    }
    rft_entry_split(lua, from, rft_read_text(lua, -1, from), arena, &written, &name);
    lua_pop(lua, table ? 1 : 0);
    kernel->unit.source = rft_arena_strdup(arena, rft_contents_path(lua, from, tag->file, written));
    kernel->unit.names = rft_arena_calloc(arena, 1, sizeof(*kernel->unit.names));
    kernel->unit.names[0] = name;
    kernel->unit.name_count = 1;
    kernel->shown = rft_arena_printf(arena, "%s:%s", rft_fs_name(kernel->unit.source), name);
    kernel->launch = (rft_launch){.kind = RFT_LAUNCH_KERNEL,
                                  .entry = name,
                                  .grid = {1, 1, 1},
                                  .block = {1, 1, 1},
                                  .cluster = {1, 1, 1},
                                  .traffic = rft_traffic_unknown()};
    rft_at options = {from, "options", 0};
    if (table && rft_read_field(lua, -1, "options")) {
        kernel->unit.options = rft_compile_options_read(lua, &options, tag->file, arena, &kernel->unit.option_count);
    }
    lua_pop(lua, table ? 1 : 0);
    read_geometry(lua, from, count, &kernel->launch);
    read_arguments(lua, from, arena, count, out);
}

void rft_fill_read(lua_State *lua, const rft_at *at, rft_arena *arena, rft_buffer *buffer) {
    rft_script *script = rft_lua_script(lua);
    rft_at from = {at, "from", 0};
    if (buffer->fill.kind != RFT_FILL_KERNEL) {
        return;
    }
    lua_getiuservalue(lua, -1, 1);
    const rft_from_tag *tag = lua_touserdata(lua, -1);
    written_fill *fill = rft_arena_calloc(arena, 1, sizeof(*fill));
    fill->place = rft_arena_strdup(arena, tag->place);
    snprintf(script->where, sizeof(script->where), "%s", tag->place);
    lua_getiuservalue(lua, -1, 1);
    read_fill(lua, &from, tag, arena, buffer->count, fill);
    lua_pop(lua, 2);
    buffer->fill.kernel = &fill->kernel;
}

/* ---- what is filled before what, and what it all depends on ---- */

typedef enum fill_state { FILL_NOT_LOOKED_AT, FILL_IN_HAND, FILL_DONE } fill_state;

typedef struct fill_settler {
    lua_State *lua;
    rft_arena *arena;
    rft_buffer *buffers;
    size_t count;
    fill_state *states; /* per buffer */
} fill_settler;

static const char *group_of(const rft_buffer *buffer) {
    return buffer->role == RFT_BUFFER_CONSTANT ? "constants" : "buffers";
}

static bool holds_something(const rft_buffer *buffer) {
    return buffer->fill.kind != RFT_FILL_NONE;
}

static _Noreturn void refuse_name(const fill_settler *r, const rft_at *at, size_t own, const char *name) {
    const char *known[RFT_BUFFERS_MAX];
    size_t known_count = 0;
    char hint[120], list[300];
    for (size_t i = 0; i < r->count && known_count < RFT_BUFFERS_MAX; i++) {
        known[known_count] = r->buffers[i].name;
        known_count += holds_something(&r->buffers[i]) && i != own ? 1 : 0;
    }
    rft_read_hint(hint, sizeof(hint), name, known, known_count);
    rft_read_fail(r->lua, at, known_count ? rft_read_known(list, sizeof(list), known, known_count) : NULL,
                  "no input has the name \"%.60s\"%s", name, hint);
}

static size_t find_named(const fill_settler *r, const rft_at *at, size_t own, const char *name) {
    size_t found = 0;
    while (found < r->count && strcmp(r->buffers[found].name, name) != 0) {
        found++;
    }
    if (found == r->count) {
        refuse_name(r, at, own, name);
    }
    if (found == own) {
        rft_read_fail(r->lua, at, "leave it out: a fill's own buffer is its first argument", "%s is the buffer itself",
                      name);
    }
    if (!holds_something(&r->buffers[found])) {
        rft_read_fail(r->lua, at, "name an input or an inout: these are filled before anything runs",
                      "%s holds nothing yet", name);
    }
    return found;
}

/* What was written stays as it is: constants may serve many points. */
static void name_arguments(fill_settler *r, size_t own) {
    rft_buffer *buffer = &r->buffers[own];
    const written_fill *written = (const written_fill *)buffer->fill.kernel;
    rft_filler *kernel = rft_arena_memdup(r->arena, &written->kernel, sizeof(*kernel));
    rft_launch *launch = &kernel->launch;
    rft_at group = {NULL, group_of(buffer), 0}, at = {&group, buffer->name, 0};
    rft_at from = {&at, "from", 0}, args = {&from, "args", 0};
    snprintf(rft_lua_script(r->lua)->where, sizeof(rft_lua_script(r->lua)->where), "%s", written->place);
    launch->args = rft_arena_memdup(r->arena, launch->args, launch->arg_count * sizeof(*launch->args));
    launch->args[0] = (rft_arg){.kind = RFT_ARG_BUFFER, .buffer = own};
    for (size_t i = RFT_FILL_ARG_SEED + 1; i < launch->arg_count; i++) {
        rft_at here = {&args, NULL, (lua_Integer)(i - RFT_FILL_ARG_SEED)};
        if (written->names[i]) {
            launch->args[i].buffer = find_named(r, &here, own, written->names[i]);
        }
    }
    buffer->fill.kernel = kernel;
}

static void add_to_hash(rft_sha256 *hash, const rft_buffer *buffer) {
    rft_sha256_add_text(hash, buffer->name);
    rft_sha256_add(hash, &buffer->type, sizeof(buffer->type));
    rft_sha256_add(hash, &buffer->count, sizeof(buffer->count));
    rft_sha256_add(hash, &buffer->fill.kind, sizeof(buffer->fill.kind));
    rft_sha256_add(hash, &buffer->fill.low, sizeof(buffer->fill.low));
    rft_sha256_add(hash, &buffer->fill.high, sizeof(buffer->fill.high));
    rft_sha256_add(hash, &buffer->fill.below, sizeof(buffer->fill.below));
    rft_sha256_add(hash, &buffer->fill.order, sizeof(buffer->fill.order));
    rft_sha256_add_text(hash, buffer->fill.identity);
}

/* A hash: texts of texts would grow without bounds. */
static const char *identity_of(const fill_settler *r, const rft_filler *kernel) {
    char hex[RFT_HASH_HEX_SIZE];
    rft_sha256 hash;
    rft_sha256_init(&hash);
    rft_sha256_add_text(&hash, kernel->unit.source);
    rft_sha256_add_text(&hash, kernel->unit.names[0]);
    for (size_t i = 0; i < kernel->unit.option_count; i++) {
        rft_sha256_add_text(&hash, kernel->unit.options[i]);
    }
    rft_sha256_add(&hash, kernel->launch.grid, sizeof(kernel->launch.grid));
    rft_sha256_add(&hash, kernel->launch.block, sizeof(kernel->launch.block));
    for (size_t i = RFT_FILL_ARG_SEED + 1; i < kernel->launch.arg_count; i++) {
        const rft_arg *arg = &kernel->launch.args[i];
        if (arg->kind == RFT_ARG_BUFFER) {
            add_to_hash(&hash, &r->buffers[arg->buffer]);
        } else {
            rft_sha256_add(&hash, &arg->type, sizeof(arg->type));
            rft_sha256_add(&hash, arg->scalar, sizeof(arg->scalar));
        }
    }
    rft_sha256_hex(&hash, hex);
    return rft_arena_strdup(r->arena, hex);
}

/* The way from a buffer back to itself, along `path`. */
static _Noreturn void refuse_circle(const fill_settler *r, const size_t *path, size_t length, size_t again) {
    rft_at group = {NULL, group_of(&r->buffers[again]), 0}, at = {&group, r->buffers[again].name, 0};
    size_t begin = length;
    while (begin > 1 && path[begin - 1] != again) {
        begin--;
    }
    const char *text = r->buffers[again].name;
    for (size_t i = begin; i < length; i++) {
        text = rft_arena_printf(r->arena, "%s needs %s, which", text, r->buffers[path[i]].name);
    }
    rft_read_fail(r->lua, &at, "let one of them do without the other's contents", "a circle: %s needs %s", text,
                  r->buffers[again].name);
}

static void settle(fill_settler *r, size_t own, size_t *path, size_t length) {
    rft_buffer *buffer = &r->buffers[own];
    const rft_filler *kernel = buffer->fill.kernel;
    if (buffer->fill.kind != RFT_FILL_KERNEL || r->states[own] == FILL_DONE) {
        return;
    }
    if (r->states[own] == FILL_IN_HAND) {
        refuse_circle(r, path, length, own);
    }
    r->states[own] = FILL_IN_HAND;
    path[length] = own;
    for (size_t i = RFT_FILL_ARG_SEED + 1; i < kernel->launch.arg_count; i++) {
        if (kernel->launch.args[i].kind == RFT_ARG_BUFFER) {
            settle(r, kernel->launch.args[i].buffer, path, length + 1);
        }
    }
    buffer->fill.identity = identity_of(r, kernel);
    r->states[own] = FILL_DONE;
}

void rft_fills_settle(lua_State *lua, rft_arena *arena, rft_buffer *buffers, size_t count) {
    fill_settler r = {.lua = lua, .arena = arena, .buffers = buffers, .count = count};
    size_t path[RFT_BUFFERS_MAX + 1];
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        if (buffers[i].fill.kind == RFT_FILL_KERNEL) {
            name_arguments(&r, i);
            any = true;
        }
    }
    r.states = any ? rft_arena_calloc(arena, count, sizeof(*r.states)) : NULL;
    for (size_t i = 0; any && i < count; i++) {
        settle(&r, i, path, 0);
    }
}
