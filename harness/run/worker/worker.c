/* SPDX-License-Identifier: Apache-2.0 */
/* The device worker: what it is asked, and what it does ahead; compile/compile_worker.c is the other one. */
#include "run/worker/worker.h"

#include "run/worker/mail.h"
#include "run/worker/phase.h"
#include "run/worker/worker_answer.h"
#include "run/worker/worker_setup.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define AHEAD_AFTER 16        /* points in a row that passed: what is not asked for yet likely passes, too */
#define AHEAD_SHORT_NS 500000 /* what the race may tell by the first run alone is timed when its limits are there */

/* A request that was handed over before it is asked. */
typedef struct expectation {
    bool there;
    bool loaded; /* the probe was told */
    bool surely; /* it comes next */
    rft_frame frame;
    rft_arena *arena; /* of the request; NULL when nothing is there */
    rft_probe_request request;
} expectation;

typedef struct device_worker {
    rft_worker_setup setup;
    rft_mail *mail;
    int out_fd;
    int64_t answered; /* requests */
    expectation expected;
    expectation in_hand;       /* the request in hand, where it was expected */
    rft_probe_request request; /* in hand, as it is measured */
    /* Under the mail's lock: */
    bool unasked;    /* it is measured though it was not asked for yet: nothing is told of it until then */
    rft_phase_at at; /* where it is */
    json_t *race;    /* as it was asked for while it was measured, not looked at yet; NULL */
    /* The main thread's again: */
    int64_t run_ns; /* when its first run began */
    size_t passed;  /* measured points in a row that were as they should be */
    char *problem;  /* problem_key of the last; heap */
} device_worker;

static int answer_identify(device_worker *worker, const rft_frame *frame, json_t **head, rft_err *failure) {
    if (worker->setup.identified != RFT_OK) {
        *failure = worker->setup.identity_err;
        return worker->setup.identified;
    }
    if (rft_json_bool_or(frame->head, "ahead", false)) {
        rft_worker_setup_meter(&worker->setup, &worker->setup.identity);
    }
    const rft_env nothing = {0};
    *head = rft_wire_of_device(&worker->setup.identity, &nothing);
    return RFT_OK;
}

/* Opened in any case; what it is, a process that follows another is not asked. */
static int answer_device(device_worker *worker, const rft_frame *frame, rft_arena *arena, json_t **head,
                         rft_err *failure) {
    rft_gpu_info gpu = {0};
    rft_env env = {0};
    if (rft_json_bool_or(frame->head, "brief", false)) {
        *head = json_object();
        return RFT_OK;
    }
    int rc = worker->setup.probe->device(worker->setup.probe, arena, &gpu, &env, failure);
    if (rc != RFT_OK) {
        return rc;
    }
    if (worker->setup.host->describe) {
        worker->setup.host->describe(worker->setup.host->self, &gpu, &env, arena);
    }
    rft_env_set(&env, arena, "nvrtc.version", worker->setup.compiler->version(worker->setup.compiler), NULL);
    *head = rft_wire_of_device(&gpu, &env);
    return RFT_OK;
}

static int answer_ceilings(device_worker *worker, const rft_frame *frame, rft_arena *arena, json_t **head,
                           rft_err *failure) {
    rft_ceilings ceilings;
    const rft_ceilings_request request = rft_wire_to_ceilings_request(frame->head);
    int rc = worker->setup.probe->ceilings(worker->setup.probe, &request, arena, &ceilings, failure);
    *head = rc == RFT_OK ? rft_wire_of_ceilings(&ceilings) : NULL;
    return rc;
}

static void forget(expectation *expected) {
    rft_frame_clear(&expected->frame);
    rft_arena_free(expected->arena);
    *expected = (expectation){0};
}

/* Takes the frame over. What cannot be read is told when it is asked for. */
static void expect(device_worker *worker, rft_frame *frame) {
    expectation *expected = &worker->expected;
    forget(expected);
    expected->frame = *frame;
    expected->arena = rft_arena_new();
    *frame = (rft_frame){0};
    rft_err ignored = RFT_ERR_INIT;
    expected->there =
        rft_wire_to_probe_request(&expected->request, &expected->frame, expected->arena, &ignored) == RFT_OK;
    expected->surely = rft_json_bool_or(expected->frame.head, "surely", false);
}

/* Its code is loaded, which takes the driver. */
static void load_expected(device_worker *worker) {
    expectation *expected = &worker->expected;
    if (expected->there && !expected->loaded && worker->setup.probe && worker->setup.probe->expect) {
        expected->loaded = true;
        worker->setup.probe->expect(worker->setup.probe, &expected->request);
    }
}

/* After a fault this process is of no more use: the other side starts a new one. */
static bool is_ending(const device_worker *worker) {
    return worker->setup.gpu && worker->setup.gpu->vt->sticky(worker->setup.gpu);
}

static int answer(device_worker *worker, int rc, json_t *head, rft_err *failure, rft_err *err) {
    head = rft_worker_answer_of(rc, head, failure);
    json_object_set_new(head, "ending", json_boolean(is_ending(worker)));
    rc = rft_worker_answer(worker->out_fd, head, (rft_worker_blob){0}, ++worker->answered, err);
    forget(&worker->in_hand);
    return rc;
}

static void take_in_hand(device_worker *worker) {
    worker->in_hand = worker->expected;
    worker->expected = (expectation){0};
    worker->request = worker->in_hand.request;
}

/* It may be asked for still, after what is asked for now. */
static void put_back(device_worker *worker) {
    worker->expected = worker->in_hand;
    worker->expected.loaded = worker->expected.surely = false;
    worker->in_hand = (expectation){0};
}

/* The request itself, or its name when it was expected. */
static int read_request(device_worker *worker, const rft_frame *frame, rft_arena *arena, rft_err *failure) {
    if (!rft_json_bool_or(frame->head, "expected", false)) {
        return rft_wire_to_probe_request(&worker->request, frame, arena, failure);
    }
    if (!worker->expected.there) {
        return rft_err_set(failure, RFT_E_WORKER, "the device worker was not told of the request it is to expect");
    }
    take_in_hand(worker);
    rft_wire_to_race(&worker->request, json_object_get(frame->head, "race"));
    return RFT_OK;
}

/* A failure to write shows when the answer is written. */
static void tell_phase(const device_worker *worker, rft_phase_at at) {
    rft_err ignored = RFT_ERR_INIT;
    char text[32];
    json_t *head = json_pack("{s:s}", "phase", rft_phase_name(at, text));
    rft_worker_answer(worker->out_fd, head, (rft_worker_blob){0}, worker->answered + 1, &ignored);
}

/* Is it the request for what is in hand already? From now on the other side looks at the clock: it hears at once where
 * that is, though it may never come further. */
static bool is_of_unasked(void *payload, rft_frame *frame) {
    device_worker *worker = payload;
    const bool measures = strcmp(rft_json_text_or(frame->head, "do", ""), "measure") == 0;
    if (!worker->unasked || !measures || !rft_json_bool_or(frame->head, "expected", false)) {
        return false;
    }
    worker->unasked = false;
    worker->race = json_incref(json_object_get(frame->head, "race"));
    if (worker->at.phase != RFT_PHASE_PREPARE) {
        tell_phase(worker, worker->at);
    }
    rft_frame_clear(frame);
    return true;
}

/* Nobody asks for anything else yet. */
static bool begin_unasked(device_worker *worker) {
    rft_mail_lock(worker->mail);
    const bool begins = !rft_mail_has(worker->mail);
    worker->unasked = begins;
    worker->at = (rft_phase_at){RFT_PHASE_PREPARE, 0};
    rft_mail_unlock(worker->mail);
    return begins;
}

static bool end_unasked(device_worker *worker) {
    rft_mail_lock(worker->mail);
    const bool was = worker->unasked;
    worker->unasked = false;
    rft_mail_unlock(worker->mail);
    return was;
}

/* True: it is not asked for yet. */
static bool set_phase(device_worker *worker, rft_phase_at at) {
    rft_mail_lock(worker->mail);
    const bool unasked = worker->unasked;
    worker->at = at;
    if (!unasked) {
        tell_phase(worker, at);
    }
    rft_mail_unlock(worker->mail);
    return unasked;
}

static void look_at_race(device_worker *worker) {
    rft_mail_lock(worker->mail);
    json_t *race = worker->race;
    worker->race = NULL;
    rft_mail_unlock(worker->mail);
    if (race) {
        rft_wire_to_race(&worker->request, race);
        json_decref(race);
    }
}

static bool is_unasked(device_worker *worker) {
    rft_mail_lock(worker->mail);
    const bool unasked = worker->unasked;
    rft_mail_unlock(worker->mail);
    return unasked;
}

static int64_t now_ns(const device_worker *worker) {
    return worker->setup.host->clock->monotonic_ns(worker->setup.host->clock->self);
}

static void enter_phase(void *payload, rft_phase phase, size_t buffer) {
    device_worker *worker = payload;
    const bool unasked = set_phase(worker, (rft_phase_at){phase, buffer});
    if (phase == RFT_PHASE_RUN) {
        worker->run_ns = now_ns(worker);
    }
    if (unasked && phase == RFT_PHASE_COMPARE && now_ns(worker) - worker->run_ns >= AHEAD_SHORT_NS) {
        rft_mail_await(worker->mail, &worker->unasked);
    }
    if (unasked && rft_mail_has(worker->mail) && is_unasked(worker)) { /* something else is */
        worker->request.verify_only = true;
    }
    look_at_race(worker);
}

static bool is_expectation(const rft_frame *frame) {
    return strcmp(rft_json_text_or(frame->head, "do", ""), "expect") == 0;
}

/* The next point is read while the device is at work on this one; its code is loaded then, too, unless that is timed.
 */
static void look_ahead(void *payload, bool timed) {
    device_worker *worker = payload;
    rft_frame frame = {0};
    look_at_race(worker);
    if (!worker->expected.there && !is_unasked(worker) && rft_mail_take_if(worker->mail, is_expectation, &frame)) {
        expect(worker, &frame);
    }
    if (!timed) {
        load_expected(worker);
    }
}

static void note_measured(device_worker *worker, bool passed) {
    const char *problem = worker->request.problem_key;
    worker->passed = passed ? worker->passed + 1 : 0;
    if (!worker->problem || !rft_text_equal(worker->problem, problem)) {
        free(worker->problem);
        worker->problem = rft_strdup(problem ? problem : "");
    }
}

static int measure_in_hand(device_worker *worker, rft_arena *arena, rft_probe_result *result, rft_err *failure) {
    worker->request.enter = enter_phase;
    worker->request.works = look_ahead;
    worker->request.payload = worker;
    int rc = worker->setup.probe->measure(worker->setup.probe, &worker->request, arena, result, failure);
    note_measured(worker, rc == RFT_OK && rft_outcome_is_measured(result->outcome));
    return rc;
}

static int answer_measure(device_worker *worker, const rft_frame *frame, rft_arena *arena, json_t **head,
                          rft_err *failure) {
    rft_probe_result result;
    int rc = read_request(worker, frame, arena, failure);
    rc = rc == RFT_OK ? measure_in_hand(worker, arena, &result, failure) : rc;
    *head = rc == RFT_OK ? rft_wire_of_probe_result(&result) : NULL;
    return rc;
}

static int answer_count(device_worker *worker, const rft_frame *frame, rft_arena *arena, json_t **head,
                        rft_err *failure) {
    rft_probe_request request;
    rft_counter_set set;
    rft_count_result result;
    int rc = rft_wire_to_probe_request(&request, frame, arena, failure);
    if (rc == RFT_OK) {
        rc = rft_wire_to_counter_set(&set, json_object_get(frame->head, "counters"), arena, failure);
    }
    if (rc == RFT_OK) {
        rc = worker->setup.probe->count(worker->setup.probe, &request, &set, arena, &result, failure);
    }
    *head = rc == RFT_OK ? rft_wire_of_counters(&result.counters) : NULL;
    return rc;
}

static int answer_idle(device_worker *worker, const rft_frame *frame, rft_arena *arena, json_t **head,
                       rft_err *failure) {
    rft_load_order order;
    rft_load idle;
    rft_wire_to_load_order(&order, json_object_get(frame->head, "load"));
    int rc = worker->setup.probe->idle(worker->setup.probe, &order, arena, &idle, failure);
    *head = rc == RFT_OK ? json_pack("{s:o}", "load", rft_wire_of_load(&idle)) : NULL;
    return rc;
}

typedef struct device_request {
    const char *what; /* "do" */
    const rft_frame *frame;
    rft_arena *arena; /* of the answer */
} device_request;

static int serve(device_worker *worker, const device_request *request, json_t **head, rft_err *failure) {
    if (strcmp(request->what, "identify") == 0) {
        return answer_identify(worker, request->frame, head, failure);
    }
    if (strcmp(request->what, "rest") == 0) { /* it is at nothing of its own, nor will it be */
        worker->expected.surely = false;
        *head = json_object();
        return RFT_OK;
    }
    if (!worker->setup.gpu) {
        worker->setup.draw = (uint64_t)rft_json_int_or(request->frame->head, "draw", 0);
    }
    int rc = rft_worker_setup_ready(&worker->setup, failure);
    if (rc != RFT_OK) {
        return rc;
    }
    if (strcmp(request->what, "device") == 0) {
        return answer_device(worker, request->frame, request->arena, head, failure);
    }
    if (strcmp(request->what, "ceilings") == 0) {
        return answer_ceilings(worker, request->frame, request->arena, head, failure);
    }
    if (strcmp(request->what, "measure") == 0) {
        return answer_measure(worker, request->frame, request->arena, head, failure);
    }
    if (strcmp(request->what, "count") == 0) {
        return answer_count(worker, request->frame, request->arena, head, failure);
    }
    if (strcmp(request->what, "idle") == 0) {
        return answer_idle(worker, request->frame, request->arena, head, failure);
    }
    return rft_err_set(failure, RFT_E_WORKER, "the device worker knows no request \"%s\"", request->what);
}

static bool may_go_ahead(const device_worker *worker) {
    const expectation *expected = &worker->expected;
    return expected->there && expected->surely && worker->setup.probe && !is_ending(worker) &&
           worker->passed >= AHEAD_AFTER && rft_text_equal(worker->problem, expected->request.problem_key) &&
           !rft_mail_has(worker->mail) && rft_mail_start(worker->mail);
}

/* What goes ahead rests while the device is at work. */
static void rest(device_worker *worker) {
    if (!worker->setup.probe || !worker->setup.probe->rest || is_ending(worker)) {
        return;
    }
    if (!may_go_ahead(worker)) {
        worker->setup.probe->rest(worker->setup.probe);
    }
    load_expected(worker);
}

static int answer_request(device_worker *worker, const rft_frame *frame, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_err failure = RFT_ERR_INIT;
    json_t *head = NULL;
    const device_request request = {rft_json_text_or(frame->head, "do", ""), frame, arena};
    int rc = serve(worker, &request, &head, &failure);
    rc = answer(worker, rc, head, &failure, err);
    rft_arena_free(arena);
    rest(worker);
    return rc;
}

static void close_all(device_worker *worker) {
    forget(&worker->expected);
    rft_mail_close(worker->mail);
    rft_worker_setup_close(&worker->setup);
    free(worker->problem);
}

/* Measures what surely comes next before it is asked for: else the device has nothing to do while the other side
 * thinks. Where something else is asked for nobody hears of it. What came before it is answered by now: it never waits
 * for this. */
static int go_ahead(device_worker *worker, rft_err *err) {
    rft_probe_result result;
    rft_err failure = RFT_ERR_INIT;
    if (!begin_unasked(worker)) {
        return RFT_OK;
    }
    rft_arena *arena = rft_arena_new();
    take_in_hand(worker);
    const int measured = measure_in_hand(worker, arena, &result, &failure);
    int rc = RFT_OK;
    rft_mail_await(worker->mail, &worker->unasked);
    if (end_unasked(worker)) {
        put_back(worker);
    } else {
        json_t *head = measured == RFT_OK ? rft_wire_of_probe_result(&result) : NULL;
        look_at_race(worker); /* too late for it */
        rc = answer(worker, measured, head, &failure, err);
    }
    rft_arena_free(arena);
    rest(worker);
    return rc;
}

int rft_worker_device(const rft_worker_host *host, int in_fd, int out_fd, rft_err *err) {
    device_worker worker = {.setup = {.host = host}, .out_fd = out_fd};
    int rc = RFT_OK;
    rft_worker_become(in_fd);
    worker.mail = rft_mail_open(in_fd, is_of_unasked, &worker);
    rft_worker_setup_begin(&worker.setup);
    while (rc == RFT_OK && !is_ending(&worker)) {
        if (may_go_ahead(&worker)) {
            rc = go_ahead(&worker, err);
            continue;
        }
        rft_frame frame = {0};
        rc = rft_mail_take(worker.mail, worker.answered > 0, &frame, err);
        if (rc != RFT_OK) {
            break;
        }
        if (is_expectation(&frame)) {
            expect(&worker, &frame);
            load_expected(&worker);
        } else {
            rc = answer_request(&worker, &frame, err);
        }
        rft_frame_clear(&frame);
    }
    if (is_ending(&worker)) {
        _exit(0); /* destroying a poisoned context can hang; the kernel cleans up */
    }
    close_all(&worker);
    return rc == 1 ? RFT_OK : rc;
}
