/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_baseline_launch.c - the launch of a baseline, or of vendor.matmul{} in a kernel's place, on one problem. */
#include "script/sweep_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define ALGO_MAX 1000
#define TF32_TOL 0x1p-8 /* inputs keep 11 bits; with |out - ref| <= tol * (|ref| + scale) that is some six sigma */
#define FP8_TOL 0x1p-18 /* for each of k: fast accumulation keeps about 14 bits and rounds every 32 products */

typedef struct spelling {
    lua_State *lua;
    const rft_point_call *call;
    const rft_baseline_facts *facts;
    rft_at root;
    int p;
    rft_vendor_call *out;
} spelling;

/* What is wrong from here on is said of vendor.matmul{}. */
static void blame(const spelling *s) {
    rft_script *script = rft_lua_script(s->lua);
    snprintf(script->where, sizeof(script->where), "%s", s->facts->place);
}

/* Only what the reference takes stays: temps are the configurations' own. */
static void drop_temps(rft_point_spec *spec) {
    size_t left = 0;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        if (spec->buffers[i].role != RFT_BUFFER_TEMP) {
            spec->buffers[left++] = spec->buffers[i];
        }
    }
    spec->buffer_count = left;
}

static size_t find_buffer(const spelling *s, const char *key, const char *name, rft_buffer_role role) {
    const rft_point_spec *spec = s->call->out;
    rft_at at = {&s->root, key, 0};
    const char *names[64];
    size_t count = 0;
    for (size_t i = 0; i < spec->buffer_count && count < 64; i++) {
        if (strcmp(spec->buffers[i].name, name) == 0) {
            if (spec->buffers[i].role != role) {
                rft_read_fail(s->lua, &at, NULL, "the buffer \"%.60s\" is no %s(...), which is what a library %s", name,
                              role == RFT_BUFFER_INPUT ? "input" : "output",
                              role == RFT_BUFFER_INPUT ? "multiplies" : "writes");
            }
            return i;
        }
        names[count++] = spec->buffers[i].name;
    }
    char hint[120], known[300];
    rft_read_hint(hint, sizeof(hint), name, names, count);
    rft_read_fail(s->lua, &at, rft_read_known(known, sizeof(known), names, count), "no buffer has the name \"%.60s\"%s",
                  name, hint);
}

static int64_t dim_of(const spelling *s, const rft_baseline_dim *dim) {
    lua_State *lua = s->lua;
    rft_at at = {&s->root, dim->key, 0};
    int64_t size = dim->number;
    if (dim->ref != LUA_NOREF) {
        rft_lua_push_function(lua, dim->ref);
        lua_pushvalue(lua, s->p);
        lua_call(lua, 1, 1);
        size = rft_read_int(lua, -1, &at, 1, RFT_VENDOR_DIM_MAX);
        lua_pop(lua, 1);
    } else if (dim->axis) {
        const rft_sweep *sweep = &s->call->state->sweep;
        size_t axis = 0;
        while (strcmp(sweep->axes[axis].name, dim->axis) != 0) { /* checked when it was read */
            axis++;
        }
        rft_push_value(lua, &s->call->problem[axis]);
        size = rft_read_int(lua, -1, &at, 1, RFT_VENDOR_DIM_MAX);
        lua_pop(lua, 1);
    }
    return size;
}

static void check_type(const spelling *s, const char *key, const rft_buffer *buffer) {
    rft_at at = {&s->root, key, 0};
    rft_type expected = rft_vendor_input_type(s->out->math);
    if (!rft_vendor_math_reads(s->out->math, buffer->type)) {
        rft_read_fail(s->lua, &at, "vendor.matmul { math = ... } says what the library computes in",
                      "%s multiplies %s, the buffer \"%.60s\" is %s", rft_vendor_math_name(s->out->math),
                      rft_type_name(expected), buffer->name, rft_type_name(buffer->type));
    }
}

static void check_types(const spelling *s, const rft_buffer *a, const rft_buffer *b) {
    rft_at at = {&s->root, "b", 0};
    check_type(s, "a", a);
    check_type(s, "b", b);
    if (a->type == RFT_TYPE_E5M2 && b->type == RFT_TYPE_E5M2) {
        rft_read_fail(s->lua, &at, "make A or B e4m3", "the library multiplies e5m2 with e4m3 alone");
    }
}

static void check_output(const spelling *s, const rft_buffer *c) {
    rft_at at = {&s->root, "output", 0};
    if (s->facts->output_given && s->facts->output != c->type) {
        rft_read_fail(s->lua, &at, "leave it out: the buffer says what it is",
                      "the results shall be %s, the buffer \"%.60s\" is %s", rft_type_name(s->facts->output), c->name,
                      rft_type_name(c->type));
    }
}

static void check_count(const spelling *s, const char *key, const rft_buffer *buffer, const char *shape, int64_t rows,
                        int64_t columns) {
    rft_at at = {&s->root, key, 0};
    if (buffer->count != (uint64_t)rows * (uint64_t)columns) {
        rft_read_fail(s->lua, &at, "vendor.matmul { m = ..., n = ..., k = ... } says how large the matrices are",
                      "the buffer \"%.60s\" has %llu elements, %s is %lld x %lld", buffer->name,
                      (unsigned long long)buffer->count, shape, (long long)rows, (long long)columns);
    }
}

static void check_scale(const spelling *s, const char *key, const rft_buffer *buffer, int64_t count) {
    rft_at at = {&s->root, key, 0};
    if (buffer->type != RFT_TYPE_F32 || buffer->count != (uint64_t)count) {
        rft_read_fail(s->lua, &at, "docs/baselines.md says how they lie",
                      "the buffer \"%.60s\" is %llu %s, scales by %s are %lld f32", buffer->name,
                      (unsigned long long)buffer->count, rft_type_name(buffer->type),
                      rft_vendor_scale_name(s->facts->scale), (long long)count);
    }
}

static void choose_math(const spelling *s) {
    const rft_buffer *a = &s->call->out->buffers[s->out->a];
    rft_at at = {&s->root, "a", 0};
    s->out->math = s->facts->math;
    if (!s->facts->math_given && !rft_vendor_math_of_type(&s->out->math, a->type)) {
        rft_read_fail(s->lua, &at, "f64, f32, f16, bf16, e4m3, e5m2 and i8 can be multiplied",
                      "the library multiplies no %s, which the buffer \"%.60s\" is", rft_type_name(a->type), a->name);
    }
}

/* The scales' buffers; those of blocks are applied to sums of 128 k's, which is exact accumulation. */
static void spell_scales(spelling *s) {
    const rft_baseline_facts *facts = s->facts;
    rft_vendor_call *out = s->out;
    const rft_buffer *buffers = s->call->out->buffers;
    out->scale = facts->scale;
    if (facts->scale == RFT_VENDOR_SCALE_NONE) {
        return;
    }
    if (out->math != RFT_VENDOR_FP8) {
        rft_at at = {&s->root, "scale", 0};
        rft_read_fail(s->lua, &at, "leave it out", "%s has no scales, fp8 has", rft_vendor_math_name(out->math));
    }
    out->a_scale = find_buffer(s, "a_scale", facts->a_scale, RFT_BUFFER_INPUT);
    out->b_scale = find_buffer(s, "b_scale", facts->b_scale, RFT_BUFFER_INPUT);
    check_scale(s, "a_scale", &buffers[out->a_scale], rft_vendor_scales_of_a(facts->scale, out->m, out->k));
    check_scale(s, "b_scale", &buffers[out->b_scale], rft_vendor_scales_of_b(facts->scale, out->n, out->k));
    out->exact_accumulation = out->exact_accumulation || facts->scale == RFT_VENDOR_SCALE_BLOCKS;
}

/* What the epilogue reads: of C's type, one for each column of C, or as many as C has. */
static void spell_epilogue(const spelling *s) {
    const rft_baseline_facts *facts = s->facts;
    rft_vendor_call *out = s->out;
    rft_at at = {&s->root, "epilogue", 0};
    out->epilogue = facts->epilogue;
    if (!facts->extra) {
        return;
    }
    if (out->math == RFT_VENDOR_INT8 || out->math == RFT_VENDOR_FP64) {
        rft_read_fail(s->lua, &at, "leave it out", "%s has no epilogue", rft_vendor_math_name(out->math));
    }
    bool has_bias = rft_vendor_epilogue_has_bias(facts->epilogue);
    const char *key = has_bias ? "bias" : "residual";
    rft_at place = {&s->root, key, 0};
    out->extra = find_buffer(s, key, facts->extra, RFT_BUFFER_INPUT);
    const rft_buffer *extra = &s->call->out->buffers[out->extra], *c = &s->call->out->buffers[out->d];
    if (extra->type != c->type) {
        rft_read_fail(s->lua, &place, NULL, "%s has the type of C, %s; the buffer \"%.60s\" is %s", key,
                      rft_type_name(c->type), extra->name, rft_type_name(extra->type));
    }
    check_count(s, key, extra, has_bias ? "1 x n" : "m x n", has_bias ? 1 : out->m, out->n);
}

static rft_vendor_order order_of(bool transposed) {
    return transposed ? RFT_VENDOR_COLUMN : RFT_VENDOR_ROW;
}

/* A kernel's ALGO, its only parameter; a baseline tries them all. */
static int algo_of(const spelling *s) {
    rft_at at = {NULL, RFT_VENDOR_ALGO, 0};
    if (s->call->baseline) {
        return 0;
    }
    rft_push_value(s->lua, &s->call->config[0]);
    int algo = (int)rft_read_int(s->lua, -1, &at, 0, ALGO_MAX);
    lua_pop(s->lua, 1);
    return algo;
}

void rft_baseline_launch(lua_State *lua, const rft_point_call *call, const rft_baseline_facts *facts, int p) {
    rft_point_spec *spec = call->out;
    spec->launches = rft_arena_calloc(call->arena, 1, sizeof(*spec->launches));
    spec->launch_count = 1;
    spec->launches[0].kind = RFT_LAUNCH_VENDOR;
    rft_vendor_call *out = &spec->launches[0].vendor;
    spelling s = {lua, call, facts, {NULL, "vendor.matmul", 0}, p, out};
    if (call->baseline) {
        drop_temps(spec);
    }
    blame(&s);
    out->a = find_buffer(&s, "a", facts->a, RFT_BUFFER_INPUT);
    out->b = find_buffer(&s, "b", facts->b, RFT_BUFFER_INPUT);
    out->d = find_buffer(&s, "c", facts->c, RFT_BUFFER_OUTPUT);
    choose_math(&s);
    check_types(&s, &spec->buffers[out->a], &spec->buffers[out->b]);
    const rft_buffer *c = &spec->buffers[out->d];
    if (!rft_vendor_math_writes(out->math, c->type)) {
        rft_at at = {&s.root, "c", 0};
        rft_read_fail(lua, &at, NULL, "%s has no results of type %s, which the buffer \"%.60s\" is; it writes %s",
                      rft_vendor_math_name(out->math), rft_type_name(c->type), c->name,
                      rft_type_name(rft_vendor_output_type(out->math)));
    }
    check_output(&s, c);
    out->m = dim_of(&s, &facts->m);
    out->n = dim_of(&s, &facts->n);
    out->k = dim_of(&s, &facts->k);
    blame(&s);
    check_count(&s, "a", &spec->buffers[out->a], "m x k", out->m, out->k);
    check_count(&s, "b", &spec->buffers[out->b], "k x n", out->k, out->n);
    check_count(&s, "c", c, "m x n", out->m, out->n);
    out->a_order = order_of(facts->transpose_a);
    out->b_order = order_of(facts->transpose_b);
    out->d_order = order_of(facts->transpose_c);
    out->exact_accumulation = facts->exact;
    spell_scales(&s);
    spell_epilogue(&s);
    out->algo = algo_of(&s);
}

void rft_baseline_tolerance(const rft_point_call *call, const rft_baseline_facts *facts) {
    rft_point_spec *spec = call->out;
    const rft_vendor_call *vendor = &spec->launches[0].vendor;
    double tol = facts->tol, usual = rft_spec_tolerance(spec, vendor->d);
    if (isnan(tol)) {
        bool fast = vendor->math == RFT_VENDOR_FP8 && !vendor->exact_accumulation;
        tol = usual + (vendor->math == RFT_VENDOR_TF32 ? TF32_TOL : fast ? FP8_TOL * (double)vendor->k : 0.0);
    }
    spec->check.buffer_tol[vendor->d] = tol;
}
