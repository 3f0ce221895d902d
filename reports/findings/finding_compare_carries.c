/* SPDX-License-Identifier: Apache-2.0 */
/* finding_compare_carries.c - the best configuration of one run of a comparison, as measured on the others
 * (compare_findings.h). */
#include "reports/findings/compare_findings.h"

#include <math.h>

#define BRIEFLY 40  /* rows of a terminal's list */
#define ON_PAGE 200 /* rows of a page's */

static const char *config_of(const rft_compare_figure *figure, const rft_run *run, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[figure->sweep].sweep;
    const char *config = rft_run_config_text(run, figure->best, true, arena);
    return sweep->variant_count > 1 ? rft_arena_printf(arena, "%s%s%s", sweep->variants[figure->best->variant].name,
                                                       *config ? ": " : "", config)
           : *config                ? config
                                    : "(nothing to tune)";
}

/* Geometric mean of what is kept, with its interval, and of how many. */
static const char *mean_kept(const rft_compare *c, size_t from, size_t to, rft_arena *arena) {
    rft_compare_mean kept = {.additive = false};
    size_t all = 0;
    for (size_t i = 0; i < c->carry_count; i++) {
        if (c->carries[i].from == from && c->carries[i].to == to) {
            all++;
            if (c->carries[i].kept.ratio > 0.0) {
                rft_compare_mean_add(&kept, &c->carries[i].kept, 1.0);
            }
        }
    }
    if (kept.count == 0) {
        return all ? rft_arena_printf(arena, "none of %zu ran", all) : "n/a";
    }
    const rft_compare_ratio mean = rft_compare_mean_of(&kept);
    const char *ends = rft_compare_dashed(rft_compare_kept_ends(&mean, arena), arena);
    bool many = c->side_count > RFT_COMPARE_ROOMY;
    return rft_arena_printf(arena, "%s of %zu%s%s%s%s",
                            many ? rft_compare_percent(mean.ratio, arena) : rft_compare_kept_text(&mean, arena),
                            kept.count, many && ends ? " (" : "", many && ends ? ends : "", many && ends ? ")" : "",
                            kept.count < all ? rft_arena_printf(arena, " (%zu did not run)", all - kept.count) : "");
}

static void add_matrix(rft_finding *f, const rft_compare *compare) {
    rft_trait fields[1 + RFT_COMPARE_MOST] = {{.title = "Best of \\ run on", .wraps = true}};
    size_t count = compare->side_count;
    for (size_t to = 0; to < count; to++) {
        fields[1 + to] = (rft_trait){.title = rft_compare_letter(compare, to, f->arena), .wraps = true};
    }
    rft_cell_table *table = rft_finding_table(f, NULL, fields, 1 + count);
    table->where = RFT_ON_PAGE;
    for (size_t from = 0; from < count; from++) {
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[0] = rft_datum_text(rft_compare_row_name(compare, from, f->arena));
        for (size_t to = 0; to < count; to++) {
            row->cells[1 + to] = rft_datum_text(from == to ? "-" : mean_kept(compare, from, to, f->arena));
        }
    }
    rft_finding_note(f, RFT_ON_PAGE,
                     "Geometric mean over the workloads of the speed kept, and over how many: those whose "
                     "configuration was tried on the other run; in brackets the 95 %% interval.");
}

/* What the rows left out. */
static void add_carry_notes(rft_finding *f, const rft_compare *c, size_t listed, bool above) {
    size_t ties = 0, untried = 0;
    for (size_t i = 0; i < c->carry_count; i++) {
        ties += c->carries[i].tie;
        untried += c->carries[i].there == NULL;
    }
    if (above) {
        rft_finding_note(f, RFT_ON_PAGE,
                         "Over 100 %%: what was not in the final round was not measured in the same minutes as the "
                         "best, which is one of the final round.");
    }
    rft_finding_note(
        f, RFT_ON_PAGE, "Not listed: %zu of %zu tie with the best there%s%s.", ties, c->carry_count,
        untried ? rft_arena_printf(f->arena, ", %zu were not tried there", untried) : "",
        listed > ON_PAGE
            ? rft_arena_printf(f->arena, ", and %zu more, which `rooftune compare --json` has", listed - ON_PAGE)
            : "");
    if (c->carry_count - ties > BRIEFLY) {
        rft_finding_body(f, RFT_IN_TEXT, "and %zu more: --json has all", c->carry_count - ties - BRIEFLY);
    }
    rft_finding_body(f, RFT_IN_TEXT, "%zu of %zu tie with the best there", ties, c->carry_count);
}

/* A page lists what loses speed, a terminal also what did not run, as far as there is room. */
static void add_carries(rft_finding *f, const rft_compare *c) {
    enum { SAID, NAME, WORKLOAD, FROM, CONFIG, TO, FRAC, LOW, HIGH, INTERVAL, TIE, REASON, FIELDS };
    static const rft_trait fields[FIELDS] = {
        [SAID] = {.title = "", .where = RFT_IN_TEXT},
        [NAME] = {.title = "Workload", .where = RFT_ON_PAGE, .wraps = true},
        [WORKLOAD] = {.key = "workload"},
        [FROM] = {.key = "from", .title = "Best of", .where = RFT_ON_PAGE | RFT_IN_DATA},
        [CONFIG] = {.title = "Configuration", .where = RFT_ON_PAGE, .wraps = true},
        [TO] = {.key = "to", .title = "on", .where = RFT_ON_PAGE | RFT_IN_DATA},
        [FRAC] = {.key = "frac",
                  .title = "speed kept",
                  .style = RFT_AS_PERCENT,
                  .align = RFT_ALIGN_DECIMAL,
                  .where = RFT_ON_PAGE | RFT_IN_DATA},
        [LOW] = {.key = "frac_low"},
        [HIGH] = {.key = "frac_high"},
        [INTERVAL] = {.title = "95 %", .where = RFT_ON_PAGE},
        [TIE] = {.key = "tie"},
        [REASON] = {.key = "reason"},
    };
    rft_arena *arena = f->arena;
    rft_cell_table *table = rft_finding_table(f, "carries", fields, FIELDS);
    table->lines = true;
    size_t listed = 0, briefly = 0, last = SIZE_MAX;
    bool above = false;
    for (size_t i = 0; i < c->carry_count; i++) {
        const rft_compare_carry *carry = &c->carries[i];
        const rft_compare_workload *of = &c->workloads[carry->workload];
        const char *from = rft_compare_letter(c, carry->from, arena), *to = rft_compare_letter(c, carry->to, arena);
        bool on_page = !carry->tie && carry->there && listed++ < ON_PAGE;
        rft_cell_row *row = rft_cell_table_row(table);
        bool in_text = !carry->tie && briefly++ < BRIEFLY;
        row->where = RFT_IN_DATA | (in_text ? RFT_IN_TEXT : 0) | (on_page ? RFT_ON_PAGE : 0);
        row->rule = on_page && last != SIZE_MAX && last != carry->workload;
        row->cells[SAID] = rft_datum_text(
            rft_arena_printf(arena, "%s, best of %s on %s: %s", of->name, from, to,
                             carry->reason ? carry->reason
                                           : rft_arena_printf(arena, "%s of the best of %s%s",
                                                              rft_compare_percent(carry->kept.ratio, arena), to,
                                                              carry->tie ? ", a tie" : "")));
        row->cells[NAME] = rft_datum_text(last != carry->workload ? of->name : NULL);
        row->cells[WORKLOAD] = rft_datum_text(of->name);
        row->cells[FROM] = rft_datum_text(from);
        row->cells[CONFIG] =
            on_page ? rft_datum_text(config_of(&of->figures[carry->from], c->sides[carry->from].run, arena))
                    : (rft_datum){0};
        row->cells[TO] = rft_datum_text(to);
        row->cells[FRAC] = rft_datum_number(carry->kept.ratio);
        row->cells[LOW] = rft_datum_number(carry->kept.low);
        row->cells[HIGH] = rft_datum_number(carry->kept.high);
        row->cells[INTERVAL] = rft_datum_text(rft_compare_kept_ends(&carry->kept, arena));
        row->cells[FRAC].note = carry->reason ? rft_arena_printf(arena, "No number: %s.", carry->reason) : NULL;
        row->cells[TIE] = rft_datum_flag(carry->tie);
        row->cells[REASON] = rft_datum_text(carry->reason);
        last = on_page ? carry->workload : last;
        above = above || (on_page && carry->kept.ratio > 1.0);
    }
    if (c->carry_count > 0) {
        add_carry_notes(f, c, listed, above);
    }
}

rft_finding *rft_finding_carries(const rft_compare *compare, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    if (compare->carry_count == 0) {
        rft_finding_body(f, RFT_ON_PAGE, "No two runs have a best configuration of the template on one workload.");
    } else {
        rft_finding_heading(f, RFT_IN_TEXT, 2, "configurations that carry over (the best of one, run on the other)");
        rft_finding_body(f, RFT_ON_PAGE,
                         "The best configuration of one run, as measured on the other: its speed in per cent of the "
                         "best there. 100 %% needs no tuning anew.");
        add_matrix(f, compare);
    }
    add_carries(f, compare);
    return f;
}
