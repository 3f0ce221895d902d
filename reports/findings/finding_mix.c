/* SPDX-License-Identifier: Apache-2.0 */
/* finding_mix.c - a buyer's workload as a sum of measured operations: figures, shares, operations (docs/mix.md). */
#include "base/str.h"
#include "model/stats/interval_text.h"
#include "reports/figures.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include <math.h>

#define CHART_HEIGHT 150
#define BARS_MOST 6 /* in one chart; what is left is one bar */
#define BAR_HALF 0.32

/* ---- for programs ---- */

static rft_finding *figure_data(const rft_mix_figure *of, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "value", rft_datum_number(of->value));
    rft_finding_set(f, "low", rft_datum_number(of->low));
    rft_finding_set(f, "high", rft_datum_number(of->high));
    rft_finding_set(f, "reason", rft_datum_text(of->missing ? of->missing : of->no_interval));
    return f;
}

static rft_finding *price_data(const rft_mix_total *total, rft_arena *arena) {
    const rft_mix_book *book = total->book;
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "currency", rft_datum_text(book->currency));
    rft_finding_set(f, "device", total->price ? rft_datum_number(total->price->amount) : rft_datum_absent());
    rft_finding_set(f, "date", rft_datum_text(total->price ? total->price->date : NULL));
    rft_finding_set(f, "years", rft_datum_number(book->years));
    rft_finding_set(f, "kwh", rft_datum_number(book->kwh));
    rft_finding_set(f, "kwh_date", rft_datum_text(book->kwh_date));
    rft_finding_set(f, "utilisation", rft_datum_number(book->utilisation));
    rft_finding_set(f, "pue", rft_datum_number(book->pue));
    rft_finding_set(f, "host", rft_datum_number(book->host_price));
    rft_finding_set(f, "host_date", rft_datum_text(book->host_date));
    rft_finding_set(f, "host_w", rft_datum_number(book->host_watts));
    rft_finding_set(f, "idle_w", rft_datum_number(total->terms.idle_watts));
    return f;
}

static rft_finding *room_data(const rft_mix_total *total, rft_arena *arena) {
    const rft_mix_room *room = &total->room;
    rft_finding *f = rft_finding_new(arena);
    rft_finding_set(f, "weights_bytes", rft_datum_number(total->mix->weights_bytes));
    rft_finding_set(f, "cache_bytes", rft_datum_number(total->mix->cache_bytes));
    rft_finding_set(f, "need_bytes", rft_datum_number(room->need_bytes));
    rft_finding_set(f, "card_bytes", rft_datum_number(room->card_bytes));
    rft_finding_set(f, "fits", room->missing ? rft_datum_absent() : rft_datum_flag(room->fits));
    rft_finding_set(f, "least_cards", rft_datum_number(room->least_cards));
    rft_finding_set(f, "reason", rft_datum_text(room->missing));
    return f;
}

static void add_mix_data(rft_finding *f, const rft_mix_total *total) {
    rft_finding_set(f, "name", rft_datum_text(total->mix->name));
    rft_finding_set(f, "file", rft_datum_text(total->mix->path));
    rft_finding_set(f, "device", rft_datum_text(total->gpu->name));
    rft_finding_set(f, "called", rft_datum_text(total->called));
    rft_finding_set(f, "unit", rft_datum_text(total->mix->unit));
    rft_finding_set(f, "per", rft_datum_number(total->mix->per));
    rft_finding_set(f, "cards", rft_datum_number(total->mix->cards));
    rft_finding_add(f, "memory", room_data(total, f->arena));
    rft_finding_set(f, "missing", rft_datum_count((int64_t)total->missing_count));
    rft_finding_add(f, "time_s", figure_data(&total->time_s, f->arena));
    rft_finding_add(f, "units_s", figure_data(&total->units_s, f->arena));
    rft_finding_add(f, "joules", figure_data(&total->joules, f->arena));
    rft_finding_add(f, "units_j", figure_data(&total->units_j, f->arena));
    rft_finding_add(f, "device_cost_million", figure_data(&total->card_cost, f->arena));
    rft_finding_add(f, "energy_cost_million", figure_data(&total->energy_cost, f->arena));
    rft_finding_add(f, "cost_million", figure_data(&total->cost, f->arena));
    rft_finding_add(f, "price", price_data(total, f->arena));
}

/* ---- figures ---- */

static void add_mix_figures(rft_finding *f, const rft_mix_total *total) {
    static const rft_trait fields[] = {
        {.title = ""}, {.title = "", .align = RFT_ALIGN_RIGHT}, {.title = "", .wraps = true}};
    rft_mix_fact facts[RFT_MIX_FACTS];
    size_t count = rft_mix_facts(total, f->arena, facts);
    rft_cell_table *table = rft_finding_table(f, NULL, fields, 3);
    table->where = total->missing_count ? RFT_IN_TEXT : RFT_TO_PEOPLE;
    for (size_t i = 0; i < count; i++) {
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[0] = rft_datum_text(facts[i].label);
        row->cells[1] = rft_datum_text(facts[i].value);
        row->cells[2] = rft_datum_text(facts[i].note);
        row->strong = i < 2 || i == 4;
    }
}

/* ---- shares ---- */

static rft_chart *shares_chart(rft_arena *arena, const char *title, const rft_mix_share *shares, size_t count,
                               rft_tone tone) {
    size_t shown = count > BARS_MOST ? BARS_MOST : count;
    rft_chart *chart = rft_chart_new(arena, title, CHART_HEIGHT);
    rft_series *bars = rft_chart_series(arena, chart, RFT_SERIES_BARS, shown);
    const char **names = rft_arena_calloc(arena, shown, sizeof *names);
    const char **percents = rft_arena_calloc(arena, shown, sizeof *percents);
    bars->tone = tone;
    for (size_t i = 0; i < shown; i++) {
        double frac = shares[i].frac;
        names[i] = shares[i].name;
        if (i + 1 == shown && count > shown) {
            for (size_t k = shown; k < count; k++) {
                frac += shares[k].frac;
            }
            names[i] = rft_arena_printf(arena, "%zu others", count - shown + 1);
        }
        bars->x[i] = (double)i - BAR_HALF;
        bars->x2[i] = (double)i + BAR_HALF;
        bars->y[i] = frac * 100.0;
        percents[i] = rft_figure_percent(arena, frac);
    }
    chart->x = (rft_chart_axis){
        .names = names, .sub_names = percents, .name_count = shown, .low = -0.5, .high = (double)shown - 0.5};
    chart->y = (rft_chart_axis){.title = "time of a pass (%)", .low = 0, .high = fmin(shares[0].frac * 115.0, 105.0)};
    return chart;
}

/* On a page. One word for all of it needs no chart. */
static void add_share_charts(rft_finding *f, const rft_mix_total *total) {
    rft_chart *charts[2];
    size_t count = 0;
    if (total->operation_count > 1) {
        charts[count++] =
            shares_chart(f->arena, "By operation", total->by_operation, total->operation_count, RFT_TONE_A);
    }
    if (total->bound_count > 1) {
        charts[count++] =
            shares_chart(f->arena, "By what holds it back", total->by_bound, total->bound_count, RFT_TONE_B);
    } else {
        rft_finding_body(f, RFT_ON_PAGE,
                         total->lines[0].by_vendor ? "Time by what holds it back: %s."
                                                   : "All of the time is held back by one thing: %s.",
                         total->by_bound[0].name);
    }
    if (count) {
        rft_finding_charts(f, charts, count, NULL);
    }
}

/* Words for a terminal, numbers for programs; none where an operation is missing. */
static void add_shares(rft_finding *f, const char *key, const char *head, const rft_mix_share *shares, size_t count) {
    static const rft_trait fields[] = {{.key = "name"}, {.key = "time_s"}, {.key = "frac"}};
    rft_cell_table *table = rft_finding_table(f, key, fields, 3);
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[0] = rft_datum_text(shares[i].name);
        row->cells[1] = rft_datum_number(shares[i].time_s);
        row->cells[2] = rft_datum_number(shares[i].frac);
        rft_str_addf(&text, "%s%s %s", i ? ", " : "", shares[i].name,
                     rft_arena_fixed(f->arena, shares[i].frac * 100.0, 1, " %"));
    }
    if (count) {
        rft_finding_body(f, RFT_IN_TEXT, "time by %s: %s", head, rft_str_get(&text));
    }
    rft_str_clear(&text);
}

/* ---- operations ---- */

enum {
    NAME,
    OPERATION,
    PROBLEM,
    COUNT,
    REASON,
    RUN,
    SWEEP,
    POINT,
    SOURCE,
    MEDIAN,
    INTERVAL,
    LOW,
    HIGH,
    PASS,
    SHARE,
    ENERGY,
    BY,
    BOUND,
    BOUND_TEXT,
    VENDOR,
    JOULES,
    NO_JOULES,
    LINE_FIELDS
};

static const rft_trait line_fields[LINE_FIELDS] = {
    [NAME] = {.title = "Operation", .brief = "operation", .wraps = true},
    [OPERATION] = {.key = "operation"},
    [PROBLEM] = {.key = "problem"},
    [COUNT] = {.key = "count", .title = "Count", .brief = "count", .align = RFT_ALIGN_DECIMAL},
    [REASON] = {.key = "reason"},
    [RUN] = {.key = "run"},
    [SWEEP] = {.key = "sweep"},
    [POINT] = {.key = "point"},
    [SOURCE] = {.key = "source"},
    [MEDIAN] = {.key = "median_s",
                .title = "Median",
                .brief = "median",
                .unit = "s",
                .style = RFT_AS_SI,
                .align = RFT_ALIGN_RIGHT},
    [INTERVAL] = {.title = "95 %", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
    [LOW] = {.key = "low_s"},
    [HIGH] = {.key = "high_s"},
    [PASS] = {.key = "time_s",
              .title = "In a pass",
              .brief = "per pass",
              .unit = "s",
              .style = RFT_AS_SI,
              .align = RFT_ALIGN_RIGHT},
    [SHARE] = {.key = "frac",
               .title = "Share",
               .brief = "share",
               .style = RFT_AS_PERCENT,
               .text_digits = 1,
               .align = RFT_ALIGN_DECIMAL},
    [ENERGY] = {.title = "Energy", .unit = "J", .style = RFT_AS_SI, .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
    [BY] = {.title = "By", .where = RFT_ON_PAGE, .wraps = true},
    [BOUND] = {.key = "bound"},
    [BOUND_TEXT] = {.key = "bound_text", .title = "Bound", .brief = "bound", .wraps = true},
    [VENDOR] = {.title = "", .where = RFT_IN_TEXT, .below = true},
    [JOULES] = {.key = "joules"},
    [NO_JOULES] = {.key = "no_joules"},
};

static rft_finding *problem_data(const rft_mix_item *item, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    for (size_t i = 0; i < item->axis_count; i++) {
        rft_finding_set(f, item->axes[i], rft_datum_value(&item->values[i]));
    }
    return f;
}

static const char *no_figure(const char *why, rft_arena *arena) {
    return rft_arena_printf(arena, "No figure: %s.", why);
}

/* Of an operation that has a time. */
static void add_times(rft_datum *cells, const rft_mix_line *line, bool complete, rft_arena *arena) {
    const rft_stats *stats = &line->measurement->stats;
    rft_interval_text time = rft_stats_text(stats, 0.0, "s", arena);
    cells[RUN] = rft_datum_text(line->run->info.id);
    cells[SWEEP] = rft_datum_text(line->run->sweeps[line->sweep].sweep.name);
    cells[MEDIAN] = rft_datum_said(rft_datum_number(stats->median), time.value);
    cells[INTERVAL] = time.interval ? rft_datum_text(time.interval) : rft_datum_absent();
    cells[INTERVAL].note =
        stats->interval_is_95
            ? NULL
            : no_figure("too few samples for a 95 % interval of the median (6, or 8 that are not independent)", arena);
    cells[LOW] = rft_datum_number(stats->low);
    cells[HIGH] = rft_datum_number(stats->high);
    cells[PASS] = rft_datum_number(line->time_s);
    cells[SHARE] = rft_datum_said(rft_datum_number(line->frac), complete ? NULL : "");
    if (complete) {
        cells[ENERGY] = rft_datum_number(line->no_joules ? (double)NAN : line->joules);
        cells[ENERGY].note = line->no_joules ? no_figure(line->no_joules, arena) : NULL;
    }
    cells[BY] = rft_datum_text(line->source);
    cells[BOUND_TEXT] = rft_datum_text(rft_mix_bound_text(line, arena));
    cells[BOUND_TEXT].brief = line->by_vendor ? "" : line->bound_name;
    if (line->by_vendor) {
        cells[VENDOR] = rft_datum_text(rft_arena_printf(arena, "by %s", line->source));
    } else {
        cells[POINT] = line->point ? rft_datum_count(line->point->id) : rft_datum_absent();
        cells[BOUND] = rft_datum_text(line->bound_name);
    }
    cells[JOULES] = rft_datum_number(line->joules);
}

static void add_operations(rft_finding *f, const rft_mix_total *total, bool linked) {
    bool complete = total->missing_count == 0;
    rft_cell_table *table = rft_finding_table(f, "operations", line_fields, LINE_FIELDS);
    table->fields[SHARE].where = complete ? 0 : RFT_ON_PAGE | RFT_IN_DATA;
    for (size_t i = 0; i < total->line_count; i++) {
        const rft_mix_line *line = &total->lines[i];
        rft_cell_row *row = rft_cell_table_row(table);
        rft_datum *cells = row->cells;
        cells[NAME] = rft_datum_text(
            rft_arena_printf(f->arena, "%s%s%s", line->item->operation, *line->problem ? " " : "", line->problem));
        cells[OPERATION] = rft_datum_text(line->item->operation);
        cells[PROBLEM] = rft_datum_finding(problem_data(line->item, f->arena));
        cells[COUNT] =
            rft_datum_said(rft_datum_number(line->item->count), rft_mix_exact_text(line->item->count, f->arena));
        cells[REASON] = rft_datum_text(line->missing);
        cells[SOURCE] = rft_datum_text(line->source);
        cells[NO_JOULES] = rft_datum_text(line->no_joules);
        if (line->missing) {
            row->strong = true;
            cells[MEDIAN] = rft_datum_noted(rft_datum_absent(), no_figure(line->missing, f->arena));
        } else {
            row->link = linked ? rft_arena_printf(f->arena, "sweep-%zu", line->sweep + 1) : NULL;
            add_times(cells, line, complete, f->arena);
        }
    }
}

/* ---- a mix, and all of them ---- */

rft_finding *rft_finding_mix(const rft_mix_total *total, bool linked, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_ON_PAGE, 2, "%s", total->mix->name);
    rft_finding_heading(f, RFT_IN_TEXT, 2, "Mix: %s, on %s", total->mix->name, rft_mix_device_text(total, arena));
    add_mix_data(f, total);
    rft_finding_body(f, RFT_ON_PAGE, "On one %s%s, %s. %s",
                     total->mix->cards > 1.0 ? rft_arena_printf(arena, "of %.0f ", total->mix->cards) : "",
                     rft_mix_device_text(total, arena),
                     rft_words_plural(total->line_count, "operation", "operations", arena), total->notes[0]);
    if (total->missing_count) {
        rft_finding_strong(f, RFT_ON_PAGE,
                           rft_arena_printf(arena, "No total: %s, as the table says.", total->time_s.missing));
    }
    if (!total->room.missing && !total->room.fits) {
        rft_finding_strong(f, RFT_ON_PAGE,
                           rft_arena_printf(arena, "The workload %s: the figures are of its operations, not of it.",
                                            rft_mix_room_text(&total->room, total->mix, arena)));
    }
    add_mix_figures(f, total);
    if (total->missing_count == 0) {
        add_share_charts(f, total);
    }
    rft_finding_body(f, RFT_IN_TEXT, "%s", "");
    add_operations(f, total, linked);
    rft_finding_body(f, RFT_IN_TEXT, "%s", "");
    add_shares(f, "by_operation", "operation", total->by_operation, total->operation_count);
    add_shares(f, "by_bound", "bound", total->by_bound, total->bound_count);
    for (size_t i = 0; i < total->note_count; i++) {
        rft_finding_listed(f, RFT_IN_DATA, "notes", total->notes[i]);
        rft_finding_note(f, i ? RFT_TO_PEOPLE : RFT_IN_TEXT, "%s", total->notes[i]);
    }
    return f;
}

rft_finding *rft_finding_remarks(const rft_mix_book *book, bool headed, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    if (book->remark_count) {
        rft_finding_heading(f, headed ? RFT_TO_PEOPLE : RFT_IN_TEXT, 2, "Remarks");
    }
    rft_finding_listed(f, 0, "remarks", NULL);
    for (size_t i = 0; i < book->remark_count; i++) {
        rft_finding_listed(f, 0, "remarks", book->remarks[i]);
    }
    return f;
}

rft_finding *rft_finding_mixes(const rft_mix_book *book, rft_mix_total *const *totals, size_t count, bool linked,
                               rft_arena *arena) {
    rft_finding *f = book ? rft_finding_new(arena) : NULL;
    if (f && count + book->remark_count > 0) {
        rft_finding_chapter(f, 1, count ? "Mix" : "Remarks", "mix");
    }
    rft_item *list = f ? rft_finding_list(f, "mixes") : NULL;
    for (size_t i = 0; i < count; i++) {
        rft_finding_append(f, list, rft_finding_mix(totals[i], linked, arena));
    }
    if (f) {
        rft_finding_join(f, rft_finding_remarks(book, count > 0, arena));
    }
    return f;
}
