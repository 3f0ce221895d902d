/* SPDX-License-Identifier: Apache-2.0 */
#include "run/remote_probe.h"

#include "base/hash.h"

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
    rft_process *process;             /* NULL: not started */
    bool opened;                      /* the process has answered that it has the device */
    bool asked_early;                 /* "device" was sent by rft_remote_probe_open(), its answer not looked at */
    char expected[RFT_HASH_HEX_SIZE]; /* key of the request that this process was told to expect; "": none */
    int expected_round;
    rft_frame answer;
    bool stirred; /* answered or gone */
    char why[96]; /* how the process went */
} remote_probe;

static void on_frame(void *payload, rft_frame *frame) {
    remote_probe *remote = payload;
    rft_frame_clear(&remote->answer);
    remote->answer = *frame;
    remote->stirred = true;
    rft_process_limit(remote->process, INFINITY);
}

static void on_gone(void *payload, const char *why) {
    remote_probe *remote = payload;
    snprintf(remote->why, sizeof remote->why, "%s", why);
    remote->stirred = true;
}

static void end_process(remote_probe *remote) {
    rft_process_free(remote->process);
    remote->process = NULL;
    remote->opened = remote->asked_early = false;
    remote->expected[0] = '\0';
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

static void post(remote_probe *remote, const json_t *head, const rft_str *blob, double timeout_s) {
    remote->stirred = false;
    rft_frame_clear(&remote->answer);
    rft_process_limit(remote->process, timeout_s);
    rft_process_send(remote->process, head, blob ? blob->data : NULL, blob ? blob->length : 0);
}

static bool is_ending(const remote_probe *remote) {
    return rft_json_bool_or(remote->answer.head, "ending", false);
}

/* Waits for the answer to what was posted. A worker that is gone, late or about to end is replaced at the next request.
 */
static exchange_end await(remote_probe *remote) {
    rft_loop_wait(remote->opts.loop, &remote->stirred);
    if (remote->answer.head) {
        if (is_ending(remote)) {
            end_process(remote);
        }
        return EXCHANGE_ANSWERED;
    }
    exchange_end end = rft_process_was_late(remote->process) ? EXCHANGE_LATE : EXCHANGE_GONE;
    end_process(remote);
    return end;
}

static void post_words(remote_probe *remote, const char *what, double timeout_s) {
    json_t *head = json_pack("{s:s}", "do", what);
    post(remote, head, NULL, timeout_s);
    json_decref(head);
}

/* A worker whose answer cannot be read is not this program's: it was replaced on disk while it ran. */
static int unreadable(remote_probe *remote, rft_err *err) {
    end_process(remote);
    rft_err_place(err, "the device worker's answer");
    return rft_err_remedy(err, "was the program replaced while it ran? Start it again");
}

/* Lets an answer to an early question go that is not looked at before another is asked. */
static int settle_early(remote_probe *remote, rft_err *err) {
    if (remote->asked_early) {
        remote->asked_early = false;
        (void)await(remote); /* what went wrong comes again at the next request */
    }
    return start(remote, err);
}

/* A request that must be answered: identity, device facts, ceilings. */
static int ask(remote_probe *remote, const char *what, double timeout_s, rft_err *err) {
    bool is_opening = strcmp(what, "device") == 0;
    int rc = start(remote, err);
    if (rc == RFT_OK && !is_opening) {
        rc = settle_early(remote, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    if (!remote->asked_early) {
        post_words(remote, what, timeout_s);
    }
    remote->asked_early = false;
    exchange_end end = await(remote);
    if (end == EXCHANGE_ANSWERED) {
        rc = rft_wire_to_err(err, remote->answer.head);
        remote->opened = remote->opened || (is_opening && remote->process && rc == RFT_OK);
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
    if (rc == RFT_OK && (rc = rft_wire_to_device(gpu, env, remote->answer.head, arena, err)) != RFT_OK) {
        rc = unreadable(remote, err);
    }
    return rc;
}

static int ceilings(rft_probe *self, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    remote_probe *remote = (remote_probe *)self;
    int rc = ask(remote, "ceilings", CEILINGS_TIMEOUT_S, err);
    if (rc == RFT_OK && (rc = rft_wire_to_ceilings(out, remote->answer.head, arena, err)) != RFT_OK) {
        rc = unreadable(remote, err);
    }
    return rc;
}

int rft_remote_probe_start(rft_probe *probe, rft_err *err) {
    return start((remote_probe *)probe, err);
}

int rft_remote_probe_identify(rft_probe *probe, rft_arena *arena, rft_gpu_info *gpu, rft_err *err) {
    remote_probe *remote = (remote_probe *)probe;
    rft_env nothing = {0};
    int rc = ask(remote, "identify", START_TIMEOUT_S, err);
    if (rc == RFT_OK && (rc = rft_wire_to_device(gpu, &nothing, remote->answer.head, arena, err)) != RFT_OK) {
        rc = unreadable(remote, err);
    }
    return rc;
}

int rft_remote_probe_open(rft_probe *probe, rft_err *err) {
    remote_probe *remote = (remote_probe *)probe;
    int rc = start(remote, err);
    if (rc == RFT_OK && !remote->asked_early && !remote->opened) {
        post_words(remote, "device", START_TIMEOUT_S);
        remote->asked_early = true;
    }
    return rc;
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

/* All that is sent of a point. */
typedef struct question {
    json_t *head;
    rft_str blob;
} question;

static question question_of(const rft_probe_request *request, const char *what) {
    question q = {.head = rft_wire_of_probe_request(request), .blob = RFT_STR_INIT};
    json_object_set_new(q.head, "do", json_string(what));
    rft_str_add_n(&q.blob, request->unit->cubin, request->unit->cubin_bytes);
    if (request->reference) {
        rft_str_add_n(&q.blob, request->reference->cubin, request->reference->cubin_bytes);
    }
    return q;
}

static void question_clear(question *q) {
    json_decref(q->head);
    rft_str_clear(&q->blob);
}

static void expect(rft_probe *self, const rft_probe_request *request) {
    remote_probe *remote = (remote_probe *)self;
    if (!remote->opened || !request->key || strlen(request->key) >= sizeof remote->expected) {
        return;
    }
    question q = question_of(request, "expect");
    rft_process_tell(remote->process, q.head, q.blob.data, q.blob.length);
    question_clear(&q);
    rft_text_format(remote->expected, sizeof remote->expected, "%s", request->key);
    remote->expected_round = request->round;
}

static bool is_expected(const remote_probe *remote, const rft_probe_request *request) {
    return request->key && *remote->expected && strcmp(request->key, remote->expected) == 0 &&
           request->round == remote->expected_round;
}

static double timeout_of(const remote_probe *remote, const rft_probe_request *request) {
    return request->measure.point_timeout_s + remote->opts.grace_s;
}

static void post_point(remote_probe *remote, const rft_probe_request *request) {
    double timeout_s = timeout_of(remote, request);
    if (is_expected(remote, request)) {
        json_t *head =
            json_pack("{s:s,s:b,s:o}", "do", "measure", "expected", 1, "rival_s", rft_json_real_new(request->rival_s));
        post(remote, head, NULL, timeout_s);
        json_decref(head);
    } else {
        question q = question_of(request, "measure");
        post(remote, q.head, &q.blob, timeout_s);
        question_clear(&q);
    }
    remote->expected[0] = '\0';
}

/* One attempt; *end says how it went when it returns 0. */
static int attempt(remote_probe *remote, const rft_probe_request *request, exchange_end *end, rft_err *err) {
    int rc = open_device(remote, err);
    if (rc == RFT_OK) {
        post_point(remote, request);
        if (request->meanwhile) {
            request->meanwhile(request->payload);
        }
        *end = await(remote);
    }
    return rc;
}

/* An accident does not happen twice to the same point: what does is the point's doing. A time limit is never one. */
static int attempt_twice(remote_probe *remote, const rft_probe_request *request, rft_arena *arena,
                         rft_probe_result *out, rft_err *err) {
    rft_probe_request again = *request;
    char first[sizeof remote->why] = "";
    exchange_end end = EXCHANGE_GONE;
    int lost = 0;
    int rc = attempt(remote, request, &end, err);
    again.meanwhile = NULL;
    if (rc == RFT_OK && end == EXCHANGE_GONE) {
        lost++;
        memcpy(first, remote->why, sizeof first);
        rft_log_debug(remote->opts.log, "the device worker %s over a point, which is tried once more", first);
        rc = attempt(remote, &again, &end, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    if (end == EXCHANGE_LATE) {
        failed(out, RFT_OUTCOME_TIMED_OUT,
               rft_arena_printf(arena, "no end after %g s: the worker was ended (measure.timeout is %g s)",
                                timeout_of(remote, request), request->measure.point_timeout_s));
        lost++;
    } else if (end == EXCHANGE_GONE) {
        bool same = strcmp(first, remote->why) == 0;
        failed(out, RFT_OUTCOME_CRASHED,
               same ? rft_arena_printf(arena, "the device worker %s, twice", first)
                    : rft_arena_printf(arena, "the device worker %s, then another %s", first, remote->why));
        lost++;
    } else if ((rc = rft_wire_to_err(err, remote->answer.head)) == RFT_OK) {
        rc = rft_wire_to_probe_result(out, remote->answer.head, arena, err);
        lost += rc == RFT_OK && is_ending(remote) ? 1 : 0;
        rc = rc == RFT_OK ? RFT_OK : unreadable(remote, err);
    }
    out->workers_lost = lost;
    return rc;
}

static int measure(rft_probe *self, const rft_probe_request *request, rft_arena *arena, rft_probe_result *out,
                   rft_err *err) {
    return attempt_twice((remote_probe *)self, request, arena, out, err);
}

void rft_remote_probe_dismiss(rft_probe *self) {
    rft_process_dismiss(((remote_probe *)self)->process);
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
    remote->probe =
        (rft_probe){.measure = measure, .ceilings = ceilings, .device = device, .free = free_remote, .expect = expect};
    remote->opts = *opts;
    remote->opts.grace_s = opts->grace_s > 0 ? opts->grace_s : GRACE_S;
    *out = &remote->probe;
    return RFT_OK;
}
