/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_steps.h"

#include "base/units.h"
#include "cli/show_data.h"
#include "model/roofline/step_bound.h"

#include <math.h>

void rft_show_steps(rft_str *out, const rft_run *run, const rft_point *point, rft_arena *arena) {
    size_t count = rft_step_bound_count(point);
    for (size_t i = 0; i < count; i++) {
        rft_step_bound step = rft_step_bound_of(run, point, i);
        char time[48];
        rft_units_format_seconds(time, sizeof time, step.seconds, 4);
        rft_str_addf(out, "%s%zu. %s: %s, %d %%; %s\n", i == 0 ? "launches     " : "             ", i + 1, step.name,
                     time, (int)lround(step.frac * 100.0), rft_step_bound_text(&step, arena));
    }
    if (count > 0) {
        rft_str_add(
            out, "             (each alone behind the ones before it; together they may differ from the time above)\n");
    }
}

json_t *rft_show_steps_json(const rft_run *run, const rft_point *point, rft_arena *arena) {
    size_t count = rft_step_bound_count(point);
    json_t *list = count > 0 ? json_array() : json_null();
    for (size_t i = 0; i < count; i++) {
        rft_step_bound step = rft_step_bound_of(run, point, i);
        json_array_append_new(
            list,
            json_pack("{s:o,s:o,s:o,s:s,s:o,s:s,s:o,s:o}", "name", rft_show_text_json(step.name), "seconds",
                      rft_json_real_new(step.seconds), "frac", rft_json_real_new(step.frac), "bound",
                      rft_resource_name(step.bound.resource, step.bound.pipe), "bound_frac",
                      rft_json_real_new(step.bound.frac), "evidence", rft_evidence_name(step.bound.evidence), "reason",
                      rft_show_text_json(step.reason), "text", rft_show_text_json(rft_step_bound_text(&step, arena))));
    }
    return list;
}
