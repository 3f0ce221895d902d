/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/findings.h"

rft_finding *rft_finding_problem(const rft_sweep *sweep, size_t problem, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    for (size_t i = 0; i < sweep->axis_count; i++) {
        rft_finding_set(f, sweep->axes[i].name, rft_datum_value(&sweep->problems[problem].values[i]));
    }
    return f;
}

rft_finding *rft_finding_config(const rft_sweep *sweep, const rft_point *point, rft_arena *arena) {
    const rft_variant *variant = &sweep->variants[point->variant];
    rft_finding *f = rft_finding_new(arena);
    for (size_t i = 0; i < variant->param_count; i++) {
        rft_finding_set(f, variant->params[i].name, rft_datum_value(&point->config[i]));
    }
    return f;
}
