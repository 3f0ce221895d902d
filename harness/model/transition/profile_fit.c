/* SPDX-License-Identifier: Apache-2.0 */
#include "model/transition/profile_fit.h"

#include "model/roofline/amount.h"

#include <math.h>

#define SEED 5

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
