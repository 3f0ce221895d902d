/* SPDX-License-Identifier: Apache-2.0 */
/* sweep_vendor_kernel.c - vendor.matmul{} where a kernel stands: as the launch of a kernel{}, or in place of one. */
#include "script/lua/lua_modules.h"
#include "script/sweep_parts.h"

#include <string.h>

#define MODULE "kernels.vendor_matmul"

/* ---- kernel { launch = vendor.matmul { ... } } ---- */

static const char *kernel_name(lua_State *lua, int table, const rft_at *root, const char *usual) {
    rft_at at = {root, "name", 0};
    const char *name = usual;
    if (rft_read_field(lua, table, "name")) {
        name = rft_arena_strdup(rft_lua_script(lua)->arena, rft_read_text(lua, -1, &at));
    }
    lua_pop(lua, 1);
    return name;
}

static void refuse_code(lua_State *lua, int table, const rft_at *root) {
    static const char *const of_code[] = {"source", "entry", "params", "compiled", "options", "constants", "prepare"};
    for (size_t i = 0; i < sizeof(of_code) / sizeof(of_code[0]); i++) {
        rft_at at = {root, of_code[i], 0};
        if (rft_read_field(lua, table, of_code[i])) {
            rft_read_fail(lua, &at,
                          "leave it out; the one parameter is " RFT_VENDOR_ALGO ", which of the library's list",
                          "the launch is a library's, which has no code to compile");
        }
        lua_pop(lua, 1);
    }
}

bool rft_vendor_kernel_read(lua_State *lua, int table, rft_kernel_facts *kernel) {
    rft_arena *arena = rft_lua_script(lua)->arena;
    rft_at root = {NULL, "kernel", 0};
    rft_read_field(lua, table, "launch");
    rft_baseline_facts *const *tag = luaL_testudata(lua, -1, RFT_TAG_VENDOR);
    lua_pop(lua, 1);
    if (!tag) {
        return false;
    }
    refuse_code(lua, table, &root);
    kernel->vendor = *tag;
    kernel->name = kernel_name(lua, table, &root, kernel->vendor->name);
    kernel->source = kernel->file->path;
    kernel->entries = rft_arena_alloc(arena, sizeof(*kernel->entries));
    kernel->entries[0] = kernel->vendor->name;
    kernel->entry_count = 1;
    kernel->params = rft_arena_calloc(arena, 1, sizeof(*kernel->params));
    kernel->param_is_ctype = rft_arena_calloc(arena, 1, sizeof(bool));
    kernel->param_count = 1;
    kernel->params[0] = (rft_param){.name = RFT_VENDOR_ALGO,
                                    .help = "which of the library's list, from 0: the one that it would take itself",
                                    .default_value = rft_value_int(0),
                                    .value_count = 1};
    kernel->params[0].values = &kernel->params[0].default_value;
    return true;
}

/* ---- kernel = vendor.matmul { ... } ---- */

/* It brings its own buffers and dimensions, so nothing may go by another name. */
static void check_names(lua_State *lua, const rft_at *at, const rft_baseline_facts *facts) {
    const rft_baseline_dim *const dims[] = {&facts->m, &facts->n, &facts->k};
    const char *const names[][2] = {{"a", facts->a}, {"b", facts->b}, {"c", facts->c}};
    static const char remedy[] =
        "kernel { launch = vendor.matmul { ... }, problem = ..., buffers = ..., work = ..., check = ... } has its own";
    if (!facts->math_given) {
        rft_read_fail(lua, at, "vendor.matmul { math = \"fp16\" }: fp32, tf32, fp16, bf16, fp8, int8, fp64",
                      "a library in a kernel's place brings its own buffers: say what it multiplies in");
    }
    if (facts->scale != RFT_VENDOR_SCALE_NONE) {
        rft_at scale = {at, "scale", 0};
        rft_read_fail(lua, &scale, remedy, "in a kernel's place there are no buffers for scales");
    }
    for (size_t i = 0; i < 3; i++) {
        rft_at dim = {at, dims[i]->key, 0}, buffer = {at, names[i][0], 0};
        if (!dims[i]->axis || strcmp(dims[i]->axis, dims[i]->key) != 0) {
            rft_read_fail(lua, &dim, remedy,
                          "in a kernel's place the problem is m, n, k: over and with give them values");
        }
        if (strcmp(names[i][1], names[i][0]) != 0) {
            rft_read_fail(lua, &buffer, remedy, "in a kernel's place the buffers are a, b and c");
        }
    }
    if (facts->extra) {
        rft_at extra = {at, "epilogue", 0};
        const char *usual = rft_vendor_epilogue_has_bias(facts->epilogue) ? "bias" : "residual";
        if (strcmp(facts->extra, usual) != 0) {
            rft_read_fail(lua, &extra, remedy, "in a kernel's place what the epilogue reads is called %s", usual);
        }
        if (facts->math == RFT_VENDOR_INT8 || facts->math == RFT_VENDOR_FP64 || facts->transpose_c) {
            rft_read_fail(lua, &extra, remedy, "in a kernel's place %s has no epilogue",
                          facts->transpose_c ? "a transposed C" : rft_vendor_math_name(facts->math));
        }
    }
    if (facts->output_given && !rft_vendor_math_writes(facts->math, facts->output)) {
        rft_at output = {at, "output", 0};
        rft_read_fail(lua, &output, NULL, "%s has no results of type %s; it writes %s",
                      rft_vendor_math_name(facts->math), rft_type_name(facts->output),
                      rft_type_name(rft_vendor_output_type(facts->math)));
    }
}

/* What the module is told: { math =, input =, output =, transpose_a =, transpose_b =, transpose_c =, epilogue = }. */
static void push_facts(lua_State *lua, const rft_baseline_facts *facts) {
    rft_type output = facts->output_given ? facts->output : rft_vendor_output_type(facts->math);
    const char *const texts[][2] = {{"math", rft_vendor_math_name(facts->math)},
                                    {"epilogue", rft_vendor_epilogue_name(facts->epilogue)},
                                    {"input", rft_type_name(rft_vendor_input_type(facts->math))},
                                    {"output", rft_type_name(output)}};
    lua_createtable(lua, 0, 7);
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        lua_pushstring(lua, texts[i][1]);
        lua_setfield(lua, -2, texts[i][0]);
    }
    lua_pushboolean(lua, facts->transpose_a);
    lua_setfield(lua, -2, "transpose_a");
    lua_pushboolean(lua, facts->transpose_b);
    lua_setfield(lua, -2, "transpose_b");
    lua_pushboolean(lua, facts->transpose_c);
    lua_setfield(lua, -2, "transpose_c");
}

void rft_vendor_make_kernel(lua_State *lua, const rft_at *at) {
    const rft_baseline_facts *facts = *(rft_baseline_facts *const *)luaL_checkudata(lua, -1, RFT_TAG_VENDOR);
    int tag = lua_gettop(lua);
    check_names(lua, at, facts);
    lua_pushcfunction(lua, rft_modules_require);
    lua_pushliteral(lua, MODULE);
    lua_call(lua, 1, 1);
    if (!lua_isfunction(lua, -1)) {
        rft_read_wrong(lua, -1, at, MODULE " to return a function");
    }
    lua_pushvalue(lua, tag);
    push_facts(lua, facts);
    lua_call(lua, 2, 1);
    lua_replace(lua, tag);
}
