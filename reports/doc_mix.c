/* SPDX-License-Identifier: Apache-2.0 */
/* doc_mix.c - the page "Mix": a buyer's workload as a sum of measured operations (docs/mix.md). */
#include "reports/doc_build.h"

#include <math.h>

#define CHART_HEIGHT 150
#define BARS_MOST 6 /* in one chart; what is left is one bar */
#define BAR_HALF 0.32

/* ---- figures ---- */

static void add_facts(rft_build *b, const rft_mix_total *total) {
    static const rft_column columns[] = {
        {.title = "figure"}, {.title = "value", .align = RFT_ALIGN_RIGHT}, {.title = "basis", .wraps = true}};
    rft_mix_fact facts[RFT_MIX_FACTS];
    size_t count = rft_mix_facts(total, "\xc2\xb1", b->arena, facts);
    rft_table *table = rft_doc_table(b->doc, columns, sizeof columns / sizeof *columns);
    table->plain = true;
    for (size_t i = 0; i < count; i++) {
        rft_row *row = rft_doc_row(b->doc, table);
        row->cells[0] = facts[i].label;
        row->cells[1] = facts[i].value;
        row->cells[2] = facts[i].note ? facts[i].note : "";
        row->strong = i < 2 || i == 4;
    }
}

/* ---- shares ---- */

static rft_chart *shares_chart(rft_build *b, const char *title, const rft_mix_share *shares, size_t count,
                               rft_tone tone) {
    size_t shown = count > BARS_MOST ? BARS_MOST : count;
    rft_chart *chart = rft_chart_new(b->arena, title, CHART_HEIGHT);
    rft_series *bars = rft_chart_series(b->arena, chart, RFT_SERIES_BARS, shown);
    const char **names = rft_arena_calloc(b->arena, shown, sizeof *names);
    const char **percents = rft_arena_calloc(b->arena, shown, sizeof *percents);
    bars->tone = tone;
    for (size_t i = 0; i < shown; i++) {
        double frac = shares[i].frac;
        names[i] = shares[i].name;
        if (i + 1 == shown && count > shown) {
            for (size_t k = shown; k < count; k++) {
                frac += shares[k].frac;
            }
            names[i] = rft_arena_printf(b->arena, "%zu others", count - shown + 1);
        }
        bars->x[i] = (double)i - BAR_HALF;
        bars->x2[i] = (double)i + BAR_HALF;
        bars->y[i] = frac * 100.0;
        percents[i] = rft_figure_percent(b->arena, frac);
    }
    chart->x = (rft_chart_axis){
        .names = names, .sub_names = percents, .name_count = shown, .low = -0.5, .high = (double)shown - 0.5};
    chart->y = (rft_chart_axis){.title = "time of a pass (%)", .low = 0, .high = fmin(shares[0].frac * 115.0, 105.0)};
    return chart;
}

/* One word for all of it needs no chart. */
static void add_shares(rft_build *b, const rft_mix_total *total) {
    rft_chart *charts[2];
    size_t count = 0;
    if (total->operation_count > 1) {
        charts[count++] = shares_chart(b, "By operation", total->by_operation, total->operation_count, RFT_TONE_A);
    }
    if (total->bound_count > 1) {
        charts[count++] = shares_chart(b, "By what holds it back", total->by_bound, total->bound_count, RFT_TONE_B);
    } else {
        const char *one = total->by_bound[0].name;
        rft_doc_textf(b->doc, RFT_TEXT_BODY,
                      total->lines[0].by_vendor ? "Time by what holds it back: %s."
                                                : "All of the time is held back by one thing: %s.",
                      one);
    }
    if (count) {
        rft_doc_charts(b->doc, charts, count);
    }
}

/* ---- operations ---- */

enum { MIX_NAME, MIX_COUNT, MIX_TIME, MIX_HALF, MIX_PASS, MIX_SHARE, MIX_JOULES, MIX_BY, MIX_BOUND, MIX_COLUMNS };

static const rft_column line_columns[MIX_COLUMNS] = {
    [MIX_NAME] = {.title = "Operation", .wraps = true},
    [MIX_COUNT] = {.title = "Count", .align = RFT_ALIGN_DECIMAL},
    [MIX_TIME] = {.title = "Median", .align = RFT_ALIGN_RIGHT},
    [MIX_HALF] = {.title = "\xc2\xb1", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [MIX_PASS] = {.title = "In a pass", .align = RFT_ALIGN_RIGHT},
    [MIX_SHARE] = {.title = "Share", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [MIX_JOULES] = {.title = "Energy", .align = RFT_ALIGN_RIGHT},
    [MIX_BY] = {.title = "By", .wraps = true},
    [MIX_BOUND] = {.title = "Bound", .wraps = true},
};

static const char *noted(rft_build *b, rft_table *table, const char *text, const char *why) {
    return rft_arena_printf(b->arena, "%s%s", text,
                            rft_doc_note(b->doc, table, rft_arena_printf(b->arena, "No figure: %s.", why)));
}

static void add_line(rft_build *b, rft_table *table, const rft_mix_line *line, bool complete) {
    rft_row *row = rft_doc_row(b->doc, table);
    row->cells[MIX_NAME] =
        rft_arena_printf(b->arena, "%s%s%s", line->item->operation, *line->problem ? " " : "", line->problem);
    row->cells[MIX_COUNT] = rft_mix_exact_text(line->item->count, b->arena);
    if (line->missing) {
        row->strong = true;
        row->cells[MIX_TIME] = noted(b, table, "n/a", line->missing);
        return;
    }
    const rft_stats *stats = &line->measurement->stats;
    row->link = line->run == b->run && b->opts.part != 1 ? rft_build_anchor(b, line->sweep) : NULL;
    row->cells[MIX_TIME] = rft_figure_si(b->arena, stats->median, "s");
    row->cells[MIX_HALF] = stats->interval_is_95
                               ? rft_figure_plain(b->arena, rft_stats_half_width_frac(stats) * 100, 2)
                               : noted(b, table, "n/a", "under 6 samples give no 95 % interval of the median");
    row->cells[MIX_PASS] = rft_figure_si(b->arena, line->time_s, "s");
    row->cells[MIX_SHARE] = complete ? rft_figure_percent_bare(b->arena, line->frac) : NULL;
    if (complete) {
        row->cells[MIX_JOULES] =
            line->no_joules ? noted(b, table, "n/a", line->no_joules) : rft_figure_si(b->arena, line->joules, "J");
    }
    row->cells[MIX_BY] = line->source;
    row->cells[MIX_BOUND] = rft_mix_bound_text(line, b->arena);
}

static void add_mix(rft_build *b, const rft_mix_total *total) {
    rft_doc_heading(b->doc, 2, total->mix->name, NULL);
    rft_doc_textf(b->doc, RFT_TEXT_BODY, "On one %s, %s. %s", rft_mix_device_text(total, b->arena),
                  rft_words_plural(total->line_count, "operation", "operations", b->arena), total->notes[0]);
    if (total->missing_count) {
        rft_doc_textf(b->doc, RFT_TEXT_STRONG, "No total: %s, as the table says.", total->time_s.missing);
    } else {
        add_facts(b, total);
        add_shares(b, total);
    }
    rft_table *table = rft_doc_table(b->doc, line_columns, MIX_COLUMNS);
    for (size_t i = 0; i < total->line_count; i++) {
        add_line(b, table, &total->lines[i], !total->missing_count);
    }
    for (size_t i = 1; i < total->note_count; i++) {
        rft_doc_text(b->doc, RFT_TEXT_NOTE, total->notes[i]);
    }
}

void rft_build_mixes(rft_build *b) {
    const rft_mix_book *book = b->opts.book;
    if (!book || (b->opts.mix_count == 0 && book->remark_count == 0)) {
        return;
    }
    rft_doc_heading(b->doc, 1, b->opts.mix_count ? "Mix" : "Remarks", "mix");
    for (size_t i = 0; i < b->opts.mix_count; i++) {
        add_mix(b, b->opts.mixes[i]);
    }
    if (b->opts.mix_count && book->remark_count) {
        rft_doc_heading(b->doc, 2, "Remarks", NULL);
    }
    for (size_t i = 0; i < book->remark_count; i++) {
        rft_doc_text(b->doc, RFT_TEXT_BODY, book->remarks[i]);
    }
}
