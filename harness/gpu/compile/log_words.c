/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/compile/log_words.h"

#include "base/str.h"
#include "gpu/compile/kernel_scan.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MOST 12 /* of those listed when none is near */

enum { HEAD_BYTES = 48 << 10, TAIL_BYTES = 16 << 10 };

typedef struct words {
    const rft_compile_request *request;
    rft_arena *arena;
    rft_seen_kernels kernels;
    const char **macros, **definitions; /* "VEC", "-DVEC=4" */
    size_t macro_count;
} words;

/* ---- the log ---- */
/* "saxpy.cu(3): error: text", and below it the source's line and a caret under the place. */
typedef struct log_error {
    const char *line;   /* from here to the newline */
    const char *marked; /* the name above the caret, in the arena; "" where there is none */
    const char *place;  /* "saxpy.cu(3)" */
    bool in_name;       /* in a name of the sweep's, not in the source */
} log_error;

static const char *next_line(const char *line) {
    line += strcspn(line, "\n");
    return line + (*line == '\n');
}

static const char *text_of_line(const char *line, rft_arena *arena) {
    return rft_arena_strndup(arena, line, strcspn(line, "\n"));
}

static size_t name_length(const char *text) {
    size_t n = 0;
    while (isalnum((unsigned char)text[n]) || text[n] == '_') {
        n++;
    }
    return n;
}

/* The caret's line repeats the tabs of the one above it, so that the columns are bytes. */
static const char *name_above_caret(const char *line, rft_arena *arena) {
    const char *caret = next_line(line);
    size_t column = strspn(caret, " \t");
    if (caret[column] != '^' || column >= strcspn(line, "\n")) {
        return "";
    }
    const char *name = line + column + strspn(line + column, " \t");
    return rft_arena_strndup(arena, name, name_length(name));
}

/* The error at or behind `line`; false: no more. */
static bool next_error(log_error *out, const char *line, rft_arena *arena) {
    for (; *line; line = next_line(line)) {
        const char *text = text_of_line(line, arena), *mark = strstr(text, "): error");
        if (!mark) {
            continue;
        }
        *out = (log_error){.line = line,
                           .marked = name_above_caret(next_line(line), arena),
                           .place = rft_arena_strndup(arena, text, (size_t)(mark - text) + 1),
                           .in_name = rft_text_starts(text, "__nv_name_map(")};
        return true;
    }
    return false;
}

static bool says(const log_error *error, const char *what, rft_arena *arena) {
    return strstr(text_of_line(error->line, arena), what) != NULL;
}

/* X of `identifier "X" is undefined`; NULL: it says something else. */
static const char *undefined_name(const log_error *error, rft_arena *arena) {
    static const char before[] = "identifier \"";
    const char *text = text_of_line(error->line, arena), *name = strstr(text, before);
    if (!name || !strstr(text, "\" is undefined")) {
        return NULL;
    }
    name += sizeof before - 1;
    return rft_arena_strndup(arena, name, strcspn(name, "\""));
}

/* Off the middle of a character. */
static size_t at_character(const char *log, size_t at) {
    while (at > 0 && ((unsigned char)log[at] & 0xc0) == 0x80) {
        at--;
    }
    return at;
}

const char *rft_log_cut(const char *log, rft_arena *arena) {
    size_t length = strlen(log);
    if (length <= HEAD_BYTES + TAIL_BYTES) {
        return log;
    }
    size_t head = at_character(log, HEAD_BYTES), tail = at_character(log, length - TAIL_BYTES);
    return rft_arena_printf(arena, "%.*s\n... %zu bytes of the compiler's log are left out ...\n%s", (int)head, log,
                            tail - head, log + tail);
}

bool rft_log_has_error(const char *log) {
    for (; *log; log = next_line(log)) {
        const char *mark = strstr(log, "error"), *end = log + strcspn(log, "\n");
        if (mark && mark < end) {
            return true;
        }
    }
    return false;
}

/* ---- what there is ---- */
static void read_macros(words *w) {
    const rft_compile_request *request = w->request;
    w->macros = rft_arena_calloc(w->arena, request->option_count + 1, sizeof *w->macros);
    w->definitions = rft_arena_calloc(w->arena, request->option_count + 1, sizeof *w->definitions);
    for (size_t i = 0; i < request->option_count; i++) {
        const char *option = request->options[i];
        if (rft_text_starts(option, "-D") && option[2]) {
            w->definitions[w->macro_count] = option;
            w->macros[w->macro_count++] = rft_arena_strndup(w->arena, option + 2, name_length(option + 2));
        }
    }
}

static void read_kernels(words *w, const rft_include_set *sources) {
    rft_kernel_scan(&w->kernels, sources->source, w->arena);
    for (size_t i = 0; i < sources->count; i++) {
        rft_kernel_scan(&w->kernels, sources->items[i].text, w->arena);
    }
}

static const rft_seen_kernel *kernel_named(const words *w, const char *name) {
    for (size_t i = 0; i < w->kernels.count; i++) {
        if (strcmp(w->kernels.items[i].name, name) == 0) {
            return &w->kernels.items[i];
        }
    }
    return NULL;
}

static const char *definition_of(const words *w, const char *name) {
    for (size_t i = 0; i < w->macro_count; i++) {
        if (*name && strcmp(w->macros[i], name) == 0) {
            return w->definitions[i];
        }
    }
    return NULL;
}

/* "did you mean VEC?", or what there is. */
static const char *suggestion(const words *w, const char *name, const char *const *known, size_t count,
                              const char *title) {
    const char *near = rft_text_nearest(name, known, count);
    rft_str text = RFT_STR_INIT;
    if (near) {
        rft_str_addf(&text, "did you mean %s?", near);
    } else {
        rft_str_addf(&text, "%s", title);
        for (size_t i = 0; i < count && i < NAMES_MOST; i++) {
            rft_str_addf(&text, "%s %s", i ? "," : "", known[i]);
        }
        rft_str_add(&text, count == 0 ? " none" : count > NAMES_MOST ? ", ..." : "");
    }
    const char *out = rft_arena_strdup(w->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return out;
}

/* ---- what to say ---- */
#define HAS_NO_KERNEL " has no kernel "

bool rft_log_lacks_kernel(const char *log) {
    const char *said = log && rft_text_starts(log, "rooftune: ") ? strstr(log, HAS_NO_KERNEL) : NULL;
    return said && said < log + strcspn(log, "\n");
}

static const char *no_such_kernel(const words *w, const char *name) {
    const char **known = rft_arena_calloc(w->arena, w->kernels.count + 1, sizeof *known);
    size_t count = 0;
    for (size_t i = 0; i < w->kernels.count; i++) {
        if (&w->kernels.items[i] == kernel_named(w, w->kernels.items[i].name)) {
            known[count++] = w->kernels.items[i].name;
        }
    }
    return rft_arena_printf(w->arena, "%s" HAS_NO_KERNEL "%s; %s", w->request->source_name, name,
                            suggestion(w, name, known, count, "its kernels:"));
}

/* "ns::saxpy" of "ns::saxpy<4>". */
static const char *entry_name(const char *entry, rft_arena *arena) {
    size_t length = strcspn(entry, "<");
    while (length > 0 && entry[length - 1] == ' ') {
        length--;
    }
    return rft_arena_strndup(arena, entry, length);
}

static const char *macro_instead_of_name(const words *w, const log_error *error) {
    const char *definition = definition_of(w, error->marked);
    bool is_name = says(error, "expected", w->arena) || says(error, "combination of type specifiers", w->arena);
    if (!definition || error->in_name || !is_name) {
        return NULL;
    }
    return rft_arena_printf(w->arena,
                            "%s: %s is a macro here (%s), since entry does not name it: name it in entry, or rename "
                            "one of the two",
                            error->place, error->marked, definition);
}

/* The first error in a name of the sweep's: what NVRTC put into a source of its own, with the name behind a #pragma. */
static const char *wrong_entry(const words *w, const log_error *error) {
    static const char pragma[] = "#pragma nv_mangled_name ";
    const char *source = text_of_line(next_line(error->line), w->arena), *entry = strstr(source, pragma);
    if (!entry) {
        return NULL;
    }
    entry += sizeof pragma - 1;
    const char *full = entry_name(entry, w->arena), *colons = strrchr(full, ':');
    const char *name = colons ? colons + 1 : full, *undefined = undefined_name(error, w->arena);
    const rft_seen_kernel *kernel = kernel_named(w, name);
    if (!kernel && says(error, "non-__global__ function", w->arena)) {
        return rft_arena_printf(w->arena, "%s of %s is no kernel: write __global__ before it", full,
                                w->request->source_name);
    }
    if (!kernel) {
        return no_such_kernel(w, name);
    }
    if (undefined && strcmp(undefined, name) != 0) {
        return rft_arena_printf(
            w->arena, "%s in entry \"%s\" is no parameter; %s", undefined, entry,
            suggestion(w, undefined, w->macros, w->macro_count, "parameters that entry does not name:"));
    }
    if (undefined || says(error, "name followed by \"::\"", w->arena)) {
        return rft_arena_printf(w->arena,
                                "%s is a kernel of %s, but not under that name: entry needs its namespaces, as in "
                                "NAMESPACE::%s, and no #if may leave it out",
                                full, w->request->source_name, name);
    }
    if (kernel->template_head) {
        return rft_arena_printf(w->arena, "entry \"%s\" does not fit %s, which is \"%s\"", entry, name,
                                kernel->template_head);
    }
    return rft_arena_printf(w->arena, "%s is no template: entry = \"%s\"", name, full);
}

static bool looks_like_macro(const char *name) {
    for (const char *p = name; *p; p++) {
        if (islower((unsigned char)*p)) {
            return false;
        }
    }
    return name[0] && name[1];
}

static bool is_of_c_header(const char *name) {
    static const char *const names[] = {
        "FLT_MAX", "FLT_MIN", "FLT_EPSILON", "DBL_MAX", "DBL_MIN", "INT_MAX", "INT_MIN",  "UINT_MAX", "INFINITY", "NAN",
        "M_PI",    "int8_t",  "int16_t",     "int32_t", "int64_t", "uint8_t", "uint16_t", "uint32_t", "uint64_t"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(names[i], name) == 0) {
            return true;
        }
    }
    return false;
}

/* Of CUDA's runtime or C's and C++'s libraries, as host code has them. */
static bool is_of_host(const char *name) {
    static const char *const names[] = {"fprintf", "stderr", "stdout", "exit", "rand",   "srand", "atoi",
                                        "fopen",   "cout",   "cerr",   "endl", "calloc", "FILE",  "time"};
    bool host = rft_text_starts(name, "cuda") && isupper((unsigned char)name[4]);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        host = host || strcmp(names[i], name) == 0;
    }
    return host;
}

/* The header of CUDA's that has a type or function of narrow numbers; NULL: another name. */
static const char *header_of(const char *name) {
    static const char *const parts[][2] = {{"bfloat16", "cuda_bf16.h"},
                                           {"bf16", "cuda_bf16.h"},
                                           {"_fp8", "cuda_fp8.h"},
                                           {"half", "cuda_fp16.h"},
                                           {"cooperative_groups", "cooperative_groups.h"},
                                           {"nvcuda", "mma.h"}};
    const char *header = NULL;
    for (size_t i = 0; i < sizeof parts / sizeof *parts && !header; i++) {
        const char *at = strstr(name, parts[i][0]);
        bool own = at && (rft_text_starts(name, "__") || at == name || rft_text_starts(name, "nv_") || i > 3);
        header = own ? parts[i][1] : NULL;
    }
    return header;
}

/* The names of a row, separated by blanks. */
static bool is_among(const char *names, const char *name) {
    const char *at = names;
    size_t length = strlen(name);
    while (*at && !(strncmp(at, name, length) == 0 && (at[length] == ' ' || !at[length]))) {
        at += strcspn(at, " ");
        at += strspn(at, " ");
    }
    return *at != '\0' && length > 0;
}

const char *rft_host_library_words(const char *name, rft_arena *arena) {
    static const char *const rows[][2] = {{"array", "array"},
                                          {"complex", "complex"},
                                          {"tuple get", "tuple"},
                                          {"pair move forward swap", "utility"},
                                          {"plus minus multiplies less greater", "functional"},
                                          {"bit_cast popcount", "bit"},
                                          {"byte", "cstddef"},
                                          {"optional", "optional"},
                                          {"span", "span"}};
    static const char own[] =
        "min max abs fabs sqrt exp log log2 exp2 pow sin cos tan tanh floor ceil round fma fmin fmax "
        "isnan isinf isfinite erf cbrt hypot size_t";
    const char *before =
        rft_arena_printf(arena, "std::%s is of the host's C++ library, which NVRTC does not have: ", name);
    if (strcmp(name, "numeric_limits") == 0) {
        return rft_arena_printf(
            arena,
            "%stake cuda::std::numeric_limits of <cuda/std/limits>, which takes longer to compile, or a "
            "literal: 3.402823466e+38f is float's max(), __int_as_float(0x7f800000) its infinity()",
            before);
    }
    if (is_among(own, name)) {
        return rft_arena_printf(arena, "%swrite %s without std::, CUDA has its own", before, name);
    }
    const char *header = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        header = is_among(rows[i][0], name) ? rows[i][1] : header;
    }
    header = rft_text_starts(name, "is_") || rft_text_ends(name, "_t") ? "type_traits" : header;
    return header
               ? rft_arena_printf(arena, "%stake cuda::std::%s of <cuda/std/%s>", before, name, header)
               : rft_arena_printf(arena, "%stake cuda::std::%s, where a header of <cuda/std/...> has it", before, name);
}

/* The header of CUDA's, besides a namespace's own, that has the name; NULL: none that is known here. */
static const char *header_of_member(const char *space, const char *name) {
    static const char *const rows[][3] = {
        {"cooperative_groups", "reduce plus less greater bit_and bit_or bit_xor", "cooperative_groups/reduce.h"},
        {"cooperative_groups", "inclusive_scan exclusive_scan", "cooperative_groups/scan.h"},
        {"cooperative_groups", "memcpy_async wait wait_prior", "cooperative_groups/memcpy_async.h"},
        {"cuda", "barrier", "cuda/barrier"},
        {"cuda", "pipeline", "cuda/pipeline"},
        {"cuda", "atomic atomic_ref", "cuda/atomic"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i][0], space) == 0 && is_among(rows[i][1], name)) {
            return rows[i][2];
        }
    }
    return NULL;
}

/* `namespace "std" has no member "X"`; NULL: it says something else. */
static const char *of_namespace(const words *w, const log_error *error) {
    static const char before[] = "namespace \"", between[] = "\" has no member \"";
    const char *text = text_of_line(error->line, w->arena), *space = strstr(text, before);
    const char *name = space ? strstr(space, between) : NULL;
    if (!name) {
        return NULL;
    }
    space = rft_arena_strndup(w->arena, space + sizeof before - 1, (size_t)(name - space) - (sizeof before - 1));
    name += sizeof between - 1;
    name = rft_arena_strndup(w->arena, name, strcspn(name, "\""));
    const char *header = header_of_member(space, name);
    const char *words_of = strcmp(space, "std") == 0 ? rft_host_library_words(name, w->arena)
                           : header ? rft_arena_printf(w->arena, "%s::%s is of <%s>: #include it", space, name, header)
                                    : NULL;
    return words_of ? rft_arena_printf(w->arena, "%s: %s", error->place, words_of) : NULL;
}

static const char *missing_definition(const words *w, const log_error *error) {
    const char *name = undefined_name(error, w->arena), *member = of_namespace(w, error);
    if (!name || error->in_name) {
        return member;
    }
    if (header_of(name)) {
        return rft_arena_printf(w->arena, "%s: %s is of <%s>: #include it", error->place, name, header_of(name));
    }
    if (is_of_c_header(name)) {
        return rft_arena_printf(w->arena, "%s: %s is of a C header, which NVRTC does not have: define it in the source",
                                error->place, name);
    }
    if (is_of_host(name)) {
        return rft_arena_printf(w->arena,
                                "%s: %s is host code, and NVRTC compiles device code: put it between `#ifndef "
                                "__CUDACC_RTC__` and `#endif`, or let `rooftune new` copy the device code",
                                error->place, name);
    }
    if (!looks_like_macro(name)) {
        return NULL;
    }
    const char *known = suggestion(w, name, w->macros, w->macro_count, "macros here:");
    return rft_arena_printf(w->arena,
                            "%s: %s is not defined here; %s. A reference gets no parameters, a variant only its own: "
                            "guard with #ifdef %s, or use another file",
                            error->place, name, known, name);
}

/* ptxas: "File uses too much global constant data (0x13880 bytes, 0x10000 max)". */
static const char *too_many_constants(const words *w, const char *log) {
    static const char before[] = "too much global constant data (";
    const char *at = strstr(log, before);
    if (!at) {
        return NULL;
    }
    unsigned long long bytes = strtoull(at + sizeof before - 1, NULL, 16);
    return rft_arena_printf(
        w->arena,
        "the __constant__ variables of %s have %llu bytes together, a device allows %u: put what is "
        "large into a buffer",
        w->request->source_name, bytes, RFT_CONSTANT_BYTES_MAX);
}

static const char *launch_in_kernel(const words *w, const log_error *error) {
    return says(error, "device-side kernel launch", w->arena)
               ? rft_arena_printf(w->arena,
                                  "%s: a kernel that launches kernels is not supported: name both in `launch`, or keep "
                                  "host code out of the source",
                                  error->place)
               : NULL;
}

static const char *texture_reference(const words *w, const log_error *error) {
    bool is_one =
        says(error, "texture is not a template", w->arena) || says(error, "surface is not a template", w->arena);
    return is_one ? rft_arena_printf(w->arena,
                                     "%s: CUDA has no texture references since 12.0, and sweeps have no textures: give "
                                     "the kernel a buffer, and have it read const T *__restrict__",
                                     error->place)
                  : NULL;
}

const char *rft_log_words(const rft_compile_request *request, const rft_include_set *sources, const char *log,
                          rft_arena *arena) {
    words w = {.request = request, .arena = arena};
    log_error first, error;
    if (!next_error(&first, log, arena)) {
        return too_many_constants(&w, log);
    }
    read_macros(&w);
    const char *macro = macro_instead_of_name(&w, &first);
    if (!macro && !first.in_name) {
        const char *texture = texture_reference(&w, &first), *launch = launch_in_kernel(&w, &first);
        return launch ? launch : texture ? texture : missing_definition(&w, &first);
    }
    read_kernels(&w, sources);
    for (const char *at = log; next_error(&error, at, arena); at = next_line(error.line)) {
        const char *entry = error.in_name ? wrong_entry(&w, &error) : NULL;
        if (entry) { /* where a macro takes a template's name, the entry lacks it */
            return macro && !rft_text_ends(entry, "?") ? rft_arena_printf(arena, "%s. %s", entry, macro) : entry;
        }
    }
    return macro;
}
