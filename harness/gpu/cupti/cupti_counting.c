/* SPDX-License-Identifier: Apache-2.0 */
/* counting.h on CUPTI: sessions, in an order that a fault in the counted launch cannot turn into a hang. */
#include "gpu/cupti/cupti_parts.h"
#include "gpu/driver/driver.h"

#include <stdlib.h>
#include <string.h>

typedef struct cupti_counting {
    rft_counting base; /* first: the vtable */
    rft_gpu *gpu;
    rft_cupti_lib *lib;
    rft_cupti_range *range;
    rft_cupti_host *host;
    rft_arena *arena; /* what is known of the chip */
    rft_cupti_choices choices;
    rft_arena *set_arena; /* of `selection`, kept for the next session that wants the same */
    rft_cupti_selection selection;
    bool is_selected, is_open, is_complete, in_pass;
} cupti_counting;

static bool lives(const cupti_counting *c) {
    return !c->gpu->vt->sticky(c->gpu);
}

static bool same_set(const rft_counter_set *a, const rft_counter_set *b) {
    bool same = a->raw_count == b->raw_count && memcmp(a->wanted, b->wanted, sizeof a->wanted) == 0;
    for (size_t i = 0; same && i < a->raw_count; i++) {
        same = strcmp(a->raw[i], b->raw[i]) == 0;
    }
    return same;
}

static void forget_selection(cupti_counting *c) {
    if (c->is_selected) {
        (void)rft_cupti_range_end(c->range, lives(c), NULL); /* it is attached for this one */
        rft_cupti_config_clear(c->host, &c->selection.config);
        rft_arena_reset(c->set_arena);
        c->is_selected = false;
    }
}

static int need_selection(cupti_counting *c, const rft_counter_set *set, rft_err *err) {
    if (c->is_selected && same_set(&c->selection.set, set)) {
        return 0;
    }
    forget_selection(c);
    int rc = rft_cupti_select(&c->selection, c->host, &c->choices, set, c->set_arena, err);
    c->is_selected = rc == 0;
    return rc;
}

static int in_order(bool good, const char *what, rft_err *err) {
    return good ? 0 : rft_err_set(err, RFT_E_INTERNAL, "counters: %s out of order", what);
}

static int counting_plan(rft_counting *base, const rft_counter_set *set, rft_counter_plan *out, rft_arena *arena,
                         rft_err *err) {
    cupti_counting *c = (cupti_counting *)base;
    int rc = in_order(!c->is_open, "plan", err);
    if (rc == 0 && (rc = need_selection(c, set, err)) == 0) {
        rft_cupti_selection_plan(&c->selection, &c->choices, rft_cupti_host_chip(c->host), out, arena);
        out->version = rft_arena_strdup(arena, rft_cupti_lib_version(c->lib));
    }
    return rc;
}

static int counting_begin(rft_counting *base, const rft_counter_set *set, int *passes, rft_err *err) {
    cupti_counting *c = (cupti_counting *)base;
    int rc = in_order(!c->is_open, "begin", err);
    *passes = 0;
    /* What ran before must be over: attaching waits for the context, and a fault in it would be taken for ours. */
    if (rc != 0 || (rc = c->gpu->vt->sync(c->gpu, err)) != 0 || (rc = need_selection(c, set, err)) != 0) {
        return rc;
    }
    if (c->selection.metric_count > 0 && (rc = rft_cupti_range_begin(c->range, &c->selection, err)) != 0) {
        return rc;
    }
    *passes = c->selection.config.passes;
    c->is_open = true;
    c->is_complete = c->selection.metric_count == 0;
    return 0;
}

static int counting_start(rft_counting *base, rft_err *err) {
    cupti_counting *c = (cupti_counting *)base;
    int rc = in_order(c->is_open && !c->in_pass && !c->is_complete, "start", err);
    if (rc == 0 && (rc = c->gpu->vt->sync(c->gpu, err)) == 0) {
        rc = rft_cupti_range_start(c->range, err);
        c->in_pass = rc == 0;
    }
    return rc;
}

static int counting_stop(rft_counting *base, bool *again, rft_err *err) {
    cupti_counting *c = (cupti_counting *)base;
    *again = false;
    int rc = in_order(c->in_pass, "stop", err);
    if (rc != 0) {
        return rc;
    }
    c->in_pass = false;
    /* First of all: after a fault CUPTI must not be asked anything, it would wait for a context that is gone. */
    if ((rc = c->gpu->vt->sync(c->gpu, err)) != 0) {
        return rc;
    }
    rc = rft_cupti_range_stop(c->range, again, err);
    c->is_complete = rc == 0 && !*again;
    return rc;
}

static int fetch(cupti_counting *c, rft_counters *out, rft_arena *arena, rft_err *err) {
    const char *chip = rft_cupti_host_chip(c->host);
    const uint8_t *data = NULL;
    size_t bytes = 0;
    if (!c->is_complete) {
        return rft_err_set(err, RFT_E_LIMIT, "counters: the session ended before all its %d passes were run",
                           c->selection.config.passes);
    }
    if (c->selection.metric_count == 0) {
        rft_cupti_selection_counters(&c->selection, &c->choices, NULL, chip, out, arena);
        return 0;
    }
    double *values = rft_calloc(c->selection.metric_count, sizeof *values);
    int rc = rft_cupti_range_data(c->range, &data, &bytes, err);
    if (rc == 0) {
        rc = rft_cupti_host_values(c->host, &c->selection.config, data, bytes, c->selection.metrics,
                                   c->selection.metric_count, values, err);
    }
    if (rc == 0) {
        rft_cupti_selection_counters(&c->selection, &c->choices, values, chip, out, arena);
    }
    free(values);
    return rc;
}

static int counting_end(rft_counting *base, rft_counters *out, rft_arena *arena, rft_err *err) {
    cupti_counting *c = (cupti_counting *)base;
    int rc = in_order(c->is_open, "end", err);
    if (rc != 0) {
        return rc;
    }
    if (c->in_pass && lives(c)) {
        bool again = false;
        (void)counting_stop(base, &again, NULL); /* a pass given up in the middle: its counts are never fetched */
        c->is_complete = false;
    }
    if (!lives(c)) {
        rc = rft_cuda_usable((cuda_gpu *)c->gpu, err);
    } else if (out) {
        rc = fetch(c, out, arena, err);
    }
    bool well = rc == 0 && c->is_complete && lives(c);
    int ended = well ? 0 : rft_cupti_range_end(c->range, lives(c), rc == 0 ? err : NULL);
    c->is_open = c->in_pass = c->is_complete = false;
    return rc != 0 ? rc : ended;
}

static void counting_detach(rft_counting *base) {
    cupti_counting *c = (cupti_counting *)base;
    (void)rft_cupti_range_end(c->range, lives(c), NULL);
}

static void counting_close(rft_counting *base) {
    cupti_counting *c = (cupti_counting *)base;
    if (!c) {
        return;
    }
    if (c->is_open) {
        (void)counting_end(base, NULL, NULL, NULL);
    }
    if (c->host) {
        forget_selection(c);
    }
    rft_cupti_range_close(c->range, lives(c));
    rft_cupti_host_close(c->host);
    rft_cupti_lib_close(c->lib);
    rft_arena_free(c->set_arena);
    rft_arena_free(c->arena);
    free(c);
}

static const rft_counting_vt vtable = {
    .close = counting_close,
    .plan = counting_plan,
    .begin = counting_begin,
    .start = counting_start,
    .stop = counting_stop,
    .end = counting_end,
    .detach = counting_detach,
};

int rft_cupti_open(rft_counting **out, rft_gpu *gpu, const rft_library_places *places, rft_err *err) {
    if (gpu->vt->launch != rft_cuda_launch) {
        return rft_err_set(err, RFT_E_LIMIT, "this device is not a CUDA device: it has no counters");
    }
    const cuda_gpu *cuda = (const cuda_gpu *)gpu;
    cupti_counting *c = rft_alloc(sizeof *c);
    c->base.vt = &vtable;
    c->gpu = gpu;
    c->arena = rft_arena_new();
    c->set_arena = rft_arena_new();
    c->choices.arena = c->arena;
    int rc = gpu->vt->sync(gpu, err);
    if (rc == 0) {
        rc = rft_cupti_lib_open(&c->lib, places, err);
    }
    if (rc == 0) {
        rc = rft_cupti_range_open(&c->range, c->lib, cuda->context, cuda->device, err);
    }
    if (rc == 0) {
        rc = rft_cupti_host_open(&c->host, c->lib, rft_cupti_range_chip(c->range),
                                 rft_cupti_range_availability(c->range), err);
    }
    if (rc == 0) {
        *out = &c->base;
    } else {
        counting_close(&c->base);
    }
    return rc;
}

int rft_cupti_plan_chip(rft_counter_plan *out, const char *chip, const rft_counter_set *set,
                        const rft_library_places *places, rft_arena *arena, rft_err *err) {
    rft_cupti_lib *lib = NULL;
    rft_cupti_host *host = NULL;
    rft_cupti_selection selection = {.metric_count = 0};
    rft_cupti_choices choices = {.arena = arena};
    int rc = rft_cupti_lib_open(&lib, places, err);
    if (rc == 0) {
        rc = rft_cupti_host_open(&host, lib, chip, NULL, err);
    }
    if (rc == 0 && (rc = rft_cupti_select(&selection, host, &choices, set, arena, err)) == 0) {
        rft_cupti_selection_plan(&selection, &choices, chip, out, arena);
        out->version = rft_arena_strdup(arena, rft_cupti_lib_version(lib));
        rft_cupti_config_clear(host, &selection.config);
    }
    rft_cupti_host_close(host);
    rft_cupti_lib_close(lib);
    return rc;
}
