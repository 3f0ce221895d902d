/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cuda_device_part.h"

#include "base/fs.h"
#include "base/str.h"
#include "cli/cuda_scan_parts.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- headers ---- */

/* Of <NAME>: does NVRTC find it, and is it for the device? */
static bool is_device_header(const char *name) {
    static const char *const begins[] = {"cuda_fp",
                                         "cuda_bf16",
                                         "mma.h",
                                         "cooperative_groups",
                                         "cuda/",
                                         "cub/",
                                         "nv/",
                                         "cute/",
                                         "cutlass",
                                         "curand_",
                                         "sm_",
                                         "crt/",
                                         "vector_t",
                                         "vector_f",
                                         "math_constants",
                                         "cuda_pipeline",
                                         "cuda_awbarrier",
                                         "cccl/",
                                         "cudaTypedefs"};
    bool found = false;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        found = found || rft_text_starts(name, begins[i]);
    }
    return found;
}

/* What nvcc has from the host's headers. */
static const char *const host_types[][2] = {{"int8_t", "signed char"},
                                            {"uint8_t", "unsigned char"},
                                            {"int16_t", "short"},
                                            {"uint16_t", "unsigned short"},
                                            {"int32_t", "int"},
                                            {"uint32_t", "unsigned int"},
                                            {"int64_t", "long"},
                                            {"uint64_t", "unsigned long"},
                                            {"uintptr_t", "unsigned long"},
                                            {"ssize_t", "long"},
                                            {"uint", "unsigned int"},
                                            {"ushort", "unsigned short"}};

/* "typedef unsigned int uint32_t; ..." of those that the text uses: one line. */
static const char *missing_types(const char *text, rft_arena *arena) {
    const rft_cuda_file file = {.text = text};
    rft_str out = RFT_STR_INIT;
    for (size_t i = 0; i < sizeof host_types / sizeof *host_types; i++) {
        const char *own = rft_arena_printf(arena, " %s;", host_types[i][0]); /* typedef ... uint; */
        bool has = strstr(text, own) != NULL;
        if (rft_cuda_mentions(&file, host_types[i][0]) && !has) {
            rft_str_addf(&out, "typedef %s %s; ", host_types[i][1], host_types[i][0]);
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

static bool is_dropped(const char *name, bool quoted, const char *folder) {
    if (!quoted) {
        return !is_device_header(name);
    }
    char *path = rft_fs_join(folder, name);
    bool there = rft_fs_exists(path);
    free(path);
    return !there && !is_device_header(name);
}

/* The text without the lines of host headers; the types that came from them stand in the first one's place. */
static const char *drop_headers(const char *text, const rft_cuda_words *words, const char *folder, bool *dropped,
                                rft_arena *arena) {
    rft_str out = RFT_STR_INIT;
    bool quoted = false;
    size_t next = 0;
    for (size_t line = 0; text[line];) {
        size_t end = line + strcspn(text + line, "\n");
        bool here = next < words->include_count && words->includes[next] < end;
        const char *name = here ? included(text + words->includes[next], &quoted, arena) : NULL;
        next += here;
        bool empty = text[line + strspn(text + line, " \t\r")] == '\n'; /* of blanked code nothing is left */
        if (empty) {
            rft_str_add(&out, text[end - (end > line)] == '\r' ? "\r" : "");
        } else if (!name || !is_dropped(name, quoted, folder)) {
            rft_str_add_n(&out, text + line, end - line);
        } else {
            rft_str_add(&out, *dropped ? "" : missing_types(text, arena));
            *dropped = true;
        }
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
    bool called;     /* has a "(" */
    bool set;        /* has a "=" outside of brackets */
    bool device, type, container, host;
} statement;

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
    s->set = s->set || (rft_cuda_is(word, "=") && !s->called);
    bool runtime = rft_text_starts(word->text, "cuda") && (isupper((unsigned char)word->text[4]));
    s->host = s->host || rft_cuda_is(word, "std") || rft_cuda_is(word, "thrust") || rft_cuda_is(word, "torch") ||
              rft_cuda_is(word, "dim3") || rft_text_starts(word->text, "cublas") ||
              rft_text_starts(word->text, "cudnn") || rft_text_starts(word->text, "nccl") || runtime;
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
            if (rft_cuda_is(word, ";") && (s.host || instance) && !s.device && s.from < i) {
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

const char *rft_cuda_device_part(const char *text, const char *folder, rft_arena *arena) {
    rft_cuda_words *words = rft_calloc(1, sizeof *words);
    char *copy = rft_arena_strdup(arena, text);
    rft_cuda_words_read(words, text, arena);
    drop_host_code(copy, words);
    bool dropped = false;
    const char *made = drop_headers(copy, words, folder, &dropped, arena);
    free(words->items);
    free(words);
    return strcmp(copy, text) == 0 && !dropped ? text : made;
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
