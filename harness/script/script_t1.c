/* SPDX-License-Identifier: Apache-2.0 */
/* script_t1.c - the space of a T1 file (odgaard/TuningSchema) as the text of a sweep without a kernel. Its lists and
 * conditions are Python, which is translated and never run (python.h). */
#include "base/fs.h"
#include "base/json.h"
#include "script/script.h"
#include "script/script_t1_parts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define T1_MAX_BYTES ((size_t)16 << 20)
#define TIDY_MOST 2000   /* bytes of an expression that is to be read by people */
#define HEAD_BYTES 65536 /* where the mark is looked for */

/* "SECTION.PATH" with the path's numbers put in. */
static void format_path(char *out, size_t size, const rft_t1_reader *t, const char *format, va_list args) {
    size_t length = (size_t)rft_text_format(out, size, "%.40s.", t->section);
    rft_text_vformat(out + length, size - length, format, args);
}

int rft_t1_fail(rft_t1_reader *t, const char *expected, const char *format, ...) {
    char path[200];
    va_list args;
    va_start(args, format);
    format_path(path, sizeof path, t, format, args);
    va_end(args);
    rft_err_set(t->err, RFT_E_SCRIPT, "%s: expected %s", path, expected);
    rft_err_place(t->err, "%s", t->what);
    return rft_err_remedy(t->err, "docs/exchange.md lists the supported part of T1; a Lua space can express more");
}

int rft_t1_refuse(rft_t1_reader *t, const char *message, const char *remedy, const char *format, ...) {
    char path[200];
    va_list args;
    va_start(args, format);
    format_path(path, sizeof path, t, format, args);
    va_end(args);
    rft_err_set(t->err, RFT_E_SCRIPT, "%s: %.300s", path, message);
    rft_err_place(t->err, "%s", t->what);
    return rft_err_remedy(t->err, "%s", remedy);
}

/* What helps with C's signs, or a name that is none; NULL: nothing in particular. */
static const char *python_way(const rft_t1_reader *t, const rft_py_error *error, const char *text) {
    if (strncmp(text + error->at, "||", 2) == 0 || strncmp(text + error->at, "&&", 2) == 0 || text[error->at] == '!') {
        return "Python's words are and, or and not";
    }
    if (strncmp(text + error->at, "<<", 2) == 0) {
        return "write 2**i for 1 << i";
    }
    if (strstr(error->message, "is a list of values") && rft_text_starts(text + error->at, "ProblemSize")) {
        return "ProblemSize[0] is the first size; max(...) of a parameter is its largest value";
    }
    if (!strstr(error->message, "is not a parameter")) {
        return NULL;
    }
    const char *names = "known:";
    for (size_t i = 0; i < t->name_count && i < 24; i++) {
        names = rft_arena_printf(t->arena, "%s%s %s", names, i ? "," : "", t->names[i].name);
    }
    return rft_arena_printf(t->arena, "%s; ProblemSize[0] is the first size; an argument's own number is written out",
                            names);
}

int rft_t1_refuse_python(rft_t1_reader *t, const rft_py_error *error, const char *text, const char *format, ...) {
    char path[200];
    va_list args;
    va_start(args, format);
    format_path(path, sizeof path, t, format, args);
    va_end(args);
    if (rft_text_starts(text, "<function")) { /* what print() makes of one */
        rft_err_set(t->err, RFT_E_SCRIPT, "%s: a Python function, which is not run", path);
        rft_err_place(t->err, "%s", t->what);
        return rft_err_remedy(t->err, "write it as a text over the parameters there: \"block_size_x * tile_size_x\"");
    }
    rft_err_set(t->err, RFT_E_SCRIPT, "%s: %s, at character %zu of \"%.200s\"", path, error->message, error->at + 1,
                text);
    rft_err_place(t->err, "%s", t->what);
    const char *way = python_way(t, error, text);
    if (way) {
        return rft_err_remedy(t->err, "%s", way);
    }
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

void rft_t1_add_value(rft_str *out, const rft_value *value) {
    if (value->kind == RFT_VALUE_TEXT) {
        rft_str_add_lua(out, value->as.text);
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

/* The values of a list of JSON, as Kernel Tuner has them. */
static int read_json_values(rft_t1_reader *t, rft_value **out, size_t *count, size_t index, const json_t *list) {
    *count = json_array_size(list);
    *out = rft_arena_calloc(t->arena, *count + 1, sizeof **out);
    for (size_t i = 0; i < *count; i++) {
        const json_t *item = json_array_get(list, i);
        if (json_is_string(item)) {
            (*out)[i] = rft_value_text(rft_arena_strdup(t->arena, json_string_value(item)));
        } else if (json_is_boolean(item)) {
            (*out)[i] = rft_value_bool(json_is_true(item));
        } else if (json_is_number(item)) {
            (*out)[i] =
                json_is_integer(item) ? rft_value_int(json_integer_value(item)) : rft_value_real(json_real_value(item));
        } else {
            return rft_t1_fail(t, "numbers, texts or booleans", "TuningParameters[%zu].Values[%zu]", index, i);
        }
    }
    return *count <= 65535 ? RFT_OK : rft_t1_fail(t, "at most 65,535 values", "TuningParameters[%zu].Values", index);
}

static int read_values(rft_t1_reader *t, rft_value **out, size_t *count, size_t index, const json_t *item) {
    const json_t *given = json_object_get(item, "Values");
    const char *text = json_string_value(given);
    rft_py_error error;
    rft_py_node *node = NULL;
    if (json_is_array(given)) {
        return read_json_values(t, out, count, index, given);
    }
    if (!text) {
        return rft_t1_fail(t, "a Python list in a text", "TuningParameters[%zu].Values", index);
    }
    if (!rft_py_parse(&node, text, t->arena, &error) || !rft_py_values(out, count, node, t->arena, &error)) {
        return rft_t1_refuse_python(t, &error, text, "TuningParameters[%zu].Values", index);
    }
    return RFT_OK;
}

static int read_name(rft_t1_reader *t, const char **out, size_t index, const json_t *item) {
    const char *name = json_string_value(json_object_get(item, "Name"));
    if (!name || !is_identifier(name)) {
        return rft_t1_fail(t, "a name of letters, digits and _ that Lua has no other use for",
                           "TuningParameters[%zu].Name", index);
    }
    for (size_t i = 0; i < t->name_count; i++) {
        if (strcmp(t->names[i].name, name) == 0) {
            return rft_t1_fail(t, "a name that no other parameter has", "TuningParameters[%zu].Name", index);
        }
    }
    *out = rft_arena_strdup(t->arena, name);
    return RFT_OK;
}

static int read_parameter(rft_t1_reader *t, size_t index, const json_t *item) {
    const char *type = json_string_value(json_object_get(item, "Type"));
    static const char *const types[] = {"int", "uint", "float", "bool", "string"};
    const char *name = NULL;
    size_t known = 0, count = 0;
    rft_value *values = NULL;
    while (known < 5 && (!type || strcmp(type, types[known]) != 0)) {
        known++;
    }
    int code = read_name(t, &name, index, item);
    if (code == RFT_OK && known == 5) {
        code = rft_t1_fail(t, "int, uint, float, bool or string", "TuningParameters[%zu].Type", index);
    }
    code = code ? code : read_values(t, &values, &count, index, item);
    for (size_t i = 0; i < count && code == RFT_OK; i++) {
        if (!fits_type(type, &values[i])) {
            code = rft_t1_fail(t, "values of the parameter's Type", "TuningParameters[%zu].Values, value %zu", index,
                               i + 1);
        }
    }
    if (code != RFT_OK) {
        return code;
    }
    t->names[t->name_count++] = (rft_py_name){.name = name,
                                              .kind = known == 3   ? RFT_VALUE_BOOL
                                                      : known == 4 ? RFT_VALUE_TEXT
                                                                   : RFT_VALUE_REAL,
                                              .values = values,
                                              .value_count = count};
    return count ? RFT_OK : rft_t1_fail(t, "at least one value", "TuningParameters[%zu].Values", index);
}

/* ---- conditions ---- */

/* The bracket that closes the one at `at`; texts hold none. */
static size_t closing(const char *lua, size_t at) {
    size_t depth = 0;
    char quote = '\0';
    for (; lua[at]; at++) {
        if (lua[at] == '\'') {
            quote = quote ? '\0' : '\'';
        }
        depth += !quote && lua[at] == '(';
        depth -= !quote && lua[at] == ')';
        if (depth == 0) {
            return at;
        }
    }
    return at;
}

const char *rft_t1_tidy(const char *lua, rft_arena *arena) {
    char *out = rft_arena_strdup(arena, lua);
    bool in_text = false;
    if (strlen(out) > TIDY_MOST) {
        return out;
    }
    for (size_t i = 0; out[i]; i++) {
        in_text = in_text != (out[i] == '\'');
        bool call = rft_text_starts(out + i, "(math.modf("); /* of two results the first */
        bool first = i == 0;
        if (in_text || out[i] != '(' || call) {
            continue;
        }
        size_t end = closing(out, i);
        if ((first && out[end] && !out[end + 1]) || (!first && out[i - 1] == '(' && closing(out, i - 1) == end + 1)) {
            memmove(out + end, out + end + 1, strlen(out + end));
            memmove(out + i, out + i + 1, strlen(out + i));
            i = first ? (size_t)-1 : i - 2;
        }
    }
    return out;
}

static int check_names(rft_t1_reader *t, size_t index, const json_t *list) {
    for (size_t i = 0; i < json_array_size(list); i++) {
        const char *name = json_string_value(json_array_get(list, i));
        bool found = false;
        for (size_t k = 0; name && k < t->name_count; k++) {
            found = found || strcmp(t->names[k].name, name) == 0;
        }
        if (!found) {
            return rft_t1_fail(t, "the name of a parameter", "Conditions[%zu].Parameters[%zu]", index, i);
        }
    }
    return RFT_OK;
}

static int read_condition(rft_t1_reader *t, size_t index, const json_t *item) {
    const char *text = json_string_value(json_is_string(item) ? item : json_object_get(item, "Expression"));
    rft_py_error error;
    rft_py_node *node = NULL;
    rft_str condition = RFT_STR_INIT;
    if (!text) {
        return rft_t1_fail(t, "a Python condition in a text", "Conditions[%zu].Expression", index);
    }
    int code = check_names(t, index, json_object_get(item, "Parameters"));
    if (!code && (!rft_py_parse(&node, text, t->arena, &error) ||
                  !rft_py_to_lua(&condition, node, t->names, t->name_count, t->arena, &error))) {
        code = rft_t1_refuse_python(t, &error, text, "Conditions[%zu].Expression", index);
    }
    if (!code) {
        t->conditions[t->condition_count++] = rft_t1_tidy(rft_str_get(&condition), t->arena);
    }
    rft_str_clear(&condition);
    return code;
}

int rft_t1_read_space(rft_t1_reader *t, const json_t *root) {
    const json_t *space = json_object_get(root, "ConfigurationSpace");
    const json_t *parameters = json_object_get(space, "TuningParameters"),
                 *conditions = json_object_get(space, "Conditions");
    size_t parameter_count = json_array_size(parameters), condition_count = json_array_size(conditions);
    int code = RFT_OK;
    t->section = "ConfigurationSpace";
    if (parameter_count == 0 || parameter_count > RFT_T1_PARAMETERS_MAX) {
        return rft_t1_fail(t, "a list of 1 to 256 parameters", "TuningParameters");
    }
    if ((conditions && !json_is_array(conditions) && !json_is_null(conditions)) ||
        condition_count > RFT_T1_CONDITIONS_MAX) {
        return rft_t1_fail(t, "a list of at most 1,000 conditions", "Conditions");
    }
    t->conditions = rft_arena_calloc(t->arena, condition_count + 1, sizeof *t->conditions);
    for (size_t i = 0; i < parameter_count && !code; i++) {
        code = read_parameter(t, i, json_array_get(parameters, i));
    }
    for (size_t i = 0; i < condition_count && !code; i++) {
        code = read_condition(t, i, json_array_get(conditions, i));
    }
    return code;
}

void rft_t1_write_space(rft_str *out, const rft_t1_reader *t) {
    rft_str_add(out, "return sweep {\n  tune = {\n");
    for (size_t i = 0; i < t->name_count; i++) {
        rft_str_addf(out, "    [\"%s\"] = values({", t->names[i].name);
        for (size_t k = 0; k < t->names[i].value_count; k++) {
            rft_str_add(out, k ? ", " : " ");
            rft_t1_add_value(out, &t->names[i].values[k]);
        }
        rft_str_add(out, " }),\n");
    }
    rft_str_add(out, "  },\n  where = {\n");
    for (size_t i = 0; i < t->condition_count; i++) {
        rft_str_add(out, "    ");
        rft_str_add_lua(out, t->conditions[i]);
        rft_str_add(out, ",\n");
    }
    rft_str_add(out, "  },\n}\n");
}

int rft_script_t1_text(rft_str *out, const char *text, size_t size, const char *what, rft_err *err) {
    json_t *root = NULL;
    int code = rft_json_parse(&root, text, size, what, err);
    if (code) {
        err->code = RFT_E_SCRIPT;
        return RFT_E_SCRIPT;
    }
    rft_t1_reader *t = rft_alloc(sizeof *t);
    *t = (rft_t1_reader){.what = what, .arena = rft_arena_new(), .err = err};
    code = rft_t1_read_space(t, root);
    if (code == RFT_OK) {
        rft_t1_write_space(out, t);
    }
    rft_arena_free(t->arena);
    free(t);
    json_decref(root);
    return code;
}

bool rft_script_is_t1(const char *path) {
    static const char mark[] = "\"ConfigurationSpace\"";
    char *head = rft_calloc(HEAD_BYTES + 1, 1);
    size_t size = rft_fs_head(path, head, HEAD_BYTES), start = 0;
    bool found = false;
    while (start < size && strchr(" \t\r\n", head[start])) {
        start++;
    }
    for (size_t i = start; head[start] == '{' && i + sizeof mark - 1 <= size && !found; i++) {
        found = head[i] == '"' && memcmp(head + i, mark, sizeof mark - 1) == 0;
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
