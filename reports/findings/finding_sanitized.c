/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/findings.h"

#include <string.h>

rft_finding *rft_finding_sanitized(const rft_run *run, size_t sweep, rft_arena *arena) {
    static const rft_trait columns[] = {
        {.key = "point"},
        {.title = "Problem", .where = RFT_TO_PEOPLE},
        {.title = "Configuration", .where = RFT_TO_PEOPLE, .wraps = true},
        {.key = "sanitizer", .title = "compute-sanitizer", .wraps = true, .below = true}};
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Accesses outside of buffers");
    rft_cell_table *table = rft_finding_table(f, "", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const char *said = point->verification.sanitizer;
        if (point->sweep != sweep || point->alias_of || !said) {
            continue;
        }
        const rft_problem *problem = &run->sweeps[sweep].sweep.problems[point->problem];
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[0] = rft_datum_count(point->id);
        row->cells[1] = rft_datum_text(rft_arena_printf(arena, "%s%s",
                                                        rft_run_problem_text(run, sweep, point->problem, true, arena),
                                                        problem->odd ? " (odd)" : ""));
        row->cells[2] = rft_datum_text(rft_run_config_text(run, point, true, arena));
        row->cells[3] = rft_datum_text(said);
        row->strong = strcmp(said, RFT_SANITIZER_CLEAN) != 0;
    }
    return table->row_count > 0 ? f : NULL;
}
