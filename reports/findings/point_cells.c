/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/findings/point_cells.h"

#include "model/roofline/bound.h"
#include "model/roofline/placement.h"
#include "model/stats/interval_text.h"
#include "reports/findings/words.h"

enum { MEDIAN, INTERVAL, RATE, ROOF, BOUND };

const rft_trait rft_point_traits[RFT_POINT_CELLS] = {
    [MEDIAN] = {.title = "median", .where = RFT_IN_TEXT, .style = RFT_AS_SI, .unit = "s", .align = RFT_ALIGN_DECIMAL},
    [INTERVAL] = {.title = "95 %", .where = RFT_IN_TEXT, .align = RFT_ALIGN_RIGHT},
    [RATE] = {.title = "useful rate", .where = RFT_IN_TEXT, .align = RFT_ALIGN_DECIMAL},
    [ROOF] =
        {.title = "roof", .where = RFT_IN_TEXT, .style = RFT_AS_PERCENT, .text_digits = 1, .align = RFT_ALIGN_DECIMAL},
    [BOUND] = {.title = "bound", .where = RFT_IN_TEXT, .wraps = true},
};

void rft_point_cells(const rft_run *run, const rft_point *point, rft_datum cells[RFT_POINT_CELLS], rft_arena *arena) {
    const rft_stats *stats = &rft_point_measurement(point)->stats;
    rft_placement place = rft_placement_of(run, point);
    rft_bound bound = rft_bound_of(run, point);
    rft_interval_text time = rft_stats_text(stats, 0.0, "s", arena);
    cells[MEDIAN] = rft_datum_said(rft_datum_number(stats->median), time.value);
    cells[INTERVAL] = /* a range where no 95 % interval exists */
        rft_datum_text(time.interval ? time.interval : rft_arena_printf(arena, "n = %zu", stats->n));
    cells[RATE] = rft_datum_text(rft_words_rate(&place, arena));
    cells[ROOF] = rft_datum_number(place.efficiency_frac);
    cells[BOUND] = rft_datum_text(rft_arena_printf(arena, "%s%s", bound.firmness == RFT_FIRM_MOSTLY ? "mostly " : "",
                                                   rft_words_bound_name(&bound, arena)));
}
