/* SPDX-License-Identifier: Apache-2.0 */
/* buyer_limiting.c - what limits the card on the workload, in three paragraphs: memory, arithmetic, power. */
#include "reports/findings/buyer.h"

#include "base/str.h"
#include "model/roofline/held_clock.h"
#include "model/run/run_foreign.h"
#include "reports/figures.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include <math.h>

typedef enum limit_group {
    ON_MEMORY,
    ON_CACHE,
    ON_ARITHMETIC,
    ON_POWER, /* or heat */
    ON_CLOCK, /* held down by another card, or for a reason that is not known */
    ON_WAITING,
    ON_UNKNOWN,
    GROUPS
} limit_group;

static limit_group group_of(const rft_bound *bound) {
    switch (bound->resource) {
    case RFT_RESOURCE_DRAM:
        return ON_MEMORY;
    case RFT_RESOURCE_L2:
    case RFT_RESOURCE_L1:
    case RFT_RESOURCE_SHARED:
        return ON_CACHE;
    case RFT_RESOURCE_PIPE:
    case RFT_RESOURCE_ISSUE:
        return ON_ARITHMETIC;
    case RFT_RESOURCE_POWER:
    case RFT_RESOURCE_THERMAL:
        return ON_POWER;
    case RFT_RESOURCE_CLOCK:
        return ON_CLOCK;
    case RFT_RESOURCE_LAUNCH:
    case RFT_RESOURCE_LATENCY:
        return ON_WAITING;
    case RFT_RESOURCE_UNKNOWN:
        break;
    }
    return ON_UNKNOWN;
}

typedef struct held_back {
    double weight[GROUPS];
    double launch;                              /* of those that wait: by the time that it takes to start a kernel */
    double heat;                                /* of those that power or heat holds back */
    double paired;                              /* of those that the clock holds back: for another card */
    double lowest_mhz[GROUPS], run_mhz[GROUPS]; /* of what the clock holds back */
    double drawn_w[GROUPS];                     /* the most that it drew without a pause; NaN */
    double pipes[RFT_PIPE_COUNT];               /* weight of each */
    double issue;                               /* of those that issue instructions in most cycles */
} held_back;

/* Without a pause, too: "Clock" and the watts are of both. */
static void hold_clock(held_back *h, const rft_speed_item *item, limit_group group) {
    const rft_load *load = item->best ? item->best->loads[RFT_LOAD_ENERGY] : NULL;
    double single = item->bound.clock.clock_mhz, loaded = load ? load->clock_mhz : (double)NAN;
    h->lowest_mhz[group] = fmin(fmin(h->lowest_mhz[group], single), loaded);
    h->run_mhz[group] = fmax(h->run_mhz[group], item->bound.clock.run_mhz);
    h->drawn_w[group] = fmax(h->drawn_w[group], load && load->source ? load->power_w : (double)NAN);
}

static held_back hold(const rft_speed_asked *asked) {
    held_back h = {.launch = 0};
    for (int group = 0; group < GROUPS; group++) {
        h.lowest_mhz[group] = h.run_mhz[group] = h.drawn_w[group] = NAN;
    }
    for (size_t i = 0; i < asked->item_count; i++) {
        const rft_speed_item *item = &asked->items[i];
        limit_group group = group_of(&item->bound);
        h.weight[group] += item->weight;
        h.launch += item->bound.resource == RFT_RESOURCE_LAUNCH ? item->weight : 0;
        h.heat += item->bound.resource == RFT_RESOURCE_THERMAL ? item->weight : 0;
        h.paired += group == ON_CLOCK && item->bound.clock.cause == RFT_THROTTLE_SYNC_BOOST ? item->weight : 0;
        h.issue += item->bound.resource == RFT_RESOURCE_ISSUE ? item->weight : 0;
        if (item->bound.resource == RFT_RESOURCE_PIPE) {
            h.pipes[item->bound.pipe] += item->weight;
        }
        hold_clock(&h, item, group);
    }
    h.weight[ON_UNKNOWN] += asked->item_count == 0;
    return h;
}

/* "62 %"; a share that rounds to nothing is under 1 %. */
static const char *share_text(double share, rft_arena *arena) {
    return share > 0 && share < 0.01 ? "under 1 %" : rft_arena_fixed(arena, share * 100, 0, " %");
}

/* What lies on the chip is no faster on a card with a faster memory. */
static const char *cache_text(const held_back *h, rft_arena *arena) {
    return h->weight[ON_CACHE] > 0
               ? rft_arena_printf(
                     arena,
                     " The caches on the chip hold back %s: kernels that read less from them, or another chip, make "
                     "that faster.",
                     share_text(h->weight[ON_CACHE], arena))
               : "";
}

static const char *memory_text(const held_back *h, const rft_run *run, rft_arena *arena) {
    double rate = rft_ceilings_rate(&run->ceilings, RFT_CEILING_DRAM_READ);
    const char *caches = cache_text(h, arena);
    if (!(h->weight[ON_MEMORY] > 0)) {
        return rft_arena_printf(arena, "%s%s",
                                h->weight[ON_UNKNOWN] > 0.5
                                    ? "Memory: not known."
                                    : "Memory holds back nothing here: a faster one would change little.",
                                caches);
    }
    return rft_arena_printf(
        arena,
        "Memory holds back %s of the workload%s: a faster memory, or fewer bytes (smaller number types, several steps "
        "in "
        "one kernel), makes that faster.%s",
        share_text(h->weight[ON_MEMORY], arena),
        isnan(rate) ? "" : rft_arena_printf(arena, " (this card reads %s at most)", rft_figure_si(arena, rate, "B/s")),
        caches);
}

static const char *waiting_text(const held_back *h, rft_arena *arena) {
    if (!(h->weight[ON_WAITING] > 0)) {
        return "";
    }
    bool launch = h->launch > h->weight[ON_WAITING] / 2;
    return rft_arena_printf(
        arena, "; %s waits%s: larger problems or fewer, larger kernels change that, a faster card does not",
        share_text(h->weight[ON_WAITING], arena),
        launch ? " mostly for kernels to start" : " for data or for kernels to start");
}

static const char *arithmetic_text(const held_back *h, rft_arena *arena) {
    size_t most = 0;
    rft_ceiling_id id;
    for (size_t p = 1; p < RFT_PIPE_COUNT; p++) {
        most = h->pipes[p] > h->pipes[most] ? p : most;
    }
    const char *waits = waiting_text(h, arena);
    if (!(h->weight[ON_ARITHMETIC] > 0)) {
        bool unknown = h->weight[ON_UNKNOWN] > 0.5;
        return rft_arena_printf(arena, "Arithmetic%s%s.", unknown ? ": not known" : " holds back nothing here", waits);
    }
    const char *name = "instructions", *remedy = "fewer or wider instructions make that faster";
    if (h->pipes[most] >= h->issue && rft_ceiling_from_name(&id, rft_pipe_name((rft_pipe)most))) {
        bool atomics = id >= RFT_CEILING_ATOMICS_FIRST && id < RFT_CEILING_ATOMICS_END;
        name = rft_words_plain_ceiling(id, arena);
        remedy = atomics ? "fewer of them, or spread over more addresses, make that faster"
                         : "more or faster units, or a smaller number type, make that faster";
    }
    return rft_arena_printf(
        arena, "Arithmetic holds back %s (%s%s): %s%s.", share_text(h->weight[ON_ARITHMETIC], arena),
        fmax(h->pipes[most], h->issue) < 0.999 * h->weight[ON_ARITHMETIC] ? "mostly " : "", name, remedy, waits);
}

/* "falls to 1311 MHz of 1980" */
static const char *fall_text(const held_back *h, limit_group group, rft_arena *arena) {
    double run_mhz = h->run_mhz[group];
    return rft_arena_printf(arena, "falls to %s MHz%s", rft_figure_plain(arena, h->lowest_mhz[group], 4),
                            isnan(run_mhz) ? ""
                                           : rft_arena_printf(arena, " of %s", rft_figure_plain(arena, run_mhz, 4)));
}

/* What holds the clock down where it is neither power nor heat. */
static const char *clock_text(const held_back *h, rft_arena *arena) {
    return rft_arena_printf(arena, "The clock holds back %s: it %s%s; a higher clock makes that faster.",
                            share_text(h->weight[ON_CLOCK], arena), fall_text(h, ON_CLOCK, arena),
                            h->paired >= 0.999 * h->weight[ON_CLOCK]
                                ? ", held back for another card"
                                : ", and why is not known (`rooftune run --energy largest` reads the driver's reasons "
                                  "under load)");
}

static const char *held_text(const held_back *h, const rft_run *run, const char *drawn, rft_arena *arena) {
    bool heat = h->heat > 0, power = h->heat < h->weight[ON_POWER], highest = rft_run_power_limit_is_highest(run);
    bool raised = power && !highest;
    return rft_arena_printf(arena, "%s %s: the clock %s%s; %s%s%sless energy an operation%s makes that faster%s.",
                            heat && power ? "Power and heat hold back"
                            : heat        ? "Heat holds back"
                                          : "Power holds back",
                            share_text(h->weight[ON_POWER], arena), fall_text(h, ON_POWER, arena), drawn,
                            raised ? "a higher power limit, " : "", heat ? "better cooling, " : "",
                            raised || heat ? "or " : "", raised || heat ? "," : "",
                            power && highest ? " (the limit is the highest that the card takes)" : "");
}

static const char *power_text(const held_back *h, const rft_run *run, rft_arena *arena) {
    const rft_load *load = NULL;
    double drawn = rft_buyer_power_w(run, &load), limit = rft_run_power_limit_w(run);
    const char *of = isnan(limit) ? "" : rft_arena_printf(arena, " (limit %s W)", rft_figure_plain(arena, limit, 3));
    const char *watts = rft_figure_plain(arena, drawn, 3);
    const char *clock = h->weight[ON_CLOCK] > 0 ? clock_text(h, arena) : NULL;
    if (h->weight[ON_POWER] > 0) {
        double held_w = h->drawn_w[ON_POWER]; /* what draws more elsewhere is another kernel */
        const char *at =
            isnan(held_w) ? "" : rft_arena_printf(arena, " at %s W%s", rft_figure_plain(arena, held_w, 3), of);
        return rft_arena_printf(arena, "%s%s%s", held_text(h, run, at, arena), clock ? " " : "", clock ? clock : "");
    }
    if (clock) {
        return clock;
    }
    if (isnan(drawn)) {
        return rft_run_foreign(run) ? "Power: another program's file does not tell what the card draws under load."
               : rft_buyer_has_no_meter(run) ? "Power: not known, the card tells none."
                                             : "Power: what the card draws under load was not measured (`rooftune run "
                                               "--energy largest` does).";
    }
    bool near = drawn >= RFT_POWER_AT_LIMIT_FRAC * limit;
    return rft_arena_printf(
        arena,
        "Power holds back none of the best configurations that run alone; without a pause the card drew up "
        "to %s W%s%s.",
        watts, of,
        !near                                 ? ""
        : rft_run_power_limit_is_highest(run) ? ", the highest that it takes"
                                              : ": a higher limit may make long loads faster");
}

rft_finding *rft_finding_limiting(const rft_buyer *buyer, rft_arena *arena) {
    static const char *const keys[GROUPS] = {"memory_frac", "cache_frac",   "arithmetic_frac", "power_frac",
                                             "clock_frac",  "waiting_frac", "unknown_frac"};
    rft_finding *f = rft_finding_new(arena);
    held_back h = hold(buyer->asked);
    const rft_run *run = buyer->given.run;
    const char *sentences[] = {memory_text(&h, run, arena), arithmetic_text(&h, arena), power_text(&h, run, arena)};
    for (int group = 0; group < GROUPS; group++) {
        rft_finding_set(f, keys[group], rft_datum_number(h.weight[group]));
    }
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "What limits it");
    for (size_t i = 0; i < 3; i++) {
        rft_finding_listed(f, 0, "sentences", sentences[i]);
    }
    if (h.weight[ON_UNKNOWN] > 0) {
        rft_finding_note(
            f, RFT_TO_PEOPLE,
            "Of %s of the workload it is not known what holds it back: no measured limit is near, or its work "
            "is not declared.",
            share_text(h.weight[ON_UNKNOWN], arena));
    }
    return f;
}
