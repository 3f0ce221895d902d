/* SPDX-License-Identifier: Apache-2.0 */
/* finding_compare.c - the runs of a comparison, and what stands beside the verdicts: how hard was
 * searched, how much runs of one model differ, what has no partner and what all of it rests on. */
#include "base/str.h"
#include "model/run/run_repeat.h"
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"

#include <math.h>
#include <string.h>

#define VARIATIONS 30 /* rows of a page: the largest where there are more */

const char *rft_compare_letter(const rft_compare *compare, size_t side, rft_arena *arena) {
    return rft_arena_printf(arena, "%c", compare->sides[side].letter);
}

/* ---- the runs ---- */

static const char *driver_of(const rft_run *run, rft_arena *arena) {
    static const char *const keys[] = {"driver.version", "nvml.driver_version"};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
        const char *value = rft_env_value(&run->env, keys[i]);
        if (value && *value) {
            return value;
        }
    }
    int api = run->gpu.driver_version;
    return api > 0 ? rft_arena_printf(arena, "CUDA %d.%d", api / 1000, api % 1000 / 10) : "not known";
}

static const char *price_of(const rft_compare_side *side, rft_arena *arena) {
    const rft_compare_price *price = &side->price;
    return price->amount > 0.0 ? rft_arena_printf(arena, "%s %s%s%s", rft_mix_exact_text(price->amount, arena),
                                                  price->currency ? price->currency : "", price->date ? ", " : "",
                                                  price->date ? price->date : "")
                               : "not given";
}

static bool any_price(const rft_compare *compare) {
    bool priced = false;
    for (size_t i = 0; i < compare->side_count; i++) {
        priced = priced || compare->sides[i].price.amount > 0.0;
    }
    return priced;
}

/* A run of a card that was named before. */
static bool is_fellow(const rft_compare *compare, size_t side) {
    bool fellow = false;
    for (size_t k = 0; k < side; k++) {
        fellow = fellow || compare->sides[k].card == compare->sides[side].card;
    }
    return fellow;
}

static const rft_compare_verdict verdicts[] = {RFT_COMPARE_FASTER, RFT_COMPARE_SLOWER, RFT_COMPARE_SAME,
                                               RFT_COMPARE_AMBIGUOUS, RFT_COMPARE_NONE};
enum { VERDICTS = sizeof verdicts / sizeof *verdicts };

/* How often each verdict was given; not of the first. */
static rft_finding *verdict_counts(const rft_compare *compare, size_t side, rft_arena *arena) {
    rft_finding *f = side ? rft_finding_new(arena) : NULL;
    for (int v = RFT_COMPARE_FASTER; side && v < RFT_COMPARE_VERDICTS; v++) {
        rft_finding_set(f, rft_compare_verdict_name((rft_compare_verdict)v),
                        rft_datum_count((int64_t)compare->scores[side].counts[v]));
    }
    return f;
}

enum {
    SIDE_LETTER,
    SIDE_DEVICE,
    SIDE_UUID,
    SIDE_CARD,
    SIDE_DRIVER,
    SIDE_MEASURED,
    SIDE_RUN,
    SIDE_DATE,
    SIDE_FELLOW,
    SIDE_PATH,
    SIDE_FILE_NAME,
    SIDE_STEP,
    SIDE_VERDICT,
    SIDE_MEAN,
    SIDE_MEAN_LOW,
    SIDE_MEAN_HIGH,
    SIDE_PRICE,
    SIDE_FIELDS
};

static void fill_side(rft_datum *cells, const rft_compare *compare, size_t i, rft_arena *arena) {
    const rft_compare_side *side = &compare->sides[i];
    const char *uuid = side->run->gpu.uuid, *slash = strrchr(side->path, '/');
    cells[SIDE_LETTER] = rft_datum_text(rft_compare_letter(compare, i, arena));
    cells[SIDE_DEVICE] = rft_datum_text(side->device);
    cells[SIDE_DEVICE].note = side->model_known ? NULL : "The device was not recorded: it is called after its file.";
    cells[SIDE_UUID] = rft_datum_text(uuid);
    cells[SIDE_CARD] = rft_datum_text(uuid && *uuid ? rft_arena_strndup(arena, uuid, 12) : "not known");
    cells[SIDE_DRIVER] = rft_datum_text(driver_of(side->run, arena));
    cells[SIDE_MEASURED] = rft_datum_text(side->date);
    cells[SIDE_RUN] = rft_datum_text(side->run->info.id);
    cells[SIDE_DATE] = rft_datum_text(side->date);
    cells[SIDE_FELLOW] = rft_datum_text(is_fellow(compare, i) ? "(a card named above)" : "");
    cells[SIDE_PATH] = rft_datum_text(side->path);
    cells[SIDE_FILE_NAME] = rft_datum_text(slash ? slash + 1 : side->path);
    const double step_s = rft_run_timer_step_s(side->run);
    cells[SIDE_STEP] = rft_datum_number(step_s > 0.0 ? step_s : (double)NAN);
    cells[SIDE_VERDICT] = rft_datum_finding(verdict_counts(compare, i, arena));
    cells[SIDE_MEAN] = rft_datum_number(compare->scores[i].mean.ratio);
    cells[SIDE_MEAN_LOW] = rft_datum_number(compare->scores[i].mean.low);
    cells[SIDE_MEAN_HIGH] = rft_datum_number(compare->scores[i].mean.high);
    cells[SIDE_PRICE] = rft_datum_text(price_of(side, arena));
}

rft_finding *rft_finding_compared_runs(const rft_compare *compare, rft_arena *arena) {
    rft_trait fields[SIDE_FIELDS] = {
        [SIDE_LETTER] = {.key = "letter", .title = ""},
        [SIDE_DEVICE] = {.key = "device", .title = "Device", .lead = ": ", .wraps = true},
        [SIDE_UUID] = {.key = "uuid"},
        [SIDE_CARD] = {.title = "Card", .lead = ", card "},
        [SIDE_DRIVER] = {.title = "Driver", .where = RFT_ON_PAGE},
        [SIDE_MEASURED] = {.title = "Measured", .where = RFT_ON_PAGE},
        [SIDE_RUN] = {.key = "run", .title = "Run", .lead = ", run "},
        [SIDE_DATE] = {.key = "date", .title = "", .where = RFT_IN_TEXT | RFT_IN_DATA},
        [SIDE_FELLOW] = {.title = "", .where = RFT_IN_TEXT, .lead = " "},
        [SIDE_PATH] = {.key = "file", .title = "", .where = RFT_IN_TEXT | RFT_IN_DATA},
        [SIDE_FILE_NAME] = {.title = "File", .where = RFT_ON_PAGE, .wraps = true},
        [SIDE_STEP] = {.key = "timer_step_s"},
        [SIDE_VERDICT] = {.key = "verdicts"},
        [SIDE_MEAN] = {.key = "mean_ratio"},
        [SIDE_MEAN_LOW] = {.key = "mean_low"},
        [SIDE_MEAN_HIGH] = {.key = "mean_high"},
        [SIDE_PRICE] = {.title = any_price(compare) ? "Price" : NULL, .where = RFT_ON_PAGE, .wraps = true},
    };
    rft_finding *f = rft_finding_new(arena);
    rft_cell_table *table = rft_finding_table(f, "sides", fields, SIDE_FIELDS);
    table->lines = true;
    for (size_t i = 0; i < compare->side_count; i++) {
        fill_side(rft_cell_table_row(table)->cells, compare, i, arena);
    }
    return f;
}

rft_finding *rft_finding_scores(const rft_compare *compare, rft_arena *arena) {
    enum { AGAINST, COUNTS, MEAN = COUNTS + VERDICTS, LEAST, MOST, FIELDS };
    rft_trait fields[FIELDS] = {
        [AGAINST] = {.title = "Against A", .wraps = true},
        [MEAN] = {.title = "mean speed, 95 %", .align = RFT_ALIGN_RIGHT},
        [LEAST] = {.title = "least", .style = RFT_AS_RATIO, .align = RFT_ALIGN_DECIMAL},
        [MOST] = {.title = "most", .style = RFT_AS_RATIO, .align = RFT_ALIGN_DECIMAL},
    };
    for (size_t v = 0; v < VERDICTS; v++) {
        fields[COUNTS + v] =
            (rft_trait){.title = verdicts[v] == RFT_COMPARE_NONE ? "not judged" : rft_compare_verdict_name(verdicts[v]),
                        .align = RFT_ALIGN_RIGHT};
    }
    rft_finding *f = rft_finding_new(arena);
    for (size_t side = 1; side < compare->side_count; side++) {
        rft_finding_body(f, RFT_IN_TEXT, "%s.", rft_compare_sentence(compare, side, arena));
    }
    if (compare->unlike) {
        rft_finding_body(f, RFT_IN_TEXT, "%s", compare->unlike);
    }
    if (compare->side_count > 2) {
        return f; /* the matrix has it on a page */
    }
    rft_finding_heading(f, RFT_ON_PAGE, 2, "Verdicts, by workload");
    rft_cell_table *table = rft_finding_table(f, NULL, fields, FIELDS);
    table->where = RFT_ON_PAGE;
    for (size_t side = 1; side < compare->side_count; side++) {
        const rft_compare_score *score = &compare->scores[side];
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[AGAINST] = rft_datum_text(rft_compare_side_name(compare, side, arena));
        for (size_t v = 0; v < VERDICTS; v++) {
            row->cells[COUNTS + v] = rft_datum_count((int64_t)score->counts[verdicts[v]]);
        }
        if (score->counts[RFT_COMPARE_AMBIGUOUS] == score->judged) {
            row->cells[MEAN] = rft_datum_text("unclear");
            continue;
        }
        row->cells[MEAN] = rft_datum_text(rft_compare_mean_words(&score->mean, arena));
        row->cells[LEAST] = rft_datum_number(score->least_ratio);
        row->cells[MOST] = rft_datum_number(score->most_ratio);
    }
    rft_finding_note(
        f, RFT_ON_PAGE,
        "Speed: time of A over time of the other, above 1 is faster. The mean is the geometric one, a "
        "summary, with its 95 %% interval: unclear, where that holds 1. Verdicts are workload by workload.");
    return f;
}

static const char *mean_verdict_words(const rft_compare_ratio *mean) {
    rft_compare_verdict verdict = rft_compare_mean_verdict(mean);
    return !mean->interval                    ? ""
           : verdict == RFT_COMPARE_AMBIGUOUS ? ", unclear"
           : verdict == RFT_COMPARE_SAME      ? ", the same"
                                              : "";
}

const char *rft_compare_mean_interval(const rft_compare_ratio *mean, rft_arena *arena) {
    const char *ends = rft_compare_mean_ends(mean, arena);
    return isnan(mean->ratio) ? NULL
           : !ends            ? "not known"
                              : rft_arena_printf(arena, "%s%s", ends, mean_verdict_words(mean));
}

const char *rft_compare_mean_words(const rft_compare_ratio *mean, rft_arena *arena) {
    return rft_arena_printf(arena, "%s%s", rft_compare_mean_text(mean, arena), mean_verdict_words(mean));
}

/* ---- many runs ---- */

const char *rft_compare_row_name(const rft_compare *compare, size_t side, rft_arena *arena) {
    return compare->side_count > RFT_COMPARE_ROOMY ? rft_compare_letter(compare, side, arena)
                                                   : rft_compare_side_name(compare, side, arena);
}

const char *rft_compare_dashed(const char *interval, rft_arena *arena) {
    const char *to = interval ? strstr(interval, " to ") : NULL;
    return to ? rft_arena_printf(arena, "%.*s\xe2\x80\x93%s", (int)(to - interval), interval, to + strlen(" to "))
              : interval;
}

void rft_compare_add_names(rft_finding *f, const rft_compare *compare) {
    rft_str text = RFT_STR_INIT;
    for (size_t side = 0; side < compare->side_count && compare->side_count > RFT_COMPARE_ROOMY; side++) {
        rft_str_addf(&text, "%s%s", side ? "; " : "", rft_compare_side_name(compare, side, f->arena));
    }
    if (text.length) {
        rft_finding_note(f, RFT_ON_PAGE, "%s.", rft_str_get(&text));
    }
    rft_str_clear(&text);
}

/* ---- effort ---- */

enum { EFFORT_SAID, SWEEP, EFFORT_RUN, WORKLOADS, TRIED, VALID, MEASURED, STRATEGY, RACE, LIBRARY, EFFORT_FIELDS };

static const rft_trait effort_fields[EFFORT_FIELDS] = {
    [EFFORT_SAID] = {.title = "", .where = RFT_IN_TEXT},
    [SWEEP] = {.title = "Sweep", .where = RFT_ON_PAGE, .wraps = true},
    [EFFORT_RUN] = {.title = "Run", .where = RFT_ON_PAGE},
    [WORKLOADS] = {.title = "Workloads", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
    [TRIED] = {.title = "Tried", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
    [VALID] = {.title = "Valid", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
    [MEASURED] = {.title = "Measured", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
    [STRATEGY] = {.title = "Strategy and budget", .where = RFT_ON_PAGE, .wraps = true},
    [RACE] = {.title = "Race", .where = RFT_ON_PAGE},
    [LIBRARY] = {.title = "Library", .where = RFT_ON_PAGE, .align = RFT_ALIGN_RIGHT},
};

static void fill_effort(rft_datum *cells, const rft_compare_effort *e, size_t count, rft_arena *arena) {
    cells[WORKLOADS] = rft_datum_count((int64_t)count);
    cells[TRIED] =
        rft_datum_text(rft_arena_printf(arena, "%s%s", rft_figure_count(arena, e->tried), e->complete ? " (all)" : ""));
    cells[VALID] = e->valid ? rft_datum_count((int64_t)e->valid) : rft_datum_absent();
    cells[MEASURED] = rft_datum_count((int64_t)e->measured);
    cells[STRATEGY] = rft_datum_text(rft_arena_printf(
        arena, "%s%s%s%s", e->recorded && e->strategy ? e->strategy : "not recorded", e->budget ? ", " : "",
        e->budget ? e->budget : "", e->finalists ? "; final round of the best" : "; no final round"));
    cells[RACE] = rft_datum_flag(e->race);
    cells[LIBRARY] = rft_datum_text(e->library_tried ? rft_arena_printf(arena, "%d", e->library_tried) : "-");
}

static bool same_effort(const rft_datum *one, const rft_datum *other, rft_arena *arena) {
    bool same = true;
    for (size_t i = WORKLOADS; i < EFFORT_FIELDS; i++) {
        same = same && strcmp(rft_datum_words(&one[i], &effort_fields[i], false, arena),
                              rft_datum_words(&other[i], &effort_fields[i], false, arena)) == 0;
    }
    return same;
}

/* A row a run; on a page runs that follow each other and tried as much share one. */
static void add_efforts(rft_cell_table *table, const rft_compare *c, size_t first) {
    size_t shown = SIZE_MAX; /* the row before that is on the page */
    for (size_t side = 0; side < c->side_count; side++) {
        size_t count = 0;
        const rft_compare_effort e = rft_compare_sweep_effort(c, first, side, &count);
        if (count == 0) {
            continue;
        }
        const char *sweep = c->workloads[first].sweep_name, *letter = rft_compare_letter(c, side, table->arena);
        rft_cell_row *row = rft_cell_table_row(table);
        row->rule = shown == SIZE_MAX && first > 0;
        row->cells[EFFORT_SAID] =
            rft_datum_text(rft_arena_printf(table->arena, "%s, %s, %zu workload%s: %s", letter, sweep, count,
                                            count == 1 ? "" : "s", rft_compare_effort_text(&e, table->arena)));
        row->cells[SWEEP] = rft_datum_text(shown == SIZE_MAX ? sweep : NULL);
        row->cells[EFFORT_RUN] = rft_datum_text(letter);
        fill_effort(row->cells, &e, count, table->arena);
        rft_datum *before = shown == SIZE_MAX ? NULL : table->rows[shown].cells;
        if (before && same_effort(before, row->cells, table->arena)) {
            before[EFFORT_RUN] =
                rft_datum_text(rft_arena_printf(table->arena, "%s, %s", before[EFFORT_RUN].as.text, letter));
            row->where = RFT_IN_TEXT;
        } else {
            shown = table->row_count - 1;
        }
    }
}

rft_finding *rft_finding_effort(const rft_compare *c, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_IN_TEXT, 2, "search effort");
    rft_cell_table *table = rft_finding_table(f, NULL, effort_fields, EFFORT_FIELDS);
    table->lines = true;
    for (size_t first = 0; first < c->workload_count; first = rft_compare_next_sweep(c, first)) {
        add_efforts(table, c, first);
    }
    rft_finding_note(f, RFT_ON_PAGE,
                     "Tried: points taken up, whatever became of them, aliases too. Race: a configuration that was "
                     "clearly slower was stopped early. Library: algorithms of the vendor's library that were timed at "
                     "most. Where the effort differs, a verdict stands only if the gap exceeds both roof distances.");
    return f;
}

/* ---- variation ---- */

static double largest_frac(const rft_compare_variation *v) {
    return fmax(v->card_frac, v->run_to_run_frac); /* one of them is a number */
}

/* How many are larger, or as large and earlier. */
static size_t rank_of(const rft_compare *c, size_t at) {
    size_t rank = 0;
    for (size_t i = 0; i < c->variation_count; i++) {
        double other = largest_frac(&c->variations[i]), own = largest_frac(&c->variations[at]);
        rank += other > own || (i < at && !(other < own));
    }
    return rank;
}

/* "NVIDIA H200: over 73 workloads 1.0 % in the median, at most 20.1 % (linear_fp16 m=96)." */
static void add_spread(rft_finding *f, const rft_compare *c, size_t model) {
    double *values = rft_arena_calloc(f->arena, c->variation_count + 1, sizeof *values);
    size_t count = 0;
    const rft_compare_variation *most = NULL;
    for (size_t i = 0; i < c->variation_count; i++) {
        if (c->variations[i].model == model) {
            values[count++] = largest_frac(&c->variations[i]);
            most = !most || largest_frac(&c->variations[i]) > largest_frac(most) ? &c->variations[i] : most;
        }
    }
    if (most) {
        rft_finding_body(f, RFT_ON_PAGE, "%s: over %zu workload%s %s in the median, at most %s (%s).",
                         c->sides[model].device, count, count == 1 ? "" : "s",
                         rft_figure_percent(f->arena, rft_stats_of(values, count).median),
                         rft_figure_percent(f->arena, largest_frac(most)), c->workloads[most->workload].name);
    }
}

static const char *variation_words(const rft_compare *c, const rft_compare_variation *v, rft_arena *arena) {
    const char *card = isfinite(v->card_frac)
                           ? rft_arena_printf(arena, ", card to card %s", rft_compare_percent(v->card_frac, arena))
                           : "";
    const char *run = isfinite(v->run_to_run_frac)
                          ? rft_arena_printf(arena, ", run to run %s", rft_compare_percent(v->run_to_run_frac, arena))
                          : "";
    return rft_arena_printf(arena, "%s, %s: %zu runs on %zu card%s%s%s (half of the widest interval: %s)",
                            c->sides[v->model].device, c->workloads[v->workload].name, v->runs, v->cards,
                            v->cards == 1 ? "" : "s", card, run, rft_compare_percent(v->half_width_frac, arena));
}

static void add_variations(rft_finding *f, const rft_compare *c) {
    enum { SAID, MODEL, DEVICE, WORKLOAD, RUNS, CARDS, CARD, RUN, HALF, FIELDS };
    static const rft_trait fields[FIELDS] = {
        [SAID] = {.title = "", .where = RFT_IN_TEXT},
        [MODEL] = {.title = "Model", .where = RFT_ON_PAGE, .wraps = true},
        [DEVICE] = {.key = "device"},
        [WORKLOAD] = {.key = "workload", .title = "Workload", .where = RFT_ON_PAGE | RFT_IN_DATA, .wraps = true},
        [RUNS] = {.key = "runs", .title = "Runs", .where = RFT_ON_PAGE | RFT_IN_DATA, .align = RFT_ALIGN_RIGHT},
        [CARDS] = {.key = "cards", .title = "Cards", .where = RFT_ON_PAGE | RFT_IN_DATA, .align = RFT_ALIGN_RIGHT},
        [CARD] = {.key = "card_to_card_frac",
                  .title = "card to card",
                  .style = RFT_AS_PERCENT,
                  .where = RFT_ON_PAGE | RFT_IN_DATA,
                  .align = RFT_ALIGN_DECIMAL},
        [RUN] = {.key = "run_to_run_frac",
                 .title = "run to run",
                 .style = RFT_AS_PERCENT,
                 .where = RFT_ON_PAGE | RFT_IN_DATA,
                 .align = RFT_ALIGN_DECIMAL},
        [HALF] = {.key = "largest_half_width_frac",
                  .title = "half of the widest interval",
                  .style = RFT_AS_PERCENT,
                  .where = RFT_ON_PAGE | RFT_IN_DATA,
                  .align = RFT_ALIGN_DECIMAL},
    };
    rft_arena *arena = f->arena;
    rft_cell_table *table = rft_finding_table(f, "variation", fields, FIELDS);
    table->lines = true;
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < c->variation_count; i++) {
        const rft_compare_variation *v = &c->variations[i];
        const char *device = c->sides[v->model].device;
        bool on_page = rank_of(c, i) < VARIATIONS;
        rft_cell_row *row = rft_cell_table_row(table);
        row->where = RFT_IN_TEXT | RFT_IN_DATA | (on_page ? RFT_ON_PAGE : 0);
        row->rule = on_page && last != SIZE_MAX && last != v->model;
        row->cells[SAID] = rft_datum_text(variation_words(c, v, arena));
        row->cells[MODEL] = rft_datum_text(last != v->model ? device : NULL);
        row->cells[DEVICE] = rft_datum_text(device);
        row->cells[WORKLOAD] = rft_datum_text(c->workloads[v->workload].name);
        row->cells[RUNS] = rft_datum_count((int64_t)v->runs);
        row->cells[CARDS] = rft_datum_count((int64_t)v->cards);
        row->cells[CARD] = rft_datum_said(rft_datum_number(v->card_frac), isfinite(v->card_frac) ? NULL : "-");
        row->cells[RUN] =
            rft_datum_said(rft_datum_number(v->run_to_run_frac), isfinite(v->run_to_run_frac) ? NULL : "-");
        row->cells[HALF] = rft_datum_number(v->half_width_frac);
        last = on_page ? v->model : last;
    }
    if (c->variation_count > VARIATIONS) {
        rft_finding_note(f, RFT_ON_PAGE, "The %d largest of %zu.", VARIATIONS, c->variation_count);
    }
}

rft_finding *rft_finding_variation(const rft_compare *c, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    if (c->variation_count == 0) {
        rft_finding_body(f, RFT_ON_PAGE,
                         "Every model has one run here: how much its cards and days differ is not known. Several runs "
                         "of a model, also on one card, would tell.");
    } else {
        rft_finding_heading(f, RFT_IN_TEXT, 2, "variation among runs of one model (template, slowest over fastest)");
        rft_finding_body(f, RFT_ON_PAGE,
                         "Slowest over fastest best time of the tuned template, less one. Card to card: between the "
                         "medians of each card's runs. Run to run: the largest on one card. What exceeds the intervals "
                         "is not the noise of a measurement.");
    }
    for (size_t model = 0; model < c->side_count; model++) {
        add_spread(f, c, model);
    }
    add_variations(f, c);
    return f;
}

/* ---- the rest ---- */

rft_finding *rft_finding_alone(const rft_compare *c, rft_arena *arena) {
    static const rft_trait fields[] = {{.key = "letter", .title = "Run"},
                                       {.key = "what", .title = "Without a partner", .lead = ": ", .wraps = true}};
    rft_finding *f = rft_finding_new(arena);
    if (c->alone_count > 0) {
        rft_finding_heading(f, RFT_ON_PAGE, 2, "What has no partner");
        rft_finding_heading(f, RFT_IN_TEXT, 2, "without a partner");
    }
    rft_cell_table *table = rft_finding_table(f, "without_partner", fields, 2);
    table->lines = true;
    for (size_t i = 0; i < c->alone_count; i++) {
        rft_cell_row *row = rft_cell_table_row(table);
        row->cells[0] = rft_datum_text(rft_compare_letter(c, c->alone[i].side, arena));
        row->cells[1] = rft_datum_text(c->alone[i].text);
    }
    return f;
}

rft_finding *rft_finding_caveats(const rft_compare *c, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_IN_TEXT, 2, "what the verdicts rest on");
    for (size_t i = 0; i < c->caveat_count; i++) {
        unsigned said_above = c->caveats[i] == c->unlike ? RFT_ON_PAGE | RFT_IN_DATA : 0;
        rft_finding_listed(f, said_above, "caveats", c->caveats[i]);
    }
    return f;
}

rft_finding *rft_finding_comparison(const rft_compare *c, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_finding_join(f, rft_finding_compared_runs(c, arena));
    rft_finding_join(f, rft_finding_cards(c, arena));
    rft_finding_join(f, rft_finding_compared_bases(c, arena));
    rft_finding_join(f, rft_finding_matrix(c, arena));
    rft_finding_join(f, rft_finding_wins(c, arena));
    rft_finding_join(f, rft_finding_workloads(c, arena));
    rft_finding_join(f, rft_finding_carries(c, arena));
    rft_finding_join(f, rft_finding_effort(c, arena));
    rft_finding_join(f, rft_finding_variation(c, arena));
    rft_finding_join(f, rft_finding_alone(c, arena));
    rft_finding_join(f, rft_finding_caveats(c, arena));
    rft_finding_join(f, rft_finding_compared_mixes(c, arena));
    return f;
}
