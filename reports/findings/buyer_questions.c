/* SPDX-License-Identifier: Apache-2.0 */
/*
 * buyer_questions.c - five questions to the vendor, each with a threshold: the limits that `report --limits-out` writes
 * and `rooftune test` checks, where they have the figure.
 */
#include "reports/findings/buyer.h"

#include "model/acceptance/accept_limits.h"
#include "model/roofline/held_clock.h"
#include "reports/figures.h"
#include "reports/findings/words.h"

#include <math.h>

#define KEPT_FRAC (1 - RFT_LIMITS_PROPOSED_FRAC) /* of a reading that has no limit of its own */
#define LONG_S 60 /* seconds that a rate is asked over: heat and power have settled by then */

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
    double reading;   /* of this card; NaN: the run does not have it */
    double threshold; /* NaN: buyer and vendor have to agree on one */
    bool at_most;
} vendor_question;

static const char *amount(double value, const char *unit, rft_arena *arena) {
    return *unit == '%' ? rft_arena_printf(arena, "%s %%", rft_figure_plain(arena, value, 3))
                        : rft_figure_si(arena, value, unit);
}

static void add_question(rft_cell_table *table, const vendor_question *q) {
    rft_arena *arena = table->arena;
    rft_datum *cells = rft_cell_table_row(table)->cells;
    bool known = isfinite(q->reading) && q->reading > 0;
    cells[QUESTION] = rft_datum_text(rft_arena_printf(arena, "%zu. %s", table->row_count, q->text));
    cells[FIGURE] = rft_datum_text(q->figure);
    cells[SENSE] = rft_datum_text(q->at_most ? "at_most" : "at_least");
    cells[THRESHOLD] =
        rft_datum_said(rft_datum_number(q->threshold),
                       isnan(q->threshold) ? "agree on one"
                                           : rft_arena_printf(arena, "%s %s", q->at_most ? "at most" : "at least",
                                                              amount(q->threshold, q->unit, arena)));
    cells[UNIT] = rft_datum_text(q->unit);
    cells[READING] = rft_datum_said(rft_datum_number(known ? q->reading : (double)NAN),
                                    known ? amount(q->reading, q->unit, arena) : "n/a");
    cells[FROM] = rft_datum_text(q->from);
    cells[ASK] = rft_datum_text(q->ask);
}

/* ---- limits ---- */

/* NULL: this card's runs are none to make limits from (a replay, another program's, no known card). The program's own
 * recordings are no reference cards for a contract: only who names runs knows what they are of. */
static const rft_limits *limits_of(const rft_buyer *buyer, rft_arena *arena) {
    const rft_buyer_given *given = &buyer->given;
    size_t own = given->parts ? given->part_count : 1, named = given->reference_count - given->shipped_count;
    const rft_run **runs = rft_arena_calloc(arena, own + named + 1, sizeof *runs);
    rft_limits *limits = NULL;
    for (size_t i = 0; i < own; i++) {
        runs[i] = given->parts ? given->parts[i] : given->run;
    }
    for (size_t i = 0; i < named; i++) {
        runs[own + i] = given->references[i];
    }
    return rft_limits_make(&limits, runs, own + named, own, arena, NULL) == RFT_OK ? limits : NULL;
}

static const rft_limit *ceiling_limit(const rft_limits *limits, rft_ceiling_id id) {
    for (size_t i = 0; limits && i < limits->count; i++) {
        if (limits->items[i].is_ceiling && limits->items[i].ceiling == id) {
            return &limits->items[i];
        }
    }
    return NULL;
}

static const rft_limit *sweep_limit(const rft_limits *limits, const char *sweep) {
    for (size_t i = 0; limits && i < limits->count; i++) {
        if (!limits->items[i].is_ceiling && rft_text_equal(limits->items[i].problem.operation, sweep)) {
            return &limits->items[i];
        }
    }
    return NULL;
}

/* "under load; from 9 reference cards" */
static const char *from_words(const rft_limit *limit, const char *how, rft_arena *arena) {
    return limit->from == RFT_LIMIT_FROM_TOLERANCE
               ? rft_arena_printf(arena, "%s; from %zu reference cards", how, limit->cards)
               : rft_arena_printf(arena, "%s; %s", how,
                                  limit->from == RFT_LIMIT_FROM_DATASHEET ? "the datasheet's" : "a proposal");
}

/* ---- the five ---- */

/* A proposal that rests on this card alone is no threshold to accept where the card itself reads less than others. */
static const char *low_words(const rft_buyer *buyer, const rft_limit *limit, rft_ceiling_id id, rft_arena *arena) {
    const rft_peers_row *peer = &buyer->peers.rows[id];
    return limit && limit->from == RFT_LIMIT_FROM_CONTRACT && peer->verdict == RFT_PEERS_LOW
               ? rft_arena_printf(arena, ": too low, others read %s or more",
                                  rft_figure_si(arena, peer->low, rft_ceiling_unit(id)))
               : "";
}

/* What was read in bursts is no limit for a minute: under load matrix units keep much less. */
static vendor_question of_ceiling(const rft_buyer *buyer, const rft_limits *limits, rft_ceiling_id id, const char *what,
                                  const char *ask, rft_arena *arena) {
    const rft_limit *limit = ceiling_limit(limits, id);
    bool several = buyer->given.parts && buyer->given.part_count > 1;
    const char *over = limit && !limit->sustained ? "in bursts" : rft_arena_printf(arena, "for %d s", LONG_S);
    const char *how = rft_arena_printf(arena, "%s%s", limit && limit->sustained ? "under load" : "in bursts",
                                       several ? ", mean of its runs" : "");
    return (vendor_question){.text = rft_arena_printf(arena, "%s, %s, on each card", what, over),
                             .figure = rft_ceiling_name(id),
                             .unit = rft_ceiling_unit(id),
                             .reading = limit ? limit->reading : (double)NAN,
                             .threshold = limit ? limit->value : (double)NAN,
                             .from = limit ? rft_arena_printf(arena, "%s%s", from_words(limit, how, arena),
                                                              low_words(buyer, limit, id, arena))
                                           : "not measured on a card that is known",
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

static vendor_question of_workload(const rft_buyer *buyer, const rft_limits *limits, rft_arena *arena) {
    static const char ask[] = "for the same sweep run at the vendor's, and its run file";
    const rft_mix_total *mix = buyer->asked->mix;
    const rft_speed_item *item = showpiece(buyer);
    const rft_run *run = buyer->given.run;
    if (mix && isfinite(mix->units_s.value)) {
        return (vendor_question){.text = rft_arena_printf(arena, "your workload, %s", mix->mix->name),
                                 .figure = "mix",
                                 .unit = rft_arena_printf(arena, "%s/s", mix->mix->unit),
                                 .reading = mix->units_s.value,
                                 .threshold = mix->units_s.value * KEPT_FRAC,
                                 .from = "sum of its operations; a proposal",
                                 .ask = ask};
    }
    const rft_limit *limit = item ? sweep_limit(limits, run->sweeps[item->sweep].sweep.name) : NULL;
    if (!limit) {
        return (vendor_question){.text = "your workload",
                                 .figure = "none",
                                 .unit = "s",
                                 .reading = NAN,
                                 .threshold = NAN,
                                 .from = "not measured on a card that is known",
                                 .ask = ask};
    }
    return (vendor_question){.text = rft_arena_printf(arena, "the time of %s", rft_limit_text(limit, arena)),
                             .figure = "problem",
                             .unit = "s",
                             .reading = limit->reading,
                             .threshold = limit->value,
                             .at_most = true,
                             .from = from_words(limit, "single runs", arena),
                             .ask = ask};
}

/* The limit decides the clock under load; it is a setting, so nothing is taken off. Where somebody lowered it, the
 * default is asked for. */
static vendor_question of_power(const rft_run *run) {
    double limit = rft_run_power_limit_w(run), normal = NAN;
    const char *standard = rft_env_value(&run->env, "nvml.power_limit_default_w");
    bool lowered = standard && rft_text_to_double(standard, &normal) && limit < normal;
    return (vendor_question){.text = "the power limit that is set on each card",
                             .figure = "power_limit_w",
                             .unit = "W",
                             .reading = limit,
                             .threshold = lowered ? normal : limit,
                             .from = isnan(limit) ? "not recorded"
                                     : lowered    ? "the default, as the driver tells it; this card's was lowered"
                                     : standard   ? "as the driver tells it"
                                                  : "as the driver tells it, its default is not known",
                             .ask = "who lowered it, and which clock it leaves under load"};
}

static vendor_question of_spread(void) {
    return (vendor_question){.text =
                                 "all cards alike: slowest against fastest on each line; no memory errors, all links",
                             .figure = "spread",
                             .unit = "%",
                             .reading = NAN,
                             .threshold = KEPT_FRAC * 100,
                             .from = "one card cannot tell; a proposal",
                             .ask = "for readings of eight cards: limits follow from them"};
}

rft_finding *rft_finding_questions(const rft_buyer *buyer, rft_arena *arena) {
    const rft_run *run = buyer->given.run;
    rft_finding *f = rft_finding_new(arena);
    rft_ceiling_id pipe = rft_buyer_chief_pipe(buyer);
    bool has_pipe = pipe != RFT_CEILING_COUNT;
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Five questions to the vendor");
    rft_cell_table *table = rft_finding_table(f, "", fields, FIELDS);
    const rft_limits *limits = limits_of(buyer, arena);
    vendor_question memory = of_ceiling(buyer, limits, RFT_CEILING_DRAM_READ, "device memory, read only",
                                        "for the memory clock, memory errors and replaced rows", arena);
    vendor_question arithmetic = of_ceiling(buyer, limits, has_pipe ? pipe : RFT_CEILING_FP32,
                                            rft_words_plain_ceiling(has_pipe ? pipe : RFT_CEILING_FP32, arena),
                                            "what holds the clock down: power limit, heat, another card", arena);
    vendor_question workload = of_workload(buyer, limits, arena), power = of_power(run), spread = of_spread();
    add_question(table, &memory);
    add_question(table, &arithmetic);
    add_question(table, &workload);
    add_question(table, &power);
    add_question(table, &spread);
    rft_finding_note(
        f, RFT_ON_PAGE,
        "Accept: what `rooftune report --limits-out FILE` writes and `rooftune test FILE` checks on delivered cards. "
        "From "
        "%u reference cards on, cards like them keep it; below, it is a proposal for the contract, %g %% off what this "
        "card reads (of a time, what another run may read, where that is more), and says nothing of a delivery. In "
        "bursts: over milliseconds; what heat and power leave of it under load `rooftune ceilings --soak 60s` tells.",
        RFT_LIMITS_CARDS_LEAST, RFT_LIMITS_PROPOSED_FRAC * 100);
    return f;
}
