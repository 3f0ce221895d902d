/* SPDX-License-Identifier: Apache-2.0 */
#include "model/compare/compare.h"

#include "base/fs.h"
#include "base/units.h"
#include "model/compare/compare_parts.h"

#include <math.h>
#include <string.h>

/* ---- sides ---- */

static const char *file_stem(const char *path, rft_arena *arena) {
    static const char *const suffixes[] = {".db", ".json.gz", ".json", ".t4", ".kt"};
    char *name = rft_arena_strdup(arena, rft_fs_name(path));
    for (size_t i = 0; i < sizeof suffixes / sizeof *suffixes; i++) {
        size_t length = strlen(name), cut = strlen(suffixes[i]);
        if (length > cut && rft_text_ends(name, suffixes[i])) {
            name[length - cut] = '\0';
        }
    }
    return name;
}

static bool same_text(const char *a, const char *b) {
    return a && b && *a && strcmp(a, b) == 0;
}

static void fill_side(rft_compare *compare, size_t at, const rft_compare_input *input, rft_arena *arena) {
    const rft_run *run = input->run;
    rft_compare_side *side = &compare->sides[at];
    int64_t when = run->info.replay_of ? run->info.replay_started_unix_ns : run->info.started_unix_ns;
    char date[40] = "date unknown";
    if (when > 0) {
        rft_units_format_iso(date, sizeof date, when);
        date[10] = '\0';
    }
    *side = (rft_compare_side){.run = run,
                               .path = input->path,
                               .letter = (char)('A' + at),
                               .model = at,
                               .card = at,
                               .card_known = run->gpu.uuid && *run->gpu.uuid,
                               .price = input->price,
                               .date = rft_arena_strdup(arena, date)};
    side->model_known = rft_run_device(run) != NULL;
    side->device = side->model_known ? rft_run_device(run) : file_stem(input->path, arena);
    for (size_t k = at; k-- > 0;) {
        const rft_run *other = compare->sides[k].run;
        if (side->model_known && compare->sides[k].model_known && same_text(side->device, compare->sides[k].device)) {
            side->model = compare->sides[k].model;
        }
        if (same_text(run->gpu.uuid, other->gpu.uuid)) {
            side->card = compare->sides[k].card;
        }
    }
}

static int check_inputs(const rft_compare_input *inputs, size_t count, rft_err *err) {
    if (count < 2 || count > RFT_COMPARE_MOST) {
        rft_err_set(err, RFT_E_USAGE, "compare takes two to %d runs, %zu %s given", RFT_COMPARE_MOST, count,
                    count == 1 ? "was" : "were");
        return rft_err_remedy(err, count < 2 ? "name a second run file or recording" : "compare fewer at a time");
    }
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (same_text(inputs[i].run->info.id, inputs[k].run->info.id)) {
                rft_err_set(err, RFT_E_USAGE, "the same run (%s) as %s: it would be compared with itself",
                            inputs[i].run->info.id, inputs[k].path);
                rft_err_place(err, "%s", inputs[i].path);
                return rft_err_remedy(err, "name another run; `rooftune show` prints a file's run, device and date");
            }
        }
    }
    return RFT_OK;
}

/* ---- workloads ---- */

/* What the first side that has a best can be told in holds for all. */
static bool told_in_ops(const rft_compare *compare, const rft_compare_join *join) {
    for (size_t side = 0; side < compare->side_count; side++) {
        const rft_run *run = compare->sides[side].run;
        const rft_point *best = join->problems[side] == RFT_COMPARE_ABSENT
                                    ? NULL
                                    : rft_run_best(run, join->sweeps[side], SIZE_MAX, join->problems[side]);
        if (best) {
            return rft_compare_in_ops(run, best);
        }
    }
    return false;
}

static void add_workloads(rft_compare *compare, rft_arena *arena) {
    rft_compare_join *joins = NULL;
    compare->workload_count = rft_compare_joined(compare, &joins, arena);
    compare->workloads = rft_arena_calloc(arena, compare->workload_count + 1, sizeof *compare->workloads);
    for (size_t w = 0; w < compare->workload_count; w++) {
        rft_compare_workload *of = &compare->workloads[w];
        bool in_ops = told_in_ops(compare, &joins[w]);
        of->name = joins[w].name;
        of->sweep_name = joins[w].sweep_name;
        of->group = joins[w].group;
        of->figures = rft_arena_calloc(arena, compare->side_count, sizeof *of->figures);
        for (size_t side = 0; side < compare->side_count; side++) {
            of->figures[side] = rft_compare_figure_of(&compare->sides[side], &joins[w], side, in_ops, arena);
        }
        rft_compare_judge_workload(compare, of, arena);
    }
}

int rft_compare_runs(rft_compare **out, const rft_compare_input *inputs, size_t count, rft_arena *arena, rft_err *err) {
    int rc = check_inputs(inputs, count, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rft_compare *compare = rft_arena_calloc(arena, 1, sizeof *compare);
    compare->sides = rft_arena_calloc(arena, count, sizeof *compare->sides);
    compare->side_count = count;
    for (size_t i = 0; i < count; i++) {
        fill_side(compare, i, &inputs[i], arena);
    }
    add_workloads(compare, arena);
    if (compare->workload_count == 0) {
        rft_err_set(err, RFT_E_NOT_FOUND, "no problem is in two of the %zu runs: nothing can be compared", count);
        return rft_err_remedy(err, "compare runs of one sweep; `rooftune show` lists the sweeps and problems of a run");
    }
    rft_compare_add_scores(compare, arena);
    rft_compare_add_carries(compare, arena);
    rft_compare_add_variations(compare, arena);
    rft_compare_add_caveats(compare, arena);
    *out = compare;
    return RFT_OK;
}

/* ---- words ---- */

const char *rft_compare_side_name(const rft_compare *compare, size_t at, rft_arena *arena) {
    const rft_compare_side *side = &compare->sides[at];
    bool dated = false, numbered = false;
    for (size_t k = 0; k < compare->side_count; k++) {
        if (k != at && strcmp(compare->sides[k].device, side->device) == 0) {
            bool same_day = strcmp(compare->sides[k].date, side->date) == 0;
            dated = true;
            numbered = numbered || same_day;
        }
    }
    return rft_arena_printf(arena, "%c: %s%s%s%s%s", side->letter, side->device, dated && !numbered ? ", " : "",
                            dated && !numbered ? side->date : "", numbered ? ", run " : "",
                            numbered ? side->run->info.id : "");
}

/* The sides of an interval must not read the same: as many decimals as its half width asks for. */
static const char *number_of_interval(double value, double half_width, rft_arena *arena) {
    double step = fmax(half_width, 1e-4 * fabs(value));
    int decimals = (int)ceil(-log10(step));
    return rft_arena_fixed(arena, value, decimals < 0 ? 0 : decimals > 6 ? 6 : decimals, "");
}

#define TIMES "\xc3\x97"
#define MEAN_DECIMALS 3
#define ROUNDING 1e-6 /* of a unit of the last digit: what was computed is that exact */

const char *rft_compare_ratio_text(const rft_compare_ratio *ratio, rft_arena *arena) {
    if (isnan(ratio->ratio)) {
        return "n/a";
    }
    if (!isfinite(ratio->low) || !isfinite(ratio->high)) {
        return rft_arena_printf(arena, "%s" TIMES, number_of_interval(ratio->ratio, ratio->ratio / 200.0, arena));
    }
    double half = (ratio->high - ratio->low) / 2.0;
    return rft_arena_printf(arena, "%s" TIMES " [%s, %s]", number_of_interval(ratio->ratio, half, arena),
                            number_of_interval(ratio->low, half, arena), number_of_interval(ratio->high, half, arena));
}

/* A third of half the width is told, and three digits; of what is about 1 three decimals at most. */
static int mean_decimals(const rft_compare_ratio *mean) {
    const int three = 2 - (int)floor(log10(mean->ratio)), most = three > MEAN_DECIMALS ? three : MEAN_DECIMALS;
    const bool is_wide = mean->interval && mean->high > mean->low;
    const int half = is_wide ? (int)ceil(-log10((mean->high - mean->low) / 6.0)) : three;
    const int decimals = half > three ? half : three;
    return decimals < 0 ? 0 : decimals > most ? most : decimals;
}

const char *rft_compare_mean_number(const rft_compare_ratio *mean, rft_arena *arena) {
    return rft_arena_fixed(arena, mean->ratio, mean_decimals(mean), "");
}

/* Outward: what is printed holds the interval. */
const char *rft_compare_mean_ends(const rft_compare_ratio *mean, rft_arena *arena) {
    if (!mean->interval) {
        return NULL;
    }
    int decimals = mean_decimals(mean);
    double unit = pow(10.0, -decimals);
    return rft_arena_printf(arena, "%s to %s",
                            rft_arena_fixed(arena, floor(mean->low / unit + ROUNDING) * unit, decimals, ""),
                            rft_arena_fixed(arena, ceil(mean->high / unit - ROUNDING) * unit, decimals, ""));
}

const char *rft_compare_mean_text(const rft_compare_ratio *mean, rft_arena *arena) {
    const char *ends = rft_compare_mean_ends(mean, arena);
    if (isnan(mean->ratio)) {
        return "n/a";
    }
    return rft_arena_printf(arena, ends ? "%s" TIMES " (%s)" : "%s" TIMES ", %s", rft_compare_mean_number(mean, arena),
                            ends ? ends : "interval not known");
}

const char *rft_compare_ratio_short(double ratio, rft_arena *arena) {
    return rft_arena_printf(arena, "%s" TIMES, number_of_interval(ratio, ratio / 200.0, arena));
}

/* What is beside every verdict of a side that is AMBIGUOUS everywhere: in its words where they are the same, else by
 * its kinds, how often each where they differ, too. */
static const char *common_reason(const rft_compare *compare, size_t side, rft_arena *arena) {
    static const char *const kinds[RFT_DOUBT_COUNT] = {
        [RFT_DOUBT_NONE] = "nothing is told",
        [RFT_DOUBT_NEITHER] = "differences are neither shown nor excluded",
        [RFT_DOUBT_INTERVAL] = "a side has no 95 % interval",
        [RFT_DOUBT_WORKLOAD] = "the work or how it was measured is not the same",
        [RFT_DOUBT_EFFORT] = "search effort differs or is not known, and more search could close the gaps",
        [RFT_DOUBT_SPREAD] = "runs of one model differ by as much"};
    const rft_compare_figure *first = NULL;
    size_t counts[RFT_DOUBT_COUNT] = {0}, judged = 0;
    bool same = true;
    for (size_t w = 0; w < compare->workload_count; w++) {
        const rft_compare_figure *f = &compare->workloads[w].figures[side];
        if (f->verdict != RFT_COMPARE_NONE) {
            first = first ? first : f;
            same = same && f->reason && first->reason && strcmp(f->reason, first->reason) == 0;
            counts[f->doubt]++;
            judged++;
        }
    }
    if (!first || same) {
        return first ? first->reason : NULL;
    }
    const char *text = "";
    for (size_t k = 0; k < RFT_DOUBT_COUNT; k++) {
        if (counts[k] == judged) {
            return kinds[k];
        }
        if (counts[k] > 0) {
            text = rft_arena_printf(arena, "%s%sin %zu %s", text, *text ? "; " : "", counts[k], kinds[k]);
        }
    }
    return text;
}

static void add_counts(rft_str *text, const rft_compare_score *score) {
    static const char *const words[] = {[RFT_COMPARE_FASTER] = "faster",
                                        [RFT_COMPARE_SLOWER] = "slower",
                                        [RFT_COMPARE_SAME] = "the same",
                                        [RFT_COMPARE_AMBIGUOUS] = "ambiguous"};
    bool begun = false;
    for (int v = RFT_COMPARE_FASTER; v <= RFT_COMPARE_AMBIGUOUS; v++) {
        if (score->counts[v] == 0) {
            continue;
        }
        rft_str_addf(text, "%s%s in ", begun ? ", " : "", words[v]);
        if (begun) {
            rft_str_addf(text, "%zu", score->counts[v]);
        } else if (score->judged == 1) {
            rft_str_add(text, "the one workload");
        } else if (score->counts[v] == score->judged) {
            rft_str_addf(text, "all %zu workloads", score->judged);
        } else {
            rft_str_addf(text, "%zu of %zu workloads", score->counts[v], score->judged);
        }
        begun = true;
    }
}

const char *rft_compare_sentence(const rft_compare *compare, size_t at, rft_arena *arena) {
    const rft_compare_side *side = &compare->sides[at], *first = &compare->sides[0];
    const rft_compare_score *score = &compare->scores[at];
    bool undecided = score->counts[RFT_COMPARE_AMBIGUOUS] == score->judged;
    const char *reason = undecided ? common_reason(compare, at, arena) : NULL;
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%c (%s) against %c (%s): ", side->letter, side->device, first->letter, first->device);
    if (score->judged == 0) {
        rft_str_add(&text, "nothing can be judged");
    }
    add_counts(&text, score);
    if (reason) {
        rft_str_addf(&text, ": %s", reason);
    }
    if (!undecided) {
        rft_compare_verdict of_mean = rft_compare_mean_verdict(&score->mean);
        rft_str_addf(&text, "; %s the speed%s%s", rft_compare_mean_text(&score->mean, arena),
                     score->judged > 1 ? " as the geometric mean" : "",
                     score->judged > 1 && of_mean == RFT_COMPARE_AMBIGUOUS ? ", which is unclear" : "");
    }
    if (!undecided && score->judged > 1) {
        rft_str_addf(&text, ", single workloads from %s to %s", rft_compare_ratio_short(score->least_ratio, arena),
                     rft_compare_ratio_short(score->most_ratio, arena));
    }
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}
