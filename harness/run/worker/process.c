/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker/process.h"

#include "base/arena.h"
#include "run/worker/awake.h"

#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uv.h>

#define CHUNK_BYTES 65536
#define LAST_BYTES_MS 1000 /* for what a dead child's descendants may hold open; to exit after the last byte */
#define LONGEST_LIMIT_S 1e9
#define ASK_MS 50

struct rft_loop {
    uv_loop_t uv;
    char chunk[CHUNK_BYTES]; /* every read ends before the next begins */
};

struct rft_process {
    rft_loop *loop;
    uv_process_t child;
    uv_pipe_t to, from;
    uv_timer_t limit;
    rft_process_events events;
    rft_str inbox;
    char why[96];
    int open_handles; /* freed when all four are closed */
    bool exited, drained, gone, silent;
    bool overdue, late, signalled;
    bool offended; /* we ended it for what it did: `why` says so already */
    int64_t asked, answered;
};

typedef struct sending {
    uv_write_t write;
    rft_str bytes;
} sending;

/* What libuv could not have, by its error. */
static const char *remedy_for(int rc) {
    return rc == UV_ENOENT || rc == UV_EACCES
               ? "was the program moved or replaced while it ran, or is /proc not mounted? Start it again"
           : rc == UV_EPERM || rc == UV_ENOSYS ? "the container's seccomp profile refuses a system call: try it with "
                                                 "another, such as docker run --security-opt seccomp=unconfined"
           : rc == UV_ENOMEM                   ? "free memory of the host, or raise the limit on it (ulimit -v)"
                                               : "check the limits on processes and open files (ulimit -u, ulimit -n)";
}

/* What libuv opens at once; where its first pipe fails, it ends the program without a word. UV_EMFILE, ... or 0. */
static int can_open(void) {
    int pipes[2][2] = {{-1, -1}, {-1, -1}};
    const bool opened = pipe(pipes[0]) == 0 && pipe(pipes[1]) == 0;
    const int rc = opened ? 0 : uv_translate_sys_error(errno);
    for (int i = 0; i < 2 && pipes[i][0] >= 0; i++) {
        close(pipes[i][0]);
        close(pipes[i][1]);
    }
    return rc;
}

int rft_loop_new(rft_loop **out, rft_err *err) {
    rft_loop *loop = rft_alloc(sizeof *loop);
    int rc = can_open();
    rc = rc ? rc : uv_loop_init(&loop->uv);
    if (rc < 0) {
        free(loop);
        rft_err_set(err, RFT_E_WORKER, "cannot wait for worker processes: %s", uv_strerror(rc));
        return rft_err_remedy(err, "%s", remedy_for(rc));
    }
    signal(SIGPIPE, SIG_IGN);
    *out = loop;
    return RFT_OK;
}

void rft_loop_free(rft_loop *loop) {
    if (!loop) {
        return;
    }
    while (uv_run(&loop->uv, UV_RUN_ONCE) != 0) {
    }
    uv_loop_close(&loop->uv);
    free(loop);
}

void rft_loop_wait(rft_loop *loop, const bool *done) {
    while (!*done) {
        uv_run(&loop->uv, UV_RUN_ONCE);
    }
}

void rft_loop_wait_awake(rft_loop *loop, const bool *done) {
    const int64_t end_ns = rft_awake_end_ns();
    while (!*done && !rft_awake_is_over(end_ns)) {
        uv_run(&loop->uv, UV_RUN_NOWAIT);
    }
    rft_loop_wait(loop, done);
}

static void on_tick(uv_timer_t *timer) {
    (void)timer; /* the loop has woken up: that is all */
}

static void on_ticker_closed(uv_handle_t *handle) {
    free(handle);
}

bool rft_loop_wait_unless(rft_loop *loop, const bool *done, bool (*stop)(void *payload), void *payload) {
    uv_timer_t *ticker = rft_alloc(sizeof *ticker);
    bool stopped = false;
    uv_timer_init(&loop->uv, ticker);
    uv_timer_start(ticker, on_tick, ASK_MS, ASK_MS);
    while (!*done && !(stopped = stop(payload))) {
        uv_run(&loop->uv, UV_RUN_ONCE);
    }
    uv_close((uv_handle_t *)ticker, on_ticker_closed);
    return !stopped;
}

void rft_loop_turn(rft_loop *loop) {
    /* Twice: reaping a child and reading its last bytes are two events. */
    uv_run(&loop->uv, UV_RUN_NOWAIT);
    uv_run(&loop->uv, UV_RUN_NOWAIT);
}

static void kill_child(rft_process *process) {
    if (!process->exited) {
        uv_process_kill(&process->child, SIGKILL);
    }
}

/* The child counts as gone when it was reaped and its last bytes were read: an answer sent before dying still counts.
 */
static void settle(rft_process *process) {
    if (process->gone || !process->exited || !process->drained) {
        return;
    }
    process->gone = true;
    uv_timer_stop(&process->limit);
    if (!process->silent) {
        process->events.gone(process->events.payload, process->why);
    }
}

static void stop_reading(rft_process *process) {
    uv_read_stop((uv_stream_t *)&process->from);
    process->drained = true;
}

static void end_for(rft_process *process, const char *offence) {
    process->offended = true;
    snprintf(process->why, sizeof process->why, "%s", offence);
    stop_reading(process);
    kill_child(process);
    settle(process);
}

static void on_limit(uv_timer_t *timer) {
    rft_process *process = timer->data;
    if (process->exited) {
        stop_reading(process);
        settle(process);
    } else if (process->drained) {
        end_for(process, "closed its output and was ended");
    } else if (!process->overdue) {
        /* The answer may be there already: timers come before reading. */
        process->overdue = true;
        uv_timer_start(timer, on_limit, 1, 0);
    } else {
        process->late = true;
        kill_child(process);
    }
}

static void on_child_exit(uv_process_t *child, int64_t status, int term_signal) {
    rft_process *process = child->data;
    process->exited = true;
    process->signalled = term_signal != 0;
    if (process->offended) {
        /* the signal was ours */
    } else if (term_signal) {
        snprintf(process->why, sizeof process->why, "was ended by signal %d (%s)", term_signal, strsignal(term_signal));
    } else {
        snprintf(process->why, sizeof process->why, "ended with status %d", (int)status);
    }
    if (!process->drained) {
        uv_timer_start(&process->limit, on_limit, LAST_BYTES_MS, 0);
    }
    settle(process);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    rft_process *process = handle->data;
    (void)suggested;
    *buffer = uv_buf_init(process->loop->chunk, CHUNK_BYTES);
}

/* An answer to a question that was not asked, or was answered before, must not pass for the next one's. */
static bool is_asked_for(rft_process *process, const rft_frame *frame) {
    process->answered++;
    return process->answered <= process->asked && rft_json_int_or(frame->head, "number", 0) == process->answered;
}

/* Of the request in hand; any other is like an answer without a request. */
static bool is_phase(const rft_process *process, const rft_frame *frame) {
    return process->events.phase && process->answered < process->asked && *rft_json_text_or(frame->head, "phase", "") &&
           rft_json_int_or(frame->head, "number", 0) == process->answered + 1;
}

static void take_frames(rft_process *process) {
    rft_err err = RFT_ERR_INIT;
    rft_frame frame = {0};
    int got = 1;
    while (!process->silent && (got = rft_frame_take(&frame, &process->inbox, &err)) == 1) {
        if (is_phase(process, &frame)) {
            process->events.phase(process->events.payload, rft_json_text_or(frame.head, "phase", ""));
            rft_frame_clear(&frame);
            continue;
        }
        if (!is_asked_for(process, &frame)) {
            rft_frame_clear(&frame);
            end_for(process, "sent an answer without a request and was ended");
            return;
        }
        process->events.frame(process->events.payload, &frame);
    }
    if (got < 0) {
        end_for(process, "sent bytes that are not a frame and was ended");
    }
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    rft_process *process = stream->data;
    if (count > 0) {
        rft_str_add_n(&process->inbox, buffer->base, (size_t)count);
        take_frames(process);
    } else if (count < 0) {
        stop_reading(process);
        if (!process->exited) { /* it is about to, or it can answer no more */
            uv_timer_start(&process->limit, on_limit, LAST_BYTES_MS, 0);
        }
        settle(process);
    }
}

static int start_child(rft_process *process, const char *const *argv) {
    uv_stdio_container_t stdio[5] = {
        {.flags = UV_IGNORE},
        {.flags = UV_IGNORE},
        {.flags = UV_INHERIT_FD, .data.fd = 2},
        {.flags = UV_CREATE_PIPE | UV_READABLE_PIPE, .data.stream = (uv_stream_t *)&process->to},
        {.flags = UV_CREATE_PIPE | UV_WRITABLE_PIPE, .data.stream = (uv_stream_t *)&process->from},
    };
    uv_process_options_t options = {
        .exit_cb = on_child_exit,
        .file = argv[0],
        .args = (char **)(uintptr_t)argv,
        .flags = UV_PROCESS_DETACHED,
        .stdio_count = 5,
        .stdio = stdio,
    };
    return uv_spawn(&process->loop->uv, &process->child, &options);
}

int rft_process_start(rft_process **out, rft_loop *loop, const char *const *argv, const rft_process_events *events,
                      rft_err *err) {
    rft_process *process = rft_alloc(sizeof *process);
    process->loop = loop;
    process->events = *events;
    uv_pipe_init(&loop->uv, &process->to, 0);
    uv_pipe_init(&loop->uv, &process->from, 0);
    uv_timer_init(&loop->uv, &process->limit);
    process->child.data = process->to.data = process->from.data = process->limit.data = process;
    process->open_handles = 4;
    int rc = start_child(process, argv);
    if (rc == 0) {
        rc = uv_read_start((uv_stream_t *)&process->from, on_alloc, on_read);
    } else {
        process->exited = true;
    }
    if (rc == 0) {
        *out = process;
        return RFT_OK;
    }
    rft_process_free(process);
    rft_err_set(err, RFT_E_WORKER, "cannot start a worker process (%s): %s", argv[0], uv_strerror(rc));
    return rft_err_remedy(err, "%s", remedy_for(rc));
}

void rft_process_listen(rft_process *process, const rft_process_events *events) {
    process->events = *events;
}

static void on_sent(uv_write_t *write, int status) {
    sending *message = write->data;
    (void)status; /* a broken pipe shows up as `gone` */
    rft_str_clear(&message->bytes);
    free(message);
}

void rft_process_send(rft_process *process, const json_t *head, const void *blob, size_t blob_bytes) {
    process->asked++;
    rft_process_tell(process, head, blob, blob_bytes);
}

void rft_process_tell(rft_process *process, const json_t *head, const void *blob, size_t blob_bytes) {
    sending *message = rft_alloc(sizeof *message);
    rft_frame_encode(&message->bytes, head, blob, blob_bytes);
    message->write.data = message;
    uv_buf_t buffer = uv_buf_init(message->bytes.data, (unsigned)message->bytes.length);
    if (uv_write(&message->write, (uv_stream_t *)&process->to, &buffer, 1, on_sent) < 0) {
        rft_str_clear(&message->bytes);
        free(message);
        kill_child(process);
    }
}

void rft_process_limit(rft_process *process, double seconds) {
    process->overdue = false;
    if (process->exited || process->drained) {
        return; /* the timer waits for the last bytes, or for the exit */
    }
    if (!isfinite(seconds)) {
        uv_timer_stop(&process->limit);
        return;
    }
    double held_s = seconds < 0 ? 0 : seconds > LONGEST_LIMIT_S ? LONGEST_LIMIT_S : seconds;
    uv_update_time(&process->loop->uv);
    uv_timer_start(&process->limit, on_limit, (uint64_t)(held_s * 1e3 + 0.5), 0);
}

bool rft_process_is_gone(const rft_process *process) {
    return process->gone;
}

bool rft_process_was_late(const rft_process *process) {
    return process->late;
}

bool rft_process_ended_itself(const rft_process *process) {
    return process->gone && !process->signalled;
}

static void on_closed(uv_handle_t *handle) {
    rft_process *process = handle->data;
    process->open_handles--;
    if (process->open_handles == 0) {
        rft_str_clear(&process->inbox);
        free(process);
    }
}

void rft_process_dismiss(rft_process *process) {
    if (process) {
        process->silent = true;
        kill_child(process);
    }
}

void rft_process_free(rft_process *process) {
    if (!process) {
        return;
    }
    rft_process_dismiss(process);
    while (!process->exited) {
        uv_run(&process->loop->uv, UV_RUN_ONCE);
    }
    /* Closing takes another turn of the loop, which the last of the handles ends by freeing the memory. */
    uv_close((uv_handle_t *)&process->child, on_closed);
    uv_close((uv_handle_t *)&process->to, on_closed);
    uv_close((uv_handle_t *)&process->from, on_closed);
    uv_close((uv_handle_t *)&process->limit, on_closed);
}
