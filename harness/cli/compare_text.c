/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/compare_text.h"

#include "base/units.h"
#include "cli/compare_mix_text.h"
#include "reports/print/layout.h"

#include <math.h>
#include <string.h>

#define NAME_WIDTH 20
#define CELL_WIDTH 20
#define CELLS_MOST 3 /* a block */
#define REASONS_MOST 40
#define CARRIES_MOST 40

typedef struct page {
    rft_str *out;
    const rft_compare *compare;
    rft_arena *arena;
} page;

static const char *seconds(const page *t, double value) {
    char buffer[48] = "n/a";
    if (isfinite(value)) {
        rft_units_format_seconds(buffer, sizeof buffer, value, 3);
    }
    return rft_arena_strdup(t->arena, buffer);
}

static const char *percent(const page *t, double frac) {
    double shown = frac * 100.0;
    return isfinite(frac) ? rft_arena_fixed(t->arena, shown,
                                            fabs(shown) < 0.095  ? 2
                                            : fabs(shown) < 9.95 ? 1
                                                                 : 0,
                                            " %")
                          : "n/a";
}

static void add_sides(const page *t) {
    for (size_t i = 0; i < t->compare->side_count; i++) {
        const rft_compare_side *side = &t->compare->sides[i];
        size_t fellow = 0;
        for (size_t k = 0; k < i; k++) {
            fellow += t->compare->sides[k].card == side->card;
        }
        const char *uuid = side->run->gpu.uuid;
        rft_layout_wrapped(
            t->out, 0, 3,
            rft_arena_printf(t->arena, "%c: %s%s%s, run %s, %s%s, %s", side->letter, side->device,
                             uuid && *uuid ? ", card " : "", uuid && *uuid ? rft_arena_strndup(t->arena, uuid, 12) : "",
                             side->run->info.id, side->date, fellow ? " (a card named above)" : "", side->path));
    }
}

/* ---- the table ---- */

/* "4.67 us ±0.3 %", "*" where it is the library's. */
static const char *best_cell(const page *t, const rft_compare_figure *f) {
    if (!f->present) {
        return f->problem == SIZE_MAX ? "not in this run" : "nothing measured";
    }
    return rft_arena_printf(t->arena, "%s%s %s", seconds(t, f->stats.median), f->by_vendor ? "*" : "",
                            f->stats.interval_is_95 ? rft_arena_printf(t->arena, "\xc2\xb1%s",
                                                                       percent(t, rft_stats_half_width_frac(&f->stats)))
                                                    : rft_arena_printf(t->arena, "n=%zu", f->stats.n));
}

/* "1.014x FASTER"; "first". */
static const char *verdict_cell(const page *t, size_t side, const rft_compare_figure *f) {
    if (side == 0 || f->verdict == RFT_COMPARE_NONE) {
        return side == 0 && f->present ? "first" : "";
    }
    const char *text = rft_compare_ratio_text(&f->ratio, t->arena);
    return rft_arena_printf(t->arena, "%.*s %s", (int)strcspn(text, " "), text, rft_compare_verdict_name(f->verdict));
}

/* "[1.012, 1.017]" */
static const char *interval_cell(const page *t, size_t side, const rft_compare_figure *f) {
    const char *text = rft_compare_ratio_text(&f->ratio, t->arena), *bracket = strchr(text, '[');
    return side != 0 && f->verdict != RFT_COMPARE_NONE && bracket ? bracket : "";
}

static void add_cells(const page *t, const rft_compare_workload *w, const size_t *sides, size_t count, int line) {
    for (size_t i = 0; i < count; i++) {
        const rft_compare_figure *f = &w->figures[sides[i]];
        const char *cell = line == 0   ? best_cell(t, f)
                           : line == 1 ? verdict_cell(t, sides[i], f)
                                       : interval_cell(t, sides[i], f);
        if (i + 1 < count) {
            rft_layout_left(t->out, cell, CELL_WIDTH);
        } else {
            rft_str_add(t->out, cell);
        }
    }
    while (t->out->length > 0 && rft_str_get(t->out)[t->out->length - 1] == ' ') {
        rft_str_truncate(t->out, t->out->length - 1);
    }
    rft_str_add_char(t->out, '\n');
}

static void add_row(const page *t, const rft_compare_workload *w, const size_t *sides, size_t count) {
    bool fits = rft_layout_columns(w->name) < NAME_WIDTH;
    const char *space = NULL; /* the last one that leaves both parts short enough */
    for (const char *at = strchr(w->name, ' '); at && !fits; at = strchr(at + 1, ' ')) {
        bool left = (size_t)(at - w->name) < NAME_WIDTH, right = rft_layout_columns(at + 1) < NAME_WIDTH - 2;
        space = left && right ? at : space;
    }
    bool breaks = space != NULL;
    const char *first = breaks ? rft_arena_strndup(t->arena, w->name, (size_t)(space - w->name)) : w->name;
    const char *second = breaks ? rft_arena_printf(t->arena, "  %s", space + 1) : "";
    if (!fits && !breaks) {
        rft_str_addf(t->out, "%s\n", w->name);
        first = "";
    }
    rft_layout_left(t->out, first, NAME_WIDTH);
    add_cells(t, w, sides, count, 0);
    rft_layout_left(t->out, second, NAME_WIDTH);
    add_cells(t, w, sides, count, 1);
    rft_layout_left(t->out, w->changed_side ? "  (bounds differ)" : "", NAME_WIDTH);
    add_cells(t, w, sides, count, 2);
}

/* At most so many characters. */
static const char *cut(const page *t, const char *text, size_t columns) {
    size_t length = 0, seen = 0;
    for (; text[length]; length++) {
        seen += ((unsigned char)text[length] & 0xc0) != 0x80;
        if (seen > columns) {
            break;
        }
    }
    return rft_arena_strndup(t->arena, text, length);
}

static bool any_has(const rft_compare_workload *w, const size_t *sides, size_t count) {
    bool any = false;
    for (size_t i = 0; i < count; i++) {
        any = any || w->figures[sides[i]].problem != SIZE_MAX;
    }
    return any;
}

static void add_block(const page *t, const size_t *sides, size_t count) {
    rft_str_add_char(t->out, '\n');
    rft_layout_left(t->out, "workload", NAME_WIDTH);
    for (size_t i = 0; i < count; i++) {
        const char *name = rft_compare_side_name(t->compare, sides[i], t->arena);
        name = cut(t, name, count > 2 || i + 1 < count ? CELL_WIDTH - 1 : 2 * CELL_WIDTH);
        if (i + 1 < count) {
            rft_layout_left(t->out, name, CELL_WIDTH);
        } else {
            rft_str_add(t->out, name);
        }
    }
    rft_str_add_char(t->out, '\n');
    for (size_t w = 0; w < t->compare->workload_count; w++) {
        if (any_has(&t->compare->workloads[w], sides, count)) {
            add_row(t, &t->compare->workloads[w], sides, count);
        }
    }
}

static void add_table(const page *t) {
    size_t sides[CELLS_MOST], next = 0;
    while (next < t->compare->side_count) {
        size_t count = 0;
        while (count < CELLS_MOST && next < t->compare->side_count) {
            sides[count++] = next++;
        }
        add_block(t, sides, count);
    }
    rft_layout_wrapped(
        t->out, 0, 2,
        "Best time with its 95 % interval; speed against A (above 1 is faster), verdict, and the speed's "
        "95 % interval.");
    for (size_t w = 0; w < t->compare->workload_count; w++) {
        for (size_t side = 0; side < t->compare->side_count; side++) {
            if (t->compare->workloads[w].figures[side].by_vendor) {
                rft_layout_wrapped(t->out, 0, 2, "* the vendor's library, which beats the tuned template there.");
                return;
            }
        }
    }
}

/* ---- what stands beside it ---- */

static void add_reasons(const page *t) {
    size_t told = 0, all = 0;
    for (size_t w = 0; w < t->compare->workload_count; w++) {
        const rft_compare_workload *of = &t->compare->workloads[w];
        for (size_t side = 0; side < t->compare->side_count; side++) {
            const rft_compare_figure *f = &of->figures[side];
            if (!f->reason) {
                continue;
            }
            all++;
            if (told < REASONS_MOST) {
                rft_str_add(t->out, told++ ? "" : "\nbeside the verdicts\n");
                rft_layout_wrapped(
                    t->out, 2, 2,
                    rft_arena_printf(t->arena, "%s, %c: %s", of->name, t->compare->sides[side].letter, f->reason));
            }
        }
        if (of->changed_side && told < REASONS_MOST) {
            rft_str line = RFT_STR_INIT;
            rft_str_addf(&line, "%s, bounds differ:", of->name);
            for (size_t side = 0; side < t->compare->side_count; side++) {
                if (of->figures[side].best) {
                    rft_str_addf(&line, " %c %s;", t->compare->sides[side].letter,
                                 rft_bound_text(&of->figures[side].bound, t->arena));
                }
            }
            rft_str_truncate(&line, line.length - 1);
            rft_str_add(t->out, told++ ? "" : "\nbeside the verdicts\n");
            all++;
            rft_layout_wrapped(t->out, 2, 2, rft_str_get(&line));
            rft_str_clear(&line);
        }
    }
    if (all > told) {
        rft_layout_wrapped(t->out, 2, 2, rft_arena_printf(t->arena, "and %zu more: --json has all", all - told));
    }
}

static void add_carries(const page *t) {
    size_t told = 0, all = t->compare->carry_count;
    for (size_t i = 0; i < all && told < CARRIES_MOST; i++) {
        const rft_compare_carry *c = &t->compare->carries[i];
        char from = t->compare->sides[c->from].letter, to = t->compare->sides[c->to].letter;
        rft_str_add(t->out, told++ ? "" : "\nconfigurations that carry over (the best of one, run on the other)\n");
        const char *what = c->reason ? c->reason
                                     : rft_arena_printf(t->arena, "%s of the best of %c%s", percent(t, c->frac), to,
                                                        c->tie ? ", a tie" : "");
        rft_layout_wrapped(t->out, 2, 2,
                           rft_arena_printf(t->arena, "%s, best of %c on %c: %s",
                                            t->compare->workloads[c->workload].name, from, to, what));
    }
    if (all > told) {
        rft_layout_wrapped(t->out, 2, 2, rft_arena_printf(t->arena, "and %zu more: --json has all", all - told));
    }
}

static void add_effort(const page *t) {
    rft_str_add(t->out, "\nsearch effort\n");
    for (size_t side = 0; side < t->compare->side_count; side++) {
        for (size_t first = 0; first < t->compare->workload_count; first = rft_compare_next_sweep(t->compare, first)) {
            size_t count = 0;
            rft_compare_effort sum = rft_compare_sweep_effort(t->compare, first, side, &count);
            if (count > 0) {
                rft_layout_wrapped(t->out, 2, 2,
                                   rft_arena_printf(t->arena, "%c, %s, %zu workload%s: %s",
                                                    t->compare->sides[side].letter,
                                                    t->compare->workloads[first].sweep_name, count,
                                                    count == 1 ? "" : "s", rft_compare_effort_text(&sum, t->arena)));
            }
        }
    }
}

static void add_variation(const page *t) {
    for (size_t i = 0; i < t->compare->variation_count; i++) {
        const rft_compare_variation *v = &t->compare->variations[i];
        rft_str_add(t->out, i ? "" : "\nvariation among runs of one model (template, slowest over fastest)\n");
        rft_str line = RFT_STR_INIT;
        rft_str_addf(&line, "%s, %s: %zu runs on %zu card%s", t->compare->sides[v->model].device,
                     t->compare->workloads[v->workload].name, v->runs, v->cards, v->cards == 1 ? "" : "s");
        if (isfinite(v->card_frac)) {
            rft_str_addf(&line, ", card to card %s", percent(t, v->card_frac));
        }
        if (isfinite(v->run_to_run_frac)) {
            rft_str_addf(&line, ", run to run %s", percent(t, v->run_to_run_frac));
        }
        rft_str_addf(&line, " (intervals: up to \xc2\xb1%s)", percent(t, v->half_width_frac));
        rft_layout_wrapped(t->out, 2, 2, rft_str_get(&line));
        rft_str_clear(&line);
    }
}

static void add_rest(const page *t) {
    for (size_t i = 0; i < t->compare->alone_count; i++) {
        const rft_compare_alone *alone = &t->compare->alone[i];
        rft_str_add(t->out, i ? "" : "\nwithout a partner\n");
        rft_layout_wrapped(t->out, 2, 2,
                           rft_arena_printf(t->arena, "%c: %s", t->compare->sides[alone->side].letter, alone->text));
    }
    rft_str_add(t->out, "\nwhat the verdicts rest on\n");
    for (size_t i = 0; i < t->compare->caveat_count; i++) {
        rft_layout_wrapped(t->out, 2, 2, t->compare->caveats[i]);
    }
}

void rft_compare_text(rft_str *out, const rft_compare *compare) {
    page t = {.out = out, .compare = compare, .arena = rft_arena_new()};
    add_sides(&t);
    rft_str_add_char(out, '\n');
    for (size_t side = 1; side < compare->side_count; side++) {
        rft_layout_wrapped(out, 0, 2, rft_arena_printf(t.arena, "%s.", rft_compare_sentence(compare, side, t.arena)));
    }
    add_table(&t);
    add_reasons(&t);
    rft_compare_mixes_text(out, compare->mixes);
    add_carries(&t);
    add_effort(&t);
    add_variation(&t);
    add_rest(&t);
    rft_arena_free(t.arena);
}
