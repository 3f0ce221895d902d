/* SPDX-License-Identifier: Apache-2.0 */
#include "kernels/kernel_case.h"

#include "base/fs.h"
#include "base/str.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

rft_gpu_info kernel_case_gpu(const char *arch) {
    rft_gpu_info gpu;
    rft_err err = RFT_ERR_INIT;
    if (rft_gpu_info_for_arch(&gpu, arch, &err) != 0) {
        fail_msg("%s", err.message);
    }
    return gpu;
}

void kernel_case_sweeps(char ***names, size_t *count) {
    assert_int_equal(rft_fs_list(names, count, RFT_SOURCE_DIR "/sweeps", ".lua", NULL), 0);
    size_t kept = 0;
    for (size_t i = 0; i < *count; i++) {
        if (strcmp((*names)[i], "matmul_search.lua") == 0) {
            free((*names)[i]);
        } else {
            (*names)[kept++] = (*names)[i];
        }
    }
    *count = kept;
    assert_in_range(kept, 20, 1000);
}

rft_script *kernel_case_load(const char *name, const rft_gpu_info *gpu) {
    rft_script *script = NULL;
    rft_err err = RFT_ERR_INIT;
    rft_script_opts opts = {.gpu = gpu};
    char *path = rft_fs_join(RFT_SOURCE_DIR "/sweeps", name);
    int rc = rft_script_load(&script, path, &opts, &err);
    free(path);
    if (rc != 0) {
        fail_msg("%s: %s", err.place, err.message);
    }
    return script;
}

rft_point_spec kernel_case_point(const rft_sweep *sweep, size_t variant, size_t problem, const rft_value *config,
                                 rft_arena *arena) {
    rft_point_spec spec;
    rft_err err = RFT_ERR_INIT;
    if (sweep->vt->point(sweep->self, variant, sweep->problems[problem].values, config, arena, &spec, &err) != 0) {
        fail_msg("%s: %s: %s", kernel_case_text(sweep, variant, problem, config, arena), err.place, err.message);
    }
    return spec;
}

rft_value *kernel_case_default(const rft_variant *variant, rft_arena *arena) {
    rft_value *config = rft_arena_calloc(arena, variant->param_count + 1, sizeof(*config));
    for (size_t i = 0; i < variant->param_count; i++) {
        config[i] = variant->params[i].default_value;
    }
    return config;
}

const char *kernel_case_text(const rft_sweep *sweep, size_t variant, size_t problem, const rft_value *config,
                             rft_arena *arena) {
    const rft_variant *v = &sweep->variants[variant];
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%s %s", sweep->name, v->name);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        rft_str_addf(&text, " %s=", sweep->axes[i].name);
        rft_value_format(&text, &sweep->problems[problem].values[i]);
    }
    for (size_t i = 0; i < v->param_count; i++) {
        rft_str_addf(&text, " %s=", v->params[i].name);
        rft_value_format(&text, &config[i]);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

rft_compiler *kernel_case_compiler(void) {
    rft_compiler *compiler = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_nvrtc_new(&compiler, NULL, &err) != 0) {
        fprintf(stderr, "skipped: %s\n", err.message);
        exit(77);
    }
    return compiler;
}

rft_compile_result kernel_case_compile(rft_compiler *compiler, const rft_unit_spec *unit, const char *arch,
                                       rft_arena *arena) {
    rft_compile_request request = rft_compile_request_of(unit, arch);
    rft_compile_result result;
    rft_err err = RFT_ERR_INIT;
    if (compiler->compile(compiler, &request, arena, &result, &err) != 0) {
        fail_msg("%s: %s", unit->source, err.message);
    }
    return result;
}

const char *kernel_case_unit_key(const rft_unit_spec *unit, rft_arena *arena) {
    rft_str key = RFT_STR_INIT;
    rft_str_add(&key, unit->source);
    for (size_t i = 0; i < unit->name_count; i++) {
        rft_str_addf(&key, "|%s", unit->names[i]);
    }
    for (size_t i = 0; i < unit->option_count; i++) {
        rft_str_addf(&key, "|%s", unit->options[i]);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&key));
    rft_str_clear(&key);
    return kept;
}
