/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_baselines.h"

#include "base/units.h"
#include "cli/show_data.h"
#include "model/roofline/placement.h"
#include "model/run/baseline.h"
#include "reports/print/layout.h"

#include <math.h>
#include <string.h>

/* ---- the section ---- */

static const char *seconds_text(const rft_show_page *t, double seconds) {
    char buffer[48] = "n/a";
    if (isfinite(seconds)) {
        rft_units_format_seconds(buffer, sizeof buffer, seconds, 3);
    }
    return rft_arena_strdup(t->arena, buffer);
}

static const char *interval_text(const rft_show_page *t, const rft_baseline *baseline) {
    const rft_stats *stats = &baseline->measurement.stats;
    double percent = rft_stats_half_width_frac(stats) * 100.0;
    if (!isfinite(percent)) {
        return "n/a";
    }
    return rft_arena_printf(t->arena, "%s %s", t->plus_minus,
                            rft_show_number(t, percent, percent < 0.095 ? 2 : 1, " %"));
}

/* By the work of the best: a baseline answers the same problem. */
static const char *rate_text(const rft_show_page *t, const rft_point *best, const rft_baseline *baseline) {
    const char *unit = "";
    char buffer[48];
    if (!best) {
        return "n/a";
    }
    rft_placement place = rft_placement_of(t->run, best);
    double rate =
        rft_show_rate(&place, &best->work, &unit) * rft_point_median_s(best) / baseline->measurement.stats.median;
    if (!isfinite(rate)) {
        return "n/a";
    }
    rft_units_format_si(buffer, sizeof buffer, rate, 3, unit);
    return rft_arena_strdup(t->arena, buffer);
}

static const char *ratio_text(const rft_show_page *t, const rft_point *best, const rft_baseline *baseline) {
    rft_versus versus = rft_versus_of(t->run, best, baseline);
    if (!isfinite(versus.frac)) {
        return "n/a";
    }
    return rft_arena_printf(t->arena, "%s%s", rft_show_number(t, versus.frac * 100.0, 1, " %"),
                            versus.tie ? " tie" : "");
}

static void add_row(const rft_show_page *t, const rft_baseline *baseline, size_t width) {
    const rft_point *best = rft_run_best(t->run, baseline->sweep, SIZE_MAX, baseline->problem);
    rft_str_add(t->out, "  ");
    rft_layout_left(t->out, rft_run_problem_text(t->run, baseline->sweep, baseline->problem, true, t->arena), width);
    if (rft_baseline_is_measured(baseline)) {
        rft_layout_right(t->out, seconds_text(t, baseline->measurement.stats.median), 10);
        rft_layout_right(t->out, interval_text(t, baseline), 10);
        rft_layout_right(t->out, rate_text(t, best, baseline), 14);
        rft_layout_right(t->out, ratio_text(t, best, baseline), 12);
        rft_str_add_char(t->out, '\n');
    } else {
        rft_str_addf(t->out, "  %s\n", rft_outcome_name(baseline->outcome));
    }
    rft_layout_wrapped(t->out, 4, 2,
                       rft_arena_printf(t->arena, "%s%s%s", rft_baseline_label(baseline, t->arena),
                                        baseline->algo ? ": " : "", baseline->algo ? baseline->algo : ""));
}

/* Whose numbers they are: once for each library and source. */
static void add_origin(const rft_show_page *t, const rft_baseline *const *all, size_t at) {
    const rft_baseline *baseline = all[at];
    const char *who = baseline->library ? baseline->library : baseline->source;
    for (size_t k = 0; k < at; k++) {
        if (rft_text_equal(all[k]->library, baseline->library) && rft_text_equal(all[k]->source, baseline->source) &&
            strcmp(all[k]->name, baseline->name) == 0) {
            return;
        }
    }
    if (who) {
        const char *what = baseline->library ? "with" : "from";
        rft_layout_wrapped(t->out, 2, 2, rft_arena_printf(t->arena, "%s: %s %s", baseline->name, what, who));
    }
}

/* Why one is missing, or rough: with its problem, unless all of them say the same. */
static void add_reason(const rft_show_page *t, const rft_baseline *const *all, size_t count, size_t at) {
    const rft_baseline *baseline = all[at];
    size_t same = 0;
    size_t earlier = 0;
    for (size_t k = 0; baseline->reason && k < count; k++) {
        bool equal = rft_text_equal(all[k]->reason, baseline->reason) && strcmp(all[k]->name, baseline->name) == 0;
        same += equal ? 1 : 0;
        earlier += equal && k < at ? 1 : 0;
    }
    if (same == 0 || earlier > 0) {
        return;
    }
    const char *where = rft_run_problem_text(t->run, baseline->sweep, baseline->problem, true, t->arena);
    bool of_one = same == 1 && *where;
    rft_layout_wrapped(t->out, 2, 2,
                       rft_arena_printf(t->arena, "%s%s%s: %s", of_one ? where : "", of_one ? ", " : "", baseline->name,
                                        baseline->reason));
}

/* What a column cannot hold: libraries and sources, then reasons. */
static void add_notes(const rft_show_page *t, const rft_baseline *const *all, size_t count) {
    for (size_t i = 0; i < count; i++) {
        add_origin(t, all, i);
    }
    for (size_t i = 0; i < count; i++) {
        add_reason(t, all, count, i);
    }
}

static size_t of_sweep(const rft_run *run, size_t sweep, rft_arena *arena, const rft_baseline ***out) {
    size_t count = 0;
    *out = rft_arena_calloc(arena, run->baseline_count + 1, sizeof **out);
    for (size_t p = 0; p < run->sweeps[sweep].sweep.problem_count; p++) {
        for (size_t i = 0; i < run->baseline_count; i++) {
            if (run->baselines[i].sweep == sweep && run->baselines[i].problem == p) {
                (*out)[count++] = &run->baselines[i];
            }
        }
    }
    return count;
}

void rft_show_baselines(const rft_show_page *t, size_t sweep) {
    const rft_baseline **all = NULL;
    size_t count = of_sweep(t->run, sweep, t->arena, &all);
    size_t width = 8;
    if (count == 0) {
        return;
    }
    if (!t->full) {
        rft_str_add_char(t->out, '\n');
        add_notes(t, all, count);
        return;
    }
    for (size_t i = 0; i < count; i++) {
        width = rft_layout_widest(width, rft_run_problem_text(t->run, sweep, all[i]->problem, true, t->arena), 24);
    }
    rft_str_add(t->out, "\n  ");
    rft_layout_left(t->out, "baseline", width);
    rft_layout_right(t->out, "median", 10);
    rft_layout_right(t->out, rft_arena_printf(t->arena, "%s95 %%", t->plus_minus), 10);
    rft_layout_right(t->out, "useful rate", 14);
    rft_layout_right(t->out, "best is", 12);
    rft_str_add_char(t->out, '\n');
    for (size_t i = 0; i < count; i++) {
        add_row(t, all[i], width);
    }
    add_notes(t, all, count);
}

/* ---- JSON ---- */

static void set_real(json_t *object, const char *name, double value) {
    json_object_set_new(object, name, rft_json_real_new(value));
}

static void set_text(json_t *object, const char *name, const char *text) {
    json_object_set_new(object, name, rft_show_text_json(text));
}

json_t *rft_show_baseline_json(const rft_run *run, const rft_baseline *baseline, rft_arena *arena) {
    const rft_measurement *m = &baseline->measurement;
    const rft_verification *v = &baseline->verification;
    rft_versus versus = rft_versus_of(run, rft_run_best(run, baseline->sweep, SIZE_MAX, baseline->problem), baseline);
    json_t *object = json_object();
    set_text(object, "name", baseline->name);
    set_text(object, "which", baseline->which);
    set_text(object, "label", rft_baseline_label(baseline, arena));
    set_text(object, "protocol", baseline->same_protocol ? "same" : "other");
    json_object_set_new(object, "problem",
                        rft_show_problem_json(&run->sweeps[baseline->sweep].sweep, baseline->problem));
    set_text(object, "outcome", rft_outcome_name(baseline->outcome));
    set_text(object, "reason", baseline->reason);
    set_text(object, "library", baseline->library);
    set_text(object, "algorithm", baseline->algo);
    json_object_set_new(object, "tried", baseline->same_protocol ? json_integer(baseline->tried) : json_null());
    set_text(object, "source", baseline->source);
    set_real(object, "median_s", m->stats.median);
    set_real(object, "low_s", m->stats.low);
    set_real(object, "high_s", m->stats.high);
    json_object_set_new(object, "samples", m->n ? json_integer((json_int_t)m->n) : json_null());
    set_text(object, "cache", m->n ? rft_cache_mode_name(m->cache) : NULL);
    set_real(object, "clock_mhz", m->clock_mhz);
    json_object_set_new(object, "verified", baseline->same_protocol ? json_boolean(v->done) : json_null());
    set_real(object, "worst_frac", v->done ? v->worst_frac : (double)NAN);
    set_real(object, "best_frac", versus.frac);
    set_real(object, "best_frac_low", versus.low);
    set_real(object, "best_frac_high", versus.high);
    json_object_set_new(object, "tie",
                        baseline->same_protocol && isfinite(versus.frac) ? json_boolean(versus.tie) : json_null());
    return object;
}

json_t *rft_show_baselines_json(const rft_run *run, size_t sweep, size_t problem, rft_arena *arena) {
    const rft_baseline **all = NULL;
    json_t *list = json_array();
    size_t count = of_sweep(run, sweep, arena, &all);
    for (size_t i = 0; i < count; i++) {
        if (problem == SIZE_MAX || all[i]->problem == problem) {
            json_array_append_new(list, rft_show_baseline_json(run, all[i], arena));
        }
    }
    return list;
}
