/* SPDX-License-Identifier: Apache-2.0 */
/* show_transitions.c - transitions of a sweep as text and as JSON (show_parts.h, show_data.h). */
#include "cli/show_transitions.h"
#include "cli/show_parts.h"
#include "reports/print/layout.h"

#include <math.h>

const char *rft_show_line_name(const rft_show_page *t, const rft_profile *profile) {
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

static const char *first_bound(const rft_profile *profile) {
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            return step_bound(profile, i);
        }
    }
    return "unknown";
}

/* A place on an axis, or a slope: as many digits as say something. */
static const char *place_text(const rft_show_page *t, double value) {
    return rft_show_number(t, value, value < 10 ? 2 : value < 100 ? 1 : 0, "");
}

static const char *slope_text(const rft_show_page *t, double slope) {
    return rft_show_number(t, fabs(slope) < 0.005 ? 0.0 : slope, 2, ""); /* no "-0.00" */
}

/* "dram to FP16 tensor", "dram on both sides" */
static const char *sides_text(const rft_show_page *t, const rft_profile *profile, const rft_transition *found) {
    const char *from = step_bound(profile, found->from), *to = step_bound(profile, found->to);
    return rft_text_equal(from, to) ? rft_arena_printf(t->arena, "%s on both sides", from)
                                    : rft_arena_printf(t->arena, "%s to %s", from, to);
}

static void add_neighbours(rft_str *line, const rft_profile *profile, const rft_transition *found) {
    rft_str_add(line, "between ");
    rft_value_format(line, &profile->steps[found->step].value);
    rft_str_add(line, " and ");
    for (size_t i = found->step + 1; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            rft_value_format(line, &profile->steps[i].value);
            return;
        }
    }
}

static const char *slopes_of(rft_turn_of of) {
    return of == RFT_TURN_OF_TIME            ? "of time"
           : of == RFT_TURN_OF_TIME_PER_WORK ? "of time per work"
                                             : "of time per byte over intensity";
}

static void add_ridge(rft_str *line, const rft_show_page *t, const rft_transition *found) {
    if (isfinite(found->ridge)) {
        rft_str_addf(line, ", ridge formula %s", place_text(t, found->ridge));
    }
    if (isfinite(found->ridge_datasheet)) {
        rft_str_addf(line, "%s %s by datasheet", isfinite(found->ridge) ? "," : ", ridge formula",
                     place_text(t, found->ridge_datasheet));
    }
}

static void add_located(rft_str *line, const rft_show_page *t, const rft_profile *profile,
                        const rft_transition *found) {
    if (found->kind == RFT_TRANSITION_TURN) {
        rft_str_addf(line, "the times turn at %s", place_text(t, found->where));
    } else {
        rft_str_addf(line, "%s at %s", sides_text(t, profile, found), place_text(t, found->where));
    }
    if (found->by_times) {
        rft_str_addf(line, ", 95 %% %s to %s", place_text(t, found->low), place_text(t, found->high));
        rft_str_addf(line, ", slope %s", slope_text(t, found->turn.slope_before));
        rft_str_addf(line, " to %s %s", slope_text(t, found->turn.slope_after), slopes_of(found->turn_of));
    } else {
        rft_str_add(line, ", by its grid neighbours alone, ");
        add_neighbours(line, profile, found);
    }
    add_ridge(line, t, found);
    if (found->kind == RFT_TRANSITION_TURN) {
        rft_str_addf(line, "; %s", sides_text(t, profile, found));
    }
    rft_str_addf(line, " (%s)", rft_evidence_name(found->evidence));
    if (isfinite(found->scatter_frac)) {
        rft_str_addf(line, "; the times scatter by %s about two laws, more than their noise",
                     rft_show_number(t, 100.0 * found->scatter_frac, 0, " %"));
    }
    if (found->waves_note) {
        rft_str_addf(line, "; %s", found->waves_note);
    }
}

static void add_transition(const rft_show_page *t, const rft_profile *profile, const rft_transition *found) {
    rft_str line = RFT_STR_INIT;
    rft_str_addf(&line, "%s: ", rft_show_line_name(t, profile));
    if (found->kind == RFT_TRANSITION_FOUND || found->kind == RFT_TRANSITION_TURN) {
        add_located(&line, t, profile, found);
    } else if (found->at_steps) {
        rft_str_addf(&line, "%s ", sides_text(t, profile, found));
        add_neighbours(&line, profile, found);
        rft_str_addf(&line, " (%s)", rft_evidence_name(found->evidence));
        add_ridge(&line, t, found);
        rft_str_addf(&line, "; %s: %s", rft_transition_kind_name(found->kind), found->why ? found->why : "no reason");
    } else if (found->kind == RFT_TRANSITION_NONE) {
        rft_str_addf(&line, "none, %s all along", first_bound(profile));
        if (found->why) {
            rft_str_addf(&line, "; %s", found->why);
        }
    } else {
        rft_str_addf(&line, "%s: %s", rft_transition_kind_name(found->kind), found->why ? found->why : "no reason");
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

/* ---- JSON ---- */

static json_t *of_transition(const rft_profile *profile, const rft_transition *found) {
    json_t *item = json_object();
    bool located = found->kind == RFT_TRANSITION_FOUND || found->kind == RFT_TRANSITION_TURN;
    json_object_set_new(item, "kind", json_string(rft_transition_kind_name(found->kind)));
    json_object_set_new(item, "from", found->at_steps ? json_string(step_bound(profile, found->from)) : json_null());
    json_object_set_new(item, "to", found->at_steps ? json_string(step_bound(profile, found->to)) : json_null());
    json_object_set_new(item, "by", json_string(found->by_times ? "times" : "neighbours"));
    json_object_set_new(item, "where", rft_json_real_new(located ? found->where : (double)NAN));
    json_object_set_new(item, "low", rft_json_real_new(located ? found->low : (double)NAN));
    json_object_set_new(item, "high", rft_json_real_new(located ? found->high : (double)NAN));
    json_object_set_new(item, "ridge", rft_json_real_new(found->ridge));
    json_object_set_new(item, "ridge_datasheet", rft_json_real_new(found->ridge_datasheet));
    json_object_set_new(item, "slope_before", rft_json_real_new(located ? found->turn.slope_before : (double)NAN));
    json_object_set_new(item, "slope_after", rft_json_real_new(located ? found->turn.slope_after : (double)NAN));
    json_object_set_new(item, "slopes",
                        located && found->by_times ? json_string(slopes_of(found->turn_of)) : json_null());
    json_object_set_new(item, "sharpness", rft_json_real_new(located ? found->turn.sharpness : (double)NAN));
    json_object_set_new(item, "scatter_frac", rft_json_real_new(found->scatter_frac));
    json_object_set_new(item, "evidence", json_string(rft_evidence_name(found->evidence)));
    json_object_set_new(item, "why", rft_show_text_json(found->why));
    json_object_set_new(item, "waves", rft_show_text_json(found->waves_note));
    return item;
}

json_t *rft_show_transitions_json(const rft_run *run, size_t sweep, rft_arena *arena) {
    json_t *list = json_array();
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(run, sweep, SIZE_MAX, arena, &profiles);
    for (size_t i = 0; i < count; i++) {
        rft_transition *found = NULL;
        size_t transitions = rft_transitions_of(run, &profiles[i], arena, &found);
        for (size_t k = 0; k < transitions; k++) {
            json_t *item = of_transition(&profiles[i], &found[k]);
            json_object_set_new(item, "axis", rft_show_text_json(data->axes[profiles[i].index].name));
            json_object_set_new(item, "line_through", rft_show_problem_json(data, profiles[i].problem));
            json_array_append_new(list, item);
        }
    }
    return list;
}
