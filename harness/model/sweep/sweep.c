/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/sweep.h"

#include "base/str.h"

#include <string.h>

rft_stop_rule rft_measure_rule(const rft_measure_opts *opts, double rival_s) {
    return (rft_stop_rule){.min_samples = opts->min_samples,
                           .max_samples = opts->max_samples,
                           .noise_frac = opts->noise_frac,
                           .max_seconds = opts->max_seconds,
                           .min_seconds = opts->min_seconds,
                           .rival_s = rival_s};
}

/* A guess by halving, right when the values are numbers that ascend. */
static size_t halved(const rft_param *param, double wanted) {
    size_t low = 0, high = param->value_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (rft_value_number(&param->values[middle]) < wanted) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

size_t rft_param_find(const rft_param *param, const rft_value *value) {
    size_t guess = rft_value_is_number(value) ? halved(param, rft_value_number(value)) : param->value_count;
    if (guess < param->value_count && rft_value_equal(&param->values[guess], value)) {
        return guess;
    }
    size_t i = 0;
    while (i < param->value_count && !rft_value_equal(&param->values[i], value)) {
        i++;
    }
    return i;
}

bool rft_variant_is_library(const rft_variant *variant) {
    return variant->source && rft_text_ends(variant->source, ".lua");
}

bool rft_source_is_given(const char *source) {
    return rft_text_ends(source, ".cubin") || rft_text_ends(source, ".ptx") || rft_text_ends(source, ".fatbin");
}

bool rft_variant_is_given(const rft_variant *variant) {
    return variant->source && rft_source_is_given(variant->source);
}
