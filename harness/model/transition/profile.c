/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transition/profile.h"

#include "model/roofline/amount.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define SEED 5

/* The candidates at one step, fastest first, condensed. */
static void fill_step(const rft_run *run, rft_profile_step *step, const rft_point **ranked, size_t count) {
    step->best = count > 0 ? ranked[0] : NULL;
    step->measured = count;
    step->best_s = step->worst_s = step->median_s = NAN;
    if (count == 0) {
        return;
    }
    step->bound = rft_bound_of(run, ranked[0]);
    double *medians = rft_calloc(count, sizeof *medians);
    for (size_t i = 0; i < count; i++) {
        medians[i] = rft_point_median_s(ranked[i]);
    }
    rft_stats stats = rft_stats_of(medians, count);
    step->best_s = medians[0];
    step->worst_s = stats.max;
    step->median_s = stats.median;
    free(medians);
}

/* As the sweep's own round read them. */
static void time_swept(rft_profile_step *step, const rft_point **ranked, size_t count) {
    double *medians = rft_calloc(count + 1, sizeof *medians);
    for (size_t i = 0; i < count; i++) {
        medians[i] = rft_point_swept_s(ranked[i]);
    }
    rft_stats stats = rft_stats_of(medians, count);
    step->best_s = stats.min;
    step->worst_s = stats.max;
    step->median_s = stats.median;
    free(medians);
}

static int compare_steps(const void *a, const void *b) {
    double x = rft_value_number(&((const rft_profile_step *)a)->value);
    double y = rft_value_number(&((const rft_profile_step *)b)->value);
    return (x > y) - (x < y);
}

static void sort_steps(rft_profile *profile) {
    for (size_t i = 0; i < profile->step_count; i++) {
        if (!rft_value_is_number(&profile->steps[i].value)) {
            return;
        }
    }
    if (profile->step_count > 1) {
        qsort(profile->steps, profile->step_count, sizeof *profile->steps, compare_steps);
    }
}

/* Whether two problems lie on one line along `axis`: equal on every other swept axis (an axis computed from the
 * followed one changes along it). A list of problems has no swept axes: then all others must be equal. */
static bool same_line(const rft_sweep *sweep, size_t axis, size_t a, size_t b) {
    bool any_swept = false;
    for (size_t i = 0; i < sweep->axis_count; i++) {
        any_swept = any_swept || sweep->axes[i].swept;
    }
    for (size_t i = 0; i < sweep->axis_count; i++) {
        bool held = i != axis && (sweep->axes[i].swept || !any_swept);
        if (held && !rft_value_equal(&sweep->problems[a].values[i], &sweep->problems[b].values[i])) {
            return false;
        }
    }
    return true;
}

static void add_axis_step(const rft_run *run, rft_profile *profile, size_t problem, rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[profile->sweep].sweep;
    rft_profile_step *step = &profile->steps[profile->step_count++];
    const rft_point **ranked;
    size_t count = rft_run_ranked(run, profile->sweep, profile->variant, problem, arena, &ranked);
    step->value = sweep->problems[problem].values[profile->index];
    step->problem = problem;
    step->refined = sweep->problems[problem].refined;
    fill_step(run, step, ranked, count);
}

/* The line through `first`, the first of its problems. */
static rft_profile axis_profile(const rft_run *run, size_t sweep_index, size_t variant, size_t axis, size_t first,
                                rft_arena *arena) {
    const rft_sweep *sweep = &run->sweeps[sweep_index].sweep;
    rft_profile profile = {.sweep = sweep_index, .variant = variant, .index = axis, .problem = first};
    profile.steps = rft_arena_calloc(arena, sweep->problem_count, sizeof *profile.steps);
    for (size_t i = first; i < sweep->problem_count; i++) {
        if (!sweep->problems[i].odd && same_line(sweep, axis, first, i)) {
            add_axis_step(run, &profile, i, arena);
        }
    }
    sort_steps(&profile);
    return profile;
}

static bool is_along(const rft_axis *axis) {
    return axis->along;
}

static bool is_of_words(const rft_axis *axis) {
    return axis->swept && axis->value_count > 1 && !rft_value_is_number(&axis->values[0]);
}

static size_t profiles_along(const rft_run *run, size_t sweep_index, size_t variant, bool (*chosen)(const rft_axis *),
                             rft_arena *arena, rft_profile **out) {
    const rft_sweep *sweep = &run->sweeps[sweep_index].sweep;
    rft_profile *profiles = rft_arena_calloc(arena, sweep->axis_count * sweep->problem_count, sizeof *profiles);
    size_t count = 0;
    for (size_t axis = 0; axis < sweep->axis_count; axis++) {
        if (!chosen(&sweep->axes[axis])) {
            continue;
        }
        for (size_t i = 0; i < sweep->problem_count; i++) {
            /* What refine() added is followed along its own axis alone, which begins with the grid. */
            bool starts = !sweep->problems[i].odd && sweep->problems[i].refined == 0;
            for (size_t j = 0; j < i && starts; j++) {
                starts = sweep->problems[j].odd || !same_line(sweep, axis, j, i);
            }
            if (starts) {
                profiles[count++] = axis_profile(run, sweep_index, variant, axis, i, arena);
            }
        }
    }
    *out = profiles;
    return count;
}

size_t rft_profiles_along_axes(const rft_run *run, size_t sweep, size_t variant, rft_arena *arena, rft_profile **out) {
    return profiles_along(run, sweep, variant, is_along, arena, out);
}

/* Is `own`, of one variant, worth telling beside the bests of the same line? */
static bool differs(const rft_profile *own, const rft_profile *best) {
    bool other = false;
    for (size_t i = 0; i < own->step_count; i++) {
        other = other || (own->steps[i].best && own->steps[i].best != best->steps[i].best);
    }
    return other && rft_profile_measured(own) > 1;
}

size_t rft_ladder_lines(const rft_run *run, size_t sweep, rft_arena *arena, rft_ladder_line **out) {
    rft_profile *bests = NULL, *firsts = NULL;
    size_t count = rft_profiles_along_axes(run, sweep, SIZE_MAX, arena, &bests);
    bool ladder = run->sweeps[sweep].sweep.variant_count > 1;
    if (ladder) {
        rft_profiles_along_axes(run, sweep, 0, arena, &firsts); /* the same lines in the same order */
    }
    *out = rft_arena_calloc(arena, count + 1, sizeof **out);
    for (size_t i = 0; i < count; i++) {
        (*out)[i] = (rft_ladder_line){&bests[i], ladder && differs(&firsts[i], &bests[i]) ? &firsts[i] : NULL};
    }
    return count;
}

size_t rft_profiles_along_words(const rft_run *run, size_t sweep, rft_arena *arena, rft_profile **out) {
    const rft_sweep *data = &run->sweeps[sweep].sweep;
    for (size_t i = 0; i < data->axis_count; i++) {
        if (data->axes[i].along) {
            return 0;
        }
    }
    return profiles_along(run, sweep, SIZE_MAX, is_of_words, arena, out);
}

size_t rft_profile_measured(const rft_profile *profile) {
    size_t measured = 0;
    for (size_t i = 0; i < profile->step_count; i++) {
        measured += profile->steps[i].best != NULL;
    }
    return measured;
}

/* The points by value, those of a value in the order they had; `starts` has one entry more than there are values. What
 * has none of the values stands behind the last. On the heap. */
static const rft_point **grouped(const rft_param *param, size_t index, const rft_point **points, size_t count,
                                 size_t *starts) {
    const rft_point **sorted = rft_calloc(count + 1, sizeof(const rft_point *));
    size_t *of = rft_calloc(count + 1, sizeof *of), *next = rft_calloc(param->value_count + 1, sizeof *next);
    memset(starts, 0, (param->value_count + 1) * sizeof *starts);
    for (size_t j = 0; j < count; j++) {
        of[j] = rft_param_find(param, &points[j]->config[index]);
        next[of[j]]++;
    }
    for (size_t i = 0, sum = 0; i <= param->value_count; i++) {
        starts[i] = sum;
        sum += next[i];
        next[i] = starts[i];
    }
    for (size_t j = 0; j < count; j++) {
        sorted[next[of[j]]++] = points[j];
    }
    free(of);
    free(next);
    return sorted;
}

static bool all_final(const rft_profile *profile) {
    bool all = true;
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_point *best = profile->steps[i].best;
        all = all && (!best || best->rounds[RFT_ROUNDS - 1].n > 0);
    }
    return all;
}

static rft_profile param_profile(const rft_run *run, const rft_profile *key, const rft_point **ranked, size_t count,
                                 rft_arena *arena) {
    rft_profile profile = *key;
    const rft_param *param = &run->sweeps[key->sweep].sweep.variants[key->variant].params[key->index];
    profile.steps = rft_arena_calloc(arena, param->value_count, sizeof *profile.steps);
    profile.step_count = param->value_count;
    size_t *starts = rft_calloc(param->value_count + 1, sizeof *starts);
    const rft_point **sorted = grouped(param, key->index, ranked, count, starts);
    for (size_t i = 0; i < param->value_count; i++) {
        profile.steps[i].value = param->values[i];
        profile.steps[i].problem = key->problem;
        fill_step(run, &profile.steps[i], sorted + starts[i], starts[i + 1] - starts[i]);
    }
    bool swept = !all_final(&profile);
    for (size_t i = 0; swept && i < param->value_count; i++) {
        time_swept(&profile.steps[i], sorted + starts[i], starts[i + 1] - starts[i]);
    }
    free(sorted);
    free(starts);
    sort_steps(&profile);
    return profile;
}

size_t rft_profiles_along_params(const rft_run *run, size_t sweep, size_t variant, size_t problem, rft_arena *arena,
                                 rft_profile **out) {
    const rft_variant *data = &run->sweeps[sweep].sweep.variants[variant];
    const rft_point **ranked;
    size_t candidates = rft_run_ranked(run, sweep, variant, problem, arena, &ranked);
    rft_profile *profiles = rft_arena_calloc(arena, data->param_count, sizeof *profiles);
    size_t count = 0;
    for (size_t i = 0; i < data->param_count; i++) {
        if (data->params[i].value_count > 1) {
            rft_profile key = {.sweep = sweep, .variant = variant, .along_param = true, .index = i, .problem = problem};
            profiles[count++] = param_profile(run, &key, ranked, candidates, arena);
        }
    }
    *out = profiles;
    return count;
}

static double log_time(const rft_point *point) {
    return log(rft_point_swept_s(point));
}

/* Sum over the groups of equal value of n * (mean - grand)^2. */
static double between_groups(const rft_point **points, size_t count, const rft_param *param, size_t index,
                             double grand) {
    double sum = 0.0;
    size_t *starts = rft_calloc(param->value_count + 1, sizeof *starts);
    const rft_point **sorted = grouped(param, index, points, count, starts);
    for (size_t i = 0; i < param->value_count; i++) {
        double group = 0.0;
        size_t n = starts[i + 1] - starts[i];
        for (size_t j = starts[i]; j < starts[i + 1]; j++) {
            group += log_time(sorted[j]);
        }
        if (n > 0) {
            double mean = group / (double)n;
            sum += (double)n * (mean - grand) * (mean - grand);
        }
    }
    free(sorted);
    free(starts);
    return sum;
}

void rft_param_importance(const rft_run *run, size_t sweep, size_t variant, size_t problem, double *out) {
    const rft_variant *data = &run->sweeps[sweep].sweep.variants[variant];
    rft_arena *arena = rft_arena_new();
    const rft_point **points;
    size_t count = rft_run_ranked(run, sweep, variant, problem, arena, &points);
    double sum = 0.0, total = 0.0;
    for (size_t i = 0; i < count; i++) {
        sum += log_time(points[i]);
    }
    double grand = sum / (double)count;
    for (size_t i = 0; i < count; i++) {
        total += (log_time(points[i]) - grand) * (log_time(points[i]) - grand);
    }
    for (size_t i = 0; i < data->param_count; i++) {
        double between = count < 3 ? NAN : between_groups(points, count, &data->params[i], i, grand);
        /* No spread at all: nothing to explain. */
        out[i] = count < 3 ? NAN : total > 0.0 ? fmin(1.0, between / total) : 0.0;
    }
    rft_arena_free(arena);
}

/* ---- the roofline that the best points of one profile follow ---- */

static const rft_point *best_at(const rft_profile *profile, size_t step) {
    const rft_point *best = profile->steps[step].best;
    return best != NULL && rft_point_median_s(best) > 0.0 ? best : NULL;
}

/* The pipe of one point that takes longest at its ceiling; without ceilings the one with most operations. */
static rft_pipe slowest_pipe(const rft_run *run, const rft_work *work) {
    rft_pipe pipe = RFT_PIPE_COUNT;
    double longest_s = 0.0;
    for (int i = 0; i < RFT_PIPE_COUNT; i++) {
        double rate = rft_ceilings_rate(&run->ceilings, rft_amount_pipe_ceiling((rft_pipe)i));
        if (work->pipe_ops[i] / rate > longest_s) {
            longest_s = work->pipe_ops[i] / rate;
            pipe = (rft_pipe)i;
        }
    }
    return pipe != RFT_PIPE_COUNT ? pipe : rft_work_main_pipe(work);
}

static rft_pipe usual_pipe(const rft_run *run, const rft_profile *profile) {
    size_t votes[RFT_PIPE_COUNT + 1] = {0};
    rft_pipe most = RFT_PIPE_COUNT;
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_point *best = best_at(profile, i);
        rft_pipe pipe = best != NULL ? slowest_pipe(run, &best->work) : RFT_PIPE_COUNT;
        votes[pipe] += pipe != RFT_PIPE_COUNT;
        most = votes[pipe] > votes[most] ? pipe : most;
    }
    return most;
}

/* The memory ceiling by which most points are judged. */
static rft_ceiling_id usual_memory(const rft_run *run, const rft_profile *profile) {
    size_t votes[RFT_CEILING_COUNT + 1] = {0};
    rft_ceiling_id most = RFT_CEILING_COUNT;
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_point *best = best_at(profile, i);
        if (best != NULL && rft_work_bytes(&best->work) > 0.0) {
            rft_ceiling_id id = rft_bound_dram_ceiling(&run->ceilings, rft_work_read_frac(&best->work));
            votes[id]++;
            most = votes[id] > votes[most] ? id : most;
        }
    }
    return most;
}

static void take_points(rft_profile_fit *out, const rft_run *run, const rft_profile *profile) {
    for (size_t i = 0; i < profile->step_count; i++) {
        const rft_point *best = best_at(profile, i);
        if (best == NULL) {
            continue;
        }
        if (rft_work_bytes(&best->work) > 0.0 && rft_amount_fits_l2(run, best)) {
            out->left_out++;
            continue;
        }
        const rft_stats *stats = &rft_point_measurement(best)->stats;
        out->steps[out->count] = i;
        out->points[out->count++] = (rft_fit_point){
            .bytes = rft_work_bytes(&best->work),
            .ops = out->pipe != RFT_PIPE_COUNT ? best->work.pipe_ops[out->pipe] : 0.0,
            .time_s = stats->median,
            .noise_frac = stats->interval_is_95 ? rft_stats_half_width_frac(stats) / 1.96 : (double)NAN};
    }
}

rft_profile_fit rft_profile_fit_of(const rft_run *run, const rft_profile *profile, rft_arena *arena) {
    rft_profile_fit out = {.pipe = usual_pipe(run, profile), .memory = usual_memory(run, profile)};
    out.peak = rft_amount_pipe_ceiling(out.pipe);
    out.memory_rate = rft_ceilings_rate(&run->ceilings, out.memory);
    out.peak_rate = rft_ceilings_rate(&run->ceilings, out.peak);
    out.points = rft_arena_calloc(arena, profile->step_count + 1, sizeof *out.points);
    out.steps = rft_arena_calloc(arena, profile->step_count + 1, sizeof *out.steps);
    take_points(&out, run, profile);
    const rft_fit_options options = {.seed = SEED, .ceiling_bytes_s = out.memory_rate, .ceiling_ops_s = out.peak_rate};
    out.fit = rft_roofline_fit_of(out.points, out.count, &options, arena);
    if (out.fit.why != NULL && out.left_out > 0) {
        out.fit.why = rft_arena_printf(arena, "%s (%zu more ran out of the L2)", out.fit.why, out.left_out);
    }
    return out;
}

double rft_profile_fit_ceiling(const rft_profile_fit *fit, rft_fit_name name) {
    return name == RFT_FIT_BANDWIDTH ? fit->memory_rate : name == RFT_FIT_PEAK ? fit->peak_rate : (double)NAN;
}
