/* SPDX-License-Identifier: Apache-2.0 */
/* speed_asked.c - what is asked of a card: the problems of a run or a mix, with their weights (speed.h). */
#include "model/compare/speed.h"

#include "base/str.h"
#include "model/run/baseline.h"
#include "model/run/run_family.h"

#include <math.h>
#include <string.h>

static bool counts(const rft_sweep *sweep, size_t problem) {
    return !sweep->problems[problem].odd && sweep->problems[problem].refined == 0;
}

static size_t problems_of(const rft_sweep *sweep) {
    size_t count = 0;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        count += counts(sweep, p);
    }
    return count;
}

static size_t part_named(rft_speed_asked *asked, const char *name) {
    size_t at = 0;
    while (at < asked->part_count && strcmp(asked->parts[at].name, name) != 0) {
        at++;
    }
    if (at == asked->part_count) {
        asked->parts[asked->part_count++] = (rft_speed_part){.name = name, .longest = SIZE_MAX};
    }
    return at;
}

static void add_item(rft_speed_asked *asked, size_t part, size_t sweep, size_t problem) {
    const rft_run *run = asked->run;
    const rft_point *best = rft_run_best(run, sweep, SIZE_MAX, problem);
    const rft_baseline *library = rft_run_fastest_baseline(run, sweep, problem);
    rft_speed_item *item = &asked->items[asked->item_count];
    *item = (rft_speed_item){.sweep = sweep, .problem = problem, .part = part, .best = best, .time_s = NAN};
    item->reach.frac = item->reach.left_factor = NAN;
    item->bound.resource = RFT_RESOURCE_UNKNOWN;
    if (best) {
        item->time_s = rft_point_median_s(best);
        item->reach = rft_reach_of(run, best);
        item->bound = rft_bound_of(run, best);
    }
    if (library) {
        item->time_s = fmin(item->time_s, library->measurement.stats.median); /* of NaN and a number the number */
    }
    rft_speed_part *of = &asked->parts[part];
    of->items++;
    if (isfinite(item->time_s) && (of->longest == SIZE_MAX || item->time_s > asked->items[of->longest].time_s)) {
        of->longest = asked->item_count;
    }
    asked->item_count++;
}

/* ---- families ---- */

static bool is_asked_sweep(const rft_speed_asked *asked, const rft_sweep *sweep) {
    return (asked->all_diagnostic || sweep->diagnostic != 1) && problems_of(sweep) > 0;
}

/* Sweeps that count of each part; the parts are made in the order met. */
static size_t *count_sweeps(rft_speed_asked *asked, rft_arena *arena) {
    const rft_run *run = asked->run;
    size_t *sweeps = rft_arena_calloc(arena, run->sweep_count + 1, sizeof *sweeps);
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        if (is_asked_sweep(asked, sweep)) {
            sweeps[part_named(asked, rft_sweep_family(sweep, arena))]++;
            asked->unmarked += sweep->diagnostic < 0;
        }
    }
    return sweeps;
}

/* Parts were made by what their sweeps share; a reader gets the name he knows. */
static void name_parts(rft_speed_asked *asked, rft_arena *arena) {
    size_t *sweeps = rft_arena_calloc(arena, asked->run->sweep_count + 1, sizeof *sweeps);
    for (size_t part = 0; part < asked->part_count; part++) {
        size_t count = 0;
        for (size_t i = 0; i < asked->item_count; i++) {
            const rft_speed_item *item = &asked->items[i];
            if (item->part == part && (count == 0 || sweeps[count - 1] != item->sweep)) {
                sweeps[count++] = item->sweep;
            }
        }
        asked->parts[part].name = rft_run_family_name(asked->run, sweeps, count, arena);
    }
}

static void ask_families(rft_speed_asked *asked, rft_arena *arena) {
    const rft_run *run = asked->run;
    size_t diagnostic = 0;
    asked->diagnostic = rft_arena_calloc(arena, run->sweep_count + 1, sizeof *asked->diagnostic);
    for (size_t s = 0; s < run->sweep_count; s++) {
        if (run->sweeps[s].sweep.diagnostic == 1) {
            asked->diagnostic[diagnostic++] = run->sweeps[s].sweep.name;
        }
    }
    asked->all_diagnostic = run->sweep_count > 0 && diagnostic == run->sweep_count;
    asked->diagnostic_count = asked->all_diagnostic ? 0 : diagnostic;
    const size_t *sweeps = count_sweeps(asked, arena);
    for (size_t s = 0; s < run->sweep_count; s++) {
        const rft_sweep *sweep = &run->sweeps[s].sweep;
        if (!is_asked_sweep(asked, sweep)) {
            continue;
        }
        size_t part = part_named(asked, rft_sweep_family(sweep, arena));
        double weight = 1.0 / (double)(asked->part_count * sweeps[part] * problems_of(sweep));
        for (size_t p = 0; p < sweep->problem_count; p++) {
            if (counts(sweep, p)) {
                add_item(asked, part, s, p);
                asked->items[asked->item_count - 1].weight = weight;
            }
        }
    }
    for (size_t i = 0; i < asked->item_count; i++) {
        asked->parts[asked->items[i].part].weight += asked->items[i].weight;
    }
    name_parts(asked, arena);
}

/* ---- a mix ---- */

/* A pass takes the sum of its times: what an operation weighs is its share of it. */
static void ask_mix(rft_speed_asked *asked, rft_arena *arena) {
    const rft_mix_total *mix = asked->mix;
    if (mix->missing_count > 0) {
        asked->missing = rft_arena_printf(arena, "the mix \"%.80s\" has operations without a time", mix->mix->name);
        return;
    }
    for (size_t i = 0; i < mix->line_count; i++) {
        const rft_mix_line *line = &mix->lines[i];
        size_t part = part_named(asked, line->item->operation);
        add_item(asked, part, line->sweep, line->problem_index);
        asked->items[asked->item_count - 1].weight = line->frac;
        asked->parts[part].weight += line->frac;
    }
}

/* ---- both ---- */

rft_speed_asked *rft_speed_asked_of(const rft_run *run, const rft_mix_total *mix, rft_arena *arena) {
    rft_speed_asked *asked = rft_arena_calloc(arena, 1, sizeof *asked);
    size_t most = mix ? mix->line_count : 0;
    for (size_t s = 0; s < run->sweep_count && !mix; s++) {
        most += run->sweeps[s].sweep.problem_count;
    }
    asked->run = run;
    asked->mix = mix;
    asked->items = rft_arena_calloc(arena, most + 1, sizeof *asked->items);
    asked->parts = rft_arena_calloc(arena, (mix ? most : run->sweep_count) + 1, sizeof *asked->parts);
    if (mix) {
        ask_mix(asked, arena);
    } else {
        ask_families(asked, arena);
    }
    if (asked->item_count == 0 && !asked->missing) {
        asked->missing = "the run has no problem that was to be timed";
    }
    return asked;
}

/* By how much, in logarithms, a figure with these ends may lie below and above its median. */
typedef struct margins {
    double down, up;
} margins;

static margins margins_of(double middle, double low, double high) {
    return (margins){log(middle / low), log(high / middle)};
}

/* Of the time, as another run would read it where that is known. Back to back it is taken to be as sure. */
static margins time_margins(const rft_point *point) {
    const rft_measurement *m = rft_point_measurement(point);
    if (rft_repeat_is_known(&m->repeat)) {
        return margins_of(m->stats.median, m->repeat.repeat_low, m->repeat.repeat_high);
    }
    return m->stats.interval_is_95 ? margins_of(m->stats.median, m->stats.low, m->stats.high) : (margins){NAN, NAN};
}

static margins ceiling_margins(const rft_run *run, const rft_point *point) {
    const rft_placement place = rft_placement_of(run, point);
    rft_ceiling_id id = rft_placement_ceiling(run, point, &place);
    const rft_stats *rate = id < RFT_CEILING_COUNT ? &run->ceilings.items[id].stats : NULL;
    return rate && rate->interval_is_95 ? margins_of(rate->median, rate->low, rate->high) : (margins){NAN, NAN};
}

/* A share is the ceiling's time over the point's: it falls with either. */
static rft_compare_ratio share_ratio(const rft_run *run, const rft_speed_item *item) {
    const margins time = time_margins(item->best), ceiling = ceiling_margins(run, item->best);
    double frac = item->reach.frac;
    rft_compare_ratio out = {.ratio = frac,
                             .low = frac * exp(-hypot(time.up, ceiling.up)),
                             .high = frac * exp(hypot(time.down, ceiling.down)),
                             .common = hypot(RFT_REPEAT_FLOOR_FRAC, fmin(ceiling.up, ceiling.down))};
    out.interval = isfinite(out.low) && isfinite(out.high);
    return out;
}

rft_speed_share rft_speed_share_of(const rft_speed_asked *asked, size_t part) {
    rft_compare_mean mean = {.additive = true};
    bool at_most = false;
    for (size_t i = 0; i < asked->item_count; i++) {
        const rft_speed_item *item = &asked->items[i];
        if (isfinite(item->reach.frac) && (part == SIZE_MAX || item->part == part)) {
            const rft_compare_ratio share = share_ratio(asked->run, item);
            rft_compare_mean_add(&mean, &share, item->weight);
            at_most = at_most || item->reach.at_most;
        }
    }
    const rft_compare_ratio of = rft_compare_mean_of(&mean);
    return (rft_speed_share){of.ratio, of.low, of.high, at_most, mean.count};
}
