/* SPDX-License-Identifier: Apache-2.0 */
/* new_sweep_given.c - a T1 file's arguments against the parameters that the kernel has: the kernel is right about types
 * and about what it writes, the file about sizes and contents. */
#include "cli/new_sweep_parts.h"
#include "cli/script_stuck.h"
#include "model/sweep/compile_option.h"
#include "model/sweep/space.h"
#include "script/script.h"

#include <stdlib.h>
#include <string.h>

static void remark(rft_given_plan *plan, const char *text) {
    if (plan->remark_count < sizeof plan->remarks / sizeof *plan->remarks) {
        plan->remarks[plan->remark_count++] = text;
    }
}

/* ---- arguments ---- */

static int refuse_count(const rft_given_plan *plan, size_t given, rft_err *err) {
    const rft_cuda_entry *entry = plan->request->entry;
    rft_str names = RFT_STR_INIT;
    for (size_t i = 0; i < entry->param_count; i++) {
        rft_str_addf(&names, "%s%.60s %.60s", i ? ", " : "", entry->params[i].written, entry->params[i].name);
    }
    rft_err_set(err, RFT_E_SCRIPT,
                "KernelSpecification.Arguments: %zu are given, and %.60s (line %zu) takes %zu: %.600s", given,
                entry->name, entry->line, entry->param_count, rft_str_get(&names));
    rft_str_clear(&names);
    rft_err_place(err, "%.300s", plan->request->from);
    for (size_t i = 0; i < plan->request->file->variable_count; i++) {
        rft_str_addf(&names, "%s%.60s", i ? ", " : ": ", plan->request->file->variables[i].name);
    }
    rft_err_remedy(err, "list them there in the kernel's order; MemoryType Symbol for __constant__ variables%.300s",
                   rft_str_get(&names));
    rft_str_clear(&names);
    return RFT_E_SCRIPT;
}

/* Its type follows a template's parameter: the scan has guessed. */
static bool is_open_type(const rft_cuda_entry *entry, const rft_cuda_param *param) {
    bool open = false;
    for (size_t i = 0; i < entry->template_count; i++) {
        size_t length = strlen(entry->templates[i].name);
        const char *at = length ? strstr(param->written, entry->templates[i].name) : NULL;
        open = open || (at && (at == param->written || at[-1] == ' ') && !strchr("_", at[length] ? at[length] : ' '));
    }
    return open;
}

static bool is_whole_type(const char *type) {
    return type[0] == 'i' || type[0] == 'u';
}

static void take_type(rft_given_plan *plan, rft_given_argument *a, const rft_cuda_param *param, rft_arena *arena) {
    bool same = rft_new_type_bytes(param->type) == rft_new_type_bytes(a->type) &&
                is_whole_type(param->type) == is_whole_type(a->type);
    if (strcmp(param->type, a->type) == 0) {
        return;
    }
    if (!same) {
        remark(plan, rft_arena_printf(arena, "%s: the file has %s, the kernel takes %s: %s is taken", a->name, a->type,
                                      param->written, param->type));
        a->fill = is_whole_type(param->type) == is_whole_type(a->type) ? a->fill : NULL;
    }
    a->type = param->type;
}

static void take_access(rft_given_plan *plan, rft_given_argument *a, const rft_cuda_param *param, rft_arena *arena) {
    const rft_t1_argument *given = a->given;
    bool seen = !param->read || !param->written_to;
    if (!seen) {
        a->read = given->read;
        a->written = given->written;
        return;
    }
    bool both = given->access_said && given->read && given->written;
    a->written = param->written_to;
    a->read = !a->written || param->read || both;
    if (a->written && !given->written) {
        remark(plan,
               rft_arena_printf(arena, "%s: the file says ReadOnly, and the kernel writes it: an output", a->name));
    }
}

static const char *free_name(const rft_given_plan *plan, const char *name, size_t index, rft_arena *arena) {
    bool good = *name && strlen(name) < 55 && rft_script_name_is_free(name) && name[strspn(name, "_")] != '\0';
    for (const char *c = name; *c && good; c++) {
        good =
            *c == '_' || (*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (c != name && *c >= '0' && *c <= '9');
    }
    for (size_t i = 0; i < index && good; i++) {
        good = strcmp(plan->arguments[i].name, name) != 0;
    }
    return good ? name : rft_arena_printf(arena, "arg%zu", index + 1);
}

static int match_param(rft_given_plan *plan, size_t index, const rft_cuda_param *param, rft_arena *arena,
                       rft_err *err) {
    rft_given_argument *a = &plan->arguments[index];
    bool scalar = a->given->memory == RFT_T1_SCALAR;
    bool twice = a->is_symbol; /* a constant of its name holds the same numbers, as in Kernel Tuner */
    a->in_launch = true;
    a->name = free_name(plan, twice ? a->given->name : param->name, index, arena);
    if (param->type && scalar == param->pointer) {
        rft_err_set(err, RFT_E_SCRIPT, "KernelSpecification.Arguments[%zu]: a %s, and the kernel takes %.60s %.60s",
                    index, scalar ? "Scalar" : "Vector", param->written, param->name);
        rft_err_place(err, "%.300s", plan->request->from);
        return rft_err_remedy(err, "put the arguments into the order of %.60s (line %zu)", plan->request->entry->name,
                              plan->request->entry->line);
    }
    if (param->type && !param->guessed && !is_open_type(plan->request->entry, param)) {
        take_type(plan, a, param, arena);
    }
    if (!scalar && param->type) {
        take_access(plan, a, param, arena);
    }
    return RFT_OK;
}

static const rft_cuda_variable *find_variable(const rft_cuda_file *file, const char *name) {
    const char *colon = strrchr(name, ':'), *bare = colon ? colon + 1 : name;
    for (size_t i = 0; i < file->variable_count; i++) {
        if (strcmp(file->variables[i].name, bare) == 0) {
            return &file->variables[i];
        }
    }
    return NULL;
}

/* The elements that the variable has: the file may give fewer, as Kernel Tuner allows. */
static void take_variable(rft_given_plan *plan, rft_given_argument *a, const rft_cuda_variable *variable,
                          rft_arena *arena) {
    const rft_cuda_file *file = plan->request->file;
    rft_t1_macro macros[RFT_CUDA_PARAMS_MAX];
    size_t count = 0;
    for (size_t i = 0; i < file->macro_count; i++) {
        const char *number = file->macros[i].fixed ? file->macros[i].fixed : file->macros[i].given;
        if (number && *number && strspn(number, "0123456789") == strlen(number)) {
            macros[count++] = (rft_t1_macro){file->macros[i].name, number};
        }
    }
    const char *elements = rft_script_t1_elements(plan->request->kernel, variable->count, macros, count, arena);
    if (variable->type && elements) {
        a->constant_type = variable->type;
        a->constant_size =
            variable->lanes > 1 ? rft_arena_printf(arena, "%d * (%s)", variable->lanes, elements) : elements;
    }
}

static int match_variable(rft_given_plan *plan, rft_given_argument *a, size_t index, rft_arena *arena, rft_err *err) {
    const rft_cuda_variable *variable = find_variable(plan->request->file, a->given->name);
    a->constant_type = a->given->type;
    a->constant_size = a->given->size;
    if (variable) {
        take_variable(plan, a, variable, arena);
        return RFT_OK;
    }
    a->is_symbol = !a->in_launch; /* a header may have it: check says */
    if (a->is_symbol && !rft_cuda_mentions(plan->request->file, a->given->name)) {
        const char *names[RFT_CUDA_PARAMS_MAX];
        for (size_t i = 0; i < plan->request->file->variable_count; i++) {
            names[i] = plan->request->file->variables[i].name;
        }
        const char *near = rft_text_nearest(a->given->name, names, plan->request->file->variable_count);
        rft_err_set(err, RFT_E_SCRIPT,
                    "KernelSpecification.Arguments[%zu].Name: %.200s has no __constant__ variable %.60s%s%s%s", index,
                    plan->request->source, a->given->name, near ? ", did you mean \"" : "", near ? near : "",
                    near ? "\"?" : "");
        rft_err_place(err, "%.300s", plan->request->from);
        return rft_err_remedy(err, "correct the name there");
    }
    return RFT_OK;
}

static int match_arguments(rft_given_plan *plan, rft_arena *arena, rft_err *err) {
    const rft_t1_kernel *kernel = plan->request->kernel;
    const rft_cuda_entry *entry = plan->request->entry;
    size_t sure = 0, next = 0;
    int rc = RFT_OK;
    for (size_t i = 0; i < kernel->argument_count; i++) {
        sure += kernel->arguments[i].is_argument_surely;
    }
    bool all = kernel->argument_count == entry->param_count;
    if (!all && sure != entry->param_count) {
        return refuse_count(plan, kernel->argument_count, err);
    }
    for (size_t i = 0; i < kernel->argument_count && rc == RFT_OK; i++) {
        const rft_t1_argument *given = &kernel->arguments[i];
        rft_given_argument *a = &plan->arguments[i];
        *a = (rft_given_argument){given,          "",          given->type,
                                  given->size,    given->fill, given->read,
                                  given->written, false,       given->memory == RFT_T1_CONSTANT,
                                  NULL,           NULL};
        if (all || given->is_argument_surely) {
            rc = match_param(plan, i, &entry->params[next++], arena, err);
        }
        rc = rc || !a->is_symbol ? rc : match_variable(plan, a, i, arena, err);
        if (rc == RFT_OK && a->in_launch && a->given->unlike) {
            plan->sizes_open = true;
            remark(plan, rft_arena_printf(arena,
                                          "TODO: %s is filled by %s there, and at random here (docs/sweeps.md: "
                                          "`from` a kernel, `file` an .npy)",
                                          a->name, a->given->unlike));
        }
    }
    return rc;
}

/* --size points=40000: elements. */
static int take_sizes(rft_given_plan *plan, rft_arena *arena, rft_err *err) {
    const rft_words *sizes = plan->request->sizes;
    const char *names[RFT_T1_ARGUMENTS_MAX];
    for (size_t s = 0; s < sizes->count; s++) {
        const char *word = sizes->items[s], *equal = strchr(word, '=');
        size_t count = 0, found = SIZE_MAX;
        int64_t number = 0;
        bool good = equal && rft_text_to_int64(equal + 1, &number) && number >= 1 && number <= (int64_t)1 << 40;
        const char *name = equal ? rft_arena_strndup(arena, word, (size_t)(equal - word)) : word;
        for (size_t i = 0; i < plan->request->kernel->argument_count; i++) {
            rft_given_argument *a = &plan->arguments[i];
            if (a->in_launch && a->size) {
                names[count++] = a->name;
                found = strcmp(a->name, name) == 0 || strcmp(a->given->name, name) == 0 ? i : found;
            }
        }
        if (!good || found == SIZE_MAX) {
            const char *near = good ? rft_text_nearest(name, names, count) : NULL;
            rft_err_set(err, RFT_E_USAGE, "--size %.100s: %s%s%s%s", word,
                        good ? "the kernel takes no buffer of this name" : "expected NAME=ELEMENTS",
                        near ? ", did you mean \"" : "", near ? near : "", near ? "\"?" : "");
            return rft_err_remedy(err, "--size NAME=40000 says how many elements a buffer has; sizes of the problem "
                                       "are the file's");
        }
        plan->arguments[found].size = equal + 1;
    }
    for (size_t i = 0; i < plan->request->kernel->argument_count; i++) {
        const rft_given_argument *a = &plan->arguments[i];
        if (a->in_launch && a->size && strcmp(a->size, "1") == 0 && !a->written) {
            plan->sizes_open = true;
            remark(plan, rft_arena_printf(arena,
                                          "TODO: %s has one element in the file: if the kernel reads more, say how "
                                          "many (--size %s=NUMBER)",
                                          a->name, a->name));
        }
    }
    return RFT_OK;
}

/* ---- the configuration that is the others' reference ---- */

static size_t find_name(const rft_variant *variant, const char *name) {
    size_t i = 0;
    while (i < variant->param_count && strcmp(variant->params[i].name, name) != 0) {
        i++;
    }
    return i;
}

#define TRIED_MOST 65536u /* valid configurations that are looked through for one near the defaults */

/* The defaults where they are valid together, else the valid one of those looked through that has most of them. */
static int choose_preset(rft_given_plan *plan, const rft_space *space, rft_arena *arena) {
    const rft_t1_kernel *kernel = plan->request->kernel;
    const rft_variant *variant = rft_space_variant(space);
    rft_value *config = rft_arena_calloc(arena, variant->param_count + 1, sizeof *config);
    size_t best = SIZE_MAX;
    for (size_t k = 0; k < kernel->param_count; k++) {
        const rft_t1_param *param = &kernel->params[k];
        plan->presets[k] = &param->values[param->preset == SIZE_MAX ? 0 : param->preset];
        config[find_name(variant, param->name)] = *plan->presets[k];
    }
    if (rft_space_find(space, config) != UINT64_MAX) {
        return RFT_OK;
    }
    for (uint64_t i = 0; i < rft_space_index_end(space) && i < TRIED_MOST && best > 0; i++) {
        size_t apart = 0;
        uint64_t index = rft_space_exact(space) ? i : rft_space_sample(space, i * 0x9E3779B97F4A7C15u);
        if (index == UINT64_MAX) {
            break;
        }
        rft_space_get(space, index, config);
        for (size_t k = 0; k < kernel->param_count; k++) {
            const rft_t1_param *param = &kernel->params[k];
            const rft_value *value = &config[find_name(variant, param->name)];
            size_t wanted = param->preset == SIZE_MAX ? 0 : param->preset;
            apart += rft_value_equal(value, &param->values[wanted]) ? 0 : 1;
        }
        for (size_t k = 0; k < kernel->param_count && apart < best; k++) {
            for (size_t v = 0; v < kernel->params[k].value_count; v++) {
                const rft_value *value = &config[find_name(variant, kernel->params[k].name)];
                bool equal = rft_value_equal(value, &kernel->params[k].values[v]);
                plan->presets[k] = equal ? &kernel->params[k].values[v] : plan->presets[k];
            }
        }
        best = apart < best ? apart : best;
    }
    return best == SIZE_MAX ? RFT_E_SPACE : RFT_OK;
}

static int find_preset(rft_given_plan *plan, rft_arena *arena, rft_err *err) {
    const rft_t1_kernel *kernel = plan->request->kernel;
    rft_script *script = NULL;
    rft_space *space = NULL;
    plan->presets = rft_arena_calloc(arena, kernel->param_count + 1, sizeof *plan->presets);
    int rc = rft_script_load_text(&script, plan->request->from, kernel->space, strlen(kernel->space),
                                  rft_script_usual_opts(), err);
    const rft_sweep *sweep = rc == RFT_OK ? rft_script_sweep(script, 0) : NULL;
    rc = rc ? rc : rft_space_new(&space, sweep, 0, sweep->problems[0].values, NULL, err);
    if (rc == RFT_OK && choose_preset(plan, space, arena) != RFT_OK) {
        rft_err_set(err, RFT_E_SPACE, "ConfigurationSpace.Conditions: they leave no configuration");
        rft_err_place(err, "%.300s", plan->request->from);
        rc = rft_err_remedy(err, "`rooftune check %.200s` counts what each leaves", plan->request->from);
    }
    rft_space_free(space);
    rft_script_free(script);
    return rc;
}

/* ---- options ---- */

static void add_option(rft_given_plan *plan, const char *option) {
    if (plan->option_count < sizeof plan->options / sizeof *plan->options) {
        plan->options[plan->option_count++] = option;
    }
}

/* -DNAME=4 of a parameter. */
static bool is_of_param(const rft_t1_kernel *kernel, const char *option) {
    bool found = false;
    for (size_t i = 0; i < kernel->param_count && rft_text_starts(option, "-D"); i++) {
        size_t length = strlen(kernel->params[i].name);
        found = found || (strncmp(option + 2, kernel->params[i].name, length) == 0 && strchr("=", option[2 + length]));
    }
    return found;
}

static void take_options(rft_given_plan *plan, rft_arena *arena) {
    const rft_t1_kernel *kernel = plan->request->kernel;
    rft_compile_option option = {.words = 1};
    for (size_t i = 0; i < kernel->option_count; i += option.words) {
        rft_err refused = RFT_ERR_INIT;
        if (rft_compile_option_read(&option, kernel->options, kernel->option_count, i, &refused) != RFT_OK) {
            option.words = 1;
            remark(plan, rft_arena_printf(arena, "left out of the compiler's options: %.100s", kernel->options[i]));
            continue;
        }
        if (is_of_param(kernel, kernel->options[i])) {
            remark(plan, rft_arena_printf(arena, "left out of the compiler's options, since the space has it: %.100s",
                                          kernel->options[i]));
            continue;
        }
        bool relative = option.names != RFT_OPTION_NAMES_NOTHING && option.value && option.value[0] != '/';
        const char *word = kernel->options[i];
        const char *path = relative ? rft_arena_printf(arena, "%s/%s", plan->request->folder, option.value) : NULL;
        if (option.words == 2) {
            add_option(plan, word);
            word = kernel->options[i + 1];
            add_option(plan, path ? path : word);
        } else {
            add_option(plan, path ? rft_arena_printf(arena, "%.*s%s", (int)(option.value - word), word, path) : word);
        }
    }
    for (size_t i = 0; i < 3; i++) { /* macros that Kernel Tuner defines itself */
        const char *name = kernel->block_names[i];
        bool number = strspn(kernel->block[i], "0123456789") == strlen(kernel->block[i]);
        if (name && number && rft_cuda_mentions(plan->request->file, name)) {
            add_option(plan, rft_arena_printf(arena, "-D%s=%s", name, kernel->block[i]));
        }
    }
    for (size_t i = 0; i < plan->request->option_count; i++) {
        add_option(plan, plan->request->options[i]);
    }
    if (kernel->size_count && rft_cuda_mentions(plan->request->file, "kernel_tuner")) {
        add_option(plan, "-Dkernel_tuner=1");
    }
}

static bool is_defined(const rft_given_plan *plan, const char *name) {
    const rft_t1_kernel *kernel = plan->request->kernel;
    size_t length = strlen(name);
    bool found = false;
    for (size_t i = 0; i < kernel->param_count; i++) {
        found = found || strcmp(kernel->params[i].name, name) == 0;
    }
    for (size_t i = 0; i < plan->option_count; i++) {
        const char *option = plan->options[i] + (rft_text_starts(plan->options[i], "-D") ? 2 : 0);
        found = found || (strncmp(option, name, length) == 0 && strchr("=", option[length]) != NULL);
    }
    return found;
}

/* What the kernel uses and neither it nor the file defines: it will not compile. */
static void note_macros(rft_given_plan *plan, rft_arena *arena) {
    for (size_t i = 0; i < plan->request->file->macro_count; i++) {
        const rft_cuda_macro *macro = &plan->request->file->macros[i];
        if (!macro->given && !macro->fixed && !macro->only_in_if && !is_defined(plan, macro->name)) {
            plan->sizes_open = true;
            remark(plan, rft_arena_printf(arena,
                                          "TODO: %s is used in the kernel, and nothing defines it: a parameter, or "
                                          "options = { \"-D%s=NUMBER\" }",
                                          macro->name, macro->name));
        }
    }
}

int rft_new_given(rft_str *sweep, const rft_given_request *request, rft_arena *arena, rft_err *err) {
    rft_given_plan *plan = rft_calloc(1, sizeof *plan);
    plan->request = request;
    for (size_t i = 0; i < request->kernel->remark_count; i++) {
        remark(plan, request->kernel->remarks[i]);
    }
    int rc = request->truth ? rft_new_same_params(request->entry, request->truth, err) : RFT_OK;
    rc = rc ? rc : match_arguments(plan, arena, err);
    rc = rc ? rc : take_sizes(plan, arena, err);
    rc = rc ? rc : find_preset(plan, arena, err);
    if (rc == RFT_OK) {
        take_options(plan, arena);
        note_macros(plan, arena);
        rft_given_write(sweep, plan);
    }
    free(plan);
    return rc;
}
