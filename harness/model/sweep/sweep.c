/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep/sweep.h"

#include "base/str.h"

#include <string.h>

static const char *const mode_names[RFT_CACHE_COUNT] = {"cold", "hot", "rotating"};

static const char *const objective_names[RFT_OBJECTIVE_COUNT] = {"time", "energy", "edp"};

rft_stop_rule rft_measure_rule(const rft_measure_opts *opts, double rival_s) {
    return (rft_stop_rule){.min_samples = opts->min_samples,
                           .max_samples = opts->max_samples,
                           .noise_frac = opts->noise_frac,
                           .max_seconds = opts->max_seconds,
                           .min_seconds = opts->min_seconds,
                           .rival_s = rival_s};
}

const char *rft_objective_name(rft_objective objective) {
    return objective < RFT_OBJECTIVE_COUNT ? objective_names[objective] : "time";
}

const char *rft_objective_text(rft_objective objective) {
    return objective == RFT_OBJECTIVE_ENERGY ? "the best is the one that takes the fewest joules a run"
           : objective == RFT_OBJECTIVE_EDP  ? "the best is the one with the least joules x seconds a run"
                                             : NULL;
}

bool rft_objective_from_name(rft_objective *out, const char *name) {
    for (int i = 0; i < RFT_OBJECTIVE_COUNT; i++) {
        if (strcmp(objective_names[i], name) == 0) {
            *out = (rft_objective)i;
            return true;
        }
    }
    return false;
}

const char *rft_cache_mode_name(rft_cache_mode mode) {
    return mode_names[mode];
}

bool rft_cache_mode_from_name(rft_cache_mode *out, const char *name) {
    for (int i = 0; i < RFT_CACHE_COUNT; i++) {
        if (rft_text_equal(mode_names[i], name)) {
            *out = (rft_cache_mode)i;
            return true;
        }
    }
    return false;
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
