/* SPDX-License-Identifier: Apache-2.0 */
/* buyer_normal.c - is this card as others of its model are, and was it in order while it worked? */
#include "reports/findings/buyer.h"

#include "base/str.h"
#include "model/roofline/held_clock.h"
#include "model/run/run_foreign.h"
#include "model/run/run_throttled.h"
#include "reports/figures.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include <math.h>
#include <string.h>

/* ---- beside other cards ---- */

enum { WHAT, WHAT_KEY, OWN, MEDIAN, LOW, HIGH, RANGE, CARDS, PERCENTILE, VERDICT, PEER_FIELDS };

static const rft_trait peer_fields[PEER_FIELDS] = {
    [WHAT] = {.title = "Beside other cards"},
    [WHAT_KEY] = {.key = "what"},
    [OWN] = {.key = "own", .title = "This card", .align = RFT_ALIGN_RIGHT},
    [MEDIAN] = {.key = "median", .title = "Median", .align = RFT_ALIGN_RIGHT},
    [LOW] = {.key = "low"},
    [HIGH] = {.key = "high"},
    [RANGE] = {.title = "Range", .align = RFT_ALIGN_RIGHT},
    [CARDS] = {.key = "cards", .title = "Cards", .align = RFT_ALIGN_RIGHT},
    [PERCENTILE] = {.key = "below_frac", .title = "Below", .align = RFT_ALIGN_RIGHT},
    [VERDICT] = {.key = "verdict", .title = "Verdict"},
};

static const char *peer_name(size_t what, rft_arena *arena) {
    return what < RFT_CEILING_COUNT   ? rft_words_plain_ceiling((rft_ceiling_id)what, arena)
           : what == RFT_PEERS_IDLE_W ? "power at rest"
                                      : "clock of the arithmetic units under load";
}

static const char *peer_key(size_t what) {
    return what < RFT_CEILING_COUNT   ? rft_ceiling_name((rft_ceiling_id)what)
           : what == RFT_PEERS_IDLE_W ? "idle_w"
                                      : "sm_clock_mhz";
}

static const char *peer_value(size_t what, double value, rft_arena *arena) {
    if (what == RFT_PEERS_CLOCK_MHZ) {
        return isnan(value) ? "n/a" : rft_arena_printf(arena, "%s MHz", rft_figure_plain(arena, value, 4));
    }
    return rft_figure_si(arena, value, what < RFT_CEILING_COUNT ? rft_ceiling_unit((rft_ceiling_id)what) : "W");
}

static void add_peer(rft_cell_table *table, const rft_peers *peers, size_t what, bool seen) {
    const rft_peers_row *peer = &peers->rows[what];
    rft_arena *arena = table->arena;
    rft_cell_row *row = rft_cell_table_row(table);
    rft_datum *cells = row->cells;
    row->where = seen ? 0 : RFT_IN_DATA;
    row->strong = peer->verdict == RFT_PEERS_LOW || peer->verdict == RFT_PEERS_HIGH;
    cells[WHAT] = rft_datum_text(peer_name(what, arena));
    cells[WHAT_KEY] = rft_datum_text(peer_key(what));
    cells[OWN] = rft_datum_said(rft_datum_number(peer->own), peer_value(what, peer->own, arena));
    cells[MEDIAN] = rft_datum_said(rft_datum_number(peer->median), peer_value(what, peer->median, arena));
    cells[LOW] = rft_datum_number(peer->low);
    cells[HIGH] = rft_datum_number(peer->high);
    cells[RANGE] = rft_datum_text(peer->cards ? rft_arena_printf(arena, "%s to %s", peer_value(what, peer->low, arena),
                                                                 peer_value(what, peer->high, arena))
                                              : "n/a");
    cells[CARDS] = rft_datum_count((int64_t)peer->cards);
    cells[PERCENTILE] = rft_datum_number(peer->below_frac);
    if (isfinite(peer->below_frac)) {
        cells[PERCENTILE] = rft_datum_said(cells[PERCENTILE], rft_arena_fixed(arena, peer->below_frac * 100, 0, " %"));
    }
    cells[VERDICT] = rft_datum_text(rft_peers_verdict_name(peer->verdict));
}

/* What a page has of them: some rates that tell of memory and of the units in use. */
static bool is_shown(size_t what, rft_ceiling_id chief) {
    return what == RFT_CEILING_DRAM_READ || what == (size_t)chief || what == RFT_PEERS_CLOCK_MHZ;
}

static const char *left_out_text(const rft_peers *peers, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    if (peers->own_runs) {
        rft_str_addf(&text, " Left out: %s of this very card.",
                     rft_words_plural(peers->own_runs, "run", "runs", arena));
    }
    if (peers->others) {
        rft_str_addf(&text, " Left out: %s of other models.", rft_words_plural(peers->others, "run", "runs", arena));
    }
    if (peers->nameless) {
        rft_str_addf(&text, " Left out: %s without a UUID.", rft_words_plural(peers->nameless, "run", "runs", arena));
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* The answer to the heading; the words "low" and "high" stand in the table. */
static const char *verdict_text(const rft_buyer *buyer, rft_arena *arena) {
    const rft_peers *peers = &buyer->peers;
    const char *name = buyer->given.run->gpu.name;
    const char *device = name && !rft_run_foreign(buyer->given.run) ? name : "card of its model";
    size_t normal = 0, odd = 0;
    for (size_t what = 0; what < RFT_PEERS_COUNT; what++) {
        normal += peers->rows[what].verdict == RFT_PEERS_NORMAL;
        odd += peers->rows[what].verdict == RFT_PEERS_LOW || peers->rows[what].verdict == RFT_PEERS_HIGH;
    }
    if (peers->cards == 0) {
        return rft_arena_printf(arena, "Not known: no reference. No run of another %s was given (--reference).%s",
                                device, left_out_text(peers, arena));
    }
    if (normal + odd == 0) {
        return rft_arena_printf(arena, "Not known: runs of %s are no reference, it takes %u cards.%s",
                                rft_words_plural(peers->cards, "other card", "other cards", arena), RFT_PEERS_LEAST,
                                left_out_text(peers, arena));
    }
    const char *others = rft_words_plural(peers->cards, "other card", "other cards", arena);
    if (odd == 0) {
        return rft_arena_printf(arena, "Normal: %zu of %zu figures lie where %s of the model %s lie.%s", normal, normal,
                                others, device, left_out_text(peers, arena));
    }
    return rft_arena_printf(arena,
                            "Not normal: %zu of %zu figures %s where none of %s of the model %s lies; %s bold below.%s",
                            odd, normal + odd, odd == 1 ? "lies" : "lie", others, device,
                            odd == 1 ? "it is" : "they are", left_out_text(peers, arena));
}

static void add_peers(rft_finding *f, const rft_buyer *buyer) {
    const rft_peers *peers = &buyer->peers;
    rft_ceiling_id chief = rft_buyer_chief_pipe(buyer);
    const char *verdict = verdict_text(buyer, f->arena);
    rft_finding_set(f, "text", rft_datum_text(verdict));
    rft_finding_body(f, RFT_TO_PEOPLE, "%s", verdict);
    rft_cell_table *table = rft_finding_table(f, "peers", peer_fields, PEER_FIELDS);
    for (size_t what = 0; what < RFT_PEERS_COUNT; what++) {
        if (isfinite(peers->rows[what].own)) {
            bool odd = peers->rows[what].verdict == RFT_PEERS_LOW || peers->rows[what].verdict == RFT_PEERS_HIGH;
            add_peer(table, peers, what, peers->cards > 0 && (odd || is_shown(what, chief)));
        }
    }
    if (peers->cards > 0) {
        rft_finding_note(
            f, RFT_TO_PEOPLE,
            "A card counts once, by its number (UUID), with the median of its runs%s. Normal: not more than %g %% "
            "outside the range of the others (%u or more), nor further than their scatter leaves open; L2 reads, "
            "matrix units and power at rest, which differ more, %g %%. Below: the share of the others that read less "
            "(%u or more).",
            buyer->given.card_count ? "; those of the program's recordings are among them" : "",
            RFT_PEERS_MARGIN_FRAC * 100, RFT_PEERS_LEAST, RFT_PEERS_WIDE_MARGIN_FRAC * 100, RFT_PEERS_RANKED);
    }
}

/* ---- while it worked ---- */

enum { ASPECT, ASPECT_KEY, FOUND, MEANS, GOOD, STATE_FIELDS };

static const rft_trait state_fields[STATE_FIELDS] = {
    [ASPECT] = {.title = "While it worked"},
    [ASPECT_KEY] = {.key = "what"},
    [FOUND] = {.key = "found", .title = "Found", .wraps = true},
    [MEANS] = {.key = "means", .title = "Which means", .wraps = true},
    [GOOD] = {.key = "in_order"},
};

#define OFTEN_FRAC 0.05 /* of the points: more than that is part of what the card does */

typedef enum in_order { YES, NO, NOT_KNOWN } in_order;

static void add_state(rft_cell_table *table, const char *key, const char *aspect, const char *found, in_order good,
                      const char *means) {
    rft_cell_row *row = rft_cell_table_row(table);
    row->cells[ASPECT] = rft_datum_text(aspect);
    row->cells[ASPECT_KEY] = rft_datum_text(key);
    row->cells[FOUND] = rft_datum_text(found);
    row->cells[MEANS] = rft_datum_text(good == NOT_KNOWN ? "not known" : means);
    row->cells[GOOD] = good == NOT_KNOWN ? rft_datum_absent() : rft_datum_flag(good == YES);
    row->strong = good == NO;
}

/* Of the first key that the run has; with its reason where it has no value, but where `told` was the same before. */
static const char *fact(const rft_run *run, const char *const *keys, bool *known, const char **told, rft_arena *arena) {
    const char *reason = NULL;
    for (*known = true; *keys; keys++) {
        const rft_env_item *item = rft_env_get(&run->env, *keys);
        if (item && item->value) {
            return item->value;
        }
        reason = item && !reason ? item->reason : reason;
    }
    *known = false;
    reason = reason ? reason : "not recorded";
    bool again = *told && strcmp(*told, reason) == 0;
    *told = reason;
    return again ? "n/a" : rft_arena_printf(arena, "n/a: %s", reason);
}
#define FACT(run, known, told, arena, ...) fact(run, (const char *const[]){__VA_ARGS__, NULL}, known, told, arena)

/* "1318 to 1980 MHz": median clocks of the best of all problems, alone and without a pause. */
static void add_clock(rft_cell_table *table, const rft_buyer *buyer) {
    const rft_run *run = buyer->given.run;
    double low = NAN, high = NAN, most = run->gpu.sm_clock_khz / 1000.0;
    for (size_t i = 0; i < buyer->asked->item_count; i++) {
        const rft_point *best = buyer->asked->items[i].best;
        const rft_load *load = best ? best->loads[RFT_LOAD_ENERGY] : NULL;
        double single = best ? rft_point_measurement(best)->clock_mhz : (double)NAN;
        double loaded = load ? load->clock_mhz : (double)NAN;
        low = fmin(low, fmin(single, loaded));
        high = fmax(high, fmax(single, loaded));
    }
    if (isnan(low)) {
        add_state(table, "clock", "Clock", "n/a: not read", NOT_KNOWN, NULL);
        return;
    }
    bool held = most > 0 && low < most * (1 - RFT_THROTTLE_BELOW_FRAC);
    const char *from = rft_figure_plain(table->arena, low, 4), *to = rft_figure_plain(table->arena, high, 4);
    const char *range = strcmp(from, to) == 0 ? to : rft_arena_printf(table->arena, "%s to %s", from, to);
    add_state(table, "clock", "Clock",
              rft_arena_printf(table->arena, "best of each problem at %s MHz%s", range,
                               most > 0 ? rft_arena_printf(table->arena, "; the highest is %s",
                                                           rft_figure_plain(table->arena, most, 4))
                                        : ""),
              held ? NO : YES, held ? "part of the work ran below the highest" : "as fast as it may be");
}

/* What held the clock down under load, by cause: the largest share that any point saw. */
static const char *held_text(const rft_run *run, bool *known, bool *held, rft_arena *arena) {
    double worst[RFT_THROTTLE_COUNT] = {0};
    *known = *held = false;
    for (size_t i = 0; i < run->point_count; i++) {
        for (int kind = 0; kind < RFT_LOAD_POINT_KINDS; kind++) {
            const rft_load *load = run->points[i].loads[kind];
            for (int cause = 0; load && cause < RFT_THROTTLE_COUNT; cause++) {
                *known = *known || isfinite(load->throttled_frac[cause]);
                worst[cause] = fmax(worst[cause], load->throttled_frac[cause]);
                *held = *held || worst[cause] > 0;
            }
        }
    }
    rft_str text = RFT_STR_INIT;
    for (int cause = 0; cause < RFT_THROTTLE_COUNT; cause++) {
        if (worst[cause] > 0) {
            rft_str_addf(&text, "%s%s up to %s of the time", text.length ? ", " : "; under seconds of load: ",
                         rft_throttle_words((rft_throttle_cause)cause), rft_figure_percent(arena, worst[cause]));
        }
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return *held || !*known ? kept : "; under seconds of load nothing held it down";
}

/* Whether anything took longer when its runs followed each other at once. */
static bool is_slower_under_load(const rft_run *run) {
    bool slower = false;
    for (size_t i = 0; i < run->point_count && !slower; i++) {
        const rft_point *point = &run->points[i];
        slower = rft_point_back_to_back_s(point) > (1 + RFT_PEERS_MARGIN_FRAC) * rft_point_median_s(point);
    }
    return slower;
}

/* Of the workload, by its weights: what the clock holds back by its bound. */
static double held_back_by_clock(const rft_speed_asked *asked) {
    double weight = 0;
    for (size_t i = 0; i < asked->item_count; i++) {
        weight += rft_bound_is_held(&asked->items[i].bound) ? asked->items[i].weight : 0;
    }
    return weight;
}

static void add_held(rft_cell_table *table, const rft_buyer *buyer) {
    const rft_run *run = buyer->given.run;
    bool known, held;
    const char *load = held_text(run, &known, &held, table->arena);
    const char *bursts = rft_words_throttled(run, table->arena);
    bool looked = known || !rft_text_starts(bursts, "n/a");
    rft_run_throttled throttled = rft_run_throttled_of(run);
    bool often = (double)throttled.affected > OFTEN_FRAC * (double)run->point_count;
    bool slower = held && is_slower_under_load(run), bound = held_back_by_clock(buyer->asked) > 0;
    add_state(table, "held_down", "Clock held down", rft_arena_printf(table->arena, "%s%s", bursts, load),
              !looked                    ? NOT_KNOWN
              : slower || often || bound ? NO
                                         : YES,
              slower  ? "long loads are slower: ask for rates without a pause"
              : bound ? "part of the work is slower for it"
              : often ? "part of the work ran slower than it could"
              : held  ? "no long load measured here was slower for it"
                      : "little or nothing held it back");
}

static void add_power(rft_cell_table *table, const rft_run *run) {
    const rft_load *load = NULL;
    double drawn = rft_buyer_power_w(run, &load), limit = rft_run_power_limit_w(run);
    const char *standard = rft_env_value(&run->env, "nvml.power_limit_default_w");
    double normal = NAN;
    bool changed = standard && rft_text_to_double(standard, &normal) && fabs(limit - normal) > 0.5;
    const char *found = rft_arena_printf(
        table->arena, "%s; limit %s%s",
        isnan(drawn)
            ? "under load not measured"
            : rft_arena_printf(table->arena, "up to %s W under load", rft_figure_plain(table->arena, drawn, 3)),
        isnan(limit) ? "not recorded"
                     : rft_arena_printf(table->arena, "%s W", rft_figure_plain(table->arena, limit, 3)),
        changed    ? rft_arena_printf(table->arena, ", the default is %s W", standard)
        : standard ? ", the default"
                   : "");
    add_state(table, "power", "Power", found,
              isnan(limit) ? NOT_KNOWN
              : changed    ? NO
                           : YES,
              changed ? "the limit was changed: figures are of this one" : "the limit is the card's own");
}

static bool is_zero(const char *text) {
    return strcmp(text, "0") == 0;
}

static void add_memory(rft_cell_table *table, const rft_run *run, const char **told) {
    bool ecc_known, errors_known, rows_known;
    const char *ecc = FACT(run, &ecc_known, told, table->arena, "nvml.ecc", "gpu.ecc");
    const char *errors = FACT(run, &errors_known, told, table->arena, "nvml.ecc_uncorrected");
    const char *rows = FACT(run, &rows_known, told, table->arena, "nvml.rows_remapped");
    const char *state = rft_env_value(&run->env, "nvml.row_remapping");
    bool bad = (errors_known && !is_zero(errors)) || (state && strcmp(state, "ok") != 0);
    add_state(table, "memory", "Memory",
              rft_arena_printf(table->arena, "ECC (error correction) %s; uncorrected errors %s; rows replaced %s%s%s",
                               ecc, errors, rows, state && strcmp(state, "ok") != 0 ? ", replacement " : "",
                               state && strcmp(state, "ok") != 0 ? state : ""),
              bad                           ? NO
              : errors_known && (ecc_known) ? YES
                                            : NOT_KNOWN,
              bad ? "memory has failed: have the card exchanged, or ask why not" : "no fault is known");
}

/* "4 of 5", "x8 of x16", "17 of 18": fewer than there may be. */
static bool is_short(const char *text) {
    const char *of = text ? strstr(text, " of ") : NULL;
    return of && (strlen(of + 4) != (size_t)(of - text) || strncmp(text, of + 4, (size_t)(of - text)) != 0);
}

static void add_links(rft_cell_table *table, const rft_run *run, const char **told) {
    bool known, wide_known, nvlink_known;
    const char *generation = FACT(run, &known, told, table->arena, "nvml.pcie_generation");
    const char *width = FACT(run, &wide_known, told, table->arena, "nvml.pcie_width");
    const char *nvlinks = FACT(run, &nvlink_known, told, table->arena, "nvml.nvlinks");
    const char *pcie = known && wide_known
                           ? rft_arena_printf(table->arena, "PCIe (to host) generation %s, %s", generation, width)
                           : rft_arena_printf(table->arena, "PCIe %s", generation);
    bool bad = is_short(wide_known ? width : NULL) || is_short(nvlink_known ? nvlinks : NULL);
    bool slow = is_short(known ? generation : NULL);
    double up = rft_ceilings_rate(&run->ceilings, RFT_CEILING_H2D),
           down = rft_ceilings_rate(&run->ceilings, RFT_CEILING_D2H);
    const char *rates = isnan(up) || isnan(down) ? "rate not measured"
                                                 : rft_arena_printf(table->arena, "to card %s, from card %s",
                                                                    rft_figure_si(table->arena, up, "B/s"),
                                                                    rft_figure_si(table->arena, down, "B/s"));
    add_state(table, "links", "Links",
              rft_arena_printf(table->arena, "%s, %s; NVLink (to cards) %s", pcie, rates, nvlinks),
              bad                   ? NO
              : known && wide_known ? YES
                                    : NOT_KNOWN,
              bad            ? "lanes or links are missing: look at slot, riser and cables"
              : slow         ? "all lanes; an idle link may be slow"
              : nvlink_known ? "all that there may be"
                             : "all lanes; the driver tells no NVLink");
}

static void add_sharing(rft_cell_table *table, const rft_run *run, const char **told) {
    bool known, mig_known, mps_known;
    const char *others = FACT(run, &known, told, table->arena, "nvml.other_processes", "gpu.processes");
    const char *mps = FACT(run, &mps_known, told, table->arena, "nvml.mps_processes");
    const char *mig = FACT(run, &mig_known, told, table->arena, "nvml.mig", "gpu.mig_slice", "gpu.mig");
    const bool shared = (known && !is_zero(others)) || (mps_known && !is_zero(mps));
    const bool sliced = mig_known && strcmp(mig, "on") == 0;
    add_state(table, "shared", "Shared with",
              rft_arena_printf(table->arena,
                               "other processes %s; programs that share it (MPS) %s; cut into slices (MIG) %s", others,
                               mps, mig),
              shared || sliced ? NO
              : known          ? YES
                               : NOT_KNOWN,
              shared   ? "it did not have the card for itself: measure again alone"
              : sliced ? "a slice: what ran on the rest of the card is not known"
                       : "it had the card for itself");
}

rft_finding *rft_finding_normal(const rft_buyer *buyer, rft_arena *arena) {
    const rft_run *run = buyer->given.run;
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Is this card normal?");
    add_peers(f, buyer);
    rft_cell_table *table = rft_finding_table(f, "state", state_fields, STATE_FIELDS);
    const char *told = NULL; /* the last reason */
    add_clock(table, buyer);
    add_held(table, buyer);
    add_power(table, run);
    add_memory(table, run, &told);
    add_links(table, run, &told);
    add_sharing(table, run, &told);
    return f;
}
