/* SPDX-License-Identifier: Apache-2.0 */
/* mix_find.c - the best measured point of an operation at a problem, over several runs; or why there is none. */
#include "model/mix/mix_find.h"
#include "model/mix/mix_parts.h"

#include "model/roofline/placement.h"
#include "model/run/baseline.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAMES_MAX 256
#define VALUES_SHOWN 8

/* How far a search came: of several reasons the one nearest to a match is told. */
typedef enum closeness { NO_NAME, NO_AXIS, NO_PROBLEM, TOO_MANY, NOTHING_MEASURED } closeness;

typedef struct finder {
    rft_mix_line *line;
    const rft_mix_item *item;
    rft_arena *arena;
    closeness reached;
    double best_s; /* median of what was found so far; INFINITY */
    bool planned;  /* nothing is measured yet: what a sweep has is told in other words */
} finder;

const char *rft_mix_item_text(const rft_mix_item *item, rft_arena *arena) {
    rft_str text = RFT_STR_INIT;
    rft_values_format(&text, item->axes, item->values, item->axis_count);
    const char *kept = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return kept;
}

static void give_up(finder *f, closeness reached, const char *reason) {
    if (reached > f->reached || !f->line->missing) {
        f->reached = reached;
        f->line->missing = reason;
    }
}

static const char *kept_text(rft_str *text, rft_arena *arena) {
    const char *kept = rft_arena_strdup(arena, rft_str_get(text));
    rft_str_clear(text);
    return kept;
}

/* ---- names ---- */

static bool names_kernel(const rft_sweep *sweep, size_t variant, const char *operation) {
    return sweep->variants[variant].kernel && strcmp(sweep->variants[variant].kernel, operation) == 0;
}

static bool names_sweep(const rft_sweep *sweep, const char *operation) {
    return sweep->name && strcmp(sweep->name, operation) == 0;
}

static bool is_meant(const rft_sweep *sweep, const char *operation) {
    bool meant = names_sweep(sweep, operation);
    for (size_t v = 0; v < sweep->variant_count && !meant; v++) {
        meant = names_kernel(sweep, v, operation);
    }
    return meant;
}

static void put_name(const char **names, size_t *count, const char *name) {
    for (size_t i = 0; i < *count; i++) {
        if (strcmp(names[i], name) == 0) {
            return;
        }
    }
    if (*count < NAMES_MAX) {
        names[(*count)++] = name;
    }
}

static const char *no_name_text(const finder *f, const rft_run *const *runs, size_t run_count) {
    const char *names[NAMES_MAX] = {NULL};
    size_t count = 0;
    rft_str text = RFT_STR_INIT;
    for (size_t r = 0; r < run_count; r++) {
        for (size_t s = 0; s < runs[r]->sweep_count; s++) {
            put_name(names, &count, runs[r]->sweeps[s].sweep.name);
        }
    }
    const char *near = rft_text_nearest(f->item->operation, names, count);
    rft_str_add(&text, "no sweep or kernel of that name");
    for (size_t i = 0; i < count && i < VALUES_SHOWN && !near; i++) {
        rft_str_addf(&text, "%s%s", i ? ", " : "; there is ", names[i]);
    }
    if (near) {
        rft_str_addf(&text, ", did you mean \"%s\"?", near);
    } else {
        rft_str_add(&text, count > VALUES_SHOWN ? ", ..." : "");
    }
    return kept_text(&text, f->arena);
}

/* ---- problems ---- */

static size_t axis_of(const rft_sweep *sweep, const char *name) {
    size_t a = 0;
    while (a < sweep->axis_count && strcmp(sweep->axes[a].name, name) != 0) {
        a++;
    }
    return a;
}

/* Checks that the sweep has all dimensions; `axes` has room for them. */
static bool map_axes(finder *f, const rft_sweep *sweep, size_t *axes) {
    for (size_t i = 0; i < f->item->axis_count; i++) {
        axes[i] = axis_of(sweep, f->item->axes[i]);
        if (axes[i] < sweep->axis_count) {
            continue;
        }
        rft_str text = RFT_STR_INIT;
        rft_str_addf(&text, "%s has no dimension \"%s\"", sweep->name, f->item->axes[i]);
        for (size_t a = 0; a < sweep->axis_count; a++) {
            rft_str_addf(&text, "%s%s", a ? ", " : " but ", sweep->axes[a].name);
        }
        give_up(f, NO_AXIS, kept_text(&text, f->arena));
        return false;
    }
    return true;
}

static bool matches(const rft_mix_item *item, const rft_problem *problem, const size_t *axes) {
    for (size_t i = 0; i < item->axis_count; i++) {
        if (!rft_value_equal(&problem->values[axes[i]], &item->values[i])) {
            return false;
        }
    }
    return !problem->odd;
}

/* Adds the first distinct values of an axis; false, and nothing added, where `wanted` is among all of them. */
static bool add_values(rft_str *text, const rft_sweep *sweep, size_t axis, const rft_value *wanted) {
    const rft_value *shown[VALUES_SHOWN + 1];
    size_t count = 0;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_value *value = &sweep->problems[p].values[axis];
        bool seen = sweep->problems[p].odd;
        if (!seen && rft_value_equal(value, wanted)) {
            return false;
        }
        for (size_t k = 0; k < count && !seen; k++) {
            seen = rft_value_equal(shown[k], value);
        }
        if (!seen && count <= VALUES_SHOWN) {
            shown[count++] = value;
        }
    }
    for (size_t k = 0; k < count && k < VALUES_SHOWN; k++) {
        rft_str_add(text, k ? ", " : "");
        rft_value_format(text, shown[k]);
    }
    rft_str_add(text, count > VALUES_SHOWN ? ", ..." : "");
    return true;
}

static const char *no_problem_text(const finder *f, const rft_sweep *sweep, const size_t *axes) {
    rft_str text = RFT_STR_INIT;
    for (size_t i = 0; i < f->item->axis_count; i++) {
        size_t length = text.length;
        rft_str_addf(&text, "%s %s %s = ", sweep->name, f->planned ? "has" : "was measured with", f->item->axes[i]);
        if (add_values(&text, sweep, axes[i], &f->item->values[i])) {
            return kept_text(&text, f->arena);
        }
        rft_str_truncate(&text, length);
    }
    rft_str_addf(&text,
                 f->planned ? "%s has no problem with these together" : "%s was not measured with these together",
                 sweep->name);
    return kept_text(&text, f->arena);
}

static const char *too_many_text(const finder *f, const rft_sweep *sweep, const size_t *axes, size_t count) {
    rft_str text = RFT_STR_INIT;
    rft_str_addf(&text, "%zu problems of %s match", count, sweep->name);
    bool first = true;
    for (size_t a = 0; a < sweep->axis_count; a++) {
        bool given = false;
        for (size_t i = 0; i < f->item->axis_count; i++) {
            given = given || axes[i] == a;
        }
        if (!given) {
            rft_str_addf(&text, "%s%s", first ? ": give " : ", ", sweep->axes[a].name);
            first = false;
        }
    }
    rft_str_add(&text, first ? "" : " too");
    return kept_text(&text, f->arena);
}

/* ---- points ---- */

/* Of a sweep of that name over all variants; else over those of a kernel of that name. */
static const rft_point *best_of(const finder *f, const rft_run *run, size_t s, size_t problem) {
    const rft_sweep *sweep = &run->sweeps[s].sweep;
    if (names_sweep(sweep, f->item->operation)) {
        return rft_run_best(run, s, SIZE_MAX, problem);
    }
    const rft_point *best = NULL;
    for (size_t v = 0; v < sweep->variant_count; v++) {
        const rft_point *one = names_kernel(sweep, v, f->item->operation) ? rft_run_best(run, s, v, problem) : NULL;
        if (one && (!best || rft_point_objective(run, one) < rft_point_objective(run, best))) {
            best = one;
        }
    }
    return best;
}

static const char *source_of(const rft_run *run, const rft_point *point) {
    const rft_variant *variant = &run->sweeps[point->sweep].sweep.variants[point->variant];
    return rft_variant_is_library(variant) ? variant->name
           : rft_variant_is_given(variant) ? "given binary"
                                           : "template";
}

static void take_candidate(finder *f, const rft_run *run, size_t s, size_t problem) {
    const rft_point *best = best_of(f, run, s, problem);
    const rft_baseline *vendor = rft_run_fastest_baseline(run, s, problem);
    double best_s = best ? rft_point_median_s(best) : (double)INFINITY;
    double vendor_s = vendor ? vendor->measurement.stats.median : (double)INFINITY;
    if (!best && !vendor) {
        give_up(f, NOTHING_MEASURED, "no configuration of it gave a verified measurement");
        return;
    }
    if (!(fmin(best_s, vendor_s) < f->best_s)) {
        return;
    }
    rft_mix_line *line = f->line;
    f->best_s = fmin(best_s, vendor_s);
    line->run = run;
    line->sweep = s;
    line->problem_index = problem;
    line->problem = rft_run_problem_text(run, s, problem, false, f->arena);
    line->point = best;
    line->vendor = vendor;
    line->by_vendor = vendor && vendor_s < best_s;
    if (vendor && line->by_vendor) {
        line->source = rft_baseline_label(vendor, f->arena);
        line->measurement = &vendor->measurement;
    } else if (best) {
        line->source = source_of(run, best);
        line->measurement = rft_point_measurement(best);
    }
}

static void look_in(finder *f, const rft_run *run, size_t s) {
    const rft_sweep *sweep = &run->sweeps[s].sweep;
    size_t *axes = rft_arena_calloc(f->arena, f->item->axis_count + 1, sizeof *axes);
    size_t found = 0, problem = 0;
    if (!map_axes(f, sweep, axes)) {
        return;
    }
    for (size_t p = 0; p < sweep->problem_count; p++) {
        if (matches(f->item, &sweep->problems[p], axes)) {
            problem = p;
            found++;
        }
    }
    if (found == 1) {
        take_candidate(f, run, s, problem);
    } else if (found == 0) {
        give_up(f, NO_PROBLEM, no_problem_text(f, sweep, axes));
    } else {
        give_up(f, TOO_MANY, too_many_text(f, sweep, axes, found));
    }
}

static void look_everywhere(finder *f, const rft_run *const *runs, size_t run_count) {
    bool named = false;
    for (size_t r = 0; r < run_count; r++) {
        for (size_t s = 0; s < runs[r]->sweep_count; s++) {
            if (is_meant(&runs[r]->sweeps[s].sweep, f->item->operation)) {
                named = true;
                look_in(f, runs[r], s);
            }
        }
    }
    if (!named) {
        give_up(f, NO_NAME, no_name_text(f, runs, run_count));
    }
}

static bool is_impossible(const rft_mix_line *line) {
    const rft_placement place = rft_placement_of(line->run, line->point);
    return rft_placement_is_impossible(&place, line->measurement->stats.median);
}

void rft_mix_find(rft_mix_line *line, const rft_mix_item *item, const rft_run *const *runs, size_t run_count,
                  rft_arena *arena) {
    *line = (rft_mix_line){.item = item, .time_s = NAN, .frac = NAN, .joules = NAN};
    finder f = {.line = line, .item = item, .arena = arena, .best_s = INFINITY};
    look_everywhere(&f, runs, run_count);
    if (line->measurement && line->point && is_impossible(line)) {
        *line = (rft_mix_line){.item = item,
                               .problem = line->problem,
                               .missing = "faster than the hardware can be: its work or its time is wrong",
                               .impossible = true,
                               .time_s = NAN,
                               .frac = NAN,
                               .joules = NAN};
    } else if (line->measurement) {
        line->missing = NULL;
        line->time_s = item->count * line->measurement->stats.median;
    } else {
        line->problem = rft_mix_item_text(item, arena);
    }
}

/* ---- before anything is measured ---- */

bool rft_mix_wants(const rft_mix_item *item, const rft_sweep *sweep, size_t problem) {
    bool wanted = is_meant(sweep, item->operation);
    size_t *axes = rft_calloc(item->axis_count + 1, sizeof *axes);
    for (size_t i = 0; i < item->axis_count && wanted; i++) {
        axes[i] = axis_of(sweep, item->axes[i]);
        wanted = axes[i] < sweep->axis_count;
    }
    wanted = wanted && matches(item, &sweep->problems[problem], axes);
    free(axes);
    return wanted;
}

const char *rft_mix_unmet(const rft_mix_item *item, const rft_sweep *const *sweeps, size_t count, rft_arena *arena) {
    rft_run planned = {.arena = arena, .sweep_count = count};
    rft_mix_line line = {.item = item};
    finder f = {.line = &line, .item = item, .arena = arena, .best_s = INFINITY, .planned = true};
    planned.sweeps = rft_arena_calloc(arena, count + 1, sizeof *planned.sweeps);
    for (size_t i = 0; i < count; i++) {
        planned.sweeps[i].sweep = *sweeps[i];
    }
    look_everywhere(&f, &(const rft_run *){&planned}, 1);
    return f.reached == NOTHING_MEASURED
               ? NULL
               : rft_arena_printf(arena, "%s %s: %s", item->operation, rft_mix_item_text(item, arena), line.missing);
}
