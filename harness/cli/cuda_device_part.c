/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cuda_device_part.h"

#include "base/str.h"
#include "cli/cuda_scan_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- headers ---- */

bool rft_cuda_is_device_header(const char *name) {
    static const char *const begins[] = {"cuda_fp",       "cuda_bf16",      "mma.h",    "cooperative_groups",
                                         "cuda/",         "cub/",           "nv/",      "cute/",
                                         "cutlass",       "curand_",        "sm_",      "crt/",
                                         "cuComplex.h",   "vector_t",       "vector_f", "math_constants",
                                         "cuda_pipeline", "cuda_awbarrier", "cccl/",    "cudaTypedefs"};
    bool found = false;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        found = found || rft_text_starts(name, begins[i]);
    }
    return found;
}

/* What nvcc has from the host's headers; those of 64 bits as CUDA's own <cuda/std/cstdint> has them. */
static const char *const host_types[][2] = {{"int8_t", "signed char"},
                                            {"uint8_t", "unsigned char"},
                                            {"int16_t", "short"},
                                            {"uint16_t", "unsigned short"},
                                            {"int32_t", "int"},
                                            {"uint32_t", "unsigned int"},
                                            {"int64_t", "long long"},
                                            {"uint64_t", "unsigned long long"},
                                            {"uintptr_t", "unsigned long long"},
                                            {"ssize_t", "long"},
                                            {"uint", "unsigned int"},
                                            {"ushort", "unsigned short"},
                                            {"size_t", NULL}, /* NVRTC has them itself, but not in std */
                                            {"ptrdiff_t", NULL}};

bool rft_cuda_is_host_type(const char *name) {
    bool found = false;
    for (size_t i = 0; i < sizeof host_types / sizeof *host_types; i++) {
        found = found || strcmp(host_types[i][0], name) == 0;
    }
    return found;
}

typedef struct header_treatment {
    rft_cuda_header_rule rule;
    void *self;
    const char *folder, *source; /* source: who includes this header, "" */
} header_treatment;

/* "typedef unsigned int uint32_t; ..." of those that the text, or the source of this header, uses: one line. */
static const char *missing_types(const char *own_text, const char *source, rft_arena *arena) {
    const char *text = rft_arena_printf(arena, "%s\n%s", own_text, source);
    const rft_cuda_file file = {.text = text};
    rft_str out = RFT_STR_INIT;
    for (size_t i = 0; i < sizeof host_types / sizeof *host_types; i++) {
        const char *own = rft_arena_printf(arena, " %s;", host_types[i][0]); /* typedef ... uint; */
        bool has = strstr(text, own) != NULL;
        if (host_types[i][1] && rft_cuda_mentions(&file, host_types[i][0]) && !has) {
            rft_str_addf(&out, "typedef %s %s; ", host_types[i][1], host_types[i][0]);
        }
        if (rft_cuda_mentions(&file, rft_arena_printf(arena, "std::%s", host_types[i][0]))) {
            rft_str_addf(&out, "namespace std { using ::%s; } ", host_types[i][0]);
        }
    }
    const char *line = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return line;
}

/* The name of the #include whose '<' or '"' is at `at`; NULL: a macro. */
static const char *included(const char *at, bool *quoted, rft_arena *arena) {
    *quoted = *at == '"';
    size_t length = *at == '<' || *quoted ? strcspn(at + 1, *quoted ? "\"\n" : ">\n") : 0;
    return length ? rft_arena_strndup(arena, at + 1, length) : NULL;
}

/* The line's length without blanks behind a backslash at its end: gcc, which nvcc asks, joins such lines; NVRTC does
 * not. */
static size_t spliced(const char *line, size_t length) {
    size_t used = length;
    while (used > 0 && strchr(" \t\r", line[used - 1])) {
        used--;
    }
    bool only_return = length - used == 1 && line[used] == '\r';
    return used > 0 && line[used - 1] == '\\' && !only_return ? used : length;
}

/* Where the first word outside of directives stands that is still there. */
static size_t first_word(const char *text, const rft_cuda_words *words) {
    for (size_t i = 0; i < words->count; i++) {
        const rft_cuda_word *word = &words->items[i];
        size_t length = strlen(word->text);
        if (length > 0 && !word->directive && word->at + length <= strlen(text) &&
            strncmp(text + word->at, word->text, length) == 0) {
            return word->at;
        }
    }
    return SIZE_MAX;
}

/* The text with its headers as the rule says; the types that came from the host's stand in the first one's place, those
 * that nvcc has without any header in front of the first word. */
static const char *treat_headers(const char *text, const rft_cuda_words *words, const header_treatment *how,
                                 bool *changed, rft_arena *arena) {
    rft_str out = RFT_STR_INIT;
    bool quoted = false, dropped = false, is_header = *how->source != '\0', has_types = is_header;
    size_t next = 0, first = first_word(text, words);
    for (size_t line = 0; text[line];) {
        size_t end = line + strcspn(text + line, "\n");
        bool here = next < words->include_count && words->includes[next] < end;
        const char *name = here ? included(text + words->includes[next], &quoted, arena) : NULL;
        const char *other = name ? how->rule(how->self, name, quoted, how->folder) : NULL;
        next += here;
        bool empty = text[line + strspn(text + line, " \t\r")] == '\n'; /* of blanked code nothing is left */
        if (empty) {
            rft_str_add(&out, text[end - (end > line)] == '\r' ? "\r" : "");
        } else if (!name || other == name) {
            size_t length = spliced(text + line, end - line);
            bool here_types = !has_types && !dropped && first >= line && first < line + length;
            const char *types = here_types ? missing_types(text, "", arena) : "";
            size_t before = *types ? first - line : 0;
            rft_str_add_n(&out, text + line, before);
            rft_str_add(&out, types);
            rft_str_add_n(&out, text + line + before, length - before);
            dropped = dropped || *types;
            *changed = *changed || *types;
            has_types =
                has_types || (name && (quoted || rft_text_starts(name, "cu")) && !rft_text_starts(name, "cuda_"));
            *changed = *changed || length < end - line;
        } else if (other) {
            rft_str_addf(&out, "#include \"%s\"", other);
        } else {
            rft_str_add(&out, dropped ? "" : missing_types(text, how->source, arena));
            dropped = true;
        }
        *changed = *changed || (name && other != name);
        rft_str_add(&out, text[end] ? "\n" : "");
        line = end + (text[end] == '\n');
    }
    const char *made = rft_arena_strdup(arena, rft_str_get(&out));
    rft_str_clear(&out);
    return made;
}

/* ---- host code ---- */

typedef struct statement {
    size_t from, to; /* words */
    size_t names;    /* before the first "(" */
    bool called;     /* has a "(" */
    bool set;        /* has a "=" outside of brackets */
    bool device, type, container, host;
} statement;

/* std::int32_t and the like, which a device's code may use. */
static bool is_plain_type(const rft_cuda_word *word) {
    bool found = false;
    for (size_t i = 0; i < sizeof host_types / sizeof *host_types && rft_cuda_is(&word[1], "::"); i++) {
        found = found || rft_cuda_is(&word[2], host_types[i][0]);
    }
    return found;
}

/* Of the host's libraries. */
static bool is_host_word(const rft_cuda_word *word) {
    static const char *const names[] = {"std", "thrust", "torch", "dim3", "FILE"};
    static const char *const begins[] = {"cublas", "cudnn", "cufft", "cusparse", "nccl", "pthread_", "MPI_"};
    bool host = rft_text_starts(word->text, "cuda") && isupper((unsigned char)word->text[4]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        host = host || (rft_cuda_is(word, names[i]) && !is_plain_type(word));
    }
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        host = host || rft_text_starts(word->text, begins[i]);
    }
    return host && word->kind == RFT_CUDA_NAME;
}

static void note_word(statement *s, const rft_cuda_word *word) {
    static const char *const device[] = {"__global__", "__device__",    "__constant__", "__shared__",
                                         "constexpr",  "static_assert", "asm"};
    static const char *const types[] = {"struct", "class", "union", "enum", "typedef"};
    for (size_t i = 0; i < sizeof device / sizeof *device; i++) {
        s->device = s->device || rft_cuda_is(word, device[i]);
    }
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        s->type = s->type || (rft_cuda_is(word, types[i]) && !s->called);
    }
    s->container = s->container || rft_cuda_is(word, "namespace") || word->kind == RFT_CUDA_TEXT;
    s->called = s->called || rft_cuda_is(word, "(");
    s->names += !s->called && word->kind == RFT_CUDA_NAME;
    s->set = s->set || (rft_cuda_is(word, "=") && !s->called);
    s->host = s->host || is_host_word(word);
}

/* A name that stands for __device__, here or in a header: DEVICE_INLINE, CUTE_HOST_DEVICE. */
static bool is_device_macro(const rft_cuda_words *words, const rft_cuda_word *word) {
    bool capitals = word->kind == RFT_CUDA_NAME, found = false;
    for (size_t i = 0; i < words->define_count; i++) {
        found = found || (words->defines[i].device && strcmp(words->defines[i].name, word->text) == 0);
    }
    for (const char *c = word->text; *c && capitals; c++) {
        capitals = *c == '_' || isupper((unsigned char)*c) || isdigit((unsigned char)*c);
    }
    return found || (capitals && (strstr(word->text, "DEVICE") || strstr(word->text, "INLINE") ||
                                  strstr(word->text, "GLOBAL") || strstr(word->text, "KERNEL")));
}

static void blank(char *text, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        text[i] = text[i] == '\n' || text[i] == '\r' ? text[i] : ' ';
    }
}

/* `template <...>` at `at` and what it stands in front of are one statement: the index behind the brackets. */
static size_t behind_brackets(const rft_cuda_words *words, size_t at) {
    size_t behind = rft_cuda_skip(words, at);
    return behind > at ? behind : at + 1;
}

/* Host functions and statements with the host's types, at the level of namespaces. */
static void drop_host_code(char *text, const rft_cuda_words *words) {
    statement s = {0};
    for (size_t i = 0; words->items[i].kind != RFT_CUDA_END;) {
        const rft_cuda_word *word = &words->items[i];
        size_t next = i + 1;
        bool ends = false;
        if (word->directive) {
            s.from = s.from == i ? next : s.from;
            i = next;
            continue;
        }
        note_word(&s, word);
        s.device = s.device || (!s.called && is_device_macro(words, word));
        if (rft_cuda_is(word, "(") || (rft_cuda_is(word, "<") && i && rft_cuda_is(&word[-1], "template"))) {
            next = behind_brackets(words, i);
            for (size_t k = i + 1; k + 1 < next; k++) {
                statement inner = {0};
                note_word(&inner, &words->items[k]);
                s.host = s.host || inner.host;
            }
        } else if (rft_cuda_is(word, "{")) {
            bool function = s.called && !s.set && !s.type;
            bool inside = s.container && !s.called;
            next = inside ? i + 1 : behind_brackets(words, i);
            if (function && !s.device) {
                size_t last = next > i + 1 ? words->items[next - 1].at + 1 : strlen(text);
                blank(text, words->items[s.from].at, last);
            }
            ends = inside || function;
        } else if (rft_cuda_is(word, ";") || rft_cuda_is(word, "}")) {
            bool instance =
                rft_cuda_is(&words->items[s.from], "template") && !rft_cuda_is(&words->items[s.from + 1], "<");
            bool prototype = s.called && !s.set && !s.type && s.names > 1;
            if (rft_cuda_is(word, ";") && (s.host || instance || prototype) && !s.device && s.from < i) {
                blank(text, words->items[s.from].at, word->at + 1);
            }
            ends = true;
        }
        if (ends) {
            s = (statement){.from = next};
        }
        i = next;
    }
}

/* ---- types that only host code used ---- */

#define HOST_TYPES_MAX 64
#define ROUNDS_MAX 4

/* struct NAME { ... }; or typedef struct { ... } NAME; with functions or types of the host, and none of the device's.
 */
typedef struct host_type {
    const char *name, *tag; /* tag: of a typedef's struct, or the name again */
    size_t from, to;        /* bytes */
} host_type;

static bool begins_type(const rft_cuda_word *word) {
    return rft_cuda_is(word, "struct") || rft_cuda_is(word, "class");
}

/* Are words of the host, or functions with a body unless `strictly`, and no word of the device's between the words
 * `from` and `to`? */
static bool is_of_host(const rft_cuda_words *words, size_t from, size_t to, bool strictly) {
    static const char *const device[] = {"__device__", "__global__", "__forceinline__", "constexpr"};
    bool host = false;
    for (size_t i = from; i < to; i++) {
        const rft_cuda_word *word = &words->items[i];
        for (size_t k = 0; k < sizeof device / sizeof *device; k++) {
            if (rft_cuda_is(word, device[k])) {
                return false;
            }
        }
        if (is_device_macro(words, word)) {
            return false;
        }
        bool function = rft_cuda_is(word, "{") && i > from && rft_cuda_is(&word[-1], ")");
        host = host || is_host_word(word) || (function && !strictly);
    }
    return host;
}

static size_t find_host_types(host_type *out, const rft_cuda_words *words, const char *text, bool strictly) {
    size_t count = 0, first = 0;
    for (size_t i = 0; words->items[i].kind != RFT_CUDA_END && count < HOST_TYPES_MAX; i++) {
        const rft_cuda_word *word = &words->items[i];
        bool blanked = text[word->at] == ' ';
        if (rft_cuda_is(word, ";") || rft_cuda_is(word, "}") || rft_cuda_is(word, "{") || word->directive) {
            first = i + 1;
        } else if (rft_cuda_is(word, "template") && rft_cuda_is(&word[1], "<")) {
            i = behind_brackets(words, i + 1) - 1;
        } else if (begins_type(word) && !blanked) {
            size_t body = i + 1;
            while (words->items[body].kind != RFT_CUDA_END && !strchr("{;(=)", words->items[body].text[0])) {
                body++;
            }
            size_t end = rft_cuda_is(&words->items[body], "{") ? rft_cuda_skip(words, body) : 0;
            bool named = end && words->items[end].kind == RFT_CUDA_NAME && rft_cuda_is(&words->items[end + 1], ";");
            const char *tag = word[1].kind == RFT_CUDA_NAME ? word[1].text : NULL;
            const char *name = named ? words->items[end].text : tag;
            end += named;
            if (end && name && rft_cuda_is(&words->items[end], ";") && is_of_host(words, body, end, strictly)) {
                out[count++] = (host_type){name, tag ? tag : name, words->items[first].at, words->items[end].at + 1};
                i = end;
                first = end + 1;
            }
        }
    }
    return count;
}

/* Does the name stand in what is left, beside the types of that name themselves? */
static bool is_used(const char *name, const host_type *types, size_t count, const rft_cuda_words *words,
                    const char *text) {
    for (size_t i = 0; words->items[i].kind != RFT_CUDA_END; i++) {
        const rft_cuda_word *word = &words->items[i];
        bool own = text[word->at] == ' ' || !rft_cuda_is(word, name);
        for (size_t k = 0; k < count && !own; k++) {
            bool same = strcmp(types[k].name, name) == 0 || strcmp(types[k].tag, name) == 0;
            own = same && word->at >= types[k].from && word->at < types[k].to;
        }
        if (!own) {
            return true;
        }
    }
    return false;
}

/* `strictly`: others may use them. */
static void drop_host_types(char *text, const rft_cuda_words *words, bool strictly) {
    host_type types[HOST_TYPES_MAX];
    size_t count = find_host_types(types, words, text, strictly);
    bool changed = count > 0;
    for (size_t round = 0; round < ROUNDS_MAX && changed; round++) { /* what one that goes uses may go, too */
        changed = false;
        for (size_t i = 0; i < count; i++) {
            bool gone = text[types[i].from] == ' ';
            if (!gone && !is_used(types[i].name, types, count, words, text) &&
                !is_used(types[i].tag, types, count, words, text)) {
                blank(text, types[i].from, types[i].to);
                changed = true;
            }
        }
    }
}

const char *rft_cuda_device_part(const char *text, const char *source, const char *folder, rft_cuda_header_rule rule,
                                 void *self, rft_arena *arena) {
    const header_treatment how = {rule, self, folder, source ? source : ""};
    rft_cuda_words *words = rft_calloc(1, sizeof *words);
    char *copy = rft_arena_strdup(arena, text);
    rft_cuda_words_read(words, text, arena);
    drop_host_code(copy, words);
    drop_host_types(copy, words, source || strcmp(copy, text) == 0);
    bool changed = false;
    const char *made = treat_headers(copy, words, &how, &changed, arena);
    free(words->items);
    free(words);
    return strcmp(copy, text) == 0 && !changed ? text : made;
}

size_t rft_cuda_host_macros(const char **out, size_t most, const char *text, rft_arena *arena) {
    static const char *const macros[][2] = {{"FLT_MAX", "3.402823466e+38F"},
                                            {"FLT_MIN", "1.175494351e-38F"},
                                            {"FLT_EPSILON", "1.192092896e-07F"},
                                            {"DBL_MAX", "1.7976931348623157e+308"},
                                            {"DBL_MIN", "2.2250738585072014e-308"},
                                            {"DBL_EPSILON", "2.2204460492503131e-16"},
                                            {"INT_MAX", "2147483647"},
                                            {"INT_MIN", "(-2147483647-1)"},
                                            {"UINT_MAX", "4294967295U"},
                                            {"M_PI", "3.14159265358979323846"},
                                            {"INFINITY", "__int_as_float(0x7f800000)"},
                                            {"NAN", "__int_as_float(0x7fffffff)"}};
    const rft_cuda_file file = {.text = text};
    size_t count = 0;
    for (size_t i = 0; i < sizeof macros / sizeof *macros && count < most; i++) {
        if (rft_cuda_mentions(&file, macros[i][0]) &&
            !strstr(text, rft_arena_printf(arena, "#define %s", macros[i][0]))) {
            out[count++] = rft_arena_printf(arena, "-D%s=%s", macros[i][0], macros[i][1]);
        }
    }
    return count;
}
