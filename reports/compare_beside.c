/* SPDX-License-Identifier: Apache-2.0 */
/* compare_beside.c - what stands beside the verdicts: carrying over, search effort, variation, and what they rest on.
 */
#include "reports/compare_pages.h"

#include "base/str.h"
#include "model/run/run_drift.h"

#include <math.h>
#include <string.h>

#define DETAILS_MOST 200

/* ---- carrying over ---- */

static const char *config_of(const rft_compare_pages *p, const rft_compare_figure *f, const rft_run *run) {
    const rft_sweep *sweep = &run->sweeps[f->sweep].sweep;
    const char *config = rft_run_config_text(run, f->best, true, p->arena);
    return sweep->variant_count > 1 ? rft_arena_printf(p->arena, "%s%s%s", sweep->variants[f->best->variant].name,
                                                       *config ? ": " : "", config)
           : *config                ? config
                                    : "(nothing to tune)";
}

static const char *kept_text(const rft_compare_pages *p, rft_table *table, const rft_compare_carry *c) {
    if (c->reason) {
        return rft_arena_printf(p->arena, "n/a%s",
                                rft_doc_note(p->doc, table, rft_arena_printf(p->arena, "No number: %s.", c->reason)));
    }
    return rft_figure_percent_bare(p->arena, c->frac);
}

/* Those that lose speed, or did not run; what ties with the best is counted. */
static void add_details(rft_compare_pages *p) {
    static const rft_column columns[] = {{.title = "Workload", .wraps = true},
                                         {.title = "Best of"},
                                         {.title = "Configuration", .wraps = true},
                                         {.title = "on"},
                                         {.title = "speed kept", .unit = "%", .align = RFT_ALIGN_DECIMAL}};
    const rft_compare *c = p->compare;
    size_t told = 0, ties = 0, untried = 0, left_out = 0, last = SIZE_MAX;
    bool above = false;
    rft_table *table = rft_doc_table(p->doc, columns, 5);
    for (size_t i = 0; i < c->carry_count; i++) {
        const rft_compare_carry *carry = &c->carries[i];
        ties += carry->tie;
        untried += carry->there == NULL;
        bool listed = !carry->tie && carry->there;
        left_out += listed && told >= DETAILS_MOST;
        if (!listed || told >= DETAILS_MOST) {
            continue;
        }
        const char *kept = kept_text(p, table, carry);
        rft_row *row = rft_doc_row(p->doc, table);
        row->rule = told > 0 && last != carry->workload;
        row->cells[0] = last != carry->workload ? c->workloads[carry->workload].name : NULL;
        row->cells[1] = rft_compare_page_letter(p, carry->from);
        row->cells[2] = config_of(p, &c->workloads[carry->workload].figures[carry->from], c->sides[carry->from].run);
        row->cells[3] = rft_compare_page_letter(p, carry->to);
        row->cells[4] = kept;
        last = carry->workload;
        above = above || carry->frac > 1.0;
        told++;
    }
    if (above) {
        rft_doc_text(
            p->doc, RFT_TEXT_NOTE,
            "Over 100 %: what was not in the final round was not measured in the same minutes as the best, which "
            "is one of the final round.");
    }
    rft_doc_textf(p->doc, RFT_TEXT_NOTE, "Not listed: %zu of %zu tie with the best there%s%s.", ties, c->carry_count,
                  untried ? rft_arena_printf(p->arena, ", %zu were not tried there", untried) : "",
                  left_out ? rft_arena_printf(p->arena, ", and %zu more, which `rooftune compare --json` has", left_out)
                           : "");
}

/* Geometric mean of what is kept, and of how many. */
static const char *mean_kept(const rft_compare_pages *p, size_t from, size_t to) {
    const rft_compare *c = p->compare;
    double logs = 0.0;
    size_t known = 0, all = 0;
    for (size_t i = 0; i < c->carry_count; i++) {
        if (c->carries[i].from == from && c->carries[i].to == to) {
            all++;
            if (c->carries[i].frac > 0.0) {
                known++;
                logs += log(c->carries[i].frac);
            }
        }
    }
    if (known == 0) {
        return all ? rft_arena_printf(p->arena, "none of %zu ran", all) : "n/a";
    }
    return rft_arena_printf(p->arena, "%s of %zu%s", rft_figure_percent(p->arena, exp(logs / (double)known)), known,
                            known < all ? rft_arena_printf(p->arena, " (%zu did not run)", all - known) : "");
}

static void add_matrix(rft_compare_pages *p) {
    rft_column columns[1 + RFT_COMPARE_MOST] = {{.title = "Best of \\ run on"}};
    size_t count = p->compare->side_count;
    for (size_t to = 0; to < count; to++) {
        columns[1 + to] = (rft_column){.title = rft_compare_page_letter(p, to), .wraps = true};
    }
    rft_table *table = rft_doc_table(p->doc, columns, 1 + count);
    for (size_t from = 0; from < count; from++) {
        rft_row *row = rft_doc_row(p->doc, table);
        row->cells[0] = rft_compare_page_side(p, from);
        for (size_t to = 0; to < count; to++) {
            row->cells[1 + to] = from == to ? "-" : mean_kept(p, from, to);
        }
    }
    rft_doc_text(
        p->doc, RFT_TEXT_NOTE,
        "Geometric mean over the workloads of the speed kept, and over how many: those whose configuration was "
        "tried on the other run.");
}

void rft_compare_page_carries(rft_compare_pages *p) {
    rft_doc_heading(p->doc, 1, "Which configurations carry over", "carries");
    if (p->compare->carry_count == 0) {
        rft_doc_text(p->doc, RFT_TEXT_BODY, "No two runs have a best configuration of the template on one workload.");
        return;
    }
    rft_doc_text(
        p->doc, RFT_TEXT_BODY,
        "The best configuration of one run, as measured on the other: its speed in per cent of the best there. "
        "100 % needs no tuning anew.");
    add_matrix(p);
    add_details(p);
}

/* ---- effort ---- */

static bool add_effort(rft_compare_pages *p, rft_table *table, size_t first, size_t side, bool named) {
    size_t count = 0;
    rft_compare_effort e = rft_compare_sweep_effort(p->compare, first, side, &count);
    if (count == 0) {
        return false;
    }
    rft_row *row = rft_doc_row(p->doc, table);
    row->rule = named && first > 0;
    row->cells[0] = named ? p->compare->workloads[first].sweep_name : NULL;
    row->cells[1] = rft_compare_page_letter(p, side);
    row->cells[2] = rft_figure_count(p->arena, count);
    row->cells[3] = rft_arena_printf(p->arena, "%s%s", rft_figure_count(p->arena, e.tried), e.complete ? " (all)" : "");
    row->cells[4] = e.valid ? rft_figure_count(p->arena, e.valid) : "n/a";
    row->cells[5] = rft_figure_count(p->arena, e.measured);
    row->cells[6] =
        rft_arena_printf(p->arena, "%s%s%s%s", e.strategy ? e.strategy : "not recorded", e.budget ? ", " : "",
                         e.budget ? e.budget : "", e.finalists ? "; final round of the best" : "; no final round");
    row->cells[7] = e.race ? "yes" : "no";
    row->cells[8] = e.library_tried ? rft_arena_printf(p->arena, "%d", e.library_tried) : "-";
    return true;
}

void rft_compare_page_effort(rft_compare_pages *p) {
    static const rft_column columns[] = {
        {.title = "Sweep", .wraps = true},
        {.title = "Run"},
        {.title = "Workloads", .align = RFT_ALIGN_RIGHT},
        {.title = "Tried", .align = RFT_ALIGN_RIGHT},
        {.title = "Valid", .align = RFT_ALIGN_RIGHT},
        {.title = "Measured", .align = RFT_ALIGN_RIGHT},
        {.title = "Strategy and budget", .wraps = true},
        {.title = "Race"},
        {.title = "Library", .align = RFT_ALIGN_RIGHT},
    };
    const rft_compare *c = p->compare;
    rft_doc_heading(p->doc, 1, "Search effort", "effort");
    rft_table *table = rft_doc_table(p->doc, columns, sizeof columns / sizeof *columns);
    for (size_t first = 0; first < c->workload_count; first = rft_compare_next_sweep(c, first)) {
        bool named = true;
        for (size_t side = 0; side < c->side_count; side++) {
            named = !add_effort(p, table, first, side, named) && named;
        }
    }
    rft_doc_text(
        p->doc, RFT_TEXT_NOTE,
        "Tried: points taken up, whatever became of them, aliases too. Race: who was clearly slower was stopped "
        "early. Library: algorithms of the vendor's library that were timed at most. Where the effort differs, "
        "a verdict stands only if the gap exceeds both roof distances.");
}

/* ---- variation ---- */

#define VARIATIONS_MOST 30 /* rows; the largest where there are more */

static double largest(const rft_compare_variation *v) {
    return fmax(v->card_frac, v->run_to_run_frac); /* one of them is a number */
}

/* How many are larger, or as large and earlier. */
static size_t rank_of(const rft_compare *c, size_t at) {
    size_t rank = 0;
    for (size_t i = 0; i < c->variation_count; i++) {
        double other = largest(&c->variations[i]), own = largest(&c->variations[at]);
        rank += other > own || (i < at && !(other < own));
    }
    return rank;
}

/* "NVIDIA H200: over 73 workloads 1.0 % in the median, at most 20.1 % (linear_fp16 m=96)." */
static void add_summary(rft_compare_pages *p, size_t model) {
    const rft_compare *c = p->compare;
    double *values = rft_arena_calloc(p->arena, c->variation_count + 1, sizeof *values);
    size_t count = 0;
    const rft_compare_variation *most = NULL;
    for (size_t i = 0; i < c->variation_count; i++) {
        if (c->variations[i].model == model) {
            values[count++] = largest(&c->variations[i]);
            most = !most || largest(&c->variations[i]) > largest(most) ? &c->variations[i] : most;
        }
    }
    if (most) {
        rft_doc_textf(p->doc, RFT_TEXT_BODY, "%s: over %zu workload%s %s in the median, at most %s (%s).",
                      c->sides[model].device, count, count == 1 ? "" : "s",
                      rft_figure_percent(p->arena, rft_stats_of(values, count).median),
                      rft_figure_percent(p->arena, largest(most)), c->workloads[most->workload].name);
    }
}

static void add_variations(rft_compare_pages *p) {
    static const rft_column columns[] = {
        {.title = "Model", .wraps = true},
        {.title = "Workload", .wraps = true},
        {.title = "Runs", .align = RFT_ALIGN_RIGHT},
        {.title = "Cards", .align = RFT_ALIGN_RIGHT},
        {.title = "card to card", .unit = "%", .align = RFT_ALIGN_DECIMAL},
        {.title = "run to run", .unit = "%", .align = RFT_ALIGN_DECIMAL},
        {.title = "widest interval", .unit = "\xc2\xb1 %", .align = RFT_ALIGN_DECIMAL},
    };
    const rft_compare *c = p->compare;
    rft_table *table = rft_doc_table(p->doc, columns, sizeof columns / sizeof *columns);
    size_t last = SIZE_MAX;
    for (size_t i = 0; i < c->variation_count; i++) {
        const rft_compare_variation *v = &c->variations[i];
        if (rank_of(c, i) >= VARIATIONS_MOST) {
            continue;
        }
        rft_row *row = rft_doc_row(p->doc, table);
        row->rule = last != SIZE_MAX && last != v->model;
        row->cells[0] = last != v->model ? c->sides[v->model].device : NULL;
        row->cells[1] = c->workloads[v->workload].name;
        row->cells[2] = rft_figure_count(p->arena, v->runs);
        row->cells[3] = rft_figure_count(p->arena, v->cards);
        row->cells[4] = isfinite(v->card_frac) ? rft_figure_percent_bare(p->arena, v->card_frac) : "-";
        row->cells[5] = isfinite(v->run_to_run_frac) ? rft_figure_percent_bare(p->arena, v->run_to_run_frac) : "-";
        row->cells[6] = rft_figure_percent_bare(p->arena, v->half_width_frac);
        last = v->model;
    }
    if (c->variation_count > VARIATIONS_MOST) {
        rft_doc_textf(p->doc, RFT_TEXT_NOTE, "The %d largest of %zu.", VARIATIONS_MOST, c->variation_count);
    }
}

void rft_compare_page_variation(rft_compare_pages *p) {
    const rft_compare *c = p->compare;
    rft_doc_heading(p->doc, 1, "Variation among runs of one model", "variation");
    if (c->variation_count == 0) {
        rft_doc_text(p->doc, RFT_TEXT_BODY,
                     "Every model has one run here: how much its cards and days differ is not known. Several runs of a "
                     "model, also on one card, would tell.");
        return;
    }
    rft_doc_text(p->doc, RFT_TEXT_BODY,
                 "Slowest over fastest best time of the tuned template, less one. Card to card: between the medians of "
                 "each card's runs. Run to "
                 "run: the largest on one card. What exceeds the intervals is not the noise of a measurement.");
    for (size_t model = 0; model < c->side_count; model++) {
        add_summary(p, model);
    }
    add_variations(p);
}

/* ---- trust ---- */

static const char *or_unknown(const char *text) {
    return text && *text ? text : "not known";
}

/* The folder is of this machine and this day. */
static const char *file_name(const char *path) {
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

/* Sweeps of one script have one hash. */
static void add_scripts(rft_compare_pages *p, rft_table *table, const rft_run *run) {
    for (size_t s = 0; s < run->sweep_count;) {
        const char *hash = run->sweeps[s].sweep.script_hash;
        rft_str names = RFT_STR_INIT;
        size_t end = s;
        for (; end < run->sweep_count && rft_text_equal(run->sweeps[end].sweep.script_hash, hash); end++) {
            rft_str_addf(&names, "%s%s", end > s ? ", " : "", run->sweeps[end].sweep.name);
        }
        rft_doc_pair(p->doc, table, s ? "" : "Scripts",
                     rft_arena_printf(p->arena, "%s: %s", rft_str_get(&names), or_unknown(hash)));
        rft_str_clear(&names);
        s = end;
    }
}

static void add_run(rft_compare_pages *p, size_t at) {
    static const rft_column columns[] = {{.title = ""}, {.title = "", .wraps = true}};
    const rft_compare_side *side = &p->compare->sides[at];
    const rft_run *run = side->run;
    const rft_run_info *info = &run->info;
    rft_doc_heading(p->doc, 2, rft_compare_page_side(p, at), NULL);
    rft_table *table = rft_doc_table(p->doc, columns, 2);
    table->plain = true;
    rft_doc_pair(p->doc, table, "Run", or_unknown(info->id));
    rft_doc_pair(p->doc, table, "File", file_name(side->path));
    rft_doc_pair(p->doc, table, "Measured",
                 rft_figure_time(p->arena, info->replay_of ? info->replay_started_unix_ns : info->started_unix_ns));
    if (info->replay_of) {
        rft_doc_pair(p->doc, table, "Replay of", info->replay_of);
    }
    rft_doc_pair(p->doc, table, "Card", or_unknown(run->gpu.uuid));
    rft_doc_pair(p->doc, table, "PCI id", or_unknown(run->gpu.pci_id));
    rft_doc_pair(p->doc, table, "Driver", or_unknown(rft_env_value(&run->env, "driver.version")));
    rft_doc_pair(p->doc, table, "NVRTC", or_unknown(rft_env_value(&run->env, "nvrtc.version")));
    rft_doc_pair(p->doc, table, "Tool",
                 rft_arena_printf(p->arena, "rooftune %s, revision %s", or_unknown(info->tool_version),
                                  or_unknown(info->tool_revision)));
    rft_doc_pair(p->doc, table, "Timer's step",
                 side->step_s > 0.0 ? rft_figure_si(p->arena, side->step_s, "s") : "not seen in the samples");
    const char *drift = rft_run_drift_sentence(run, p->arena);
    rft_doc_pair(p->doc, table, "Drift", drift ? drift : "not known: no reference was read");
    rft_doc_pair(p->doc, table, "Command", or_unknown(info->command));
    add_scripts(p, table, run);
}

void rft_compare_page_trust(rft_compare_pages *p) {
    const rft_compare *c = p->compare;
    rft_doc_heading(p->doc, 1, "What the verdicts rest on", "trust");
    for (size_t i = 0; i < c->caveat_count; i++) {
        rft_doc_text(p->doc, RFT_TEXT_BODY, c->caveats[i]);
    }
    rft_doc_heading(p->doc, 2, "The rule", NULL);
    rft_doc_text(
        p->doc, RFT_TEXT_BODY,
        "A device's figure is the better of its tuned template and the vendor's library measured in the same run. "
        "The interval of the speed follows from the 95 % intervals of both medians (recovered variances on "
        "logarithms, Zou and Donner 2008), each wider by the drift of its run, by what dependent samples hide, and "
        "by half a step of the timer. FASTER and SLOWER: the whole interval lies more than 0.5 % from 1. SAME: "
        "the medians differ by under 0.5 %, or by under 1 % and it holds 1, and differences of 2 % are excluded. "
        "AMBIGUOUS: all else, and where there is no 95 % interval, where the workloads are not the same, where the "
        "search effort "
        "differs and the gap does not exceed both roof distances, and where runs of one model differ by as much.");
    rft_str command = RFT_STR_INIT;
    rft_str_add(&command, "rooftune compare");
    for (size_t side = 0; side < c->side_count; side++) {
        rft_str_addf(&command, " %s", file_name(c->sides[side].path));
    }
    rft_doc_text(p->doc, RFT_TEXT_BODY, "The same document, byte for byte, from the runs' files:");
    rft_doc_textf(p->doc, RFT_TEXT_MONO, "%s -o COMPARISON.pdf", rft_str_get(&command));
    rft_str_clear(&command);
    for (size_t side = 0; side < c->side_count; side++) {
        add_run(p, side);
    }
}
