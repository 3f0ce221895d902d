/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_scan_params.c - the parameters of a kernel and of its template, and the types of rooftune that they have. */
#include "base/str.h"
#include "cli/cuda_scan_parts.h"

#include <string.h>

typedef struct known_type {
    const char *written, *type;
} known_type;

static const known_type known_types[] = {{"float", "f32"},
                                         {"double", "f64"},
                                         {"half", "f16"},
                                         {"__half", "f16"},
                                         {"nv_bfloat16", "bf16"},
                                         {"__nv_bfloat16", "bf16"},
                                         {"__nv_fp8_e4m3", "e4m3"},
                                         {"__nv_fp8_e5m2", "e5m2"},
                                         {"int8_t", "i8"},
                                         {"uint8_t", "u8"},
                                         {"uchar", "u8"},
                                         {"bool", "u8"},
                                         {"int16_t", "i16"},
                                         {"uint16_t", "u16"},
                                         {"ushort", "u16"},
                                         {"int32_t", "i32"},
                                         {"uint32_t", "u32"},
                                         {"uint", "u32"},
                                         {"int64_t", "i64"},
                                         {"ptrdiff_t", "i64"},
                                         {"ssize_t", "i64"},
                                         {"uint64_t", "u64"},
                                         {"size_t", "u64"},
                                         {"__half2", "f16"},
                                         {"__nv_bfloat162", "bf16"},
                                         {"cuComplex", "f32"},
                                         {"cuFloatComplex", "f32"},
                                         {"cuDoubleComplex", "f64"},
                                         {"f16", "f16"},
                                         {"fp16", "f16"},
                                         {"bf16", "bf16"},
                                         {"f32", "f32"},
                                         {"i8", "i8"},
                                         {"u8", "u8"}};

static const known_type vector_types[] = {{"float", "f32"},  {"double", "f64"},   {"half", "f16"},      {"int", "i32"},
                                          {"uint", "u32"},   {"short", "i16"},    {"char", "i8"},       {"uchar", "u8"},
                                          {"ushort", "u16"}, {"longlong", "i64"}, {"ulonglong", "u64"}, {"long", "i64"},
                                          {"ulong", "u64"}};

static bool is_qualifier(const char *word) {
    static const char *const words[] = {
        "const",  "volatile", "__restrict__", "__restrict", "restrict",          "struct",    "enum",
        "static", "std",      "::",           "typename",   "__grid_constant__", "__device__"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (strcmp(word, words[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* "unsigned long long" in any order: bit fields of what was said. NULL: something else. */
static const char *integer_type(const char *written) {
    static const char *const words[] = {"unsigned", "signed", "short", "long", "int", "char"};
    size_t seen[6] = {0};
    while (*written) {
        size_t length = strcspn(written, " "), i = 0;
        while (i < 6 && (strlen(words[i]) != length || strncmp(words[i], written, length) != 0)) {
            i++;
        }
        if (i == 6) {
            return NULL;
        }
        seen[i]++;
        written += length + (written[length] == ' ');
    }
    return seen[5]   ? (seen[0] ? "u8" : "i8")
           : seen[2] ? (seen[0] ? "u16" : "i16")
           : seen[3] ? (seen[0] ? "u64" : "i64")
                     : (seen[0] ? "u32" : "i32");
}

static void find_type(rft_cuda_param *param, const char *base) {
    size_t length = strlen(base);
    param->lanes = 1;
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types && !param->type; i++) {
        if (strcmp(base, known_types[i].written) == 0) {
            param->type = known_types[i].type;
            param->lanes = strstr(base, "half2") || strstr(base, "bfloat162") || strstr(base, "Complex") ? 2 : 1;
        }
    }
    for (size_t i = 0; i < sizeof vector_types / sizeof *vector_types && !param->type && length > 1; i++) {
        const char *written = vector_types[i].written;
        if (strlen(written) == length - 1 && strncmp(base, written, length - 1) == 0 && base[length - 1] >= '1' &&
            base[length - 1] <= '4') {
            param->type = vector_types[i].type;
            param->lanes = base[length - 1] - '0';
        }
    }
    if (!param->type && length > 0) {
        param->type = integer_type(base);
    }
}

bool rft_cuda_set_type(rft_cuda_param *param, const char *base) {
    rft_cuda_param known = {0};
    find_type(&known, base);
    if (known.type) {
        param->type = known.type;
        param->lanes = known.lanes;
        param->base = base;
    }
    return known.type != NULL;
}

static const char *join_names(const rft_cuda_words *words, size_t from, size_t to, rft_arena *arena) {
    rft_str out = RFT_STR_INIT;
    for (size_t i = from; i < to; i++) {
        rft_str_addf(&out, "%s%s", i > from ? " " : "", words->items[i].text);
    }
    const char *text = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return text;
}

/* "size_t" of "std :: size_t" and "const std::size_t". */
static const char *without_qualifiers(const char *type, rft_arena *arena) {
    rft_str out = RFT_STR_INIT;
    while (*type) {
        size_t length = *type == ':' ? strspn(type, ":") : strcspn(type, " :");
        const char *word = rft_arena_strndup(arena, type, length);
        if (length > 0 && !is_qualifier(word)) {
            rft_str_addf(&out, "%s%s", out.length ? " " : "", word);
        }
        type += length + (type[length] == ' ');
    }
    const char *text = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return text;
}

/* `using T = float;`, `typedef float T;`, `#define T float`; NULL: not there. *sure: there is no other. */
static const char *alias_in(const rft_cuda_words *words, const char *name, bool *sure, rft_arena *arena) {
    const char *found = NULL;
    for (size_t i = 0; i < words->define_count; i++) {
        if (words->defines[i].word && strcmp(words->defines[i].name, name) == 0) {
            *sure = false; /* -DT=half may be in its place */
            return words->defines[i].word;
        }
    }
    for (size_t i = 0; i + 4 < words->count; i++) {
        const rft_cuda_word *at = &words->items[i];
        bool used = rft_cuda_is(at, "using") && rft_cuda_is(&at[1], name) && rft_cuda_is(&at[2], "=");
        if (used || rft_cuda_is(at, "typedef")) {
            size_t end = i + 1;
            while (end + 1 < words->count && end < i + 9 && !rft_cuda_is(&words->items[end], ";")) {
                end++;
            }
            bool ends = rft_cuda_is(&words->items[end], ";");
            if (ends && (used || (end > i + 1 && rft_cuda_is(&words->items[end - 1], name)))) {
                *sure = *sure && !found;
                found = found ? found : join_names(words, used ? i + 3 : i + 1, used ? end : end - 1, arena);
            }
        }
    }
    return found;
}

#define ALIASES_MAX 8 /* of aliases of aliases */

/* An alias of the file or its headers, or a template's type, which is float unless it is given. *sure: under no #if
 * another one. */
static const char *resolve_alias(const rft_cuda_entry *entry, const rft_cuda_words *words, const char *name, bool *sure,
                                 rft_arena *arena) {
    *sure = true;
    for (size_t step = 0; step < ALIASES_MAX; step++) {
        const char *meant = NULL;
        for (size_t i = 0; i < entry->template_count && !meant; i++) {
            const rft_cuda_template *one = &entry->templates[i];
            bool is_type = strcmp(one->kind, "typename") == 0 || strcmp(one->kind, "class") == 0;
            meant = is_type && strcmp(one->name, name) == 0 ? (one->given ? one->given : "float") : NULL;
        }
        *sure = *sure && !meant;
        meant = meant ? meant : alias_in(words, name, sure, arena);
        meant = meant || !words->headers ? meant : alias_in(words->headers, name, sure, arena);
        if (!meant || strcmp(meant, name) == 0) {
            break;
        }
        name = without_qualifiers(meant, arena);
    }
    return name;
}

/* Of `enum class NAME : uint8_t {` and `typedef enum {...} NAME`: the type of its numbers; NULL: it is no enum. */
static const char *enum_type(const rft_cuda_words *words, const char *name, rft_arena *arena) {
    for (size_t i = 0; words && i + 2 < words->count; i++) {
        const rft_cuda_word *items = words->items;
        size_t at = i + 1, brace = i + 1;
        at += rft_cuda_is(&items[at], "class") || rft_cuda_is(&items[at], "struct");
        while (rft_cuda_is(&items[i], "enum") && items[brace].kind != RFT_CUDA_END && brace < i + 9 &&
               !strchr("{;(", items[brace].text[0])) {
            brace++;
        }
        if (!rft_cuda_is(&items[brace], "{")) {
            continue;
        }
        bool typed = i > 0 && rft_cuda_is(&items[i - 1], "typedef");
        if (rft_cuda_is(&items[at], name) || (typed && rft_cuda_is(&items[rft_cuda_skip(words, brace)], name))) {
            rft_cuda_param numbers = {0};
            if (rft_cuda_is(&items[at + 1], ":")) {
                find_type(&numbers, without_qualifiers(join_names(words, at + 2, brace, arena), arena));
            }
            return numbers.type ? numbers.type : "i32";
        }
    }
    return NULL;
}

static void add_written(rft_str *out, const rft_cuda_word *word) {
    bool apart = out->length > 0 && word->kind != RFT_CUDA_SIGN && !rft_text_ends(rft_str_get(out), "::");
    rft_str_addf(out, "%s%s", apart ? " " : "", word->text);
}

bool rft_cuda_is_texture(const rft_cuda_param *param) {
    static const char *const words[] = {"exture", "urface", "CUtexObject", "CUsurfObject"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        found = found || strstr(param->written, words[i]);
    }
    return found;
}

void rft_cuda_read_param(rft_cuda_param *param, const rft_cuda_entry *entry, const rft_cuda_words *words, size_t from,
                         size_t to, rft_arena *arena) {
    rft_str written = RFT_STR_INIT, base = RFT_STR_INIT;
    size_t stars = 0, bases = 0, name = to;
    bool constant = false, odd = false, is_template = false, array = false;
    for (size_t i = from; i < to; i++) { /* a default ends it */
        to = rft_cuda_is(&words->items[i], "=") ? i : to;
    }
    for (size_t i = from; i < to && !rft_cuda_is(&words->items[i], "["); i++) { /* salt[SIZE]: the size is no name */
        name = words->items[i].kind == RFT_CUDA_NAME ? i : name;
    }
    size_t before = 0; /* words of the type; without any the one name is the type, and the parameter has none */
    for (size_t i = from; i < name; i++) {
        before += words->items[i].kind == RFT_CUDA_NAME && !is_qualifier(words->items[i].text);
    }
    name = before ? name : to;
    for (size_t i = from; i < to; i++) {
        const rft_cuda_word *word = &words->items[i];
        if (i != name) {
            add_written(&written, word);
        }
        constant = constant || (rft_cuda_is(word, "const") && stars == 0);
        bool around = rft_cuda_is(word, "(") && rft_cuda_is(&word[1], "*"); /* float (*rows)[64] */
        bool opens = word->text[0] == '[' && i > name && !array;            /* float a[64][64] */
        stars += word->text[0] == '*' || opens;
        array = array || opens || around;
        is_template = is_template || rft_cuda_is(word, "<");
        odd = odd || (word->kind == RFT_CUDA_SIGN && strchr("&(", word->text[0]) != NULL && !around) ||
              (word->text[0] == '[' && i < name);
        bool space = i + 1 < to && rft_cuda_is(&word[1], "::");
        if (i < name && word->kind == RFT_CUDA_NAME && !is_qualifier(word->text) && !space) {
            rft_str_addf(&base, "%s%s", bases++ ? " " : "", word->text);
        }
    }
    *param = (rft_cuda_param){
        .name = name < to ? words->items[name].text : "", .pointer = stars == 1, .elements = 1, .lanes = 1};
    param->base = rft_arena_strdup(arena, rft_str_get(&base));
    param->written = rft_arena_strdup(arena, rft_str_get(&written));
    param->read = true;
    param->written_to = stars == 1 && !constant;
    param->is_const = constant;
    if (!odd && !is_template && stars < 2 && bases > 0) {
        bool sure = true;
        const char *meant = bases == 1 ? resolve_alias(entry, words, param->base, &sure, arena) : param->base;
        param->aliased = strcmp(meant, param->base) != 0 && !sure;
        param->base = meant;
        find_type(param, meant);
        const char *numbers = param->type ? NULL : enum_type(words, meant, arena);
        numbers = numbers || param->type ? numbers : enum_type(words->headers, meant, arena);
        param->is_enum = numbers != NULL;
        param->aliased = param->aliased || numbers;
        param->type = numbers ? numbers : param->type;
    }
    bool bound = rft_cuda_is_texture(param) || bases == 0;
    if (!param->type && stars == 1 && !odd && !bound && !strchr(param->written, '{')) {
        param->type = "f32";
        param->guessed = true;
    }
    rft_str_clear(&written);
    rft_str_clear(&base);
}

/* The end of the item at `from` in a list that ends before `end`. */
static size_t item_end(const rft_cuda_words *words, size_t from, size_t end) {
    size_t i = from;
    while (i < end && !rft_cuda_is(&words->items[i], ",")) {
        bool opens = words->items[i].kind == RFT_CUDA_SIGN && words->items[i].text[1] == '\0' &&
                     strchr("(<[{", words->items[i].text[0]) != NULL;
        size_t behind = opens ? rft_cuda_skip(words, i) : i + 1;
        i = behind > i ? behind : i + 1;
    }
    return i < end ? i : end;
}

static int too_many(const rft_cuda_entry *entry, const char *what, rft_err *err) {
    rft_err_set(err, RFT_E_LIMIT, "%.60s has more than %d %s", entry->name, RFT_CUDA_PARAMS_MAX, what);
    return rft_err_remedy(err, "pass a struct's members through a buffer, or write the sweep by hand (docs/sweeps.md)");
}

int rft_cuda_read_params(rft_cuda_entry *entry, const rft_cuda_words *words, size_t at, rft_arena *arena,
                         rft_err *err) {
    size_t end = rft_cuda_skip(words, at) - 1;
    for (size_t from = at + 1; from < end;) {
        size_t to = item_end(words, from, end);
        bool nothing = to == from + 1 && rft_cuda_is(&words->items[from], "void");
        if (entry->param_count == RFT_CUDA_PARAMS_MAX) {
            return too_many(entry, "parameters", err);
        }
        if (!nothing) {
            rft_cuda_param *param = &entry->params[entry->param_count++];
            rft_cuda_read_param(param, entry, words, from, to, arena);
            if ((!param->type || param->guessed) && !strpbrk(param->written, "&<(")) {
                rft_cuda_find_fields(param, words, arena);
            }
        }
        from = to + 1;
    }
    return RFT_OK;
}

static bool is_concept(const rft_cuda_words *words, const char *name) {
    bool found = false;
    for (size_t i = 0; i + 1 < words->count && !found; i++) {
        found = rft_cuda_is(&words->items[i], "concept") && rft_cuda_is(&words->items[i + 1], name);
    }
    return found || (words->headers && is_concept(words->headers, name));
}

static void read_template(rft_cuda_template *out, const rft_cuda_words *words, size_t from, size_t to,
                          rft_arena *arena) {
    rft_str kind = RFT_STR_INIT, given = RFT_STR_INIT;
    size_t equal = from;
    while (equal < to && !rft_cuda_is(&words->items[equal], "=")) {
        equal++;
    }
    bool named = equal > from + 1 && words->items[equal - 1].kind == RFT_CUDA_NAME;
    from += rft_cuda_is(&words->items[from], "const"); /* `const bool FAST` */
    for (size_t i = from; i < equal - named; i++) {
        add_written(&kind, &words->items[i]);
    }
    for (size_t i = equal + 1; i < to; i++) {
        add_written(&given, &words->items[i]);
    }
    out->name = named ? words->items[equal - 1].text : "";
    out->kind = is_concept(words, rft_str_get(&kind)) ? "typename" : rft_arena_strdup(arena, rft_str_get(&kind));
    out->given = equal < to ? rft_arena_strdup(arena, rft_str_get(&given)) : NULL;
    rft_str_clear(&kind);
    rft_str_clear(&given);
}

int rft_cuda_read_templates(rft_cuda_entry *entry, const rft_cuda_words *words, size_t at, rft_arena *arena,
                            rft_err *err) {
    size_t end = rft_cuda_skip(words, at) - 1;
    for (size_t from = at + 1; from < end;) {
        size_t to = item_end(words, from, end);
        if (entry->template_count == RFT_CUDA_PARAMS_MAX) {
            return too_many(entry, "template parameters", err);
        }
        read_template(&entry->templates[entry->template_count++], words, from, to, arena);
        from = to + 1;
    }
    return RFT_OK;
}

bool rft_cuda_read_variable(rft_cuda_variable *out, const rft_cuda_words *words, size_t at, rft_arena *arena) {
    const rft_cuda_entry none = {0};
    rft_cuda_param param;
    size_t end = at, name = 0;
    while (words->items[end].kind != RFT_CUDA_END && !strchr("[=;,({", words->items[end].text[0])) {
        name = words->items[end].kind == RFT_CUDA_NAME ? end : name;
        end++;
    }
    if (words->items[end].kind == RFT_CUDA_END || name < at + 2 || name + 1 != end ||
        !strchr("[=;", words->items[end].text[0])) {
        return false;
    }
    rft_cuda_read_param(&param, &none, words, at + 1, end, arena);
    *out = (rft_cuda_variable){param.name, param.pointer ? NULL : param.type, param.lanes, "1", 1, "", false};
    while (rft_cuda_is(&words->items[end], "[")) {
        size_t behind = rft_cuda_skip(words, end);
        const char *count = join_names(words, end + 1, behind - 1, arena);
        size_t elements = rft_cuda_number(words, end + 1, behind - 1);
        out->elements = elements < ((size_t)1 << 31) / (out->elements + 1) ? out->elements * elements : 0;
        out->count = strcmp(out->count, "1") == 0 ? rft_arena_printf(arena, "(%s)", count)
                                                  : rft_arena_printf(arena, "%s*(%s)", out->count, count);
        end = behind;
    }
    out->initialised = rft_cuda_is(&words->items[end], "=") || rft_cuda_is(&words->items[end], "{");
    return true;
}
