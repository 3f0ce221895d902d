/* SPDX-License-Identifier: Apache-2.0 */
/* A sweep's chapter, one template: first a page (ladder, configuration, what holds it back, next step), then one for
 * profiles, transitions and search. How much of it there is follows from rft_detail. */
#include "model/roofline/over_roof.h"
#include "model/run/baseline.h"
#include "reports/doc_build.h"

#include "base/fs.h"
#include "base/str.h"

#include <math.h>
#include <string.h>

#define SUSPECTS_MOST 3
#define PROBLEMS_MOST 5 /* of a sweep among others */
#define PROBLEMS_FEW 3  /* where it has one page */
#define OPTIONS_MOST 2  /* problems with options of their own, beside the one that is shown: of a run of one sweep */
#define RANKED_FEW 3    /* of a sweep among others */
#define RANKED_MOST 5   /* where there is room */
#define RANKED_MOST_FULL 10

/* Whether there is room for tables where several sweeps have a sentence. */
static bool is_roomy(const rft_build *b) {
    return b->detail >= RFT_DETAIL_TABLES;
}

/* ---- the first page ---- */

/* Points that are better than they should be. */
static void add_suspects(rft_build *b, size_t s) {
    size_t said = 0;
    for (size_t i = 0; i < b->entry_count; i++) {
        const rft_entry *entry = &b->entries[i];
        if (entry->sweep != s || !entry->best) {
            continue;
        }
        const char *name = rft_words_problem(b->run, s, entry->problem, b->arena);
        bool beats = rft_placement_is_impossible(&entry->place, rft_point_median_s(entry->best));
        bool over = !beats && rft_over_roof_of(b->run, entry->best, b->arena).text != NULL;
        over = over && (entry != rft_build_showcase(b, s) || entry->reach.back_to_back); /* else the verdict says it */
        bool shown = b->detail > RFT_DETAIL_PAGE && entry == rft_build_showcase(b, s);   /* else the ladder says it */
        const char *note = over || (!beats && shown) ? rft_words_share_note(b->run, entry->best, b->arena) : NULL;
        if ((!beats && !note) || (said++ >= SUSPECTS_MOST && b->detail != RFT_DETAIL_FULL)) {
            continue;
        }
        if (beats) {
            rft_doc_textf(b->doc, RFT_TEXT_STRONG,
                          "%s beats the hardware's own limit (%s of it): its work is overstated, its result is not "
                          "what it should be, or its time is wrong. Do not use this number.",
                          name, rft_figure_percent(b->arena, entry->place.limit_s / rft_point_median_s(entry->best)));
        } else {
            rft_doc_textf(b->doc, RFT_TEXT_NOTE, "%s: %s.", name, note);
        }
    }
    if (said > SUSPECTS_MOST && b->detail != RFT_DETAIL_FULL) {
        rft_doc_textf(b->doc, RFT_TEXT_NOTE, "The like is said of %s; all of them with --full.",
                      rft_words_plural(said - SUSPECTS_MOST, "more problem", "more problems", b->arena));
    }
}

/* The summary has those of a run of one sweep. */
static void add_problems(rft_build *b, size_t s) {
    const rft_entry **shown = NULL;
    size_t count = rft_build_choose_of(b, s, b->detail <= RFT_DETAIL_CHARTS ? PROBLEMS_FEW : PROBLEMS_MOST, &shown);
    if (b->detail < RFT_DETAIL_PAGE || b->detail == RFT_DETAIL_FULL || count < 2 ||
        (b->run->sweep_count < 2 && b->opts.part != 2)) {
        return;
    }
    rft_doc_heading(b->doc, 2, "Problems", NULL);
    rft_build_results(b, shown, count);
    rft_doc_text(b->doc, RFT_TEXT_LEGEND,
                 "Problems: the most telling of each sweep, with the summary's columns; all of them are in the CSV "
                 "files of --csv-dir.");
}

/* Those that take longest, after the one that is shown. */
static void add_other_options(rft_build *b, const rft_entry *shown) {
    double last_s = INFINITY;
    for (size_t k = 0; k < OPTIONS_MOST; k++) {
        const rft_entry *next = NULL;
        for (size_t i = 0; i < b->entry_count; i++) {
            const rft_entry *entry = &b->entries[i];
            bool other = entry->sweep == shown->sweep && entry != shown && entry->best &&
                         entry->best->variant < b->run->sweeps[entry->sweep].sweep.variant_count;
            double time_s = other ? rft_point_median_s(entry->best) : INFINITY;
            next = time_s < last_s && (!next || time_s > rft_point_median_s(next->best)) ? entry : next;
        }
        if (!next || !next->best) {
            return;
        }
        const char *options = rft_best_options(b->run, next->best, b->arena);
        if (!*options) {
            return;
        }
        last_s = rft_point_median_s(next->best);
        rft_doc_textf(b->doc, RFT_TEXT_MONO, "%s, %s:\n%s",
                      rft_run_problem_text(b->run, next->sweep, next->problem, true, b->arena),
                      b->run->sweeps[next->sweep].sweep.variants[next->best->variant].name, options);
    }
}

/* What builds include; where room is short the options alone. */
static void add_configuration(rft_build *b, const rft_entry *entry) {
    const rft_variant *variant = &b->run->sweeps[entry->sweep].sweep.variants[entry->best->variant];
    if (rft_variant_is_library(variant)) { /* its algorithm is no option of a compiler */
        if (b->detail < RFT_DETAIL_PAGE) {
            rft_doc_textf(b->doc, RFT_TEXT_BODY,
                          "Fastest is %s, the vendor's library, so that there is nothing to paste: %s.",
                          variant->kernel, rft_words_config(b->run, entry->best, b->arena));
        }
        return;
    }
    const char *options = rft_best_options(b->run, entry->best, b->arena);
    const char *macros = b->macros[entry->sweep].text;
    if (b->detail < RFT_DETAIL_PAGE && !*options) {
        return;
    }
    const char *file = b->detail < RFT_DETAIL_PAGE && variant->source ? rft_fs_name(variant->source) : "";
    rft_doc_heading(b->doc, 2,
                    rft_arena_printf(b->arena, "Ready to paste: %s%s%s",
                                     rft_words_problem(b->run, entry->sweep, entry->problem, b->arena),
                                     *file ? ", " : "", file), /* where no macros name the kernel */
                    NULL);
    if (*options) {
        rft_doc_text(b->doc, RFT_TEXT_MONO, options);
    }
    bool with_macros = b->detail >= RFT_DETAIL_PAGE && *macros;
    if (with_macros) {
        rft_doc_text(b->doc, RFT_TEXT_MONO, macros);
    }
    if (b->detail >= RFT_DETAIL_ALONG && b->run->sweep_count == 1 &&
        b->run->sweeps[entry->sweep].sweep.diagnostic != 1) {
        add_other_options(b, entry);
    }
    if (with_macros) {
        rft_doc_text(b->doc, RFT_TEXT_LEGEND,
                     "Ready to paste: the best configurations of the longest-running problems as options of a "
                     "compiler, the first as `rooftune best RUN --format header` writes it, there with an #if for the "
                     "device and every problem.");
    }
}

/* The bound in full, and how the best stands to its neighbours. */
static void add_holds(rft_build *b, const rft_entry *entry) {
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, rft_words_sentence(rft_bound_text(&entry->bound, b->arena), b->arena));
    if (isfinite(entry->over_default)) {
        rft_str_addf(&text, " %s over the default configuration.", rft_figure_ratio(b->arena, entry->over_default));
    }
    if (entry->rival) {
        rft_str_addf(&text, " A tie with %s", rft_words_config(b->run, entry->rival, b->arena));
        if (entry->tied > 1) {
            rft_str_addf(&text, " and %zu more", entry->tied - 1);
        }
        rft_str_add_char(&text, '.');
    }
    rft_doc_heading(b->doc, 2, "What holds it back", NULL);
    rft_doc_text(b->doc, RFT_TEXT_BODY, rft_str_get(&text));
    rft_str_clear(&text);
}

/* Whether an earlier chapter told this way; each is told of the first sweep that it suits. */
static bool is_told_before(rft_build *b, const rft_advice *way) {
    size_t i = 0;
    while (i < b->told_count && strcmp(b->told[i], way->rule) != 0) {
        i++;
    }
    bool before = i < b->told_count;
    if (!before && b->told_count < RFT_ADVICE_RULES_MAX) {
        b->told[b->told_count++] = way->rule;
    }
    return before;
}

/* The advice in sentences: what comes first large, the others small. Of many sweeps whose chapters are lines alone,
 * which suit the same few ways to change the work, each way is told once. */
static void add_next(rft_build *b, const rft_entry *entry, size_t most) {
    const rft_advice_list advice = rft_advice_of(b->run, entry->best, b->arena);
    size_t count = advice.count + advice.other_count, said = 0;
    bool once = b->detail <= RFT_DETAIL_BRIEF && b->run->sweep_count > RFT_SWEEPS_MANY;
    if (advice.nothing) {
        rft_doc_textf(b->doc, RFT_TEXT_BODY, "Next step: %s", rft_words_sentence(advice.nothing, b->arena));
        said++;
    }
    for (size_t i = 0; i < count && i < most; i++) {
        bool other = i >= advice.count;
        const rft_advice *one = other ? &advice.others[i - advice.count] : &advice.items[i];
        if (other && once && is_told_before(b, one)) {
            rft_doc_text(b->doc, RFT_TEXT_LEGEND,
                         "Other work, less energy: such a way is told of the first sweep that it suits; `rooftune show "
                         "RUN` tells it of all.");
            continue;
        }
        const char *text = rft_arena_printf(b->arena, "%s%s%s", other ? one->with : "", other ? ": " : "",
                                            rft_advice_text(one, b->arena));
        text = rft_words_sentence(text, b->arena);
        rft_doc_textf(b->doc, said ? RFT_TEXT_NOTE : RFT_TEXT_BODY, "%s%s", said ? "" : "Next step: ", text);
        said++;
    }
}

static void add_first_page(rft_build *b, size_t s, const rft_entry *showcase) {
    rft_print_page(b->doc, rft_finding_ladder(b->run, s, b->opts.full, b->arena));
    add_problems(b, s);
    if (showcase) {
        add_configuration(b, showcase);
        add_holds(b, showcase);
        rft_print_page(b->doc, rft_finding_steps(b->run, showcase->best, b->arena));
    }
    bool briefly = !is_roomy(b);
    (b->detail <= RFT_DETAIL_CHARTS ? rft_print_page_briefly : rft_print_page)(b->doc,
                                                                               rft_finding_loads(b->run, s, b->arena));
    (briefly ? rft_print_page_briefly : rft_print_page)(b->doc, rft_finding_counted(b->run, s, b->opts.full, b->arena));
    /* On one page those of the problem that the page is about, where it has some. */
    const rft_baseline **own = NULL;
    bool has_own = b->detail <= RFT_DETAIL_CHARTS && showcase &&
                   rft_run_baselines(b->run, s, showcase->problem, b->arena, &own) > 0;
    rft_print_page(b->doc, rft_finding_baselines(b->run, s, has_own ? showcase->problem : SIZE_MAX, b->arena));
    if (showcase && briefly) {
        add_next(b, showcase, 2);
    } else if (showcase) {
        rft_print_page(b->doc, rft_finding_advice(b->run, showcase->best, b->arena));
    }
}

/* A line a rung: without its configuration and what explains its step. */
static void add_rungs(rft_build *b, size_t s) {
    size_t first = b->doc->block_count;
    rft_print_page(b->doc, rft_finding_ladder(b->run, s, false, b->arena));
    for (size_t i = first; i < b->doc->block_count && b->detail == RFT_DETAIL_LADDER; i++) {
        rft_table *table = b->doc->blocks[i].table;
        for (size_t r = 0; table && r < table->row_count; r++) {
            table->rows[r].detail = NULL;
        }
    }
}

#define LESSON_HEIGHT 0.72 /* of a chart in a longer form */

/* What explains the card is there for its line, which its note reads, not for options and advice; without one for what
 * its parameters do. */
static void add_lesson(rft_build *b, size_t s, const rft_entry *showcase) {
    size_t first = b->doc->block_count, kept = first;
    rft_print_page(b->doc, rft_finding_axes(b->run, s, false, false, b->found, b->arena));
    if (showcase && b->doc->block_count == first) { /* its parameters are what it compares */
        rft_print_page(b->doc, rft_finding_params(b->run, s, showcase->problem, b->arena));
    }
    for (size_t i = first; i < b->doc->block_count; i++) {
        rft_block *block = &b->doc->blocks[i];
        for (size_t c = 0; c < block->chart_count; c++) {
            block->charts[c]->height *= LESSON_HEIGHT;
        }
        if (block->kind != RFT_BLOCK_HEADING) {
            b->doc->blocks[kept++] = *block;
        }
    }
    b->doc->block_count = kept;
}

/* Half of it, or less. */
static void add_brief(rft_build *b, size_t s, const rft_entry *showcase) {
    const rft_sweep *sweep = &b->run->sweeps[s].sweep;
    if (sweep->diagnostic == 1) {
        add_lesson(b, s, showcase);
        return;
    }
    const char *line = b->detail > RFT_DETAIL_LINES ? NULL : rft_finding_ladder_line(b->run, s, b->arena);
    if (line) {
        rft_doc_text(b->doc, RFT_TEXT_NOTE, line);
    } else if (b->detail > RFT_DETAIL_LINES) {
        add_rungs(b, s);
    }
    if (!showcase) {
        return;
    }
    add_configuration(b, showcase);
    add_next(b, showcase, 1);
}

/* ---- the second page ---- */

static void add_details(rft_build *b, const rft_entry *entry) {
    if (b->detail > RFT_DETAIL_CHARTS) {
        rft_build_ranking(b, entry, b->opts.full ? RANKED_MOST_FULL : is_roomy(b) ? RANKED_MOST : RANKED_FEW);
        if (entry->best->variant < b->run->sweeps[entry->sweep].sweep.variant_count) {
            rft_print_page(b->doc, rft_finding_params(b->run, entry->sweep, entry->problem, b->arena));
        }
    }
    rft_print_page(b->doc, rft_finding_distribution(b->run, entry->best, b->opts.full, b->arena));
}

static void add_second_page(rft_build *b, size_t s, const rft_entry *showcase) {
    if (is_roomy(b)) {
        rft_print_page(b->doc, rft_finding_ladder_problems(b->run, s, b->opts.full, b->arena));
    }
    rft_print_page(b->doc,
                   rft_finding_axes(b->run, s, b->detail >= RFT_DETAIL_CHARTS, b->opts.full, b->found, b->arena));
    for (size_t i = 0; i < b->entry_count && b->detail >= RFT_DETAIL_CHARTS; i++) {
        const rft_entry *entry = &b->entries[i];
        if (entry->sweep == s && entry->best && (b->opts.full || entry == showcase)) {
            add_details(b, entry);
        }
    }
}

void rft_build_sweep(rft_build *b, size_t s) {
    const rft_sweep *sweep = &b->run->sweeps[s].sweep;
    const rft_entry *showcase = rft_build_showcase(b, s);
    if (b->detail > RFT_DETAIL_BRIEF) { /* short ones follow each other, wherever they begin */
        rft_doc_new_chapter(b->doc);
    }
    bool apart = rft_build_experiments_apart(b) && sweep->diagnostic == 1;
    bool brief = apart && b->detail <= RFT_DETAIL_BRIEF; /* one chapter has them all */
    rft_doc_heading(b->doc, brief ? 2 : 1,
                    brief   ? sweep->name
                    : apart ? rft_arena_printf(b->arena, "Experiment %s", sweep->name)
                            : rft_arena_printf(b->arena, "Sweep %s", sweep->name),
                    rft_build_anchor(b, s));
    if (sweep->note) {
        rft_doc_text(b->doc, RFT_TEXT_BODY, sweep->note);
    }
    if (!showcase) {
        rft_doc_text(b->doc, RFT_TEXT_STRONG, "No configuration of this sweep gave a valid measurement.");
    } else if (!brief || !sweep->note) { /* how near its ceiling an experiment is says nothing */
        rft_doc_textf(b->doc, RFT_TEXT_BODY, "%s.", rft_build_verdict(b, showcase));
    }
    add_suspects(b, s);
    rft_build_asked(b, s);
    if (b->detail <= RFT_DETAIL_BRIEF) {
        add_brief(b, s, showcase);
        return;
    }
    add_first_page(b, s, showcase);
    if (b->detail >= RFT_DETAIL_ALONG) {
        add_second_page(b, s, showcase);
    }
    /* The bands and places are in the charts along the axes; with --full they stand alone, too. */
    const rft_transition_view view = {
        .charts = b->opts.full, .all = is_roomy(b), .full = b->opts.full, .kept = b->found};
    rft_print_page(b->doc, rft_finding_transitions_paged(b->run, s, &view, b->arena));
    rft_print_page(b->doc, rft_finding_closing(b->run, s, b->arena));
}
