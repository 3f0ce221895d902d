/* SPDX-License-Identifier: Apache-2.0 */
#include "model/roofline/step_bound.h"

#include <math.h>
#include <stdint.h>

size_t rft_step_bound_count(const rft_point *point) {
    const rft_measurement *m = rft_point_measurement(point);
    bool timed = m != NULL && point->step_count > 1 && m->step_count == point->step_count && m->step_s != NULL;
    return timed ? point->step_count : 0;
}

/* The step as if it were a point: bound.c judges it by the same rule. */
static rft_bound judge(const rft_run *run, const rft_point *point, size_t i, rft_cache_mode cache) {
    rft_point alone = *point;
    rft_measurement *m = &alone.rounds[RFT_ROUNDS - 1];
    *m = *rft_point_measurement(point);
    m->stats.median = m->step_s[i];
    m->cache = cache;
    alone.work = point->steps[i].work;
    alone.traffic = point->steps[i].traffic;
    alone.counters = NULL;
    alone.step_count = 0;
    return rft_bound_whole_of(run, &alone);
}

static bool same_verdict(const rft_bound *a, const rft_bound *b) {
    return a->resource == b->resource && a->pipe == b->pipe && a->firmness == b->firmness;
}

/* Behind the first step the L2 holds what the step before left, so bytes that fit it come from there or from device
 * memory: a verdict stands when it is the same either way. */
static void judge_after_others(const rft_run *run, const rft_point *point, size_t i, rft_step_bound *out) {
    const rft_step *step = &point->steps[i];
    bool says_where = step->traffic.present && !isnan(step->traffic.level_bytes[RFT_LEVEL_DRAM]);
    if (i == 0 || says_where || out->bound.resource == RFT_RESOURCE_LAUNCH) {
        return;
    }
    rft_bound from_l2 = judge(run, point, i, RFT_CACHE_HOT);
    if (!same_verdict(&out->bound, &from_l2)) {
        out->bound.resource = RFT_RESOURCE_UNKNOWN;
        out->bound.pipe = RFT_PIPE_COUNT;
        out->bound.firmness = RFT_FIRM_NONE;
        out->reason = "its bytes fit the L2 and may come from there or from device memory: traffic = { dram = ... } "
                      "would tell";
    }
}

rft_step_bound rft_step_bound_of(const rft_run *run, const rft_point *point, size_t i) {
    const rft_measurement *m = rft_point_measurement(point);
    double total_s = 0.0;
    for (size_t k = 0; k < m->step_count; k++) {
        total_s += m->step_s[k];
    }
    rft_step_bound out = {.name = point->steps[i].name,
                          .seconds = m->step_s[i],
                          .frac = m->step_s[i] / total_s,
                          .bound = {.resource = RFT_RESOURCE_UNKNOWN,
                                    .pipe = RFT_PIPE_COUNT,
                                    .firmness = RFT_FIRM_NONE,
                                    .frac = NAN,
                                    .evidence = RFT_EVIDENCE_DECLARED}};
    if (!point->steps[i].has_work && !point->steps[i].traffic.present) {
        out.reason = "the launch declares no work of its own";
        return out;
    }
    out.bound = judge(run, point, i, m->cache);
    judge_after_others(run, point, i, &out);
    return out;
}

size_t rft_step_bound_longest(const rft_point *point) {
    size_t count = rft_step_bound_count(point), longest = count > 0 ? 0 : SIZE_MAX;
    for (size_t i = 1; i < count; i++) {
        const double *step_s = rft_point_measurement(point)->step_s;
        longest = step_s[i] > step_s[longest] ? i : longest;
    }
    return longest;
}

rft_bound rft_bound_of(const rft_run *run, const rft_point *point) {
    size_t longest = rft_step_bound_longest(point);
    if (longest == SIZE_MAX) {
        return rft_bound_whole_of(run, point);
    }
    rft_step_bound step = rft_step_bound_of(run, point, longest);
    if (step.bound.resource == RFT_RESOURCE_UNKNOWN) {
        return rft_bound_whole_of(run, point);
    }
    step.bound.step = longest + 1;
    step.bound.step_name = step.name;
    step.bound.step_frac = step.frac;
    return step.bound;
}

const char *rft_step_bound_text(const rft_step_bound *step, rft_arena *arena) {
    return step->reason ? rft_arena_printf(arena, "unknown: %s", step->reason) : rft_bound_text(&step->bound, arena);
}
