/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cuda_scan.h"

#include "base/str.h"
#include "cli/cuda_scan_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAMESPACES_MAX 16

typedef struct kernel_scan {
    rft_cuda_words words;
    rft_cuda_entry *entries;
    size_t entry_count, entry_capacity;
    const char *spaces[NAMESPACES_MAX]; /* of the namespaces that are open */
    size_t space_depth[NAMESPACES_MAX], space_count, depth;
    size_t c_depth;     /* of the brace of an open extern "C" {; 0: none */
    size_t template_at; /* of the '<' behind the last `template`; 0: none */
    rft_cuda_variable variables[RFT_CUDA_PARAMS_MAX];
    size_t variable_count;
    rft_cuda_file *out;
    rft_arena *arena;
    rft_err *err;
} kernel_scan;

/* ---- kernels ---- */

static const char *qualified(const kernel_scan *s, const char *name) {
    rft_str out = RFT_STR_INIT;
    for (size_t i = 0; i < s->space_count; i++) {
        rft_str_addf(&out, "%s%s", s->spaces[i], *s->spaces[i] ? "::" : "");
    }
    rft_str_add(&out, name);
    const char *text = rft_arena_strdup(s->arena, rft_str_get(&out));
    rft_str_clear(&out);
    return text;
}

static bool is_attribute(const rft_cuda_word *word) {
    return rft_text_starts(word->text, "__") && word->kind == RFT_CUDA_NAME && rft_text_ends(word->text, "__");
}

/* `requires (sizeof(T) == 4)` between parameters and body. */
static size_t behind_requires(const rft_cuda_words *words, size_t at) {
    bool constrained = rft_cuda_is(&words->items[at], "requires");
    while (constrained && words->items[at].kind != RFT_CUDA_END && !strchr("{;", *words->items[at].text)) {
        at = rft_cuda_is(&words->items[at], "(") ? rft_cuda_skip(words, at) : at + 1;
    }
    return at;
}

/* `extern "C"` in front of the declaration that goes on at `at`, or around it. */
static bool is_c(const kernel_scan *s, size_t at) {
    const rft_cuda_word *items = s->words.items;
    bool found = s->c_depth > 0;
    for (size_t i = at; i > 1 && !found && !strchr(";{}", items[i - 1].text[0]); i--) {
        found = rft_cuda_is(&items[i - 1], "\"C\"") && rft_cuda_is(&items[i - 2], "extern");
    }
    return found;
}

/* __launch_bounds__ in front of the name at `name`, before `__global__` at `at` or behind it. */
static void read_bounds(rft_cuda_entry *entry, const rft_cuda_words *words, size_t at, size_t name, rft_arena *arena) {
    size_t begin = at;
    while (begin > 0 && !strchr(";{}", words->items[begin - 1].text[0])) {
        begin--;
    }
    for (size_t i = begin; i + 2 < name; i++) {
        const rft_cuda_word *word = &words->items[i];
        if (!rft_cuda_is(word, "__launch_bounds__") || !rft_cuda_is(&word[1], "(")) {
            continue;
        }
        size_t end = i + 2;
        while (end < name && !strchr(",)", words->items[end].text[0])) {
            end = rft_cuda_is(&words->items[end], "(") ? rft_cuda_skip(words, end) : end + 1;
        }
        bool number = end == i + 3 && word[2].kind == RFT_CUDA_NUMBER;
        entry->max_threads = number ? strtol(word[2].text, NULL, 0) : 0;
        entry->threads = number ? NULL : rft_cuda_join(words, i + 2, end, arena);
    }
}

/* From `__global__` at `at`: *next is behind what was read. */
static int read_entry(kernel_scan *s, size_t at, size_t *next) {
    const rft_cuda_words *words = &s->words;
    rft_cuda_entry entry = {.line = words->items[at].line, .is_c = is_c(s, at)};
    size_t i = at + 1;
    for (; words->items[i].kind != RFT_CUDA_END && !rft_cuda_is(&words->items[i], ";"); i++) {
        const rft_cuda_word *word = &words->items[i];
        bool called = rft_cuda_is(&word[1], "(");
        if (called && word->kind == RFT_CUDA_NAME && !is_attribute(word)) {
            break;
        }
        i = called ? rft_cuda_skip(words, i + 1) - 1 : i;
    }
    *next = i;
    if (words->items[i].kind != RFT_CUDA_NAME) {
        return RFT_OK;
    }
    read_bounds(&entry, words, at, i, s->arena);
    entry.name = qualified(s, words->items[i].text);
    int rc = s->template_at ? rft_cuda_read_templates(&entry, words, s->template_at, s->arena, s->err) : RFT_OK;
    rc = rc ? rc : rft_cuda_read_params(&entry, words, i + 1, s->arena, s->err);
    size_t body = behind_requires(words, rft_cuda_skip(words, i + 1));
    *next = body;
    bool special = s->template_at && entry.template_count == 0; /* template <>: the general one is listed */
    if (rc != RFT_OK || special || !rft_cuda_is(&words->items[body], "{")) {
        return rc;
    }
    if (s->entry_count == RFT_CUDA_ENTRIES_MAX) {
        return rft_err_set(s->err, RFT_E_LIMIT, "the file has more than %d kernels", RFT_CUDA_ENTRIES_MAX);
    }
    for (size_t k = 0; k < s->entry_count; k++) { /* of alternatives under #if, and overloads, the first */
        if (strcmp(s->entries[k].name, entry.name) == 0) {
            s->entries[k].several = true;
            *next = rft_cuda_skip(words, body);
            return rc;
        }
    }
    *next = rft_cuda_skip(words, body);
    rft_cuda_read_body(&entry, words, body, *next, s->variables, s->variable_count, s->arena);
    RFT_GROW(s->entries, s->entry_capacity, s->entry_count + 1);
    s->entries[s->entry_count++] = entry;
    return RFT_OK;
}

/* `namespace a::b {` at `at`: *next is behind the brace. */
static void open_namespace(kernel_scan *s, size_t at, size_t *next) {
    rft_str name = RFT_STR_INIT;
    size_t i = at + 1;
    for (; s->words.items[i].kind == RFT_CUDA_NAME || rft_cuda_is(&s->words.items[i], "::"); i++) {
        rft_str_add(&name, s->words.items[i].text);
    }
    if (rft_cuda_is(&s->words.items[i], "{") && s->space_count < NAMESPACES_MAX) {
        s->depth++;
        s->spaces[s->space_count] = rft_arena_strdup(s->arena, rft_str_get(&name));
        s->space_depth[s->space_count++] = s->depth;
        i++;
    }
    *next = i;
    rft_str_clear(&name);
}

/* What only a host compiler or the host's runtime has. */
static void note_refused(kernel_scan *s, const rft_cuda_word *word) {
    const char *what = rft_cuda_is(word, "<<<")                                             ? "a launch (<<<)"
                       : rft_cuda_is(word, "main") && rft_cuda_is(&word[1], "(")            ? "main()"
                       : rft_cuda_is(word, "texture") && rft_cuda_is(&word[1], "<")         ? "a texture"
                       : rft_cuda_is(word, "cudaMalloc") || rft_cuda_is(word, "cudaMemcpy") ? "host code"
                                                                                            : NULL;
    if (what && !s->out->refused) {
        s->out->refused = what;
        s->out->refused_line = word->line;
    }
}

static bool is_newer(const rft_cuda_word *word) {
    static const char *const words[] = {"concept", "requires", "consteval", "constinit"};
    bool found = false;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        found = found || rft_cuda_is(word, words[i]);
    }
    return found;
}

/* Those of headers, outside of any namespace. */
static void read_header_variables(kernel_scan *s) {
    const rft_cuda_words *words = s->words.headers;
    size_t depth = 0;
    for (size_t i = 0; words && words->items[i].kind != RFT_CUDA_END && s->variable_count < RFT_CUDA_PARAMS_MAX; i++) {
        const rft_cuda_word *word = &words->items[i];
        depth += rft_cuda_is(word, "{");
        depth -= rft_cuda_is(word, "}") && depth > 0;
        if (rft_cuda_is(word, "__constant__") && depth == 0 && !word->directive) {
            s->variable_count += rft_cuda_read_variable(&s->variables[s->variable_count], words, i, s->arena);
        }
    }
}

static int read_entries(kernel_scan *s) {
    int rc = RFT_OK;
    read_header_variables(s);
    for (size_t i = 0; s->words.items[i].kind != RFT_CUDA_END; i++) {
        s->out->newer = s->out->newer || is_newer(&s->words.items[i]);
    }
    for (size_t i = 0, next; s->words.items[i].kind != RFT_CUDA_END && rc == RFT_OK; i = next) {
        const rft_cuda_word *word = &s->words.items[i];
        next = i + 1;
        if (word->directive) {
            continue;
        }
        note_refused(s, word);
        if (rft_cuda_is(word, "template") && rft_cuda_is(&word[1], "<")) {
            s->template_at = i + 1;
            next = rft_cuda_skip(&s->words, i + 1);
        } else if (rft_cuda_is(word, "namespace")) {
            open_namespace(s, i, &next);
        } else if (rft_cuda_is(word, "__global__")) {
            rc = read_entry(s, i, &next);
            s->template_at = 0;
        } else if (rft_cuda_is(word, "__constant__") && s->variable_count < RFT_CUDA_PARAMS_MAX) {
            rft_cuda_variable *variable = &s->variables[s->variable_count];
            s->variable_count += rft_cuda_read_variable(variable, &s->words, i, s->arena);
            variable->space = qualified(s, "");
        } else if (rft_cuda_is(word, "{") || rft_cuda_is(word, "}") || rft_cuda_is(word, ";")) {
            s->template_at = 0;
            s->depth += rft_cuda_is(word, "{");
            bool opens_c = rft_cuda_is(word, "{") && i > 1 && rft_cuda_is(&word[-1], "\"C\"") && s->c_depth == 0;
            s->c_depth = opens_c ? s->depth : s->depth == s->c_depth && rft_cuda_is(word, "}") ? 0 : s->c_depth;
            bool last = rft_cuda_is(word, "}") && s->space_count && s->space_depth[s->space_count - 1] == s->depth;
            s->space_count -= last;
            s->depth -= rft_cuda_is(word, "}") && s->depth > 0;
        }
    }
    return rc;
}

/* ---- macros ---- */

static bool is_tunable_name(const char *name) {
    static const char *const begins[] = {"block_", "tile_", "vec_", "unroll_", "items_", "threads_", "use_",    "num_",
                                         "loop_",  "BLOCK", "TILE", "VEC",     "UNROLL", "ITEMS",    "THREADS", "USE_"};
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        if (rft_text_starts(name, begins[i])) {
            return true;
        }
    }
    return false;
}

/* BLOCK_X, not x, Block or what CUDA's headers define. */
static bool looks_like_macro(const char *name) {
    static const char *const theirs[] = {"CUDA",   "CUDART", "FLT_", "DBL_",  "INT_", "UINT_", "LONG_",  "ULONG_",
                                         "LLONG_", "M_",     "NULL", "NAN",   "EOF",  "INFIN", "WMMA",   "INT32",
                                         "INT64",  "UINT32", "SIZE", "CHAR_", "SHRT", "HUGE",  "NDEBUG", "UINT64"};
    for (size_t i = 0; i < sizeof theirs / sizeof *theirs; i++) {
        if (rft_text_starts(name, theirs[i])) {
            return false;
        }
    }
    bool capitals = isupper((unsigned char)name[0]) && name[1] && strlen(name) <= 60;
    for (const char *c = name; *c && capitals; c++) {
        capitals = *c == '_' || isupper((unsigned char)*c) || isdigit((unsigned char)*c);
    }
    return capitals || (is_tunable_name(name) && strlen(name) <= 60);
}

static bool is_expression_word(const char *word) {
    return strcmp(word, "return") == 0 || strcmp(word, "case") == 0 || strcmp(word, "else") == 0;
}

/* Is this mention of a name a declaration, or no macro's use at all? */
static bool declares(const rft_cuda_words *words, size_t at) {
    const rft_cuda_word *word = &words->items[at];
    const rft_cuda_word *before = at ? &word[-1] : NULL;
    if (word->directive) {
        return false;
    }
    bool type = word[1].kind == RFT_CUDA_NAME || rft_cuda_is(&word[1], "::") || rft_cuda_is(&word[1], "(") ||
                rft_cuda_is(&word[1], "=") || rft_cuda_is(&word[1], "<");
    bool named = before && before->kind == RFT_CUDA_NAME && !before->directive && !is_expression_word(before->text);
    bool member = before && (rft_cuda_is_member(before) || rft_cuda_is(before, "::"));
    bool pointer = before && (before->text[0] == '*' || before->text[0] == '&') && at > 1 &&
                   (rft_cuda_is(&word[-2], "float") || rft_cuda_is(&word[-2], "int") ||
                    rft_cuda_is(&word[-2], "double") || rft_cuda_is(&word[-2], "char"));
    return (type && !rft_cuda_is(&word[1], "<")) || named || member || pointer;
}

static bool is_in_enum(const rft_cuda_words *words, const char *name) {
    for (size_t i = 0; words->items[i].kind != RFT_CUDA_END; i++) {
        size_t open = i;
        while (rft_cuda_is(&words->items[i], "enum") && open < i + 6 && !rft_cuda_is(&words->items[open], "{") &&
               words->items[open].kind != RFT_CUDA_END) {
            open++;
        }
        if (open == i || !rft_cuda_is(&words->items[open], "{")) {
            continue;
        }
        for (size_t end = rft_cuda_skip(words, open), k = open; k < end; k++) {
            if (rft_cuda_is(&words->items[k], name)) {
                return true;
            }
        }
    }
    return false;
}

static bool is_defined_in(const rft_cuda_words *words, const char *name) {
    bool found = false;
    for (size_t d = 0; d < words->define_count; d++) {
        found = found || strcmp(words->defines[d].name, name) == 0;
    }
    return found;
}

/* Does the text say what the name is? *only_in_if: every mention is in a condition. */
static bool is_told_in(const rft_cuda_words *words, const char *name, bool *only_in_if) {
    bool told = is_defined_in(words, name) || is_in_enum(words, name);
    for (size_t i = 0; words->items[i].kind != RFT_CUDA_END && !told; i++) {
        if (rft_cuda_is(&words->items[i], name)) {
            *only_in_if = *only_in_if && words->items[i].directive && !words->items[i].in_define;
            told = declares(words, i);
        }
    }
    return told;
}

/* Is it a macro without a definition? */
static bool is_undefined(const kernel_scan *s, const char *name, bool *only_in_if) {
    *only_in_if = true;
    return !is_told_in(&s->words, name, only_in_if) &&
           !(s->words.headers && is_told_in(s->words.headers, name, only_in_if));
}

static void read_macros(kernel_scan *s, rft_cuda_macro *macros, size_t *count) {
    const char *seen[RFT_CUDA_PARAMS_MAX * 8];
    size_t seen_count = 0;
    for (size_t d = 0; d < s->words.define_count && *count < RFT_CUDA_PARAMS_MAX; d++) {
        bool known = false; /* under another #if */
        for (size_t k = 0; k < *count; k++) {
            known = known || strcmp(macros[k].name, s->words.defines[d].name) == 0;
        }
        if (!known && (s->words.defines[d].given || *s->words.defines[d].fixed)) {
            macros[(*count)++] = s->words.defines[d];
        }
    }
    for (size_t i = 0; s->words.items[i].kind != RFT_CUDA_END && *count < RFT_CUDA_PARAMS_MAX; i++) {
        const char *name = s->words.items[i].text;
        bool member = i > 0 && rft_cuda_is(&s->words.items[i - 1], "::"); /* cub::BLOCK_LOAD_DIRECT */
        bool known = s->words.items[i].kind != RFT_CUDA_NAME || !looks_like_macro(name) || member ||
                     (s->words.has_headers && !s->words.headers && !is_tunable_name(name));
        for (size_t k = 0; k < seen_count && !known; k++) {
            known = strcmp(seen[k], name) == 0;
        }
        if (known || seen_count == sizeof seen / sizeof *seen) {
            continue;
        }
        seen[seen_count++] = name;
        bool only_in_if = false;
        if (is_undefined(s, name, &only_in_if)) {
            macros[(*count)++] = (rft_cuda_macro){.name = name, .only_in_if = only_in_if};
        }
    }
}

/* `constexpr int BLOCK = 256;` is as fixed as a #define. */
static void read_constants(kernel_scan *s, rft_cuda_macro *macros, size_t *count) {
    const rft_cuda_words *words = &s->words;
    for (size_t i = 1; i + 3 < words->count && *count < RFT_CUDA_PARAMS_MAX; i++) {
        const rft_cuda_word *word = &words->items[i];
        bool integer = rft_cuda_is(&word[-1], "int") || rft_cuda_is(&word[-1], "unsigned");
        if (integer && word->kind == RFT_CUDA_NAME && rft_cuda_is(&word[1], "=") && word[2].kind == RFT_CUDA_NUMBER &&
            rft_cuda_is(&word[3], ";") && looks_like_macro(word->text)) {
            macros[(*count)++] = (rft_cuda_macro){.name = word->text, .fixed = word[2].text};
        }
    }
}

int rft_cuda_scan(rft_cuda_file *out, const char *text, const char *headers, rft_arena *arena, rft_err *err) {
    kernel_scan *s = rft_alloc(sizeof *s);
    rft_cuda_macro *macros = rft_arena_calloc(arena, RFT_CUDA_PARAMS_MAX, sizeof *macros);
    *s = (kernel_scan){.out = out, .arena = arena, .err = err};
    *out = (rft_cuda_file){.macros = macros, .text = text};
    rft_cuda_words_read(&s->words, text, arena);
    rft_cuda_words *included = headers ? rft_calloc(1, sizeof *included) : NULL;
    if (included) {
        rft_cuda_words_read(included, headers, arena);
        s->words.headers = included;
    }
    int rc = read_entries(s);
    if (rc == RFT_OK) {
        read_macros(s, macros, &out->macro_count);
        read_constants(s, macros, &out->macro_count);
        out->entries = s->entry_count ? rft_arena_memdup(arena, s->entries, s->entry_count * sizeof *s->entries) : NULL;
        out->entry_count = s->entry_count;
        out->variables = rft_arena_memdup(arena, s->variables, sizeof s->variables);
        out->variable_count = s->variable_count;
    }
    free(s->entries);
    free(included ? included->items : NULL);
    free(included);
    free(s->words.items);
    free(s);
    return rc;
}

static bool continues_name(char c) {
    return c == '_' || isalnum((unsigned char)c);
}

bool rft_cuda_mentions(const rft_cuda_file *file, const char *name) {
    size_t length = strlen(name);
    bool found = false;
    for (const char *at = strstr(file->text, name); at && !found; at = strstr(at + 1, name)) {
        found = (at == file->text || !continues_name(at[-1])) && !continues_name(at[length]);
    }
    return found;
}
