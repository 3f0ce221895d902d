/* SPDX-License-Identifier: Apache-2.0 */
/* python_lua.c - conditions in Lua. The languages differ in what is true (0 is false in Python), in truths being
 * numbers (True == 1), in chained comparisons and in spelling; / % // and comparisons of numbers mean the same. */
#include "script/python/python.h"

#include <math.h>
#include <string.h>

typedef struct lua_writer {
    rft_str *out;
    const rft_py_name *names;
    size_t name_count;
    rft_arena *arena;
    rft_py_error *error;
} lua_writer;

static bool add_truth(lua_writer *w, const rft_py_node *node);
static bool add_python_number(lua_writer *w, const rft_py_node *node);

static bool fail_to_lua(lua_writer *w, const rft_py_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail_to_lua(lua_writer *w, const rft_py_node *node, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rft_text_vformat(w->error->message, sizeof w->error->message, format, args);
    va_end(args);
    w->error->at = node->at;
    return false;
}

static const rft_py_name *known(const lua_writer *w, const char *name) {
    for (size_t i = 0; i < w->name_count; i++) {
        if (strcmp(w->names[i].name, name) == 0) {
            return &w->names[i];
        }
    }
    return NULL;
}

/* BOOL, TEXT, or REAL for any number. */
static rft_value_kind kind_of(const lua_writer *w, const rft_py_node *node) {
    const rft_py_name *name = node->kind == RFT_PY_NAME ? known(w, node->text) : NULL;
    switch (node->kind) {
    case RFT_PY_NAME:
        return name && (name->kind == RFT_VALUE_BOOL || name->kind == RFT_VALUE_TEXT) ? name->kind : RFT_VALUE_REAL;
    case RFT_PY_TEXT:
        return RFT_VALUE_TEXT;
    case RFT_PY_BOOL:
    case RFT_PY_COMPARE:
    case RFT_PY_NOT:
    case RFT_PY_AND:
    case RFT_PY_OR:
        return RFT_VALUE_BOOL;
    default:
        return RFT_VALUE_REAL;
    }
}

static void add_text(rft_str *out, const char *text) {
    rft_str_add_char(out, '\'');
    for (; *text; text++) {
        if ((unsigned char)*text < 0x20 || strchr("'\\\"", *text)) {
            rft_str_addf(out, "\\%03d", (unsigned char)*text);
        } else {
            rft_str_add_char(out, *text);
        }
    }
    rft_str_add_char(out, '\'');
}

static bool add_name(lua_writer *w, const rft_py_node *node) {
    const rft_py_name *name = known(w, node->text);
    if (!name) {
        return fail_to_lua(w, node, "\"%.60s\" is not a parameter of the space", node->text);
    }
    if (name->is_list && name->value_count != 1) {
        return fail_to_lua(w, node, "\"%.60s\" is a list of values here: max(%.60s) is one", node->text, node->text);
    }
    rft_str_add(w->out, name->lua ? name->lua : node->text);
    return true;
}

static bool add_index(lua_writer *w, const rft_py_node *node) {
    const rft_py_name *name = known(w, node->text);
    const rft_py_node *index = node->items[0];
    if (!name || !name->items) {
        return fail_to_lua(w, node, "members and indices are not understood");
    }
    if (index->kind != RFT_PY_INT || index->integer < 0 || (uint64_t)index->integer >= name->item_count) {
        return fail_to_lua(w, node, "%.60s has the elements 0 to %zu", node->text, name->item_count - 1);
    }
    rft_str_add(w->out, name->items[index->integer]);
    return true;
}

/* ---- numbers ---- */

static bool add_binary(lua_writer *w, const rft_py_node *node) {
    const char *op = node->op == 'd' ? "//" : node->op == 'p' ? "^" : (char[]){node->op, '\0'};
    rft_str_add_char(w->out, '(');
    if (!add_python_number(w, node->items[0])) {
        return false;
    }
    rft_str_addf(w->out, " %s ", op);
    if (!add_python_number(w, node->items[1])) {
        return false;
    }
    rft_str_add_char(w->out, ')');
    return true;
}

/* max(NAME) of a name with a list: the number itself. False: it is something else. */
static bool add_extreme(lua_writer *w, const rft_py_node *node) {
    const rft_py_name *name =
        node->count == 1 && node->items[0]->kind == RFT_PY_NAME ? known(w, node->items[0]->text) : NULL;
    const rft_value *found = NULL;
    for (size_t i = 0; name && name->is_list && i < name->value_count; i++) {
        bool larger = found && rft_value_number(&name->values[i]) > rft_value_number(found);
        bool smaller = found && rft_value_number(&name->values[i]) < rft_value_number(found);
        found = !found || (node->text[1] == 'a' ? larger : smaller) ? &name->values[i] : found;
    }
    if (found && found->kind != RFT_VALUE_TEXT) {
        rft_value_format(w->out, found);
    }
    return found && found->kind != RFT_VALUE_TEXT;
}

static const char *lua_function(const char *name) {
    static const char *const names[][2] = {{"abs", "math.abs"},    {"min", "math.min"},   {"max", "math.max"},
                                           {"int", "(math.modf"},  {"ceil", "math.ceil"}, {"float", "("},
                                           {"floor", "math.floor"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i][0], name) == 0) {
            return names[i][1];
        }
    }
    return NULL;
}

static bool add_call(lua_writer *w, const rft_py_node *node) {
    const char *function = lua_function(node->text);
    bool several = strcmp(node->text, "min") == 0 || strcmp(node->text, "max") == 0;
    bool single = function && !several;
    if (several && add_extreme(w, node)) {
        return true;
    }
    if ((!single && !several) || node->count < (single ? 1u : 2u) || (single && node->count > 1)) {
        return fail_to_lua(w, node, "%.40s() with %zu arguments is not understood in a condition", node->text,
                           node->count);
    }
    rft_str_addf(w->out, "%s(", function);
    for (size_t i = 0; i < node->count; i++) {
        rft_str_add(w->out, i ? ", " : "");
        if (!add_python_number(w, node->items[i])) {
            return false;
        }
    }
    rft_str_add(w->out, function[0] == '(' ? "))" : ")");
    return true;
}

/* Where Python would compute: truths are 0 and 1. */
static bool add_python_number(lua_writer *w, const rft_py_node *node) {
    switch (node->kind) {
    case RFT_PY_INT:
        rft_str_addf(w->out, "%lld", (long long)node->integer);
        return true;
    case RFT_PY_REAL:
        rft_str_add_double(w->out, node->real);
        return true;
    case RFT_PY_BINARY:
        return add_binary(w, node);
    case RFT_PY_CALL:
        return add_call(w, node);
    case RFT_PY_INDEX:
        return add_index(w, node);
    case RFT_PY_NEGATE:
        rft_str_add(w->out, "(-");
        if (!add_python_number(w, node->items[0])) {
            return false;
        }
        rft_str_add_char(w->out, ')');
        return true;
    case RFT_PY_AND:
    case RFT_PY_OR:
        return fail_to_lua(w, node, "`and` and `or` are not understood as numbers");
    case RFT_PY_TEXT:
        return fail_to_lua(w, node, "texts cannot be computed with");
    case RFT_PY_LIST:
    case RFT_PY_FOR:
        return fail_to_lua(w, node, "a list is understood behind `in` alone");
    default:
        break;
    }
    if (kind_of(w, node) == RFT_VALUE_TEXT) {
        return fail_to_lua(w, node, "texts cannot be computed with");
    }
    if (kind_of(w, node) == RFT_VALUE_REAL) {
        return add_name(w, node);
    }
    rft_str_add_char(w->out, '(');
    if (!add_truth(w, node)) {
        return false;
    }
    rft_str_add(w->out, " and 1 or 0)");
    return true;
}

/* ---- truths ---- */

/* One side of a comparison whose sides are of that kind. */
static bool add_side(lua_writer *w, const rft_py_node *node, rft_value_kind kind) {
    if (kind == RFT_VALUE_BOOL) {
        return add_truth(w, node);
    }
    if (kind == RFT_VALUE_TEXT && node->kind == RFT_PY_TEXT) {
        add_text(w->out, node->text);
        return true;
    }
    return kind == RFT_VALUE_TEXT ? add_name(w, node) : add_python_number(w, node);
}

static bool add_pair(lua_writer *w, const rft_py_node *left, char op, const rft_py_node *right) {
    static const char signs[] = "<>=!lg";
    static const char *const lua[] = {"<", ">", "==", "~=", "<=", ">="};
    rft_value_kind a = kind_of(w, left), b = kind_of(w, right);
    bool equality = op == '=' || op == '!';
    if ((a == RFT_VALUE_TEXT) != (b == RFT_VALUE_TEXT)) {
        return fail_to_lua(w, left, "a text is compared with a number");
    }
    rft_value_kind kind = a == b && (a == RFT_VALUE_TEXT || equality) ? a : RFT_VALUE_REAL;
    rft_str_add_char(w->out, '(');
    if (!add_side(w, left, kind)) {
        return false;
    }
    rft_str_addf(w->out, " %s ", lua[strchr(signs, op) - signs]);
    if (!add_side(w, right, kind)) {
        return false;
    }
    rft_str_add_char(w->out, ')');
    return true;
}

static bool add_membership(lua_writer *w, const rft_py_node *left, char op, const rft_py_node *list) {
    rft_value *values = NULL;
    size_t count = 0;
    if (!rft_py_values(&values, &count, list, w->arena, w->error)) {
        return false;
    }
    if (count > 256) {
        return fail_to_lua(w, list, "more than 256 values behind `in`");
    }
    rft_str_add(w->out, op == 'n' ? "not (false" : "(false");
    for (size_t i = 0; i < count; i++) {
        const rft_value *v = &values[i];
        rft_py_node item = {.at = list->at, .integer = v->as.integer};
        item.kind = v->kind == RFT_VALUE_TEXT   ? RFT_PY_TEXT
                    : v->kind == RFT_VALUE_BOOL ? RFT_PY_BOOL
                    : v->kind == RFT_VALUE_INT  ? RFT_PY_INT
                                                : RFT_PY_REAL;
        item.text = v->kind == RFT_VALUE_TEXT ? v->as.text : NULL;
        item.real = v->kind == RFT_VALUE_REAL ? v->as.real : 0;
        item.integer = v->kind == RFT_VALUE_INT || v->kind == RFT_VALUE_BOOL ? v->as.integer : 0;
        rft_str_add(w->out, " or ");
        if (!add_pair(w, left, '=', &item)) {
            return false;
        }
    }
    rft_str_add_char(w->out, ')');
    return true;
}

static bool add_compare(lua_writer *w, const rft_py_node *node) {
    rft_str_add_char(w->out, '(');
    for (size_t i = 1; i < node->count; i++) {
        char op = node->ops[i - 1];
        bool member = op == 'i' || op == 'n';
        rft_str_add(w->out, i > 1 ? " and " : "");
        if (member ? !add_membership(w, node->items[i - 1], op, node->items[i])
                   : !add_pair(w, node->items[i - 1], op, node->items[i])) {
            return false;
        }
    }
    rft_str_add_char(w->out, ')');
    return true;
}

static bool add_logic(lua_writer *w, const rft_py_node *node) {
    rft_str_add_char(w->out, '(');
    for (size_t i = 0; i < node->count; i++) {
        rft_str_add(w->out, i == 0 ? "" : node->kind == RFT_PY_AND ? " and " : " or ");
        if (!add_truth(w, node->items[i])) {
            return false;
        }
    }
    rft_str_add_char(w->out, ')');
    return true;
}

static bool add_truth(lua_writer *w, const rft_py_node *node) {
    switch (node->kind) {
    case RFT_PY_BOOL:
        rft_str_add(w->out, node->integer ? "true" : "false");
        return true;
    case RFT_PY_COMPARE:
        return add_compare(w, node);
    case RFT_PY_AND:
    case RFT_PY_OR:
        return add_logic(w, node);
    case RFT_PY_NOT:
        rft_str_add(w->out, "(not ");
        if (!add_truth(w, node->items[0])) {
            return false;
        }
        rft_str_add_char(w->out, ')');
        return true;
    default:
        break;
    }
    if (kind_of(w, node) == RFT_VALUE_BOOL) {
        return add_name(w, node);
    }
    if (kind_of(w, node) == RFT_VALUE_TEXT) {
        return fail_to_lua(w, node, "a text is not a condition");
    }
    rft_str_add_char(w->out, '(');
    if (!add_python_number(w, node)) {
        return false;
    }
    rft_str_add(w->out, " ~= 0)");
    return true;
}

bool rft_py_to_lua(rft_str *out, const rft_py_node *node, const rft_py_name *names, size_t name_count, rft_arena *arena,
                   rft_py_error *error) {
    lua_writer w = {out, names, name_count, arena, error};
    return add_truth(&w, node);
}

bool rft_py_number_to_lua(rft_str *out, const rft_py_node *node, const rft_py_name *names, size_t name_count,
                          rft_arena *arena, rft_py_error *error) {
    lua_writer w = {out, names, name_count, arena, error};
    return add_python_number(&w, node);
}
