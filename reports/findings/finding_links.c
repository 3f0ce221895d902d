/* SPDX-License-Identifier: Apache-2.0 */
#include "reports/figures.h"
#include "reports/findings/findings.h"

enum { FROM, TO, PATH, ONE_WAY, BOTH_WAYS, SLOWEST, FIELDS };

static const rft_trait fields[FIELDS] = {
    [FROM] = {.key = "from", .title = "From", .align = RFT_ALIGN_RIGHT},
    [TO] = {.key = "to", .title = "To", .align = RFT_ALIGN_RIGHT},
    [PATH] = {.key = "path", .title = "Copies"},
    [ONE_WAY] = {.key = "one_way", .title = "One way", .style = RFT_AS_SI, .align = RFT_ALIGN_DECIMAL},
    [BOTH_WAYS] = {.key = "both_ways", .title = "Both ways", .style = RFT_AS_SI, .align = RFT_ALIGN_DECIMAL},
    [SLOWEST] = {.key = "one_way_low"},
};

rft_finding *rft_finding_links(const rft_links *links, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = rft_finding_table(f, "links", fields, FIELDS);
    double host[2] = {0.0, 0.0};
    for (size_t i = 0; i < links->count; i++) {
        const rft_link *link = &links->items[i];
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[FROM] = rft_datum_count(links->ordinals[link->from]);
        cells[TO] = rft_datum_count(links->ordinals[link->to]);
        cells[PATH] = rft_datum_text(link->direct ? "peer to peer" : "through the host");
        cells[ONE_WAY] = rft_datum_rate(link->one_way.median, "B/s");
        cells[BOTH_WAYS] = rft_datum_rate(link->both_ways.median, "B/s");
        cells[SLOWEST] = rft_datum_number(link->one_way.low);
    }
    for (size_t i = 0; i < links->card_count; i++) {
        host[0] += links->h2d[i].median;
        host[1] += links->d2h[i].median;
    }
    rft_finding_set(f, "h2d_all", rft_datum_number(host[0]));
    rft_finding_set(f, "d2h_all", rft_datum_number(host[1]));
    rft_finding_note(f, RFT_TO_PEOPLE, "All %zu cards at once: %s from the host, %s to it.", links->card_count,
                     rft_figure_si(arena, host[0], "B/s"), rft_figure_si(arena, host[1], "B/s"));
    return f;
}
