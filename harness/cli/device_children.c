/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/device_children.h"

#include "cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_AGAIN_MS 200        /* for signals that came just before the poll */
#define ERROR_BEGIN "rooftune: " /* of a line on stderr */
#define EVENTS_FD 3              /* of a child */

enum { STREAM_OUT, STREAM_TALK, STREAM_EVENTS };

/* argv of one device's run: the same words but for what changes. NULL-terminated, in the arena. */
static char **child_words(const rft_device_children *d, const rft_device_child *run) {
    rft_words words = rft_run_options_words(d->o, run->changes, d->arena);
    char **argv = rft_arena_calloc(d->arena, words.count + 2, sizeof *argv);
    argv[0] = rft_arena_strdup(d->arena, d->cli->invoked_as);
    for (size_t i = 0; i < words.count; i++) {
        argv[i + 1] = rft_arena_strdup(d->arena, words.items[i]);
    }
    return argv;
}

/* Between fork and exec: its own process group, so that a Ctrl-C comes through this process alone and a second one is
 * not taken for two; asked to stop when this process is gone. */
static void become_child(const rft_device_children *d, char **argv, int ends[RFT_CHILD_STREAMS], pid_t parent) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(130);
    }
    signal(SIGPIPE, SIG_DFL);
    /* Above the three that they become, so that none is overwritten before it is used. */
    int safe[RFT_CHILD_STREAMS];
    for (int s = 0; s < RFT_CHILD_STREAMS; s++) {
        safe[s] = fcntl(ends[s], F_DUPFD_CLOEXEC, 10);
    }
    if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(safe[STREAM_OUT], STDOUT_FILENO) >= 0 &&
        dup2(safe[STREAM_TALK], STDERR_FILENO) >= 0 && dup2(safe[STREAM_EVENTS], EVENTS_FD) >= 0) {
        execv(d->cli->program, argv);
    }
    _exit(127);
}

static void close_both(int pipes[RFT_CHILD_STREAMS][2], int made) {
    for (int s = 0; s < made; s++) {
        close(pipes[s][0]);
        close(pipes[s][1]);
    }
}

static int start(rft_device_children *d, rft_device_child *run, rft_err *err) {
    int pipes[RFT_CHILD_STREAMS][2];
    int made = 0;
    char **argv = child_words(d, run);
    while (made < RFT_CHILD_STREAMS && pipe2(pipes[made], O_CLOEXEC) == 0) {
        made++;
    }
    pid_t parent = getpid();
    pid_t pid = made == RFT_CHILD_STREAMS ? fork() : -1;
    if (pid < 0) {
        int why = errno;
        close_both(pipes, made);
        rft_err_set(err, RFT_E_WORKER, "the run on %s could not be started: %s", run->listed->label, strerror(why));
        return rft_err_remedy(err, "check limits of processes and open files (ulimit -u, ulimit -n)");
    }
    if (pid == 0) {
        int ends[RFT_CHILD_STREAMS] = {pipes[STREAM_OUT][1], pipes[STREAM_TALK][1], pipes[STREAM_EVENTS][1]};
        become_child(d, argv, ends, parent);
    }
    setpgid(pid, pid); /* here too: a signal may be forwarded before the child has done it */
    run->pid = pid;
    for (int s = 0; s < RFT_CHILD_STREAMS; s++) {
        close(pipes[s][1]);
        run->fds[s] = pipes[s][0];
    }
    return RFT_OK;
}

static void forward_signals(rft_device_children *d) {
    for (; d->forwarded < rft_interrupt_count(); d->forwarded++) {
        for (size_t i = 0; i < d->count; i++) {
            if (d->all[i].pid > 0) {
                kill(d->all[i].pid, SIGTERM);
            }
        }
    }
}

/* ---- what they say ---- */

static void show_line(const rft_device_children *d, const rft_device_child *run, FILE *file, const char *line) {
    fprintf(file, "%s: %s\n", run->listed->label, line);
    fflush(file);
    (void)d;
}

static void pass_event(const rft_device_children *d, const rft_device_child *run, const char *line, size_t length) {
    json_t *fields = NULL;
    rft_err err = RFT_ERR_INIT;
    if (rft_json_parse(&fields, line, length, "events", &err) != RFT_OK) {
        rft_log_warn(&d->cli->log, "%s sent an event that cannot be read: %s", run->listed->label, err.message);
        return;
    }
    const char *event = rft_arena_strdup(d->arena, rft_json_text_or(fields, "event", "unknown"));
    json_object_del(fields, "event");
    json_object_del(fields, "at_s"); /* this stream's own clock */
    json_object_set_new(fields, "device", json_string(run->listed->device));
    rft_events_put(d->events, event, fields);
}

/* Takes the finished lines out of a stream; at its end what is left too. Results are kept until the run has ended. */
static void take_lines(rft_device_children *d, rft_device_child *run, int stream, bool at_end) {
    rft_str *text = &run->text[stream];
    size_t taken = 0;
    while (stream != STREAM_OUT && taken < text->length) {
        char *line = text->data + taken;
        char *newline = memchr(line, '\n', text->length - taken);
        if (!newline && !at_end) {
            break;
        }
        size_t length = newline ? (size_t)(newline - line) : text->length - taken;
        line[length] = '\0'; /* a newline, or the text's own end */
        if (stream == STREAM_TALK) {
            if (rft_text_starts(line, ERROR_BEGIN)) {
                run->error = rft_arena_strdup(d->arena, line + strlen(ERROR_BEGIN));
            }
            show_line(d, run, d->cli->talk, line);
        } else {
            pass_event(d, run, line, length);
        }
        taken += length + (newline ? 1 : 0);
    }
    size_t left = text->length - taken;
    if (taken > 0) {
        memmove(text->data, text->data + taken, left);
        rft_str_truncate(text, left);
    }
}

/* false: nothing more comes. */
static bool read_some(rft_device_children *d, rft_device_child *run, int stream) {
    char buffer[65536];
    ssize_t got = read(run->fds[stream], buffer, sizeof buffer);
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) {
        return true;
    }
    if (got > 0) {
        rft_str_add_n(&run->text[stream], buffer, (size_t)got);
    }
    take_lines(d, run, stream, got <= 0);
    return got > 0;
}

static bool is_open(const rft_device_child *run) {
    return run->fds[STREAM_OUT] >= 0 || run->fds[STREAM_TALK] >= 0 || run->fds[STREAM_EVENTS] >= 0;
}

/* All its streams have ended: its results, and how it ended. */
static void reap(rft_device_children *d, rft_device_child *run) {
    int status = 0;
    while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR) {
    }
    run->pid = 0;
    run->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : rft_code_exit_status(RFT_E_WORKER);
    if (!d->quiet) {
        fprintf(d->cli->out, "%s== %s: %s, %s ==\n%s", run == d->all ? "" : "\n", run->listed->label, run->listed->name,
                run->listed->uuid, rft_str_get(&run->text[STREAM_OUT]));
        fflush(d->cli->out);
    }
    if (WIFSIGNALED(status)) {
        show_line(d, run, d->cli->talk, "ended by a signal; what it stored stays");
    }
    if (d->ended) {
        d->ended(d->payload, (size_t)(run - d->all));
    }
}

static void watch(rft_device_children *d) {
    size_t most = d->count * RFT_CHILD_STREAMS;
    struct pollfd *watched = rft_calloc(most, sizeof *watched);
    for (size_t open_runs = d->count; open_runs > 0;) {
        for (size_t i = 0; i < most; i++) {
            watched[i] =
                (struct pollfd){.fd = d->all[i / RFT_CHILD_STREAMS].fds[i % RFT_CHILD_STREAMS], .events = POLLIN};
        }
        poll(watched, most, LOOK_AGAIN_MS);
        forward_signals(d);
        for (size_t i = 0; i < most; i++) {
            rft_device_child *run = &d->all[i / RFT_CHILD_STREAMS];
            int stream = (int)(i % RFT_CHILD_STREAMS);
            if (watched[i].fd >= 0 && watched[i].revents && !read_some(d, run, stream)) {
                close(run->fds[stream]);
                run->fds[stream] = -1;
            }
        }
        open_runs = 0;
        for (size_t i = 0; i < d->count; i++) {
            if (d->all[i].pid > 0 && !is_open(&d->all[i])) {
                reap(d, &d->all[i]);
            }
            open_runs += d->all[i].pid > 0;
        }
    }
    free(watched);
}

int rft_device_children_run(rft_device_children *d, rft_err *err) {
    int rc = RFT_OK;
    rft_interrupt_defer();
    for (size_t i = 0; i < d->count && rc == RFT_OK; i++) {
        rc = start(d, &d->all[i], err);
    }
    for (size_t i = 0; i < d->count && rc != RFT_OK; i++) { /* not all could be started: none goes on */
        if (d->all[i].pid > 0) {
            kill(d->all[i].pid, SIGTERM);
        }
    }
    watch(d);
    for (size_t i = 0; i < d->count; i++) {
        for (int stream = 0; stream < RFT_CHILD_STREAMS; stream++) {
            rft_str_clear(&d->all[i].text[stream]);
        }
    }
    return rc;
}
