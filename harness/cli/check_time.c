/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/check_time.h"

#include "base/clock.h"
#include "cli/check_facts.h"
#include "cli/compose.h"
#include "model/roofline/floor.h"
#include "run/plan/budget_share.h"
#include "run/plan/limits.h"
#include "run/plan/prune.h"

#include <math.h>

#define SPELLED_MOST 2048  /* points of which the work is asked, a call into the script each ... */
#define SPELLED_MOST_S 1.0 /* ... or as many as that takes */

/* A roof that nothing beats: fmax() takes the one that is known. */
static int read_rates(rft_cli *cli, rft_run *limits, rft_arena *arena, rft_err *err) {
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        limits->ceilings.items[id] = rft_ceiling_none("");
    }
    int rc = rft_compose_annotate(cli, arena, &limits->ceilings, &limits->gpu, err);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        rft_ceiling *ceiling = &limits->ceilings.items[id];
        ceiling->limit = fmax(ceiling->limit, ceiling->datasheet);
    }
    return rc;
}

static double of_configurations(const rft_plan *plan, size_t s, double launch_s, double count, bool may_leave_out) {
    const rft_measure_opts *m = &plan->sweeps[s]->measure;
    double loser_samples = 2 * (1 + RFT_RACE_ONE_FRAC) - 1; /* in launches as fast as those of the best */
    double samples = m->no_race ? m->min_samples : fmin(m->min_samples, loser_samples);
    double each_s = launch_s + fmin(samples * launch_s, 4 * m->max_seconds);
    rft_budget_share share = rft_budget_share_of_segment(plan, s);
    count = fmin(count, share.points == UINT64_MAX ? count : (double)share.points);
    count = fmin(count, may_leave_out ? RFT_PRUNE_AFTER : count);
    return fmin(count * each_s, fmin(share.seconds, share.gpu_s));
}

/* NaN: not known. */
static double of_segment(const rft_plan *plan, size_t s, size_t v, size_t p, const rft_run *limits) {
    const rft_sweep *sweep = plan->sweeps[s];
    const rft_space *space = rft_plan_space(plan, s, v, p);
    if (!space || rft_space_count(space) == 0 || sweep->problems[p].odd) {
        return (double)NAN;
    }
    rft_arena *arena = rft_arena_new();
    rft_value *config = rft_arena_calloc(arena, sweep->variants[v].param_count + 1, sizeof *config);
    uint64_t index = rft_check_default(space, config);
    index = index == UINT64_MAX && rft_space_exact(space) ? 0 : index;
    double seconds = (double)NAN;
    rft_point_spec spec;
    rft_err ignored = RFT_ERR_INIT;
    if (index != UINT64_MAX) {
        rft_space_get(space, index, config);
        if (sweep->vt->point(sweep->self, v, sweep->problems[p].values, config, arena, &spec, &ignored) == RFT_OK) {
            rft_traffic none = rft_traffic_unknown();
            double launch_s = rft_floor_of(limits, &spec.work, &none, sweep->measure.cache).seconds;
            bool runs = !isnan(launch_s) && !rft_limits_exceeded(&spec, &limits->gpu, arena);
            seconds = runs ? of_configurations(plan, s, launch_s, (double)rft_space_count(space), spec.traffic.present)
                           : (double)NAN;
        }
    }
    rft_arena_free(arena);
    return seconds;
}

int rft_check_gpu_seconds(rft_cli *cli, const rft_plan *plan, const rft_gpu_info *gpu, double *out_s, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_run limits = {.gpu = *gpu};
    double sum_s = 0;
    size_t spelled = 0;
    const rft_clock *clock = rft_clock_system();
    int64_t end_ns = clock->monotonic_ns(clock->self) + (int64_t)(SPELLED_MOST_S * 1e9);
    int rc = read_rates(cli, &limits, arena, err);
    for (size_t s = 0; s < plan->sweep_count && rc == RFT_OK; s++) {
        const rft_sweep *sweep = plan->sweeps[s];
        size_t parts = sweep->bare_space ? 0 : sweep->variant_count * sweep->problem_count;
        for (size_t i = 0; i < parts && spelled < SPELLED_MOST && clock->monotonic_ns(clock->self) < end_ns; i++) {
            double part_s = of_segment(plan, s, i % sweep->variant_count, i / sweep->variant_count, &limits);
            sum_s += isnan(part_s) ? 0 : part_s;
            spelled++;
        }
    }
    *out_s = sum_s > 0 ? sum_s : (double)NAN;
    rft_arena_free(arena);
    return rc;
}
