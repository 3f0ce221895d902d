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
    return kernel_case_load_with(name, gpu, NULL, 0);
}

rft_script *kernel_case_load_with(const char *name, const rft_gpu_info *gpu, const char *const *args,
                                  size_t arg_count) {
    rft_script *script = NULL;
    rft_err err = RFT_ERR_INIT;
    rft_script_opts opts = {.gpu = gpu, .args = args, .arg_count = arg_count};
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

/* ---- many units ---- */

static bool same_but_names(const rft_unit_spec *a, const rft_unit_spec *b) {
    size_t i = 0;
    while (i < a->option_count && i < b->option_count && strcmp(a->options[i], b->options[i]) == 0) {
        i++;
    }
    return strcmp(a->source, b->source) == 0 && i == a->option_count && i == b->option_count;
}

static kernel_case_unit *unit_of(kernel_case_units *units, const rft_unit_spec *unit) {
    for (size_t i = 0; i < units->count; i++) {
        if (same_but_names(&units->items[i].unit, unit)) {
            return &units->items[i];
        }
    }
    RFT_GROW(units->items, units->capacity, units->count + 1);
    units->items[units->count] = (kernel_case_unit){.unit = *unit};
    return &units->items[units->count++];
}

void kernel_case_add(kernel_case_units *units, const rft_unit_spec *unit, const char *what, bool is_judged) {
    kernel_case_unit *own = unit->name_count > 0 ? unit_of(units, unit) : NULL; /* NULL: the vendor's library */
    for (size_t i = 0; own && i < unit->name_count; i++) {
        size_t at = 0;
        while (at < own->count && strcmp(own->names[at].name, unit->names[i]) != 0) {
            at++;
        }
        if (at == own->count) {
            RFT_GROW(own->names, own->capacity, own->count + 1);
            own->names[own->count++] = (kernel_case_name){unit->names[i], what, false};
            units->name_count++;
        }
        own->names[at].is_judged |= is_judged;
    }
}

/* NVRTC 13 knows the option. */
static void hasten(rft_unit_spec *unit, rft_compiler *compiler, rft_arena *arena) {
    if (atoi(compiler->version(compiler)) < 13) {
        return;
    }
    const char **options = rft_arena_calloc(arena, unit->option_count + 1, sizeof *options);
    for (size_t i = 0; i < unit->option_count; i++) {
        options[i] = unit->options[i];
    }
    options[unit->option_count++] = "--Ofast-compile=max";
    unit->options = options;
}

rft_compile_result kernel_case_compile_all(rft_compiler *compiler, const kernel_case_unit *unit, const char *arch,
                                           bool quick, rft_arena *arena) {
    rft_unit_spec whole = unit->unit;
    whole.names = rft_arena_calloc(arena, unit->count, sizeof *whole.names);
    whole.name_count = unit->count;
    for (size_t i = 0; i < unit->count; i++) {
        whole.names[i] = unit->names[i].name;
    }
    if (quick) {
        hasten(&whole, compiler, arena);
    }
    rft_compile_result result = kernel_case_compile(compiler, &whole, arch, arena);
    if (!result.ok) {
        fail_msg("%s for %s, and %zu more of its names: %s", unit->names[0].what, arch, unit->count - 1, result.log);
    }
    assert_int_equal(result.entry_count, unit->count);
    return result;
}

void kernel_case_units_free(kernel_case_units *units) {
    for (size_t i = 0; i < units->count; i++) {
        free(units->items[i].names);
    }
    free(units->items);
    *units = (kernel_case_units){0};
}
