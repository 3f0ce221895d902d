/* SPDX-License-Identifier: Apache-2.0 */
/* buyer_answer.c - the first page: what the card does on the workload, beside a named reference card. */
#include "reports/findings/buyer.h"

#include "base/str.h"
#include "model/compare/compare.h"
#include "model/run/run_repeat.h"
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"
#include "reports/findings/findings.h"
#include "reports/findings/words.h"

#include <math.h>

/* ---- in a sentence ---- */

static const char *interval_words(const rft_compare_ratio *ratio, rft_arena *arena) {
    const char *ends = rft_compare_mean_ends(ratio, arena);
    rft_compare_verdict verdict = rft_compare_mean_verdict(ratio);
    return ends ? rft_arena_printf(arena, " (95 %% interval %s%s)", ends,
                                   verdict == RFT_COMPARE_AMBIGUOUS ? ": which is faster is unclear"
                                   : verdict == RFT_COMPARE_SAME    ? ": the same, within 1 %"
                                                                    : "")
                : " (its interval is not known)";
}

/* "3 of 7 families of kernels" */
static const char *counted_text(const rft_buyer *buyer, const rft_speed *speed, rft_arena *arena) {
    return rft_arena_printf(
        arena, "%s%s",
        speed->part_count < buyer->asked->part_count ? rft_arena_printf(arena, "%zu of ", speed->part_count) : "",
        rft_words_plural(buyer->asked->part_count, "family of kernels", "families of kernels", arena));
}

static const char *over_text(const rft_buyer *buyer, const rft_speed *speed, rft_arena *arena) {
    return buyer->asked->mix ? rft_arena_printf(arena, "on %s", buyer->asked->mix->mix->name)
                             : rft_arena_printf(arena, "over %s of %s",
                                                rft_words_plural(speed->item_count, "problem", "problems", arena),
                                                counted_text(buyer, speed, arena));
}

static const char *pass_text(const rft_buyer *buyer, rft_arena *arena) {
    const rft_mix_total *mix = buyer->asked->mix;
    if (!mix || isnan(mix->units_s.value)) {
        return "";
    }
    return rft_arena_printf(arena, "%s: %s %s a second. ", mix->mix->name,
                            rft_mix_number_text(mix->units_s.value, arena), rft_mix_units_text(mix->mix, arena));
}

const char *rft_buyer_lead(const rft_buyer *buyer, rft_arena *arena) {
    const rft_speed *speed = buyer->chief;
    const char *pass = pass_text(buyer, arena);
    if (speed && speed->itself) {
        return rft_arena_printf(
            arena, "%sThis is the reference card itself, so its speed is 1; what it does stands below.", pass);
    }
    if (speed && isfinite(speed->ratio.ratio) && !rft_speed_stands(speed)) {
        return rft_arena_printf(arena,
                                "%sBeside the reference card, %s, only %s can be held: too few for one figure. What "
                                "is known stands below.",
                                pass, speed->reference->device, counted_text(buyer, speed, arena));
    }
    if (!speed || isnan(speed->ratio.ratio)) {
        return rft_arena_printf(arena, "%sHow fast it is beside a reference card cannot be told.", pass);
    }
    return rft_arena_printf(arena, "%s%s times as fast as the reference card, %s, %s%s.", pass,
                            rft_compare_mean_number(&speed->ratio, arena), speed->reference->device,
                            over_text(buyer, speed, arena), interval_words(&speed->ratio, arena));
}

/* Problems of the workload whose best took less time than the hardware's limit allows. */
static size_t impossible(const rft_buyer *buyer) {
    size_t count = 0;
    for (size_t i = 0; i < buyer->asked->item_count; i++) {
        const rft_point *best = buyer->asked->items[i].best;
        if (best) {
            const rft_placement place = rft_placement_of(buyer->given.run, best);
            count += rft_placement_is_impossible(&place, rft_point_median_s(best));
        }
    }
    return count;
}

/* Before everything else: what the card cannot do as the reference does it; why there is no figure. */
static void add_caveats(rft_finding *f, const rft_buyer *buyer) {
    const rft_speed *speed = buyer->chief;
    size_t beyond = impossible(buyer);
    if (beyond > 0) {
        rft_finding_strong(
            f, RFT_TO_PEOPLE,
            rft_arena_printf(f->arena,
                             "Do not use these figures: %s took less time than the hardware's own limit allows. Their "
                             "work is overstated, their results are not what they should be, or their times are wrong.",
                             rft_words_plural(beyond, "problem", "problems", f->arena)));
    }
    if (speed && speed->no_native) {
        rft_finding_strong(
            f, RFT_TO_PEOPLE,
            rft_arena_printf(f->arena, "Not everything runs natively on this card. %s.%s", speed->no_native,
                             speed->by_library ? " There the figure of the vendor's library stands." : ""));
    }
    if (buyer->given.mix_count > (buyer->asked->mix ? 1 : 0)) {
        rft_finding_body(f, RFT_TO_PEOPLE, "%s",
                         buyer->asked->mix
                             ? "This is of the first complete mix; each has a chapter of its own."
                             : "The mix has operations without a time, which its chapter names: what follows "
                               "is of the sweeps of the run.");
    }
    if (!speed) {
        rft_finding_body(f, RFT_TO_PEOPLE,
                         "No run of a reference card is at hand that has these sweeps: name some with --reference.");
    } else if (speed->missing && !speed->itself) {
        rft_finding_body(f, RFT_TO_PEOPLE, "No speed is told against %s: %s.", speed->reference->device,
                         speed->missing);
    }
}

/* The figure is of what was found, and as it was measured: said where more search or the same rules could change it. */
static void add_effort(rft_finding *f, const rft_speed *speed) {
    if (speed && isfinite(speed->ratio.ratio) && speed->unlike) {
        rft_finding_body(f, RFT_TO_PEOPLE, "%s", speed->unlike);
    }
    if (speed && isfinite(speed->ratio.ratio) && speed->unequal) {
        rft_finding_body(
            f, RFT_TO_PEOPLE,
            "Of %s one side was tuned harder, by enough to matter: the speed is of the configurations found, "
            "not of what the cards can do.",
            rft_words_plural(speed->unequal, "problem", "problems", f->arena));
    }
}

/* ---- reference cards ---- */

enum {
    DEVICE,
    FROM,
    AGAINST,
    AGAINST_DATA,
    AGAINST_LOW,
    AGAINST_HIGH,
    COVERED,
    MISSING,
    PROBLEMS,
    SET,
    BEHIND,
    REFERENCE_FIELDS
};

static const rft_trait reference_fields[REFERENCE_FIELDS] = {
    [DEVICE] = {.key = "device", .title = "Against", .wraps = true},
    [FROM] = {.key = "shipped"},
    [AGAINST] = {.title = "Speed", .align = RFT_ALIGN_RIGHT},
    [AGAINST_DATA] = {.key = "speed"},
    [AGAINST_LOW] = {.key = "low"},
    [AGAINST_HIGH] = {.key = "high"},
    [COVERED] = {.key = "covered_frac"},
    [MISSING] = {.key = "reason"},
    [PROBLEMS] = {.key = "problems", .title = "Problems", .align = RFT_ALIGN_RIGHT},
    [SET] = {.key = "set", .title = "Set"},
    [BEHIND] = {.key = "behind", .title = "Behind it", .wraps = true},
};

static const char *behind_text(const rft_speed *speed, rft_arena *arena) {
    const rft_speed_reference *of = speed->reference;
    const rft_run_info *info = &of->runs[0]->info;
    return rft_arena_printf(arena, "%s%s; %s; measured %s by rooftune %s",
                            of->shipped ? "comes with the program: " : "", rft_run_sample_text(&speed->sample, arena),
                            speed->unequal
                                ? rft_arena_printf(arena, "%s tuned harder on one side",
                                                   rft_words_plural(speed->unequal, "problem", "problems", arena))
                                : "tuned alike",
                            rft_figure_date(arena, speed->sample.last_unix_ns),
                            info->tool_version ? info->tool_version : "of a version that is not known");
}

static void add_references(rft_finding *f, const rft_buyer *buyer) {
    rft_cell_table *table = rft_finding_table(f, "references", reference_fields, REFERENCE_FIELDS);
    for (size_t i = 0; i < buyer->speed_count; i++) {
        const rft_speed *speed = &buyer->speeds[i];
        rft_cell_row *row = rft_cell_table_row(table);
        rft_datum *cells = row->cells;
        bool told = isfinite(speed->ratio.ratio);
        cells[DEVICE] = rft_datum_text(speed->reference->device);
        cells[FROM] = rft_datum_flag(speed->reference->shipped);
        cells[AGAINST] = rft_datum_text(speed->itself ? "itself" : rft_compare_mean_words(&speed->ratio, f->arena));
        cells[AGAINST].note = speed->missing && !speed->itself ? rft_arena_printf(f->arena, "%s.", speed->missing)
                              : told && !rft_speed_stands(speed)
                                  ? rft_arena_printf(f->arena, "Of %s, which says nothing of the others.",
                                                     counted_text(buyer, speed, f->arena))
                                  : NULL;
        cells[AGAINST_DATA] = rft_datum_number(speed->ratio.ratio);
        cells[AGAINST_LOW] = rft_datum_number(speed->ratio.low);
        cells[AGAINST_HIGH] = rft_datum_number(speed->ratio.high);
        cells[MISSING] = rft_datum_text(speed->missing);
        cells[PROBLEMS] = rft_datum_count((int64_t)speed->item_count);
        cells[SET] = told ? rft_datum_text(rft_arena_printf(f->arena, "%08x", speed->set)) : rft_datum_text("n/a");
        cells[BEHIND] = rft_datum_text(behind_text(speed, f->arena));
        cells[COVERED] = rft_datum_number(told ? speed->covered : (double)NAN);
        row->strong = speed == buyer->chief && rft_speed_stands(speed);
    }
}

/* ---- how sure ---- */

static const char *names_of(const char *const *names, size_t count, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < count; i++) {
        rft_str_addf(&text, "%s%s", i ? ", " : "", names[i]);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static const char *checked_text(const rft_run *run, rft_arena *arena) {
    size_t measured = 0, verified = 0;
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_counts counts = rft_counts_of(run, s);
        measured += counts.measured;
        verified += counts.verified;
    }
    return rft_arena_printf(arena, "%s of %s measured configurations have verified results.",
                            rft_figure_count(arena, verified), rft_figure_count(arena, measured));
}

/* sm_100, sm_103 and sm_110 reach their tensor rates through tcgen05, which no template takes unasked. */
static bool is_fallback_there(const rft_run *run) {
    bool multiplies = false;
    for (size_t i = 0; i < run->point_count; i++) {
        for (int pipe = RFT_PIPE_TENSOR_TF32; pipe <= RFT_PIPE_TENSOR_INT8; pipe++) {
            multiplies = multiplies || run->points[i].work.pipe_ops[pipe] > 0;
        }
    }
    return multiplies && (run->gpu.cc_major == 10 || run->gpu.cc_major == 11);
}

static void add_sureness(rft_finding *f, const rft_buyer *buyer) {
    const rft_run *run = buyer->given.run;
    const rft_speed_asked *asked = buyer->asked;
    rft_finding_heading(f, RFT_ON_PAGE, 2, "How sure that is");
    rft_finding_body(
        f, RFT_ON_PAGE, "This card: %s. %s %s %s", rft_run_sample_text(&buyer->sample, f->arena),
        checked_text(run, f->arena),
        rft_run_has_processes(run)
            ? "Intervals know what another run of this card would read, not what another card would."
            : "Intervals are of one process each: what another run would read is not known, nor what another "
              "card would.",
        buyer->sample.days > 1 ? "" : "Of other days nothing is known.");
    if (is_fallback_there(run)) {
        rft_finding_body(
            f, RFT_ON_PAGE,
            "On this card's matrix units the kernels here are a fallback: unasked they do not drive tcgen05, its "
            "own path. The vendor's library does; where it is faster, its rate stands for the card.");
    }
    if (asked->all_diagnostic) {
        rft_finding_body(f, RFT_ON_PAGE,
                         "All sweeps of this run are marked diagnostic: they explain the card and are "
                         "no workload. They are counted here for want of others.");
    } else if (asked->diagnostic_count) {
        rft_finding_body(f, RFT_ON_PAGE, "Left out, since they explain the card and are no workload: %s.",
                         names_of(asked->diagnostic, asked->diagnostic_count, f->arena));
    }
    if (asked->unmarked) {
        rft_finding_body(f, RFT_ON_PAGE,
                         "Whether a sweep explains the card (strides, working sets) is not recorded of %s: all count.",
                         rft_words_plural(asked->unmarked, "sweep", "sweeps", f->arena));
    }
}

/* What a pass of the mix makes, takes and costs: as in the chapter of the mix. */
static void add_pass(rft_finding *f, const rft_mix_total *mix) {
    static const rft_trait fields[] = {
        {.title = ""}, {.title = "", .align = RFT_ALIGN_RIGHT}, {.title = "", .wraps = true}};
    rft_mix_fact facts[RFT_MIX_FACTS];
    size_t count = mix ? rft_mix_facts(mix, f->arena, facts) : 0;
    rft_cell_table *table = rft_finding_table(f, NULL, fields, 3);
    table->where = RFT_ON_PAGE;
    for (size_t i = 0; i < count; i++) {
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[0] = rft_datum_text(facts[i].label);
        cells[1] = rft_datum_text(facts[i].value);
        cells[2] = rft_datum_text(facts[i].note);
    }
}

static const char *words_text(const rft_buyer *buyer, rft_arena *arena) {
    return rft_arena_printf(
        arena,
        "Speed: the reference's time over this card's, for the same work; 2 is twice as fast. %s Set: names problems "
        "and weights; figures compare where reference and set are the same. 95 %% interval: where the figure lies by "
        "what these runs tell; unclear: it holds 1. Rate: bytes (B) or operations (FLOP) that the task needs, in a "
        "second, on the family's longest problem. %sWithout a pause: the "
        "same when runs follow each other at once, with what the caches still hold, when heat and power have their "
        "say. Of limit%s: share of the best rate that this card's memory or arithmetic units were seen to reach, mean "
        "of the problems with its interval; it tells how well the card is used and never which card is faster: a slow "
        "card near its own limit is still slow. FP16, FP32: numbers of 16 and 32 bits. M, G, T, P: 10^6, 10^9, 10^12, "
        "10^15.",
        buyer->asked->mix
            ? "Of the mix: of the time of a whole pass; an operation weighs its share of it."
            : "In all: the geometric mean; families of kernels weigh the same, and in a family its problems.",
        rft_buyer_has_many(buyer) ? "" : "Items: what its script counts, where it does. ",
        rft_buyer_has_chart(buyer) ? "" : " (the bar; its mark is 100 %)");
}

rft_finding *rft_finding_answer(const rft_buyer *buyer, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    const rft_speed *speed = buyer->chief;
    const rft_speed_share share = rft_speed_share_of(buyer->asked, SIZE_MAX);
    rft_finding_set(f, "text", rft_datum_text(rft_buyer_lead(buyer, arena)));
    rft_finding_set(f, "reference", speed ? rft_datum_text(speed->reference->device) : rft_datum_absent());
    bool stands = speed && rft_speed_stands(speed);
    rft_finding_set(f, "speed", rft_datum_number(stands ? speed->ratio.ratio : (double)NAN));
    rft_finding_set(f, "low", rft_datum_number(stands ? speed->ratio.low : (double)NAN));
    rft_finding_set(f, "high", rft_datum_number(stands ? speed->ratio.high : (double)NAN));
    rft_finding_set(f, "measured_unlike", rft_datum_text(speed ? speed->unlike : NULL));
    rft_finding_set(f, "share_of_limit", rft_datum_number(share.frac));
    rft_finding_set(f, "share_low", rft_datum_number(share.low));
    rft_finding_set(f, "share_high", rft_datum_number(share.high));
    rft_finding_set(f, "share_at_most", rft_datum_flag(share.at_most));
    rft_finding_set(f, "mix", rft_datum_text(buyer->asked->mix ? buyer->asked->mix->mix->name : NULL));
    rft_finding_add(f, "diagnostic",
                    rft_finding_texts(buyer->asked->diagnostic, buyer->asked->diagnostic_count, arena));
    rft_finding_set(f, "sweeps_unmarked", rft_datum_count((int64_t)buyer->asked->unmarked));
    add_caveats(f, buyer);
    add_effort(f, speed);
    add_pass(f, buyer->asked->mix);
    rft_buyer_add_parts(f, buyer, "parts");
    add_references(f, buyer);
    rft_finding_join(f, rft_finding_buyer_price(buyer, arena));
    add_sureness(f, buyer);
    rft_finding_note(f, RFT_ON_PAGE, "%s", words_text(buyer, arena));
    return f;
}
