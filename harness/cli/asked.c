/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/asked.h"

#include "model/sweep/budget.h"

#include <string.h>

/* What is given for all sweeps together is each one's share. */
static void share_budget(rft_search_opts *search, const char *text, size_t sweep_count) {
    rft_budget all = {0};
    rft_err ignored = RFT_ERR_INIT; /* it was read before */
    (void)rft_budget_parse(&all, text, &ignored);
    search->budget_s = all.seconds > 0 ? all.seconds / (double)sweep_count : search->budget_s;
    search->budget_gpu_s = all.gpu_s > 0 ? all.gpu_s / (double)sweep_count : search->budget_gpu_s;
}

const rft_sweep *rft_asked_sweep(const rft_run_options *o, const rft_sweep *sweep, size_t sweep_count,
                                 rft_arena *arena) {
    rft_sweep *asked = rft_arena_memdup(arena, sweep, sizeof *sweep);
    for (size_t i = 0; i < RFT_SWEEP_SETTINGS; i++) {
        const rft_setting *setting = &rft_sweep_settings[i];
        rft_err ignored = RFT_ERR_INIT;
        if (!o->asked[i]) {
            continue;
        }
        (void)rft_setting_read(setting, asked, o->asked[i], &ignored);
        if (setting->kind == RFT_SETTING_BUDGET) {
            share_budget(&asked->search, o->asked[i], sweep_count);
        }
        if (setting->offset == offsetof(rft_sweep, search.seed)) {
            asked->search.seed_given = true;
        }
    }
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
