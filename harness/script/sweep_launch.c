/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_launch.c - what launch() and prepare() return: one launch, or a list of launches and memsets. */
#include "script/lua/lua_struct.h"
#include "script/sweep_parts.h"

#include "base/units.h"

#include <math.h>
#include <string.h>

#define ARGS_MAX 64
#define SUM_SLACK 1e-9 /* of rounding */

static const rft_handle_tag *test_handle(lua_State *lua, const rft_at *at) {
    const rft_handle_tag *handle = luaL_testudata(lua, -1, RFT_TAG_HANDLE);
    if (handle) {
        rft_handle_check_turn(lua, at, handle->turn);
    }
    return handle;
}

static void read_args(lua_State *lua, const rft_at *root, rft_arena *arena, rft_launch *out) {
    rft_at at = {root, "args", 0};
    if (rft_read_field(lua, -1, "args")) {
        out->arg_count = (size_t)rft_read_list(lua, -1, &at, ARGS_MAX);
        out->args = rft_arena_calloc(arena, out->arg_count + 1, sizeof(*out->args));
        for (size_t i = 0; i < out->arg_count; i++) {
            rft_at here = {&at, NULL, (lua_Integer)i + 1};
            lua_rawgeti(lua, -1, (lua_Integer)i + 1);
            rft_arg_read(lua, &here, arena, &out->args[i]);
            lua_pop(lua, 1);
        }
    }
    lua_pop(lua, 1);
}

/* No device comes near; a product of three of a block or cluster, and one of anything with a double, stays a number. */
#define GRID_MAX ((int64_t)1 << 40)
#define BLOCK_MAX ((int64_t)1 << 20)

void rft_extent_read(lua_State *lua, const rft_at *root, const char *key, bool is_required, int64_t out[3]) {
    rft_at at = {root, key, 0};
    int64_t most = strcmp(key, "grid") == 0 ? GRID_MAX : BLOCK_MAX;
    out[0] = out[1] = out[2] = 1;
    if (!rft_read_field(lua, -1, key)) {
        if (is_required) {
            rft_read_fail(lua, root, NULL, "the key \"%s\" is missing", key);
        }
    } else if (lua_istable(lua, -1)) {
        lua_Integer length = rft_read_list(lua, -1, &at, 3);
        for (lua_Integer i = 1; i <= length; i++) {
            rft_at here = {&at, NULL, i};
            lua_rawgeti(lua, -1, i);
            out[i - 1] = rft_read_int(lua, -1, &here, 1, most);
            lua_pop(lua, 1);
        }
    } else if (luaL_testudata(lua, -1, RFT_TAG_RESIDENT)) {
        if (strcmp(key, "grid") != 0) {
            rft_read_fail(lua, &at, NULL, "resident() is for grid");
        }
        out[0] = 0;
    } else {
        out[0] = rft_read_int(lua, -1, &at, 1, most);
    }
    lua_pop(lua, 1);
}

static bool read_flag(lua_State *lua, const rft_at *root, const char *key) {
    rft_at at = {root, key, 0};
    bool flag = rft_read_field(lua, -1, key) && rft_read_bool(lua, -1, &at);
    lua_pop(lua, 1);
    return flag;
}

static void read_window(lua_State *lua, const rft_at *root, const rft_launch_reader *reader, rft_window *out) {
    rft_at at = {root, "window", 0};
    *out = (rft_window){0};
    if (rft_read_field(lua, -1, "window")) {
        rft_at buffer_at = {&at, "buffer", 0}, offset_at = {&at, "offset", 0};
        rft_at bytes_at = {&at, "bytes", 0}, ratio_at = {&at, "hit_ratio", 0};
        rft_read_keys(lua, -1, &at, RFT_KEYS_WINDOW, 0);
        rft_read_field(lua, -1, "buffer");
        const rft_handle_tag *handle = test_handle(lua, &buffer_at);
        if (!handle) {
            rft_read_wrong(lua, -1, &buffer_at, "a buffer like b.x");
        }
        const rft_buffer *buffer = &reader->buffers[handle->buffer];
        int64_t size = (int64_t)(buffer->count * rft_type_bytes(buffer->type));
        out->buffer = handle->buffer;
        out->offset_bytes = handle->offset_bytes;
        lua_pop(lua, 1);
        if (rft_read_field(lua, -1, "offset")) {
            out->offset_bytes += (uint64_t)rft_read_int(lua, -1, &offset_at, 0, size - 1);
        }
        lua_pop(lua, 1);
        int64_t rest = size - (int64_t)out->offset_bytes;
        if (rest < 1) {
            rft_read_fail(lua, &offset_at, NULL, "lies outside the buffer of %lld bytes", (long long)size);
        }
        out->bytes = (uint64_t)rest;
        if (rft_read_field(lua, -1, "bytes")) {
            out->bytes = (uint64_t)rft_read_int(lua, -1, &bytes_at, 1, rest);
        }
        lua_pop(lua, 1);
        out->hit_ratio = 1;
        if (rft_read_field(lua, -1, "hit_ratio")) {
            out->hit_ratio = rft_read_real(lua, -1, &ratio_at, 0, 1);
        }
        lua_pop(lua, 1);
    }
    lua_pop(lua, 1);
}

/* The entry with parameters substituted, as one of the distinct names of the unit. */
static const char *read_entry(lua_State *lua, const rft_at *root, rft_launch_reader *reader) {
    rft_arena *arena = reader->call->arena;
    rft_at at = {root, "entry", 0};
    const char *written = reader->entry;
    if (rft_read_field(lua, -1, "entry")) {
        written = rft_arena_strdup(arena, rft_read_text(lua, -1, &at));
    } else if (!written) {
        rft_read_fail(lua, root, "each launch names its kernel: entry = \"NAME\"", "the key \"entry\" is missing");
    }
    lua_pop(lua, 1);
    const char *entry = rft_entry_substitute(arena, written, reader->param_names, reader->param_texts,
                                             reader->param_count, reader->in_entry);
    for (size_t i = 0; i < reader->name_count; i++) {
        if (strcmp(reader->names[i], entry) == 0) {
            return reader->names[i];
        }
    }
    if (reader->name_count == RFT_ENTRIES_MAX) {
        rft_read_fail(lua, &at, NULL, "more than %d different entries", RFT_ENTRIES_MAX);
    }
    return reader->names[reader->name_count++] = entry;
}

static void refuse_of_reference(lua_State *lua, const rft_at *root) {
    static const char *const keys[] = {"work", "traffic"};
    for (size_t i = 0; i < 2; i++) {
        rft_at at = {root, keys[i], 0};
        if (rft_read_field(lua, -1, keys[i])) {
            rft_read_fail(lua, &at, "leave it out", "a reference is not measured");
        }
        lua_pop(lua, 1);
    }
}

/* The launch or memset on top. */
static void read_launch(lua_State *lua, const rft_at *at, rft_launch_reader *reader, rft_launch *out) {
    const rft_memset_tag *set = luaL_testudata(lua, -1, RFT_TAG_MEMSET);
    *out = (rft_launch){.grid = {1, 1, 1}, .block = {1, 1, 1}, .cluster = {1, 1, 1}, .traffic = rft_traffic_unknown()};
    if (set) {
        rft_handle_check_turn(lua, at, set->turn);
        out->kind = RFT_LAUNCH_MEMSET;
        out->memset_buffer = set->buffer;
        out->memset_byte = set->byte;
        return;
    }
    out->kind = RFT_LAUNCH_KERNEL;
    rft_read_keys(lua, -1, at, RFT_KEYS_LAUNCH, 0);
    out->entry = read_entry(lua, at, reader);
    read_args(lua, at, reader->call->arena, out);
    rft_extent_read(lua, at, "grid", true, out->grid);
    rft_extent_read(lua, at, "block", true, out->block);
    rft_extent_read(lua, at, "cluster", false, out->cluster);
    rft_at shared = {at, "shared", 0};
    if (rft_read_field(lua, -1, "shared")) {
        out->shared_bytes = rft_read_int(lua, -1, &shared, 0, GRID_MAX);
    }
    lua_pop(lua, 1);
    out->cooperative = read_flag(lua, at, "cooperative");
    out->pdl = read_flag(lua, at, "pdl");
    read_window(lua, at, reader, &out->window);
    if (reader->of_reference) {
        refuse_of_reference(lua, at);
    } else {
        rft_launch_work_read(lua, at, out);
    }
}

rft_launch *rft_launches_read(lua_State *lua, const char *root_name, rft_launch_reader *reader, size_t *count) {
    rft_at root = {NULL, root_name, 0};
    bool single = !lua_istable(lua, -1);
    if (!single) {
        for (size_t i = 0; i < rft_keys(RFT_KEYS_LAUNCH)->count && !single; i++) {
            single = rft_read_field(lua, -1, rft_keys(RFT_KEYS_LAUNCH)->names[i]);
            lua_pop(lua, 1);
        }
    }
    *count = single ? 1 : (size_t)rft_read_list(lua, -1, &root, RFT_LAUNCHES_MAX);
    rft_launch *launches = rft_arena_calloc(reader->call->arena, *count + 1, sizeof(*launches));
    if (single) {
        read_launch(lua, &root, reader, launches);
        return launches;
    }
    for (size_t i = 0; i < *count; i++) {
        rft_at here = {&root, NULL, (lua_Integer)i + 1};
        lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        read_launch(lua, &here, reader, &launches[i]);
        lua_pop(lua, 1);
    }
    return launches;
}

/* ---- work and traffic, of a point and of a launch ---- */

/* table[key] of the table on top, or `absent`. */
static double amount(lua_State *lua, const rft_at *root, const char *key, double absent) {
    rft_at at = {root, key, 0};
    double value = absent;
    if (rft_read_field(lua, -1, key)) {
        value = rft_read_real(lua, -1, &at, 0, 1e300);
    }
    lua_pop(lua, 1);
    return value;
}

/* Operations per pipe of the table on top; those of atomics are in a table of their own. */
static void read_pipes(lua_State *lua, const rft_at *root, double absent, double ops[RFT_PIPE_COUNT]) {
    rft_at atomics = {root, "atomics", 0};
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        ops[pipe] =
            rft_pipe_atomic_key((rft_pipe)pipe) ? absent : amount(lua, root, rft_pipe_name((rft_pipe)pipe), absent);
    }
    if (rft_read_field(lua, -1, "atomics")) {
        rft_read_keys(lua, -1, &atomics, RFT_KEYS_ATOMICS, 0);
        for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
            const char *key = rft_pipe_atomic_key((rft_pipe)pipe);
            ops[pipe] = key ? amount(lua, &atomics, key, absent) : ops[pipe];
        }
    }
    lua_pop(lua, 1);
}

/* `bytes` is a total: it is split as the buffers' sizes are, inputs read, outputs written, inouts both. */
static void split_bytes(const rft_point_spec *spec, double bytes, rft_work *out) {
    double read = 0, written = 0;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        double size = (double)buffer->count * (double)rft_type_bytes(buffer->type);
        if (buffer->role == RFT_BUFFER_INPUT || buffer->role == RFT_BUFFER_INOUT ||
            buffer->role == RFT_BUFFER_CONSTANT) {
            read += size;
        }
        if (buffer->role == RFT_BUFFER_OUTPUT || buffer->role == RFT_BUFFER_INOUT) {
            written += size;
        }
    }
    double share = read + written > 0 ? read / (read + written) : 0.5;
    out->bytes_read = bytes * share;
    out->bytes_written = bytes - out->bytes_read;
}

static void read_items(lua_State *lua, const rft_at *root, rft_arena *arena, rft_work *out) {
    rft_at at = {root, "items", 0};
    if (rft_read_field(lua, -1, "items")) {
        rft_at name = {&at, NULL, 1}, count = {&at, NULL, 2};
        if (rft_read_list(lua, -1, &at, 2) != 2) {
            rft_read_fail(lua, &at, NULL, "expected { \"token\", count }");
        }
        lua_rawgeti(lua, -1, 1);
        out->item_name = rft_arena_strdup(arena, rft_read_text(lua, -1, &name));
        lua_rawgeti(lua, -2, 2);
        out->items = rft_read_real(lua, -1, &count, 0, 1e300);
        lua_pop(lua, 2);
    }
    lua_pop(lua, 1);
}

static void read_ops(lua_State *lua, const rft_at *root, rft_work *out) {
    memset(out, 0, sizeof(*out));
    rft_read_keys(lua, -1, root, RFT_KEYS_WORK, 0);
    read_pipes(lua, root, 0, out->pipe_ops);
}

void rft_work_read(lua_State *lua, const rft_point_spec *spec, rft_arena *arena, rft_work *out) {
    rft_at root = {NULL, "work", 0};
    read_ops(lua, &root, out);
    double bytes = amount(lua, &root, "bytes", NAN);
    double read = amount(lua, &root, "read", NAN), written = amount(lua, &root, "write", NAN);
    if (!isnan(bytes) && (!isnan(read) || !isnan(written))) {
        rft_read_fail(lua, &root, NULL, "bytes is the total of read and write: give one or the other");
    }
    if (!isnan(bytes)) {
        split_bytes(spec, bytes, out);
    } else {
        out->bytes_read = isnan(read) ? 0 : read;
        out->bytes_written = isnan(written) ? 0 : written;
    }
    read_items(lua, &root, arena, out);
}

static void read_traffic(lua_State *lua, const rft_at *at, rft_traffic *out) {
    rft_at root = *at;
    *out = rft_traffic_unknown();
    rft_read_keys(lua, -1, &root, RFT_KEYS_TRAFFIC, 0);
    out->present = true;
    out->evidence = RFT_EVIDENCE_MODELLED;
    read_pipes(lua, &root, NAN, out->pipe_ops);
    for (int level = 0; level < RFT_LEVEL_COUNT; level++) {
        out->level_bytes[level] = amount(lua, &root, rft_level_name((rft_level)level), NAN);
    }
    out->warp_instructions = amount(lua, &root, "issue", NAN);
    double read = amount(lua, &root, "dram_read", NAN), written = amount(lua, &root, "dram_write", NAN);
    if (isnan(read) && isnan(written)) {
        return;
    }
    double *dram = &out->level_bytes[RFT_LEVEL_DRAM];
    if (!isnan(*dram)) {
        rft_read_fail(lua, &root, NULL, "dram is the total of dram_read and dram_write: give one or the other");
    }
    read = isnan(read) ? 0 : read;
    *dram = read + (isnan(written) ? 0 : written);
    out->dram_read_frac = *dram > 0 ? read / *dram : NAN;
}

void rft_traffic_read(lua_State *lua, rft_traffic *out) {
    rft_at root = {NULL, "traffic", 0};
    read_traffic(lua, &root, out);
}

/* ---- of one launch ---- */

/* Which of the point's buffers a launch reads is not known, and items are the point's. */
static void refuse_of_launch(lua_State *lua, const rft_at *work) {
    static const char *const keys[] = {"bytes", "items"};
    for (size_t i = 0; i < 2; i++) {
        rft_at at = {work, keys[i], 0};
        if (rft_read_field(lua, -1, keys[i])) {
            rft_read_fail(lua, &at, "a launch's work has operations, read and write",
                          "stands in the kernel's work only");
        }
        lua_pop(lua, 1);
    }
}

void rft_launch_work_read(lua_State *lua, const rft_at *at, rft_launch *out) {
    rft_at work = {at, "work", 0}, traffic = {at, "traffic", 0};
    out->traffic = rft_traffic_unknown();
    if (rft_read_field(lua, -1, "work")) {
        read_ops(lua, &work, &out->work);
        refuse_of_launch(lua, &work);
        out->has_work = true;
        out->work.bytes_read = amount(lua, &work, "read", 0);
        out->work.bytes_written = amount(lua, &work, "write", 0);
    }
    lua_pop(lua, 1);
    if (rft_read_field(lua, -1, "traffic")) {
        read_traffic(lua, &traffic, &out->traffic);
    }
    lua_pop(lua, 1);
}

static void check_sum(lua_State *lua, const char *unit, double together, double of_point) {
    rft_at at = {NULL, "launch", 0};
    char texts[2][48];
    if (together < of_point * (1 - SUM_SLACK)) {
        rft_units_format_si(texts[0], sizeof(texts[0]), together, 4, unit);
        rft_units_format_si(texts[1], sizeof(texts[1]), of_point, 4, unit);
        rft_read_fail(lua, &at, "a launch's work is what it must do itself, intermediate results included",
                      "the launches' work is %s together, the kernel's %s", texts[0], texts[1]);
    }
}

void rft_launch_work_check(lua_State *lua, const rft_point_spec *spec) {
    double ops = 0, bytes = 0;
    for (size_t i = 0; i < spec->launch_count; i++) {
        const rft_launch *launch = &spec->launches[i];
        if (!launch->has_work && launch->kind != RFT_LAUNCH_MEMSET) {
            return;
        }
        ops += rft_work_ops(&launch->work);
        bytes += rft_work_bytes(&launch->work);
    }
    check_sum(lua, "op", ops, rft_work_ops(&spec->work));
    check_sum(lua, "B", bytes, rft_work_bytes(&spec->work));
}
