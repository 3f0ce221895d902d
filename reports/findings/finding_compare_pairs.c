/* SPDX-License-Identifier: Apache-2.0 */
/* finding_compare_pairs.c - every run of a comparison against every other: the matrix, who is fastest where and how
 * much of it the ceilings explain (compare_findings.h). */
#include "base/str.h"
#include "reports/figures.h"
#include "reports/findings/compare_findings.h"

#include <math.h>
#include <string.h>

#define IN_TEXT_INTERVALS 4 /* runs of which a terminal has those of the means */

static const rft_compare_score *score_of(const rft_compare *c, size_t other, size_t side) {
    return &c->scores[other * c->side_count + side];
}

static bool is_undecided(const rft_compare_score *score) {
    return score->counts[RFT_COMPARE_AMBIGUOUS] == score->judged;
}

rft_finding *rft_finding_card_sentences(const rft_compare *c, rft_text_style style, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    for (size_t side = 0; side < c->side_count; side++) {
        rft_finding_body(f, RFT_TO_PEOPLE, "%s.", rft_compare_card_sentence(c, side, arena));
        f->items[f->item_count - 1].style = style;
    }
    return f;
}

/* ---- the matrix ---- */

/* "+4 -1 =2 ?1" of what was judged. */
static const char *counts_words(const rft_compare_score *score, rft_arena *arena) {
    static const struct {
        rft_compare_verdict verdict;
        const char *sign;
    } kinds[] = {
        {RFT_COMPARE_FASTER, "+"}, {RFT_COMPARE_SLOWER, "-"}, {RFT_COMPARE_SAME, "="}, {RFT_COMPARE_AMBIGUOUS, "?"}};
    rft_str text = RFT_STR_INIT;
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        if (score->counts[kinds[k].verdict] > 0) {
            rft_str_addf(&text, "%s%s%zu", text.length ? " " : "", kinds[k].sign, score->counts[kinds[k].verdict]);
        }
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

/* A doubt is no speed: where every verdict is AMBIGUOUS there is no number. A terminal has room for four intervals. */
static rft_datum pair_cell(const rft_compare_score *score, bool many, rft_arena *arena) {
    if (score->judged == 0) {
        return rft_datum_absent();
    }
    const char *counts = counts_words(score, arena);
    if (is_undecided(score)) {
        rft_datum cell = rft_datum_text(rft_arena_printf(arena, "unclear %s", counts));
        cell.brief = "unclear";
        return cell;
    }
    bool unclear = rft_compare_mean_verdict(&score->mean) == RFT_COMPARE_AMBIGUOUS;
    const char *speed = rft_compare_ratio_short(score->mean.ratio, arena);
    const char *interval = rft_compare_mean_interval(&score->mean, arena);
    rft_datum cell =
        rft_datum_text(many ? rft_arena_printf(arena, "%s %s (%s)", speed, counts, rft_compare_dashed(interval, arena))
                            : rft_arena_printf(arena, "%s (%s) %s", speed, interval, counts));
    cell.brief = !many ? rft_arena_printf(arena, "%s (%s)", speed, interval) : unclear ? "unclear" : speed;
    return cell;
}

enum {
    PAIR_SIDE,
    PAIR_AGAINST,
    PAIR_JUDGED,
    PAIR_FASTER,
    PAIR_SLOWER,
    PAIR_SAME,
    PAIR_AMBIGUOUS,
    PAIR_MEAN,
    PAIR_MEAN_LOW,
    PAIR_MEAN_HIGH,
    PAIR_LEAST,
    PAIR_MOST,
    PAIR_ROOFED,
    PAIR_ROOFED_MEAN,
    PAIR_ROOFS,
    PAIR_FIELDS
};

static void fill_score(rft_datum *cells, const rft_compare_score *score) {
    cells[PAIR_JUDGED] = rft_datum_count((int64_t)score->judged);
    for (int v = RFT_COMPARE_FASTER; v <= RFT_COMPARE_AMBIGUOUS; v++) {
        cells[PAIR_FASTER + v - RFT_COMPARE_FASTER] = rft_datum_count((int64_t)score->counts[v]);
    }
    cells[PAIR_MEAN] = rft_datum_number(score->mean.ratio);
    cells[PAIR_MEAN_LOW] = rft_datum_number(score->mean.low);
    cells[PAIR_MEAN_HIGH] = rft_datum_number(score->mean.high);
    cells[PAIR_LEAST] = rft_datum_number(score->least_ratio);
    cells[PAIR_MOST] = rft_datum_number(score->most_ratio);
    cells[PAIR_ROOFED] = rft_datum_count((int64_t)score->roofed);
    cells[PAIR_ROOFED_MEAN] = rft_datum_number(score->roofed_mean);
    cells[PAIR_ROOFS] = rft_datum_number(score->roofs_mean);
}

static void add_pair_data(rft_finding *f, const rft_compare *c) {
    static const rft_trait fields[PAIR_FIELDS] = {
        [PAIR_SIDE] = {.key = "letter"},
        [PAIR_AGAINST] = {.key = "against"},
        [PAIR_JUDGED] = {.key = "judged"},
        [PAIR_FASTER] = {.key = "FASTER"},
        [PAIR_SLOWER] = {.key = "SLOWER"},
        [PAIR_SAME] = {.key = "SAME"},
        [PAIR_AMBIGUOUS] = {.key = "AMBIGUOUS"},
        [PAIR_MEAN] = {.key = "mean_ratio"},
        [PAIR_MEAN_LOW] = {.key = "mean_low"},
        [PAIR_MEAN_HIGH] = {.key = "mean_high"},
        [PAIR_LEAST] = {.key = "least_ratio"},
        [PAIR_MOST] = {.key = "most_ratio"},
        [PAIR_ROOFED] = {.key = "with_ceilings"},
        [PAIR_ROOFED_MEAN] = {.key = "mean_ratio_with_ceilings"},
        [PAIR_ROOFS] = {.key = "mean_ceilings_ratio"},
    };
    rft_cell_table *table = rft_finding_table(f, "pairs", fields, PAIR_FIELDS);
    table->where = RFT_IN_DATA;
    for (size_t side = 0; side < c->side_count; side++) {
        for (size_t other = 0; other < c->side_count; other++) {
            const rft_compare_score *score = score_of(c, other, side);
            if (side == other) {
                continue;
            }
            rft_datum *cells = rft_cell_table_row(table)->cells;
            cells[PAIR_SIDE] = rft_datum_text(rft_compare_letter(c, side, f->arena));
            cells[PAIR_AGAINST] = rft_datum_text(rft_compare_letter(c, other, f->arena));
            fill_score(cells, score);
        }
    }
}

rft_finding *rft_finding_matrix(const rft_compare *c, rft_arena *arena) {
    rft_finding *f = rft_finding_new(arena);
    rft_trait fields[1 + RFT_COMPARE_MOST] = {
        {.title = "Speed of \\ against", .brief = "of \\ against", .wraps = true}};
    add_pair_data(f, c);
    if (c->side_count < 3) {
        return f; /* the sentence says it */
    }
    for (size_t side = 0; side < c->side_count; side++) {
        fields[1 + side] = (rft_trait){.title = rft_compare_letter(c, side, arena), .wraps = true};
    }
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Every run against every other");
    rft_cell_table *table = rft_finding_table(f, NULL, fields, 1 + c->side_count);
    for (size_t side = 0; side < c->side_count; side++) {
        rft_datum *cells = rft_cell_table_row(table)->cells;
        cells[0] = rft_datum_text(rft_compare_row_name(c, side, arena));
        cells[0].brief = rft_compare_letter(c, side, arena);
        for (size_t other = 0; other < c->side_count; other++) {
            cells[1 + other] = side == other
                                   ? rft_datum_text("-")
                                   : pair_cell(score_of(c, other, side), c->side_count > IN_TEXT_INTERVALS, arena);
        }
    }
    rft_finding_note(f, RFT_ON_PAGE,
                     "Geometric mean of the speed of the run in the row against the one in the column, above 1 is "
                     "faster, its 95 %% interval, and in how many workloads: + faster, - slower, = the same, ? "
                     "ambiguous. Unclear: the interval holds 1, or all are ambiguous. n/a: no workload is in both.");
    rft_compare_add_names(f, c);
    rft_finding_note(
        f, RFT_IN_TEXT,
        "Geometric mean of the speed of the run in the row against the one in the column, above 1 is faster. Unclear: "
        "its 95 %% interval holds 1, or all workloads are ambiguous. n/a: no workload is in both.");
    return f;
}

/* ---- who is fastest where, and why ---- */

/* The two of a sweep that are told: the one with the best mean against the others, and the nearest to it; of pairs that
 * something is decided of, if there are any. */
typedef struct lead {
    size_t side, other;
    rft_compare_score score; /* of `side` against `other` */
} lead;

static lead lead_among(const rft_compare *c, size_t first, size_t end, bool decided) {
    lead best = {.side = SIZE_MAX};
    size_t most = 0;
    for (size_t side = 0; side < c->side_count; side++) {
        size_t ahead = 0, judged = 0;
        lead own = {.side = side, .other = SIZE_MAX};
        for (size_t other = 0; other < c->side_count; other++) {
            const rft_compare_score score = rft_compare_score_of(c, first, end, other, side);
            if (decided && is_undecided(&score)) {
                continue;
            }
            bool nearer = own.other == SIZE_MAX || score.mean.ratio < own.score.mean.ratio;
            judged += score.judged > 0;
            if (score.mean.ratio >= 1.0) {
                ahead++;
                own = nearer ? (lead){side, other, score} : own;
            } else if (score.judged > 0 && own.other == SIZE_MAX) {
                own = (lead){side, other, score};
            }
        }
        if (judged > 0 && (best.side == SIZE_MAX || ahead > most)) {
            best = own;
            most = ahead;
        }
    }
    return best;
}

static lead lead_of(const rft_compare *c, size_t first, size_t end) {
    lead of = lead_among(c, first, end, true);
    return of.side == SIZE_MAX ? lead_among(c, first, end, false) : of;
}

/* "B 4, A 1, none 2": who is FASTER than all others in how many of the workloads. */
static const char *winners_words(const rft_compare *c, size_t first, size_t end, rft_arena *arena) {
    size_t wins[RFT_COMPARE_MOST] = {0}, none = 0;
    for (size_t w = first; w < end; w++) {
        bool contested = false;
        size_t winner = rft_compare_winner(c, w, &contested);
        if (winner != SIZE_MAX) {
            wins[winner]++;
        }
        none += contested && winner == SIZE_MAX;
    }
    rft_str text = RFT_STR_INIT;
    for (size_t side = 0; side < c->side_count; side++) {
        if (wins[side] > 0) {
            rft_str_addf(&text, "%s%c %zu", text.length ? ", " : "", c->sides[side].letter, wins[side]);
        }
    }
    if (none > 0) {
        rft_str_addf(&text, "%snone %zu", text.length ? ", " : "", none);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static const char *percent_of(double ratio, rft_arena *arena) {
    return rft_compare_percent(ratio - 1.0, arena);
}

/* "31 % of 42 %": by so much the ceilings of both alone would make it faster. */
static const char *explained_words(const rft_compare_score *score, rft_arena *arena) {
    double roofs = score->roofs_mean, mean = score->roofed_mean;
    if (score->roofed == 0) {
        return "not known: no ceilings of both";
    }
    if (mean < 1.01) {
        return "nothing to explain";
    }
    if (roofs <= 1.005) {
        return roofs > 0.995 ? rft_arena_printf(arena, "none of %s: they are the same", percent_of(mean, arena))
                             : rft_arena_printf(arena, "none of %s: by them it would be %s slower",
                                                percent_of(mean, arena), rft_compare_percent(1.0 - roofs, arena));
    }
    return roofs >= mean
               ? rft_arena_printf(arena, "all of %s: they allow %s", percent_of(mean, arena), percent_of(roofs, arena))
               : rft_arena_printf(arena, "%s of %s", percent_of(roofs, arena), percent_of(mean, arena));
}

/* Of the sweep's longest workload that both have: "A dram 96 %; B launch". */
static const char *bounds_words(const rft_compare *c, const lead *of, size_t first, size_t end, rft_arena *arena) {
    size_t longest = SIZE_MAX;
    for (size_t w = first; w < end; w++) {
        const rft_compare_figure *figures = c->workloads[w].figures;
        bool both = figures[of->side].best && figures[of->other].best;
        if (both && (longest == SIZE_MAX ||
                     figures[of->side].stats.median > c->workloads[longest].figures[of->side].stats.median)) {
            longest = w;
        }
    }
    if (longest == SIZE_MAX) {
        return NULL;
    }
    const rft_compare_figure *figures = c->workloads[longest].figures;
    if (figures[of->side].bound.resource == RFT_RESOURCE_UNKNOWN &&
        figures[of->other].bound.resource == RFT_RESOURCE_UNKNOWN) {
        return NULL;
    }
    return rft_arena_printf(arena, "%c %s; %c %s", c->sides[of->side].letter,
                            rft_bound_text(&figures[of->side].bound, arena), c->sides[of->other].letter,
                            rft_bound_text(&figures[of->other].bound, arena));
}

enum {
    SWEEP,
    WORKLOADS,
    FASTEST,
    LEAD,
    SPEED,
    INTERVAL,
    RANGE,
    EXPLAINED,
    BOUNDS,
    SIDE,
    OTHER,
    MEAN,
    MEAN_LOW,
    MEAN_HIGH,
    ROOFED,
    ROOFED_MEAN,
    ROOFS,
    FIELDS
};

static void add_sweep(rft_cell_table *table, const rft_compare *c, size_t first, size_t end) {
    rft_arena *arena = table->arena;
    rft_datum *cells = rft_cell_table_row(table)->cells;
    const lead of = lead_of(c, first, end);
    cells[SWEEP] = rft_datum_text(c->workloads[first].sweep_name);
    cells[WORKLOADS] = rft_datum_count((int64_t)(end - first));
    cells[FASTEST] = rft_datum_text(winners_words(c, first, end, arena));
    if (of.side == SIZE_MAX) {
        cells[SPEED] = rft_datum_text("not judged");
        return;
    }
    bool undecided = is_undecided(&of.score);
    cells[SPEED] = rft_datum_text(undecided ? "unclear" : rft_compare_ratio_short(of.score.mean.ratio, arena));
    if (!undecided) {
        cells[INTERVAL] = rft_datum_text(rft_compare_mean_interval(&of.score.mean, arena));
        cells[LEAD] =
            rft_datum_text(rft_arena_printf(arena, "%c to %c", c->sides[of.side].letter, c->sides[of.other].letter));
        cells[RANGE] =
            rft_datum_text(rft_arena_printf(arena, "%s to %s", rft_figure_plain(arena, of.score.least_ratio, 3),
                                            rft_figure_plain(arena, of.score.most_ratio, 3)));
        cells[EXPLAINED] = rft_datum_text(explained_words(&of.score, arena));
        cells[MEAN] = rft_datum_number(of.score.mean.ratio);
        cells[MEAN_LOW] = rft_datum_number(of.score.mean.low);
        cells[MEAN_HIGH] = rft_datum_number(of.score.mean.high);
    }
    cells[BOUNDS] = rft_datum_text(bounds_words(c, &of, first, end, arena));
    cells[SIDE] = rft_datum_text(rft_compare_letter(c, of.side, arena));
    cells[OTHER] = rft_datum_text(rft_compare_letter(c, of.other, arena));
    cells[ROOFED] = rft_datum_count((int64_t)of.score.roofed);
    cells[ROOFED_MEAN] = rft_datum_number(of.score.roofed_mean);
    cells[ROOFS] = rft_datum_number(of.score.roofs_mean);
}

rft_finding *rft_finding_wins(const rft_compare *c, rft_arena *arena) {
    static const rft_trait fields[FIELDS] = {
        [SWEEP] = {.key = "sweep", .title = "Sweep", .wraps = true},
        [WORKLOADS] = {.key = "workloads", .title = "Workloads", .brief = "n", .align = RFT_ALIGN_RIGHT, .wraps = true},
        [FASTEST] = {.title = "Fastest in", .wraps = true},
        [LEAD] = {.title = "Speed of"},
        [SPEED] = {.title = "mean", .align = RFT_ALIGN_RIGHT},
        [INTERVAL] = {.title = "95 %", .wraps = true},
        [RANGE] = {.title = "range", .where = RFT_ON_PAGE},
        [EXPLAINED] = {.title = "The ceilings explain", .wraps = true},
        [BOUNDS] = {.title = "Held back, longest workload", .where = RFT_ON_PAGE, .wraps = true},
        [SIDE] = {.key = "letter"},
        [OTHER] = {.key = "against"},
        [MEAN] = {.key = "mean_ratio"},
        [MEAN_LOW] = {.key = "mean_low"},
        [MEAN_HIGH] = {.key = "mean_high"},
        [ROOFED] = {.key = "with_ceilings"},
        [ROOFED_MEAN] = {.key = "mean_ratio_with_ceilings"},
        [ROOFS] = {.key = "mean_ceilings_ratio"},
    };
    rft_finding *f = rft_finding_new(arena);
    rft_finding_heading(f, RFT_TO_PEOPLE, 2, "Who is fastest where, and why");
    rft_cell_table *table = rft_finding_table(f, "fastest", fields, FIELDS);
    for (size_t first = 0; first < c->workload_count; first = rft_compare_next_sweep(c, first)) {
        add_sweep(table, c, first, rft_compare_next_sweep(c, first));
    }
    rft_finding_note(
        f, RFT_TO_PEOPLE,
        "Fastest: shown to be faster than every other; none: no run is. The speed is that of the sweep's fastest to "
        "the nearest that something is decided of, a geometric mean over its workloads with its 95 %% interval; "
        "unclear: that holds 1. Explained is what the measured ceilings of both allow for the same work: 31 %% of 42 "
        "%% leaves 11 %% to the kernels, the compiler, the clock and to what has no ceiling here.");
    return f;
}
