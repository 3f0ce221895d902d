/* SPDX-License-Identifier: Apache-2.0 */
/* show_profiles_json.c - profiles for programs (show_profiles.h). */
#include "cli/show_data.h"
#include "cli/show_profiles.h"
#include "model/roofline/placement.h"
#include "model/transition/transition.h"

#include <math.h>

static void set_real(json_t *object, const char *name, double value) {
    json_object_set_new(object, name, rft_json_real_new(value));
}

static json_t *of_step(const rft_run *run, const rft_profile_step *step) {
    json_t *object = json_object();
    const rft_point *best = step->best;
    json_object_set_new(object, "value", rft_show_value_json(&step->value));
    json_object_set_new(object, "point", best ? json_integer(best->id) : json_null());
    set_real(object, "median_s", best ? rft_point_median_s(best) : (double)NAN);
    set_real(object, "middle_s", step->median_s);
    set_real(object, "worst_s", step->worst_s);
    json_object_set_new(object, "measured", json_integer((json_int_t)step->measured));
    set_real(object, "efficiency_frac", best ? rft_placement_of(run, best).efficiency_frac : (double)NAN);
    json_object_set_new(object, "bound",
                        best ? json_string(rft_resource_name(step->bound.resource, step->bound.pipe)) : json_null());
    return object;
}

/* The best with the worst value against the best with the best one. */
static double costs(const rft_profile *profile) {
    double low = INFINITY, high = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        if (profile->steps[i].best) {
            low = fmin(low, rft_point_median_s(profile->steps[i].best));
            high = fmax(high, rft_point_median_s(profile->steps[i].best));
        }
    }
    return high / low;
}

static json_t *of_profile(const rft_run *run, const rft_profile *profile, double explains) {
    const rft_sweep *data = &run->sweeps[profile->sweep].sweep;
    json_t *object = json_object(), *values = json_array();
    const rft_variant *variant = profile->along_param ? &data->variants[profile->variant] : NULL;
    json_object_set_new(object, "along", json_string(variant ? "parameter" : "axis"));
    json_object_set_new(
        object, "name",
        rft_show_text_json(variant ? variant->params[profile->index].name : data->axes[profile->index].name));
    json_object_set_new(object, "variant", rft_show_text_json(variant ? variant->name : NULL));
    json_object_set_new(object, "problem", rft_show_problem_json(data, profile->problem));
    set_real(object, "explains_frac", explains);
    set_real(object, "costs_factor", variant ? costs(profile) : (double)NAN);
    for (size_t i = 0; i < profile->step_count; i++) {
        json_array_append_new(values, of_step(run, &profile->steps[i]));
    }
    json_object_set_new(object, "values", values);
    return object;
}

json_t *rft_show_profiles_json(const rft_run *run, size_t sweep, rft_arena *arena) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    json_t *list = json_array();
    rft_profile *profiles = NULL;
    size_t problem = rft_run_largest(run, sweep);
    for (size_t v = 0; v < data->variant_count && problem != SIZE_MAX; v++) {
        double *share = rft_arena_calloc(arena, data->variants[v].param_count + 1, sizeof *share);
        for (size_t i = 0; i < data->variants[v].param_count; i++) {
            share[i] = NAN;
        }
        rft_param_importance(run, sweep, v, problem, share);
        size_t count = rft_profiles_along_params(run, sweep, v, problem, arena, &profiles);
        for (size_t i = 0; i < count; i++) {
            json_array_append_new(list, of_profile(run, &profiles[i], share[profiles[i].index]));
        }
    }
    size_t count = rft_profiles_along_axes(run, sweep, SIZE_MAX, arena, &profiles);
    for (size_t i = 0; i < count; i++) {
        json_array_append_new(list, of_profile(run, &profiles[i], NAN));
    }
    return list;
}
