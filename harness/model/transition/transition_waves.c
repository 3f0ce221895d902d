/* SPDX-License-Identifier: Apache-2.0 */
/*
 * transition_waves.c - the ridge formula's place on a profile, and what the last, part-filled wave of blocks moves it
 * by (transition_parts.h; docs/corrections.md, E3): 0.48 waves of blocks take the time of one.
 */
#include "model/transition/transition_parts.h"

#include <math.h>

/* A last wave that costs less than this is not worth a word. */
#define LEAST_STRETCH 1.1
/* Nor does anything ask for a reason where place and ridge are so near (logarithm of their ratio). */
#define NEAR_LOG 0.05

/* Seconds at the datasheet's rate in place of the measured one. */
static double by_datasheet(const rft_profile_line *line, const rft_share *share) {
    const rft_ceilings *ceilings = &line->run->ceilings;
    double value = share->ceiling < RFT_CEILING_COUNT ? ceilings->items[share->ceiling].datasheet : (double)NAN;
    return share->seconds * rft_ceilings_rate(ceilings, share->ceiling) / value;
}

double rft_line_ridge(const rft_profile_line *line, const rft_ridge_of *of) {
    double before = NAN;
    for (size_t i = 0; i < line->count; i++) {
        const rft_share *a = rft_line_share(line, i, of->first), *b = rft_line_share(line, i, of->second);
        double apart = NAN;
        if (a && b) {
            double first_s = of->datasheet ? by_datasheet(line, a) : a->seconds;
            double second_s = of->datasheet ? by_datasheet(line, b) : b->seconds;
            apart = log(second_s * (of->stretch ? of->stretch[i] : 1.0) / first_s);
        }
        if (before < 0.0 && apart >= 0.0) {
            double left = rft_value_number(&rft_line_step(line, i - 1)->value);
            double right = rft_value_number(&rft_line_step(line, i)->value);
            return exp(log(left) + log(right / left) * before / (before - apart));
        }
        before = apart;
    }
    return NAN;
}

bool rft_transition_ridge_bounds(const rft_profile_line *line, const rft_transition *of, rft_bound *first,
                                 rft_bound *second) {
    const rft_bound *from = &line->profile->steps[of->from].bound, *to = &line->profile->steps[of->to].bound;
    *first = *from;
    *second = *to;
    if (rft_bound_same(from, to)) {
        return false;
    }
    if (rft_bound_is_firm(from) && rft_bound_is_firm(to)) {
        return true;
    }
    if (rft_bound_limit(to) != RFT_RESOURCE_PIPE) {
        return false;
    }
    /* From latency to a pipe: the formula knows no latency, and compares with memory. */
    static const rft_resource memory[] = {RFT_RESOURCE_DRAM, RFT_RESOURCE_L2};
    for (size_t i = 0; i < sizeof memory / sizeof *memory; i++) {
        first->resource = memory[i];
        for (size_t k = 0; k < line->count; k++) {
            if (rft_line_share(line, k, first) != NULL) {
                return true;
            }
        }
    }
    return false;
}

static double stretch_of(const rft_profile_line *line, size_t at) {
    double waves = rft_line_step(line, at)->best->facts.waves;
    return waves > 0.0 ? ceil(waves - 1e-9) / waves : (double)NAN;
}

/* The first measured value from the place on. */
static size_t step_after(const rft_profile_line *line, double where) {
    size_t at = 0;
    while (at + 1 < line->count && rft_value_number(&rft_line_step(line, at)->value) < where) {
        at++;
    }
    return at;
}

const char *rft_transition_waves(const rft_profile_line *line, const rft_transition *of) {
    rft_bound first, second;
    size_t at = step_after(line, of->where);
    double stretch = stretch_of(line, at);
    if (of->kind != RFT_TRANSITION_FOUND || !(stretch >= LEAST_STRETCH) ||
        !rft_transition_ridge_bounds(line, of, &first, &second) || rft_bound_limit(&second) != RFT_RESOURCE_PIPE) {
        return NULL;
    }
    double *stretches = rft_arena_calloc(line->arena, line->count, sizeof *stretches);
    for (size_t i = 0; i < line->count; i++) {
        stretches[i] = stretch_of(line, i);
    }
    double ridge = rft_line_ridge(line, &(rft_ridge_of){&first, &second, stretches, false});
    double apart = log(of->where / of->ridge), explained = log(ridge / of->ridge) / apart;
    double waves = rft_line_step(line, at)->best->facts.waves,
           value = rft_value_number(&rft_line_step(line, at)->value);
    const char *cost = rft_arena_printf(
        line->arena, "%s waves of blocks at %s take the time of %s: %s at most %s %% of its ceiling",
        rft_arena_fixed(line->arena, waves, 2, ""), rft_arena_fixed(line->arena, value, value < 100.0 ? 1 : 0, ""),
        rft_arena_fixed(line->arena, ceil(waves - 1e-9), 0, ""), rft_resource_name(second.resource, second.pipe),
        rft_arena_fixed(line->arena, 100.0 / stretch, 0, ""));
    if (isnan(ridge)) {
        return cost;
    }
    const char *place = rft_arena_fixed(line->arena, ridge, ridge < 100.0 ? 1 : 0, "");
    if (isnan(explained) || fabs(apart) < NEAR_LOG) {
        return rft_arena_printf(line->arena, "%s; with that the ridge formula says %s", cost, place);
    }
    return rft_arena_printf(line->arena, "%s; with that the ridge formula says %s, which explains %s", cost, place,
                            explained <= 0.0
                                ? "nothing of the distance"
                                : rft_arena_fixed(line->arena, 100.0 * fmin(explained, 9.99), 0, " % of the distance"));
}
