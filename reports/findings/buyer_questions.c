/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buyer_questions.c - five questions to the vendor, each with a threshold that is made from the run. Without limits
 * over many cards a threshold is what this card reads, less what cards of a model were seen to differ by: a proposal
 * for the contract, which the last column says.
 */
#include "reports/findings/buyer.h"

#include "model/roofline/held_clock.h"
#include "reports/figures.h"
#include "reports/findings/words.h"

#include <math.h>

#define KEPT_FRAC 0.95 /* of this card's reading; docs/report.md says why */
#define LONG_S 60      /* seconds that a rate is asked over: heat and power have settled by then */

enum { QUESTION, FIGURE, SENSE, THRESHOLD, UNIT, READING, FROM, ASK, FIELDS };

static const rft_trait fields[FIELDS] = {
    [QUESTION] = {.key = "question", .title = "Ask for", .wraps = true},
    [FIGURE] = {.key = "figure"},
    [SENSE] = {.key = "sense"},
    [THRESHOLD] = {.key = "threshold", .title = "Accept", .align = RFT_ALIGN_RIGHT},
    [UNIT] = {.key = "unit"},
    [READING] = {.key = "reading", .title = "This card", .align = RFT_ALIGN_RIGHT},
    [FROM] = {.key = "from", .title = "Seen", .wraps = true},
    [ASK] = {.key = "ask", .title = "If not, ask", .wraps = true},
};

typedef struct vendor_question {
    const char *text, *figure, *unit, *from, *ask;
    double reading; /* NaN: the run does not have it */
    double least;   /* to be accepted where no reading decides it; NaN */
    bool at_most;
} vendor_question;

/* Four digits, away from the reading: what this card meets stays met. */
static double threshold_of(double reading, bool at_most) {
    double value = at_most ? reading / KEPT_FRAC : reading * KEPT_FRAC;
    double unit = pow(10.0, floor(log10(value)) - 3.0);
    return (at_most ? ceil(value / unit) : floor(value / unit)) * unit;
}

static const char *amount(double value, const char *unit, rft_arena *arena) {
    return *unit == '%' ? rft_arena_printf(arena, "%s %%", rft_figure_plain(arena, value, 3))
                        : rft_figure_si(arena, value, unit);
}

static void add_question(rft_cell_table *table, const vendor_question *q) {
    rft_arena *arena = table->arena;
    rft_datum *cells = rft_cell_table_row(table)->cells;
    bool known = isfinite(q->reading) && q->reading > 0;
    double threshold = isfinite(q->least) ? q->least : known ? threshold_of(q->reading, q->at_most) : (double)NAN;
    cells[QUESTION] = rft_datum_text(rft_arena_printf(arena, "%zu. %s", table->row_count, q->text));
    cells[FIGURE] = rft_datum_text(q->figure);
    cells[SENSE] = rft_datum_text(q->at_most ? "at_most" : "at_least");
    cells[THRESHOLD] =
        rft_datum_said(rft_datum_number(threshold),
                       isnan(threshold) ? "agree on one"
                                        : rft_arena_printf(arena, "%s %s", q->at_most ? "at most" : "at least",
                                                           amount(threshold, q->unit, arena)));
    cells[UNIT] = rft_datum_text(q->unit);
    cells[READING] = rft_datum_said(rft_datum_number(known ? q->reading : (double)NAN),
                                    known ? amount(q->reading, q->unit, arena) : "n/a");
    cells[FROM] = rft_datum_text(q->from);
    cells[ASK] = rft_datum_text(q->ask);
}

/* ---- the five ---- */

static vendor_question of_ceiling(const rft_run *run, rft_ceiling_id id, const char *text, const char *ask) {
    double sustained = rft_ceilings_sustained_rate(&run->ceilings, id);
    bool is_soaked = isfinite(sustained);
    return (vendor_question){.text = text,
                             .figure = rft_ceiling_name(id),
                             .unit = rft_ceiling_unit(id),
                             .reading = is_soaked ? sustained : rft_ceilings_rate(&run->ceilings, id),
                             .least = NAN,
                             .from =
                                 is_soaked ? "under load for seconds" : "in bursts only: have it measured under load",
                             .ask = ask};
}

/* The problem of most weight that takes longest: the workload itself. */
static const rft_speed_item *showpiece(const rft_buyer *buyer) {
    const rft_speed_asked *asked = buyer->asked;
    const rft_speed_part *heaviest = NULL;
    const rft_speed_item *found = NULL;
    for (size_t p = 0; p < asked->part_count; p++) {
        const rft_speed_part *part = &asked->parts[p];
        const rft_speed_item *item = part->longest == SIZE_MAX ? NULL : &asked->items[part->longest];
        bool heavier = item && (!heaviest || part->weight > heaviest->weight * 1.0001 ||
                                (part->weight > heaviest->weight * 0.9999 && item->time_s > found->time_s));
        if (heavier) {
            heaviest = part;
            found = item;
        }
    }
    return found;
}

static vendor_question of_workload(const rft_buyer *buyer, rft_arena *arena) {
    const rft_mix_total *mix = buyer->asked->mix;
    const rft_speed_item *item = showpiece(buyer);
    static const char ask[] = "for the same sweep run at the vendor's, and its run file";
    if (mix && isfinite(mix->units_s.value)) {
        return (vendor_question){.text = rft_arena_printf(arena, "your workload, %s", mix->mix->name),
                                 .figure = "mix",
                                 .unit = rft_arena_printf(arena, "%s/s", mix->mix->unit),
                                 .reading = mix->units_s.value,
                                 .least = NAN,
                                 .from = "sum of its operations",
                                 .ask = ask};
    }
    if (!item) {
        return (vendor_question){.text = "your workload",
                                 .figure = "none",
                                 .unit = "s",
                                 .reading = NAN,
                                 .least = NAN,
                                 .from = "nothing was measured",
                                 .ask = ask};
    }
    const rft_run *run = buyer->given.run;
    double back = item->best ? rft_point_back_to_back_s(item->best) : (double)NAN;
    return (vendor_question){.text = rft_arena_printf(arena, "time of %s%s",
                                                      rft_words_problem(run, item->sweep, item->problem, arena),
                                                      isfinite(back) ? ", runs following each other" : ""),
                             .figure = "problem",
                             .unit = "s",
                             .reading = isfinite(back) ? back : item->time_s,
                             .least = NAN,
                             .at_most = true,
                             .from = isfinite(back) ? "without a pause" : "single runs",
                             .ask = ask};
}

/* The limit decides the clock under load; it is a setting, so nothing is taken off. */
static vendor_question of_power(const rft_run *run) {
    double limit = rft_run_power_limit_w(run);
    const char *standard = rft_env_value(&run->env, "nvml.power_limit_default_w");
    return (vendor_question){.text = "the power limit that is set on each card",
                             .figure = "power_limit_w",
                             .unit = "W",
                             .reading = limit,
                             .least = limit,
                             .from = isnan(limit) ? "not recorded"
                                     : standard   ? "as the driver tells it"
                                                  : "as the driver tells it, its default is not known",
                             .ask = "who lowered it, and which clock it leaves under load"};
}

static vendor_question of_spread(void) {
    return (vendor_question){
        .text = "all cards alike: what the slowest does of the fastest on each line; no memory errors, all links",
        .figure = "spread",
        .unit = "%",
        .reading = NAN,
        .least = KEPT_FRAC * 100,
        .from = "one card cannot tell",
        .ask = "for readings of eight cards: limits follow from them"};
}

rft_finding *rft_finding_questions(const rft_buyer *buyer, rft_arena *arena) {
    const rft_run *run = buyer->given.run;
    rft_finding *f = rft_finding_new(arena);
    rft_ceiling_id pipe = rft_buyer_chief_pipe(buyer);
    bool has_pipe = pipe != RFT_CEILING_COUNT;
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Five questions to the vendor");
    rft_cell_table *table = rft_finding_table(f, "", fields, FIELDS);
    vendor_question memory = of_ceiling(
        run, RFT_CEILING_DRAM_READ, rft_arena_printf(arena, "device memory, read only, for %d s, on each card", LONG_S),
        "for the memory clock, memory errors and replaced rows");
    vendor_question arithmetic =
        of_ceiling(run, has_pipe ? pipe : RFT_CEILING_FP32,
                   rft_arena_printf(arena, "%s, for %d s, on each card",
                                    rft_words_plain_ceiling(has_pipe ? pipe : RFT_CEILING_FP32, arena), LONG_S),
                   "what holds the clock down: power limit, heat, another card");
    vendor_question workload = of_workload(buyer, arena), power = of_power(run), spread = of_spread();
    add_question(table, &memory);
    add_question(table, &arithmetic);
    add_question(table, &workload);
    add_question(table, &power);
    add_question(table, &spread);
    rft_finding_note(
        f, RFT_ON_PAGE,
        "Accept: what this card reads, less %g %%, which is more than two cards of a model mostly differ by: a "
        "proposal for the contract from one run, not a statement about a delivery.",
        (1 - KEPT_FRAC) * 100);
    return f;
}
