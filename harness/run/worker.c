/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker.h"

#include "run/wire.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* A signal to the whole group must not spoil the point in hand: the coordinator finishes it, or its end ends us. */
static void become_worker(void) {
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        signal(ignored[i], SIG_IGN);
    }
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* What is sent: the answer, or the error when rc is not 0. Takes `head`. */
static json_t *answer_of(int rc, json_t *head, rft_err *failure) {
    if (rc == RFT_OK && head) {
        return head;
    }
    json_decref(head);
    if (rc == RFT_OK) {
        rft_err_set(failure, RFT_E_INTERNAL, "an answer could not be put into a frame");
    }
    return rft_wire_of_err(failure);
}

static int answer_compile(rft_compiler *compiler, const rft_frame *frame, int out_fd, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_err failure = RFT_ERR_INIT;
    rft_compile_request request;
    rft_compile_result result = {0};
    int rc = rft_wire_to_compile_request(&request, frame->head, arena, &failure);
    if (rc == RFT_OK) {
        rc = compiler->compile(compiler, &request, arena, &result, &failure);
    }
    json_t *head = rc == RFT_OK ? rft_wire_of_compile_result(&result) : NULL;
    head = answer_of(rc, head, &failure);
    rc = rft_frame_write(out_fd, head, result.cubin, rc == RFT_OK ? result.cubin_bytes : 0, err);
    json_decref(head);
    rft_arena_free(arena);
    return rc;
}

/* Every request gets the reason why there is no compiler. */
static int refuse_compile(const rft_err *opening, int out_fd, rft_err *err) {
    json_t *head = rft_wire_of_err(opening);
    int rc = rft_frame_write(out_fd, head, NULL, 0, err);
    json_decref(head);
    return rc;
}

#define CHILD_SAW_THE_END 3 /* exit status: the input ended, there was no request */

/* One request from reading it to answering it, in a child of its own. Does not return. */
static void serve_in_child(rft_compiler *compiler, const rft_err *opening, int in_fd, int out_fd) {
    rft_frame frame = {0};
    rft_err err = RFT_ERR_INIT;
    prctl(PR_SET_PDEATHSIG, SIGKILL); /* the time limit ends the worker, and this with it */
    int rc = rft_frame_read(&frame, in_fd, &err);
    if (rc == RFT_OK) {
        rc = compiler ? answer_compile(compiler, &frame, out_fd, &err) : refuse_compile(opening, out_fd, &err);
        _exit(rc == RFT_OK ? 0 : 1);
    }
    _exit(rc == 1 ? CHILD_SAW_THE_END : 1);
}

/* The child died over its request: that is the configuration's failure to compile, with the way it died as the log. */
static int answer_for_the_dead(int signal_number, int out_fd, rft_err *err) {
    char log[96];
    snprintf(log, sizeof log, "the compiler's process was ended by signal %d (%s)", signal_number,
             strsignal(signal_number));
    rft_compile_result result = {.ok = false, .log = log};
    json_t *head = rft_wire_of_compile_result(&result);
    int rc = rft_frame_write(out_fd, head, NULL, 0, err);
    json_decref(head);
    return rc;
}

/* Waits until a request is there, without taking a byte of it. False when the input has ended. */
static bool request_waits(int in_fd) {
    struct pollfd input = {.fd = in_fd, .events = POLLIN};
    while (poll(&input, 1, -1) < 0 && errno == EINTR) {
    }
    return (input.revents & POLLIN) != 0;
}

/*
 * What NVRTC 13.0 makes of a source depends on what its process compiled before: 17 of 553 matrix kernels came out with
 * other registers when only the order was changed. So every request is served by a child forked from a process that has
 * compiled nothing but the compiler's own probe: the same source gives the same cubin, in any order, with any number of
 * workers. The child reads the request itself, so that this process stays as it was.
 */
static int serve_compiles(rft_compiler *compiler, const rft_err *opening, int in_fd, int out_fd, rft_err *err) {
    while (request_waits(in_fd)) {
        int status = 0;
        pid_t child = fork();
        if (child == 0) {
            serve_in_child(compiler, opening, in_fd, out_fd);
        }
        if (child < 0) {
            return rft_err_set(err, RFT_E_WORKER, "compile worker: no child process: %s", strerror(errno));
        }
        while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
        }
        if (WIFSIGNALED(status)) {
            int rc = answer_for_the_dead(WTERMSIG(status), out_fd, err);
            if (rc != RFT_OK) {
                return rc;
            }
        } else if (WEXITSTATUS(status) != 0) {
            return WEXITSTATUS(status) == CHILD_SAW_THE_END
                       ? RFT_OK
                       : rft_err_set(err, RFT_E_WORKER, "compile worker: a request or its answer broke off");
        }
    }
    return RFT_OK;
}

int rft_worker_compile(const rft_worker_host *host, int in_fd, int out_fd, rft_err *err) {
    rft_compiler *compiler = NULL;
    rft_err opening = RFT_ERR_INIT;
    become_worker();
    if (nice(10) == -1) {
        rft_log_debug(host->log, "compile worker: niceness not changed");
    }
    int opened = host->compiler_new(host->self, &compiler, &opening);
    int rc = serve_compiles(opened == RFT_OK ? compiler : NULL, &opening, in_fd, out_fd, err);
    if (opened == RFT_OK) {
        compiler->free(compiler);
    }
    return rc;
}

typedef struct device_worker {
    const rft_worker_host *host;
    rft_compiler *compiler;
    rft_gpu *gpu;
    rft_probe *probe;
} device_worker;

/* Opened at the first request, so that a missing driver is an answer and not a dead process. */
static int ready(device_worker *worker, rft_err *err) {
    int rc = RFT_OK;
    if (!worker->compiler) {
        rc = worker->host->compiler_new(worker->host->self, &worker->compiler, err);
    }
    if (rc == RFT_OK && !worker->gpu) {
        rc = worker->host->gpu_open(worker->host->self, &worker->gpu, err);
    }
    if (rc == RFT_OK && !worker->probe) {
        rc = rft_protocol_new(&worker->probe, worker->gpu, worker->compiler, worker->host->clock, worker->host->log,
                              err);
    }
    return rc;
}

static int answer_device(device_worker *worker, rft_arena *arena, json_t **head, rft_err *failure) {
    rft_gpu_info gpu = {0};
    rft_env env = {0};
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

static int answer_ceilings(device_worker *worker, rft_arena *arena, json_t **head, rft_err *failure) {
    rft_ceilings ceilings;
    int rc = worker->probe->ceilings(worker->probe, arena, &ceilings, failure);
    *head = rc == RFT_OK ? rft_wire_of_ceilings(&ceilings) : NULL;
    return rc;
}

static int answer_measure(device_worker *worker, const rft_frame *frame, rft_arena *arena, json_t **head,
                          rft_err *failure) {
    rft_probe_request request;
    rft_probe_result result;
    int rc = rft_wire_to_probe_request(&request, frame, arena, failure);
    if (rc == RFT_OK) {
        rc = worker->probe->measure(worker->probe, &request, arena, &result, failure);
    }
    *head = rc == RFT_OK ? rft_wire_of_probe_result(&result) : NULL;
    return rc;
}

/* After a fault this process is of no more use: the other side starts a new one. */
static bool is_ending(const device_worker *worker) {
    return worker->gpu && worker->gpu->vt->sticky(worker->gpu);
}

static int answer_request(device_worker *worker, const rft_frame *frame, int out_fd, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    rft_err failure = RFT_ERR_INIT;
    json_t *head = NULL;
    const char *what = rft_json_text_or(frame->head, "do", "");
    int rc = ready(worker, &failure);
    if (rc != RFT_OK) {
        /* answered below */
    } else if (strcmp(what, "device") == 0) {
        rc = answer_device(worker, arena, &head, &failure);
    } else if (strcmp(what, "ceilings") == 0) {
        rc = answer_ceilings(worker, arena, &head, &failure);
    } else if (strcmp(what, "measure") == 0) {
        rc = answer_measure(worker, frame, arena, &head, &failure);
    } else {
        rc = rft_err_set(&failure, RFT_E_WORKER, "the device worker knows no request \"%s\"", what);
    }
    head = answer_of(rc, head, &failure);
    json_object_set_new(head, "ending", json_boolean(is_ending(worker)));
    rc = rft_frame_write(out_fd, head, NULL, 0, err);
    json_decref(head);
    rft_arena_free(arena);
    return rc;
}

int rft_worker_device(const rft_worker_host *host, int in_fd, int out_fd, rft_err *err) {
    device_worker worker = {.host = host};
    int rc = RFT_OK;
    become_worker();
    while (rc == RFT_OK && !is_ending(&worker)) {
        rft_frame frame = {0};
        rc = rft_frame_read(&frame, in_fd, err);
        if (rc != RFT_OK) {
            break;
        }
        rc = answer_request(&worker, &frame, out_fd, err);
        rft_frame_clear(&frame);
    }
    if (is_ending(&worker)) {
        _exit(0); /* destroying a poisoned context can hang; the kernel cleans up */
    }
    if (worker.probe) {
        worker.probe->free(worker.probe);
    }
    if (worker.gpu) {
        worker.gpu->vt->close(worker.gpu);
    }
    if (worker.compiler) {
        worker.compiler->free(worker.compiler);
    }
    return rc == 1 ? RFT_OK : rc;
}
