/* SPDX-License-Identifier: Apache-2.0 */
#include "run/remote_probe.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opening a device, loading NVRTC and compiling the small kernels takes seconds on a cold machine. */
#define START_TIMEOUT_S 120.0
#define CEILINGS_TIMEOUT_S 120.0
#define GRACE_S 30.0

typedef struct remote_probe {
    rft_probe probe;
    rft_remote_probe_opts opts;
    rft_process *process; /* NULL: not started */
    bool opened;          /* the process has answered that it has the device */
    rft_frame answer;
    bool stirred; /* answered or gone */
    char why[96]; /* how the process went */
} remote_probe;

static void on_frame(void *payload, rft_frame *frame) {
    remote_probe *remote = payload;
    rft_frame_clear(&remote->answer);
    remote->answer = *frame;
    remote->stirred = true;
}

static void on_gone(void *payload, const char *why) {
    remote_probe *remote = payload;
    snprintf(remote->why, sizeof remote->why, "%s", why);
    remote->stirred = true;
}

static void end_process(remote_probe *remote) {
    rft_process_free(remote->process);
    remote->process = NULL;
    remote->opened = false;
}

static int start(remote_probe *remote, rft_err *err) {
    char ordinal[16];
    snprintf(ordinal, sizeof ordinal, "%d", remote->opts.device);
    const char *argv[] = {remote->opts.program, "worker", "device", ordinal, NULL};
    rft_process_events events = {.frame = on_frame, .gone = on_gone, .payload = remote};
    rft_loop_turn(remote->opts.loop); /* it may have died since the last answer */
    if (remote->process && rft_process_is_gone(remote->process)) {
        end_process(remote);
    }
    return remote->process ? RFT_OK : rft_process_start(&remote->process, remote->opts.loop, argv, &events, err);
}

typedef enum exchange_end { EXCHANGE_ANSWERED, EXCHANGE_GONE, EXCHANGE_LATE } exchange_end;

/* Sends and waits. A worker that is gone, late or about to end is replaced at the next request. */
static exchange_end exchange(remote_probe *remote, const json_t *head, const rft_str *blob, double timeout_s) {
    remote->stirred = false;
    rft_frame_clear(&remote->answer);
    rft_process_limit(remote->process, timeout_s);
    rft_process_send(remote->process, head, blob ? blob->data : NULL, blob ? blob->length : 0);
    rft_loop_wait(remote->opts.loop, &remote->stirred);
    if (remote->answer.head) {
        rft_process_limit(remote->process, INFINITY);
        if (rft_json_bool_or(remote->answer.head, "ending", false)) {
            end_process(remote);
        }
        return EXCHANGE_ANSWERED;
    }
    exchange_end end = rft_process_was_late(remote->process) ? EXCHANGE_LATE : EXCHANGE_GONE;
    end_process(remote);
    return end;
}

/* A request that must be answered: device facts, ceilings. */
static int ask(remote_probe *remote, const char *what, double timeout_s, rft_err *err) {
    int rc = start(remote, err);
    if (rc != RFT_OK) {
        return rc;
    }
    json_t *head = json_pack("{s:s}", "do", what);
    exchange_end end = exchange(remote, head, NULL, timeout_s);
    json_decref(head);
    if (end == EXCHANGE_ANSWERED) {
        rc = rft_wire_to_err(err, remote->answer.head);
        remote->opened = remote->process && rc == RFT_OK;
        return rc;
    }
    if (end == EXCHANGE_LATE) {
        rft_err_set(err, RFT_E_WORKER, "the device worker gave no answer to \"%s\" in %.0f s and was ended", what,
                    timeout_s);
    } else {
        rft_err_set(err, RFT_E_WORKER, "the device worker %s while it answered \"%s\"", remote->why, what);
    }
    return rft_err_remedy(err, "see `rooftune devices`; another program may hold the GPU");
}

static int device(rft_probe *self, rft_arena *arena, rft_gpu_info *gpu, rft_env *env, rft_err *err) {
    remote_probe *remote = (remote_probe *)self;
    int rc = ask(remote, "device", START_TIMEOUT_S, err);
    return rc == RFT_OK ? rft_wire_to_device(gpu, env, remote->answer.head, arena, err) : rc;
}

static int ceilings(rft_probe *self, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    remote_probe *remote = (remote_probe *)self;
    int rc = ask(remote, "ceilings", CEILINGS_TIMEOUT_S, err);
    return rc == RFT_OK ? rft_wire_to_ceilings(out, remote->answer.head, arena, err) : rc;
}

static void failed(rft_probe_result *out, rft_outcome outcome, const char *reason) {
    *out = (rft_probe_result){.outcome = outcome, .reason = reason};
    out->facts = rft_facts_unknown();
    out->measurement.stats = rft_stats_of(NULL, 0);
    out->measurement.clock_mhz = NAN;
}

/* A new worker opens the device before it is given a point, so that a device that is lost is told from a bad point, and
 * opening is not counted against it. */
static int open_device(remote_probe *remote, rft_err *err) {
    int rc = start(remote, err);
    return rc == RFT_OK && !remote->opened ? ask(remote, "device", START_TIMEOUT_S, err) : rc;
}

static int measure(rft_probe *self, const rft_probe_request *request, rft_arena *arena, rft_probe_result *out,
                   rft_err *err) {
    remote_probe *remote = (remote_probe *)self;
    int rc = open_device(remote, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rft_str blob = RFT_STR_INIT;
    rft_str_add_n(&blob, request->unit->cubin, request->unit->cubin_bytes);
    if (request->reference) {
        rft_str_add_n(&blob, request->reference->cubin, request->reference->cubin_bytes);
    }
    json_t *head = rft_wire_of_probe_request(request);
    json_object_set_new(head, "do", json_string("measure"));
    double timeout_s = request->measure.point_timeout_s + remote->opts.grace_s;
    exchange_end end = exchange(remote, head, &blob, timeout_s);
    json_decref(head);
    rft_str_clear(&blob);
    if (end == EXCHANGE_LATE) {
        failed(out, RFT_OUTCOME_TIMED_OUT,
               rft_arena_printf(arena, "no end after %g s: the worker was ended (measure.timeout is %g s)", timeout_s,
                                request->measure.point_timeout_s));
        return RFT_OK;
    }
    if (end == EXCHANGE_GONE) {
        failed(out, RFT_OUTCOME_CRASHED, rft_arena_printf(arena, "the device worker %s", remote->why));
        return RFT_OK;
    }
    rc = rft_wire_to_err(err, remote->answer.head);
    return rc == RFT_OK ? rft_wire_to_probe_result(out, remote->answer.head, arena, err) : rc;
}

static void free_remote(rft_probe *self) {
    remote_probe *remote = (remote_probe *)self;
    rft_process_free(remote->process);
    rft_frame_clear(&remote->answer);
    free(remote);
}

int rft_remote_probe_new(rft_probe **out, const rft_remote_probe_opts *opts, rft_err *err) {
    (void)err;
    remote_probe *remote = rft_alloc(sizeof *remote);
    remote->probe = (rft_probe){.measure = measure, .ceilings = ceilings, .device = device, .free = free_remote};
    remote->opts = *opts;
    remote->opts.grace_s = opts->grace_s > 0 ? opts->grace_s : GRACE_S;
    *out = &remote->probe;
    return RFT_OK;
}
