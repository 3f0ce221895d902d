/* SPDX-License-Identifier: Apache-2.0 */
/* Where a library's times turn beside those of the bests, and where the ridge is (profile_charts.h). */
#include "base/str.h"
#include "model/run/baseline.h"
#include "model/stats/turn.h"
#include "reports/findings/profile_charts.h"
#include "reports/findings/words.h"

#include <math.h>

#define SEED 5
#define PLACES_LEAST 8   /* measured values: of fewer no place is told */
#define SCATTER_MOST 0.2 /* of log time about two laws */

typedef struct turns {
    const rft_run *run;
    const rft_profile *profile;
    rft_arena *arena;
    double *axis, *intensity; /* of each measured step */
    const rft_profile_step **steps;
    size_t count;
} turns;

/* Of the work: it rises along the axis. */
static bool find_steps(turns *t) {
    const rft_profile *profile = t->profile;
    t->axis = rft_arena_calloc(t->arena, profile->step_count + 1, sizeof *t->axis);
    t->intensity = rft_arena_calloc(t->arena, profile->step_count + 1, sizeof *t->intensity);
    t->steps = rft_arena_calloc(t->arena, profile->step_count + 1, sizeof *t->steps);
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_profile_step *step = &profile->steps[i];
        if (!step->best || !rft_value_is_number(&step->value)) {
            continue;
        }
        rft_pipe pipe = rft_work_main_pipe(&step->best->work);
        double bytes = rft_work_bytes(&step->best->work);
        double intensity = pipe < RFT_PIPE_COUNT && bytes > 0 ? step->best->work.pipe_ops[pipe] / bytes : 0;
        t->axis[t->count] = rft_value_number(&step->value);
        if (!(intensity > (t->count > 0 ? t->intensity[t->count - 1] : 0)) || !(t->axis[t->count] > 0)) {
            return false;
        }
        t->steps[t->count] = step;
        t->intensity[t->count++] = intensity;
    }
    return t->count >= RFT_TURN_POINTS_MIN;
}

/* From an intensity to the axis: straight between neighbours on logarithmic scales. NaN outside. */
static double on_axis(const turns *t, double intensity) {
    for (size_t i = 1; i < t->count; i++) {
        if (intensity >= t->intensity[i - 1] && intensity <= t->intensity[i]) {
            double part = log(intensity / t->intensity[i - 1]) / log(t->intensity[i] / t->intensity[i - 1]);
            return t->axis[i - 1] * pow(t->axis[i] / t->axis[i - 1], part);
        }
    }
    return NAN;
}

/* Of the step's own problem; NULL: none was measured there. */
static const rft_baseline *library_at(const turns *t, size_t at) {
    const rft_baseline *baseline = rft_run_fastest_baseline(t->run, t->profile->sweep, t->steps[at]->best->problem);
    return baseline && rft_baseline_is_measured(baseline) ? baseline : NULL;
}

/* "213 [199, 228]"; where they turn at no one place, that. */
static const char *place_text(const turns *t, bool library) {
    rft_turn_point *points = rft_arena_calloc(t->arena, t->count, sizeof *points);
    size_t count = 0;
    for (size_t i = 0; i < t->count; i++) {
        const rft_baseline *baseline = library ? library_at(t, i) : NULL;
        if (library && !baseline) {
            continue;
        }
        const rft_stats *stats =
            library ? &baseline->measurement.stats : &rft_point_measurement(t->steps[i]->best)->stats;
        double noise = stats->interval_is_95 ? rft_stats_half_width_frac(stats) / 1.96 : (double)NAN;
        points[count++] =
            (rft_turn_point){t->intensity[i], stats->median / rft_work_bytes(&t->steps[i]->best->work), noise};
    }
    rft_turn turn = rft_turn_find(points, count, SEED, 0, t->arena);
    for (size_t i = 0; i < count && turn.kind == RFT_TURN_UNCLEAR; i++) { /* waves scatter more than noise does */
        points[i].noise_frac = NAN;
    }
    bool again = turn.kind == RFT_TURN_UNCLEAR;
    turn = again ? rft_turn_find(points, count, SEED, 0, t->arena) : turn;
    bool upwards = turn.slope_after > turn.slope_before;
    if (turn.kind != RFT_TURN_FOUND || (again && !(upwards && turn.scatter <= SCATTER_MOST))) {
        return "no one place";
    }
    return rft_arena_printf(t->arena, "%s [%s, %s]", rft_words_place(on_axis(t, turn.where), true, t->arena),
                            rft_words_place(on_axis(t, turn.low), true, t->arena),
                            rft_words_place(on_axis(t, turn.high), true, t->arena));
}

/* Where the measured ceilings take the same time for the work. */
static double ridge_of(const turns *t) {
    const rft_ceilings *ceilings = &t->run->ceilings;
    const rft_work *work = &t->steps[t->count / 2]->best->work;
    rft_ceiling_id memory = rft_bound_dram_ceiling(ceilings, rft_work_read_frac(work)), pipe;
    if (!rft_ceiling_from_name(&pipe, rft_pipe_name(rft_work_main_pipe(work)))) {
        return NAN;
    }
    return on_axis(t, rft_ceilings_rate(ceilings, pipe) / rft_ceilings_rate(ceilings, memory));
}

double rft_along_turns(const rft_run *run, const rft_profile *profile, const char **text, rft_arena *arena) {
    turns t = {.run = run, .profile = profile, .arena = arena};
    *text = NULL;
    if (profile->along_param || !find_steps(&t)) {
        return NAN;
    }
    double ridge = ridge_of(&t);
    const rft_baseline *library = library_at(&t, t.count - 1);
    if (isnan(ridge) || !library || t.count < PLACES_LEAST) {
        return ridge;
    }
    *text = rft_arena_printf(arena, "The ridge is at %s; the times of the best turn at %s, those of %s at %s.",
                             rft_words_place(ridge, true, arena), place_text(&t, false), library->name,
                             place_text(&t, true));
    return ridge;
}
