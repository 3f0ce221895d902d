/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan/prune.h"

#include "base/units.h"
#include "model/roofline/placement.h"

#include <math.h>
#include <stdlib.h>

static const rft_sweep *sweep_of(const rft_pruner *p) {
    return p->opts->plan->sweeps[p->place.sweep];
}

static void take_limits(rft_pruner *p) {
    p->arena = rft_arena_new();
    p->limits = *p->opts->run;
    rft_limits_complete(&p->limits, p->arena);
}

void rft_pruner_begin(rft_pruner *p, const rft_exec_opts *opts, rft_job_place place, const rft_space *space) {
    *p = (rft_pruner){.opts = opts,
                      .place = place,
                      .space = space,
                      .on = !opts->replay && !opts->no_prune,
                      .best_s = (double)INFINITY,
                      .best_high_s = (double)INFINITY,
                      .best_frac = NAN,
                      .count = rft_space_count(space)};
    p->left = p->count;
    take_limits(p);
    if (p->count <= RFT_PRUNE_MOST) {
        p->taken = rft_calloc(p->count + 1, sizeof *p->taken);
        p->floors = rft_calloc(p->count + 1, sizeof *p->floors);
    }
    for (uint64_t i = 0; p->floors && i < p->count; i++) {
        p->floors[i].seconds = (double)NAN;
    }
}

void rft_pruner_end(rft_pruner *p) {
    free(p->floors);
    free(p->taken);
    rft_arena_free(p->arena);
    p->arena = NULL;
    p->floors = NULL;
    p->taken = NULL;
}

static rft_floor floor_of(const rft_pruner *p, const rft_point_spec *spec) {
    return rft_floor_of(&p->limits, &spec->work, &spec->traffic, sweep_of(p)->measure.cache);
}

static bool may_prune(const rft_pruner *p) {
    return p->on && !p->refuted && p->kept_to >= RFT_PRUNE_AFTER;
}

void rft_pruner_judge(const rft_pruner *p, rft_job *job) {
    if (!may_prune(p) || job->failed || !job->spelled) {
        return;
    }
    rft_floor floor = floor_of(p, &job->spec);
    char best[32];
    if (floor.seconds > p->best_high_s) {
        rft_units_format_seconds(best, sizeof best, p->best_s, 3);
        rft_job_skip(job, rft_arena_printf(job->arena, "cannot win: it needs at least %s, the best so far took %s",
                                           rft_floor_text(&floor, job->arena), best));
    }
}

/* ---- what was seen ---- */

static void refute(rft_pruner *p, const rft_point *point, const rft_floor *floor) {
    rft_arena *arena = rft_arena_new();
    char time[32];
    rft_units_format_seconds(time, sizeof time, point->rounds[0].stats.median, 3);
    p->refuted = true;
    rft_log_warn(p->opts->log,
                 "sweep %s: point %lld took %s, less than the %s that its kernel's figures say: nothing is left out on "
                 "account of them any more. Check `work` and `traffic` of the kernel.",
                 sweep_of(p)->name, (long long)point->id, time, rft_floor_text(floor, arena));
    rft_arena_free(arena);
}

void rft_pruner_told(rft_pruner *p, uint64_t index, const rft_point *point) {
    const rft_measurement *round = &point->rounds[0];
    p->left -= p->left > 0 ? 1 : 0;
    if (p->taken) {
        p->taken[index] = true;
    }
    p->differ = point->traffic.present ? RFT_FLOORS_DIFFER : p->differ;
    if (round->n == 0 || !(round->stats.median > 0)) {
        return;
    }
    if (round->stats.median < p->best_s) {
        p->best_s = round->stats.median;
        p->best_high_s = fmax(round->stats.median, round->stats.high);
        p->best_frac = rft_placement_of(p->opts->run, point).efficiency_frac;
    }
    if (p->on && !p->refuted) {
        rft_floor floor = rft_floor_of(&p->limits, &point->work, &point->traffic, round->cache);
        if (round->stats.median * RFT_PRUNE_SLACK < floor.seconds) {
            refute(p, point, &floor);
        } else {
            p->kept_to++;
        }
    }
}

/* ---- the certificate ---- */

/* `arena` for what the script makes. */
static rft_kept_floor work_out(rft_pruner *p, uint64_t index, rft_arena *arena) {
    const rft_sweep *sweep = sweep_of(p);
    const rft_variant *variant = &sweep->variants[p->place.variant];
    rft_value *config = rft_arena_calloc(arena, variant->param_count + 1, sizeof *config);
    rft_point_spec spec;
    rft_err err = RFT_ERR_INIT;
    rft_space_get(p->space, index, config);
    int rc = sweep->vt->point(sweep->self, p->place.variant, sweep->problems[p->place.problem].values, config, arena,
                              &spec, &err);
    if (rc == RFT_E_SCRIPT_STOPPED) {
        return (rft_kept_floor){0, 0}; /* nothing is known of it; the next job ends the run */
    }
    if (rc != RFT_OK) {
        return (rft_kept_floor){(double)INFINITY, (double)INFINITY};
    }
    p->differ = spec.traffic.present ? RFT_FLOORS_DIFFER : RFT_FLOORS_ALIKE;
    rft_floor floor = floor_of(p, &spec);
    return (rft_kept_floor){floor.seconds, floor.sum_s};
}

static rft_kept_floor floor_at(rft_pruner *p, uint64_t index) {
    if (p->floors && !isnan(p->floors[index].seconds)) {
        return p->floors[index];
    }
    rft_arena *arena = rft_arena_new();
    rft_kept_floor floor = work_out(p, index, arena);
    rft_arena_free(arena);
    if (p->floors) {
        p->floors[index] = floor;
    }
    return floor;
}

rft_outlook rft_pruner_outlook(void *payload, uint64_t index) {
    rft_pruner *p = payload;
    const rft_outlook unknown = {(double)NAN, (double)NAN};
    if (p->differ == RFT_FLOORS_ALIKE || p->refuted) {
        return unknown;
    }
    rft_kept_floor floor = floor_at(p, index);
    return p->differ == RFT_FLOORS_ALIKE ? unknown : (rft_outlook){floor.seconds, floor.sum_s};
}

void rft_pruner_advance(rft_pruner *p) {
    if (!may_prune(p) || p->differ != RFT_FLOORS_DIFFER || !p->floors) {
        return;
    }
    for (uint64_t end = p->spelled + RFT_PRUNE_SLICE; p->spelled < p->count && p->spelled < end; p->spelled++) {
        floor_at(p, p->spelled);
    }
}

static bool is_certified(rft_pruner *p) {
    if (!may_prune(p) || p->differ != RFT_FLOORS_DIFFER || !p->floors || p->spelled < p->count) {
        return false;
    }
    p->least_s = (double)INFINITY;
    for (uint64_t i = 0; i < p->count; i++) {
        if (!p->taken[i] && !(p->floors[i].seconds >= p->least_s)) {
            p->least_s = p->floors[i].seconds;
            if (!(p->least_s > (1.0 + RFT_PRUNE_PROCESS_FRAC) * p->best_high_s)) {
                return false;
            }
        }
    }
    return isfinite(p->least_s);
}

static double goal_of(const rft_pruner *p) {
    return sweep_of(p)->search.goal_frac;
}

bool rft_pruner_has_goal(const rft_pruner *p) {
    return goal_of(p) > 0;
}

const char *rft_pruner_is_over(rft_pruner *p, rft_arena *arena) {
    char best[32], least[32];
    double goal = goal_of(p);
    if (p->left == 0) {
        return NULL;
    }
    if (goal > 0 && p->best_frac >= goal) {
        return rft_arena_printf(arena, "the goal was met: %s of the roof, %s were asked for",
                                rft_arena_fixed(arena, p->best_frac * 100, 1, " %"),
                                rft_arena_fixed(arena, goal * 100, 1, " %"));
    }
    if (!is_certified(p)) {
        return NULL;
    }
    rft_units_format_seconds(best, sizeof best, p->best_s, 3);
    rft_units_format_seconds(least, sizeof least, p->least_s, 3);
    return rft_arena_printf(arena,
                            "certified: the hardware's limits leave each at least %s by its modelled traffic, the best "
                            "took %s",
                            least, best);
}
