/* SPDX-License-Identifier: Apache-2.0 */
/* https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling: substitutions must be counted exactly, names need not be
 * kept. Whatever is not expected sets `failed`, and nothing is said of the symbol. */
#include "model/sweep/mangled.h"

#include "base/str.h"

#include <string.h>

#define NODES_MAX 256
#define DEPTH_MAX 48

typedef struct element {
    const char *code; /* as mangled */
    const char *name;
    bool has_type;
    rft_type type;
} element;

static const element elements[] = {
    {"v", "void", false, RFT_TYPE_U8},
    {"b", "bool", true, RFT_TYPE_U8},
    {"c", "char", true, RFT_TYPE_I8},
    {"a", "signed char", true, RFT_TYPE_I8},
    {"h", "unsigned char", true, RFT_TYPE_U8},
    {"s", "short", true, RFT_TYPE_I16},
    {"t", "unsigned short", true, RFT_TYPE_U16},
    {"i", "int", true, RFT_TYPE_I32},
    {"j", "unsigned int", true, RFT_TYPE_U32},
    {"l", "long", true, RFT_TYPE_I64},
    {"m", "unsigned long", true, RFT_TYPE_U64},
    {"x", "long long", true, RFT_TYPE_I64},
    {"y", "unsigned long long", true, RFT_TYPE_U64},
    {"f", "float", true, RFT_TYPE_F32},
    {"d", "double", true, RFT_TYPE_F64},
    {"__half", "__half", true, RFT_TYPE_F16},
    {"__nv_bfloat16", "__nv_bfloat16", true, RFT_TYPE_BF16},
    {"__nv_fp8_e4m3", "__nv_fp8_e4m3", true, RFT_TYPE_E4M3},
    {"__nv_fp8_e5m2", "__nv_fp8_e5m2", true, RFT_TYPE_E5M2},
    {"CUtensorMap_st", "CUtensorMap", false, RFT_TYPE_U8},
};

typedef struct parsed {
    const element *element; /* NULL: unknown */
    bool is_pointer;        /* to the element */
    bool to_const;          /* of a pointer */
} parsed;

typedef struct parser {
    const char *at;
    int depth;
    bool failed;
    parsed substitutions[NODES_MAX], arguments[RFT_PARAMS_MAX]; /* of the function's template */
    size_t substitution_count, argument_count;
} parser;

static const parsed unknown = {NULL, false, false};

static parsed parse_type(parser *p);

static parsed fail(parser *p) {
    p->failed = true;
    return unknown;
}

static bool accept(parser *p, char wanted) {
    bool met = !p->failed && *p->at == wanted;
    p->at += met ? 1 : 0;
    return met;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static parsed remember(parser *p, parsed n) {
    if (p->failed || p->substitution_count == NODES_MAX) {
        return fail(p);
    }
    return p->substitutions[p->substitution_count++] = n;
}

static const element *find_element(const char *code, size_t length) {
    for (size_t i = 0; i < sizeof elements / sizeof *elements; i++) {
        if (strlen(elements[i].code) == length && memcmp(elements[i].code, code, length) == 0) {
            return &elements[i];
        }
    }
    return NULL;
}

static size_t parse_number(parser *p) {
    size_t number = 0;
    if (!is_digit(*p->at)) {
        p->failed = true;
    }
    while (!p->failed && is_digit(*p->at)) {
        number = number * 10 + (size_t)(*p->at++ - '0');
        p->failed = number > 100000;
    }
    return number;
}

/* "4pack": its element, where it is one of ours. */
static parsed parse_name(parser *p) {
    size_t length = parse_number(p);
    if (p->failed || length == 0 || strnlen(p->at, length) < length) {
        return fail(p);
    }
    const char *name = p->at;
    p->at += length;
    return (parsed){length > 1 ? find_element(name, length) : NULL, false, false};
}

/* What stands behind T or S: "_" is 0, "0_" is 1. */
static size_t parse_index(parser *p, size_t base) {
    size_t index = 0;
    if (accept(p, '_')) {
        return 0;
    }
    while (!p->failed && *p->at != '_') {
        char c = *p->at;
        size_t digit = is_digit(c) ? (size_t)(c - '0') : c >= 'A' && c <= 'Z' ? (size_t)(c - 'A') + 10 : base;
        index = index * base + digit;
        p->failed = digit >= base || index > NODES_MAX;
        p->at += p->failed ? 0 : 1; /* never behind the end */
    }
    accept(p, '_');
    return index + 1;
}

static parsed parse_template_param(parser *p) {
    size_t index = parse_index(p, 10);
    return p->failed || index >= p->argument_count ? fail(p) : p->arguments[index];
}

/* "Li4E", "Lb1E": the value is of no interest. Names of functions are not read. */
static parsed parse_literal(parser *p) {
    if (*p->at == '_' || *p->at == 'Z') {
        return fail(p);
    }
    parse_type(p);
    while (!p->failed && (is_digit(*p->at) || (*p->at >= 'a' && *p->at <= 'z'))) {
        p->at++;
    }
    return accept(p, 'E') ? unknown : fail(p);
}

static void parse_template_args(parser *p, bool is_function);

static parsed parse_template_arg(parser *p) {
    if (accept(p, 'L')) {
        return parse_literal(p);
    }
    if (accept(p, 'X')) { /* of expressions only a parameter's own name */
        if (accept(p, 'T')) {
            parse_template_param(p);
        } else {
            p->failed = true;
        }
        return accept(p, 'E') ? unknown : fail(p);
    }
    if (*p->at == 'J') {
        parse_template_args(p, false);
        return unknown;
    }
    return parse_type(p);
}

/* From I (or J, a pack) to E. */
static void parse_template_args(parser *p, bool is_function) {
    parsed found[RFT_PARAMS_MAX];
    size_t count = 0;
    p->at++;
    p->failed = p->failed || ++p->depth > DEPTH_MAX;
    while (!p->failed && !accept(p, 'E')) {
        parsed argument = parse_template_arg(p);
        p->failed = p->failed || count == RFT_PARAMS_MAX;
        if (!p->failed) {
            found[count++] = argument;
        }
    }
    p->depth--;
    if (is_function && !p->failed) {
        memcpy(p->arguments, found, count * sizeof *found);
        p->argument_count = count;
    }
}

/* A name that stands already, with template arguments where they follow. */
static parsed with_template_args(parser *p, parsed name) {
    if (p->failed || *p->at != 'I') {
        return name;
    }
    parse_template_args(p, false);
    return remember(p, unknown);
}

/* Behind S. */
static parsed parse_substitution(parser *p) {
    if (accept(p, 't')) {
        parse_name(p);
        return with_template_args(p, remember(p, unknown));
    }
    if (*p->at && strchr("absiod", *p->at)) {
        p->at++;
        return with_template_args(p, unknown);
    }
    size_t index = parse_index(p, 36);
    if (p->failed || index >= p->substitution_count) {
        return fail(p);
    }
    return with_template_args(p, p->substitutions[index]);
}

/* The head of a nested name, or nothing. */
static void parse_prefix(parser *p) {
    if (accept(p, 'S')) {
        if (accept(p, 't')) {
            return;
        }
        size_t index = parse_index(p, 36);
        p->failed = p->failed || index >= p->substitution_count;
    } else if (accept(p, 'T')) {
        remember(p, parse_template_param(p));
    }
}

/* Behind N. Every prefix can be substituted, a function itself cannot. True: it ends with template arguments. */
static bool parse_nested(parser *p, bool is_function) {
    bool is_template = false;
    parse_prefix(p);
    while (!p->failed && !accept(p, 'E')) {
        is_template = *p->at == 'I';
        if (is_template) {
            parse_template_args(p, is_function);
        } else {
            accept(p, 'L');
            parse_name(p);
        }
        if (!is_function || *p->at != 'E') {
            remember(p, unknown);
        }
    }
    return is_template;
}

static parsed parse_array(parser *p) {
    parse_number(p);
    p->failed = p->failed || !accept(p, '_');
    parse_type(p);
    return remember(p, unknown);
}

static parsed parse_function(parser *p) {
    while (!p->failed && !accept(p, 'E')) {
        parse_type(p);
    }
    return remember(p, unknown);
}

static parsed parse_pointer(parser *p) {
    const char *qualifiers = p->at;
    size_t count = strspn(qualifiers, "rVK");
    bool to_const = memchr(qualifiers, 'K', count) != NULL;
    parsed to = parse_type(p);
    return remember(p, (parsed){to.is_pointer ? NULL : to.element, true, to_const});
}

static parsed parse_plain(parser *p) {
    char c = *p->at;
    const element *builtin = c ? find_element(p->at, 1) : NULL;
    if (is_digit(c)) {
        parsed name = parse_name(p);
        return with_template_args(p, remember(p, name));
    }
    if (!builtin) {
        bool other = c && strchr("nowegz", c); /* __int128, wchar_t, long double, __float128 */
        p->at += other ? 1 : 0;
        return other && c != 'z' ? unknown : fail(p);
    }
    p->at++;
    return (parsed){builtin, false, false};
}

static parsed parse_qualified(parser *p) {
    while (accept(p, 'r') || accept(p, 'V') || accept(p, 'K')) {
    }
    return remember(p, parse_type(p));
}

static parsed parse_any(parser *p) {
    if (*p->at && strchr("rVK", *p->at)) {
        return parse_qualified(p);
    }
    if (accept(p, 'P')) {
        return parse_pointer(p);
    }
    if (accept(p, 'R') || accept(p, 'O')) {
        parse_type(p);
        return remember(p, unknown);
    }
    if (accept(p, 'A')) {
        return parse_array(p);
    }
    if (accept(p, 'F')) {
        return parse_function(p);
    }
    if (accept(p, 'N')) {
        parse_nested(p, false);
        return unknown;
    }
    if (accept(p, 'S')) {
        return parse_substitution(p);
    }
    if (accept(p, 'T')) {
        parsed param = parse_template_param(p);
        return with_template_args(p, remember(p, param));
    }
    return parse_plain(p);
}

static parsed parse_type(parser *p) {
    if (p->failed || ++p->depth > DEPTH_MAX) {
        return fail(p);
    }
    parsed n = parse_any(p);
    p->depth--;
    return n;
}

/* The kernel's own name. True: it is a template's, so that the type it returns comes before the parameters. */
static bool parse_kernel_name(parser *p) {
    if (accept(p, 'N')) {
        return parse_nested(p, true);
    }
    accept(p, 'L');
    parse_name(p);
    if (p->failed || *p->at != 'I') {
        return false;
    }
    remember(p, unknown);
    parse_template_args(p, true);
    return true;
}

static rft_mangled_param describe(parsed n) {
    const element *e = n.element;
    rft_mangled_param param = {.kind = n.is_pointer ? RFT_PARAM_POINTER : e ? RFT_PARAM_VALUE : RFT_PARAM_UNKNOWN};
    param.to_const = n.is_pointer && n.to_const;
    if (e) {
        param.name = e->name;
        param.has_type = e->has_type;
        param.type = e->type;
    }
    if (e && !n.is_pointer && !e->has_type) {
        param.kind = strcmp(e->name, "void") == 0 ? RFT_PARAM_UNKNOWN : RFT_PARAM_TENSOR_MAP;
    }
    return param;
}

int rft_mangled_params(const char *symbol, rft_mangled_param out[RFT_PARAMS_MAX]) {
    parser p = {.at = symbol + 2};
    int count = 0;
    if (strncmp(symbol, "_Z", 2) != 0) {
        return -1;
    }
    if (parse_kernel_name(&p)) {
        parse_type(&p);
    }
    if (!p.failed && strcmp(p.at, "v") == 0) {
        return 0;
    }
    p.failed = p.failed || !*p.at; /* a variable's name */
    while (!p.failed && *p.at) {
        parsed n = parse_type(&p);
        p.failed = p.failed || count == RFT_PARAMS_MAX;
        if (!p.failed) {
            out[count++] = describe(n);
        }
    }
    return p.failed ? -1 : count;
}

/* ---- variables ---- */

/* One <length><identifier> at *at, a local one behind an L; false: something else. */
static bool add_component(rft_str *text, const char **at) {
    size_t length = 0;
    *at += **at == 'L';
    for (; **at >= '0' && **at <= '9' && length < 4096; (*at)++) {
        length = length * 10 + (size_t)(**at - '0');
    }
    if (length == 0 || length > strlen(*at)) {
        return false;
    }
    if (!rft_text_starts(*at, "_GLOBAL__N_") && !rft_text_starts(*at, "_INTERNAL_")) {
        rft_str_add(text, text->length ? "::" : "");
        rft_str_add_n(text, *at, length);
    }
    *at += length;
    return true;
}

const char *rft_mangled_variable(const char *symbol, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    bool is_mangled = rft_text_starts(symbol, "_Z"), is_nested = is_mangled && symbol[2] == 'N';
    const char *at = symbol + (is_nested ? 3 : is_mangled ? 2 : 0), *end = is_nested ? "E" : "";
    bool understood = is_mangled && add_component(&text, &at);
    while (understood && is_nested && *at != 'E') {
        understood = add_component(&text, &at);
    }
    understood = understood && strcmp(at, end) == 0 && text.length > 0;
    const char *name = rft_arena_strdup(arena, understood ? rft_str_get(&text) : symbol);
    rft_str_clear(&text);
    return name;
}
