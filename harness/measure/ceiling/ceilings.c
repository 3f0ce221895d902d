/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/ceiling/ceilings.h"
#include "measure/ceiling/ceiling_atomics.h"
#include "measure/ceiling/ceiling_bench.h"
#include "measure/ceiling/ceiling_host.h"
#include "measure/ceiling/ceiling_memory.h"
#include "measure/ceiling/ceiling_pipes.h"
#include "measure/ceiling/ceiling_tensor.h"
#include "measure/sampling.h"

size_t rft_ceilings_groups(rft_arena *arena, const rft_gpu_info *gpu, rft_ceiling_set wanted, rft_kernel_group **out) {
    size_t all = 0, count = 0;
    rft_kernel_group *groups = rft_arena_calloc(
        arena, RFT_MEMORY_GROUPS + RFT_PIPE_GROUPS + RFT_ATOMIC_GROUPS + RFT_TENSOR_GROUPS, sizeof *groups);
    rft_ceilings_memory_groups(arena, groups, &all);
    rft_ceilings_pipe_groups(arena, groups, &all);
    rft_ceilings_atomic_groups(arena, groups, &all);
    rft_ceilings_tensor_groups(arena, gpu, groups, &all);
    for (size_t i = 0; i < all; i++) {
        if (groups[i].ceilings & wanted) {
            groups[count++] = groups[i];
        }
    }
    *out = groups;
    return count;
}

static bool any_asked(const rft_protocol *p, rft_ceiling_id first, rft_ceiling_id last) {
    bool any = false;
    for (int id = (int)first; id <= (int)last; id++) {
        any = any || rft_ceilings_asked(p, (rft_ceiling_id)id);
    }
    return any;
}

static int measure_kind(rft_protocol *p, rft_arena *arena, int kind, rft_ceilings *out, rft_err *err) {
    switch (kind) {
    case 0:
        return rft_ceilings_asked(p, RFT_CEILING_LAUNCH) ? rft_ceilings_launch(p, arena, out, err) : RFT_OK;
    case 1:
        return any_asked(p, RFT_CEILING_DRAM_READ, RFT_CEILING_SHARED_READ) ? rft_ceilings_memory(p, arena, out, err)
                                                                            : RFT_OK;
    case 2:
        return any_asked(p, RFT_CEILING_FP64, RFT_CEILING_INT32) ? rft_ceilings_pipes(p, arena, out, err) : RFT_OK;
    case 3:
        return any_asked(p, RFT_CEILING_ATOMICS_FIRST, RFT_CEILING_ATOMICS_END - 1)
                   ? rft_ceilings_atomics(p, arena, out, err)
                   : RFT_OK;
    case 4:
        return any_asked(p, RFT_CEILING_TENSOR_FIRST, RFT_CEILING_TENSOR_END - 1)
                   ? rft_ceilings_tensor(p, arena, out, err)
                   : RFT_OK;
    default:
        return any_asked(p, RFT_CEILING_H2D, RFT_CEILING_H2D_D2H) ? rft_ceilings_host(p, arena, out, err) : RFT_OK;
    }
}

#define KINDS 6

static void note_times(const rft_protocol *p, rft_ceilings *out) {
    int64_t now_ns = p->clock->unix_ns(p->clock->self);
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        out->items[id].measured_unix_ns = out->items[id].measured ? now_ns : 0;
    }
}

int rft_ceilings_measure(rft_protocol *p, const rft_ceilings_request *request, rft_arena *arena, rft_ceilings *out,
                         rft_err *err) {
    p->asked = request;
    for (int id = 0; id < RFT_CEILING_COUNT; id++) {
        bool asked = rft_ceilings_asked(p, (rft_ceiling_id)id) && id < RFT_CEILING_SEVERAL_FIRST;
        out->items[id] =
            rft_ceiling_none(asked ? "not measured in this version" : rft_ceiling_not_asked((rft_ceiling_id)id));
    }
    p->sampling.blocking = true;
    rft_busy_take(p);
    int rc = rft_timing_take_flush(p, err);
    if (rc == RFT_OK) {
        rc = rft_timing_wake(p, err);
    }
    for (int kind = 0; rc == RFT_OK && kind < KINDS; kind++) {
        rc = measure_kind(p, arena, kind, out, err);
    }
    p->asked = NULL;
    note_times(p, out);
    out->busy_s = rft_busy_take(p);
    return rc;
}
