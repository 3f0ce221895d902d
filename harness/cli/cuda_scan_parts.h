/* SPDX-License-Identifier: Apache-2.0 */
/* cuda_scan_parts.h - the words that cuda_scan.c and cuda_scan_*.c share. */
#ifndef RFT_CLI_CUDA_SCAN_PARTS_H
#define RFT_CLI_CUDA_SCAN_PARTS_H

#include "cli/cuda_scan.h"

typedef enum rft_cuda_kind { RFT_CUDA_END, RFT_CUDA_NAME, RFT_CUDA_NUMBER, RFT_CUDA_TEXT, RFT_CUDA_SIGN } rft_cuda_kind;

typedef struct rft_cuda_word {
    const char *text;
    size_t line, at; /* from 1; bytes before it in the text */
    rft_cuda_kind kind;
    bool directive; /* of a #define's value or an #if's condition */
    bool in_define; /* of a #define's value */
    size_t level;   /* of #if that are open around it */
} rft_cuda_word;

typedef struct rft_cuda_words {
    rft_cuda_word *items; /* heap; the last is RFT_CUDA_END */
    size_t count, capacity;
    rft_cuda_macro defines[RFT_CUDA_PARAMS_MAX * 8]; /* given: under #ifndef of its own name; fixed: else */
    size_t define_count;
    bool has_headers;                         /* includes by "NAME": they may define what seems undefined */
    size_t includes[RFT_CUDA_PARAMS_MAX * 4]; /* where "NAME" or <NAME> of an #include begins in the text */
    size_t include_count;
    const struct rft_cuda_words *headers; /* of what they include; NULL: not read */
} rft_cuda_words;

/* Words of the text, without comments and regions that NVRTC never sees. */
void rft_cuda_words_read(rft_cuda_words *out, const char *text, rft_arena *arena);

bool rft_cuda_is(const rft_cuda_word *word, const char *text);
bool rft_cuda_is_member(const rft_cuda_word *before);
/* Words [from, to), without blanks between them. */
const char *rft_cuda_join(const rft_cuda_words *words, size_t from, size_t to, rft_arena *arena);
/* Index behind the bracket that closes the one at `at`, or of the end. Of '<' one with nothing like `a < b` between. */
size_t rft_cuda_skip(const rft_cuda_words *words, size_t at);

/* Reads "( ... )" at `at`, the parameters of a kernel with these templates. RFT_E_LIMIT. */
int rft_cuda_read_params(rft_cuda_entry *entry, const rft_cuda_words *words, size_t at, rft_arena *arena, rft_err *err);
/* Reads "< ... >" at `at`. RFT_E_LIMIT. */
int rft_cuda_read_templates(rft_cuda_entry *entry, const rft_cuda_words *words, size_t at, rft_arena *arena,
                            rft_err *err);

/* The words [from, to) of one parameter, or of a struct's field. */
void rft_cuda_read_param(rft_cuda_param *param, const rft_cuda_entry *entry, const rft_cuda_words *words, size_t from,
                         size_t to, rft_arena *arena);
/* The type of this name, as "half" or "unsigned int"; false: it is none of rooftune's, and nothing is set. */
bool rft_cuda_set_type(rft_cuda_param *param, const char *base);
/* The number of `constexpr int NAME = 64;` or `#define NAME 64`, if it is the only one of that name; NULL. */
const char *rft_cuda_constant(const rft_cuda_words *words, const char *name);
/* The value of words [from, to): whole numbers, constants of the file, + - * / and brackets, below 2^31; 0: not known.
 */
size_t rft_cuda_number(const rft_cuda_words *words, size_t from, size_t to);
/* What the body at words [from, to) does with the parameters, the grid and the variables. */
void rft_cuda_read_body(rft_cuda_entry *entry, const rft_cuda_words *words, size_t from, size_t to,
                        const rft_cuda_variable *variables, size_t variable_count, rft_arena *arena);
/* Gives a parameter by value the fields of the struct that it is, where that is found and understood. */
void rft_cuda_find_fields(rft_cuda_param *param, const rft_cuda_words *words, rft_arena *arena);

/* Reads `__constant__ float filter[33 * 33];` from `at` on; false: it is a function, or nothing that is understood. */
bool rft_cuda_read_variable(rft_cuda_variable *out, const rft_cuda_words *words, size_t at, rft_arena *arena);

#endif
