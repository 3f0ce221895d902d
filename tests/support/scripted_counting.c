/* SPDX-License-Identifier: Apache-2.0 */
#include "support/scripted_counting.h"

#include "base/str.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEFAULT_PASSES = 3, LARGE_PASSES = 14 };

struct rft_scripted_counting {
    rft_counting base;
    rft_scripted_gpu *gpu;
    rft_scripted_count count;
    void *self;
    rft_counter_set set;
    int passes, passed;
    bool open, in_pass;
    unsigned detached;
    int codes[RFT_SCRIPTED_STEPS];
    unsigned after[RFT_SCRIPTED_STEPS], calls[RFT_SCRIPTED_STEPS];
    size_t seen; /* of the GPU's history */
    rft_str before, inside;
};

static void take_history(rft_scripted_counting *c, rft_str *out) {
    const char *history = rft_scripted_history(c->gpu);
    size_t length = strlen(history);
    rft_str_truncate(out, 0);
    rft_str_add(out, history + (c->seen < length ? c->seen : length));
    c->seen = length;
}

static int step(rft_scripted_counting *c, rft_scripted_step which, rft_err *err) {
    if (c->calls[which]++ < c->after[which] || c->codes[which] == RFT_OK) {
        return RFT_OK;
    }
    rft_err_set(err, c->codes[which], "a scripted profiler refuses: ERR_NVGPUCTRPERM");
    rft_err_remedy(err, "allow it, or --counters none");
    return c->codes[which];
}

static void close_counting(rft_counting *base) {
    rft_scripted_counting *c = (rft_scripted_counting *)base;
    rft_str_clear(&c->before);
    rft_str_clear(&c->inside);
    free(c);
}

static int passes_of(const rft_counter_set *set) {
    int passes = 0;
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        int needs = !set->wanted[i] ? 0 : rft_counter_in_default((rft_counter)i) ? DEFAULT_PASSES : LARGE_PASSES;
        passes = needs > passes ? needs : passes;
    }
    return passes ? passes : set->raw_count > 0;
}

static int plan(rft_counting *base, const rft_counter_set *set, rft_counter_plan *out, rft_arena *arena, rft_err *err) {
    (void)base, (void)arena, (void)err;
    *out = (rft_counter_plan){.chip = "scripted", .version = "scripted", .passes = passes_of(set)};
    return RFT_OK;
}

static int begin(rft_counting *base, const rft_counter_set *set, int *passes, rft_err *err) {
    rft_scripted_counting *c = (rft_scripted_counting *)base;
    int rc = step(c, RFT_SCRIPTED_BEGIN, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (c->open) {
        return rft_err_set(err, RFT_E_INTERNAL, "begin() inside a session");
    }
    c->set = *set;
    c->passes = *passes = passes_of(set);
    c->passed = 0;
    c->open = true;
    take_history(c, &c->before);
    return RFT_OK;
}

static int start(rft_counting *base, rft_err *err) {
    rft_scripted_counting *c = (rft_scripted_counting *)base;
    rft_gpu *gpu = rft_scripted_gpu_device(c->gpu);
    int rc = step(c, RFT_SCRIPTED_START, err);
    if (rc == RFT_OK && (!c->open || c->in_pass || c->passed == c->passes)) {
        rc = rft_err_set(err, RFT_E_INTERNAL, "start() out of order");
    }
    if (rc == RFT_OK && (rc = gpu->vt->sync(gpu, err)) == RFT_OK) {
        c->in_pass = true;
        take_history(c, &c->before);
    }
    return rc;
}

static int stop(rft_counting *base, bool *again, rft_err *err) {
    rft_scripted_counting *c = (rft_scripted_counting *)base;
    rft_gpu *gpu = rft_scripted_gpu_device(c->gpu);
    int rc = step(c, RFT_SCRIPTED_STOP, err);
    *again = false;
    if (rc == RFT_OK && !c->in_pass) {
        rc = rft_err_set(err, RFT_E_INTERNAL, "stop() out of order");
    }
    if (rc == RFT_OK) {
        c->in_pass = false;
        take_history(c, &c->inside);
        rc = gpu->vt->sync(gpu, err);
        *again = rc == RFT_OK && ++c->passed < c->passes;
    }
    return rc;
}

static void fill(rft_scripted_counting *c, rft_counters *out, rft_arena *arena) {
    rft_counters all = rft_counters_unknown(NULL);
    c->count(c->self, &all);
    *out = rft_counters_unknown(RFT_COUNTER_NOT_ASKED);
    out->passes = c->passes;
    for (int i = 0; i < RFT_COUNTER_COUNT; i++) {
        if (c->set.wanted[i]) {
            out->values[i] = all.values[i];
            out->reasons[i] = isnan(all.values[i]) ? "no number" : NULL;
        }
    }
    out->raw = rft_arena_calloc(arena, c->set.raw_count + 1, sizeof *out->raw);
    out->raw_count = c->set.raw_count;
    for (size_t i = 0; i < out->raw_count; i++) {
        out->raw[i] = (rft_counter_raw){rft_arena_strdup(arena, c->set.raw[i]), (double)i + 0.5, NULL};
    }
}

static int end(rft_counting *base, rft_counters *out, rft_arena *arena, rft_err *err) {
    rft_scripted_counting *c = (rft_scripted_counting *)base;
    bool complete = c->passed == c->passes;
    int rc = step(c, RFT_SCRIPTED_END, err);
    if (!c->open) {
        return rft_err_set(err, RFT_E_INTERNAL, "end() outside a session");
    }
    c->open = c->in_pass = false;
    if (rc == RFT_OK && out && !complete) {
        rc = rft_err_set(err, RFT_E_LIMIT, "passes are missing");
    } else if (rc == RFT_OK && out) {
        fill(c, out, arena);
    }
    return rc;
}

static void detach(rft_counting *base) {
    ((rft_scripted_counting *)base)->detached++;
}

static const rft_counting_vt vtable = {close_counting, plan, begin, start, stop, end, detach};

rft_scripted_counting *rft_scripted_counting_new(rft_scripted_gpu *gpu, rft_scripted_count count, void *self) {
    rft_scripted_counting *c = rft_alloc(sizeof *c);
    c->base.vt = &vtable;
    c->gpu = gpu;
    c->count = count;
    c->self = self;
    c->before = c->inside = (rft_str)RFT_STR_INIT;
    return c;
}

unsigned rft_scripted_counting_detached(const rft_scripted_counting *counting) {
    return counting->detached;
}

rft_counting *rft_scripted_counting_device(rft_scripted_counting *counting) {
    return &counting->base;
}

void rft_scripted_counting_fail(rft_scripted_counting *counting, rft_scripted_step which, int code, unsigned after) {
    counting->codes[which] = code;
    counting->after[which] = after;
}

bool rft_scripted_counting_is_open(const rft_scripted_counting *counting) {
    return counting->open;
}

unsigned rft_scripted_counting_calls(const rft_scripted_counting *counting, rft_scripted_step which) {
    return counting->calls[which];
}

const char *rft_scripted_counting_before(const rft_scripted_counting *counting) {
    return rft_str_get(&counting->before);
}

const char *rft_scripted_counting_inside(const rft_scripted_counting *counting) {
    return rft_str_get(&counting->inside);
}
