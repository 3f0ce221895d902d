/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/asked.h"

#include <string.h>

static void put_seconds(double *out, double asked_s) {
    *out = asked_s > 0 ? asked_s : *out;
}

const rft_sweep *rft_asked_sweep(const rft_run_options *o, const rft_sweep *sweep, size_t sweep_count,
                                 rft_arena *arena) {
    rft_sweep *asked = rft_arena_memdup(arena, sweep, sizeof *sweep);
    rft_search_opts *search = &asked->search;
    rft_measure_opts *measure = &asked->measure;
    search->strategy = o->strategy ? o->strategy : search->strategy;
    search->seed = o->seed ? o->seed_value : search->seed;
    search->seed_given = o->seed || search->seed_given;
    search->objective = o->objective ? o->objective_value : search->objective;
    search->goal_frac = o->goal_frac > 0 ? o->goal_frac : search->goal_frac;
    search->budget_points = o->budgets.points ? o->budgets.points : search->budget_points;
    put_seconds(&search->budget_s, o->budgets.seconds / (double)sweep_count);
    put_seconds(&search->budget_gpu_s, o->budgets.gpu_s / (double)sweep_count);
    put_seconds(&measure->min_seconds, o->min_time_s);
    put_seconds(&measure->point_timeout_s, o->point_timeout_s);
    put_seconds(&measure->compile_timeout_s, o->compile_timeout_s);
    measure->no_race = o->no_race || measure->no_race;
    return asked;
}

static int began_otherwise(const rft_sweep *stored, const char *option, const char *value, rft_err *err) {
    rft_err_set(err, RFT_E_STORE, "the run of sweep %s was begun with %s %s", stored->name, option, value);
    return rft_err_remedy(err, "continue it with %s %s, name another file with -o, or start anew with --fresh", option,
                          value);
}

int rft_asked_continue(rft_sweep *stored, const rft_sweep *asked, rft_err *err) {
    const char *strategy = stored->search.strategy;
    rft_cache_mode cache = stored->measure.cache; /* of a bare space: the recording's */
    if (strcmp(strategy, asked->search.strategy) != 0) {
        return began_otherwise(stored, "--strategy", strategy, err);
    }
    if (stored->search.seed != asked->search.seed) {
        char seed[32];
        rft_text_format(seed, sizeof seed, "%llu", (unsigned long long)stored->search.seed);
        return began_otherwise(stored, "--seed", seed, err);
    }
    if (stored->search.objective != asked->search.objective) {
        return began_otherwise(stored, "--objective", rft_objective_name(stored->search.objective), err);
    }
    stored->search = asked->search;
    stored->search.strategy = strategy;
    stored->measure = asked->measure;
    stored->measure.cache = cache;
    return RFT_OK;
}
