/* SPDX-License-Identifier: Apache-2.0 */
/* compare_table.c - a row a workload, a column a device. Two devices have all in one line; more are stacked, four a
 * table, so that eight stay legible. */
#include "reports/compare_pages.h"

#include "base/str.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define STACK_SIDES 4

/* One of a figure's numbers, for every side of a workload. */
static double number_at(const rft_compare_figure *f, size_t offset) {
    return *(const double *)((const char *)f + offset);
}

static bool any_of(const rft_compare *c, size_t workload, size_t offset) {
    bool any = false;
    for (size_t side = 0; side < c->side_count; side++) {
        any = any || isfinite(number_at(&c->workloads[workload].figures[side], offset));
    }
    return any;
}

/* "4.67 us", with notes: the library's, or why there is none. */
static const char *time_text(const rft_compare_pages *p, rft_table *table, const rft_compare_figure *f) {
    if (!f->present) {
        return rft_arena_printf(p->arena, "none%s",
                                rft_doc_note(p->doc, table, rft_arena_printf(p->arena, "No figure: %s.", f->missing)));
    }
    const char *time = rft_figure_si(p->arena, f->stats.median, "s");
    return f->by_vendor
               ? rft_arena_printf(
                     p->arena, "%s%s", time,
                     rft_doc_note(p->doc, table,
                                  rft_arena_printf(p->arena, "%s, which beats the tuned template there.", f->source)))
               : time;
}

static const char *half_text(const rft_compare_pages *p, rft_table *table, const rft_compare_figure *f) {
    if (!f->present) {
        return NULL;
    }
    return f->stats.interval_is_95
               ? rft_figure_plain(p->arena, rft_stats_half_width_frac(&f->stats) * 100.0, 2)
               : rft_arena_printf(p->arena, "n/a%s",
                                  rft_doc_note(p->doc, table, "Under 6 samples give no 95 % interval of the median."));
}

static const char *rate_text(const rft_compare_pages *p, double value, const rft_compare_figure *f, const char *per) {
    return isfinite(value) ? rft_figure_si(p->arena, value, rft_arena_printf(p->arena, "%s/%s", f->unit, per))
           : f->present    ? "n/a"
                           : NULL;
}

/* The reason is printed once, as a note; that a difference is neither shown nor excluded is what AMBIGUOUS means. */
static const char *verdict_text(const rft_compare_pages *p, rft_table *table, const rft_compare_figure *f) {
    const char *name = f->verdict == RFT_COMPARE_NONE ? "not judged" : rft_compare_verdict_name(f->verdict);
    bool plain = f->doubt == RFT_DOUBT_NEITHER && !f->no_native;
    return f->reason && !plain
               ? rft_arena_printf(p->arena, "%s%s", name,
                                  rft_doc_note(p->doc, table, rft_arena_printf(p->arena, "%s.", f->reason)))
               : name;
}

static const char *interval_text(const rft_compare_pages *p, const rft_compare_ratio *r) {
    const char *text = rft_compare_ratio_text(r, p->arena), *bracket = strchr(text, '[');
    return bracket ? bracket : "n/a";
}

static const char *ratio_text(const rft_compare_pages *p, const rft_compare_ratio *r) {
    const char *text = rft_compare_ratio_text(r, p->arena), *bracket = strchr(text, '[');
    return bracket ? rft_arena_strndup(p->arena, text, (size_t)(bracket - text) - 1) : text;
}

static const char *name_text(const rft_compare_pages *p, rft_table *table, size_t w) {
    const rft_compare_workload *of = &p->compare->workloads[w];
    const char *name = rft_arena_printf(p->arena, "%zu  %s", w + 1, of->name);
    if (!of->changed_side) {
        return name;
    }
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, "Held back by another resource:");
    for (size_t side = 0; side < p->compare->side_count; side++) {
        if (of->figures[side].best) {
            rft_str_addf(&text, " %c %s;", p->compare->sides[side].letter,
                         rft_bound_text(&of->figures[side].bound, p->arena));
        }
    }
    rft_str_truncate(&text, text.length - 1);
    rft_str_add_char(&text, '.');
    name = rft_arena_printf(p->arena, "%s%s", name, rft_doc_note(p->doc, table, rft_str_get(&text)));
    rft_str_clear(&text);
    return name;
}

/* ---- two devices: one line each ---- */

enum { PAIR_NAME, PAIR_A, PAIR_A_HALF, PAIR_B, PAIR_B_HALF, PAIR_RATIO, PAIR_INTERVAL, PAIR_VERDICT, PAIR_COLUMNS };

static void add_pair(rft_compare_pages *p) {
    static const rft_column columns[] = {
        [PAIR_NAME] = {.title = "Workload", .wraps = true},
        [PAIR_A] = {.title = "A", .align = RFT_ALIGN_RIGHT},
        [PAIR_A_HALF] = {.title = "\xc2\xb1", .unit = "%", .align = RFT_ALIGN_DECIMAL},
        [PAIR_B] = {.title = "B", .align = RFT_ALIGN_RIGHT},
        [PAIR_B_HALF] = {.title = "\xc2\xb1", .unit = "%", .align = RFT_ALIGN_DECIMAL},
        [PAIR_RATIO] = {.title = "Speed", .unit = "A = 1", .align = RFT_ALIGN_DECIMAL},
        [PAIR_INTERVAL] = {.title = "95 %"},
        [PAIR_VERDICT] = {.title = "Verdict"},
    };
    const rft_compare *c = p->compare;
    rft_table *table = rft_doc_table(p->doc, columns, PAIR_COLUMNS);
    for (size_t w = 0; w < c->workload_count; w++) {
        const rft_compare_figure *a = &c->workloads[w].figures[0], *b = &c->workloads[w].figures[1];
        const char *name = name_text(p, table, w);
        rft_row *row = rft_doc_row(p->doc, table);
        row->rule = w > 0 && c->workloads[w].group != c->workloads[w - 1].group;
        row->cells[PAIR_NAME] = name;
        row->cells[PAIR_A] = time_text(p, table, a);
        row->cells[PAIR_A_HALF] = half_text(p, table, a);
        row->cells[PAIR_B] = time_text(p, table, b);
        row->cells[PAIR_B_HALF] = half_text(p, table, b);
        row->cells[PAIR_RATIO] = b->verdict == RFT_COMPARE_NONE ? NULL : ratio_text(p, &b->ratio);
        row->cells[PAIR_INTERVAL] = b->verdict == RFT_COMPARE_NONE ? NULL : interval_text(p, &b->ratio);
        row->cells[PAIR_VERDICT] = verdict_text(p, table, b);
    }
}

/* ---- more: stacked ---- */

static void add_stack(rft_compare_pages *p, size_t first, size_t count) {
    const rft_compare *c = p->compare;
    rft_column columns[2 + STACK_SIDES] = {{.title = "Workload", .wraps = true}, {.title = ""}};
    for (size_t i = 0; i < count; i++) {
        columns[2 + i] = (rft_column){.title = rft_compare_page_side(p, first + i)};
    }
    rft_table *table = rft_doc_table(p->doc, columns, 2 + count);
    for (size_t w = 0; w < c->workload_count; w++) {
        bool any = false;
        for (size_t i = 0; i < count; i++) {
            any = any || c->workloads[w].figures[first + i].problem != SIZE_MAX;
        }
        if (!any) {
            continue;
        }
        const char *name = name_text(p, table, w);
        static const char *const lines[] = {"best", "against A", "verdict"};
        for (int line = 0; line < (c->workloads[w].figures[0].present ? 3 : 1); line++) {
            rft_row *row = rft_doc_row(p->doc, table);
            row->rule = line == 0 && table->row_count > 1;
            row->cells[0] = line == 0 ? name : NULL;
            row->cells[1] = lines[line];
            for (size_t i = 0; i < count; i++) {
                const rft_compare_figure *f = &c->workloads[w].figures[first + i];
                bool other = first + i > 0;
                if (line == 0) {
                    const char *half = half_text(p, table, f);
                    row->cells[2 + i] =
                        half ? rft_arena_printf(p->arena, "%s \xc2\xb1 %s %%", time_text(p, table, f), half)
                             : time_text(p, table, f);
                } else if (line == 1) {
                    row->cells[2 + i] =
                        other && f->verdict != RFT_COMPARE_NONE ? rft_compare_ratio_text(&f->ratio, p->arena) : NULL;
                } else {
                    row->cells[2 + i] = other ? verdict_text(p, table, f) : "first";
                }
            }
        }
    }
}

/* ---- rates, watts, prices ---- */

typedef struct rate_column {
    const char *title, *per;
    size_t offset; /* of the number in a figure */
} rate_column;

/* False: nobody has such a number. */
static bool add_rates(rft_compare_pages *p, const rate_column *kind) {
    const rft_compare *c = p->compare;
    rft_column columns[1 + RFT_COMPARE_MOST] = {{.title = "Workload", .wraps = true}};
    rft_table *table = NULL;
    for (size_t side = 0; side < c->side_count; side++) {
        columns[1 + side] = (rft_column){.title = rft_compare_page_letter(p, side), .align = RFT_ALIGN_RIGHT};
    }
    for (size_t w = 0; w < c->workload_count; w++) {
        if (!any_of(c, w, kind->offset)) {
            continue;
        }
        if (!table) {
            rft_doc_heading(p->doc, 2, kind->title, NULL);
            table = rft_doc_table(p->doc, columns, 1 + c->side_count);
        }
        rft_row *row = rft_doc_row(p->doc, table);
        row->cells[0] = rft_arena_printf(p->arena, "%zu  %s", w + 1, c->workloads[w].name);
        for (size_t side = 0; side < c->side_count; side++) {
            const rft_compare_figure *f = &c->workloads[w].figures[side];
            row->cells[1 + side] = rate_text(p, number_at(f, kind->offset), f, kind->per);
        }
    }
    return table != NULL;
}

static void add_alone(rft_compare_pages *p) {
    static const rft_column columns[] = {{.title = "Run"}, {.title = "Without a partner", .wraps = true}};
    if (p->compare->alone_count == 0) {
        return;
    }
    rft_doc_heading(p->doc, 2, "What has no partner", NULL);
    rft_table *table = rft_doc_table(p->doc, columns, 2);
    for (size_t i = 0; i < p->compare->alone_count; i++) {
        rft_doc_pair(p->doc, table, rft_compare_page_letter(p, p->compare->alone[i].side), p->compare->alone[i].text);
    }
}

void rft_compare_page_table(rft_compare_pages *p) {
    const rft_compare *c = p->compare;
    const rate_column watts = {"Useful rate per watt (board sensor, informative)", "s/W",
                               offsetof(rft_compare_figure, per_joule)};
    const rate_column rates = {"Useful rate", "s", offsetof(rft_compare_figure, rate)};
    const char *currency = "unit of price";
    for (size_t i = 0; i < c->side_count; i++) {
        currency = c->sides[i].price.currency ? c->sides[i].price.currency : currency;
    }
    const rate_column prices = {"Useful rate per price of the device", rft_arena_printf(p->arena, "s per %s", currency),
                                offsetof(rft_compare_figure, per_price)};
    rft_doc_new_page(p->doc);
    rft_doc_heading(p->doc, 1, "Workload by workload", "workloads");
    rft_doc_text(p->doc, RFT_TEXT_BODY,
                 "Best median time of each run with half its 95 % interval, the speed against A with its 95 % interval "
                 "(above 1 is faster) and the verdict. AMBIGUOUS without a note: a difference is neither shown nor "
                 "excluded. What A has no figure of is not judged.");
    if (c->side_count == 2) {
        add_pair(p);
    }
    for (size_t first = 0; c->side_count > 2 && first < c->side_count; first += STACK_SIDES) {
        size_t left = c->side_count - first;
        add_stack(p, first, left < STACK_SIDES ? left : STACK_SIDES);
    }
    if (!add_rates(p, &rates)) {
        rft_doc_text(p->doc, RFT_TEXT_NOTE, "No work is declared: there are times, and no useful rates.");
    }
    if (!add_rates(p, &watts)) {
        rft_doc_text(p->doc, RFT_TEXT_NOTE, "No run has energy of these workloads: no rate per watt.");
    }
    add_rates(p, &prices); /* without prices nothing is said of them */
    add_alone(p);
}
