/* SPDX-License-Identifier: Apache-2.0 */
#include "run/plan/losses.h"

#include <stdlib.h>
#include <string.h>

#define ANY_PROBLEM SIZE_MAX

static void key_of(const rft_run *run, size_t sweep, size_t variant, const rft_value *config,
                   char out[RFT_HASH_HEX_SIZE]) {
    size_t params = run->sweeps[sweep].sweep.variants[variant].param_count;
    rft_job_key((rft_job_place){sweep, variant, ANY_PROBLEM}, config, params, out);
}

void rft_losses_clear(rft_losses *losses) {
    rft_key_map_clear(&losses->counts);
}

void rft_losses_add(rft_losses *losses, const rft_run *run, const rft_point *point, int lost) {
    char key[RFT_HASH_HEX_SIZE];
    if (lost > 0) {
        key_of(run, point->sweep, point->variant, point->config, key);
        rft_key_map_put(&losses->counts, key, rft_key_map_get(&losses->counts, key, 0) + lost);
    }
}

int rft_losses_of(const rft_run *run, const rft_point *point) {
    return point->alias_of ? run->points[point->alias_of - 1].workers_lost : point->workers_lost;
}

/* " on n=64 (timed_out) and n=128 (crashed)" */
static void add_places(rft_str *text, const rft_run *run, const rft_job *job, rft_arena *arena) {
    size_t params = run->sweeps[job->sweep].sweep.variants[job->variant].param_count;
    const char *before = ", on ";
    for (size_t i = 0; i < run->point_count; i++) {
        const rft_point *point = &run->points[i];
        if (point->sweep == job->sweep && point->variant == job->variant && rft_losses_of(run, point) > 0 &&
            rft_values_equal(point->config, job->config, params)) {
            rft_str_addf(text, "%s%s (%s)", before,
                         rft_run_problem_text(run, point->sweep, point->problem, false, arena),
                         rft_outcome_name(point->outcome));
            before = " and ";
        }
    }
}

const char *rft_losses_verdict(const rft_losses *losses, const rft_run *run, const rft_job *job, rft_arena *arena) {
    char key[RFT_HASH_HEX_SIZE];
    if (losses->counts.used == 0) {
        return NULL;
    }
    key_of(run, job->sweep, job->variant, job->config, key);
    long long lost = rft_key_map_get(&losses->counts, key, 0);
    if (lost < RFT_LOSSES_ALLOWED) {
        return NULL;
    }
    rft_str text = RFT_STR_INIT;
    rft_str_add(&text, RFT_LOSSES_VERDICT "this configuration ended the device worker ");
    if (lost == 2) {
        rft_str_add(&text, "twice");
    } else {
        rft_str_addf(&text, "%lld times", lost);
    }
    add_places(&text, run, job, arena);
    const char *reason = rft_arena_strdup(arena, rft_str_get(&text));
    rft_str_clear(&text);
    return reason;
}
