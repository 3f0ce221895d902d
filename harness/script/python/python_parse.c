/* SPDX-License-Identifier: Apache-2.0 */
/* python_parse.c - text to nodes, by precedence: or, and, not, comparisons, + -, * / // %, unary -, **, atoms. */
#include "script/python/python.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define NODES_MAX 5000
#define DEPTH_MAX 100

typedef struct python_parser {
    const char *text;
    size_t at;
    rft_arena *arena;
    rft_py_error *error;
    bool failed;
    int depth;
    size_t nodes;
} python_parser;

static rft_py_node *parse_or(python_parser *p);
static rft_py_node *parse_unary(python_parser *p);

static rft_py_node *fail_parse(python_parser *p, const char *format, ...) __attribute__((format(printf, 2, 3)));
static rft_py_node *fail_parse(python_parser *p, const char *format, ...) {
    if (!p->failed) {
        va_list args;
        va_start(args, format);
        rft_text_vformat(p->error->message, sizeof p->error->message, format, args);
        va_end(args);
        p->error->at = p->at;
        p->failed = true;
    }
    return NULL;
}

static rft_py_node *node_at(python_parser *p, rft_py_kind kind, size_t at) {
    if (++p->nodes > NODES_MAX) {
        return fail_parse(p, "more than %d terms", NODES_MAX);
    }
    rft_py_node *node = rft_arena_alloc(p->arena, sizeof *node);
    node->kind = kind;
    node->at = at;
    return node;
}

static void add_item(python_parser *p, rft_py_node *node, rft_py_node *item) {
    if (!item || p->failed) {
        return;
    }
    if ((node->count & (node->count - 1)) == 0) { /* full: a power of two, or nothing */
        size_t room = node->count ? node->count * 2 : 1;
        rft_py_node **items = rft_arena_calloc(p->arena, room, sizeof *items);
        char *ops = rft_arena_calloc(p->arena, room + 1, 1);
        if (node->count) {
            memcpy(items, node->items, node->count * sizeof *items);
            memcpy(ops, node->ops, node->count);
        }
        node->items = items;
        node->ops = ops;
    }
    node->items[node->count++] = item;
}

/* ---- words ---- */

static void skip_space(python_parser *p) {
    while (p->text[p->at] && strchr(" \t\r\n", p->text[p->at])) {
        p->at++;
    }
}

static bool is_name_char(char c) {
    return c == '_' || (isalnum((unsigned char)c) && (unsigned char)c < 0x80);
}

/* Takes the sign or word if it stands here, whole. */
static bool take_token(python_parser *p, const char *word) {
    skip_space(p);
    size_t length = strlen(word);
    if (strncmp(p->text + p->at, word, length) != 0 ||
        (is_name_char(word[0]) && is_name_char(p->text[p->at + length]))) {
        return false;
    }
    p->at += length;
    return true;
}

static bool peek(python_parser *p, const char *word) {
    size_t at = p->at;
    bool there = take_token(p, word);
    p->at = at;
    return there;
}

static const char *take_name(python_parser *p) {
    skip_space(p);
    size_t length = 0;
    while (is_name_char(p->text[p->at + length])) {
        length++;
    }
    const char *name = rft_arena_strndup(p->arena, p->text + p->at, length);
    p->at += length;
    return name;
}

/* ---- atoms ---- */

static rft_py_node *parse_number(python_parser *p) {
    size_t start = p->at, length = 0;
    const char *text = p->text + start;
    bool real = false;
    while (isdigit((unsigned char)text[length]) || text[length] == '.' || text[length] == '_' ||
           ((text[length] == 'e' || text[length] == 'E') && length > 0) ||
           ((text[length] == '+' || text[length] == '-') && (text[length - 1] == 'e' || text[length - 1] == 'E'))) {
        real = real || strchr(".eE", text[length]) != NULL;
        length++;
    }
    const char *word = rft_arena_strndup(p->arena, text, length);
    rft_py_node *node = node_at(p, real ? RFT_PY_REAL : RFT_PY_INT, start);
    bool good = !is_name_char(text[length]) && !strchr(word, '_') &&
                (real ? rft_text_to_double(word, node ? &node->real : &(double){0})
                      : rft_text_to_int64(word, node ? &node->integer : &(int64_t){0}));
    if (!good) {
        return fail_parse(p, "\"%.40s\" is no decimal number of 64 bits", word);
    }
    p->at += length;
    return node;
}

static rft_py_node *parse_text(python_parser *p) {
    size_t start = p->at;
    char quote = p->text[p->at++];
    rft_str text = RFT_STR_INIT;
    while (p->text[p->at] && p->text[p->at] != quote && p->text[p->at] != '\\' && p->text[p->at] != '\n') {
        rft_str_add_char(&text, p->text[p->at++]);
    }
    rft_py_node *node = node_at(p, RFT_PY_TEXT, start);
    if (p->text[p->at] != quote) {
        rft_str_clear(&text);
        return fail_parse(p,
                          p->text[p->at] == '\\' ? "backslashes in texts are not understood" : "the text has no end");
    }
    p->at++;
    if (node) {
        node->text = rft_arena_strdup(p->arena, rft_str_get(&text));
    }
    rft_str_clear(&text);
    return node;
}

/* Up to the closing bracket, which is taken. */
static rft_py_node *parse_items(python_parser *p, rft_py_node *node, const char *close) {
    while (!p->failed && !take_token(p, close)) {
        add_item(p, node, parse_or(p));
        if (!p->failed && !take_token(p, ",") && !peek(p, close)) {
            return fail_parse(p, "expected , or %s", close);
        }
    }
    return p->failed ? NULL : node;
}

/* Behind "[expression for". */
static rft_py_node *parse_for(python_parser *p, rft_py_node *node) {
    node->kind = RFT_PY_FOR;
    node->text = take_name(p);
    if (!*node->text || !take_token(p, "in")) {
        return fail_parse(p, "expected [expression for NAME in list]");
    }
    add_item(p, node, parse_or(p));
    if (!p->failed && take_token(p, "if")) {
        add_item(p, node, parse_or(p));
    }
    if (!p->failed && !take_token(p, "]")) {
        return fail_parse(p, "expected ] (one `for` with one `if` is understood)");
    }
    return p->failed ? NULL : node;
}

static rft_py_node *parse_list(python_parser *p, size_t start) {
    rft_py_node *node = node_at(p, RFT_PY_LIST, start);
    if (!node || take_token(p, "]")) {
        return node;
    }
    add_item(p, node, parse_or(p));
    if (!p->failed && take_token(p, "for")) {
        return parse_for(p, node);
    }
    if (!p->failed && !take_token(p, ",") && !peek(p, "]")) {
        return fail_parse(p, "expected , or ]");
    }
    return p->failed ? NULL : parse_items(p, node, "]");
}

/* (a) is a, (a, b) is a list. */
static rft_py_node *parse_group(python_parser *p, size_t start) {
    rft_py_node *first = parse_or(p);
    if (p->failed || take_token(p, ")")) {
        return first;
    }
    if (!take_token(p, ",")) {
        return fail_parse(p, "expected )");
    }
    rft_py_node *node = node_at(p, RFT_PY_LIST, start);
    if (node) {
        add_item(p, node, first);
    }
    return node ? parse_items(p, node, ")") : NULL;
}

static rft_py_node *parse_word(python_parser *p, size_t start) {
    static const char *const refused[] = {"lambda", "if",   "else", "for", "is", "None", "await",
                                          "yield",  "from", "def",  "and", "or", "in",   "not"};
    const char *name = take_name(p);
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        if (strcmp(name, refused[i]) == 0) {
            return fail_parse(p, "\"%s\" is not understood here", name);
        }
    }
    bool truth = strcmp(name, "True") == 0;
    rft_py_node *node = node_at(p, truth || strcmp(name, "False") == 0 ? RFT_PY_BOOL : RFT_PY_NAME, start);
    if (!node) {
        return NULL;
    }
    node->integer = truth ? 1 : 0;
    node->text = name;
    if (take_token(p, "(")) {
        node->kind = RFT_PY_CALL;
        node = parse_items(p, node, ")");
    }
    if (!p->failed && node->kind == RFT_PY_NAME && take_token(p, "[")) {
        node->kind = RFT_PY_INDEX;
        add_item(p, node, parse_or(p));
        if (!p->failed && !take_token(p, "]")) {
            return fail_parse(p, "expected ]");
        }
    }
    if (!p->failed && (peek(p, ".") || peek(p, "["))) {
        return fail_parse(p, "members and indices are not understood");
    }
    return node;
}

static rft_py_node *parse_atom(python_parser *p) {
    skip_space(p);
    size_t start = p->at;
    char c = p->text[p->at];
    if (isdigit((unsigned char)c) || (c == '.' && isdigit((unsigned char)p->text[p->at + 1]))) {
        return parse_number(p);
    }
    if (c == '\'' || c == '"') {
        return parse_text(p);
    }
    if (take_token(p, "[")) {
        return parse_list(p, start);
    }
    if (take_token(p, "(")) {
        return parse_group(p, start);
    }
    if (is_name_char(c)) {
        return parse_word(p, start);
    }
    return fail_parse(p, c ? "\"%.1s\" is not understood here" : "the expression ends too early%.0s", p->text + p->at);
}

/* ---- operators ---- */

static rft_py_node *pair(python_parser *p, char op, rft_py_node *left, rft_py_node *right) {
    rft_py_node *node = p->failed ? NULL : node_at(p, RFT_PY_BINARY, left->at);
    if (node) {
        node->op = op;
        add_item(p, node, left);
        add_item(p, node, right);
    }
    return node;
}

static rft_py_node *parse_power(python_parser *p) {
    rft_py_node *base = parse_atom(p);
    return !p->failed && take_token(p, "**") ? pair(p, 'p', base, parse_unary(p)) : base;
}

static rft_py_node *enclose(python_parser *p, rft_py_kind kind, size_t at, rft_py_node *inner) {
    rft_py_node *node = p->failed ? NULL : node_at(p, kind, at);
    if (node) {
        add_item(p, node, inner);
    }
    return node;
}

static rft_py_node *parse_unary(python_parser *p) {
    skip_space(p);
    size_t start = p->at;
    rft_py_node *node = NULL;
    if (++p->depth > DEPTH_MAX) {
        return fail_parse(p, "nested more than %d deep", DEPTH_MAX);
    }
    if (take_token(p, "-")) {
        node = enclose(p, RFT_PY_NEGATE, start, parse_unary(p));
    } else if (take_token(p, "+")) {
        node = parse_unary(p);
    } else {
        node = parse_power(p);
    }
    p->depth--;
    return node;
}

static rft_py_node *parse_product(python_parser *p) {
    rft_py_node *node = parse_unary(p);
    while (!p->failed) {
        if (take_token(p, "//")) {
            node = pair(p, 'd', node, parse_unary(p));
        } else if (take_token(p, "/")) {
            node = pair(p, '/', node, parse_unary(p));
        } else if (take_token(p, "%")) {
            node = pair(p, '%', node, parse_unary(p));
        } else if (!peek(p, "**") && take_token(p, "*")) {
            node = pair(p, '*', node, parse_unary(p));
        } else {
            break;
        }
    }
    return node;
}

static rft_py_node *parse_sum(python_parser *p) {
    rft_py_node *node = parse_product(p);
    while (!p->failed) {
        if (take_token(p, "+")) {
            node = pair(p, '+', node, parse_product(p));
        } else if (take_token(p, "-")) {
            node = pair(p, '-', node, parse_product(p));
        } else {
            break;
        }
    }
    return node;
}

static char take_comparison(python_parser *p) {
    static const struct {
        const char *word;
        char op;
    } signs[] = {{"<=", 'l'}, {">=", 'g'}, {"==", '='}, {"!=", '!'}, {"in", 'i'}};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        if (take_token(p, signs[i].word)) {
            return signs[i].op;
        }
    }
    if (!peek(p, "<<") && !peek(p, ">>")) {
        if (take_token(p, "<")) {
            return '<';
        }
        if (take_token(p, ">")) {
            return '>';
        }
    }
    size_t at = p->at;
    if (take_token(p, "not") && take_token(p, "in")) {
        return 'n';
    }
    p->at = at;
    return 0;
}

static rft_py_node *parse_comparison(python_parser *p) {
    rft_py_node *first = parse_sum(p), *node = NULL;
    for (char op; !p->failed && (op = take_comparison(p)) != 0;) {
        if (!node) {
            node = enclose(p, RFT_PY_COMPARE, first->at, first);
        }
        if (node) {
            node->ops[node->count - 1] = op;
            add_item(p, node, parse_sum(p));
        }
    }
    return p->failed ? NULL : node ? node : first;
}

static rft_py_node *parse_not(python_parser *p) {
    skip_space(p);
    size_t start = p->at;
    if (!take_token(p, "not")) {
        return parse_comparison(p);
    }
    if (++p->depth > DEPTH_MAX) {
        return fail_parse(p, "nested more than %d deep", DEPTH_MAX);
    }
    rft_py_node *node = enclose(p, RFT_PY_NOT, start, parse_not(p));
    p->depth--;
    return node;
}

static rft_py_node *parse_and(python_parser *p) {
    rft_py_node *first = parse_not(p), *node = NULL;
    while (!p->failed && take_token(p, "and")) {
        node = node ? node : enclose(p, RFT_PY_AND, first->at, first);
        if (node) {
            add_item(p, node, parse_not(p));
        }
    }
    return p->failed ? NULL : node ? node : first;
}

static rft_py_node *parse_or(python_parser *p) {
    if (++p->depth > DEPTH_MAX) {
        return fail_parse(p, "nested more than %d deep", DEPTH_MAX);
    }
    rft_py_node *first = parse_and(p), *node = NULL;
    while (!p->failed && take_token(p, "or")) {
        node = node ? node : enclose(p, RFT_PY_OR, first->at, first);
        if (node) {
            add_item(p, node, parse_and(p));
        }
    }
    p->depth--;
    return p->failed ? NULL : node ? node : first;
}

bool rft_py_parse(rft_py_node **out, const char *text, rft_arena *arena, rft_py_error *error) {
    python_parser p = {.text = text, .arena = arena, .error = error};
    *out = parse_or(&p);
    skip_space(&p);
    if (!p.failed && text[p.at]) {
        fail_parse(&p, "\"%.20s\" is not understood here", text + p.at);
    }
    *out = p.failed ? NULL : *out;
    return !p.failed;
}
