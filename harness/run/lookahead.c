/* SPDX-License-Identifier: Apache-2.0 */
#include "run/lookahead.h"

#include <stdlib.h>
#include <string.h>

void rft_lookahead_begin(rft_lookahead *ahead, const rft_recorder *recorder, bool as_compiled) {
    *ahead = (rft_lookahead){.recorder = recorder, .as_compiled = as_compiled, .verifying = true};
}

void rft_lookahead_end(rft_lookahead *ahead) {
    for (size_t i = 0; i < ahead->count; i++) {
        rft_job_free(ahead->all[i].odd);
        rft_job_free(ahead->all[i].job);
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

static bool is_ready(const rft_job *job) {
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
        if (!entry->ready && is_ready(entry->job)) {
            entry->ready = true;
            entry->bytes = bytes_of(entry->job);
        }
        ahead->compiling += entry->ready ? 0 : 1;
        ahead->held_bytes += entry->ready ? entry->bytes : RFT_LOOKAHEAD_ENTRY_BYTES;
    }
}

bool rft_lookahead_has_room(rft_lookahead *ahead, size_t workers) {
    size_t most = 2 * workers > RFT_LOOKAHEAD ? 2 * workers : RFT_LOOKAHEAD;
    look(ahead);
    return ahead->compiling < most && ahead->held_bytes < RFT_LOOKAHEAD_BYTES;
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

static rft_job *next_expected(const rft_lookahead *ahead, bool *is_odd) {
    for (size_t i = 0; ahead->expected && i < ahead->count; i++) {
        const rft_lookahead_entry *entry = &ahead->all[i];
        if (entry->odd == ahead->expected || (!entry->odd && entry->job == ahead->expected)) {
            *is_odd = entry->odd != NULL;
            return *is_odd ? entry->odd : entry->job;
        }
    }
    return NULL;
}

/* Going from one problem to the other costs its inputs and its reference: a batch is verified, then timed. */
static rft_job *next_ready(rft_lookahead *ahead, bool *is_odd) {
    rft_job *odd = NULL, *job = NULL;
    size_t verified = 0;
    for (size_t i = 0; i < ahead->count; i++) {
        const rft_lookahead_entry *entry = &ahead->all[i];
        if (entry->odd) {
            odd = !odd && is_ready(entry->odd) ? entry->odd : odd;
        } else if (entry->ready) {
            job = job ? job : entry->job;
            verified++;
        }
    }
    if (verified == 0 || !odd || verified >= RFT_LOOKAHEAD) {
        ahead->verifying = verified == 0;
    }
    *is_odd = odd && ahead->verifying;
    return *is_odd ? odd : job;
}

rft_job *rft_lookahead_next(rft_lookahead *ahead, bool *is_odd) {
    *is_odd = false;
    if (!ahead->as_compiled) {
        return next_in_order(ahead, is_odd);
    }
    look(ahead);
    rft_job *next = next_known(ahead, is_odd);
    next = next ? next : next_expected(ahead, is_odd);
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
            return;
        }
    }
}
