/* SPDX-License-Identifier: Apache-2.0 */
/* compare_pairs.c - every side against every other over workloads: scores, who is fastest where, and a sentence for
 * each (compare.h). */
#include "model/compare/compare_parts.h"

#include "base/str.h"

#include <math.h>

#define TOLD_MOST 3 /* others that a sentence tells one by one */

/* ---- scores ---- */

typedef struct log_mean {
    double sum;
    size_t count;
} log_mean;

static void add_log(log_mean *mean, double value) {
    mean->sum += log(value);
    mean->count++;
}

static double mean_of(const log_mean *mean) {
    return mean->count ? exp(mean->sum / (double)mean->count) : (double)NAN;
}

rft_compare_score rft_compare_score_of(const rft_compare *compare, size_t first, size_t end, size_t other,
                                       size_t side) {
    rft_compare_score score = {.least_ratio = NAN, .most_ratio = NAN};
    rft_compare_mean all = {0};
    log_mean roofed = {0}, roofs = {0};
    for (size_t w = first; w < end; w++) {
        const rft_compare_versus *of = &compare->workloads[w].versus[other * compare->side_count + side];
        score.counts[of->verdict]++;
        score.judged += of->verdict != RFT_COMPARE_NONE;
        if (of->verdict != RFT_COMPARE_NONE && isfinite(of->ratio.ratio)) {
            rft_compare_mean_add(&all, &of->ratio, 1.0);
            score.least_ratio = fmin(score.least_ratio, of->ratio.ratio);
            score.most_ratio = fmax(score.most_ratio, of->ratio.ratio);
            if (isfinite(of->roofs) && of->roofs > 0.0) {
                add_log(&roofed, of->ratio.ratio);
                add_log(&roofs, of->roofs);
            }
        }
    }
    score.mean = rft_compare_mean_of(&all);
    score.roofed = roofed.count;
    score.roofed_mean = mean_of(&roofed);
    score.roofs_mean = mean_of(&roofs);
    return score;
}

void rft_compare_add_scores(rft_compare *compare, rft_arena *arena) {
    size_t count = compare->side_count;
    compare->scores = rft_arena_calloc(arena, count * count, sizeof *compare->scores);
    for (size_t i = 0; i < count * count; i++) {
        compare->scores[i] = rft_compare_score_of(compare, 0, compare->workload_count, i / count, i % count);
    }
}

size_t rft_compare_winner(const rft_compare *compare, size_t workload, bool *contested) {
    const rft_compare_workload *of = &compare->workloads[workload];
    size_t count = compare->side_count, winner = SIZE_MAX;
    *contested = false;
    for (size_t side = 0; side < count; side++) {
        size_t faster = 0, others = 0;
        for (size_t other = 0; other < count; other++) {
            others += other != side && of->figures[side].present && of->figures[other].present;
            faster += of->versus[other * count + side].verdict == RFT_COMPARE_FASTER;
            *contested = *contested || of->versus[other * count + side].verdict != RFT_COMPARE_NONE;
        }
        winner = others > 0 && faster == others ? side : winner;
    }
    return winner;
}

/* ---- a sentence ---- */

static bool is_undecided(const rft_compare_score *score) {
    return score->counts[RFT_COMPARE_AMBIGUOUS] == score->judged;
}

/* "1.81x (1.79 to 1.83) the speed of B"; of a pair that is decided in some workload. */
static void tell_speed(rft_str *text, const rft_compare *compare, size_t side, size_t other, rft_arena *arena) {
    const rft_compare_score *score = &compare->scores[other * compare->side_count + side];
    char letter = compare->sides[other].letter;
    rft_compare_verdict of_mean = rft_compare_mean_verdict(&score->mean);
    if (score->counts[RFT_COMPARE_SAME] == score->judged) {
        rft_str_addf(text, "the same as %c", letter);
    } else if (of_mean == RFT_COMPARE_SAME) {
        rft_str_addf(text, "on the mean the same as %c, %s", letter, rft_compare_mean_text(&score->mean, arena));
    } else if (of_mean == RFT_COMPARE_AMBIGUOUS) {
        rft_str_addf(text, "on the mean unclear against %c, %s", letter, rft_compare_mean_text(&score->mean, arena));
    } else {
        rft_str_addf(text, "%s the speed of %c", rft_compare_mean_text(&score->mean, arena), letter);
    }
}

/* "unclear against B, C", where every verdict is AMBIGUOUS; or what is not judged. */
static void tell_list(rft_str *text, const rft_compare *compare, size_t side, bool judged) {
    size_t told = 0;
    for (size_t other = 0; other < compare->side_count; other++) {
        const rft_compare_score *score = &compare->scores[other * compare->side_count + side];
        if (other != side && is_undecided(score) && (score->judged > 0) == judged) {
            rft_str_addf(text, "%s%s%c", told || !text->length || rft_text_ends(rft_str_get(text), "; ") ? "" : ", ",
                         told     ? ", "
                         : judged ? "unclear against "
                                  : "not judged against ",
                         compare->sides[other].letter);
            told++;
        }
    }
}

static void tell_end(rft_str *text, const char *before, const rft_compare *compare, size_t side, size_t other,
                     rft_arena *arena) {
    const rft_compare_score *score = &compare->scores[other * compare->side_count + side];
    rft_str_addf(text, "%s%s the speed of %c", before, rft_compare_ratio_short(score->mean.ratio, arena),
                 compare->sides[other].letter);
}

/* "from 0.55x the speed of H to 1.81x the speed of B, unclear against 2 of 7, not judged against 1"; of many others,
 * whose means with their intervals stand in the matrix. */
static void tell_range(rft_str *text, const rft_compare *compare, size_t side, rft_arena *arena) {
    size_t count = compare->side_count, least = SIZE_MAX, most = SIZE_MAX, unclear = 0, unjudged = 0;
    for (size_t other = 0; other < count; other++) {
        const rft_compare_score *score = &compare->scores[other * count + side];
        if (other == side || is_undecided(score)) {
            unclear += other != side && score->judged > 0;
            unjudged += other != side && score->judged == 0;
            continue;
        }
        least =
            least == SIZE_MAX || score->mean.ratio < compare->scores[least * count + side].mean.ratio ? other : least;
        most = most == SIZE_MAX || score->mean.ratio > compare->scores[most * count + side].mean.ratio ? other : most;
    }
    if (least != SIZE_MAX) {
        if (least == most) {
            tell_speed(text, compare, side, least, arena);
        } else {
            tell_end(text, "from ", compare, side, least, arena);
            tell_end(text, " to ", compare, side, most, arena);
        }
    }
    if (unclear > 0) {
        rft_str_addf(text, "%sunclear against %zu of %zu", least == SIZE_MAX ? "" : ", ", unclear, count - 1);
    }
    if (unjudged > 0) {
        rft_str_addf(text, "%snot judged against %zu of %zu", least == SIZE_MAX && unclear == 0 ? "" : ", ", unjudged,
                     count - 1);
    }
}

const char *rft_compare_card_sentence(const rft_compare *compare, size_t side, rft_arena *arena) {
    size_t count = compare->side_count, wins = 0, contested = 0, decided = 0;
    for (size_t w = 0; w < compare->workload_count; w++) {
        bool judged = false;
        wins += rft_compare_winner(compare, w, &judged) == side;
        contested += judged && compare->workloads[w].figures[side].present;
    }
    for (size_t other = 0; other < count; other++) {
        decided += other != side && !is_undecided(&compare->scores[other * count + side]);
    }
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%c (%s): ", compare->sides[side].letter, compare->sides[side].device);
    if (contested == 0) {
        rft_str_add(&text, "nothing can be judged; ");
    } else if (decided == 0) {
        rft_str_add(&text, "nothing is decided; ");
    } else if (contested == 1) {
        rft_str_add(&text, wins ? "fastest in the one workload; " : "not fastest in the one workload; ");
    } else if (wins == 0) {
        rft_str_addf(&text, "fastest in none of %zu workloads; ", contested);
    } else if (wins == contested) {
        rft_str_addf(&text, "fastest in all %zu workloads; ", contested);
    } else {
        rft_str_addf(&text, "fastest in %zu of %zu workloads; ", wins, contested);
    }
    if (count > TOLD_MOST + 1) {
        tell_range(&text, compare, side, arena);
    } else {
        for (size_t other = 0, told = 0; other < count; other++) {
            if (other != side && !is_undecided(&compare->scores[other * count + side])) {
                rft_str_add(&text, told++ ? ", " : "");
                tell_speed(&text, compare, side, other, arena);
            }
        }
        tell_list(&text, compare, side, true);
        tell_list(&text, compare, side, false);
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}
