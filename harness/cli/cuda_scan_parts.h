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
/* Index behind the bracket that closes the one at `at`, or of the end. Of '<' one with nothing like `a < b` between. */
size_t rft_cuda_skip(const rft_cuda_words *words, size_t at);

/* Reads "( ... )" at `at`, the parameters of a kernel with these templates. RFT_E_LIMIT. */
int rft_cuda_read_params(rft_cuda_entry *entry, const rft_cuda_words *words, size_t at, rft_arena *arena, rft_err *err);
/* Reads "< ... >" at `at`. RFT_E_LIMIT. */
int rft_cuda_read_templates(rft_cuda_entry *entry, const rft_cuda_words *words, size_t at, rft_arena *arena,
                            rft_err *err);

/* Reads `__constant__ float filter[33 * 33];` from `at` on; false: it is a function, or nothing that is understood. */
bool rft_cuda_read_variable(rft_cuda_variable *out, const rft_cuda_words *words, size_t at, rft_arena *arena);

#endif
