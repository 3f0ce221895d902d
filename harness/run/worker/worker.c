/* SPDX-License-Identifier: Apache-2.0 */
/* The device worker; compile_worker.c is the other one. */
#include "run/worker/worker.h"

#include "base/hash.h"
#include "measure/protocol.h"
#include "run/worker/mail.h"
#include "run/worker/phase.h"
#include "run/worker/worker_answer.h"

#include <pthread.h>
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
    const rft_worker_host *host;
    rft_compiler *compiler;
    rft_gpu *gpu;
    rft_probe *probe;
    rft_meter *meter; /* NULL: none */
    bool meter_asked;
    rft_err no_meter; /* why there is none */
    uint64_t draw;    /* of this process, as the first request says; 0: none */
    rft_device_ptr spacer;
    bool confined;
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
    /* What is done before the first request: loading the driver and NVRTC takes a tenth of a second and more. */
    pthread_t opening;
    bool opening_started;
    rft_compiler *opened; /* by that thread */
    rft_err opening_err;
    rft_arena *arena; /* of the identity */
    rft_gpu_info identity;
    int identified; /* rft_code */
    rft_err identity_err;
} device_worker;

static void *open_compiler(void *payload) {
    device_worker *worker = payload;
    if (worker->host->compiler_new(worker->host->self, &worker->opened, &worker->opening_err) != RFT_OK) {
        worker->opened = NULL;
    }
    return NULL;
}

static void prepare(device_worker *worker) {
    worker->arena = rft_arena_new();
    worker->opening_started = pthread_create(&worker->opening, NULL, open_compiler, worker) == 0;
    worker->identified =
        worker->host->gpu_identify(worker->host->self, worker->arena, &worker->identity, &worker->identity_err);
}

/* Takes over what the thread opened; asks again when it could not, so that every request hears why. */
static int ready_compiler(device_worker *worker, rft_err *err) {
    if (worker->opening_started) {
        worker->opening_started = false;
        pthread_join(worker->opening, NULL);
        worker->compiler = worker->opened;
        if (!worker->compiler) {
            *err = worker->opening_err;
            return worker->opening_err.code;
        }
    }
    return worker->compiler ? RFT_OK : worker->host->compiler_new(worker->host->self, &worker->compiler, err);
}

/* Once; a process that follows another does it before it has the device. */
static void open_meter(device_worker *worker, const rft_gpu_info *info) {
    if (worker->host->meter_open && !worker->meter_asked) {
        worker->meter_asked = true;
        if (worker->host->meter_open(worker->host->self, info, &worker->meter, &worker->no_meter) != RFT_OK) {
            worker->meter = NULL;
        }
    }
}

static void give_meter(device_worker *worker) {
    rft_gpu_info info = {0};
    if (!worker->host->meter_open) {
        return;
    }
    if (!worker->meter_asked && worker->gpu->vt->info(worker->gpu, &info, &worker->no_meter) == RFT_OK) {
        open_meter(worker, &info);
    }
    rft_protocol_meter(worker->probe, worker->meter, worker->no_meter.message);
}

/* Once the device is open, with what the driver, NVRTC and the libraries opened later still need. */
static void confine(device_worker *worker) {
    if (worker->host->confinement && !worker->confined) {
        int rules = rft_confine_prepare(worker->host->confinement);
        rft_confine_enter(rules);
        if (rules >= 0) {
            close(rules);
        }
    }
    worker->confined = true;
}

#define SPACER_STEP (2ull << 20) /* a page of the device */
#define SPACER_MOST (256ull << 20)
#define SPACER_FRAC 32 /* of the memory that is free: room for the points */

/* Every draw has another size of what is allocated first, so that what comes behind it lies elsewhere. Without room for
 * it there is none. */
static void take_spacer(device_worker *worker) {
    uint64_t free_bytes = 0;
    const rft_gpu_vt *vt = worker->gpu->vt;
    if (worker->draw == 0 || vt->memory_free(worker->gpu, &free_bytes, NULL) != RFT_OK) {
        return;
    }
    uint64_t most = free_bytes / SPACER_FRAC < SPACER_MOST ? free_bytes / SPACER_FRAC : SPACER_MOST;
    uint64_t bytes = most < SPACER_STEP ? 0 : SPACER_STEP * (1 + rft_random_below(&worker->draw, most / SPACER_STEP));
    if (bytes == 0 || vt->alloc(worker->gpu, bytes, &worker->spacer, NULL) != RFT_OK) {
        worker->spacer = 0;
    }
}

static int open_gpu(device_worker *worker, rft_err *err) {
    int rc = worker->host->gpu_open(worker->host->self, &worker->gpu, err);
    if (rc == RFT_OK) {
        take_spacer(worker);
    }
    return rc;
}

/* Opened at the first request, so that a missing driver is an answer and not a dead process. */
static int ready(device_worker *worker, rft_err *err) {
    int rc = worker->gpu ? RFT_OK : open_gpu(worker, err);
    rc = rc == RFT_OK ? ready_compiler(worker, err) : rc;
    if (rc == RFT_OK && !worker->probe) {
        rc = rft_protocol_new(&worker->probe, worker->gpu, worker->compiler, worker->host->clock, worker->host->log,
                              err);
        if (rc == RFT_OK && worker->host->vendor_open) {
            const rft_vendor_source source = {worker->host->vendor_open, worker->host->self};
            rft_protocol_use_vendor(worker->probe, &source);
        }
        if (rc == RFT_OK && worker->host->counting_open) {
            const rft_counting_source source = {worker->host->counting_open, worker->host->self};
            rft_protocol_use_counting(worker->probe, &source);
        }
        if (rc == RFT_OK) {
            give_meter(worker);
            confine(worker);
        }
    }
    return rc;
}

static int answer_identify(device_worker *worker, const rft_frame *frame, json_t **head, rft_err *failure) {
    if (worker->identified != RFT_OK) {
        *failure = worker->identity_err;
        return worker->identified;
    }
    if (rft_json_bool_or(frame->head, "ahead", false)) {
        open_meter(worker, &worker->identity);
    }
    const rft_env nothing = {0};
    *head = rft_wire_of_device(&worker->identity, &nothing);
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
    int rc = worker->probe->device(worker->probe, arena, &gpu, &env, failure);
    if (rc != RFT_OK) {
        return rc;
    }
    if (worker->host->describe) {
        worker->host->describe(worker->host->self, &gpu, &env, arena);
    }
    rft_env_set(&env, arena, "nvrtc.version", worker->compiler->version(worker->compiler), NULL);
    *head = rft_wire_of_device(&gpu, &env);
    return RFT_OK;
}

static int answer_ceilings(device_worker *worker, const rft_frame *frame, rft_arena *arena, json_t **head,
                           rft_err *failure) {
    rft_ceilings ceilings;
    const rft_ceilings_request request = rft_wire_to_ceilings_request(frame->head);
    int rc = worker->probe->ceilings(worker->probe, &request, arena, &ceilings, failure);
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
    if (expected->there && !expected->loaded && worker->probe && worker->probe->expect) {
        expected->loaded = true;
        worker->probe->expect(worker->probe, &expected->request);
    }
}

/* After a fault this process is of no more use: the other side starts a new one. */
static bool is_ending(const device_worker *worker) {
    return worker->gpu && worker->gpu->vt->sticky(worker->gpu);
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
    return worker->host->clock->monotonic_ns(worker->host->clock->self);
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
    int rc = worker->probe->measure(worker->probe, &worker->request, arena, result, failure);
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
        rc = worker->probe->count(worker->probe, &request, &set, arena, &result, failure);
    }
    *head = rc == RFT_OK ? rft_wire_of_counters(&result.counters) : NULL;
    return rc;
}

static int answer_idle(device_worker *worker, const rft_frame *frame, rft_arena *arena, json_t **head,
                       rft_err *failure) {
    rft_load_order order;
    rft_load idle;
    rft_wire_to_load_order(&order, json_object_get(frame->head, "load"));
    int rc = worker->probe->idle(worker->probe, &order, arena, &idle, failure);
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
    if (!worker->gpu) {
        worker->draw = (uint64_t)rft_json_int_or(request->frame->head, "draw", 0);
    }
    int rc = ready(worker, failure);
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
    return expected->there && expected->surely && worker->probe && !is_ending(worker) &&
           worker->passed >= AHEAD_AFTER && rft_text_equal(worker->problem, expected->request.problem_key) &&
           !rft_mail_has(worker->mail) && rft_mail_start(worker->mail);
}

/* What goes ahead rests while the device is at work. */
static void rest(device_worker *worker) {
    if (!worker->probe || !worker->probe->rest || is_ending(worker)) {
        return;
    }
    if (!may_go_ahead(worker)) {
        worker->probe->rest(worker->probe);
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
    rft_err ignored = RFT_ERR_INIT;
    forget(&worker->expected);
    rft_mail_close(worker->mail);
    if (worker->opening_started) {
        (void)ready_compiler(worker, &ignored); /* there was no request */
    }
    if (worker->probe) {
        worker->probe->free(worker->probe);
    }
    if (worker->meter) {
        worker->meter->vt->close(worker->meter);
    }
    if (worker->spacer) {
        worker->gpu->vt->free(worker->gpu, worker->spacer);
    }
    if (worker->gpu) {
        worker->gpu->vt->close(worker->gpu);
    }
    if (worker->compiler) {
        worker->compiler->free(worker->compiler);
    }
    free(worker->problem);
    rft_arena_free(worker->arena);
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
    device_worker worker = {.host = host, .out_fd = out_fd};
    int rc = RFT_OK;
    rft_worker_become(in_fd);
    worker.mail = rft_mail_open(in_fd, is_of_unasked, &worker);
    prepare(&worker);
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
