/* SPDX-License-Identifier: Apache-2.0 */
#include "model/sweep.h"

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
