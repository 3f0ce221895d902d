/* SPDX-License-Identifier: Apache-2.0 */
/* "This card": its ceilings, other cards of the model, the state it was in, and what was not measured; and, for part 2,
 * the operations and limits behind the ceilings. */
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/roofline/card_peers.h"

#include <math.h>

/* ---- other cards ---- */

enum { PEERS_WHAT, PEERS_OWN, PEERS_MEDIAN, PEERS_RANGE, PEERS_CARDS, PEERS_VERDICT, PEERS_COLUMNS };

static const char *what_text(size_t what) {
    return what < RFT_CEILING_COUNT   ? rft_ceiling_label((rft_ceiling_id)what)
           : what == RFT_PEERS_IDLE_W ? "power at rest"
                                      : "SM clock under FP32 load";
}

static const char *value_text(const rft_build *b, size_t what, double value) {
    if (what == RFT_PEERS_CLOCK_MHZ) {
        return isnan(value) ? "n/a" : rft_arena_printf(b->arena, "%s MHz", rft_figure_plain(b->arena, value, 4));
    }
    return rft_figure_si(b->arena, value, what < RFT_CEILING_COUNT ? rft_ceiling_unit((rft_ceiling_id)what) : "W");
}

static const char *left_out_text(const rft_build *b, const rft_peers *peers) {
    rft_str text = RFT_STR_INIT;
    if (peers->own_runs) {
        rft_str_addf(&text, " Left out: %s of this very card.",
                     rft_words_plural(peers->own_runs, "run", "runs", b->arena));
    }
    if (peers->others) {
        rft_str_addf(&text, " Left out: %s of other models.", rft_words_plural(peers->others, "run", "runs", b->arena));
    }
    if (peers->nameless) {
        rft_str_addf(&text, " Left out: %s without a UUID.",
                     rft_words_plural(peers->nameless, "run", "runs", b->arena));
    }
    const char *kept = rft_arena_strdup(b->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static void add_peers(rft_build *b) {
    static const rft_column columns[PEERS_COLUMNS] = {
        [PEERS_WHAT] = {.title = "Beside other cards"},
        [PEERS_OWN] = {.title = "This card", .align = RFT_ALIGN_DECIMAL},
        [PEERS_MEDIAN] = {.title = "Median", .align = RFT_ALIGN_DECIMAL},
        [PEERS_RANGE] = {.title = "Range", .align = RFT_ALIGN_RIGHT},
        [PEERS_CARDS] = {.title = "Cards", .align = RFT_ALIGN_RIGHT},
        [PEERS_VERDICT] = {.title = "Verdict"},
    };
    const char *device = b->run->gpu.name ? b->run->gpu.name : "model not known";
    rft_peers peers = rft_peers_of(b->run, b->opts.references, b->opts.reference_count, b->arena);
    if (peers.cards == 0) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                      "Is this card normal? No reference: no run of another %s was given (--reference).%s", device,
                      left_out_text(b, &peers));
        return;
    }
    rft_table *table = rft_doc_table(b->doc, columns, PEERS_COLUMNS);
    for (size_t what = 0; what < RFT_PEERS_COUNT; what++) {
        const rft_peers_row *peer = &peers.rows[what];
        if (isnan(peer->own)) {
            continue;
        }
        rft_row *row = rft_doc_row(b->doc, table);
        row->strong = peer->verdict == RFT_PEERS_LOW || peer->verdict == RFT_PEERS_HIGH;
        row->cells[PEERS_WHAT] = what_text(what);
        row->cells[PEERS_OWN] = value_text(b, what, peer->own);
        row->cells[PEERS_MEDIAN] = value_text(b, what, peer->median);
        row->cells[PEERS_RANGE] = peer->cards ? rft_arena_printf(b->arena, "%s to %s", value_text(b, what, peer->low),
                                                                 value_text(b, what, peer->high))
                                              : "n/a";
        row->cells[PEERS_CARDS] = rft_figure_count(b->arena, peer->cards);
        row->cells[PEERS_VERDICT] = rft_peers_verdict_name(peer->verdict);
    }
    rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                  "Beside stored runs of %s of the model %s, told apart by their UUID; one measured several times "
                  "counts once, with its median. Normal: not more than %g %% outside their range. Under %u cards "
                  "there is no reference.%s",
                  rft_words_plural(peers.cards, "other card", "other cards", b->arena), device,
                  RFT_PEERS_MARGIN_FRAC * 100, RFT_PEERS_LEAST, left_out_text(b, &peers));
}

/* ---- state ---- */

/* Of the first key that the run has; with its reason where it has no value. */
static const char *fact(const rft_build *b, const char *const *keys) {
    const char *reason = NULL;
    for (; *keys; keys++) {
        const rft_env_item *item = rft_env_get(&b->run->env, *keys);
        if (item && item->value) {
            return item->value;
        }
        reason = item && !reason ? item->reason : reason;
    }
    return rft_arena_printf(b->arena, "n/a: %s", reason ? reason : "not recorded");
}
#define FACT(b, ...) fact(b, (const char *const[]){__VA_ARGS__, NULL})

static const char *capacity_text(const rft_build *b) {
    const rft_gpu_info *gpu = &b->run->gpu;
    if (gpu->memory_bytes <= 0) {
        return "n/a: not recorded";
    }
    bool known = gpu->memory_free_bytes > 0 && gpu->memory_free_bytes < gpu->memory_bytes;
    return rft_arena_printf(
        b->arena, "%s%s", rft_figure_bytes(b->arena, gpu->memory_bytes),
        known ? rft_arena_printf(b->arena, ", %s free at the start", rft_figure_bytes(b->arena, gpu->memory_free_bytes))
              : "");
}

static const char *power_limit_text(const rft_build *b) {
    const char *set = FACT(b, "nvml.power_limit_enforced_w", "nvml.power_limit_w", "gpu.power_limit_w");
    const char *standard = rft_env_value(&b->run->env, "nvml.power_limit_default_w");
    if (!rft_text_starts(set, "n/a")) {
        set = rft_arena_printf(b->arena, "%s W", set);
    }
    return !standard                        ? set
           : rft_text_starts(set, standard) ? rft_arena_printf(b->arena, "%s, the default", set)
                                            : rft_arena_printf(b->arena, "%s; the default is %s W", set, standard);
}

static const char *rate_of(const rft_build *b, rft_ceiling_id id) {
    double rate = rft_ceilings_rate(&b->run->ceilings, id);
    return isnan(rate) ? "not measured" : rft_figure_si(b->arena, rate, rft_ceiling_unit(id));
}

static const char *link_text(const rft_build *b) {
    const char *generation = rft_env_value(&b->run->env, "nvml.pcie_generation");
    const char *width = rft_env_value(&b->run->env, "nvml.pcie_width");
    const char *kind =
        generation && width ? rft_arena_printf(b->arena, "PCIe generation %s, %s; ", generation, width) : "";
    if (isnan(rft_ceilings_rate(&b->run->ceilings, RFT_CEILING_H2D)) &&
        isnan(rft_ceilings_rate(&b->run->ceilings, RFT_CEILING_D2H))) {
        return rft_arena_printf(b->arena, "%srate not measured", kind);
    }
    return rft_arena_printf(b->arena, "%sto card %s, from card %s", kind, rate_of(b, RFT_CEILING_H2D),
                            rate_of(b, RFT_CEILING_D2H));
}

/* What held the clock down under load, by cause: the largest share that any point saw. */
static const char *load_text(const rft_build *b) {
    double worst[RFT_THROTTLE_COUNT] = {0};
    bool known = false, held = false;
    for (size_t i = 0; i < b->run->point_count; i++) {
        for (int kind = 0; kind < RFT_LOAD_POINT_KINDS; kind++) {
            const rft_load *load = b->run->points[i].loads[kind];
            for (int cause = 0; load && cause < RFT_THROTTLE_COUNT; cause++) {
                known = known || isfinite(load->throttled_frac[cause]);
                worst[cause] = fmax(worst[cause], load->throttled_frac[cause]);
                held = held || worst[cause] > 0;
            }
        }
    }
    if (!held) {
        return known ? "; under seconds of load nothing held it down" : "";
    }
    rft_str text = RFT_STR_INIT;
    for (int cause = 0; cause < RFT_THROTTLE_COUNT; cause++) {
        if (worst[cause] > 0) {
            rft_str_addf(&text, "%s%s up to %s of the time", text.length ? ", " : "; under seconds of load: ",
                         rft_throttle_words((rft_throttle_cause)cause), rft_figure_percent(b->arena, worst[cause]));
        }
    }
    const char *kept = rft_arena_strdup(b->arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static void add_state(rft_build *b) {
    static const rft_column pair[] = {{.title = ""}, {.title = "", .wraps = true}};
    rft_doc_heading(b->doc, 2, "State", NULL);
    rft_table *more = rft_doc_table(b->doc, pair, 2);
    more->plain = true;
    rft_doc_pair(b->doc, more, "Capacity", capacity_text(b));
    rft_doc_pair(b->doc, more, "ECC", FACT(b, "nvml.ecc", "gpu.ecc"));
    rft_doc_pair(b->doc, more, "MIG", FACT(b, "nvml.mig", "gpu.mig_slice", "gpu.mig"));
    rft_doc_pair(b->doc, more, "Power limit", power_limit_text(b));
    rft_doc_pair(b->doc, more, "Other processes", FACT(b, "nvml.other_processes", "gpu.processes"));
    rft_doc_pair(b->doc, more, "MPS clients", FACT(b, "nvml.mps_processes"));
    rft_doc_pair(b->doc, more, "Host link", link_text(b));
    rft_doc_pair(b->doc, more, "Clock held down",
                 rft_arena_printf(b->arena, "%s%s", rft_words_throttled(b->run, b->arena), load_text(b)));
    const rft_ceiling *link = b->run->ceilings.items;
    bool copied = link[RFT_CEILING_H2D].measured && link[RFT_CEILING_D2H].measured;
    rft_doc_pair(b->doc, more, "Not looked at",
                 rft_arena_printf(b->arena, "%slinks between cards, several cards at once, the host%s.",
                                  copied ? "" : "the link between host and card, ",
                                  rft_ceilings_are_soaked(&b->run->ceilings)
                                      ? ""
                                      : ", sustained rates of the ceilings under heat (`rooftune ceilings --soak`)"));
}

/* ---- the chapters ---- */

void rft_build_ceilings(rft_build *b) {
    const char *age = rft_run_ceilings_age_text(b->run, b->arena);
    bool measured = false;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        measured = measured || b->run->ceilings.items[id].measured;
    }
    rft_doc_new_page(b->doc); /* a sheet of its own: it may be kept with the card */
    rft_doc_heading(b->doc, 1, "This card", "card");
    if (measured) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE,
                      "Ceilings are rates measured on this card, %s%s%s; everything in this report is judged by them. "
                      "Burst: some milliseconds at a time. The limit is what bus and pipes cannot exceed at their "
                      "highest clock.%s",
                      age ? "up to " : "in this run", age ? age : "", age ? " before this run" : "",
                      b->opts.part == 1 ? "" : " The operation behind each is told in part 2.");
    }
    rft_print_page(b->doc, rft_finding_ceilings(b->run, b->arena));
    add_peers(b);
    add_state(b);
    rft_print_page(b->doc, rft_finding_power(b->run, b->arena));
}

void rft_build_operations(rft_build *b) {
    const rft_finding *operations = rft_finding_operations(b->run, b->arena);
    if (operations) {
        rft_doc_new_chapter(b->doc);
        rft_doc_heading(b->doc, 1, "Ceilings", "ceilings");
        rft_print_page(b->doc, operations);
        rft_print_page(b->doc, rft_finding_ridges(b->run, b->arena));
    }
}
