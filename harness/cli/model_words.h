/* SPDX-License-Identifier: Apache-2.0 */
/* model_words.h - what was typed behind `rooftune model`, held against the catalogue of kernels/lib/intensity.lua. */
#ifndef RFT_CLI_MODEL_WORDS_H
#define RFT_CLI_MODEL_WORDS_H

#include "base/json.h"
#include "cli/cli.h"
#include "model/roofline/sheet_roof.h"

typedef struct rft_workloads {
    rft_workload *items;
    size_t count;
} rft_workloads;

/*
 * "gemm m=1,8 n=4096 k=n dtype=fp32,bf16 dot n=2^20" -> gemm four times, dot once: lists are spelt out, the last key
 * fastest. `dtype` goes to every model that names none of its own. Values: numbers, 2^N, for dimensions also the name
 * of another one of them.
 * RFT_E_USAGE, with the place ("gemm m=0"), and the nearest name where one is misspelt: unknown model, key, type or
 * pipe, a dimension that is missing, no number, more than 1,000 workloads.
 */
int rft_model_words(rft_workloads *out, const rft_words *words, const char *dtype, const json_t *catalogue,
                    rft_arena *arena, rft_err *err);

/* Whether the model has this dimension. */
bool rft_model_has_dimension(const json_t *catalogue, const char *model, const char *key);

/* "gemm m=512 n=4096 k=4096 bf16": as it stands in tables. */
const char *rft_workload_label(const rft_workload *workload, rft_arena *arena);

/* The models, their dimensions, the options: what `rooftune model` alone prints. */
void rft_model_list(rft_str *out, const json_t *catalogue);

#endif
