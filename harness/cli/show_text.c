/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/show_text.h"

#include "base/units.h"
#include "cli/show_layout.h"
#include "model/transition.h"

#include <math.h>
#include <string.h>

#define FAILURE_KINDS 8 /* shown of each sweep */

typedef struct text {
    rft_str *out;
    const rft_run *run;
    rft_arena *arena;
    const char *plus_minus;
} text;

static const char *seconds_text(const text *t, double seconds) {
    char buffer[48] = "n/a";
    if (isfinite(seconds)) {
        rft_units_format_seconds(buffer, sizeof buffer, seconds, 3);
    }
    return rft_arena_strdup(t->arena, buffer);
}

static const char *si_text(const text *t, double value, const char *unit) {
    char buffer[48];
    rft_units_format_si(buffer, sizeof buffer, value, 3, unit);
    return rft_arena_strdup(t->arena, buffer);
}

static const char *number_text(const text *t, double value, int decimals, const char *after) {
    rft_str number = RFT_STR_INIT;
    if (!isfinite(value)) {
        return "n/a";
    }
    rft_str_add_fixed(&number, value, decimals);
    rft_str_add(&number, after);
    const char *kept = rft_arena_strdup(t->arena, rft_str_get(&number));
    rft_str_clear(&number);
    return kept;
}

static const char *percent_text(const text *t, double frac) {
    return number_text(t, frac * 100.0, frac < 0.1 ? 1 : 0, " %");
}

static const char *count_text(const text *t, uint64_t count) {
    char buffer[32];
    return rft_arena_strdup(t->arena, rft_units_format_count(buffer, sizeof buffer, count));
}

/* ---- head ---- */

static void add_head(const text *t) {
    const rft_run *run = t->run;
    const rft_run_info *info = &run->info;
    char date[40];
    rft_units_format_utc(date, sizeof date, info->started_unix_ns);
    rft_str_addf(t->out, "%s (%s%s)\n", run->gpu.name, run->gpu.arch,
                 run->gpu.representative ? ", stands for the architecture" : "");
    const char *replayed = rft_show_replay_notice(run, t->arena);
    if (replayed) {
        rft_str_addf(t->out, "%s\n", replayed);
    }
    if (replayed && info->recompiled) {
        rft_str_addf(t->out, "%s configurations compiled here, %s with the recorded registers and spills\n",
                     count_text(t, info->recompiled), count_text(t, info->recompiled_same));
    }
    rft_str_addf(t->out, "run %s, %s, rooftune %s (%s)\n", info->id, date, info->tool_version, info->tool_revision);
    if (info->finished_unix_ns == 0) {
        rft_layout_wrapped(t->out, 0, 2, "not finished: the same command with -o and this file continues it");
    }
}

/* ---- ceilings ---- */

static void add_ceiling(const text *t, rft_ceiling_id id) {
    const rft_ceiling *ceiling = &t->run->ceilings.items[id];
    bool is_time = id == RFT_CEILING_LAUNCH;
    double rate = ceiling->stats.median;
    rft_str_add(t->out, "  ");
    rft_layout_left(t->out, rft_ceiling_label(id), 33);
    rft_layout_right(t->out, is_time ? seconds_text(t, rate) : si_text(t, rate, rft_ceiling_unit(id)), 14);
    if (isfinite(ceiling->datasheet) && !is_time) {
        rft_str_addf(t->out, "   %s of datasheet", percent_text(t, rate / ceiling->datasheet));
    }
    if (isfinite(ceiling->clock_mhz)) {
        rft_str_addf(t->out, "   %s", number_text(t, ceiling->clock_mhz, 0, " MHz"));
    }
    rft_str_add_char(t->out, '\n');
}

static void add_ceilings(const text *t) {
    const rft_ceiling *items = t->run->ceilings.items;
    bool told[RFT_CEILING_COUNT] = {false};
    rft_str_add(t->out, "\nMeasured ceilings\n");
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        if (items[id].measured) {
            add_ceiling(t, (rft_ceiling_id)id);
        }
    }
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        if (items[id].measured || told[id]) {
            continue;
        }
        rft_str line = RFT_STR_INIT;
        for (int other = id; other < RFT_CEILING_COUNT; other++) {
            if (!items[other].measured && rft_text_equal(items[id].reason, items[other].reason)) {
                told[other] = true;
                rft_str_addf(&line, "%s%s", line.length ? ", " : "none: ", rft_ceiling_name((rft_ceiling_id)other));
            }
        }
        rft_str_addf(&line, " (%s)", items[id].reason ? items[id].reason : "not measured");
        rft_layout_wrapped(t->out, 2, 6, rft_str_get(&line));
        rft_str_clear(&line);
    }
}

/* ---- a sweep: what became of it ---- */

static void add_counts(const text *t, size_t sweep) {
    rft_show_tally tally = rft_show_tally_of(t->run, sweep);
    rft_str line = RFT_STR_INIT;
    size_t points = 0;
    for (int outcome = 0; outcome < RFT_OUTCOME_COUNT; outcome++) {
        points += tally.outcomes[outcome];
    }
    rft_str_addf(&line, "%s points:", count_text(t, points));
    const char *separator = " ";
    for (int outcome = 0; outcome < RFT_OUTCOME_COUNT; outcome++) {
        if (tally.outcomes[outcome]) {
            rft_str_addf(&line, "%s%s %s", separator, count_text(t, tally.outcomes[outcome]),
                         rft_outcome_name((rft_outcome)outcome));
            separator = ", ";
        }
    }
    if (tally.aliases) {
        rft_str_addf(&line, "; %s more are aliases (same cubin and launch)", count_text(t, tally.aliases));
    }
    if (tally.odd) {
        rft_str_addf(&line, "; %s checked on an odd size, %s failed", count_text(t, tally.odd),
                     count_text(t, tally.odd_failed));
    }
    if (tally.cartesian) {
        rft_str_addf(&line, "; %s of %s combinations are valid", count_text(t, tally.valid),
                     count_text(t, tally.cartesian));
    }
    rft_layout_wrapped(t->out, 2, 2, rft_str_get(&line));
    rft_str_clear(&line);
    if (t->run->sweeps[sweep].unexplored) {
        rft_layout_wrapped(t->out, 2, 2,
                           rft_arena_printf(t->arena, "not all were tried: %s", t->run->sweeps[sweep].unexplored));
    }
}

/* ---- a sweep: the best of every problem ---- */

/* "± 0.3 %" of the median; a range where no 95 % interval exists. */
static const char *interval_text(const text *t, const rft_stats *stats) {
    if (!stats->interval_is_95) {
        return rft_arena_printf(t->arena, "n = %zu", stats->n);
    }
    double percent = rft_stats_half_width_frac(stats) * 100.0;
    int decimals = percent < 0.095 ? 2 : percent < 9.95 ? 1 : 0;
    return rft_arena_printf(t->arena, "%s %s", t->plus_minus, number_text(t, percent, decimals, " %"));
}

static void add_figures(const text *t, const rft_point *point) {
    const rft_stats *stats = &rft_point_measurement(point)->stats;
    rft_placement place = rft_placement_of(t->run, point);
    rft_bound bound = rft_bound_of(t->run, point);
    const char *unit = "";
    double rate = rft_show_rate(&place, &point->work, &unit);
    rft_layout_right(t->out, seconds_text(t, stats->median), 10);
    rft_layout_right(t->out, interval_text(t, stats), 10);
    rft_layout_right(t->out, isnan(rate) ? "n/a" : si_text(t, rate, unit), 14);
    rft_layout_right(t->out, percent_text(t, place.efficiency_frac), 7);
    rft_str_addf(t->out, "  %s", bound.firmness == RFT_FIRM_MOSTLY ? "mostly " : "");
    rft_str_add(t->out, rft_resource_name(bound.resource, bound.pipe));
    rft_str_add_char(t->out, '\n');
}

static void add_table_head(const text *t, const char *first, size_t width) {
    rft_str_add(t->out, "  ");
    rft_layout_left(t->out, first, width);
    rft_layout_right(t->out, "median", 10);
    rft_layout_right(t->out, rft_arena_printf(t->arena, "%s95 %%", t->plus_minus), 10);
    rft_layout_right(t->out, "useful rate", 14);
    rft_layout_right(t->out, "roof", 7);
    rft_str_add(t->out, "  bound\n");
}

static const char *name_of_config(const text *t, const rft_point *point) {
    const rft_sweep *sweep = &t->run->sweeps[point->sweep].sweep;
    const char *config = rft_run_config_text(t->run, point, true, t->arena);
    if (sweep->variant_count < 2) {
        return *config ? config : "(nothing to tune)";
    }
    const char *name = sweep->variants[point->variant].name;
    return *config ? rft_arena_printf(t->arena, "%s: %s", name, config) : name;
}

static size_t widest(size_t width, const char *cell, size_t limit) {
    size_t columns = rft_layout_columns(cell);
    columns = columns > limit ? limit : columns;
    return columns > width ? columns : width;
}

static void add_problem(const text *t, size_t sweep, size_t problem, size_t width) {
    const char *name = rft_run_problem_text(t->run, sweep, problem, true, t->arena);
    const rft_point *best = rft_run_best(t->run, sweep, SIZE_MAX, problem);
    rft_str_add(t->out, "  ");
    rft_layout_left(t->out, name, width);
    if (rft_layout_columns(name) > width) {
        rft_str_add_char(t->out, '\n');
        rft_layout_spaces(t->out, 2 + width);
    }
    if (best == NULL) {
        rft_str_add(t->out, "  nothing measured\n");
        return;
    }
    add_figures(t, best);
    size_t ties = rft_show_ties(t->run, best, t->arena);
    const char *tie = ties ? rft_arena_printf(t->arena, " (tie with %zu other%s)", ties, ties > 1 ? "s" : "") : "";
    rft_placement place = rft_placement_of(t->run, best);
    double items = best->work.items > 0 ? best->work.items / rft_point_median_s(best) : (double)NAN;
    const char *rate = isnan(items) ? "" : rft_arena_printf(t->arena, ", %s", si_text(t, items, ""));
    const char *item = isnan(items) ? "" : best->work.item_name ? best->work.item_name : "item";
    const char *beyond = place.efficiency_frac > 1.02 ? "; beats its roof: the ceiling or the work is too low" : "";
    rft_layout_wrapped(t->out, 4, 2,
                       rft_arena_printf(t->arena, "%s%s%s%s%s%s", name_of_config(t, best), tie, rate, *item ? " " : "",
                                        *item ? rft_arena_printf(t->arena, "%ss/s", item) : "", beyond));
}

static void add_problems(const text *t, size_t sweep) {
    const rft_sweep *data = &t->run->sweeps[sweep].sweep;
    size_t width = 8;
    for (size_t p = 0; p < data->problem_count; p++) {
        width =
            data->problems[p].odd ? width : widest(width, rft_run_problem_text(t->run, sweep, p, true, t->arena), 24);
    }
    rft_str_add_char(t->out, '\n');
    add_table_head(t, "problem", width);
    for (size_t p = 0; p < data->problem_count; p++) {
        if (!data->problems[p].odd) {
            add_problem(t, sweep, p, width);
        }
    }
}

/* ---- a sweep: ladder, transitions, failures ---- */

static void add_ladder(const text *t, size_t sweep) {
    const rft_sweep *data = &t->run->sweeps[sweep].sweep;
    size_t problem = rft_show_ladder_problem(t->run, sweep), width = 8;
    if (data->variant_count < 2 || problem == SIZE_MAX) {
        return;
    }
    for (size_t v = 0; v < data->variant_count; v++) {
        width = widest(width, data->variants[v].name, 24);
    }
    rft_str_addf(t->out, "\n  ladder at %s\n", rft_run_problem_text(t->run, sweep, problem, true, t->arena));
    add_table_head(t, "variant", width);
    double first_s = NAN, before_s = NAN;
    for (size_t v = 0; v < data->variant_count; v++) {
        const rft_point *best = rft_run_best(t->run, sweep, v, problem);
        rft_str_add(t->out, "  ");
        rft_layout_left(t->out, data->variants[v].name, width);
        if (best == NULL) {
            rft_str_add(t->out, "  nothing measured\n");
            continue;
        }
        add_figures(t, best);
        double median_s = rft_point_median_s(best);
        const char *config = rft_run_config_text(t->run, best, true, t->arena);
        const char *gain = isnan(first_s) ? ""
                                          : rft_arena_printf(t->arena, "%s the first, %s the one before",
                                                             number_text(t, first_s / median_s, 2, " x"),
                                                             number_text(t, before_s / median_s, 2, " x"));
        const char *line = rft_arena_printf(t->arena, "%s%s%s", config, *config && *gain ? "; " : "", gain);
        if (*line) {
            rft_layout_wrapped(t->out, 4, 2, line);
        }
        first_s = isnan(first_s) ? median_s : first_s;
        before_s = median_s;
    }
}

/* "along n (stride=2)": the axis and what is held fixed. */
static const char *line_name(const text *t, const rft_profile *profile) {
    const rft_sweep *sweep = &t->run->sweeps[profile->sweep].sweep;
    rft_str name = RFT_STR_INIT;
    rft_str_addf(&name, "along %s", sweep->axes[profile->index].name);
    const char *separator = " (";
    for (size_t i = 0; i < sweep->axis_count; i++) {
        if (i != profile->index && sweep->axes[i].swept) {
            rft_str_add(&name, separator);
            rft_values_format(&name, &sweep->axes[i].name, &sweep->problems[profile->problem].values[i], 1);
            separator = " ";
        }
    }
    rft_str_add(&name, *separator == ' ' && separator[1] == '\0' ? ")" : "");
    const char *kept = rft_arena_strdup(t->arena, rft_str_get(&name));
    rft_str_clear(&name);
    return kept;
}

static const char *step_bound(const rft_profile *profile, size_t step) {
    return rft_resource_name(profile->steps[step].bound.resource, profile->steps[step].bound.pipe);
}

/* The next step with a measurement: values between may have none. */
static size_t measured_step(const rft_profile *profile, size_t from) {
    for (size_t i = from; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            return i;
        }
    }
    return SIZE_MAX;
}

static void add_transition(const text *t, const rft_profile *profile, const rft_transition *found) {
    rft_str line = RFT_STR_INIT;
    rft_str_addf(&line, "%s: ", line_name(t, profile));
    size_t step = found->kind == RFT_TRANSITION_NONE ? measured_step(profile, 0) : found->step;
    size_t next = step < profile->step_count ? measured_step(profile, step + 1) : SIZE_MAX;
    if (found->kind == RFT_TRANSITION_NONE) {
        rft_str_addf(&line, "none, %s all along", step == SIZE_MAX ? "unknown" : step_bound(profile, step));
    } else if (found->kind == RFT_TRANSITION_NOT_EXPLORED || next == SIZE_MAX) {
        rft_str_addf(&line, "%s: %s", rft_transition_kind_name(found->kind), found->why ? found->why : "no reason");
    } else {
        rft_str_addf(&line, "%s to %s ", step_bound(profile, step), step_bound(profile, next));
        if (isfinite(found->where) && found->kind == RFT_TRANSITION_FOUND) {
            rft_str_addf(&line, "at %s, ", number_text(t, found->where, found->where < 100 ? 1 : 0, ""));
        }
        rft_str_add(&line, "between ");
        rft_value_format(&line, &profile->steps[step].value);
        rft_str_add(&line, " and ");
        rft_value_format(&line, &profile->steps[next].value);
        rft_str_addf(&line, " (%s)", rft_evidence_name(found->evidence));
        if (found->kind == RFT_TRANSITION_UNCLEAR) {
            rft_str_addf(&line, "; unclear: %s", found->why ? found->why : "no reason");
        }
    }
    rft_layout_wrapped(t->out, 4, 2, rft_str_get(&line));
    rft_str_clear(&line);
}

static void add_transitions(const text *t, size_t sweep) {
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(t->run, sweep, SIZE_MAX, t->arena, &profiles);
    rft_str_add(t->out, count ? "\n  transitions\n" : "");
    for (size_t i = 0; i < count; i++) {
        rft_transition *found = NULL;
        size_t transitions = rft_transitions_of(t->run, &profiles[i], t->arena, &found);
        for (size_t k = 0; k < transitions; k++) {
            add_transition(t, &profiles[i], &found[k]);
        }
    }
}

static void add_failures(const text *t, size_t sweep) {
    rft_show_failure *failures = NULL;
    size_t count = rft_show_failures_of(t->run, sweep, t->arena, &failures);
    rft_str_add(t->out, count ? "\n  failures\n" : "");
    for (size_t i = 0; i < count && i < FAILURE_KINDS; i++) {
        const rft_point *example = failures[i].example;
        const char *reason = example->reason ? example->reason : "no reason given";
        rft_layout_wrapped(t->out, 4, 2,
                           rft_arena_printf(t->arena, "%s %s: %.*s", count_text(t, failures[i].count),
                                            rft_outcome_name(example->outcome), (int)strcspn(reason, "\n"), reason));
        rft_layout_wrapped(t->out, 6, 2,
                           rft_arena_printf(t->arena, "e.g. %s, %s",
                                            rft_run_problem_text(t->run, sweep, example->problem, true, t->arena),
                                            name_of_config(t, example)));
    }
    if (count > FAILURE_KINDS) {
        rft_str_addf(t->out, "    %zu more kinds: --json lists them\n", count - FAILURE_KINDS);
    }
}

static text begin(rft_str *out, const rft_run *run, bool ascii) {
    return (text){.out = out, .run = run, .arena = rft_arena_new(), .plus_minus = ascii ? "+-" : "\xc2\xb1"};
}

void rft_show_run(rft_str *out, const rft_run *run, const rft_show_opts *opts) {
    text t = begin(out, run, opts->ascii);
    add_head(&t);
    add_ceilings(&t);
    for (size_t s = 0; s < run->sweep_count; s++) {
        rft_str_addf(out, "\n%s (%s cache)\n", run->sweeps[s].sweep.name,
                     rft_cache_mode_name(run->sweeps[s].sweep.measure.cache));
        add_counts(&t, s);
        add_problems(&t, s);
        add_ladder(&t, s);
        add_transitions(&t, s);
        add_failures(&t, s);
    }
    rft_arena_free(t.arena);
}

void rft_show_summary(rft_str *out, const rft_run *run) {
    text t = begin(out, run, false);
    add_head(&t);
    for (size_t s = 0; s < run->sweep_count; s++) {
        rft_str_addf(out, "\n%s\n", run->sweeps[s].sweep.name);
        add_counts(&t, s);
        add_problems(&t, s);
        add_ladder(&t, s);
    }
    rft_arena_free(t.arena);
}
