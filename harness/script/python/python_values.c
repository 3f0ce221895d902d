/* SPDX-License-Identifier: Apache-2.0 */
/* python_values.c - lists folded to values. Whole numbers are checked for overflow: Python's have no end, ours do. */
#include "script/python/python.h"

#include <math.h>
#include <string.h>

#define VALUES_MAX 65535

typedef struct folder {
    rft_arena *arena;
    rft_py_error *error;
    const char *variable; /* of the `for` around; NULL: none */
    rft_value bound;
} folder;

typedef struct value_list {
    rft_value *items;
    size_t count, capacity;
} value_list;

static bool fold(folder *f, const rft_py_node *node, rft_value *out);
static bool fold_list(folder *f, const rft_py_node *node, value_list *out);

static bool fail_fold(folder *f, const rft_py_node *node, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
static bool fail_fold(folder *f, const rft_py_node *node, const char *format, ...) {
    va_list args;
    va_start(args, format);
    rft_text_vformat(f->error->message, sizeof f->error->message, format, args);
    va_end(args);
    f->error->at = node->at;
    return false;
}

/* ---- numbers ---- */

static bool is_whole(const rft_value *value) {
    return value->kind == RFT_VALUE_INT || value->kind == RFT_VALUE_BOOL;
}

static bool power(int64_t base, int64_t exponent, int64_t *out) {
    *out = 1;
    bool over = false;
    if (base >= -1 && base <= 1) { /* no end of them otherwise */
        *out = base < 0 && exponent % 2 == 0 ? 1 : exponent == 0 ? 1 : base;
        return true;
    }
    for (int64_t i = 0; i < exponent && !over; i++) {
        over = __builtin_mul_overflow(*out, base, out);
    }
    return !over;
}

static bool fold_whole(folder *f, const rft_py_node *node, int64_t a, int64_t b, rft_value *out) {
    int64_t result = 0;
    bool over = false;
    switch (node->op) {
    case '+':
        over = __builtin_add_overflow(a, b, &result);
        break;
    case '-':
        over = __builtin_sub_overflow(a, b, &result);
        break;
    case '*':
        over = __builtin_mul_overflow(a, b, &result);
        break;
    case 'p':
        over = !power(a, b, &result);
        break;
    default: /* floor division and its remainder; b is not 0 */
        over = a == INT64_MIN && b == -1;
        if (!over) {
            int64_t rest = a % b;
            bool below = rest != 0 && (rest < 0) != (b < 0); /* C rounds to zero, Python down */
            result = node->op == 'd' ? a / b - (below ? 1 : 0) : rest + (below ? b : 0);
        }
    }
    *out = rft_value_int(result);
    return over ? fail_fold(f, node, "a number beyond 64 bits") : true;
}

static bool fold_real(folder *f, const rft_py_node *node, double a, double b, rft_value *out) {
    double result = node->op == '+'   ? a + b
                    : node->op == '-' ? a - b
                    : node->op == '*' ? a * b
                    : node->op == '/' ? a / b
                    : node->op == 'p' ? pow(a, b)
                    : node->op == 'd' ? floor(a / b)
                                      : a - floor(a / b) * b;
    *out = (rft_value){.kind = RFT_VALUE_REAL, .as.real = result};
    return isfinite(result) ? true : fail_fold(f, node, "a result that is not a finite number");
}

static bool fold_binary(folder *f, const rft_py_node *node, rft_value *out) {
    rft_value a, b;
    if (!fold(f, node->items[0], &a) || !fold(f, node->items[1], &b)) {
        return false;
    }
    if (a.kind == RFT_VALUE_TEXT || b.kind == RFT_VALUE_TEXT) {
        return fail_fold(f, node, "texts cannot be computed with");
    }
    if (strchr("/d%", node->op) && rft_value_number(&b) == 0) {
        return fail_fold(f, node, "a division by zero");
    }
    bool whole = is_whole(&a) && is_whole(&b) && node->op != '/' && !(node->op == 'p' && b.as.integer < 0);
    return whole ? fold_whole(f, node, a.as.integer, b.as.integer, out)
                 : fold_real(f, node, rft_value_number(&a), rft_value_number(&b), out);
}

/* ---- truths ---- */

static bool is_true(const rft_value *value) {
    return value->kind == RFT_VALUE_TEXT ? value->as.text[0] != '\0' : rft_value_number(value) != 0;
}

static bool compare(folder *f, const rft_py_node *node, char op, const rft_value *a, const rft_value *b, bool *out) {
    bool texts = a->kind == RFT_VALUE_TEXT && b->kind == RFT_VALUE_TEXT;
    if (!texts && (a->kind == RFT_VALUE_TEXT || b->kind == RFT_VALUE_TEXT)) {
        *out = op == '!';
        return op == '=' || op == '!' ? true : fail_fold(f, node, "a text is compared with a number");
    }
    int order = texts ? strcmp(a->as.text, b->as.text) : 0;
    double x = texts ? (double)order : rft_value_number(a);
    double y = texts ? 0 : rft_value_number(b);
    *out = op == '<'   ? x < y
           : op == '>' ? x > y
           : op == 'l' ? x <= y
           : op == 'g' ? x >= y
           : op == '=' ? x == y
                       : x != y;
    return true;
}

static bool fold_compare(folder *f, const rft_py_node *node, rft_value *out) {
    bool all = true;
    rft_value left, right;
    if (!fold(f, node->items[0], &left)) {
        return false;
    }
    for (size_t i = 1; i < node->count && all; i++) {
        char op = node->ops[i - 1];
        if (op == 'i' || op == 'n') {
            value_list list = {0};
            bool found = false;
            if (!fold_list(f, node->items[i], &list)) {
                return false;
            }
            for (size_t k = 0; k < list.count && !found; k++) {
                if (!compare(f, node, '=', &left, &list.items[k], &found)) {
                    return false;
                }
            }
            all = found == (op == 'i');
            continue;
        }
        if (!fold(f, node->items[i], &right) || !compare(f, node, op, &left, &right, &all)) {
            return false;
        }
        left = right;
    }
    *out = rft_value_bool(all);
    return true;
}

/* As Python has it: the operand that decides. */
static bool fold_logic(folder *f, const rft_py_node *node, rft_value *out) {
    for (size_t i = 0; i < node->count; i++) {
        if (!fold(f, node->items[i], out)) {
            return false;
        }
        if (is_true(out) == (node->kind == RFT_PY_OR)) {
            break;
        }
    }
    return true;
}

static bool fold_call(folder *f, const rft_py_node *node, rft_value *out) {
    bool least = strcmp(node->text, "min") == 0, most = strcmp(node->text, "max") == 0;
    bool single = strcmp(node->text, "abs") == 0 || strcmp(node->text, "int") == 0 || strcmp(node->text, "float") == 0;
    if ((!least && !most && !single) || node->count == 0 || (single && node->count != 1)) {
        return fail_fold(f, node, "%.40s() with %zu arguments is not understood", node->text, node->count);
    }
    for (size_t i = 0; i < node->count; i++) {
        rft_value next;
        if (!fold(f, node->items[i], &next)) {
            return false;
        }
        if (next.kind == RFT_VALUE_TEXT) {
            return fail_fold(f, node, "%.40s() of a text is not understood", node->text);
        }
        double a = rft_value_number(&next), b = i ? rft_value_number(out) : 0;
        *out = i == 0 || (least && a < b) || (most && a > b) ? next : *out;
    }
    if (node->text[0] == 'f') {
        *out = (rft_value){.kind = RFT_VALUE_REAL, .as.real = rft_value_number(out)};
    } else if (node->text[0] == 'a' && rft_value_number(out) < 0) {
        *out = out->kind == RFT_VALUE_REAL    ? (rft_value){.kind = RFT_VALUE_REAL, .as.real = -out->as.real}
               : out->as.integer == INT64_MIN ? *out
                                              : rft_value_int(-out->as.integer);
    } else if (node->text[0] == 'i' && out->kind == RFT_VALUE_REAL) {
        double whole = trunc(out->as.real);
        if (!(fabs(whole) < 9e18)) {
            return fail_fold(f, node, "a number beyond 64 bits");
        }
        *out = rft_value_int((int64_t)whole);
    }
    return true;
}

static bool fold(folder *f, const rft_py_node *node, rft_value *out) {
    *out = rft_value_int(0);
    switch (node->kind) {
    case RFT_PY_INT:
        *out = rft_value_int(node->integer);
        return true;
    case RFT_PY_REAL:
        *out = (rft_value){.kind = RFT_VALUE_REAL, .as.real = node->real};
        return true;
    case RFT_PY_BOOL:
        *out = rft_value_bool(node->integer != 0);
        return true;
    case RFT_PY_TEXT:
        *out = rft_value_text(node->text);
        return true;
    case RFT_PY_NAME:
        if (!f->variable || strcmp(f->variable, node->text) != 0) {
            return fail_fold(f, node, "\"%.60s\" has no value here", node->text);
        }
        *out = f->bound;
        return true;
    case RFT_PY_NEGATE: {
        rft_py_node zero = {.kind = RFT_PY_INT, .at = node->at};
        rft_py_node *items[] = {&zero, node->items[0]};
        rft_py_node minus = {.kind = RFT_PY_BINARY, .op = '-', .items = items, .count = 2, .at = node->at};
        return fold_binary(f, &minus, out);
    }
    case RFT_PY_NOT: {
        bool good = fold(f, node->items[0], out);
        *out = good ? rft_value_bool(!is_true(out)) : *out;
        return good;
    }
    case RFT_PY_BINARY:
        return fold_binary(f, node, out);
    case RFT_PY_COMPARE:
        return fold_compare(f, node, out);
    case RFT_PY_AND:
    case RFT_PY_OR:
        return fold_logic(f, node, out);
    case RFT_PY_CALL:
        return fold_call(f, node, out);
    case RFT_PY_INDEX:
        return fail_fold(f, node, "members and indices are not understood");
    default:
        return fail_fold(f, node, "a list where one value is expected");
    }
}

/* ---- lists ---- */

static bool append_value(folder *f, const rft_py_node *node, value_list *out, const rft_value *value) {
    if (out->count == VALUES_MAX) {
        return fail_fold(f, node, "more than %d values", VALUES_MAX);
    }
    out->items = rft_arena_grown(f->arena, out->items, out->count, &out->capacity, sizeof *out->items);
    out->items[out->count++] = *value;
    return true;
}

static bool fold_range(folder *f, const rft_py_node *node, value_list *out) {
    int64_t numbers[3] = {0, 0, 1};
    if (node->count < 1 || node->count > 3) {
        return fail_fold(f, node, "range() takes one to three numbers");
    }
    for (size_t i = 0; i < node->count; i++) {
        rft_value value;
        if (!fold(f, node->items[i], &value)) {
            return false;
        }
        if (!is_whole(&value)) {
            return fail_fold(f, node, "range() takes whole numbers");
        }
        numbers[node->count == 1 ? 1 : i] = value.as.integer;
    }
    if (numbers[2] == 0) {
        return fail_fold(f, node, "range() with a step of 0");
    }
    for (int64_t at = numbers[0]; numbers[2] > 0 ? at < numbers[1] : at > numbers[1];) {
        rft_value value = rft_value_int(at);
        if (!append_value(f, node, out, &value)) {
            return false;
        }
        if (__builtin_add_overflow(at, numbers[2], &at)) {
            break;
        }
    }
    return true;
}

static bool fold_for(folder *f, const rft_py_node *node, value_list *out) {
    value_list source = {0};
    folder inner = *f;
    if (f->variable) {
        return fail_fold(f, node, "a list within a list is not understood");
    }
    if (!fold_list(f, node->items[1], &source)) {
        return false;
    }
    inner.variable = node->text;
    for (size_t i = 0; i < source.count; i++) {
        rft_value keep = rft_value_bool(true), value;
        inner.bound = source.items[i];
        if (node->count > 2 && !fold(&inner, node->items[2], &keep)) {
            return false;
        }
        if (is_true(&keep) && (!fold(&inner, node->items[0], &value) || !append_value(f, node, out, &value))) {
            return false;
        }
    }
    return true;
}

static bool fold_list(folder *f, const rft_py_node *node, value_list *out) {
    if (node->kind == RFT_PY_LIST) {
        for (size_t i = 0; i < node->count; i++) {
            rft_value value;
            if (!fold(f, node->items[i], &value) || !append_value(f, node, out, &value)) {
                return false;
            }
        }
        return true;
    }
    if (node->kind == RFT_PY_FOR) {
        return fold_for(f, node, out);
    }
    if (node->kind == RFT_PY_BINARY && node->op == '+') {
        return fold_list(f, node->items[0], out) && fold_list(f, node->items[1], out);
    }
    if (node->kind == RFT_PY_CALL && strcmp(node->text, "range") == 0) {
        return fold_range(f, node, out);
    }
    if (node->kind == RFT_PY_CALL && strcmp(node->text, "list") == 0 && node->count == 1) {
        return fold_list(f, node->items[0], out);
    }
    return fail_fold(f, node, "expected a list: [1, 2], range(..), list(..), [x for x in ..], or a sum of such");
}

bool rft_py_values(rft_value **out, size_t *count, const rft_py_node *node, rft_arena *arena, rft_py_error *error) {
    folder f = {.arena = arena, .error = error};
    value_list list = {0};
    bool good = fold_list(&f, node, &list);
    *out = list.items;
    *count = good ? list.count : 0;
    return good;
}
