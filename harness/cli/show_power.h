/* SPDX-License-Identifier: Apache-2.0 */
/* show_power.h - watts, joules and sustained times of a run, as text and as JSON (docs/power.md). */
#ifndef RFT_CLI_SHOW_POWER_H
#define RFT_CLI_SHOW_POWER_H

#include "base/json.h"
#include "cli/show_parts.h"

/* The device at rest, or why power is not known; nothing when it was not asked for. */
void rft_show_idle(const rft_show_page *t);
/* A line for each point of the sweep whose energy was measured, and for each soak; nothing when there are none. */
void rft_show_power_sweep(const rft_show_page *t, size_t sweep);
/* The same for one point, for `rooftune show --point`. */
void rft_show_power_point(rft_str *out, const rft_run *run, const rft_point *point);

/* {"watts", "joules_per_run", "per_watt", ...}; null when not taken. `reason` says why a figure is null. */
json_t *rft_show_energy_json(const rft_run *run, const rft_point *point);
/* {"median_s", "efficiency_frac", "watts", "throttled_frac", ...}; null without a soak. */
json_t *rft_show_sustained_json(const rft_run *run, const rft_point *point);
/* {"watts", "uncertainty_frac", "reason", ...}; null when not taken. */
json_t *rft_show_idle_json(const rft_run *run);
/* Every point of the sweep with a load: its id, "energy" and "sustained" as above. */
json_t *rft_show_power_json(const rft_run *run, size_t sweep);

#endif
