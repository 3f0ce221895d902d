/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compare/compare_mix.h"

#include <math.h>

rft_compare_price rft_compare_price_of(const rft_mix_book *book, const rft_run *run) {
    const rft_mix_price *price = book ? rft_mix_price_of(book, &run->gpu) : NULL;
    return price ? (rft_compare_price){price->amount, book->currency, price->date}
                 : (rft_compare_price){(double)NAN, NULL, NULL};
}

/* The figure of that side that stands for the line; NULL where the problem has no partner. */
static const rft_compare_figure *figure_of(const rft_compare *compare, size_t side, const rft_mix_line *line) {
    for (size_t w = 0; w < compare->workload_count; w++) {
        const rft_compare_figure *f = &compare->workloads[w].figures[side];
        if (f->present && f->sweep == line->sweep && f->problem == line->problem_index) {
            return f;
        }
    }
    return NULL;
}

/* What of the operations' own verdicts holds for their sum. */
static void look_for_doubt(const rft_compare *compare, size_t side, const rft_mix_total *total, rft_compare_case *of,
                           const char **reason, rft_arena *arena) {
    for (size_t i = 0; i < total->line_count; i++) {
        const rft_mix_line *line = &total->lines[i];
        const rft_compare_figure *f = figure_of(compare, side, line);
        bool effort = f && (f->doubt == RFT_DOUBT_EFFORT || f->doubt == RFT_DOUBT_SPREAD);
        bool other = f && f->doubt == RFT_DOUBT_WORKLOAD;
        of->effort_differs = of->effort_differs || effort;
        of->other_workload = of->other_workload || other;
        if ((effort || other) && !*reason) {
            *reason = rft_arena_printf(arena, "%s%s%s: %s", line->item->operation, *line->problem ? " " : "",
                                       line->problem, f->reason ? f->reason : "its verdict is in doubt");
        }
    }
}

static void judge_mix(const rft_compare *compare, rft_compare_mix *mix, size_t side, rft_arena *arena) {
    rft_compare_mix_side *of = &mix->sides[side];
    const rft_mix_total *first = mix->sides[0].total;
    of->even = (rft_break_even){.missing = "a side has no total"};
    if (side == 0 || first->missing_count || of->total->missing_count) {
        return;
    }
    const rft_break_even_side a = rft_break_even_side_of(first), b = rft_break_even_side_of(of->total);
    rft_compare_case judged = {.first_roof = NAN, .other_roof = NAN, .spread = NAN};
    const char *reason = NULL;
    rft_compare_doubt doubt;
    of->ratio = rft_compare_ratio_of(&a.time_s, &b.time_s);
    judged.ratio = of->ratio;
    look_for_doubt(compare, side, of->total, &judged, &reason, arena);
    of->verdict = rft_compare_judge(&judged, &doubt);
    if (of->verdict == RFT_COMPARE_AMBIGUOUS) {
        of->reason = reason                       ? reason
                     : doubt == RFT_DOUBT_NEITHER ? "a difference is neither shown nor excluded"
                                                  : "a side has no 95 % interval";
    }
    /* A difference that is neither shown nor excluded is in the interval of the price. */
    bool in_doubt = of->verdict == RFT_COMPARE_AMBIGUOUS && doubt != RFT_DOUBT_NEITHER;
    of->even = rft_break_even_of(&a, &b, in_doubt ? of->reason : NULL, arena);
}

int rft_compare_mixes_of(rft_compare_mixes **out, const rft_compare *compare, const rft_mix_book *book,
                         rft_arena *arena, rft_err *err) {
    rft_compare_mixes *mixes = rft_arena_calloc(arena, 1, sizeof *mixes);
    int rc = RFT_OK;
    mixes->compare = compare;
    mixes->book = book;
    mixes->items = rft_arena_calloc(arena, book->mix_count, sizeof *mixes->items);
    mixes->count = book->mix_count;
    for (size_t i = 0; i < mixes->count && rc == RFT_OK; i++) {
        rft_compare_mix *mix = &mixes->items[i];
        mix->mix = &book->mixes[i];
        mix->sides = rft_arena_calloc(arena, compare->side_count, sizeof *mix->sides);
        for (size_t side = 0; side < compare->side_count && rc == RFT_OK; side++) {
            rft_compare_mix_side *of = &mix->sides[side];
            rft_mix_total *total = NULL;
            of->ratio = (rft_compare_ratio){NAN, NAN, NAN, false, 0.0};
            of->verdict = RFT_COMPARE_NONE;
            rc = rft_mix_total_of(&total, mix->mix, book, &compare->sides[side].run, 1, arena, err);
            if (rc == RFT_OK) {
                of->total = total;
                of->per_price =
                    total->price ? total->units_s.value / (total->price->amount * mix->mix->cards) : (double)NAN;
                mix->priced = mix->priced || total->price;
                judge_mix(compare, mix, side, arena);
            }
        }
    }
    *out = rc == RFT_OK ? mixes : NULL;
    return rc;
}

/* ---- notes ---- */

static void note(const char **notes, size_t *count, char letter, const char *what, const char *why, rft_arena *arena) {
    notes[(*count)++] = rft_arena_printf(arena, "%c: %s%s", letter, what, why);
}

size_t rft_compare_mix_notes(const rft_compare_mixes *mixes, size_t item, rft_arena *arena, const char ***out) {
    const rft_compare_mix *mix = &mixes->items[item];
    size_t sides = mixes->compare->side_count, count = 0;
    const char **notes = rft_arena_calloc(arena, sides * (mix->mix->item_count + 4), sizeof *notes);
    for (size_t side = 0; side < sides; side++) {
        const rft_compare_mix_side *of = &mix->sides[side];
        const rft_mix_total *t = of->total;
        char letter = mixes->compare->sides[side].letter;
        for (size_t i = 0; i < t->line_count; i++) {
            if (t->lines[i].missing) {
                note(notes, &count, letter,
                     rft_arena_printf(arena, "no total, since %s %s is missing: ", t->lines[i].item->operation,
                                      t->lines[i].problem),
                     t->lines[i].missing, arena);
            }
        }
        if (of->reason) {
            note(notes, &count, letter, "AMBIGUOUS: ", of->reason, arena);
        }
        if (t->missing_count == 0 && t->joules.missing) {
            note(notes, &count, letter, "no energy: ", t->joules.missing, arena);
        }
        if (t->missing_count == 0 && mix->priced && t->card_cost.missing) {
            note(notes, &count, letter, "no cost of the device: ", t->card_cost.missing, arena);
        }
    }
    *out = notes;
    return count;
}
