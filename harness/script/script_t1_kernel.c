/* SPDX-License-Identifier: Apache-2.0 */
/* script_t1_kernel.c - the KernelSpecification of a T1 file. Kernel Tuner divides ProblemSize by GridDivX; KTT has the
 * grid as GlobalSize, in threads where GlobalSizeType is OpenCL. ProblemSize wins, as in Kernel Tuner. */
#include "script/script.h"
#include "script/script_t1_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

static const char axes[] = "XYZ";

static void remark(rft_t1_kernel_reader *k, const char *text) {
    if (k->out->remark_count < RFT_T1_REMARKS_MAX) {
        k->out->remarks[k->out->remark_count++] = text;
    }
}

/* ---- expressions ---- */

static const char *expression_over(rft_t1_kernel_reader *k, const rft_py_name *names, const json_t *given,
                                   const char *path) {
    rft_t1_reader *t = k->t;
    rft_str out = RFT_STR_INIT;
    rft_py_error error;
    rft_py_node *node = NULL;
    const char *text = json_string_value(given);
    if (json_is_integer(given) || json_is_real(given)) {
        rft_value value =
            json_is_integer(given) ? rft_value_int(json_integer_value(given)) : rft_value_real(json_real_value(given));
        rft_t1_add_value(&out, &value);
    } else if (!text) {
        rft_t1_fail(t, "a number, or Python in a text", "%s", path);
        return NULL;
    } else if (!rft_py_parse(&node, text, t->arena, &error) ||
               !rft_py_number_to_lua(&out, node, names, k->param_count, t->arena, &error)) {
        rft_str_clear(&out);
        rft_t1_refuse_python(t, &error, text, "%s", path);
        return NULL;
    }
    const char *lua = rft_t1_tidy(rft_str_get(&out), t->arena);
    rft_str_clear(&out);
    return lua;
}

const char *rft_t1_expression(rft_t1_kernel_reader *k, const json_t *given, bool sized, const char *path) {
    return expression_over(k, sized ? k->lists : k->params, given, path);
}

const char *rft_t1_at(const rft_t1_reader *t, const char *key, const char *part) {
    return rft_arena_printf(t->arena, "%s.%s", key, part);
}

/* ---- the problem, block and grid ---- */

static int read_problem(rft_t1_kernel_reader *k) {
    rft_t1_reader *t = k->t;
    const json_t *given = json_object_get(k->spec, "ProblemSize");
    bool single = given && !json_is_array(given) && !json_is_null(given);
    size_t count = single ? 1 : json_array_size(given);
    const char **items = rft_arena_calloc(t->arena, 8, sizeof *items), **sized = items + 4;
    if (count > 3) {
        return rft_t1_fail(t, "1 to 3 sizes", "ProblemSize");
    }
    k->param_count = t->name_count;
    for (size_t i = 0; i < count; i++) {
        const char *path = single ? "ProblemSize" : rft_arena_printf(t->arena, "ProblemSize[%zu]", i);
        const json_t *item = single ? given : json_array_get(given, i);
        const char *size = rft_t1_expression(k, item, false, path);
        int64_t number = 0;
        sized[i] = size ? expression_over(k, k->largest, item, path) : NULL;
        if (!sized[i]) {
            return RFT_E_SCRIPT;
        }
        bool plain = rft_text_to_int64(size, &number);
        if (plain && (number < 1 || number > (int64_t)1 << 40)) {
            return rft_t1_fail(t, "a whole number from 1", "%s", path);
        }
        if (plain) { /* the trailing 1 of [n, 1] is no dimension */
            const char *name = rft_arena_printf(t->arena, "size_%c", tolower((unsigned char)axes[i]));
            for (size_t n = 0; n < t->name_count; n++) {
                name = strcmp(t->names[n].name, name) == 0 ? rft_arena_printf(t->arena, "problem_%s", name) : name;
            }
            items[i] = number == 1 ? "1" : rft_arena_printf(t->arena, "p.%s", name);
            sized[i] = items[i];
            k->out->size_names[k->out->size_count] = number == 1 ? NULL : name;
            k->out->sizes[k->out->size_count] = size;
            k->out->size_count += number != 1;
        } else {
            items[i] = size;
        }
    }
    if (count > 0) {
        rft_py_name problem = {.name = "ProblemSize",
                               .kind = RFT_VALUE_REAL,
                               .lua = single ? items[0] : NULL,
                               .is_list = !single,
                               .items = items,
                               .item_count = count};
        k->params[k->param_count] = k->lists[k->param_count] = problem;
        k->lists[k->param_count].lua = single ? sized[0] : NULL;
        k->lists[k->param_count].items = sized;
        k->param_count++;
    }
    return RFT_OK;
}

static const json_t *of_axis(const json_t *spec, const char *key, size_t axis) {
    const json_t *group = json_object_get(spec, key);
    char name[2] = {axes[axis], '\0'}, small[2] = {(char)tolower((unsigned char)axes[axis]), '\0'};
    const json_t *given = json_object_get(group, name);
    given = given ? given : json_object_get(group, small);
    return json_is_null(given) ? NULL : given;
}

static bool is_param(const rft_t1_reader *t, const char *name) {
    bool found = false;
    for (size_t i = 0; i < t->name_count; i++) {
        found = found || strcmp(t->names[i].name, name) == 0;
    }
    return found;
}

/* LocalSize, else Kernel Tuner's names; x is 256 where neither says it. */
static int read_block(rft_t1_kernel_reader *k) {
    rft_t1_reader *t = k->t;
    const json_t *names = json_object_get(k->spec, "BlockSizeNames"); /* of tune_kernel() */
    const json_t *local = json_object_get(k->spec, "LocalSize");
    for (size_t i = 0; i < 3; i++) {
        const char *usual = rft_arena_printf(t->arena, "block_size_%c", tolower((unsigned char)axes[i]));
        const char *given = json_string_value(json_array_get(names, i));
        const char *name = given ? rft_arena_strdup(t->arena, given) : usual;
        const json_t *size = of_axis(k->spec, "LocalSize", i);
        if (size) {
            k->out->block[i] = rft_t1_expression(k, size, false, rft_t1_at(t, "LocalSize", (char[]){axes[i], '\0'}));
            if (!k->out->block[i]) {
                return RFT_E_SCRIPT;
            }
        } else {
            bool tuned = !json_is_object(local) && is_param(t, name);
            k->out->block[i] = tuned                              ? rft_arena_printf(t->arena, "c.%s", name)
                               : i == 0 && !json_is_object(local) ? "256"
                                                                  : "1";
        }
        k->out->block_names[i] = k->out->size_count && !is_param(t, name) ? name : NULL;
    }
    return RFT_OK;
}

static bool has_division(const char *lua) {
    const char *at = strchr(lua, '/');
    while (at && at[1] == '/') {
        at = strchr(at + 2, '/');
    }
    return at != NULL;
}

/* The product of a list of divisors: NULL with an error. */
static const char *read_divisor(rft_t1_kernel_reader *k, const char *key, const json_t *given) {
    rft_t1_reader *t = k->t;
    bool single = given && !json_is_array(given);
    size_t count = single ? 1 : json_array_size(given);
    rft_str out = RFT_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        const json_t *item = single ? given : json_array_get(given, i);
        const char *path = single ? key : rft_arena_printf(t->arena, "%s[%zu]", key, i);
        const char *one = rft_t1_expression(k, item, false, path);
        if (!one) {
            rft_str_clear(&out);
            return NULL;
        }
        bool whole = has_division(one); /* Kernel Tuner: int(eval(...)) */
        bool compound = strpbrk(one, " ") != NULL && count > 1 && !whole;
        rft_str_addf(&out, "%s%s%s%s", i ? " * " : "",
                     whole      ? "math.floor("
                     : compound ? "("
                                : "",
                     one, whole || compound ? ")" : "");
    }
    const char *text = rft_arena_strdup(t->arena, rft_str_get(&out));
    rft_str_clear(&out);
    return text;
}

static bool is_said(const json_t *divisor) {
    return divisor && !json_is_null(divisor) && !(json_is_array(divisor) && json_array_size(divisor) == 0);
}

/* What Kernel Tuner divides by where nothing is said. */
static const char *usual_divisor(const rft_t1_kernel_reader *k, size_t axis) {
    const char *name = rft_arena_printf(k->t->arena, "block_size_%c", tolower((unsigned char)axes[axis]));
    const char *other = json_string_value(json_array_get(json_object_get(k->spec, "BlockSizeNames"), axis));
    name = other ? other : name;
    return is_param(k->t, name) ? rft_arena_printf(k->t->arena, "c.%s", name) : "1";
}

/* Does anything say how many of the problem one block covers? */
static bool is_divided(const rft_t1_kernel_reader *k) {
    bool divided = false;
    for (size_t i = 0; i < 3; i++) {
        const char *key = rft_arena_printf(k->t->arena, "GridDiv%c", axes[i]);
        divided = divided || is_said(json_object_get(k->spec, key)) || strcmp(usual_divisor(k, i), "1") != 0;
    }
    return divided;
}

static int grid_of_problem(rft_t1_kernel_reader *k) {
    rft_t1_reader *t = k->t;
    const json_t *sizes = json_object_get(k->spec, "ProblemSize");
    size_t count = json_is_array(sizes) ? json_array_size(sizes) : 1;
    for (size_t i = 0; i < 3; i++) {
        const char *key = rft_arena_printf(t->arena, "GridDiv%c", axes[i]);
        const json_t *given = json_object_get(k->spec, key);
        const char *divisor = is_said(given) ? read_divisor(k, key, given) : usual_divisor(k, i);
        if (!divisor) {
            return RFT_E_SCRIPT;
        }
        const char *size = i < count ? k->params[k->param_count - 1].items[i] : "1";
        k->out->extent[i] = size;
        k->out->grid[i] = strcmp(divisor, "1") == 0 || strcmp(size, "1") == 0
                              ? size
                              : rft_arena_printf(t->arena, "ceil_div(%s, %s)", size, divisor);
    }
    return RFT_OK;
}

static int grid_of_global_size(rft_t1_kernel_reader *k) {
    rft_t1_reader *t = k->t;
    const char *type = rft_json_text_or(k->spec, "GlobalSizeType", "CUDA");
    if (strcmp(type, "CUDA") != 0 && strcmp(type, "OpenCL") != 0) {
        return rft_t1_fail(t, "CUDA or OpenCL", "GlobalSizeType");
    }
    if (!of_axis(k->spec, "GlobalSize", 0)) {
        return rft_t1_fail(t, "an X, or a ProblemSize beside it", "GlobalSize");
    }
    bool threads = strcmp(type, "OpenCL") == 0;
    for (size_t i = 0; i < 3; i++) {
        const json_t *size = of_axis(k->spec, "GlobalSize", i);
        const char *one =
            size ? rft_t1_expression(k, size, false, rft_t1_at(t, "GlobalSize", (char[]){axes[i], '\0'})) : "1";
        if (!one) {
            return RFT_E_SCRIPT;
        }
        k->out->grid[i] = threads && strcmp(k->out->block[i], "1") != 0 && strcmp(one, "1") != 0
                              ? rft_arena_printf(t->arena, "ceil_div(%s, %s)", one, k->out->block[i])
                              : one;
    }
    return RFT_OK;
}

static int read_geometry(rft_t1_kernel_reader *k) {
    const json_t *size = json_object_get(k->spec, "ProblemSize");
    const json_t *shared = json_object_get(k->spec, "SharedMemory");
    int rc = read_problem(k);
    rc = rc ? rc : read_block(k);
    bool by_problem = rc == RFT_OK && size && !json_is_null(size);
    if (by_problem && (is_divided(k) || !of_axis(k->spec, "GlobalSize", 0))) {
        rc = grid_of_problem(k);
        if (rc == RFT_OK && json_object_get(k->spec, "GlobalSize")) {
            remark(k, "the grid is ProblemSize over GridDiv, as in Kernel Tuner; GlobalSize is not read");
        }
    } else {
        rc = rc ? rc : grid_of_global_size(k);
    }
    bool has = shared && !json_is_null(shared) && !(json_is_integer(shared) && json_integer_value(shared) == 0);
    if (rc == RFT_OK && has) {
        k->out->shared = rft_t1_expression(k, shared, false, "SharedMemory");
        rc = k->out->shared ? RFT_OK : RFT_E_SCRIPT;
    }
    return rc;
}

/* ---- the rest ---- */

static bool is_preset(const json_t *preset, const rft_value *value) {
    switch (value->kind) {
    case RFT_VALUE_TEXT:
        return rft_text_equal(json_string_value(preset), value->as.text);
    case RFT_VALUE_BOOL:
        return (json_is_boolean(preset) && json_is_true(preset) == (value->as.integer != 0)) ||
               (json_is_integer(preset) && json_integer_value(preset) == value->as.integer);
    default:
        return json_is_number(preset) && json_number_value(preset) == rft_value_number(value);
    }
}

/* A problem's size by a parameter with several values: buffers hold the largest. */
static const char *largest_of(const rft_py_name *name, rft_arena *arena) {
    const rft_value *most = &name->values[0];
    rft_str text = RFT_STR_INIT;
    for (size_t v = 1; v < name->value_count && name->kind != RFT_VALUE_TEXT; v++) {
        most = rft_value_number(&name->values[v]) > rft_value_number(most) ? &name->values[v] : most;
    }
    rft_t1_add_value(&text, most);
    const char *lua = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return lua;
}

static void copy_params(rft_t1_kernel_reader *k, const json_t *parameters) {
    rft_t1_reader *t = k->t;
    rft_t1_param *params = rft_arena_calloc(t->arena, t->name_count, sizeof *params);
    for (size_t i = 0; i < t->name_count; i++) {
        const rft_py_name *name = &t->names[i];
        const json_t *preset = json_object_get(json_array_get(parameters, i), "Default");
        preset = json_is_array(preset) ? json_array_get(preset, 0) : preset;
        rft_str first = RFT_STR_INIT;
        params[i] = (rft_t1_param){name->name, name->values, name->value_count, SIZE_MAX};
        for (size_t v = name->value_count; v-- > 0;) {
            params[i].preset = is_preset(preset, &name->values[v]) ? v : params[i].preset;
        }
        if (preset && !json_is_null(preset) && params[i].preset == SIZE_MAX) {
            remark(k,
                   rft_arena_printf(t->arena, "the Default of %s is none of its values, and is not taken", name->name));
        }
        rft_t1_add_value(&first, &name->values[0]);
        k->params[i] = k->lists[i] = *name;
        k->params[i].lua = rft_arena_printf(t->arena, "c.%s", name->name);
        k->lists[i].lua = rft_arena_strdup(t->arena, rft_str_get(&first));
        k->lists[i].is_list = true;
        k->largest[i] = k->params[i];
        k->largest[i].lua = largest_of(name, t->arena);
        rft_str_clear(&first);
    }
    k->out->params = params;
    k->out->param_count = t->name_count;
    k->out->conditions = t->conditions;
    k->out->condition_count = t->condition_count;
}

static int read_options(rft_t1_kernel_reader *k) {
    const json_t *list = json_object_get(k->spec, "CompilerOptions");
    size_t count = json_array_size(list);
    const char **options = rft_arena_calloc(k->t->arena, count + 1, sizeof *options);
    if (list && !json_is_null(list) && !json_is_array(list)) {
        return rft_t1_fail(k->t, "a list of texts", "CompilerOptions");
    }
    for (size_t i = 0; i < count; i++) {
        const char *text = json_string_value(json_array_get(list, i));
        if (!text) {
            return rft_t1_fail(k->t, "a text", "CompilerOptions[%zu]", i);
        }
        if (*text) {
            options[k->out->option_count++] = rft_arena_strdup(k->t->arena, text);
        }
    }
    k->out->options = options;
    return RFT_OK;
}

static int read_what(rft_t1_kernel_reader *k) {
    rft_t1_reader *t = k->t;
    const char *language = rft_json_text_or(k->spec, "Language", "CUDA");
    const char *name = rft_json_text_or(k->spec, "KernelName", ""), *file = rft_json_text_or(k->spec, "KernelFile", "");
    const char *source = rft_json_text_or(k->spec, "KernelSource", "");
    if (strcasecmp(language, "CUDA") != 0) {
        const char *message =
            rft_arena_printf(t->arena, "the kernel is written in %.40s, and NVRTC compiles CUDA alone", language);
        bool kernel = strcmp(language, "OpenCL") == 0 || strcmp(language, "HIP") == 0;
        return rft_t1_refuse(t, message,
                             kernel ? "translate the kernel to CUDA, then say \"Language\": \"CUDA\" there"
                                    : "`rooftune check` counts the file's space and `run -d replay:` searches it",
                             "Language");
    }
    if (!*name || (!*file && !*source)) {
        return rft_t1_fail(t, "a text", *name ? "KernelFile" : "KernelName");
    }
    k->out->name = rft_arena_strdup(t->arena, name);
    k->out->file = *file ? rft_arena_strdup(t->arena, file) : NULL;
    k->out->source = *source ? rft_arena_strdup(t->arena, source) : NULL;
    return RFT_OK;
}

static int read_kernel(rft_t1_kernel_reader *k, const json_t *root) {
    rft_t1_reader *t = k->t;
    rft_str space = RFT_STR_INIT;
    int rc = rft_t1_read_space(t, root);
    k->spec = json_object_get(root, "KernelSpecification");
    if (rc == RFT_OK) {
        rft_t1_write_space(&space, t);
        k->out->space = rft_arena_strdup(t->arena, rft_str_get(&space));
        copy_params(k, json_object_get(json_object_get(root, "ConfigurationSpace"), "TuningParameters"));
        t->section = "KernelSpecification";
    }
    rft_str_clear(&space);
    rc = rc ? rc : read_what(k);
    rc = rc ? rc : read_geometry(k);
    rc = rc ? rc : rft_t1_read_arguments(k);
    rc = rc ? rc : read_options(k);
    if (json_object_get(k->spec, "ReferenceArguments")) {
        remark(k, "the file has ReferenceArguments, which are not read: write a reference");
    }
    return rc;
}

int rft_script_t1_kernel(rft_t1_kernel *out, const char *text, size_t size, const char *what, rft_arena *arena,
                         rft_err *err) {
    json_t *root = NULL, *made = NULL;
    rft_t1_kernel_reader *k = rft_calloc(1, sizeof *k);
    rft_t1_reader *t = rft_calloc(1, sizeof *t);
    *out = (rft_t1_kernel){0};
    *t = (rft_t1_reader){.what = what, .section = "KernelSpecification", .arena = arena, .err = err};
    *k = (rft_t1_kernel_reader){.t = t, .out = out};
    int rc = rft_json_parse(&root, text, size, what, err);
    if (rc != RFT_OK) {
        err->code = rc = RFT_E_SCRIPT;
        rft_err_remedy(err, "correct the file there");
    } else if ((rc = rft_t1_from_tuner(&made, t, root)) == RFT_OK) {
        if (!made && !json_is_object(json_object_get(root, "KernelSpecification"))) {
            rft_err_set(err, RFT_E_SCRIPT, "%s has no KernelSpecification: nothing says what to compile and to launch",
                        what);
            rc = rft_err_remedy(err, "`rooftune new KERNEL.cu` asks the kernel itself; docs/exchange.md has T1's keys");
        }
        out->is_call = made != NULL;
        rc = rc ? rc : read_kernel(k, made ? made : root);
        if (rc != RFT_OK && made) {
            rft_script_tuner_words(err);
        }
    }
    json_decref(made);
    json_decref(root);
    free(t);
    free(k);
    return rc;
}

const char *rft_script_t1_elements(const rft_t1_kernel *kernel, const char *declared, const rft_t1_macro *macros,
                                   size_t macro_count, rft_arena *arena) {
    rft_py_name *names = rft_arena_calloc(arena, kernel->param_count + macro_count + 1, sizeof *names);
    rft_str out = RFT_STR_INIT;
    rft_py_error error;
    rft_py_node *node = NULL;
    size_t count = 0;
    for (size_t i = 0; i < kernel->param_count; i++) {
        const rft_t1_param *param = &kernel->params[i];
        if (param->value_count == 1 && param->values[0].kind == RFT_VALUE_INT) {
            names[count++] =
                (rft_py_name){.name = param->name,
                              .kind = RFT_VALUE_REAL,
                              .lua = rft_arena_printf(arena, "%lld", (long long)param->values[0].as.integer)};
        } else { /* it is no macro then, whatever the source says of it */
            names[count++] = (rft_py_name){.name = param->name, .kind = RFT_VALUE_TEXT};
        }
    }
    for (size_t i = 0; i < macro_count; i++) {
        names[count++] = (rft_py_name){.name = macros[i].name, .kind = RFT_VALUE_REAL, .lua = macros[i].number};
    }
    bool good = rft_py_parse(&node, declared, arena, &error) &&
                rft_py_number_to_lua(&out, node, names, count, arena, &error) && !strchr(rft_str_get(&out), '/');
    const char *lua = good ? rft_t1_tidy(rft_str_get(&out), arena) : NULL;
    rft_str_clear(&out);
    return lua;
}
