/* SPDX-License-Identifier: Apache-2.0 */
/* script_t1.c - the space of a T1 file (odgaard/TuningSchema) as the text of a sweep without a kernel. Its lists and
 * conditions are Python, which is translated and never run (python.h). */
#include "base/fs.h"
#include "base/json.h"
#include "script/python/python.h"
#include "script/script.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define T1_MAX_BYTES ((size_t)16 << 20)
#define PARAMETERS_MAX 256
#define CONDITIONS_MAX 1000
#define HEAD_BYTES 65536 /* where the mark is looked for */

typedef struct t1 {
    const char *what;
    rft_arena *arena;
    rft_str *lua;
    rft_py_name names[PARAMETERS_MAX];
    size_t name_count;
    rft_err *err;
} t1;

static int fail_t1(t1 *t, const char *expected, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int fail_t1(t1 *t, const char *expected, const char *format, ...) {
    char path[200];
    va_list args;
    va_start(args, format);
    rft_text_vformat(path, sizeof path, format, args);
    va_end(args);
    rft_err_set(t->err, RFT_E_SCRIPT, "ConfigurationSpace.%s: expected %s", path, expected);
    rft_err_place(t->err, "%s", t->what);
    return rft_err_remedy(t->err, "docs/exchange.md lists the supported part of T1; a Lua space can express more");
}

/* Python that is not understood: where, and what may stand there. */
static int refuse_python(t1 *t, const rft_py_error *error, const char *text, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static int refuse_python(t1 *t, const rft_py_error *error, const char *text, const char *format, ...) {
    char path[200];
    va_list args;
    va_start(args, format);
    rft_text_vformat(path, sizeof path, format, args);
    va_end(args);
    rft_err_set(t->err, RFT_E_SCRIPT, "ConfigurationSpace.%s: %s, at character %zu of \"%.200s\"", path, error->message,
                error->at + 1, text);
    rft_err_place(t->err, "%s", t->what);
    return rft_err_remedy(t->err,
                          "Python is read, not run: numbers, texts, names, + - * / // %% **, comparisons, and, or, "
                          "not, in [..], min, max, abs; lists by [..], range, list, + and [.. for x in ..]");
}

/* ---- values ---- */

static bool fits_type(const char *type, rft_value *value) {
    if (strcmp(type, "bool") == 0) {
        bool truth = value->kind == RFT_VALUE_BOOL ||
                     (value->kind == RFT_VALUE_INT && (value->as.integer == 0 || value->as.integer == 1));
        *value = truth ? rft_value_bool(value->as.integer != 0) : *value;
        return truth;
    }
    if (strcmp(type, "string") == 0) {
        return value->kind == RFT_VALUE_TEXT;
    }
    if (value->kind == RFT_VALUE_REAL) {
        *value = rft_value_real(value->as.real);
    }
    return value->kind == RFT_VALUE_INT ? strcmp(type, "uint") != 0 || value->as.integer >= 0
                                        : value->kind == RFT_VALUE_REAL && strcmp(type, "float") == 0;
}

static void add_quoted(rft_str *out, const char *text) {
    rft_str_add_char(out, '"');
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || *text == '"' || *text == '\\' || *text == 0x7f) {
            rft_str_addf(out, "\\%03d", (unsigned char)*text);
        } else {
            rft_str_add_char(out, *text);
        }
    }
    rft_str_add_char(out, '"');
}

static void add_value(rft_str *out, const rft_value *value) {
    if (value->kind == RFT_VALUE_TEXT) {
        add_quoted(out, value->as.text);
    } else if (value->kind == RFT_VALUE_INT && value->as.integer == INT64_MIN) {
        rft_str_add(out, "math.mininteger");
    } else {
        rft_value_format(out, value);
    }
}

static bool is_identifier(const char *name) {
    static const char *const taken[] = {"and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
                                        "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
                                        "repeat",   "return", "then", "true", "until",  "while", "math",  "gpu"};
    bool good = *name && !isdigit((unsigned char)*name) && strlen(name) < 100;
    for (const char *c = name; *c && good; c++) {
        good = *c == '_' || ((unsigned char)*c < 0x80 && isalnum((unsigned char)*c));
    }
    for (size_t i = 0; i < sizeof taken / sizeof taken[0] && good; i++) {
        good = strcmp(name, taken[i]) != 0;
    }
    return good;
}

static int read_parameter(t1 *t, size_t index, const json_t *item) {
    const char *name = json_string_value(json_object_get(item, "Name"));
    const char *type = json_string_value(json_object_get(item, "Type"));
    const char *text = json_string_value(json_object_get(item, "Values"));
    static const char *const types[] = {"int", "uint", "float", "bool", "string"};
    size_t known = 0, count = 0;
    rft_py_error error;
    rft_py_node *node = NULL;
    rft_value *values = NULL;
    while (known < 5 && (!type || strcmp(type, types[known]) != 0)) {
        known++;
    }
    if (!name || !is_identifier(name)) {
        return fail_t1(t, "a name of letters, digits and _ that Lua has no other use for", "TuningParameters[%zu].Name",
                       index);
    }
    for (size_t i = 0; i < t->name_count; i++) {
        if (strcmp(t->names[i].name, name) == 0) {
            return fail_t1(t, "a name that no other parameter has", "TuningParameters[%zu].Name", index);
        }
    }
    if (known == 5) {
        return fail_t1(t, "int, uint, float, bool or string", "TuningParameters[%zu].Type", index);
    }
    if (!text) {
        return fail_t1(t, "a Python list in a text", "TuningParameters[%zu].Values", index);
    }
    if (!rft_py_parse(&node, text, t->arena, &error) || !rft_py_values(&values, &count, node, t->arena, &error)) {
        return refuse_python(t, &error, text, "TuningParameters[%zu].Values", index);
    }
    rft_str_addf(t->lua, "    [\"%s\"] = values({", name);
    for (size_t i = 0; i < count; i++) {
        if (!fits_type(type, &values[i])) {
            return fail_t1(t, "values of the parameter's Type", "TuningParameters[%zu].Values, value %zu", index,
                           i + 1);
        }
        rft_str_add(t->lua, i ? ", " : " ");
        add_value(t->lua, &values[i]);
    }
    rft_str_add(t->lua, " }),\n");
    t->names[t->name_count++] = (rft_py_name){name, known == 3   ? RFT_VALUE_BOOL
                                                    : known == 4 ? RFT_VALUE_TEXT
                                                                 : RFT_VALUE_REAL};
    return count ? RFT_OK : fail_t1(t, "at least one value", "TuningParameters[%zu].Values", index);
}

/* ---- conditions ---- */

static int check_names(t1 *t, size_t index, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        bool found = false;
        for (size_t k = 0; name && k < t->name_count; k++) {
            found = found || strcmp(t->names[k].name, name) == 0;
        }
        if (!found) {
            return fail_t1(t, "the name of a parameter", "Conditions[%zu].Parameters[%zu]", index, i);
        }
    }
    return RFT_OK;
}

static int read_condition(t1 *t, size_t index, const json_t *item) {
    const char *text = json_string_value(json_object_get(item, "Expression"));
    rft_py_error error;
    rft_py_node *node = NULL;
    rft_str condition = RFT_STR_INIT;
    if (!text) {
        return fail_t1(t, "a Python condition in a text", "Conditions[%zu].Expression", index);
    }
    int code = check_names(t, index, json_object_get(item, "Parameters"));
    if (!code && (!rft_py_parse(&node, text, t->arena, &error) ||
                  !rft_py_to_lua(&condition, node, t->names, t->name_count, t->arena, &error))) {
        code = refuse_python(t, &error, text, "Conditions[%zu].Expression", index);
    }
    rft_str_add(t->lua, "    ");
    add_quoted(t->lua, rft_str_get(&condition));
    rft_str_add(t->lua, ",\n");
    rft_str_clear(&condition);
    return code;
}

static int read_space(t1 *t, const json_t *root) {
    const json_t *space = json_object_get(root, "ConfigurationSpace");
    const json_t *parameters = json_object_get(space, "TuningParameters"),
                 *conditions = json_object_get(space, "Conditions");
    size_t parameter_count = json_array_size(parameters), condition_count = json_array_size(conditions);
    int code = RFT_OK;
    if (parameter_count == 0 || parameter_count > PARAMETERS_MAX) {
        return fail_t1(t, "a list of 1 to 256 parameters", "TuningParameters");
    }
    if ((conditions && !json_is_array(conditions) && !json_is_null(conditions)) || condition_count > CONDITIONS_MAX) {
        return fail_t1(t, "a list of at most 1,000 conditions", "Conditions");
    }
    rft_str_add(t->lua, "return sweep {\n  tune = {\n");
    for (size_t i = 0; i < parameter_count && !code; i++) {
        code = read_parameter(t, i, json_array_get(parameters, i));
    }
    rft_str_add(t->lua, "  },\n  where = {\n");
    for (size_t i = 0; i < condition_count && !code; i++) {
        code = read_condition(t, i, json_array_get(conditions, i));
    }
    rft_str_add(t->lua, "  },\n}\n");
    return code;
}

int rft_script_t1_text(rft_str *out, const char *text, size_t size, const char *what, rft_err *err) {
    json_t *root = NULL;
    int code = rft_json_parse(&root, text, size, what, err);
    if (code) {
        err->code = RFT_E_SCRIPT;
        return RFT_E_SCRIPT;
    }
    t1 *t = rft_alloc(sizeof *t);
    *t = (t1){.what = what, .arena = rft_arena_new(), .lua = out, .err = err};
    code = read_space(t, root);
    rft_arena_free(t->arena);
    free(t);
    json_decref(root);
    return code;
}

bool rft_script_is_t1(const char *path) {
    static const char mark[] = "\"ConfigurationSpace\"";
    FILE *file = fopen(path, "rb");
    char *head = rft_calloc(HEAD_BYTES + 1, 1);
    size_t size = file ? fread(head, 1, HEAD_BYTES, file) : 0, start = 0;
    bool found = false;
    while (start < size && strchr(" \t\r\n", head[start])) {
        start++;
    }
    for (size_t i = start; head[start] == '{' && i + sizeof mark - 1 <= size && !found; i++) {
        found = head[i] == '"' && memcmp(head + i, mark, sizeof mark - 1) == 0;
    }
    if (file) {
        fclose(file);
    }
    free(head);
    return found;
}

int rft_script_load_t1(rft_script **out, const char *path, const rft_script_opts *opts, rft_err *err) {
    char *text = NULL;
    size_t size = 0;
    rft_str lua = RFT_STR_INIT;
    *out = NULL;
    int code = rft_fs_read(&text, &size, path, T1_MAX_BYTES, err);
    code = code ? code : rft_script_t1_text(&lua, text, size, path, err);
    code = code ? code : rft_script_load_text(out, path, rft_str_get(&lua), lua.length, opts, err);
    rft_str_clear(&lua);
    free(text);
    return code;
}
