/* SPDX-License-Identifier: Apache-2.0 */
/* show_sweep.c - ladder of a sweep (show_parts.h). */
#include "cli/show_parts.h"
#include "reports/print/layout.h"

#include <math.h>
#include <string.h>

void rft_show_ladder(const rft_show_page *t, size_t sweep) {
    const rft_sweep *data = &t->run->sweeps[sweep].sweep;
    size_t problem = rft_show_ladder_problem(t->run, sweep), width = 8, room = rft_show_name_room(t, sweep);
    if (data->variant_count < 2 || problem == SIZE_MAX) {
        return;
    }
    for (size_t v = 0; v < data->variant_count; v++) {
        width = rft_show_widest(width, data->variants[v].name, room);
    }
    rft_str_add_char(t->out, '\n');
    rft_layout_wrapped(
        t->out, 2, 2,
        rft_arena_printf(t->arena, "ladder at %s", rft_run_problem_text(t->run, sweep, problem, true, t->arena)));
    rft_show_table_head(t, "variant", width);
    double first_s = NAN, before_s = NAN;
    for (size_t v = 0; v < data->variant_count; v++) {
        const rft_point *best = rft_run_best(t->run, sweep, v, problem);
        rft_show_name(t, data->variants[v].name, width);
        if (best == NULL) {
            rft_str_add(t->out, "  nothing measured\n");
            continue;
        }
        rft_show_figures(t, best);
        double median_s = rft_point_median_s(best);
        const char *config = rft_run_config_text(t->run, best, true, t->arena);
        const char *gain = isnan(first_s) ? ""
                                          : rft_arena_printf(t->arena, "%s the first, %s the one before",
                                                             rft_show_number(t, first_s / median_s, 2, " x"),
                                                             rft_show_number(t, before_s / median_s, 2, " x"));
        const char *line = rft_arena_printf(t->arena, "%s%s%s", config, *config && *gain ? "; " : "", gain);
        if (*line) {
            rft_layout_wrapped(t->out, 4, 2, line);
        }
        first_s = isnan(first_s) ? median_s : first_s;
        before_s = median_s;
    }
}
