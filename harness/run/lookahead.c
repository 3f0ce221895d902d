/* SPDX-License-Identifier: Apache-2.0 */
#include "run/lookahead.h"

#include <stdlib.h>
#include <string.h>

/* ---- jobs ---- */

static rft_job *new_job(const rft_recorder *r, rft_job_place place, const rft_value *config, const rft_pruner *pruner) {
    rft_job *job = rft_job_new(r->opts, place, config);
    if (pruner) {
        rft_pruner_judge(pruner, job);
    }
    if (rft_recorder_needs(r, job)) {
        rft_job_compile(r->opts, job);
    }
    return job;
}

bool rft_lookahead_is_verified(const rft_recorder *r, rft_job_place odd, const rft_value *config) {
    char key[RFT_HASH_HEX_SIZE];
    rft_job_key(odd, config, r->opts->plan->sweeps[odd.sweep]->variants[odd.variant].param_count, key);
    int64_t known = rft_recorder_find(r, key);
    return known && rft_recorder_passed(r, known);
}

/* NULL when the configuration is not valid on the odd problem, or has been there already. */
static rft_job *new_odd_job(const rft_recorder *r, rft_job_place odd, const rft_value *config) {
    const rft_space *space = rft_plan_space(r->opts->plan, odd.sweep, odd.variant, odd.problem);
    if (rft_space_find(space, config) == UINT64_MAX || rft_lookahead_is_verified(r, odd, config)) {
        return NULL;
    }
    return new_job(r, odd, config, NULL);
}

rft_lookahead_entry rft_lookahead_entry_new(const rft_recorder *r, rft_job_place place, uint64_t index,
                                            size_t odd_problem, const rft_pruner *pruner) {
    const rft_plan *plan = r->opts->plan;
    rft_lookahead_entry made = {.job = NULL};
    rft_value *config = rft_calloc(plan->sweeps[place.sweep]->variants[place.variant].param_count + 1, sizeof *config);
    rft_space_get(rft_plan_space(plan, place.sweep, place.variant, place.problem), index, config);
    if (odd_problem != SIZE_MAX) { /* first: it is taken first */
        made.odd = new_odd_job(r, (rft_job_place){place.sweep, place.variant, odd_problem}, config);
    }
    made.job = new_job(r, place, config, pruner);
    made.job->index = index;
    free(config);
    return made;
}

void rft_lookahead_entry_free(rft_lookahead_entry *entry) {
    rft_job_free(entry->odd);
    rft_job_free(entry->job);
    *entry = (rft_lookahead_entry){.job = NULL};
}

/* ---- those that wait ---- */

void rft_lookahead_begin(rft_lookahead *ahead, const rft_recorder *recorder, bool as_compiled) {
    *ahead = (rft_lookahead){.recorder = recorder, .as_compiled = as_compiled, .verifying = true};
}

void rft_lookahead_end(rft_lookahead *ahead) {
    for (size_t i = 0; i < ahead->count; i++) {
        rft_lookahead_entry_free(&ahead->all[i]);
    }
    free(ahead->all);
    *ahead = (rft_lookahead){.count = 0};
}

/* 0: it is not known, or this session has been there. */
static int64_t known_id(const rft_lookahead *ahead, const rft_job *job) {
    int64_t id = job ? rft_recorder_find(ahead->recorder, job->key) : 0;
    return id && !rft_recorder_passed(ahead->recorder, id) ? id : 0;
}

void rft_lookahead_put(rft_lookahead *ahead, const rft_lookahead_entry *entry) {
    RFT_GROW(ahead->all, ahead->capacity, ahead->count + 1);
    rft_lookahead_entry *put = &ahead->all[ahead->count++];
    *put = *entry;
    put->id = known_id(ahead, entry->job);
    put->odd_id = known_id(ahead, entry->odd);
}

bool rft_lookahead_is_ready(const rft_job *job) {
    rft_ticket tickets[RFT_JOB_TICKETS_MAX];
    size_t count = job->failed || !job->pool ? 0 : rft_job_tickets(job, tickets);
    for (size_t i = 0; i < count; i++) {
        if (!rft_compile_pool_is_answered(job->pool, tickets[i])) {
            return false;
        }
    }
    return true;
}

static size_t bytes_of(const rft_job *job) {
    rft_ticket tickets[RFT_JOB_TICKETS_MAX];
    size_t count = job->failed || !job->pool ? 0 : rft_job_tickets(job, tickets);
    const rft_compile_result *code = count > 0 ? rft_compile_pool_peek(job->pool, tickets[0]) : NULL;
    return RFT_LOOKAHEAD_ENTRY_BYTES + (code ? code->cubin_bytes : 0);
}

/* What has become ready since; it stays so. */
static void look(rft_lookahead *ahead) {
    ahead->compiling = ahead->held_bytes = 0;
    for (size_t i = 0; i < ahead->count; i++) {
        rft_lookahead_entry *entry = &ahead->all[i];
        if (!entry->ready && rft_lookahead_is_ready(entry->job)) {
            entry->ready = true;
            entry->ready_since = (double)ahead->readied++;
            entry->bytes = bytes_of(entry->job);
        }
        ahead->compiling += entry->ready ? 0 : 1;
        ahead->held_bytes += entry->ready ? entry->bytes : RFT_LOOKAHEAD_ENTRY_BYTES;
    }
}

static bool has_room(size_t compiling, size_t held_bytes, size_t workers) {
    size_t most = 2 * workers > RFT_LOOKAHEAD ? 2 * workers : RFT_LOOKAHEAD;
    return compiling < most && held_bytes < RFT_LOOKAHEAD_BYTES;
}

bool rft_lookahead_has_room(rft_lookahead *ahead, size_t workers) {
    look(ahead);
    return has_room(ahead->compiling, ahead->held_bytes, workers);
}

bool rft_lookahead_has_room_behind(rft_lookahead *ahead, rft_lookahead *before, size_t workers) {
    look(ahead);
    look(before);
    return has_room(ahead->compiling + before->compiling, ahead->held_bytes + before->held_bytes, workers);
}

bool rft_lookahead_is_starving(rft_lookahead *ahead, rft_lookahead *behind, size_t workers) {
    look(ahead);
    look(behind);
    return ahead->compiling > 0 && ahead->compiling + behind->compiling < workers &&
           ahead->held_bytes + behind->held_bytes < RFT_LOOKAHEAD_BYTES;
}

/* ---- in order ---- */

/* The first of the head's batch that is still to be verified on the odd problem. Batches are cut by the order of
 * asking, so that a continued run goes on as it would have gone on. */
static rft_job *next_in_order(const rft_lookahead *ahead, bool *is_odd) {
    for (size_t i = 0; i < ahead->count && ahead->all[i].batch == ahead->all[0].batch; i++) {
        if (ahead->all[i].odd) {
            *is_odd = true;
            return ahead->all[i].odd;
        }
    }
    return ahead->count > 0 ? ahead->all[0].job : NULL;
}

/* ---- as compiled ---- */

/* What an earlier session took, in its order. */
static rft_job *next_known(const rft_lookahead *ahead, bool *is_odd) {
    rft_job *found = NULL;
    int64_t least = INT64_MAX;
    for (size_t i = 0; i < ahead->count; i++) {
        const rft_lookahead_entry *entry = &ahead->all[i];
        int64_t id = entry->odd ? entry->odd_id : entry->id;
        if (id > 0 && id < least) {
            least = id;
            *is_odd = entry->odd != NULL;
            found = *is_odd ? entry->odd : entry->job;
        }
    }
    return found;
}

rft_job *rft_lookahead_expected(const rft_lookahead *ahead, bool *is_odd) {
    for (size_t i = 0; ahead->expected && i < ahead->count; i++) {
        const rft_lookahead_entry *entry = &ahead->all[i];
        if (entry->odd == ahead->expected || (!entry->odd && entry->job == ahead->expected)) {
            *is_odd = entry->odd != NULL;
            return *is_odd ? entry->odd : entry->job;
        }
    }
    return NULL;
}

/* By the strategy's choice, of those that are ready and verified. */
static rft_job *chosen_of(const rft_lookahead *ahead) {
    rft_ready *ready = rft_calloc(ahead->count + 1, sizeof *ready);
    rft_job **jobs = rft_calloc(ahead->count + 1, sizeof(rft_job *));
    size_t count = 0;
    for (size_t i = 0; i < ahead->count; i++) {
        const rft_lookahead_entry *entry = &ahead->all[i];
        if (entry->ready && !entry->odd && entry->job) {
            ready[count] = (rft_ready){entry->job->index, entry->ready_since};
            jobs[count++] = entry->job;
        }
    }
    rft_job *chosen = jobs[rft_strategy_next_of(ahead->chooser, ready, count, ahead->turn)]; /* of none: NULL */
    free(ready);
    free(jobs);
    return chosen;
}

/* Going from one problem to the other costs its inputs and its reference: a batch is verified, then timed. */
static rft_job *next_ready(rft_lookahead *ahead, bool *is_odd) {
    rft_job *odd = NULL, *job = NULL;
    size_t verified = 0;
    for (size_t i = 0; i < ahead->count; i++) {
        const rft_lookahead_entry *entry = &ahead->all[i];
        if (entry->odd) {
            odd = !odd && rft_lookahead_is_ready(entry->odd) ? entry->odd : odd;
        } else if (entry->ready) {
            job = job ? job : entry->job;
            verified++;
        }
    }
    if (verified == 0 || !odd || verified >= RFT_LOOKAHEAD) {
        ahead->verifying = verified == 0;
    }
    *is_odd = odd && ahead->verifying;
    return *is_odd ? odd : ahead->chooser ? chosen_of(ahead) : job;
}

rft_job *rft_lookahead_next(rft_lookahead *ahead, bool *is_odd) {
    *is_odd = false;
    if (!ahead->as_compiled) {
        return next_in_order(ahead, is_odd);
    }
    look(ahead);
    rft_job *next = next_known(ahead, is_odd);
    next = next ? next : rft_lookahead_expected(ahead, is_odd);
    return next ? next : next_ready(ahead, is_odd);
}

void rft_lookahead_take(rft_lookahead *ahead, const rft_job *job) {
    ahead->expected = NULL;
    for (size_t i = 0; i < ahead->count; i++) {
        if (ahead->all[i].odd == job) {
            ahead->all[i].odd = NULL;
            return;
        }
        if (ahead->all[i].job == job) {
            memmove(&ahead->all[i], &ahead->all[i + 1], (ahead->count - i - 1) * sizeof *ahead->all);
            ahead->count--;
            ahead->turn++;
            return;
        }
    }
}
