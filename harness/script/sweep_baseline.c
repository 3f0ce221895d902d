/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_baseline.c - vendor.matmul{}, the sweep's `baseline`, and one baseline spelled out for a problem. */
#include "script/sweep_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define DIM_MAX INT64_C(1000000000)
#define ALGO_MAX 1000
#define USUAL_NAME "cuBLASLt"
#define TF32_TOL 0x1p-8  /* inputs keep 11 bits; with |out - ref| <= tol * (|ref| + scale) that is some six sigma */
#define FP8_TOL 0x1p-18  /* for each of k: fast accumulation keeps about 14 bits and rounds every 32 products */
#define USUAL "cublaslt" /* as text: vendor.matmul {} */

/* ---- vendor.matmul { ... } ---- */

typedef struct facts_reader {
    lua_State *lua;
    rft_arena *arena;
    rft_at root;
    rft_baseline_facts *facts;
} facts_reader;

static const char *text_or(facts_reader *reader, const char *key, const char *usual) {
    rft_at at = {&reader->root, key, 0};
    const char *text = usual;
    if (rft_read_field(reader->lua, 1, key)) {
        text = rft_arena_strdup(reader->arena, rft_read_text(reader->lua, -1, &at));
    }
    lua_pop(reader->lua, 1);
    return text;
}

static bool flag_or_false(facts_reader *reader, const char *key) {
    rft_at at = {&reader->root, key, 0};
    bool flag = rft_read_field(reader->lua, 1, key) && rft_read_bool(reader->lua, -1, &at);
    lua_pop(reader->lua, 1);
    return flag;
}

/* The name of a dimension, a number, or function(p). */
static void read_dim(facts_reader *reader, const char *key, rft_baseline_dim *out) {
    lua_State *lua = reader->lua;
    rft_at at = {&reader->root, key, 0};
    *out = (rft_baseline_dim){.key = key, .axis = key, .ref = LUA_NOREF};
    if (rft_read_field(lua, 1, key)) {
        out->axis = NULL;
        if (lua_type(lua, -1) == LUA_TNUMBER) {
            out->number = rft_read_int(lua, -1, &at, 1, DIM_MAX);
        } else if (lua_isfunction(lua, -1)) {
            rft_read_function(lua, -1, &at);
            lua_pushvalue(lua, -1);
            out->ref = luaL_ref(lua, LUA_REGISTRYINDEX);
        } else if (lua_type(lua, -1) == LUA_TSTRING) {
            out->axis = rft_arena_strdup(reader->arena, lua_tostring(lua, -1));
        } else {
            rft_read_wrong(lua, -1, &at, "the name of a dimension, a number, or function(p)");
        }
    }
    lua_pop(lua, 1);
}

static void read_math(facts_reader *reader) {
    static const char *const names[] = {
#define MATH_TEXT(name, in, out, text, cc) text,
        RFT_VENDOR_MATH_MAP(MATH_TEXT)
#undef MATH_TEXT
    };
    rft_at at = {&reader->root, "math", 0};
    const char *math = text_or(reader, "math", NULL);
    reader->facts->math_given = math != NULL;
    if (math && !rft_vendor_math_from_name(&reader->facts->math, math)) {
        char hint[120], known[200];
        rft_read_hint(hint, sizeof(hint), math, names, RFT_VENDOR_MATH_COUNT);
        rft_read_fail(reader->lua, &at, rft_read_known(known, sizeof(known), names, RFT_VENDOR_MATH_COUNT),
                      "no library multiplies in \"%.40s\"%s", math, hint);
    }
}

static void read_epilogue(facts_reader *reader) {
    static const char *const names[] = {
#define EPILOGUE_TEXT(name, text, vector) text,
        RFT_VENDOR_EPILOGUE_MAP(EPILOGUE_TEXT)
#undef EPILOGUE_TEXT
    };
    rft_at at = {&reader->root, "epilogue", 0};
    rft_baseline_facts *facts = reader->facts;
    const char *name = text_or(reader, "epilogue", names[0]);
    if (!rft_vendor_epilogue_from_name(&facts->epilogue, name)) {
        char hint[120], known[200];
        rft_read_hint(hint, sizeof(hint), name, names, RFT_VENDOR_EPILOGUE_COUNT);
        rft_read_fail(reader->lua, &at, rft_read_known(known, sizeof(known), names, RFT_VENDOR_EPILOGUE_COUNT),
                      "the library has no epilogue \"%.40s\"%s", name, hint);
    }
    const bool reads[] = {rft_vendor_epilogue_has_bias(facts->epilogue),
                          facts->epilogue == RFT_VENDOR_EPILOGUE_RESIDUAL};
    static const char *const keys[] = {"bias", "residual"};
    for (size_t i = 0; i < 2; i++) {
        rft_at key = {&reader->root, keys[i], 0};
        const char *buffer = text_or(reader, keys[i], NULL);
        if (buffer && !reads[i]) {
            rft_read_fail(reader->lua, &key, "vendor.matmul { epilogue = ... } says what is read",
                          "the epilogue \"%s\" reads no %s", name, keys[i]);
        }
        if (reads[i]) {
            facts->extra = buffer ? buffer : keys[i];
        }
    }
    if (reads[0] && facts->transpose_c) {
        rft_read_fail(reader->lua, &at, "leave transpose_c out, or have \"residual\"",
                      "the library adds a bias to the columns of a C by rows alone");
    }
}

static void read_output(facts_reader *reader) {
    rft_at at = {&reader->root, "output", 0};
    if (rft_read_field(reader->lua, 1, "output")) {
        const rft_type *type = luaL_testudata(reader->lua, -1, RFT_TAG_TYPE);
        if (!type) {
            rft_read_wrong(reader->lua, -1, &at, "an element type: f16, bf16, f32 ...");
        }
        reader->facts->output_given = true;
        reader->facts->output = *type;
    }
    lua_pop(reader->lua, 1);
}

static void read_scale(facts_reader *reader) {
    static const char *const names[] = {
#define SCALE_TEXT(name, text) text,
        RFT_VENDOR_SCALE_MAP(SCALE_TEXT)
#undef SCALE_TEXT
    };
    rft_at at = {&reader->root, "scale", 0};
    rft_baseline_facts *facts = reader->facts;
    const char *scale = text_or(reader, "scale", names[RFT_VENDOR_SCALE_NONE]);
    if (!rft_vendor_scale_from_name(&facts->scale, scale)) {
        char hint[120], known[200];
        rft_read_hint(hint, sizeof(hint), scale, names, RFT_VENDOR_SCALE_COUNT);
        rft_read_fail(reader->lua, &at, rft_read_known(known, sizeof(known), names, RFT_VENDOR_SCALE_COUNT),
                      "no library scales by \"%.40s\"%s", scale, hint);
    }
    facts->a_scale = text_or(reader, "a_scale", "a_scale");
    facts->b_scale = text_or(reader, "b_scale", "b_scale");
}

/* Two baselines of a sweep are told apart by their names. */
static const char *usual_name(const facts_reader *reader) {
    const rft_baseline_facts *facts = reader->facts;
    const char *math = facts->math == RFT_VENDOR_TF32 ? " tf32" : "";
    bool scaled = facts->scale != RFT_VENDOR_SCALE_NONE;
    bool plain = facts->epilogue == RFT_VENDOR_EPILOGUE_NONE;
    return rft_arena_printf(reader->arena, USUAL_NAME "%s%s%s%s%s%s", facts->math_given ? math : "",
                            facts->exact ? ", exact accumulation" : "", scaled ? ", scaled by " : "",
                            scaled ? rft_vendor_scale_name(facts->scale) : "", plain ? "" : ", ",
                            plain ? "" : rft_vendor_epilogue_name(facts->epilogue));
}

/* The table is at 1, or nothing is: then everything is as usual. */
static rft_baseline_facts *read_facts(lua_State *lua) {
    rft_script *script = rft_lua_script(lua);
    facts_reader reader = {.lua = lua, .arena = script->arena, .root = {NULL, "vendor.matmul", 0}};
    rft_at tol = {&reader.root, "tol", 0}, name = {&reader.root, "name", 0};
    reader.facts = rft_arena_alloc(script->arena, sizeof(*reader.facts));
    rft_baseline_facts *facts = reader.facts;
    char place[200];
    rft_lua_place(lua, place, sizeof(place));
    *facts = (rft_baseline_facts){.tol = NAN, .place = rft_arena_strdup(script->arena, place)};
    read_math(&reader);
    facts->a = text_or(&reader, "a", "a");
    facts->b = text_or(&reader, "b", "b");
    facts->c = text_or(&reader, "c", "c");
    read_dim(&reader, "m", &facts->m);
    read_dim(&reader, "n", &facts->n);
    read_dim(&reader, "k", &facts->k);
    facts->transpose_a = flag_or_false(&reader, "transpose_a");
    facts->transpose_b = flag_or_false(&reader, "transpose_b");
    facts->transpose_c = flag_or_false(&reader, "transpose_c");
    facts->exact = flag_or_false(&reader, "exact");
    read_scale(&reader);
    read_epilogue(&reader);
    read_output(&reader);
    if (rft_read_field(lua, 1, "tol")) {
        facts->tol = rft_read_real(lua, -1, &tol, 0, 1e300);
    }
    lua_pop(lua, 1);
    facts->name = text_or(&reader, "name", usual_name(&reader));
    if (facts->name[0] == '\0' || strpbrk(facts->name, "\n\t")) {
        rft_read_fail(lua, &name, NULL, "the name stands in tables: one line, not empty");
    }
    return facts;
}

int rft_api_vendor_matmul(lua_State *lua) {
    rft_at root = {NULL, "vendor.matmul", 0};
    lua_settop(lua, 1);
    rft_read_keys(lua, 1, &root, RFT_KEYS_VENDOR_MATMUL, 0);
    rft_baseline_facts *facts = read_facts(lua);
    *(rft_baseline_facts **)rft_tag_new(lua, RFT_TAG_VENDOR, sizeof(facts), 0) = facts;
    return 1;
}

/* ---- baseline = { ... } ---- */

/* The kernel{} on top, where it is a given binary; NULL: it is no kernel. */
static const rft_kernel_facts *read_binary(lua_State *lua, const rft_at *at) {
    rft_kernel_facts *const *tag = luaL_testudata(lua, -1, RFT_TAG_KERNEL);
    if (tag && ((*tag)->vendor || !rft_source_is_given((*tag)->source))) {
        rft_read_fail(lua, at, "a kernel that is compiled here is one of `variants`",
                      "a baseline is a library or a given binary, %s is neither", (*tag)->name);
    }
    return tag ? *tag : NULL;
}

static void set_binary(lua_State *lua, rft_sweep_state *state, size_t index, const rft_kernel_facts *kernel) {
    rft_arena *arena = state->script->arena;
    size_t at = state->sweep.variant_count + index;
    rft_variant_set(state, at, NULL, kernel);
    state->sweep.variants[at].params = rft_arena_calloc(arena, 1, sizeof(rft_param));
    state->states[at].alternatives = rft_arena_calloc(arena, 1, sizeof(rft_alternatives));
    state->states[at].base_config = rft_arena_calloc(arena, 1, sizeof(rft_value));
    state->baseline_variants[index] = at;
    state->sweep.baselines[index] = kernel->name;
    rft_reference_resolve(lua, state, at);
}

/* The element on top. */
static const rft_baseline_facts *read_element(lua_State *lua, const rft_at *at) {
    static const char *const known[] = {USUAL};
    rft_baseline_facts *const *tag = luaL_testudata(lua, -1, RFT_TAG_VENDOR);
    if (tag) {
        return *tag;
    }
    if (lua_type(lua, -1) != LUA_TSTRING) {
        rft_read_wrong(lua, -1, at, "\"" USUAL "\", vendor.matmul { ... } or kernel { source = \"x.cubin\", ... }");
    }
    const char *text = lua_tostring(lua, -1);
    if (strcmp(text, USUAL) != 0) {
        char hint[120];
        rft_read_hint(hint, sizeof(hint), text, known, 1);
        rft_read_fail(lua, at,
                      "\"" USUAL "\", or vendor.matmul { ... } where its buffers or dimensions have other names",
                      "unknown baseline \"%.40s\"%s", text, hint);
    }
    lua_pushcfunction(lua, rft_api_vendor_matmul);
    lua_createtable(lua, 0, 0);
    lua_call(lua, 1, 1);
    tag = luaL_checkudata(lua, -1, RFT_TAG_VENDOR);
    lua_pop(lua, 1);
    return *tag;
}

typedef struct axis_names {
    const char *const *items;
    size_t count;
} axis_names;

static void check_dim(lua_State *lua, const rft_at *at, const axis_names *axes, const rft_baseline_dim *dim) {
    rft_at here = {at, dim->key, 0};
    for (size_t i = 0; dim->axis && i < axes->count; i++) {
        if (strcmp(axes->items[i], dim->axis) == 0) {
            return;
        }
    }
    if (dim->axis) {
        char hint[120], known[300], remedy[420];
        rft_read_hint(hint, sizeof(hint), dim->axis, axes->items, axes->count);
        rft_read_known(known, sizeof(known), axes->items, axes->count);
        snprintf(remedy, sizeof(remedy),
                 "vendor.matmul { %s = ... } takes the name of a dimension, a number, or function(p); %s", dim->key,
                 known);
        rft_read_fail(lua, &here, remedy, "the problem has no dimension \"%.60s\"%s", dim->axis, hint);
    }
}

void rft_vendor_check_dims(lua_State *lua, const rft_at *at, const rft_baseline_facts *facts, const char *const *axes,
                           size_t axis_count) {
    const axis_names names = {axes, axis_count};
    check_dim(lua, at, &names, &facts->m);
    check_dim(lua, at, &names, &facts->n);
    check_dim(lua, at, &names, &facts->k);
}

void rft_baselines_read(lua_State *lua, const rft_at *at, rft_sweep_state *state) {
    rft_sweep *sweep = &state->sweep;
    bool listed = lua_type(lua, -1) == LUA_TTABLE;
    size_t count = listed ? (size_t)rft_read_list(lua, -1, at, RFT_BASELINES_MAX) : 1;
    sweep->baselines = rft_arena_calloc(state->script->arena, count + 1, sizeof(*sweep->baselines));
    state->baselines = rft_arena_calloc(state->script->arena, count + 1, sizeof(*state->baselines));
    state->baseline_variants = rft_arena_calloc(state->script->arena, count + 1, sizeof(*state->baseline_variants));
    const char **axes = rft_arena_calloc(state->script->arena, sweep->axis_count + 1, sizeof(*axes));
    for (size_t i = 0; i < sweep->axis_count; i++) {
        axes[i] = sweep->axes[i].name;
    }
    for (size_t i = 0; i < count; i++) {
        rft_at element = {at, NULL, (lua_Integer)i + 1};
        const rft_at *here = listed ? &element : at;
        if (listed) {
            lua_rawgeti(lua, -1, (lua_Integer)i + 1);
        }
        const rft_kernel_facts *binary = read_binary(lua, here);
        if (binary) {
            rft_variant_check_axes(lua, here, state, binary);
            set_binary(lua, state, i, binary);
        } else {
            const rft_baseline_facts *facts = read_element(lua, here);
            rft_vendor_check_dims(lua, here, facts, axes, sweep->axis_count);
            state->baselines[i] = facts;
            sweep->baselines[i] = facts->name;
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(sweep->baselines[k], sweep->baselines[i]) == 0) {
                rft_read_fail(lua, here, "give one of them a name = \"...\"", "two baselines are named \"%.60s\"",
                              sweep->baselines[i]);
            }
        }
        sweep->baseline_count = i + 1;
        lua_pop(lua, listed ? 1 : 0);
    }
}

/* ---- one baseline on one problem ---- */

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
        size = rft_read_int(lua, -1, &at, 1, DIM_MAX);
        lua_pop(lua, 1);
    } else if (dim->axis) {
        const rft_sweep *sweep = &s->call->state->sweep;
        size_t axis = 0;
        while (strcmp(sweep->axes[axis].name, dim->axis) != 0) { /* checked when it was read */
            axis++;
        }
        rft_push_value(lua, &s->call->problem[axis]);
        size = rft_read_int(lua, -1, &at, 1, DIM_MAX);
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
