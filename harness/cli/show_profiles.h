/* SPDX-License-Identifier: Apache-2.0 */
/* show_profiles.h - a sweep's profiles as rows of bars, and as JSON. */
#ifndef RFT_CLI_SHOW_PROFILES_H
#define RFT_CLI_SHOW_PROFILES_H

#include "base/json.h"
#include "cli/show_parts.h"

/* Of the problem whose best takes longest: for each parameter the best over all others at every value, and how many
 * were measured there; with `full` of every variant, else of the best's. */
void rft_show_params(const rft_show_page *t, size_t sweep);
/* The best along each axis as a share of its roof. */
void rft_show_axes(const rft_show_page *t, size_t sweep);
/* Every line of both kinds: "along", "name", "variant", "problem", "explains_frac", "costs_factor", and "values": each
 * with "point", "median_s", "middle_s", "worst_s", "measured", "efficiency_frac", "bound". */
json_t *rft_show_profiles_json(const rft_run *run, size_t sweep, rft_arena *arena);

#endif
