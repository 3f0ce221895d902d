/* SPDX-License-Identifier: Apache-2.0 */
/* expr_parse.c - from text to a tree, by precedence climbing with the priorities of Lua's own parser (lparser.c). */
#include "base/str.h"
#include "model/sweep/expr_parts.h"

#include <ctype.h>
#include <math.h>
#include <string.h>

#define DEPTH_MAX 100
#define UNARY_PRIORITY 12
#define TOKEN_MAX 256

typedef enum token_kind { TOKEN_END, TOKEN_NUMBER, TOKEN_TEXT, TOKEN_WORD, TOKEN_SIGN, TOKEN_WRONG } token_kind;

typedef struct expr_parser {
    rft_arena *arena;
    const rft_expr_names *names;
    const char *at;
    token_kind token;
    char word[TOKEN_MAX]; /* of a WORD (dots included) or SIGN */
    rft_expr_value value; /* of a NUMBER or TEXT */
    rft_expr_node *nodes;
    size_t count, capacity;
    int depth;
    bool failed;
} expr_parser;

/* ---- tokens ---- */

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_';
}

/* Hexadecimal integers wrap around, as in Lua; hexadecimal reals are left to Lua. */
static token_kind read_hexadecimal(expr_parser *p) {
    uint64_t number = 0;
    const char *at = p->at + 2;
    for (; isxdigit((unsigned char)*at); at++) {
        int digit = isdigit((unsigned char)*at) ? *at - '0' : tolower((unsigned char)*at) - 'a' + 10;
        number = number * 16 + (uint64_t)digit;
    }
    if (at == p->at + 2 || is_word(*at) || *at == '.') {
        return TOKEN_WRONG;
    }
    p->at = at;
    p->value = (rft_expr_value){.kind = RFT_EXPR_INT, .as.integer = (int64_t)number};
    return TOKEN_NUMBER;
}

/* As Lua reads: digits, dots and an exponent; then all of it must be a number. What is too large for an integer is a
 * real. */
static token_kind read_number(expr_parser *p) {
    char text[64];
    size_t length = 0;
    bool whole = true;
    if (p->at[0] == '0' && (p->at[1] == 'x' || p->at[1] == 'X')) {
        return read_hexadecimal(p);
    }
    const char *at = p->at;
    while (is_word(*at) || *at == '.' || ((*at == '+' || *at == '-') && (at[-1] == 'e' || at[-1] == 'E'))) {
        if (length + 1 >= sizeof text || (isalpha((unsigned char)*at) && *at != 'e' && *at != 'E')) {
            return TOKEN_WRONG;
        }
        whole = whole && isdigit((unsigned char)*at);
        text[length++] = *at++;
    }
    text[length] = '\0';
    p->at = at;
    int64_t integer = 0;
    double real = 0;
    if (whole && rft_text_to_int64(text, &integer)) {
        p->value = (rft_expr_value){.kind = RFT_EXPR_INT, .as.integer = integer};
        return TOKEN_NUMBER;
    }
    if (!rft_text_to_double(text, &real)) {
        return TOKEN_WRONG;
    }
    p->value = (rft_expr_value){.kind = RFT_EXPR_REAL, .as.real = real};
    return TOKEN_NUMBER;
}

static token_kind read_text(expr_parser *p) {
    char quote = *p->at;
    const char *end = p->at + 1;
    while (*end && *end != quote && *end != '\\' && *end != '\n' && *end != '\r') {
        end++;
    }
    if (*end != quote) {
        return TOKEN_WRONG;
    }
    p->value.kind = RFT_EXPR_TEXT;
    p->value.as.text = rft_arena_strndup(p->arena, p->at + 1, (size_t)(end - p->at - 1));
    p->at = end + 1;
    return TOKEN_TEXT;
}

/* A name with its fields: gpu.sm_count, math.max. */
static token_kind read_word(expr_parser *p) {
    size_t length = 0;
    while (is_word(*p->at) || (*p->at == '.' && (isalpha((unsigned char)p->at[1]) || p->at[1] == '_'))) {
        if (length + 1 >= sizeof p->word) {
            return TOKEN_WRONG;
        }
        p->word[length++] = *p->at++;
    }
    p->word[length] = '\0';
    return TOKEN_WORD;
}

static token_kind read_sign(expr_parser *p) {
    static const char *const signs[] = {"//", "<=", ">=", "==", "~=", "<<", ">>", "+", "-", "*", "/",
                                        "%",  "^",  "&",  "|",  "~",  "<",  ">",  "(", ")", ","};
    for (size_t i = 0; i < sizeof signs / sizeof signs[0]; i++) {
        size_t length = strlen(signs[i]);
        if (strncmp(p->at, signs[i], length) == 0) {
            memcpy(p->word, signs[i], length + 1);
            p->at += length;
            return TOKEN_SIGN;
        }
    }
    return TOKEN_WRONG;
}

static void advance(expr_parser *p) {
    while (*p->at == ' ' || (*p->at >= '\t' && *p->at <= '\r')) {
        p->at++;
    }
    if (*p->at == '\0') {
        p->token = TOKEN_END;
    } else if (p->at[0] == '-' && p->at[1] == '-') {
        p->token = TOKEN_WRONG; /* a comment: Lua's matter */
    } else if (isdigit((unsigned char)*p->at) || (*p->at == '.' && isdigit((unsigned char)p->at[1]))) {
        p->token = read_number(p);
    } else if (*p->at == '"' || *p->at == '\'') {
        p->token = read_text(p);
    } else if (isalpha((unsigned char)*p->at) || *p->at == '_') {
        p->token = read_word(p);
    } else {
        p->token = read_sign(p);
    }
    p->failed = p->failed || p->token == TOKEN_WRONG;
}

static bool is_sign(const expr_parser *p, const char *sign) {
    return p->token == TOKEN_SIGN && strcmp(p->word, sign) == 0;
}

static void expect_sign(expr_parser *p, const char *sign) {
    if (is_sign(p, sign)) {
        advance(p);
    } else {
        p->failed = true;
    }
}

/* ---- the tree ---- */

static uint16_t add_node(expr_parser *p, rft_expr_node node) {
    if (p->count >= RFT_EXPR_NODES_MAX) {
        p->failed = true;
        return 0;
    }
    p->nodes = rft_arena_grown(p->arena, p->nodes, p->count, &p->capacity, sizeof *p->nodes);
    p->nodes[p->count] = node;
    return (uint16_t)p->count++;
}

static uint16_t add_constant(expr_parser *p, rft_expr_value value) {
    return add_node(p, (rft_expr_node){.op = RFT_OP_CONSTANT, .constant = value});
}

static uint16_t climb(expr_parser *p, int limit);

/* math.min(a, b, ...), math.floor(x). */
static bool read_call(expr_parser *p, const char *name, uint16_t *out) {
    static const struct {
        const char *name;
        rft_expr_op op;
    } functions[] = {{"math.min", RFT_OP_MIN},   {"math.max", RFT_OP_MAX}, {"math.floor", RFT_OP_FLOOR},
                     {"math.ceil", RFT_OP_CEIL}, {"math.abs", RFT_OP_ABS}, {"math.sqrt", RFT_OP_SQRT}};
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(name, functions[i].name) != 0) {
            continue;
        }
        bool many = functions[i].op == RFT_OP_MIN || functions[i].op == RFT_OP_MAX;
        advance(p);
        expect_sign(p, "(");
        *out = climb(p, 0);
        if (!many) {
            *out = add_node(p, (rft_expr_node){.op = functions[i].op, .a = *out});
        } else if (!is_sign(p, ",")) {
            p->failed = true; /* of one value: it must be a number, which Lua checks */
        }
        while (many && !p->failed && is_sign(p, ",")) {
            advance(p);
            uint16_t next = climb(p, 0);
            *out = add_node(p, (rft_expr_node){.op = functions[i].op, .a = *out, .b = next});
        }
        expect_sign(p, ")");
        return true;
    }
    return false;
}

static bool find_slot(const expr_parser *p, uint16_t *slot) {
    for (size_t i = 0; i < p->names->count; i++) {
        if (strcmp(p->names->names[i], p->word) == 0) {
            *slot = (uint16_t)i;
            return true;
        }
    }
    return false;
}

/* Whether what stands before the first dot is a variable, which then hides a library of that name. */
static bool hides_library(const expr_parser *p) {
    size_t length = strcspn(p->word, ".");
    for (size_t i = 0; i < p->names->count; i++) {
        if (strncmp(p->names->names[i], p->word, length) == 0 && p->names->names[i][length] == '\0') {
            return true;
        }
    }
    return false;
}

static bool find_constant(const expr_parser *p, rft_expr_value *out) {
    static const struct {
        const char *name;
        rft_expr_value value;
    } known[] = {{"math.huge", {RFT_EXPR_REAL, {.real = (double)INFINITY}}},
                 {"math.pi", {RFT_EXPR_REAL, {.real = 3.14159265358979323846}}},
                 {"math.maxinteger", {RFT_EXPR_INT, {.integer = INT64_MAX}}},
                 {"math.mininteger", {RFT_EXPR_INT, {.integer = INT64_MIN}}},
                 {"true", {RFT_EXPR_BOOL, {.integer = 1}}},
                 {"false", {RFT_EXPR_BOOL, {.integer = 0}}}};
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (strcmp(p->word, known[i].name) == 0) {
            *out = known[i].value;
            return true;
        }
    }
    rft_value value;
    if (p->names->constant && p->names->constant(p->names->payload, p->word, &value)) {
        *out = rft_expr_value_of(&value);
        return true;
    }
    return false;
}

static uint16_t primary(expr_parser *p) {
    uint16_t node = 0, slot = 0;
    rft_expr_value value;
    if (p->token == TOKEN_NUMBER || p->token == TOKEN_TEXT) {
        node = add_constant(p, p->value);
        advance(p);
    } else if (is_sign(p, "(")) {
        advance(p);
        node = climb(p, 0);
        expect_sign(p, ")");
    } else if (p->token == TOKEN_WORD && find_slot(p, &slot)) {
        node = add_node(p, (rft_expr_node){.op = RFT_OP_SLOT, .slot = slot});
        advance(p);
    } else if (p->token == TOKEN_WORD && (strchr(p->word, '.') == NULL || !hides_library(p))) {
        if (find_constant(p, &value)) {
            node = add_constant(p, value);
            advance(p);
        } else if (!read_call(p, p->word, &node)) {
            p->failed = true;
        }
    } else {
        p->failed = true;
    }
    return node;
}

typedef struct binary_row {
    const char *word;
    int left, right; /* priorities; right lower: right associative */
    rft_expr_op op;
    bool exchanged;
} binary_row;

static const binary_row binaries[] = {
    {"or", 1, 1, RFT_OP_OR, false},          {"and", 2, 2, RFT_OP_AND, false},
    {"<", 3, 3, RFT_OP_LESS, false},         {">", 3, 3, RFT_OP_LESS, true},
    {"<=", 3, 3, RFT_OP_LESS_EQUAL, false},  {">=", 3, 3, RFT_OP_LESS_EQUAL, true},
    {"~=", 3, 3, RFT_OP_UNEQUAL, false},     {"==", 3, 3, RFT_OP_EQUAL, false},
    {"|", 4, 4, RFT_OP_BIT_OR, false},       {"~", 5, 5, RFT_OP_BIT_XOR, false},
    {"&", 6, 6, RFT_OP_BIT_AND, false},      {"<<", 7, 7, RFT_OP_SHIFT_LEFT, false},
    {">>", 7, 7, RFT_OP_SHIFT_RIGHT, false}, {"+", 10, 10, RFT_OP_ADD, false},
    {"-", 10, 10, RFT_OP_SUBTRACT, false},   {"*", 11, 11, RFT_OP_MULTIPLY, false},
    {"/", 11, 11, RFT_OP_DIVIDE, false},     {"//", 11, 11, RFT_OP_FLOOR_DIVIDE, false},
    {"%", 11, 11, RFT_OP_MODULO, false},     {"^", 14, 13, RFT_OP_POWER, false},
};

static const binary_row *binary_at(const expr_parser *p) {
    if (p->token != TOKEN_SIGN && p->token != TOKEN_WORD) {
        return NULL;
    }
    for (size_t i = 0; i < sizeof binaries / sizeof binaries[0]; i++) {
        if (strcmp(p->word, binaries[i].word) == 0) {
            return &binaries[i];
        }
    }
    return NULL;
}

/* An operand and every operator behind it that binds more strongly than `limit`. */
static uint16_t climb(expr_parser *p, int limit) {
    uint16_t left = 0;
    if (p->failed || ++p->depth > DEPTH_MAX) {
        p->failed = true;
        return 0;
    }
    rft_expr_op unary = is_sign(p, "-")                                            ? RFT_OP_NEGATE
                        : is_sign(p, "~")                                          ? RFT_OP_INVERT
                        : p->token == TOKEN_WORD && rft_text_equal(p->word, "not") ? RFT_OP_NOT
                                                                                   : RFT_OP_CONSTANT;
    if (unary != RFT_OP_CONSTANT) {
        advance(p);
        uint16_t operand = climb(p, UNARY_PRIORITY);
        left = add_node(p, (rft_expr_node){.op = unary, .a = operand});
    } else {
        left = primary(p);
    }
    const binary_row *row = binary_at(p);
    while (!p->failed && row && row->left > limit) {
        advance(p);
        uint16_t right = climb(p, row->right);
        rft_expr_node node = {.op = row->op, .a = row->exchanged ? right : left, .b = row->exchanged ? left : right};
        left = add_node(p, node);
        row = binary_at(p);
    }
    p->depth--;
    return left;
}

rft_expr *rft_expr_parse(rft_arena *arena, const char *text, const rft_expr_names *names) {
    expr_parser p = {.arena = arena, .names = names, .at = text};
    if (names->count > UINT16_MAX) {
        return NULL;
    }
    advance(&p);
    climb(&p, 0);
    if (p.failed || p.token != TOKEN_END) {
        return NULL;
    }
    rft_expr *expr = rft_arena_alloc(arena, sizeof *expr);
    *expr = (rft_expr){.nodes = p.nodes, .count = p.count, .slot_count = names->count};
    return expr;
}
