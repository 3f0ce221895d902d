/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_baseline.c - vendor.matmul{} and the sweep's `baseline`, as they are read. */
#include "script/sweep_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#define USUAL_NAME "cuBLASLt"
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
            out->number = rft_read_int(lua, -1, &at, 1, RFT_VENDOR_DIM_MAX);
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
