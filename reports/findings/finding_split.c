/* SPDX-License-Identifier: Apache-2.0 */
/* Cards that measured a run together: who ranks, what the others contributed and how they compare. */
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include "base/str.h"
#include "model/run/run_cards.h"

#include <math.h>

static bool ranks(const rft_run *run, const rft_run_card *card) {
    return rft_text_equal(card->uuid, run->gpu.uuid);
}

/* "1.0123x [1.0101, 1.0150]" */
static rft_datum ratio_cell(const rft_run *run, const rft_run_card *card, rft_arena *arena) {
    const rft_datum cell = rft_datum_number(card->ratio);
    if (ranks(run, card)) {
        return rft_datum_said(cell, "ranks");
    }
    if (!(card->ratio > 0)) {
        return rft_datum_or(cell, "unclear: nothing common");
    }
    return rft_datum_said(cell, isfinite(card->low)
                                    ? rft_arena_printf(arena, "%.4fx [%.4f, %.4f]", card->ratio, card->low, card->high)
                                    : rft_arena_printf(arena, "%.4fx, of too few", card->ratio));
}

static size_t left_unranked(const rft_run *run) {
    size_t count = 0;
    for (size_t i = 0; i < run->point_count; i++) {
        count += rft_point_measurement(&run->points[i]) && rft_run_other_card(run, &run->points[i]);
    }
    return count;
}

/* A card may have had several shards, and the one that ranks none. */
static size_t count_cards(const rft_run *run) {
    size_t count = 1;
    for (size_t i = 0; i < run->card_count; i++) {
        bool known = ranks(run, &run->cards[i]);
        for (size_t k = 0; k < i && !known; k++) {
            known = rft_text_equal(run->cards[k].uuid, run->cards[i].uuid);
        }
        count += !known;
    }
    return count;
}

rft_finding *rft_finding_split(const rft_run *run, rft_arena *arena) {
    static const rft_trait columns[] = {
        {.key = "uuid", .title = "card", .wraps = true},
        {.key = "points", .title = "first to measure", .align = RFT_ALIGN_RIGHT},
        {.key = "timed"},
        {.key = "common", .title = "in common", .align = RFT_ALIGN_RIGHT},
        {.key = "ratio", .title = "its time / the first's, 95 %"},
        {.key = "low"},
        {.key = "high"},
        {.key = "end", .title = "how its part ended", .wraps = true, .below = true, .under = true}};
    if (run->card_count == 0) {
        return NULL;
    }
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Measured by %zu cards", count_cards(run));
    rft_finding_body(
        f, RFT_TO_PEOPLE,
        "Every ranked time is of %s. %s measured on other cards alone and ranked nowhere: contenders of all "
        "cards were measured on it, too. Seconds that the run took are summed over its cards.",
        run->gpu.uuid, rft_words_plural(left_unranked(run), "point was", "points were", arena));
    rft_finding_set(f, "ranks", rft_datum_text(run->gpu.uuid));
    rft_finding_set(f, "unranked", rft_datum_count((int64_t)left_unranked(run)));
    rft_cell_table *table = rft_finding_table(f, "cards", columns, sizeof columns / sizeof *columns);
    for (size_t i = 0; i < run->card_count; i++) {
        const rft_run_card *card = &run->cards[i];
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[0] = rft_datum_text(card->uuid);
        cells[1] = rft_datum_count(card->last >= card->first ? card->last - card->first + 1 : 0);
        cells[2] = rft_datum_count((int64_t)card->timed);
        cells[3] = rft_datum_count((int64_t)card->common);
        cells[4] = ratio_cell(run, card, arena);
        cells[5] = rft_datum_number(card->low);
        cells[6] = rft_datum_number(card->high);
        cells[7] = rft_datum_text(card->end);
    }
    return f;
}
