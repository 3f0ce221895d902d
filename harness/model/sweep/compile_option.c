/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/compile_option.h"

#include "base/str.h"

#include <stdbool.h>
#include <string.h>

/* What may stand behind an option's name. */
typedef enum value_kind {
    VALUE_NONE,
    VALUE_BOOL,    /* true, false */
    VALUE_NUMBER,  /* digits */
    VALUE_NUMBERS, /* digits and commas */
    VALUE_WORD,    /* letters, digits, +, -: c++17, inline, evict_first */
    VALUE_MACRO,   /* any text: NAME, NAME=VALUE */
    VALUE_FOLDER,
    VALUE_FILE,
    VALUE_PTXAS, /* an option of ptxas */
} value_kind;

typedef struct known_option {
    const char *name, *other; /* the two spellings; NULL: there is one */
    value_kind kind;
} known_option;

/* NVRTC 13.0. Left out because they write files: --create-pch, --pch, --use-pch, --pch-dir, --time,
 * --fdevice-time-trace; because they choose what comes out: --gpu-architecture, --dlink-time-opt, --gen-opt-lto,
 * --optix-ir, --fdevice-syntax-only; because they hide what is read: --no-cache is rooftune's own. */
static const known_option nvrtc_options[] = {
    {"-D", "--define-macro", VALUE_MACRO},
    {"-U", "--undefine-macro", VALUE_MACRO},
    {"-I", "--include-path", VALUE_FOLDER},
    {"-include", "--pre-include", VALUE_FILE},
    {"-std", "--std", VALUE_WORD},
    {"-use_fast_math", "--use_fast_math", VALUE_NONE},
    {"-ftz", "--ftz", VALUE_BOOL},
    {"-fmad", "--fmad", VALUE_BOOL},
    {"-prec-div", "--prec-div", VALUE_BOOL},
    {"-prec-sqrt", "--prec-sqrt", VALUE_BOOL},
    {"-maxrregcount", "--maxrregcount", VALUE_NUMBER},
    {"-extra-device-vectorization", "--extra-device-vectorization", VALUE_NONE},
    {"-modify-stack-limit", "--modify-stack-limit", VALUE_BOOL},
    {"-restrict", "--restrict", VALUE_NONE},
    {"-Xptxas", "--ptxas-options", VALUE_PTXAS},
    {"-Ofc", "--Ofast-compile", VALUE_WORD},
    {"-dopt", "--dopt", VALUE_WORD},
    {"-G", "--device-debug", VALUE_NONE},
    {"-lineinfo", "--generate-line-info", VALUE_NONE},
    {"-no-lineinfo-ia", "--no-lineinfo-inlined-at", VALUE_NONE},
    {"-split-compile", "--split-compile", VALUE_NUMBER},
    {"-minimal", "--minimal", VALUE_NONE},
    {"-default-device", "--device-as-default-execution-space", VALUE_NONE},
    {"-device-int128", "--device-int128", VALUE_NONE},
    {"-device-float128", "--device-float128", VALUE_NONE},
    {"-device-stack-protector", "--device-stack-protector", VALUE_BOOL},
    {"-builtin-move-forward", "--builtin-move-forward", VALUE_BOOL},
    {"-builtin-initializer-list", "--builtin-initializer-list", VALUE_BOOL},
    {"-rdc", "--relocatable-device-code", VALUE_BOOL},
    {"-dc", "--device-c", VALUE_NONE},
    {"-dw", "--device-w", VALUE_NONE},
    {"-jtd", "--jump-table-density", VALUE_NUMBER},
    {"-opt-info", "--optimization-info", VALUE_WORD},
    {"-w", "--disable-warnings", VALUE_NONE},
    {"-diag-error", "--diag-error", VALUE_NUMBERS},
    {"-diag-suppress", "--diag-suppress", VALUE_NUMBERS},
    {"-diag-warn", "--diag-warn", VALUE_NUMBERS},
    {"-err-no", "--display-error-number", VALUE_NONE},
    {"-no-err-no", "--no-display-error-number", VALUE_NONE},
    {"-brief-diag", "--brief-diagnostics", VALUE_BOOL},
    {"-no-source-include", "--no-source-include", VALUE_NONE},
};

/* ptxas 13.0, one option a word: it takes no list. --output-file, --options-file, --gpu-name and the like are not
 * here. */
static const known_option ptxas_options[] = {
    {"-v", "--verbose", VALUE_NONE},
    {"-O", "--opt-level", VALUE_NUMBER},
    {"-w", "--disable-warnings", VALUE_NONE},
    {"-Werror", "--warning-as-error", VALUE_NONE},
    {"-warn-spills", "--warn-on-spills", VALUE_NONE},
    {"-warn-lmem-usage", "--warn-on-local-memory-usage", VALUE_NONE},
    {"-warn-double-usage", "--warn-on-double-precision-use", VALUE_NONE},
    {"-suppress-stack-size-warning", "--suppress-stack-size-warning", VALUE_NONE},
    {"-suppress-double-demote-warning", "--suppress-double-demote-warning", VALUE_NONE},
    {"-suppress-async-bulk-multicast-advisory-warning", "--suppress-async-bulk-multicast-advisory-warning", VALUE_NONE},
    {"-dlcm", "--def-load-cache", VALUE_WORD},
    {"-dscm", "--def-store-cache", VALUE_WORD},
    {"-flcm", "--force-load-cache", VALUE_WORD},
    {"-fscm", "--force-store-cache", VALUE_WORD},
    {"-maxrregcount", "--maxrregcount", VALUE_NUMBER},
    {"-minnctapersm", "--minnctapersm", VALUE_NUMBER},
    {"-maxntid", "--maxntid", VALUE_NUMBERS},
    {"-fmad", "--fmad", VALUE_BOOL},
    {"-allow-expensive-optimizations", "--allow-expensive-optimizations", VALUE_BOOL},
    {"-disable-optimizer-constants", "--disable-optimizer-constants", VALUE_NONE},
    {"-preserve-relocs", "--preserve-relocs", VALUE_NONE},
    {"-split-compile", "--split-compile", VALUE_NUMBER},
    {"-lineinfo", "--generate-line-info", VALUE_NONE},
    {"-g", "--device-debug", VALUE_NONE},
    {"-sp-bounds-check", "--sp-bounds-check", VALUE_NONE},
};

#define COUNT(table) (sizeof(table) / sizeof(table)[0])

/* The option that `word` names, and what follows its name there: "", "=v" or, behind one letter, "v". NULL: none. */
static const known_option *find_option(const known_option *table, size_t count, const char *word, const char **rest) {
    for (size_t i = 0; i < count; i++) {
        const char *names[] = {table[i].name, table[i].other};
        for (size_t n = 0; n < 2; n++) {
            size_t length = strlen(names[n]);
            bool letter = length == 2 && table[i].kind != VALUE_NONE;
            if (strncmp(word, names[n], length) == 0 && (letter || word[length] == '\0' || word[length] == '=')) {
                *rest = word + length;
                return &table[i];
            }
        }
    }
    return NULL;
}

static bool is_value(value_kind kind, const char *value) {
    static const char digits[] = "0123456789";
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-_";
    size_t length = strlen(value);
    switch (kind) {
    case VALUE_BOOL:
        return strcmp(value, "true") == 0 || strcmp(value, "false") == 0;
    case VALUE_NUMBER:
        return length > 0 && length < 10 && strspn(value, digits) == length;
    case VALUE_NUMBERS:
        return length > 0 && strspn(value, "0123456789,") == length;
    case VALUE_WORD:
        return length > 0 && strspn(value, letters) == length;
    default:
        return length > 0;
    }
}

/* What nvcc's command lines have, and why it is not needed here; NULL: no such. */
static const char *of_nvcc(const char *word) {
    static const struct {
        const char *begins, *remedy;
    } known[] = {{"-O", "leave it out: NVRTC optimises; ptxas's own level is \"-Xptxas\", \"-O3\""},
                 {"-arch", "leave it out: the device decides, or --arch on the command line"},
                 {"-gencode", "leave it out: the device decides, or --arch on the command line"},
                 {"--generate-code", "leave it out: the device decides, or --arch on the command line"},
                 {"-code", "leave it out: the device decides, or --arch on the command line"},
                 {"-Xcompiler", "leave it out: there is no host compiler"},
                 {"-ccbin", "leave it out: there is no host compiler"},
                 {"-l", "leave it out: there is no host code to link"},
                 {"-L", "leave it out: there is no host code to link"},
                 {"-expt-", "leave it out: there is no host code"},
                 {"--expt-", "leave it out: there is no host code"},
                 {"--extended-lambda", "leave it out: there is no host code"},
                 {"-extended-lambda", "leave it out: there is no host code"}};
    const char *remedy = strpbrk(word, " \t") ? "one text each: { \"-Xptxas\", \"-v\" }" : NULL;
    for (size_t i = 0; i < COUNT(known) && !remedy; i++) {
        remedy = rft_text_starts(word, known[i].begins) ? known[i].remedy : NULL;
    }
    return remedy;
}

static int refuse_option(const char *word, const known_option *table, size_t count, rft_err *err) {
    const char *names[2 * COUNT(nvrtc_options)];
    char bare[80];
    rft_text_format(bare, sizeof bare, "%.*s", (int)strcspn(word, "="), word);
    for (size_t i = 0; i < count; i++) {
        names[2 * i] = table[i].name;
        names[2 * i + 1] = table[i].other;
    }
    const char *habit = table == nvrtc_options ? of_nvcc(word) : NULL;
    const char *near = habit ? NULL : rft_text_nearest(bare, names, 2 * count);
    rft_err_set(err, RFT_E_SCRIPT, "the option \"%.120s\" is not allowed%s%s%s", word, near ? ", did you mean \"" : "",
                near ? near : "", near ? "\"?" : "");
    return rft_err_remedy(err, "%s",
                          habit ? habit
                                : "a sweep may not write files, choose the architecture (--arch does) or give what "
                                  "rooftune does not know; docs/security.md lists what is allowed");
}

static int wrong_value(const char *word, const char *value, rft_err *err) {
    rft_err_set(err, RFT_E_SCRIPT, "the option \"%.120s\" %s%.120s%s", word,
                value ? "does not take \"" : "lacks its value", value ? value : "", value ? "\"" : "");
    return rft_err_remedy(err, "docs/security.md lists the options and what they take");
}

static int check_ptxas(const char *word, rft_err *err) {
    const char *rest = NULL;
    const known_option *known = find_option(ptxas_options, COUNT(ptxas_options), word, &rest);
    if (!known) {
        return refuse_option(word, ptxas_options, COUNT(ptxas_options), err);
    }
    const char *value = *rest == '=' ? rest + 1 : rest;
    bool fits = known->kind == VALUE_NONE ? *rest == '\0' : is_value(known->kind, value);
    return fits ? RFT_OK : wrong_value(word, *value ? value : NULL, err);
}

int rft_compile_option_read(rft_compile_option *out, const char *const *words, size_t count, size_t at, rft_err *err) {
    const char *word = words[at];
    const char *rest = NULL;
    const known_option *known = find_option(nvrtc_options, COUNT(nvrtc_options), word, &rest);
    *out = (rft_compile_option){.words = 1};
    if (!known) {
        return refuse_option(word, nvrtc_options, COUNT(nvrtc_options), err);
    }
    if (known->kind == VALUE_NONE) {
        return *rest ? wrong_value(word, rest + 1, err) : RFT_OK;
    }
    if (*rest) {
        out->value = *rest == '=' ? rest + 1 : rest + strspn(rest, " ");
    } else if (at + 1 < count && (words[at + 1][0] != '-' || known->kind == VALUE_PTXAS)) {
        out->value = words[at + 1];
        out->words = 2;
    }
    if (!out->value || !is_value(known->kind, out->value)) {
        return wrong_value(word, out->value, err);
    }
    out->names = known->kind == VALUE_FOLDER ? RFT_OPTION_NAMES_FOLDER
                 : known->kind == VALUE_FILE ? RFT_OPTION_NAMES_FILE
                                             : RFT_OPTION_NAMES_NOTHING;
    return known->kind == VALUE_PTXAS ? check_ptxas(out->value, err) : RFT_OK;
}
