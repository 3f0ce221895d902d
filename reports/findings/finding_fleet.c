/* SPDX-License-Identifier: Apache-2.0 */
/* Many cards of one model beside each other (model/compare/fleet.h). */
#include "reports/findings/compare_findings.h"
#include "reports/findings/words.h"

#include "base/str.h"
#include "base/units.h"
#include "reports/figures.h"

#include <math.h>

enum { ON_PAGE_FIGURES = 10, ON_PAGE_CARDS = 5, ON_PAGE_HOSTS = 2, IN_TEXT_UNITS = 30, NAMES_TOLD = 8 }; /* one page */
#define RATIO_STYLE .style = RFT_AS_PERCENT, .digits = 1, .text_digits = 1, .align = RFT_ALIGN_DECIMAL

/* ---- what it is ---- */

static void add_names(rft_finding *f, const char *what, const char *const *names, size_t count) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < count && i < NAMES_TOLD; i++) {
        rft_str_addf(&text, "%s%s", i ? ", " : "", names[i]);
    }
    if (count > NAMES_TOLD) {
        rft_str_addf(&text, " and %s more (--json has all)", rft_figure_count(f->arena, count - NAMES_TOLD));
    }
    rft_finding_body(f, RFT_TO_PEOPLE, "%s: %s.", what, rft_str_get(&text));
    rft_str_clear(&text);
}

static void add_list(rft_finding *f, const char *key, const char *const *names, size_t count) {
    static const rft_trait columns[] = {{.key = "name"}};
    rft_cell_table *table = rft_finding_table(f, key, columns, 1);
    for (size_t i = 0; i < count; i++) {
        rft_cell_table_row(table)->cells[0] = rft_datum_text(names[i]);
    }
}

static void add_left(rft_finding *f, const rft_fleet *fleet) {
    static const rft_trait columns[] = {{.key = "file"}, {.key = "why"}};
    rft_cell_table *table = rft_finding_table(f, "left_out", columns, 2);
    for (size_t i = 0; i < fleet->left_count; i++) {
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[0] = rft_datum_text(fleet->left[i].path);
        cells[1] = rft_datum_text(fleet->left[i].why);
    }
    if (fleet->left_count) {
        rft_finding_body(f, RFT_TO_PEOPLE, "%s left out, the first %s: %s.",
                         rft_words_plural(fleet->left_count, "file was", "files were", f->arena), fleet->left[0].path,
                         fleet->left[0].why);
    }
}

static void add_expected(rft_finding *f, const rft_fleet *fleet) {
    if (!fleet->missing) {
        return;
    }
    rft_finding_set(f, "expected", rft_datum_count((int64_t)fleet->expected_count));
    add_list(f, "missing", fleet->missing, fleet->missing_count);
    add_list(f, "unexpected", fleet->strangers, fleet->stranger_count);
    if (fleet->missing_count == 0) {
        rft_finding_body(f, RFT_TO_PEOPLE, "All cards of the list, %s, have a run.",
                         rft_figure_count(f->arena, fleet->expected_count));
    } else {
        const char *what = rft_arena_printf(f->arena, "Cards of the list without a run, %s of %s",
                                            rft_figure_count(f->arena, fleet->missing_count),
                                            rft_figure_count(f->arena, fleet->expected_count));
        add_names(f, what, fleet->missing, fleet->missing_count);
    }
    if (fleet->stranger_count) {
        add_names(
            f,
            rft_words_plural(fleet->stranger_count, "card is not on the list", "cards are not on the list", f->arena),
            fleet->strangers, fleet->stranger_count);
    }
}

static void add_head(rft_finding *f, const rft_fleet *fleet) {
    char first[40], last[40];
    rft_units_format_iso(first, sizeof first, fleet->first_unix_ns);
    rft_units_format_iso(last, sizeof last, fleet->last_unix_ns);
    rft_finding_set(f, "device", rft_datum_text(fleet->device));
    rft_finding_set(f, "runs", rft_datum_count((int64_t)fleet->run_count));
    rft_finding_set(f, "cards_count", rft_datum_count((int64_t)fleet->card_count));
    rft_finding_set(f, "judged", rft_datum_count((int64_t)fleet->judged));
    rft_finding_set(f, "first", rft_datum_text(rft_arena_strdup(f->arena, first)));
    rft_finding_set(f, "last", rft_datum_text(rft_arena_strdup(f->arena, last)));
    rft_finding_body(f, RFT_TO_PEOPLE, "%s of %s of %s, on %s known; %.10s to %.10s; %s.",
                     rft_words_plural(fleet->run_count, "run", "runs", f->arena),
                     rft_words_plural(fleet->card_count, "card", "cards", f->arena), fleet->device,
                     rft_words_plural(fleet->host_count, "host that is", "hosts that are", f->arena), first, last,
                     rft_words_plural(fleet->figure_count, "figure", "figures", f->arena));
}

/* ---- cards and hosts that fall out ---- */

static const char *deviation_words(const rft_fleet *fleet, const rft_fleet_unit *unit, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < unit->worst_count; i++) {
        const rft_fleet_deviation *d = &unit->worst[i];
        rft_str_addf(&text, "%s%s %.2g %% %s (%.1f sd)", i ? ", " : "", fleet->figures[d->figure].name,
                     fabs(d->slow_frac) * 100, d->slow_frac < 0 ? "faster" : "slower", d->z);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* What to do with it. */
static const char *advice_of(const rft_fleet_unit *card, rft_arena *arena) {
    if (card->runs < 2) {
        return "measure it again";
    }
    return card->again == card->runs
               ? rft_arena_printf(arena, "in all its %zu runs: hand it back, or look at it", card->runs)
               : rft_arena_printf(arena, "in %zu of %zu runs: look at it", card->again, card->runs);
}

static const char *p_words(double p, rft_arena *arena) {
    return !isfinite(p) ? "not judged" : p < 1e-6 ? "under 1e-6" : rft_arena_printf(arena, "%.1e", p);
}

enum { NAME, SERIAL, HOST, PCI, RUNS, P, FALLS_OUT, TEST, WORST_FIGURE, WORST_FRAC, WORST_Z, WORDS, ADVICE, FIELDS };

static void add_units(rft_finding *f, const rft_fleet *fleet, bool is_host) {
    const rft_trait fields[FIELDS] = {
        [NAME] = {.key = is_host ? "host" : "uuid", .title = is_host ? "host" : "card", .wraps = true},
        [SERIAL] = {.key = "serial"},
        [HOST] = {.key = is_host ? NULL : "host", .title = is_host ? NULL : "host"},
        [PCI] = {.key = is_host ? NULL : "pci_id"},
        [RUNS] = {.key = "runs", .title = "runs", .align = RFT_ALIGN_RIGHT},
        [P] = {.key = "p", .title = "p", .digits = 2},
        [FALLS_OUT] = {.key = "falls_out"},
        [TEST] = {.key = "by", .title = "by"},
        [WORST_FIGURE] = {.key = "figure"},
        [WORST_FRAC] = {.key = "slower_frac"},
        [WORST_Z] = {.key = "sd"},
        [ADVICE] = {.key = is_host ? NULL : "advice", .title = is_host ? NULL : "what to do", .wraps = true},
        [WORDS] = {.key = "worst", .title = "slower than the median", .wraps = true, .below = true, .under = true}};
    const rft_fleet_unit *units = is_host ? fleet->hosts : fleet->cards;
    const size_t count = is_host ? fleet->host_count : fleet->card_count;
    const size_t on_page = is_host ? ON_PAGE_HOSTS : ON_PAGE_CARDS;
    const size_t *order = is_host ? fleet->host_order : fleet->card_order;
    rft_cell_table *table = rft_finding_table(f, is_host ? "hosts" : "cards", fields, FIELDS);
    for (size_t i = 0; i < count; i++) {
        const rft_fleet_unit *unit = &units[order[i]];
        rft_cell_row *row = rft_cell_table_row(table);
        const unsigned people = (i < on_page ? RFT_ON_PAGE : 0) | (i < IN_TEXT_UNITS ? RFT_IN_TEXT : 0);
        row->where = RFT_IN_DATA | (unit->falls_out ? people : 0);
        row->cells[NAME] = rft_datum_text(unit->name);
        row->cells[SERIAL] = unit->serial ? rft_datum_text(unit->serial) : rft_datum_absent();
        row->cells[HOST] = unit->host ? rft_datum_text(unit->host) : rft_datum_absent();
        row->cells[PCI] = rft_datum_text(unit->pci);
        row->cells[RUNS] = rft_datum_count((int64_t)unit->runs);
        row->cells[P] = rft_datum_said(rft_datum_number(unit->p), p_words(unit->p, f->arena));
        row->cells[FALLS_OUT] = isfinite(unit->p) ? rft_datum_flag(unit->falls_out) : rft_datum_absent();
        row->cells[TEST] = rft_datum_text(unit->test);
        if (unit->worst_count) {
            row->cells[WORST_FIGURE] = rft_datum_text(fleet->figures[unit->worst[0].figure].name);
            row->cells[WORST_FRAC] = rft_datum_number(unit->worst[0].slow_frac);
            row->cells[WORST_Z] = rft_datum_number(unit->worst[0].z);
            row->cells[WORDS] = rft_datum_text(deviation_words(fleet, unit, f->arena));
        }
        row->cells[ADVICE] =
            unit->falls_out && !is_host ? rft_datum_text(advice_of(unit, f->arena)) : rft_datum_text(NULL);
    }
}

static void add_cards(rft_finding *f, const rft_fleet *fleet) {
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Cards that fall out: %s of %s",
                        rft_figure_count(f->arena, fleet->cards_out), rft_figure_count(f->arena, fleet->judged));
    rft_finding_set(f, "cards_fall_out", rft_datum_count((int64_t)fleet->cards_out));
    rft_finding_set(f, "cards_level", rft_datum_number(fleet->card_level));
    if (fleet->judged == 0) {
        rft_finding_body(f, RFT_TO_PEOPLE, "Unclear: fewer than %d cards have a figure in common.", RFT_FLEET_LEAST);
    } else {
        rft_finding_body(f, RFT_TO_PEOPLE, "Were none of %s cards slow, %.2g would be expected here (p under %.2g).",
                         rft_figure_count(f->arena, fleet->judged), fleet->card_level * (double)fleet->judged,
                         fleet->card_level);
    }
    add_units(f, fleet, false);
    if (fleet->cards_out > ON_PAGE_CARDS) {
        rft_finding_body(f, RFT_ON_PAGE, "%zu more: --json and --csv have all.", fleet->cards_out - ON_PAGE_CARDS);
    }
    if (fleet->cards_out > IN_TEXT_UNITS) {
        rft_finding_body(f, RFT_IN_TEXT, "%zu more: --json and --csv have all.", fleet->cards_out - IN_TEXT_UNITS);
    }
}

static void add_hosts(rft_finding *f, const rft_fleet *fleet) {
    rft_finding_set(f, "hosts_fall_out", rft_datum_count((int64_t)fleet->hosts_out));
    if (fleet->hosts_out > 0) {
        rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Hosts that fall out: %s of %s, by the median of their cards",
                            rft_figure_count(f->arena, fleet->hosts_out),
                            rft_figure_count(f->arena, fleet->host_count));
    } else {
        rft_finding_body(f, RFT_TO_PEOPLE,
                         fleet->host_level > 0 && fleet->host_count >= RFT_FLEET_LEAST
                             ? "No host falls out by the median of its cards."
                             : "Hosts are not judged: fewer than %d are known.",
                         RFT_FLEET_LEAST);
    }
    add_units(f, fleet, true);
    if (fleet->hosts_out > ON_PAGE_HOSTS) {
        rft_finding_body(f, RFT_ON_PAGE, "%zu more: --json has all.", fleet->hosts_out - ON_PAGE_HOSTS);
    }
}

/* ---- distributions ---- */

static void add_figures(rft_finding *f, const rft_fleet *fleet) {
    static const rft_trait fields[] = {
        {.title = "", .where = RFT_ON_PAGE},
        {.key = "figure", .title = "figure", .wraps = true},
        {.key = "unit"},
        {.key = "cards", .title = "cards", .align = RFT_ALIGN_RIGHT},
        {.key = "median", .title = "median", .style = RFT_AS_SI, .digits = 4, .align = RFT_ALIGN_RIGHT},
        {.key = "spread_frac",
         .title = "sd",
         .style = RFT_AS_PERCENT,
         .digits = 2,
         .text_digits = 2,
         .align = RFT_ALIGN_DECIMAL},
        {.key = "p5"},
        {.key = "p95"},
        {.key = "p5_frac", .title = "5 %", RATIO_STYLE},
        {.key = "p95_frac", .title = "95 %", RATIO_STYLE},
        {.key = "min"},
        {.key = "max"},
        {.key = "slowest_frac", .title = "slowest", RATIO_STYLE},
        {.key = "slowest", .title = "card", .where = RFT_IN_DATA | RFT_IN_FULL}};
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "How the cards are distributed (shares of the median)");
    rft_cell_table *table = rft_finding_table(f, "figures", fields, sizeof fields / sizeof *fields);
    for (size_t i = 0; i < fleet->figure_count; i++) {
        const rft_fleet_figure *g = &fleet->figures[i];
        rft_cell_row *row = rft_cell_table_row(table);
        row->where = RFT_IN_DATA | RFT_IN_TEXT | (i < ON_PAGE_FIGURES ? RFT_ON_PAGE : 0);
        row->cells[0] = rft_datum_count((int64_t)i + 1);
        rft_datum *cells = row->cells + 1;
        cells[0] = rft_datum_text(g->name);
        cells[1] = rft_datum_text(g->unit);
        cells[2] = rft_datum_count((int64_t)g->cards);
        cells[3] = rft_datum_rate(g->median, g->unit);
        cells[4] = rft_datum_number(g->spread_frac);
        cells[5] = rft_datum_number(g->p5);
        cells[6] = rft_datum_number(g->p95);
        cells[7] = rft_datum_number(g->p5 / g->median);
        cells[8] = rft_datum_number(g->p95 / g->median);
        cells[9] = rft_datum_number(g->min);
        cells[10] = rft_datum_number(g->max);
        cells[11] = rft_datum_number((g->slower_up ? g->max : g->min) / g->median);
        cells[12] = rft_datum_text(fleet->cards[g->slowest].name);
    }
    if (fleet->figure_count > ON_PAGE_FIGURES) {
        rft_finding_body(f, RFT_ON_PAGE, "%zu more figures: --json has all.", fleet->figure_count - ON_PAGE_FIGURES);
    }
}

/* ---- what varies ---- */

static void add_shares(rft_finding *f, const rft_fleet *fleet) {
    static const rft_trait fields[] = {
        {.key = "between", .title = "between"},
        {.key = "groups", .title = "of them", .align = RFT_ALIGN_RIGHT},
        {.key = "share", .title = "median", RATIO_STYLE},
        {.key = "q1", .title = "quartiles", RATIO_STYLE},
        {.key = "q3", .title = "", RATIO_STYLE},
        {.key = "figures", .title = "figures", .align = RFT_ALIGN_RIGHT},
        {.key = "why", .title = "unclear, since", .wraps = true, .below = true, .under = true}};
    rft_finding_heading(f, RFT_IN_TEXT, 2, "What varies: share of the variance of runs, over figures");
    rft_cell_table *table = rft_finding_table(f, "variation", fields, sizeof fields / sizeof *fields);
    rft_str text = RFT_STR_INIT;
    table->where = RFT_IN_TEXT | RFT_IN_DATA;
    for (size_t i = 0; i < RFT_FLEET_SHARES; i++) {
        const rft_fleet_share *share = &fleet->shares[i];
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[0] = rft_datum_text(share->name);
        cells[1] = rft_datum_count((int64_t)share->groups);
        cells[2] = rft_datum_number(share->median);
        cells[3] = rft_datum_number(share->q1);
        cells[4] = rft_datum_number(share->q3);
        cells[5] = rft_datum_count((int64_t)share->figures);
        cells[6] = rft_datum_text(share->why);
        rft_str_addf(&text, "%s%s ", i ? "; " : "", share->name);
        if (share->why) {
            rft_str_addf(&text, "unclear (%s)", share->why);
        } else {
            rft_str_addf(&text, "%.0f %% (%.0f to %.0f)", share->median * 100, share->q1 * 100, share->q3 * 100);
        }
    }
    rft_finding_body(f, RFT_ON_PAGE, "Share of the variance of runs, median and quartiles over figures: %s.",
                     rft_str_get(&text));
    rft_str_clear(&text);
    rft_finding_note(
        f, RFT_IN_TEXT,
        "Hosts: of the variance between cards. Where each host was measured on days of its own, days and hosts "
        "are not told apart.");
}

/* ---- the chart ---- */

/* Of each figure the middle 90 %, and the cards that fall out. */
static void add_chart(rft_finding *f, const rft_fleet *fleet) {
    const size_t count = fleet->figure_count < ON_PAGE_FIGURES ? fleet->figure_count : ON_PAGE_FIGURES;
    rft_chart *chart = rft_chart_new(
        f->arena, "Cards over the median of each figure: bars are the middle 90 %, dots the cards that fall out", 120);
    size_t dots = 0;
    chart->x =
        (rft_chart_axis){.title = "figure, as numbered below", .whole = true, .low = 0.5, .high = (double)count + 0.5};
    chart->y = (rft_chart_axis){.title = "speed over the median (%)", .low = NAN, .high = NAN};
    rft_series *range = rft_chart_series(f->arena, chart, RFT_SERIES_RANGE, count);
    range->label = "middle 90 %";
    range->tone = RFT_TONE_GREY;
    for (size_t i = 0; i < count; i++) {
        const rft_fleet_figure *g = &fleet->figures[i];
        const double low = g->slower_up ? g->median / g->p95 : g->p5 / g->median;
        const double high = g->slower_up ? g->median / g->p5 : g->p95 / g->median;
        range->x[i] = (double)i + 1;
        range->y[i] = (low - 1) * 100;
        range->y2[i] = (high - 1) * 100;
    }
    rft_series *out = rft_chart_series(f->arena, chart, RFT_SERIES_DOTS, count * fleet->cards_out + 1);
    out->label = "cards that fall out";
    out->tone = RFT_TONE_A;
    for (size_t k = 0; k < fleet->cards_out; k++) {
        for (size_t i = 0; i < count; i++) {
            const double over = rft_fleet_value(fleet, fleet->card_order[k], i) / fleet->figures[i].median;
            if (isfinite(over)) {
                out->x[dots] = (double)i + 1;
                out->y[dots++] = ((fleet->figures[i].slower_up ? 1 / over : over) - 1) * 100;
            }
        }
    }
    out->count = dots;
    rft_finding_charts(f, (rft_chart *const[]){chart}, 1, NULL);
}

rft_finding *rft_finding_fleet(const rft_fleet *fleet, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    add_head(f, fleet);
    add_expected(f, fleet);
    add_left(f, fleet);
    add_cards(f, fleet);
    add_hosts(f, fleet);
    add_shares(f, fleet);
    add_chart(f, fleet);
    add_figures(f, fleet);
    return f;
}

rft_finding *rft_finding_fleet_values(const rft_fleet *fleet, rft_arena *arena) {
    static const rft_trait fields[] = {{.key = "uuid"},   {.key = "serial"},      {.key = "host"},
                                       {.key = "pci_id"}, {.key = "figure"},      {.key = "unit"},
                                       {.key = "value"},  {.key = "over_median"}, {.key = "sd"},
                                       {.key = "card_p"}, {.key = "falls_out"}};
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = rft_finding_table(f, "values", fields, sizeof fields / sizeof *fields);
    table->where = RFT_IN_CSV;
    for (size_t i = 0; i < fleet->card_count; i++) {
        const rft_fleet_unit *card = &fleet->cards[fleet->card_order[i]];
        for (size_t g = 0; g < fleet->figure_count; g++) {
            const double value = rft_fleet_value(fleet, fleet->card_order[i], g);
            if (!isfinite(value)) {
                continue;
            }
            rft_datum *cells = rft_cell_table_row(table)->cells;
            cells[0] = rft_datum_text(card->name);
            cells[1] = rft_datum_text(card->serial);
            cells[2] = rft_datum_text(card->host);
            cells[3] = rft_datum_text(card->pci);
            cells[4] = rft_datum_text(fleet->figures[g].name);
            cells[5] = rft_datum_text(fleet->figures[g].unit);
            cells[6] = rft_datum_number(value);
            cells[7] = rft_datum_number(value / fleet->figures[g].median);
            cells[8] = rft_datum_number(rft_fleet_z(fleet, fleet->card_order[i], g));
            cells[9] = rft_datum_number(card->p);
            cells[10] = isfinite(card->p) ? rft_datum_flag(card->falls_out) : rft_datum_absent();
        }
    }
    return f;
}
