/* SPDX-License-Identifier: Apache-2.0 */
/* work_read.c - what work() and traffic() return. */
#include "base/units.h"
#include "script/sweep_parts.h"

#include <math.h>
#include <string.h>

#define SUM_SLACK 1e-9 /* of rounding */

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

/* `bytes` is a total: it is split as the buffers' sizes are, inputs read, outputs written, inouts both. */
static void split_bytes(const rft_point_spec *spec, double bytes, rft_work *out) {
    double read = 0, written = 0;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        const rft_buffer *buffer = &spec->buffers[i];
        double size = (double)buffer->count * (double)rft_type_bytes(buffer->type);
        if (buffer->role == RFT_BUFFER_INPUT || buffer->role == RFT_BUFFER_INOUT) {
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
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        out->pipe_ops[pipe] = amount(lua, root, rft_pipe_name((rft_pipe)pipe), 0);
    }
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
    for (int pipe = 0; pipe < RFT_PIPE_COUNT; pipe++) {
        out->pipe_ops[pipe] = amount(lua, &root, rft_pipe_name((rft_pipe)pipe), NAN);
    }
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
