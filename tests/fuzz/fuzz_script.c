/* SPDX-License-Identifier: Apache-2.0 */
/* Any text as a sweep: it loads or is refused with a message, within its limits; what loads can be asked for points.
 * The same as a data file: what a table says is a mix, or limits, or refused. */
#include "fuzz/fuzz.h"
#include "model/acceptance/accept_limits.h"
#include "model/mix/mix.h"
#include "script/script.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* The first values of everything, for every problem up to a few. */
static void ask(const rft_sweep *sweep) {
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        const rft_variant *variant = &sweep->variants[v];
        rft_value *config = rft_arena_calloc(arena, variant->param_count + 1, sizeof(*config));
        for (size_t i = 0; i < variant->param_count; i++) {
            require(variant->params[i].value_count > 0);
            config[i] = variant->params[i].values[variant->params[i].value_count - 1];
        }
        for (size_t p = 0; p < sweep->problem_count && p < 3; p++) {
            const rft_value *problem = sweep->problems[p].values;
            for (size_t i = 0; i < variant->constraint_count; i++) {
                bool holds = false;
                int code = sweep->vt->constraint(sweep->self, v, i, problem, config, &holds, &err);
                require(code == 0 || (code == err.code && err.message[0] != '\0' && !holds));
            }
            rft_point_spec spec;
            int code = sweep->vt->point(sweep->self, v, problem, config, arena, &spec, &err);
            require(code == 0 || (code == err.code && err.message[0] != '\0'));
            require(code != 0 || sweep->bare_space ||
                    (spec.launch_count > 0 && spec.unit.name_count > 0 && spec.buffer_count > 0));
        }
    }
    rft_arena_free(arena);
}

static void read_as_limits(const char *json, rft_arena *arena) {
    rft_err err = RFT_ERR_INIT;
    rft_limits *limits = NULL;
    int code = rft_limits_read(&limits, json, "/nowhere/fuzz.lua", arena, &err);
    require(code == 0 || (code == err.code && err.message[0] != '\0'));
    for (size_t i = 0; code == 0 && i < limits->count; i++) {
        require(limits->items[i].value >= RFT_LIMIT_LEAST && limits->items[i].value <= RFT_LIMIT_HIGHEST);
        require(rft_limit_text(&limits->items[i], arena) && limits->items[i].from < RFT_LIMIT_FROM_COUNT);
    }
    rft_str text = RFT_STR_INIT;
    if (code == 0) {
        rft_limits_write(&text, limits);
        require(strstr(rft_str_get(&text), RFT_LIMITS_HEAD) == rft_str_get(&text));
    }
    rft_str_clear(&text);
}

static void read_as_data(const uint8_t *data, size_t size, const rft_script_opts *opts) {
    rft_arena *arena = rft_arena_new();
    rft_err err = RFT_ERR_INIT;
    const char *text = rft_arena_strndup(arena, (const char *)data, size);
    char *json = NULL;
    int code = rft_script_eval_table(&json, "/nowhere/fuzz.lua", text, opts, &err);
    require((code == 0) == (json != NULL) && code == err.code);
    if (json && strlen(json) < 100000) {
        read_as_limits(json, arena); /* rft_json_parse() has a target of its own */
        rft_mix_book *book = rft_mix_book_new(arena);
        code = rft_mix_book_add(book, json, "/nowhere/fuzz.lua", arena, &err);
        require(code == 0 || (code == err.code && err.message[0] != '\0'));
        for (size_t i = 0; code == 0 && i < book->mix_count; i++) {
            require(book->mixes[i].name && book->mixes[i].item_count > 0 && book->mixes[i].per > 0);
        }
    }
    free(json);
    rft_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    rft_gpu_info gpu;
    rft_err err = RFT_ERR_INIT;
    require(rft_gpu_info_for_arch(&gpu, "sm_90a", &err) == 0);
    rft_script_opts opts = {.gpu = &gpu, .memory_limit_bytes = (size_t)8 << 20, .call_limit_s = 0.05};
    if (memmem(data, size, "mix", 3) || memmem(data, size, "limits", 6)) {
        read_as_data(data, size, &opts);
    }
    rft_script *script = NULL;
    int code = rft_script_load_text(&script, "/nowhere/fuzz.lua", (const char *)data, size, &opts, &err);
    if (code != 0) {
        require(!script && err.code == code && err.message[0] != '\0');
        return 0;
    }
    require(rft_script_sweep_count(script) > 0);
    for (size_t i = 0; i < rft_script_sweep_count(script); i++) {
        ask(rft_script_sweep(script, i));
    }
    rft_script_free(script);
    return 0;
}
