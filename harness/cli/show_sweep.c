/* SPDX-License-Identifier: Apache-2.0 */
/* show_sweep.c - ladder, transitions and failures of a sweep (show_parts.h). */
#include "cli/show_layout.h"
#include "cli/show_parts.h"
#include "model/transition.h"

#include <math.h>
#include <string.h>

#define FAILURE_KINDS 8 /* shown of each sweep */
#define LOG_LINES 12    /* shown of a compiler's log */

void rft_show_ladder(const rft_show_page *t, size_t sweep) {
    const rft_sweep *data = &t->run->sweeps[sweep].sweep;
    size_t problem = rft_show_ladder_problem(t->run, sweep), width = 8;
    if (data->variant_count < 2 || problem == SIZE_MAX) {
        return;
    }
    for (size_t v = 0; v < data->variant_count; v++) {
        width = rft_show_widest(width, data->variants[v].name, 24);
    }
    rft_str_addf(t->out, "\n  ladder at %s\n", rft_run_problem_text(t->run, sweep, problem, true, t->arena));
    rft_show_table_head(t, "variant", width);
    double first_s = NAN, before_s = NAN;
    for (size_t v = 0; v < data->variant_count; v++) {
        const rft_point *best = rft_run_best(t->run, sweep, v, problem);
        rft_str_add(t->out, "  ");
        rft_layout_left(t->out, data->variants[v].name, width);
        if (best == NULL) {
            rft_str_add(t->out, "  nothing measured\n");
            continue;
        }
        rft_show_figures(t, best);
        double median_s = rft_point_median_s(best);
        const char *config = rft_run_config_text(t->run, best, true, t->arena);
        const char *gain = isnan(first_s) ? ""
                                          : rft_arena_printf(t->arena, "%s the first, %s the one before",
                                                             rft_show_number(t, first_s / median_s, 2, " x"),
                                                             rft_show_number(t, before_s / median_s, 2, " x"));
        const char *line = rft_arena_printf(t->arena, "%s%s%s", config, *config && *gain ? "; " : "", gain);
        if (*line) {
            rft_layout_wrapped(t->out, 4, 2, line);
        }
        first_s = isnan(first_s) ? median_s : first_s;
        before_s = median_s;
    }
}

/* "along n (stride=2)": the axis and what is held fixed. */
static const char *line_name(const rft_show_page *t, const rft_profile *profile) {
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

static void add_transition(const rft_show_page *t, const rft_profile *profile, const rft_transition *found) {
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
            rft_str_addf(&line, "at %s, ", rft_show_number(t, found->where, found->where < 100 ? 1 : 0, ""));
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

/* Where the line has more values than its grid. */
static void add_refined(const rft_show_page *t, const rft_profile *profile) {
    rft_str line = RFT_STR_INIT;
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].refined > 0 && profile->steps[i].best) {
            rft_str_add(&line, line.length ? ", " : "refined at ");
            rft_value_format(&line, &profile->steps[i].value);
        }
    }
    if (line.length) {
        rft_str_add(&line, ": only the winners of both ends were measured there");
        rft_layout_wrapped(t->out, 6, 2, rft_str_get(&line));
    }
    rft_str_clear(&line);
}

void rft_show_transitions(const rft_show_page *t, size_t sweep) {
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(t->run, sweep, SIZE_MAX, t->arena, &profiles);
    rft_str_add(t->out, count ? "\n  transitions\n" : "");
    for (size_t i = 0; i < count; i++) {
        rft_transition *found = NULL;
        size_t transitions = rft_transitions_of(t->run, &profiles[i], t->arena, &found);
        for (size_t k = 0; k < transitions; k++) {
            add_transition(t, &profiles[i], &found[k]);
        }
        add_refined(t, &profiles[i]);
    }
}

/* The compiler's words as they came: carets stand under what they mean. */
static void add_log(const rft_show_page *t, const char *log) {
    for (int line = 0; *log; line++) {
        size_t length = strcspn(log, "\n");
        if (line == LOG_LINES) {
            rft_str_add(t->out, "      ...: `rooftune point --emit log` has all of it\n");
            break;
        }
        rft_str_add(t->out, length ? "      " : "");
        rft_str_add_n(t->out, log, length);
        rft_str_add_char(t->out, '\n');
        log += length + (log[length] == '\n');
    }
}

/* All of the configuration: what was not tuned may be what failed. */
static const char *example_name(const rft_show_page *t, const rft_point *example) {
    const rft_sweep *data = &t->run->sweeps[example->sweep].sweep;
    const char *problem = rft_run_problem_text(t->run, example->sweep, example->problem, true, t->arena);
    const char *config = rft_run_config_text(t->run, example, false, t->arena);
    bool several = data->variant_count > 1;
    return rft_arena_printf(t->arena, "e.g. %s%s%s%s%s%s", problem, *problem ? ", " : "",
                            several ? data->variants[example->variant].name : "", several && *config ? ": " : "",
                            config, !several && !*config ? "(no parameters)" : "");
}

void rft_show_failures(const rft_show_page *t, size_t sweep) {
    rft_show_failure *failures = NULL;
    size_t count = rft_show_failures_of(t->run, sweep, t->arena, &failures);
    rft_str_add(t->out, count ? "\n  not measured\n" : "");
    for (size_t i = 0; i < count && i < FAILURE_KINDS; i++) {
        const rft_point *example = failures[i].example;
        const char *reason = example->reason ? example->reason : "no reason given";
        rft_layout_wrapped(t->out, 4, 2,
                           rft_arena_printf(t->arena, "%s %s: %.*s", rft_show_count(t, failures[i].count),
                                            rft_outcome_name(example->outcome), (int)strcspn(reason, "\n"), reason));
        rft_layout_wrapped(t->out, 6, 2, example_name(t, example));
        if (example->log && example->outcome == RFT_OUTCOME_COMPILE_FAILED) {
            add_log(t, example->log);
        }
    }
    if (count > FAILURE_KINDS) {
        rft_str_addf(t->out, "    %zu more kinds: --json lists them\n", count - FAILURE_KINDS);
    }
}
