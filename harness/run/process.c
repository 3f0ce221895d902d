/* SPDX-License-Identifier: Apache-2.0 */
#include "run/process.h"

#include "base/arena.h"

#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

struct rft_loop {
    uv_loop_t uv;
    uv_timer_t alarm;
};

struct rft_process {
    rft_loop *loop;
    uv_process_t child;
    uv_pipe_t to, from;
    rft_process_events events;
    rft_str inbox;
    char why[96];
    int open_handles; /* freed when all three are closed */
    bool exited, drained, gone, silent, closing;
};

typedef struct sending {
    uv_write_t write;
    rft_str bytes;
} sending;

int rft_loop_new(rft_loop **out, rft_err *err) {
    rft_loop *loop = rft_alloc(sizeof *loop);
    int rc = uv_loop_init(&loop->uv);
    if (rc < 0) {
        free(loop);
        return rft_err_set(err, RFT_E_WORKER, "event loop: %s", uv_strerror(rc));
    }
    uv_timer_init(&loop->uv, &loop->alarm);
    *out = loop;
    return RFT_OK;
}

void rft_loop_free(rft_loop *loop) {
    if (!loop) {
        return;
    }
    uv_close((uv_handle_t *)&loop->alarm, NULL);
    while (uv_run(&loop->uv, UV_RUN_ONCE) != 0) {
    }
    uv_loop_close(&loop->uv);
    free(loop);
}

static void on_alarm(uv_timer_t *alarm) {
    *(bool *)alarm->data = true;
}

bool rft_loop_wait(rft_loop *loop, const bool *done, double timeout_s) {
    bool late = false;
    loop->alarm.data = &late;
    if (isfinite(timeout_s)) {
        uv_update_time(&loop->uv);
        uv_timer_start(&loop->alarm, on_alarm, (uint64_t)(timeout_s * 1e3 + 0.5), 0);
    }
    while (!*done && !late) {
        uv_run(&loop->uv, UV_RUN_ONCE);
    }
    uv_timer_stop(&loop->alarm);
    return *done;
}

void rft_loop_turn(rft_loop *loop) {
    uv_run(&loop->uv, UV_RUN_NOWAIT);
}

double rft_loop_now_s(rft_loop *loop) {
    (void)loop;
    return (double)uv_hrtime() * 1e-9;
}

static void on_closed(uv_handle_t *handle) {
    rft_process *process = handle->data;
    process->open_handles--;
}

/* The child counts as gone when it was reaped and its last bytes were read: an answer sent before dying still counts.
 */
static void settle(rft_process *process) {
    if (process->gone || !process->exited || !process->drained) {
        return;
    }
    process->gone = true;
    if (!process->silent) {
        process->events.gone(process->events.payload, process->why);
    }
}

static void on_child_exit(uv_process_t *child, int64_t status, int term_signal) {
    rft_process *process = child->data;
    process->exited = true;
    if (term_signal) {
        snprintf(process->why, sizeof process->why, "ended by signal %d (%s)", term_signal, strsignal(term_signal));
    } else {
        snprintf(process->why, sizeof process->why, "ended with status %d", (int)status);
    }
    settle(process);
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer) {
    (void)handle;
    *buffer = uv_buf_init(rft_alloc(suggested), (unsigned)suggested);
}

static void take_frames(rft_process *process) {
    rft_err err = RFT_ERR_INIT;
    rft_frame frame;
    int got = 1;
    while (!process->silent && (got = rft_frame_take(&frame, &process->inbox, &err)) == 1) {
        process->events.frame(process->events.payload, &frame);
    }
    if (got < 0) {
        rft_process_kill(process);
    }
}

static void on_read(uv_stream_t *stream, ssize_t count, const uv_buf_t *buffer) {
    rft_process *process = stream->data;
    if (count > 0) {
        rft_str_add_n(&process->inbox, buffer->base, (size_t)count);
        take_frames(process);
    } else if (count < 0) {
        uv_read_stop(stream);
        process->drained = true;
        settle(process);
    }
    free(buffer->base);
}

static void start_child(rft_process *process, const char *const *argv, int *rc) {
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
        .stdio_count = 5,
        .stdio = stdio,
    };
    *rc = uv_spawn(&process->loop->uv, &process->child, &options);
}

int rft_process_start(rft_process **out, rft_loop *loop, const char *const *argv, const rft_process_events *events,
                      rft_err *err) {
    rft_process *process = rft_alloc(sizeof *process);
    int rc = 0;
    process->loop = loop;
    process->events = *events;
    process->child.data = process;
    uv_pipe_init(&loop->uv, &process->to, 0);
    uv_pipe_init(&loop->uv, &process->from, 0);
    process->to.data = process;
    process->from.data = process;
    process->open_handles = 3;
    start_child(process, argv, &rc);
    if (rc == 0) {
        rc = uv_read_start((uv_stream_t *)&process->from, on_alloc, on_read);
    }
    if (rc < 0) {
        process->exited = true;
        rft_process_free(process);
        rft_err_set(err, RFT_E_WORKER, "cannot start a worker process (%s): %s", argv[0], uv_strerror(rc));
        return rft_err_remedy(err, "check the limits on processes and open files (ulimit -u, ulimit -n)");
    }
    *out = process;
    return RFT_OK;
}

static void on_sent(uv_write_t *write, int status) {
    sending *message = write->data;
    (void)status; /* a broken pipe shows up as `gone` */
    rft_str_clear(&message->bytes);
    free(message);
}

void rft_process_send(rft_process *process, const json_t *head, const void *blob, size_t blob_bytes) {
    sending *message = rft_alloc(sizeof *message);
    rft_frame_encode(&message->bytes, head, blob, blob_bytes);
    message->write.data = message;
    uv_buf_t buffer = uv_buf_init(message->bytes.data, (unsigned)message->bytes.length);
    if (uv_write(&message->write, (uv_stream_t *)&process->to, &buffer, 1, on_sent) < 0) {
        rft_str_clear(&message->bytes);
        free(message);
        rft_process_kill(process);
    }
}

bool rft_process_is_gone(const rft_process *process) {
    return process->gone;
}

void rft_process_kill(rft_process *process) {
    if (!process->exited) {
        uv_process_kill(&process->child, SIGKILL);
    }
}

static void close_handle(uv_handle_t *handle) {
    if (!uv_is_closing(handle)) {
        uv_close(handle, on_closed);
    }
}

void rft_process_free(rft_process *process) {
    if (!process) {
        return;
    }
    process->silent = true;
    rft_process_kill(process);
    while (!process->exited) {
        uv_run(&process->loop->uv, UV_RUN_ONCE);
    }
    close_handle((uv_handle_t *)&process->child);
    close_handle((uv_handle_t *)&process->to);
    close_handle((uv_handle_t *)&process->from);
    while (process->open_handles > 0) {
        uv_run(&process->loop->uv, UV_RUN_ONCE);
    }
    rft_str_clear(&process->inbox);
    free(process);
}
