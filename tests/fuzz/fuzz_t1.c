/* SPDX-License-Identifier: Apache-2.0 */
/* A space in T1 from elsewhere: an error with words, or Lua that loads and can be asked, within its limits. What is
 * no JSON at all is tried as a list and as a condition of Python. */
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "script/python/python.h"
#include "script/script.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void try_python(const char *text) {
    static const rft_py_name names[] = {{.name = "a", .kind = RFT_VALUE_REAL},
                                        {.name = "t", .kind = RFT_VALUE_BOOL},
                                        {.name = "s", .kind = RFT_VALUE_TEXT}};
    rft_arena *arena = rft_arena_new();
    rft_py_node *node = NULL;
    rft_py_error error = {.message = ""};
    if (rft_py_parse(&node, text, arena, &error)) {
        rft_value *values = NULL;
        size_t count = 0;
        rft_str lua = RFT_STR_INIT;
        bool folded = rft_py_values(&values, &count, node, arena, &error);
        require(folded || error.message[0]);
        require(rft_py_to_lua(&lua, node, names, 3, arena, &error) || error.message[0]);
        rft_str_clear(&lua);
    }
    require(node || error.message[0]);
    rft_arena_free(arena);
}

/* Every condition of the first values holds or fails, or is told to fail. */
static void ask(const rft_sweep *sweep) {
    const rft_variant *variant = &sweep->variants[0];
    rft_err err = RFT_ERR_INIT;
    rft_value *config = rft_calloc(variant->param_count + 1, sizeof *config);
    for (size_t i = 0; i < variant->param_count; i++) {
        require(variant->params[i].value_count > 0);
        config[i] = variant->params[i].values[0];
    }
    for (size_t i = 0; i < variant->constraint_count; i++) {
        bool holds = false;
        int code = sweep->vt->constraint(sweep->self, 0, i, sweep->problems[0].values, config, &holds, &err);
        require(code == 0 || (code == err.code && err.message[0] && !holds));
    }
    free(config);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rft_str lua = RFT_STR_INIT, text = RFT_STR_INIT;
    rft_err err = RFT_ERR_INIT;
    rft_str_add_n(&text, (const char *)data, size);
    if (size < 4096) {
        try_python(rft_str_get(&text));
    }
    int code = rft_script_t1_text(&lua, (const char *)data, size, "fuzz.json", &err);
    require(code == 0 || (code == RFT_E_SCRIPT && err.code == code && err.message[0]));
    if (code == 0) {
        rft_gpu_info gpu;
        rft_script *script = NULL;
        require(rft_gpu_info_for_arch(&gpu, "sm_90a", &err) == 0);
        rft_script_opts opts = {.gpu = &gpu, .memory_limit_bytes = (size_t)8 << 20, .call_limit_s = 0.05};
        code = rft_script_load_text(&script, "/nowhere/fuzz.lua", rft_str_get(&lua), lua.length, &opts, &err);
        require(code == 0 || err.message[0]);
        if (code == 0) {
            ask(rft_script_sweep(script, 0));
        }
        rft_script_free(script);
    }
    rft_str_clear(&lua);
    rft_str_clear(&text);
    return 0;
}
