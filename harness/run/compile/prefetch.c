/* SPDX-License-Identifier: Apache-2.0 */
#include "run/compile/prefetch.h"

#include "measure/protocol.h"

#include <stdlib.h>

#define TIMEOUT_S 60.0 /* the largest takes two seconds on a slow core */

void rft_prefetch_begin(rft_prefetch *prefetch, rft_compile_pool *pool, const rft_gpu_info *gpu,
                        rft_ceiling_set wanted) {
    *prefetch = (rft_prefetch){.pool = pool};
    if (!prefetch->pool) {
        return;
    }
    rft_arena *arena = rft_arena_new();
    rft_compile_request *requests = NULL;
    size_t ceilings = 0;
    size_t count = rft_protocol_units(gpu, wanted, arena, &requests, &ceilings);
    prefetch->tickets = rft_calloc(count + 1, sizeof *prefetch->tickets);
    prefetch->first[RFT_PREFETCH_CEILINGS] = ceilings;
    prefetch->first[RFT_PREFETCH_GROUPS] = count;
    for (size_t i = 0; i < prefetch->first[RFT_PREFETCH_GROUPS]; i++) {
        prefetch->tickets[i] = rft_compile_pool_submit(prefetch->pool, &requests[i], TIMEOUT_S);
    }
    rft_arena_free(arena);
}

void rft_prefetch_await(rft_prefetch *prefetch, rft_prefetch_group group) {
    if (!prefetch->pool || prefetch->awaited[group]) {
        return;
    }
    prefetch->awaited[group] = true;
    for (size_t i = prefetch->first[group]; i < prefetch->first[group + 1]; i++) {
        const rft_compile_result *result = NULL;
        bool timed_out = false;
        rft_err ignored = RFT_ERR_INIT;
        (void)rft_compile_pool_wait(prefetch->pool, prefetch->tickets[i], &result, &timed_out, &ignored);
        rft_compile_pool_release(prefetch->pool, prefetch->tickets[i]);
    }
}

void rft_prefetch_end(rft_prefetch *prefetch) {
    for (int group = 0; prefetch->pool && group < RFT_PREFETCH_GROUPS; group++) {
        for (size_t i = prefetch->first[group]; !prefetch->awaited[group] && i < prefetch->first[group + 1]; i++) {
            rft_compile_pool_release(prefetch->pool, prefetch->tickets[i]);
        }
    }
    free(prefetch->tickets);
    *prefetch = (rft_prefetch){0};
}
