/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker/remote_probe.h"

#include "base/hash.h"
#include "run/worker/endless.h"
#include "run/worker/phase.h"
#include "run/worker/remote_spare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opening a device, loading NVRTC and compiling the small kernels takes seconds on a cold machine. */
#define START_TIMEOUT_S 120.0
#define CEILINGS_TIMEOUT_S 120.0
#define GRACE_S 30.0
#define COUNT_TIMES 5.0 /* of the point's time limit: the worker itself gives up after four */

/* Nothing is timed in a process in which the profiler was opened. */
typedef enum remote_use { USE_NONE, USE_TIMES, USE_COUNTS } remote_use;

typedef struct remote_probe {
    rft_probe probe;
    rft_remote_probe_opts opts;
    rft_process *process;                            /* NULL: not started */
    rft_process *left;                               /* ended, and perhaps still going; NULL */
    rft_remote_spare spares[RFT_REMOTE_SPARES_MOST]; /* what comes after `process` */
    unsigned started;                                /* processes, ever */
    uint64_t draw;                                   /* of the requests that this process serves; 0: it may be any */
    remote_use use;                                  /* what it was used for */
    bool opened;                                     /* the process has answered that it has the device */
    bool asked_early;                 /* "device" was sent by rft_remote_probe_open(), its answer not looked at */
    char expected[RFT_HASH_HEX_SIZE]; /* key of the request that this process was told to expect; "": none */
    int expected_round;
    bool ahead;                        /* it may be at what it was told to expect, though that was not asked for */
    bool ahead_of_another;             /* which is not what it was told to expect last */
    double ahead_s;                    /* what that may take */
    const rft_probe_request *measured; /* while this is the request in hand; else NULL */
    rft_phase_at at;                   /* of it */
    rft_key_map endless;               /* references and fills that did not end */
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

/* Every phase has its limit from when it is heard of. */
static void on_phase(void *payload, const char *name) {
    remote_probe *remote = payload;
    if (remote->measured && rft_phase_from_name(&remote->at, name)) {
        rft_process_limit(remote->process, rft_phase_limit_s(remote->at.phase, remote->measured, remote->opts.grace_s));
    }
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
    remote->use = USE_NONE;
    remote->expected[0] = '\0';
    remote->ahead = remote->ahead_of_another = false;
}

/* No other process is on the device, or about to be. */
static void await_quiet(remote_probe *remote) {
    rft_process_free(remote->left);
    remote->left = NULL;
    for (size_t i = 0; i < RFT_REMOTE_SPARES_MOST; i++) {
        rft_remote_spare_await(&remote->spares[i], remote->opts.loop);
    }
}

static bool has_spare(const remote_probe *remote) {
    bool has = false;
    for (size_t i = 0; i < RFT_REMOTE_SPARES_MOST; i++) {
        has = has || remote->spares[i].process;
    }
    return has;
}

static rft_process *take_spare(remote_probe *remote, const rft_process_events *events) {
    rft_process *process = NULL;
    for (size_t i = 0; i < RFT_REMOTE_SPARES_MOST && !process; i++) {
        rft_remote_spare_await(&remote->spares[i], remote->opts.loop);
        process = rft_remote_spare_take(&remote->spares[i], events);
    }
    return process;
}

static int start(remote_probe *remote, rft_err *err) {
    rft_process_events events = {.frame = on_frame, .phase = on_phase, .gone = on_gone, .payload = remote};
    rft_loop_turn(remote->opts.loop); /* it may have died since the last answer */
    if (remote->process && rft_process_is_gone(remote->process)) {
        end_process(remote);
    }
    if (remote->process) {
        return RFT_OK;
    }
    remote->started++;
    remote->process = take_spare(remote, &events);
    int rc = remote->process ? RFT_OK : rft_remote_start_process(&remote->process, &remote->opts, &events, err);
    if (rc == RFT_OK && remote->draw != 0 && !has_spare(remote)) { /* others follow it */
        rft_remote_spare_start(&remote->spares[0], &remote->opts);
    }
    return rc;
}

/* What it leaves on the device goes while the spare opens it. */
static void leave_process(remote_probe *remote) {
    if (has_spare(remote)) {
        rft_process_free(remote->left);
        rft_process_dismiss(remote->process);
        remote->left = remote->process;
        remote->process = NULL;
    }
    end_process(remote);
}

/* A process that was used for the other, or that serves another draw, is replaced by the next request. */
static void leave_other(remote_probe *remote, remote_use use, uint64_t draw) {
    bool other_use = remote->use != USE_NONE && remote->use != use, other_draw = draw != 0 && remote->draw != draw;
    if (remote->process && (other_use || other_draw)) {
        leave_process(remote);
    }
    remote->draw = remote->process && draw == 0 ? remote->draw : draw;
}

static void note_use(remote_probe *remote, remote_use use) {
    remote->use = remote->process ? use : USE_NONE;
}

typedef enum exchange_end { EXCHANGE_ANSWERED, EXCHANGE_GONE, EXCHANGE_LATE, EXCHANGE_STOPPED } exchange_end;

/* A worker may be gone by now, in the same turn of the loop that brought its last answer: then nothing more comes. */
static void post(remote_probe *remote, const json_t *head, const rft_str *blob, double timeout_s) {
    remote->stirred = rft_process_is_gone(remote->process);
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
    rft_loop_wait_awake(remote->opts.loop, &remote->stirred);
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

/* The same for what takes long; Ctrl-C is not kept waiting: the worker is ended, and what it did is lost. */
static exchange_end await_unless(remote_probe *remote, const rft_load_order *order) {
    if (order->stop && !rft_loop_wait_unless(remote->opts.loop, &remote->stirred, order->stop, order->payload)) {
        end_process(remote);
        return EXCHANGE_STOPPED;
    }
    return await(remote);
}

static void post_words(remote_probe *remote, const char *what, double timeout_s) {
    json_t *head = json_pack("{s:s}", "do", what);
    post(remote, head, NULL, timeout_s);
    json_decref(head);
}

/* Before anything but what it may be at already is asked of a worker it is to have ended that: where it does not, or
 * goes, no point is charged, and another worker is asked. */
static void settle_ahead(remote_probe *remote) {
    if (remote->process && remote->ahead) {
        remote->ahead = remote->ahead_of_another = false;
        post_words(remote, "rest", remote->ahead_s);
        if (await(remote) != EXCHANGE_ANSWERED) {
            rft_log_debug(remote->opts.log, "the device worker went over what it was not asked for yet");
        }
    }
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
static int ask_with(remote_probe *remote, const json_t *head, double timeout_s, rft_err *err) {
    const char *what = rft_json_text_or(head, "do", "");
    bool is_opening = strcmp(what, "device") == 0;
    settle_ahead(remote);
    int rc = start(remote, err);
    if (rc == RFT_OK && !is_opening) {
        rc = settle_early(remote, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    if (!remote->asked_early) {
        post(remote, head, NULL, timeout_s);
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

static int ask_worker(remote_probe *remote, const char *what, bool brief, double timeout_s, rft_err *err) {
    json_t *head = json_pack("{s:s,s:I,s:b}", "do", what, "draw", (json_int_t)remote->draw, "brief", (int)brief);
    int rc = ask_with(remote, head, timeout_s, err);
    json_decref(head);
    return rc;
}

static int remote_device(rft_probe *self, rft_arena *arena, rft_gpu_info *gpu, rft_env *env, rft_err *err) {
    remote_probe *remote = (remote_probe *)self;
    int rc = ask_worker(remote, "device", false, START_TIMEOUT_S, err);
    if (rc == RFT_OK && (rc = rft_wire_to_device(gpu, env, remote->answer.head, arena, err)) != RFT_OK) {
        rc = unreadable(remote, err);
    }
    return rc;
}

static int remote_ceilings(rft_probe *self, const rft_ceilings_request *request, rft_arena *arena, rft_ceilings *out,
                           rft_err *err) {
    remote_probe *remote = (remote_probe *)self;
    const rft_ceilings_request all = {.wanted = RFT_CEILINGS_ALL};
    request = request ? request : &all;
    leave_other(remote, USE_TIMES, 0);
    json_t *head = rft_wire_of_ceilings_request(request);
    json_object_set_new(head, "do", json_string("ceilings"));
    int rc = ask_with(remote, head, CEILINGS_TIMEOUT_S + request->soak_s * 2.0 * RFT_CEILING_COUNT, err);
    json_decref(head);
    note_use(remote, USE_TIMES);
    if (rc == RFT_OK && (rc = rft_wire_to_ceilings(out, remote->answer.head, arena, err)) != RFT_OK) {
        rc = unreadable(remote, err);
    }
    return rc;
}

/* A new worker opens the device before it is given a point, so that a device that is lost is told from a bad point, and
 * opening is not counted against it. */
static int open_device(remote_probe *remote, rft_err *err) {
    int rc = start(remote, err);
    rc = rc == RFT_OK && !remote->opened ? ask_worker(remote, "device", true, START_TIMEOUT_S, err) : rc;
    await_quiet(remote);
    return rc;
}

static int remote_idle(rft_probe *self, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err) {
    remote_probe *remote = (remote_probe *)self;
    const rft_load *seen = NULL;
    exchange_end end = EXCHANGE_GONE;
    leave_other(remote, USE_TIMES, 0);
    settle_ahead(remote);
    int rc = open_device(remote, err);
    if (rc != RFT_OK) {
        return rc;
    }
    note_use(remote, USE_TIMES);
    json_t *head = json_pack("{s:s,s:o}", "do", "idle", "load", rft_wire_of_load_order(order));
    post(remote, head, NULL, START_TIMEOUT_S + rft_phase_load_s(order));
    json_decref(head);
    end = await_unless(remote, order);
    *out = rft_load_none(RFT_LOAD_IDLE, end == EXCHANGE_STOPPED ? "stopped" : "the device worker gave no answer");
    out->cut = end == EXCHANGE_STOPPED;
    if (end != EXCHANGE_ANSWERED || (rc = rft_wire_to_err(err, remote->answer.head)) != RFT_OK) {
        return rc;
    }
    rc = rft_wire_to_load(&seen, json_object_get(remote->answer.head, "load"), arena, err);
    if (rc != RFT_OK || !seen) {
        return unreadable(remote, err);
    }
    *out = *seen;
    return RFT_OK;
}

int rft_remote_probe_start(rft_probe *probe, rft_err *err) {
    return start((remote_probe *)probe, err);
}

int rft_remote_probe_identify(rft_probe *probe, rft_arena *arena, rft_gpu_info *gpu, rft_err *err) {
    remote_probe *remote = (remote_probe *)probe;
    rft_env nothing = {0};
    int rc = ask_worker(remote, "identify", false, START_TIMEOUT_S, err);
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
    out->measurement = rft_measurement_none();
}

/* What is sent of a point. */
typedef struct probe_question {
    json_t *head;
    rft_str blob;
} probe_question;

/* All of it, under the name of a request. */
static probe_question question_of(const rft_probe_request *request, const char *what) {
    probe_question q = {.head = rft_wire_of_probe_request(request), .blob = RFT_STR_INIT};
    json_object_set_new(q.head, "do", json_string(what));
    rft_str_add_n(&q.blob, request->unit->cubin, request->unit->cubin_bytes);
    if (request->reference) {
        rft_str_add_n(&q.blob, request->reference->cubin, request->reference->cubin_bytes);
    }
    if (request->truth) {
        rft_str_add_n(&q.blob, request->truth->cubin, request->truth->cubin_bytes);
    }
    for (size_t i = 0; request->fills && i < request->spec->buffer_count; i++) {
        if (request->fills[i]) {
            rft_str_add_n(&q.blob, request->fills[i]->cubin, request->fills[i]->cubin_bytes);
        }
    }
    return q;
}

static void question_clear(probe_question *q) {
    json_decref(q->head);
    rft_str_clear(&q->blob);
}

static bool may_be_expected(const rft_probe_request *request) {
    bool is_plain = !request->load.wanted && !request->verified && request->turn == 0 && request->reading == 0;
    return is_plain && request->key && *request->key && strlen(request->key) < RFT_HASH_HEX_SIZE;
}

static void remote_expect(rft_probe *self, const rft_probe_request *request) {
    remote_probe *remote = (remote_probe *)self;
    if (!remote->opened || !may_be_expected(request)) {
        return;
    }
    probe_question q = question_of(request, "expect");
    json_object_set_new(q.head, "surely", json_boolean(request->surely));
    rft_process_tell(remote->process, q.head, q.blob.data, q.blob.length);
    question_clear(&q);
    rft_text_format(remote->expected, sizeof remote->expected, "%s", request->key);
    remote->expected_round = request->round;
    remote->ahead_of_another = remote->ahead;
    if (request->surely) {
        const double limit_s = rft_phase_limit_s(RFT_PHASE_PREPARE, request, 0.0);
        remote->ahead_s = remote->ahead ? fmax(remote->ahead_s, limit_s) : limit_s;
        remote->ahead = true;
    }
}

static bool is_expected(const remote_probe *remote, const rft_probe_request *request) {
    return may_be_expected(request) && strcmp(request->key, remote->expected) == 0 &&
           request->round == remote->expected_round;
}

typedef struct errand {
    const rft_probe_request *request;
    const rft_counter_set *set; /* what is to be counted; NULL: it is measured */
} errand;

/* Until the worker tells of another phase. */
static double timeout_of(const remote_probe *remote, const errand *asked) {
    const rft_probe_request *request = asked->request;
    return asked->set ? COUNT_TIMES * request->measure.point_timeout_s + remote->opts.grace_s
                      : rft_phase_limit_s(RFT_PHASE_PREPARE, request, remote->opts.grace_s);
}

/* To measure what was expected its name is enough. */
static probe_question next_question(remote_probe *remote, const errand *asked) {
    const rft_probe_request *request = asked->request;
    const rft_counter_set *set = asked->set;
    probe_question q;
    if (!set && is_expected(remote, request)) {
        q = (probe_question){.blob = RFT_STR_INIT};
        q.head = json_pack("{s:s,s:b,s:o}", "do", "measure", "expected", 1, "race", rft_wire_of_race(request));
        remote->expected[0] = '\0';
        remote->ahead = false;
    } else {
        q = question_of(request, set ? "count" : "measure");
    }
    if (set) {
        json_object_set_new(q.head, "counters", rft_wire_of_counter_set(set));
    }
    return q;
}

/* One attempt; *end says how it went when it returns 0. */
static int attempt(remote_probe *remote, const errand *asked, exchange_end *end, rft_err *err) {
    const rft_probe_request *request = asked->request;
    leave_other(remote, asked->set ? USE_COUNTS : USE_TIMES, request->draw);
    if (asked->set || remote->ahead_of_another || !is_expected(remote, request)) {
        settle_ahead(remote);
    }
    int rc = open_device(remote, err);
    if (rc == RFT_OK) {
        note_use(remote, asked->set ? USE_COUNTS : USE_TIMES);
        probe_question q = next_question(remote, asked);
        post(remote, q.head, &q.blob, timeout_of(remote, asked));
        remote->measured = asked->set ? NULL : request;
        remote->at = (rft_phase_at){RFT_PHASE_PREPARE, 0};
        question_clear(&q);
        if (request->meanwhile) {
            request->meanwhile(request->payload);
        }
        *end = await_unless(remote, &request->load);
        remote->measured = NULL;
    }
    return rc;
}

/* An accident does not happen twice to the same point: what does is the point's doing. A time limit is never one. */
static int attempt_twice(remote_probe *remote, const rft_probe_request *request, rft_arena *arena,
                         rft_probe_result *out, rft_err *err) {
    rft_probe_request again = *request;
    const errand asked = {.request = request}, asked_again = {.request = &again};
    char first[sizeof remote->why] = "";
    exchange_end end = EXCHANGE_GONE;
    int lost = 0;
    int rc = attempt(remote, &asked, &end, err);
    again.meanwhile = NULL;
    if (rc == RFT_OK && end == EXCHANGE_GONE) {
        lost++;
        memcpy(first, remote->why, sizeof first);
        rft_log_debug(remote->opts.log, "the device worker %s over a point, which is tried once more", first);
        rc = attempt(remote, &asked_again, &end, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    if (end == EXCHANGE_LATE) {
        failed(out, RFT_OUTCOME_TIMED_OUT, rft_phase_reason(remote->at, request, remote->opts.grace_s, arena));
        rft_endless_note(&remote->endless, request, remote->at);
        lost++;
    } else if (end == EXCHANGE_STOPPED) {
        rft_load *cut = rft_arena_alloc(arena, sizeof *cut);
        failed(out, RFT_OUTCOME_OK, NULL);
        *cut = rft_load_none(request->load.kind, "stopped");
        cut->cut = true;
        out->load = cut;
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
    out->process = remote->started;
    return rc;
}

static int remote_measure(rft_probe *self, const rft_probe_request *request, rft_arena *arena, rft_probe_result *out,
                          rft_err *err) {
    remote_probe *remote = (remote_probe *)self;
    const char *endless = rft_endless_reason(&remote->endless, request, arena);
    if (endless) {
        failed(out, RFT_OUTCOME_TIMED_OUT, endless);
        return RFT_OK;
    }
    return attempt_twice(remote, request, arena, out, err);
}

/* Counting may take the process with it: then only the counts are lost. */
static int remote_count(rft_probe *self, const rft_probe_request *request, const rft_counter_set *set, rft_arena *arena,
                        rft_count_result *out, rft_err *err) {
    remote_probe *remote = (remote_probe *)self;
    const errand asked = {request, set};
    exchange_end end = EXCHANGE_GONE;
    *out = (rft_count_result){.worker_lost = false};
    int rc = attempt(remote, &asked, &end, err);
    if (rc == RFT_OK && end == EXCHANGE_ANSWERED) {
        out->worker_lost = is_ending(remote);
        rc = rft_wire_to_err(err, remote->answer.head);
        if (rc == RFT_OK && (rc = rft_wire_to_counters(&out->counters, remote->answer.head, arena, err)) != RFT_OK) {
            rc = unreadable(remote, err);
        }
    } else if (rc == RFT_OK) {
        const char *why = end == EXCHANGE_LATE
                              ? rft_arena_printf(arena, "no counts after %g s: the device worker was ended",
                                                 timeout_of(remote, &asked))
                              : rft_arena_printf(arena, "the device worker %s while it counted", remote->why);
        out->worker_lost = true;
        out->counters = rft_counters_refused(set, why, arena);
    }
    return rc;
}

/* Loading the driver is done before the first point is compiled, instead of between the processes. */
static void remote_follow(rft_probe *self, size_t processes) {
    remote_probe *remote = (remote_probe *)self;
    for (size_t i = 0; i < processes && i < RFT_REMOTE_SPARES_MOST; i++) {
        rft_remote_spare_start(&remote->spares[i], &remote->opts);
    }
}

void rft_remote_probe_dismiss(rft_probe *self) {
    remote_probe *remote = (remote_probe *)self;
    rft_process_dismiss(remote->process);
    for (size_t i = 0; i < RFT_REMOTE_SPARES_MOST; i++) {
        rft_process_dismiss(remote->spares[i].process);
    }
}

static void free_remote(rft_probe *self) {
    remote_probe *remote = (remote_probe *)self;
    rft_process_free(remote->process);
    rft_process_free(remote->left);
    for (size_t i = 0; i < RFT_REMOTE_SPARES_MOST; i++) {
        rft_remote_spare_free(&remote->spares[i]);
    }
    rft_frame_clear(&remote->answer);
    rft_key_map_clear(&remote->endless);
    free(remote);
}

int rft_remote_probe_new(rft_probe **out, const rft_remote_probe_opts *opts, rft_err *err) {
    (void)err;
    remote_probe *remote = rft_alloc(sizeof *remote);
    remote->probe = (rft_probe){.measure = remote_measure,
                                .ceilings = remote_ceilings,
                                .idle = remote_idle,
                                .device = remote_device,
                                .count = remote_count,
                                .free = free_remote,
                                .expect = remote_expect,
                                .follow = remote_follow};
    remote->opts = *opts;
    remote->opts.grace_s = opts->grace_s > 0 ? opts->grace_s : GRACE_S;
    *out = &remote->probe;
    return RFT_OK;
}
