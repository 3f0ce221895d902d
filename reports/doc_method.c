/* SPDX-License-Identifier: Apache-2.0 */
/* How the numbers came to be, and the figures by which to trust them. */
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/roofline/counted.h"
#include "model/run/run_drift.h"
#include "model/run/run_foreign.h"

#include <math.h>
#include <string.h>

/* Gathered over the measured points of the run. */
typedef struct trust {
    size_t measured, verified, by_unverified, wrong, odd_done, noisy, final_round;
    size_t n_low, n_high;
    size_t stops[RFT_STOP_COUNT];
    double clock_low, clock_high;
    size_t clock_unknown;
    double tol_low, tol_high, worst_frac;
    const rft_point *worst;               /* nearest to its tolerance among those that passed */
    size_t processes_low, processes_high; /* of the last round; 0: not recorded */
    double half_high;                     /* widest interval of those that were not out of the race */
    uint64_t elements;
} trust;

static void widen(double value, double *low, double *high) {
    if (isfinite(value)) {
        *low = isnan(*low) || value < *low ? value : *low;
        *high = isnan(*high) || value > *high ? value : *high;
    }
}

static void add_verification(trust *t, const rft_run *run, const rft_point *point) {
    const rft_verification *check = &point->verification;
    if (!check->done) {
        return;
    }
    bool odd = run->sweeps[point->sweep].sweep.problems[point->problem].odd;
    t->odd_done += odd;
    widen(check->tol, &t->tol_low, &t->tol_high);
    if (point->outcome == RFT_OUTCOME_WRONG_RESULT) {
        t->wrong++;
        return;
    }
    bool measured = rft_point_measurement(point) != NULL;
    t->verified += measured;
    t->by_unverified += measured && run->sweeps[point->sweep].sweep.variants[point->variant].unverified_reference;
    t->elements += check->total_count;
    if (isfinite(check->worst_frac) && (!t->worst || check->worst_frac > t->worst_frac)) {
        t->worst_frac = check->worst_frac;
        t->worst = point;
    }
}

/* What was not recorded says nothing. */
static void add_final(trust *t, const rft_measurement *final) {
    size_t count = final->process_count;
    t->final_round += final->n > 0;
    t->processes_low = count > 0 && (t->processes_low == 0 || count < t->processes_low) ? count : t->processes_low;
    t->processes_high = count > t->processes_high ? count : t->processes_high;
}

static trust gather(const rft_run *run) {
    trust t = {0};
    t.clock_low = t.clock_high = t.tol_low = t.tol_high = t.half_high = NAN;
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        const rft_measurement *own = rft_point_measurement(point);
        if (point->alias_of != 0) {
            continue;
        }
        add_verification(&t, run, point);
        if (!own) {
            continue;
        }
        double unused = NAN;
        t.measured++;
        t.noisy += point->outcome == RFT_OUTCOME_NOISY;
        add_final(&t, &point->rounds[RFT_ROUNDS - 1]);
        t.n_low = t.measured == 1 || own->n < t.n_low ? own->n : t.n_low;
        t.n_high = own->n > t.n_high ? own->n : t.n_high;
        t.stops[own->stop < RFT_STOP_COUNT ? own->stop : 0]++;
        t.clock_unknown += isnan(own->clock_mhz);
        widen(own->clock_mhz, &t.clock_low, &t.clock_high);
        if (own->stop != RFT_STOP_SLOWER) {
            widen(rft_stats_half_width_frac(&own->stats), &unused, &t.half_high);
        }
    }
    return t;
}

/* As "Method" tells them. */
static const char *stop_words(rft_stop_reason reason) {
    switch (reason) {
    case RFT_STOP_NOT_YET:
        return "unfinished";
    case RFT_STOP_SETTLED:
        return "narrow enough";
    case RFT_STOP_PLATEAU:
        return "no longer narrowing";
    case RFT_STOP_SAMPLES:
        return "at the most samples";
    case RFT_STOP_TIME:
        return "at the time cap";
    case RFT_STOP_SLOWER:
        return "clearly slower than the best";
    default:
        return rft_stop_reason_name(reason);
    }
}

static const char *stop_text(const rft_build *b, const trust *t) {
    rft_str text = RFT_STR_INIT;
    for (int i = 0; i < RFT_STOP_COUNT; i++) {
        if (t->stops[i] > 0) {
            rft_str_addf(&text, "%s%s %s", text.length ? ", " : "", rft_figure_count(b->arena, t->stops[i]),
                         stop_words((rft_stop_reason)i));
        }
    }
    const char *kept = rft_arena_strdup(b->arena, text.length ? rft_str_get(&text) : "nothing was measured");
    rft_str_clear(&text);
    return kept;
}

/* Of another sweep: it stands in the same row. */
static bool says_the_same(const rft_row *a, const rft_row *b) {
    bool same = true;
    for (size_t c = 1; c < 8; c++) {
        same = same && strcmp(a->cells[c], b->cells[c]) == 0;
    }
    return same;
}

#define NAMED_MOST 24 /* sweeps in a row */

/* The longest row needs no names where there are others: it is what those leave. */
static void name_others(rft_table *table, const size_t *counts) {
    size_t most = 0;
    for (size_t r = 1; r < table->row_count; r++) {
        most = counts[r] > counts[most] ? r : most;
    }
    if (table->row_count > 0 && counts[most] > NAMED_MOST) {
        table->rows[most].cells[0] = table->row_count > 1 ? "all others" : "all";
    }
}

static void add_rules(rft_build *b) {
    static const rft_column columns[] = {{.title = "Sweep", .wraps = true},
                                         {.title = "Cache"},
                                         {.title = "Samples", .align = RFT_ALIGN_RIGHT},
                                         {.title = "Settled", .unit = "\xc2\xb1 %", .align = RFT_ALIGN_DECIMAL},
                                         {.title = "Time cap", .align = RFT_ALIGN_RIGHT},
                                         {.title = "Strategy", .wraps = true},
                                         {.title = "Search seed", .align = RFT_ALIGN_RIGHT},
                                         {.title = "Input seed", .align = RFT_ALIGN_RIGHT}};
    rft_table *table = rft_doc_table(b->doc, columns, 8);
    size_t *counts = rft_arena_calloc(b->arena, b->run->sweep_count + 1, sizeof *counts);
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        const rft_sweep *sweep = &b->run->sweeps[s].sweep;
        rft_row *same = NULL, row = {.cells = rft_arena_calloc(b->arena, 8, sizeof *row.cells)};
        row.cells[1] = rft_protocol_name(sweep->measure.cache, sweep->measure.mode);
        row.cells[2] = rft_arena_printf(b->arena, "%d to %d", sweep->measure.min_samples, sweep->measure.max_samples);
        row.cells[3] = rft_figure_plain(b->arena, sweep->measure.noise_frac * 100, 2);
        row.cells[4] = rft_figure_si(b->arena, sweep->measure.max_seconds, "s");
        row.cells[5] = sweep->search.strategy ? sweep->search.strategy : "auto";
        row.cells[6] = rft_arena_printf(b->arena, "%llu", (unsigned long long)sweep->search.seed);
        row.cells[7] = rft_arena_printf(b->arena, "%llu", (unsigned long long)sweep->measure.seed);
        for (size_t r = 0; r < table->row_count && !same; r++) {
            same = says_the_same(&table->rows[r], &row) ? &table->rows[r] : NULL;
        }
        if (!same) {
            same = rft_doc_row(b->doc, table);
            same->cells = row.cells;
        }
        same->cells[0] =
            same->cells[0] ? rft_arena_printf(b->arena, "%s, %s", same->cells[0], sweep->name) : sweep->name;
        counts[same - table->rows]++;
    }
    name_others(table, counts);
}

static const char *floor_text(const rft_build *b) {
    const rft_ceiling *floor = &b->run->ceilings.items[RFT_CEILING_LAUNCH];
    if (!floor->measured) {
        return rft_arena_printf(b->arena, "not measured: %s", floor->reason ? floor->reason : "no reason was recorded");
    }
    return rft_arena_printf(b->arena, "%s for an empty kernel between two events; it is not subtracted",
                            rft_figure_si(b->arena, floor->stats.median, "s"));
}

static const char *worst_text(const rft_build *b, const trust *t) {
    if (!t->worst) {
        return "n/a: nothing was verified with a tolerance";
    }
    const rft_verification *check = &t->worst->verification;
    if (!(t->worst_frac > 0)) {
        return "none: every element is the reference's";
    }
    return rft_arena_printf(b->arena, "%s of its tolerance (off by %s of %s allowed, element %llu of %s; %s, %s)",
                            rft_figure_percent(b->arena, t->worst_frac),
                            rft_figure_small(b->arena, check->worst_abs_error, 2),
                            rft_figure_small(b->arena, check->worst_abs_error / t->worst_frac, 2),
                            (unsigned long long)check->index, check->buffer ? check->buffer : "an output",
                            rft_words_problem(b->run, t->worst->sweep, t->worst->problem, b->arena),
                            rft_words_config(b->run, t->worst, b->arena));
}

static const char *tolerance_text(const rft_build *b, const trust *t) {
    if (isnan(t->tol_low)) {
        return "n/a: nothing was verified";
    }
    const char *low = rft_figure_small(b->arena, t->tol_low, 2), *high = rft_figure_small(b->arena, t->tol_high, 2);
    return rft_arena_printf(b->arena, "%s%s%s of |reference| + the mean of its buffer's magnitudes", low,
                            strcmp(low, high) == 0 ? "" : " to ", strcmp(low, high) == 0 ? "" : high);
}

/* "1 of 563 (0.2 %)" */
static const char *share_text(const rft_build *b, size_t count, size_t of) {
    return of == 0 ? "n/a"
                   : rft_arena_printf(b->arena, "%s of %s (%s)", rft_figure_count(b->arena, count),
                                      rft_figure_count(b->arena, of),
                                      rft_figure_percent(b->arena, (double)count / (double)of));
}

static const char *clock_text(const rft_build *b, const trust *t) {
    if (isnan(t->clock_low)) {
        return "not read while timing";
    }
    const char *unknown =
        t->clock_unknown ? rft_arena_printf(b->arena, "; not read for %zu points", t->clock_unknown) : "";
    double most = b->run->gpu.sm_clock_khz / 1000.0;
    return rft_arena_printf(
        b->arena, "%s to %s MHz, medians of all points, slow ones too%s%s", rft_figure_plain(b->arena, t->clock_low, 4),
        rft_figure_plain(b->arena, t->clock_high, 4),
        most > 0 && t->clock_high > most
            ? rft_arena_printf(b->arena, "; more than %s is the reading's error", rft_figure_plain(b->arena, most, 4))
            : "",
        unknown);
}

static const char *counters_text(const rft_build *b) {
    size_t asked = 0;
    size_t known = 0, imported = 0;
    const char *reason = "not counted, or not recorded";
    for (size_t i = 0; i < b->run->point_count; i++) {
        const rft_point *point = &b->run->points[i];
        bool own = point->counters && !point->alias_of;
        asked += own;
        known += own && rft_counted_any(point);
        imported += own && rft_counted_any(point) && point->counters->source;
        reason = own && !rft_counted_any(point) ? rft_counted_missing(point) : reason;
    }
    if (known == 0) {
        return rft_arena_printf(b->arena, "none: %s", reason);
    }
    return rft_arena_printf(
        b->arena, "of %s, in runs of their own%s%s", rft_words_plural(known, "point", "points", b->arena),
        imported ? rft_arena_printf(b->arena, "; of %zu imported from Nsight Compute", imported) : "",
        known < asked ? rft_arena_printf(b->arena, "; %s could not be counted",
                                         rft_words_plural(asked - known, "other", "others", b->arena))
                      : "");
}

static const char *again_text(const rft_build *b, const trust *t) {
    if (t->final_round == 0) {
        return "none: there was no final round";
    }
    const char *least = rft_figure_count(b->arena, t->processes_low),
               *most = rft_figure_count(b->arena, t->processes_high);
    const char *how = t->processes_high <= 1 ? "in turns"
                      : t->processes_low == t->processes_high
                          ? rft_arena_printf(b->arena, "in %s device processes", most)
                          : rft_arena_printf(b->arena, "in %s to %s device processes", least, most);
    return rft_arena_printf(b->arena, "%s points in a last round, %s; that round is reported",
                            share_text(b, t->final_round, t->measured), how);
}

/* What passes there is only as right as that variant. */
static const char *by_unverified_text(const rft_build *b, const trust *t) {
    return t->by_unverified == 0
               ? ""
               : rft_arena_printf(b->arena, "; %s compared with a variant that nothing verifies",
                                  t->by_unverified == t->verified ? "all"
                                                                  : rft_figure_count(b->arena, t->by_unverified));
}

/* Why they are not what the rules say. */
static const char *samples_note(const rft_build *b, const trust *t) {
    int most = 0;
    for (size_t s = 0; s < b->run->sweep_count; s++) {
        most = b->run->sweeps[s].sweep.measure.max_samples > most ? b->run->sweeps[s].sweep.measure.max_samples : most;
    }
    bool more = (double)t->n_high > most && t->final_round > 0;
    const char *fewest = t->stops[RFT_STOP_SLOWER] ? "; the fewest of what was clearly slower" : "";
    return rft_arena_printf(b->arena, "%s%s", fewest, more ? "; the most over all turns of a last round" : "");
}

static void add_trust(rft_build *b) {
    static const rft_column columns[] = {{.title = ""}, {.title = "", .wraps = true}};
    trust t = gather(b->run);
    const char *drift = rft_run_drift_sentence(b->run, b->arena);
    rft_table *table = rft_doc_table(b->doc, columns, 2);
    table->plain = true;
    rft_doc_pair(b->doc, table, "Measured points", rft_figure_count(b->arena, t.measured));
    rft_doc_pair(b->doc, table, "Samples a point",
                 t.measured ? rft_arena_printf(b->arena, "%s to %s%s", rft_figure_count(b->arena, t.n_low),
                                               rft_figure_count(b->arena, t.n_high), samples_note(b, &t))
                            : "n/a");
    rft_doc_pair(b->doc, table, "Stopped because", stop_text(b, &t));
    rft_doc_pair(b->doc, table, t.stops[RFT_STOP_SLOWER] ? "Widest interval in the race" : "Widest interval",
                 isnan(t.half_high) ? "n/a"
                                    : rft_arena_printf(b->arena, "\xc2\xb1 %s of the median",
                                                       rft_figure_percent(b->arena, t.half_high)));
    rft_doc_pair(b->doc, table, "Noisy points", share_text(b, t.noisy, t.measured));
    rft_doc_pair(b->doc, table, "Measured again", again_text(b, &t));
    rft_doc_pair(b->doc, table, "Hardware counters", counters_text(b));
    rft_doc_pair(b->doc, table, "Timer floor", floor_text(b));
    rft_doc_pair(b->doc, table, "SM clock", clock_text(b, &t));
    rft_doc_pair(b->doc, table, "Clock held down", rft_words_throttled(b->run, b->arena));
    rft_doc_pair(b->doc, table, "Drift",
                 drift ? drift : "n/a: no reference was measured again, or it was not recorded");
    rft_doc_pair(b->doc, table, "Verified",
                 rft_arena_printf(b->arena, "%s of %s measured points, and %s of odd problems; %s compared; %s wrong%s",
                                  rft_figure_count(b->arena, t.verified), rft_figure_count(b->arena, t.measured),
                                  rft_figure_count(b->arena, t.odd_done),
                                  rft_words_plural(t.elements, "element", "elements", b->arena),
                                  rft_figure_count(b->arena, t.wrong), by_unverified_text(b, &t)));
    rft_doc_pair(b->doc, table, "Tolerance", tolerance_text(b, &t));
    rft_doc_pair(b->doc, table, "Largest error", worst_text(b, &t));
}

void rft_build_method(rft_build *b) {
    rft_doc_new_chapter(b->doc);
    rft_doc_heading(b->doc, 1, "Method and trust", "method");
    if (rft_words_replay(b->run, b->arena)) {
        rft_doc_text(b->doc, RFT_TEXT_STRONG,
                     "This run replayed a recording: no GPU was used. Every time, clock, error and ceiling below was "
                     "measured when the recording was made.");
    }
    if (rft_run_foreign(b->run)) {
        rft_doc_text(
            b->doc, RFT_TEXT_BODY,
            rft_arena_printf(b->arena,
                             "The times were read from a foreign recording (%s). How they were taken, on which "
                             "clocks, and whether the results were right is what the tuner that wrote it says: "
                             "rooftune verified nothing, measured no ceiling and flushed no cache. What such a "
                             "file does not hold is told as not known.",
                             rft_run_foreign(b->run)));
        return;
    }
    rft_doc_text(
        b->doc, RFT_TEXT_BODY,
        "Every configuration is compiled on its own and its results are compared with a reference kernel that "
        "accumulates in double precision, on seeded random inputs, before it is timed; a wrong one is never a best. "
        "After a warm-up each sample is the time between two events around the launches. In cold mode the L2 cache is "
        "emptied before every sample; rotating, every run works on another copy of the buffers; hot, it holds what the "
        "run before left. Sampling stops when the 95 % interval of the median is narrow enough, when more samples no "
        "longer narrow it, at a cap, or when the configuration is clearly slower than the best so far. The median is "
        "reported; its interval comes from order statistics and assumes "
        "no distribution. The best few of every problem are measured again in turns, so that what the device does "
        "meanwhile meets them alike. A point whose clock was low is measured again, and one configuration after every "
        "20 points. Clocks and power limits are left as they are found.");
    if (b->run->sweep_count > 0) {
        rft_doc_heading(b->doc, 2, "Rules", NULL);
        add_rules(b);
    }
    rft_doc_heading(b->doc, 2, "What to trust it by", NULL);
    add_trust(b);
    const char *sample = rft_words_sentence(rft_run_sample_text(&b->buyer->sample, b->arena), b->arena);
    rft_doc_textf(
        b->doc, RFT_TEXT_NOTE,
        "%s How much cards of one model differ, and how much this one differs from day to day, is not part of "
        "these intervals.",
        sample);
}
