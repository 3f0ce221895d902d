/* SPDX-License-Identifier: Apache-2.0 */
/* The summary's table: a row a problem, grouped by sweep. A column that no row has anything for is left out. */
#include "model/run/baseline.h"
#include "reports/doc_build.h"

#include "base/str.h"
#include "model/roofline/over_roof.h"
#include "model/roofline/placement.h"
#include "model/stats/interval_text.h"
#include "reports/findings/point_state.h"

#include <math.h>
#include <string.h>

typedef enum column_id {
    COLUMN_PROBLEM,
    COLUMN_CONFIG,
    COLUMN_TIME,
    COLUMN_INTERVAL,
    COLUMN_RATE,
    COLUMN_ITEMS,
    COLUMN_CEILING,
    COLUMN_SHEET,
    COLUMN_AT_CLOCK,
    COLUMN_LEFT,
    COLUMN_BOUND,
    COLUMN_DEFAULT,
    COLUMN_BASELINE,
    COLUMN_ENERGY,
    COLUMN_COUNT
} column_id;

static const rft_column columns[COLUMN_COUNT] = {
    [COLUMN_PROBLEM] = {.title = "Problem"},
    [COLUMN_CONFIG] = {.title = "Best configuration"},
    [COLUMN_TIME] = {.title = "Median", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_INTERVAL] = {.title = "95 %", .align = RFT_ALIGN_RIGHT},
    [COLUMN_RATE] = {.title = "Useful rate", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_ITEMS] = {.title = "Items", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_CEILING] = {.title = "of ceiling", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_SHEET] = {.title = "of sheet", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_AT_CLOCK] = {.title = "at its clock", .unit = "%", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_LEFT] = {.title = "left", .unit = "at most", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_BOUND] = {.title = "Bound"},
    [COLUMN_DEFAULT] = {.title = "over default", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_BASELINE] = {.title = "over vendor", .align = RFT_ALIGN_DECIMAL},
    [COLUMN_ENERGY] = {.title = "Energy", .align = RFT_ALIGN_DECIMAL},
};

#define CONFIG_BYTES 120 /* a name longer than that is cut here; part 2 has it whole */
#define CONFIG_SHORT 36  /* bytes that a column has room for beside the numbers */
#define CELL_SHORT 24    /* bytes that are not broken */
#define NAMED_MOST 12    /* more sweeps of one row each are told in two lines each, */
#define TIGHT_MOST 40    /* and more than that in one */
#define COLUMNS_ROOMY 10 /* so many leave room for that of intervals where configurations have none, */
#define COLUMNS_MOST 11  /* and with more there is none for either; nor with so many of one of several sweeps */
#define WIDE_RANGE 2e4   /* times further apart than that have no unit in common */

typedef struct view {
    rft_build *b;
    rft_table *table;
    size_t at[COLUMN_COUNT]; /* SIZE_MAX: left out */
    rft_figure_scale time;   /* factor 0: every cell has its own */
    rft_figure_scale rate;   /* of the sweep that is being told */
    bool alone;              /* one sweep of several: in its own chapter */
    bool named;              /* the sweep's name stands in the problem's cell, not above its rows */
    bool tight;              /* then its problem goes before the configuration: of many sweeps each takes two lines */
    bool bare;               /* of so many one line: where it stands; its chapter has the rest */
    bool detailed;           /* configurations stand under the numbers: they are too long for a column */
    bool below;              /* so do intervals: there are too many columns */
    const char *vendor;      /* of bare rows the library that the legend names; NULL: notes name several */
    bool repeated;           /* most rows are of several processes: the legend tells it, a note of one that is not */
} view;

static void put(const view *v, rft_row *row, column_id id, const char *text) {
    if (v->at[id] != SIZE_MAX) {
        row->cells[v->at[id]] = text;
    }
}

static const char *with_note(const view *v, const char *text, const char *note) {
    return rft_arena_printf(v->b->arena, "%s%s", text, rft_doc_note(v->b->doc, v->table, note));
}

/* Cut between two words, a longer word between two characters. */
static const char *cut(const rft_build *b, const char *text) {
    size_t length = strlen(text);
    if (length <= CONFIG_BYTES) {
        return text;
    }
    size_t keep = CONFIG_BYTES;
    while (keep > 0 && text[keep] != ' ') {
        keep--;
    }
    bool words = keep > 0;
    for (keep = words ? keep : CONFIG_BYTES; keep > 0 && ((unsigned char)text[keep] & 0xc0) == 0x80;) {
        keep--;
    }
    return rft_arena_printf(b->arena, "%.*s%s\xe2\x80\xa6", (int)keep, text, words ? " " : "");
}

static const char *problem_text(const view *v, const rft_entry *entry) {
    const rft_build *b = v->b;
    if (v->tight) {
        return b->run->sweeps[entry->sweep].sweep.name;
    }
    if (v->named) {
        return cut(b, rft_words_problem(b->run, entry->sweep, entry->problem, b->arena));
    }
    const char *text = rft_run_problem_text(b->run, entry->sweep, entry->problem, true, b->arena);
    return text && *text ? cut(b, text) : "the only one";
}

static const char *config_text(const view *v, const rft_entry *entry) {
    const rft_build *b = v->b;
    const char *config = cut(b, rft_words_config(b->run, entry->best, b->arena));
    if (entry->tied > 0) {
        config = rft_arena_printf(b->arena, "%s (tie of %zu)", config, entry->tied + 1);
    }
    if (entry->best->outcome == RFT_OUTCOME_NOISY) {
        config = with_note(v, config, "Noisy: the samples did not settle; the interval says how far.");
    }
    if (!entry->best->verification.done) {
        config = with_note(v, config, "Not verified: its results were not compared with a reference.");
    }
    return config;
}

/* Launches back to back take another time than one at rest. */
static bool shows_sustained(const rft_point *point) {
    return point->loads[RFT_LOAD_SOAK] && rft_point_sags(point);
}

static const char *time_text(const view *v, const rft_stats *stats) {
    return rft_stats_text(stats, v->time.factor, "s", v->b->arena).value;
}

/* With the prefix that suits the sweep, so that the numbers of a column compare. */
static const char *rate_text(const view *v, double rate) {
    return isnan(rate) ? "n/a"
                       : rft_arena_printf(v->b->arena, "%s %s", rft_figure_plain(v->b->arena, rate / v->rate.factor, 3),
                                          v->rate.unit);
}

/* "; back to back 4.14 TB/s, 97.0 %": of many sweeps each, in the words under its row. */
static const char *back_to_back_text(const view *v, const rft_entry *entry) {
    const rft_build *b = v->b;
    double rate = v->tight && !shows_sustained(entry->best) ? rft_back_to_back_rate(b->run, entry->best) : (double)NAN;
    return !isfinite(rate)
               ? ""
               : rft_arena_printf(b->arena, "; back to back %s%s%s", rate_text(v, rate),
                                  entry->reach.back_to_back ? ", " : "",
                                  entry->reach.back_to_back ? rft_figure_percent(b->arena, entry->reach.frac) : "");
}

static void set_config(const view *v, rft_row *row, const rft_entry *entry, const char *text) {
    const rft_build *b = v->b;
    const char *problem = v->tight ? rft_run_problem_text(b->run, entry->sweep, entry->problem, true, b->arena) : NULL;
    if (problem && *problem) {
        row->detail = rft_arena_printf(b->arena, "%s: %s", cut(b, problem), text);
    } else if (v->detailed) {
        row->detail = text;
    } else {
        put(v, row, COLUMN_CONFIG, text);
    }
}

bool rft_build_all_repeated(const rft_entry *const *entries, size_t count) {
    bool all = true;
    for (size_t i = 0; i < count; i++) {
        all = all && (!entries[i]->best || rft_point_measurement(entries[i]->best)->process_count > 1);
    }
    return all;
}

bool rft_build_mostly_repeated(const rft_entry *const *entries, size_t count) {
    size_t measured = 0, repeated = 0;
    for (size_t i = 0; i < count; i++) {
        measured += entries[i]->best != NULL;
        repeated += entries[i]->best && rft_point_measurement(entries[i]->best)->process_count > 1;
    }
    return 2 * repeated > measured || rft_build_all_repeated(entries, count);
}

/* `processes`: 0 is one, or not recorded. A note is made for it: to be called once a row. */
static const char *interval_text(const view *v, const rft_stats *stats, size_t processes) {
    const char *text = rft_stats_text(stats, v->time.factor, "s", v->b->arena).interval;
    if (!text) {
        return with_note(
            v, "n/a",
            "Too few samples for a 95 % interval of the median: under 6, or under 8 that are not independent.");
    }
    if (v->repeated) {
        return processes > 1 ? text : with_note(v, text, "Of one process: what another would read is not known.");
    }
    return processes > 1 ? with_note(v, text,
                                     "Of several processes each: how many, and what another such run would read, tells "
                                     "`show --full`.")
                         : text;
}

static const char *share_text(const view *v, double frac, const char *why) {
    return isnan(frac) ? with_note(v, "n/a", why) : rft_figure_percent_bare(v->b->arena, frac);
}

static const char unwritten_note[] =
    "Of a launch alone, and at most: part of what it wrote was still in the L2 when it ended (how much: `show`).";

/* With what must be said beside it; sizes of writes differ from row to row, and stand with all problems. */
static const char *ceiling_text(const view *v, const rft_entry *entry) {
    double frac = entry->place.efficiency_frac;
    const char *share = share_text(v, frac, "The ceiling that would bound this problem was not measured.");
    rft_over_roof over = rft_over_roof_of(v->b->run, entry->best, v->b->arena);
    if (entry->reach.at_most || entry->reach.back_to_back || over.cause == RFT_OVER_WRITES) {
        return with_note(v, share, unwritten_note);
    }
    return over.text ? with_note(v, share, rft_words_sentence(over.text, v->b->arena)) : share;
}

/* In few words; counted unless marked: * modelled, ** declared. */
static const char *bound_text(const rft_build *b, const rft_bound *bound) {
    const char *name = rft_words_bound_name(bound, b->arena), *of = rft_words_beside(bound, b->arena);
    if (bound->firmness != RFT_FIRM_NONE) {
        bool counted = bound->evidence == RFT_EVIDENCE_COUNTED;
        return rft_arena_printf(b->arena, "%s%s %.0f %%%s%s", bound->firmness == RFT_FIRM_MOSTLY ? "mostly " : "", name,
                                bound->frac * 100,
                                counted                                    ? ""
                                : bound->evidence == RFT_EVIDENCE_MODELLED ? "*"
                                                                           : "**",
                                of);
    }
    return bound->resource == RFT_RESOURCE_UNKNOWN ? "not known" : rft_arena_printf(b->arena, "%s%s", name, of);
}

static const char *left_text(const rft_build *b, double factor) {
    return isnan(factor) ? "n/a" : rft_figure_ratio(b->arena, factor);
}

static bool runs_below(const rft_build *b, const rft_entry *entry) {
    return entry->best && rft_words_at_clock(b->run, entry->best, b->arena);
}

/* Joules of a run over its operations, or bytes. */
static double joules_per_work(const rft_entry *entry) {
    const rft_load *load = entry->best ? entry->best->loads[RFT_LOAD_ENERGY] : NULL;
    if (!load || !load->source) {
        return NAN;
    }
    return 1.0 / rft_load_per_joule(load, rft_rate_of(&entry->place) * rft_point_median_s(entry->best));
}

static const char *energy_text(const view *v, const rft_entry *entry) {
    double joules = joules_per_work(entry);
    const char *of = rft_rate_in_ops(&entry->place) ? "FLOP" : "B";
    return isfinite(joules)
               ? rft_arena_printf(v->b->arena, "%s pJ/%s", rft_figure_plain(v->b->arena, joules * 1e12, 3), of)
               : NULL;
}

static double items_rate(const rft_entry *entry) {
    const rft_work *work = entry->best ? &entry->best->work : NULL;
    return work && work->item_name && work->items > 0 ? work->items / rft_point_median_s(entry->best) : NAN;
}

/* "cuBLASLt" of "cuBLASLt, bias_gelu" and all others. */
const char *rft_build_vendor(const rft_build *b, const rft_entry *const *entries, size_t count) {
    const char *common = NULL;
    for (size_t i = 0; i < count; i++) {
        const rft_baseline *chief = rft_run_chief_baseline(b->run, entries[i]->sweep, entries[i]->problem, b->arena);
        const char *word =
            chief ? rft_arena_printf(b->arena, "%.*s", (int)strcspn(chief->name, " ,"), chief->name) : common;
        if (chief && (!chief->same_protocol || chief->tried == 0 || (common && strcmp(common, word) != 0))) {
            return NULL;
        }
        common = word;
    }
    return common;
}

/* "1.04x", "1.00x tie": the best's rate over that of its chief baseline; a note says which where they differ. */
static const char *baseline_text(const view *v, const rft_entry *entry) {
    rft_build *b = v->b;
    const rft_baseline *chief = rft_run_chief_baseline(b->run, entry->sweep, entry->problem, b->arena);
    if (!chief && v->bare) {
        const rft_sweep *sweep = &b->run->sweeps[entry->sweep].sweep;
        bool library = entry->best->variant < sweep->variant_count &&
                       rft_variant_is_library(&sweep->variants[entry->best->variant]);
        return library ? "the vendor's" : NULL;
    }
    if (!chief) {
        return "n/a";
    }
    const char *label = rft_baseline_label(chief, b->arena);
    rft_versus versus = rft_versus_of(b->run, entry->best, chief);
    if (isnan(versus.frac)) {
        const char *why = chief->reason ? chief->reason : "nothing to compare";
        return rft_arena_printf(b->arena, "n/a%s",
                                rft_doc_note(b->doc, v->table, rft_arena_printf(b->arena, "%s: %s.", label, why)));
    }
    const char *less = rft_errors_larger(&entry->best->verification, &chief->verification)
                           ? rft_doc_note(b->doc, v->table, "Less exact than the library (How exact; `rooftune show`).")
                           : "";
    const char *ratio =
        rft_arena_printf(b->arena, "%s%s%s", rft_figure_ratio(b->arena, versus.frac), versus.tie ? " tie" : "", less);
    return v->vendor || rft_run_chief_name(b->run, b->arena)
               ? ratio
               : rft_arena_printf(b->arena, "%s%s", ratio,
                                  rft_doc_note(b->doc, v->table, rft_arena_printf(b->arena, "Over %s.", label)));
}

static const char *default_text(const view *v, const rft_entry *entry) {
    if (!isnan(entry->over_default)) {
        return rft_figure_ratio(v->b->arena, entry->over_default);
    }
    return with_note(
        v, "n/a",
        rft_arena_printf(v->b->arena, "No ratio: %s.", entry->why_default ? entry->why_default : "not known"));
}

/* Launches back to back, while energy was read. */
static void add_back_to_back(const view *v, const rft_entry *entry) {
    const rft_build *b = v->b;
    double rate = rft_back_to_back_rate(b->run, entry->best);
    if (!isfinite(rate) || v->tight) { /* told in words */
        return;
    }
    rft_row *row = rft_doc_row(b->doc, v->table);
    row->quiet = true;
    put(v, row, v->detailed ? COLUMN_PROBLEM : COLUMN_CONFIG, "back to back");
    put(v, row, COLUMN_TIME,
        rft_interval_text_of(rft_point_back_to_back_s(entry->best), NAN, NAN, v->time.factor, "s", b->arena).value);
    put(v, row, COLUMN_RATE, rate_text(v, rate));
    if (entry->reach.back_to_back) {
        put(v, row, COLUMN_CEILING, rft_figure_percent_bare(b->arena, entry->reach.frac));
    }
}

/* Where launches back to back take another time than one at rest, both stand here. */
static void add_sustained(const view *v, const rft_entry *entry) {
    const rft_build *b = v->b;
    const rft_point *point = entry->best;
    const rft_load *soak = point->loads[RFT_LOAD_SOAK];
    if (!shows_sustained(point)) {
        add_back_to_back(v, entry);
        return;
    }
    rft_placement place = rft_placement_sustained(b->run, point);
    rft_row *row = rft_doc_row(b->doc, v->table);
    double slower = rft_point_median_s(point) / soak->stats.median;
    row->quiet = true;
    put(v, row, v->detailed ? COLUMN_PROBLEM : COLUMN_CONFIG,
        rft_arena_printf(b->arena, "sustained, %.0f s", soak->asked_s));
    put(v, row, COLUMN_TIME, time_text(v, &soak->stats));
    put(v, row, COLUMN_RATE, rate_text(v, rft_rate_of(&entry->place) * slower));
    const char *share =
        share_text(v, place.efficiency_frac, "The rate of its ceiling under sustained load was not measured.");
    bool unwritten = isfinite(place.efficiency_frac) && (entry->reach.at_most || entry->reach.back_to_back);
    put(v, row, COLUMN_CEILING,
        unwritten ? with_note(v, share, unwritten_note) : share); /* its caches are flushed, too */
    put(v, row, COLUMN_SHEET,
        isnan(entry->place.datasheet_frac) ? "n/a"
                                           : rft_figure_percent_bare(b->arena, entry->place.datasheet_frac * slower));
    put(v, row, COLUMN_LEFT, left_text(b, place.left_factor));
}

static void add_entry(const view *v, const rft_entry *entry) {
    rft_build *b = v->b;
    rft_row *row = rft_doc_row(b->doc, v->table);
    put(v, row, COLUMN_PROBLEM, problem_text(v, entry));
    row->link = b->opts.part == 1 ? NULL : rft_build_anchor(b, entry->sweep);
    if (!entry->best) {
        const char *why = rft_counts_of(b->run, entry->sweep).points == 0
                              ? "No configuration of it was taken up."
                              : "No configuration of it gave a verified measurement; the sweep's section lists the "
                                "failures.";
        set_config(v, row, entry, with_note(v, "none", why));
        put(v, row, COLUMN_TIME, "n/a");
        put(v, row, COLUMN_RATE, "n/a");
        return;
    }
    const rft_measurement *measured = rft_point_measurement(entry->best);
    const rft_stats *stats = &measured->stats;
    const rft_placement *place = &entry->place;
    const char *config = v->bare ? NULL : config_text(v, entry);
    if (v->below) {
        config = rft_arena_printf(b->arena, "%s; 95 %%: %s%s", config, interval_text(v, stats, measured->process_count),
                                  back_to_back_text(v, entry));
    }
    if (config) {
        set_config(v, row, entry, config);
    }
    put(v, row, COLUMN_TIME, time_text(v, stats));
    if (!v->below) {
        put(v, row, COLUMN_INTERVAL, interval_text(v, stats, measured->process_count));
    }
    put(v, row, COLUMN_RATE, rate_text(v, rft_rate_of(place)));
    if (isfinite(items_rate(entry))) {
        put(v, row, COLUMN_ITEMS,
            rft_figure_si(b->arena, items_rate(entry),
                          rft_arena_printf(b->arena, "%s/s", entry->best->work.item_name)));
    }
    put(v, row, COLUMN_CEILING, ceiling_text(v, entry));
    if (v->at[COLUMN_SHEET] != SIZE_MAX) {
        put(v, row, COLUMN_SHEET, share_text(v, place->datasheet_frac, "No datasheet value is known for this device."));
    }
    if (runs_below(b, entry)) {
        put(v, row, COLUMN_AT_CLOCK, rft_figure_percent_bare(b->arena, place->clock_frac));
    }
    put(v, row, COLUMN_LEFT, left_text(b, entry->reach.left_factor));
    put(v, row, COLUMN_BOUND, bound_text(b, &entry->bound));
    if (v->at[COLUMN_DEFAULT] != SIZE_MAX) {
        put(v, row, COLUMN_DEFAULT, default_text(v, entry));
    }
    if (v->at[COLUMN_BASELINE] != SIZE_MAX) {
        put(v, row, COLUMN_BASELINE, baseline_text(v, entry));
    }
    put(v, row, COLUMN_ENERGY, energy_text(v, entry));
    add_sustained(v, entry);
}

/* What there is anything to say of in some row. */
static bool is_wanted(const rft_build *b, column_id id, const rft_entry *const *entries, size_t count) {
    for (size_t i = 0; i < count; i++) {
        const rft_entry *entry = entries[i];
        switch (id) {
        case COLUMN_ITEMS:
            if (isfinite(items_rate(entry))) {
                return true;
            }
            break;
        case COLUMN_AT_CLOCK:
            if (runs_below(b, entry)) {
                return true;
            }
            break;
        case COLUMN_SHEET:
            if (entry->best && isfinite(entry->place.datasheet_frac)) {
                return true;
            }
            break;
        case COLUMN_ENERGY:
            if (isfinite(joules_per_work(entry))) {
                return true;
            }
            break;
        case COLUMN_DEFAULT:
            if (entry->best && !isnan(entry->over_default)) {
                return true;
            }
            break;
        case COLUMN_BASELINE:
            if (entry->best && rft_run_has_baselines(b->run, entry->sweep)) {
                return true;
            }
            break;
        default:
            return true;
        }
    }
    return false;
}

static int wanted_columns(const rft_build *b, const rft_entry *const *entries, size_t count) {
    int wanted = 0;
    for (int id = 0; id < COLUMN_COUNT; id++) {
        wanted += is_wanted(b, (column_id)id, entries, count);
    }
    return wanted;
}

static rft_figure_scale time_scale(const rft_build *b, const rft_entry *const *entries, size_t count) {
    double *times = rft_arena_calloc(b->arena, count + 1, sizeof *times);
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < count; i++) {
        times[i] = entries[i]->best ? rft_point_median_s(entries[i]->best) : NAN;
        low = fmin(low, times[i]);
        high = fmax(high, times[i]);
    }
    rft_figure_scale scale = rft_figure_scale_of(b->arena, times, count, "s");
    bool apart = !(high > 0) || high / low > WIDE_RANGE || high / scale.factor >= 1e5 || low / scale.factor < 1e-3;
    return apart ? (rft_figure_scale){0, ""} : scale;
}

/* Of all problems of its sweep that are told in the same unit as this one; of many sweeps with a row each of those
 * rows.
 */
static rft_figure_scale rate_scale(const view *v, const rft_entry *entry, const rft_entry *const *rows, size_t count) {
    const rft_build *b = v->b;
    size_t among = v->tight ? count : b->entry_count, used = 0;
    double *rates = rft_arena_calloc(b->arena, among + 1, sizeof *rates);
    const char *unit = rft_rate_unit(&entry->place);
    for (size_t i = 0; i < among; i++) {
        const rft_entry *other = v->tight ? rows[i] : &b->entries[i];
        bool beside = v->tight || other->sweep == entry->sweep;
        if (beside && other->best && strcmp(rft_rate_unit(&other->place), unit) == 0) {
            rates[used++] = rft_rate_of(&other->place);
        }
    }
    return rft_figure_scale_of(b->arena, rates, used, unit);
}

/* The sweep's name above its rows. */
static void add_group(const view *v, const rft_entry *entry) {
    rft_build *b = v->b;
    const rft_sweep *sweep = &b->run->sweeps[entry->sweep].sweep;
    rft_row *row = rft_doc_row(b->doc, v->table);
    row->span = true;
    row->rule = v->table->row_count > 1;
    row->link = b->opts.part == 1 ? NULL : rft_build_anchor(b, entry->sweep);
    row->cells[0] = rft_arena_printf(
        b->arena, "%s%s", sweep->name,
        sweep->measure.cache == RFT_CACHE_COLD && sweep->measure.mode == RFT_TIMING_EVENTS
            ? ""
            : rft_arena_printf(b->arena, " (cache: %s)", rft_protocol_name(sweep->measure.cache, sweep->measure.mode)));
}

static void widen(size_t *longest, const char *text) {
    size_t length = strlen(text);
    *longest = length > *longest ? length : *longest;
}

rft_table *rft_build_results(rft_build *b, const rft_entry *const *entries, size_t count) {
    rft_column used[COLUMN_COUNT];
    size_t column_count = 0;
    view v = {.b = b, .time = time_scale(b, entries, count)};
    size_t groups = 0;
    size_t longest[COLUMN_COUNT] = {0}; /* bytes, of the columns of words */
    for (size_t i = 0; i < count; i++) {
        groups += i == 0 || entries[i]->sweep != entries[i - 1]->sweep;
    }
    v.alone = groups == 1 && b->run->sweep_count > 1;
    v.named = groups == count;
    v.tight = v.named && count > NAMED_MOST;
    v.bare = v.named && count > TIGHT_MOST;
    int wanted = wanted_columns(b, entries, count);
    v.detailed = v.tight || wanted > (v.named || v.alone ? COLUMNS_ROOMY : COLUMNS_MOST);
    for (size_t i = 0; i < count; i++) {
        const char *config = entries[i]->best ? rft_words_config(b->run, entries[i]->best, b->arena) : "";
        v.detailed = v.detailed || strlen(config) > CONFIG_SHORT;
        widen(&longest[COLUMN_PROBLEM], problem_text(&v, entries[i]));
        widen(&longest[COLUMN_CONFIG], config);
        widen(&longest[COLUMN_BOUND], entries[i]->best ? bound_text(b, &entries[i]->bound) : "");
    }
    v.vendor = v.bare ? rft_build_vendor(b, entries, count) : NULL;
    v.repeated = rft_build_mostly_repeated(entries, count) && !v.alone;
    v.below = !v.bare && (v.tight || (v.detailed && wanted > COLUMNS_ROOMY));
    for (int id = 0; id < COLUMN_COUNT; id++) {
        v.at[id] = SIZE_MAX;
        /* The bound tells the one, page 1 the other. */
        bool narrow = (v.tight && (id == COLUMN_AT_CLOCK || id == COLUMN_ITEMS)) ||
                      (v.bare && (id == COLUMN_SHEET || id == COLUMN_DEFAULT || id == COLUMN_ENERGY));
        bool below = (v.detailed && id == COLUMN_CONFIG) || (v.below && id == COLUMN_INTERVAL);
        if (!below && !narrow && is_wanted(b, (column_id)id, entries, count)) {
            v.at[id] = column_count;
            used[column_count] = columns[id];
            used[column_count++].wraps = longest[id] > CELL_SHORT;
        }
    }
    if (v.time.factor > 0) {
        used[v.at[COLUMN_TIME]].unit = v.time.unit;
    }
    v.table = rft_doc_table(b->doc, used, column_count);
    for (size_t i = 0; i < count; i++) {
        if (!v.named && !v.alone && (i == 0 || entries[i]->sweep != entries[i - 1]->sweep)) {
            add_group(&v, entries[i]);
        }
        v.rate = rate_scale(&v, entries[i], entries, count);
        add_entry(&v, entries[i]);
    }
    return v.table;
}
