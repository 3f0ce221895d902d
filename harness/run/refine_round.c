/* SPDX-License-Identifier: Apache-2.0 */
#include "run/refine_round.h"

#include "base/units.h"
#include "model/transition/refine.h"
#include "run/plan/job.h"

#include <stdlib.h>

#define NEAR_FRAC 0.02 /* as in the final round: what the first round knows medians to, four times */
#define MOST (2 * RFT_REFINE_TIED + RFT_REFINE_FIRSTS) /* configurations of a variant on a problem */

/* ---- which problems ---- */

static bool final_round_has_begun(const rft_run *run) {
    for (size_t i = 0; i < run->point_count; i++) {
        if (run->points[i].rounds[1].n > 0 || rft_recorder_failed_final(&run->points[i])) {
            return true;
        }
    }
    return false;
}

/* What earlier sessions have added: in the run, and not yet in the plan. */
static int take_up(rft_exec_state *e, size_t sweep, rft_err *err) {
    const rft_sweep *stored = &e->opts->run->sweeps[sweep].sweep;
    rft_plan *plan = e->opts->plan;
    int rc = RFT_OK;
    while (rc == RFT_OK && plan->sweeps[sweep]->problem_count < stored->problem_count) {
        size_t problem = plan->sweeps[sweep]->problem_count;
        rft_plan_added added;
        rc = rft_plan_add_problem(plan, sweep, &stored->problems[problem], &added, err);
        if (rc == RFT_OK && added.problem != problem) {
            rft_err_set(err, RFT_E_STORE, "sweep %s: what refine() had added cannot be made again%s%s", stored->name,
                        added.why ? ": " : "", added.why ? added.why : "");
            rc = rft_err_remedy(err, "name another file with -o, or start anew with --fresh");
        }
    }
    return rc;
}

int rft_refiner_begin(rft_refiner *r, rft_exec_state *state, size_t sweep, rft_err *err) {
    *r = (rft_refiner){.state = state, .sweep = sweep, .next = state->opts->plan->sweeps[sweep]->problem_count};
    r->over = final_round_has_begun(state->opts->run);
    return take_up(state, sweep, err);
}

static void tell(const rft_refiner *r, const rft_profile *profile, const rft_refine_value *found, const char *why) {
    const rft_exec_opts *opts = r->state->opts;
    const rft_sweep *sweep = opts->plan->sweeps[r->sweep];
    rft_str text = RFT_STR_INIT;
    rft_values_format(&text, &sweep->axes[profile->index].name, &found->value, 1);
    if (why) {
        rft_log_warn(opts->log,
                     "sweep %s: refine() leaves %s out: %s. Guard `with` against values between those given.",
                     sweep->name, rft_str_get(&text), why);
    } else {
        rft_log_debug(opts->log, "sweep %s: refine() adds %s", sweep->name, rft_str_get(&text));
    }
    rft_str_clear(&text);
}

/* One bisection of every flip on a line. */
static int add_along(rft_refiner *r, const rft_profile *profile, rft_arena *arena, rft_err *err) {
    const rft_exec_opts *opts = r->state->opts;
    rft_refine_value *found = NULL;
    size_t count = rft_refine_values(opts->run, profile, arena, &found);
    int rc = RFT_OK;
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        const rft_sweep *sweep = opts->plan->sweeps[r->sweep];
        rft_problem problem = {.refined = found[i].depth};
        rft_plan_added added;
        problem.values = rft_values_copy(arena, sweep->problems[found[i].left].values, sweep->axis_count);
        problem.values[profile->index] = found[i].value;
        rc = rft_plan_add_problem(opts->plan, r->sweep, &problem, &added, err);
        if (rc == RFT_OK && (added.problem != SIZE_MAX || added.why)) {
            tell(r, profile, &found[i], added.why);
        }
    }
    return rc;
}

static int add_more(rft_refiner *r, rft_err *err) {
    const rft_exec_opts *opts = r->state->opts;
    size_t before = opts->plan->sweeps[r->sweep]->problem_count;
    rft_arena *arena = rft_arena_new();
    rft_profile *profiles = NULL;
    size_t count = rft_profiles_along_axes(opts->run, r->sweep, SIZE_MAX, arena, &profiles);
    int rc = RFT_OK;
    for (size_t i = 0; i < count && rc == RFT_OK; i++) {
        rc = add_along(r, &profiles[i], arena, err);
    }
    if (rc == RFT_OK && opts->plan->sweeps[r->sweep]->problem_count > before) {
        rft_plan_describe_problems(opts->plan, r->sweep, opts->run);
        rc = rft_store_put_problems(opts->store, opts->run, r->sweep, before, err);
    }
    rft_arena_free(arena);
    return rc;
}

int rft_refiner_next(rft_refiner *r, bool may_add, size_t *problem, rft_err *err) {
    rft_plan *plan = r->state->opts->plan;
    bool more = rft_refine_is_asked(plan->sweeps[r->sweep]) && may_add && !r->over;
    int rc = r->next == plan->sweeps[r->sweep]->problem_count && more ? add_more(r, err) : RFT_OK;
    *problem = rc == RFT_OK && r->next < plan->sweeps[r->sweep]->problem_count ? r->next++ : SIZE_MAX;
    return rc;
}

/* ---- which configurations ---- */

typedef struct candidates {
    const rft_space *space;
    uint64_t *indices;
    size_t count;
} candidates;

static bool is_valid(const candidates *c, const rft_point *point) {
    return rft_space_find(c->space, point->config) != UINT64_MAX;
}

static void add_once(candidates *c, uint64_t index) {
    for (size_t i = 0; i < c->count; i++) {
        if (c->indices[i] == index) {
            return;
        }
    }
    c->indices[c->count++] = index;
}

static void add_point(candidates *c, const rft_point *point) {
    add_once(c, rft_space_find(c->space, point->config));
}

static bool ties(const rft_point *point, const rft_point *winner) {
    const rft_stats *stats = &point->rounds[0].stats, *fastest = &winner->rounds[0].stats;
    return stats->median <= (1 + NEAR_FRAC) * fastest->median || stats->low <= fastest->high;
}

/* The fastest of an end that are valid here, as far as they tie. */
static size_t winners(const rft_refiner *r, size_t variant, size_t end, const candidates *c, rft_arena *arena,
                      const rft_point **out) {
    const rft_point **ranked = NULL;
    size_t found = rft_run_ranked(r->state->opts->run, r->sweep, variant, end, arena, &ranked);
    size_t count = 0;
    for (size_t i = 0; i < found && count < RFT_REFINE_TIED; i++) {
        if (is_valid(c, ranked[i]) && (count == 0 || ties(ranked[i], out[0]))) {
            out[count++] = ranked[i];
        }
    }
    return count;
}

static void of_ends(const rft_refiner *r, size_t variant, const rft_refine_ends *ends, candidates *c,
                    rft_arena *arena) {
    const rft_point *left[RFT_REFINE_TIED], *right[RFT_REFINE_TIED];
    size_t lefts = winners(r, variant, ends->left, c, arena, left);
    size_t rights = winners(r, variant, ends->right, c, arena, right);
    for (size_t i = 0; i < RFT_REFINE_TIED; i++) {
        if (i < lefts) {
            add_point(c, left[i]);
        }
        if (i < rights) {
            add_point(c, right[i]);
        }
    }
}

static bool is_answered(const rft_exec_opts *opts, rft_job_place place, const candidates *c, uint64_t index) {
    rft_value *config =
        rft_calloc(opts->plan->sweeps[place.sweep]->variants[place.variant].param_count + 1, sizeof *config);
    rft_space_get(c->space, index, config);
    rft_job *job = rft_job_new(opts, place, config);
    rft_probe_result result = {0};
    rft_err ignored = RFT_ERR_INIT;
    bool answered =
        rft_job_probe(opts, job, false, &result, &ignored) == RFT_OK && result.outcome != RFT_OUTCOME_NOT_RECORDED;
    rft_job_free(job);
    free(config);
    return answered;
}

/* A recording of before has the winners alone: its replay says what it said. */
static void of_prior(const rft_refiner *r, rft_job_place place, const rft_prior_rank *prior, candidates *c) {
    const rft_exec_opts *opts = r->state->opts;
    for (size_t i = 0; i < prior->count && i < RFT_REFINE_FIRSTS; i++) {
        if (!opts->replay || is_answered(opts, place, c, prior->index[i])) {
            add_once(c, prior->index[i]);
        }
    }
}

/* Times of the final round may have changed the winners: what was measured stays what is measured. */
static void of_store(const rft_refiner *r, size_t variant, size_t problem, candidates *c) {
    const rft_run *run = r->state->opts->run;
    for (size_t i = 0; i < run->point_count && c->count < MOST; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == r->sweep && point->variant == variant && point->problem == problem && is_valid(c, point)) {
            add_point(c, point);
        }
    }
}

size_t rft_refiner_candidates(const rft_refiner *r, size_t variant, size_t problem, const rft_prior_rank *prior,
                              rft_arena *arena, uint64_t **out) {
    const rft_plan *plan = r->state->opts->plan;
    candidates c = {.space = rft_plan_space(plan, r->sweep, variant, problem)};
    rft_refine_ends ends;
    c.indices = rft_arena_calloc(arena, MOST, sizeof *c.indices);
    if (r->over) {
        of_store(r, variant, problem, &c);
    } else if (rft_refine_ends_of(plan->sweeps[r->sweep], problem, &ends)) {
        of_ends(r, variant, &ends, &c, arena);
        of_prior(r, (rft_job_place){r->sweep, variant, problem}, prior, &c);
    }
    *out = c.indices;
    return c.count;
}

/* ---- what is said ---- */

void rft_refiner_after(const rft_refiner *r, size_t problem) {
    const rft_exec_opts *opts = r->state->opts;
    size_t known = 0, missing = 0;
    for (size_t i = opts->run->point_count; opts->replay && i-- > 0;) {
        const rft_point *point = &opts->run->points[i];
        if (point->sweep == r->sweep && point->problem == problem) {
            missing += point->outcome == RFT_OUTCOME_NOT_RECORDED;
            known += point->outcome != RFT_OUTCOME_NOT_RECORDED;
        }
    }
    if (missing > 0 && known == 0) {
        rft_arena *arena = rft_arena_new();
        rft_log_warn(opts->log,
                     "sweep %s: refine() would measure %s, which the recording does not have. Measure on a device to "
                     "know it.",
                     opts->plan->sweeps[r->sweep]->name,
                     rft_run_problem_text(opts->run, r->sweep, problem, true, arena));
        rft_arena_free(arena);
    }
}

/* By one configuration; where it fails there, it may have others. */
static bool has_prior(const rft_sweep *sweep, size_t variant, const rft_problem *problem, const rft_space *space) {
    uint64_t any = sweep->vt->prior ? rft_space_sample(space, 1) : UINT64_MAX;
    double prior = 0;
    if (any == UINT64_MAX) {
        return false;
    }
    rft_value *config = rft_calloc(sweep->variants[variant].param_count + 1, sizeof *config);
    rft_space_get(space, any, config);
    int rc = sweep->vt->prior(sweep->self, variant, problem->values, config, &prior, NULL);
    free(config);
    return rc != RFT_OK || prior > 0;
}

/* Configurations of the variant on a problem. */
static uint64_t most_of_variant(const rft_plan *plan, size_t s, size_t v) {
    const rft_sweep *sweep = plan->sweeps[s];
    uint64_t most = 0, room = 2 * RFT_REFINE_TIED;
    for (size_t p = 0; p < sweep->problem_count; p++) {
        const rft_space *space = rft_plan_space(plan, s, v, p);
        uint64_t valid = sweep->problems[p].odd ? 0 : rft_space_count(space);
        most = valid > most ? valid : most;
        room = room < MOST && valid > room && has_prior(sweep, v, &sweep->problems[p], space) ? MOST : room;
    }
    return most < room ? most : room;
}

uint64_t rft_refine_most_points(const rft_plan *plan, size_t s) {
    const rft_sweep *sweep = plan->sweeps[s];
    uint64_t each = 0, problems = rft_refine_most(sweep);
    for (size_t v = 0; v < sweep->variant_count; v++) {
        each += problems > 0 ? most_of_variant(plan, s, v) : 0;
    }
    return each > 0 && problems > UINT64_MAX / each ? UINT64_MAX : problems * each;
}

const char *rft_refine_outlook(const rft_plan *plan, rft_arena *arena) {
    char text[32];
    uint64_t points = 0;
    for (size_t s = 0; s < plan->sweep_count; s++) {
        uint64_t more = rft_refine_most_points(plan, s);
        points = points > UINT64_MAX - more ? UINT64_MAX : points + more;
    }
    rft_units_format_count(text, sizeof text, points);
    return points ? rft_arena_printf(arena, "refine() may add up to %s points where the bound changes", text) : NULL;
}
