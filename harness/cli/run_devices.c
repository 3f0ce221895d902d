/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/run_devices.h"

#include "base/clock.h"
#include "base/fs.h"
#include "base/units.h"
#include "cli/device_list.h"
#include "cli/events.h"
#include "cli/interrupt.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#define LOOK_AGAIN_MS 200 /* for signals that came just before the poll */
#define EVENTS_FD 3       /* of a child */

enum { STREAM_OUT, STREAM_TALK, STREAM_EVENTS, STREAMS };

typedef struct device_run {
    const rft_listed_device *listed;
    const char *path; /* of its run file */
    pid_t pid;        /* 0: not started, or reaped */
    int fds[STREAMS]; /* -1: closed */
    rft_str text[STREAMS];
    int exit_status;
} device_run;

typedef struct device_runs {
    rft_cli *cli;
    const rft_run_options *o;
    rft_arena *arena;
    const char *folder;
    device_run *runs;
    size_t count;
    rft_events *events; /* NULL: none were asked for */
    int forwarded;      /* signals that the children got */
} device_runs;

bool rft_run_devices_several(const char *device) {
    if (!device) {
        return false;
    }
    if (rft_text_starts(device, "replay:") && rft_fs_exists(device + strlen("replay:"))) {
        return false; /* a file's name may have a comma */
    }
    return strcmp(device, "all") == 0 || strchr(device, ',') != NULL;
}

/* ---- where to ---- */

static const char *default_folder(const device_runs *d) {
    char iso[40];
    const rft_clock *clock = rft_clock_system();
    char *stem = rft_fs_stem(d->o->files.items[0]);
    rft_units_format_iso(iso, sizeof iso, clock->unix_ns(clock->self));
    iso[10] = '\0'; /* the day */
    const char *folder = rft_arena_printf(d->arena, "%s-%s", stem, iso);
    free(stem);
    return folder;
}

static int prepare_folder(device_runs *d, rft_err *err) {
    d->folder = d->o->output ? d->o->output : default_folder(d);
    if (d->o->report) {
        rft_err_set(err, RFT_E_USAGE, "--report names one file, and several devices make a report each");
        return rft_err_remedy(err, "leave it out: the reports go beside the run files in the folder that -o names");
    }
    if (rft_fs_exists(d->folder) && !rft_fs_is_folder(d->folder)) {
        rft_err_set(err, RFT_E_IO, "%s is a file, and several devices write a file each", d->folder);
        return rft_err_remedy(err, "-o names a folder where -d names several devices");
    }
    return d->o->dry_run ? RFT_OK : rft_fs_make_folders(d->folder, err);
}

/* ---- children ---- */

/* argv of one device's run: the same words with its own device, file and events. NULL-terminated, in the arena. */
static char **child_words(const device_runs *d, const device_run *run) {
    const rft_run_change changes[] = {{"device", run->listed->device},
                                      {"output", run->path},
                                      {"events", d->events ? "/dev/fd/3" : NULL},
                                      {NULL, NULL}};
    rft_words words = rft_run_options_words(d->o, changes, d->arena);
    char **argv = rft_arena_calloc(d->arena, words.count + 2, sizeof *argv);
    argv[0] = rft_arena_strdup(d->arena, d->cli->invoked_as);
    for (size_t i = 0; i < words.count; i++) {
        argv[i + 1] = rft_arena_strdup(d->arena, words.items[i]);
    }
    return argv;
}

/* Between fork and exec: its own process group, so that a Ctrl-C comes through this process alone and a second one is
 * not taken for two; asked to stop when this process is gone. */
static void become_child(const device_runs *d, char **argv, int ends[STREAMS], pid_t parent) {
    int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (getppid() != parent) {
        _exit(130);
    }
    signal(SIGPIPE, SIG_DFL);
    /* Above the three that they become, so that none is overwritten before it is used. */
    int safe[STREAMS];
    for (int s = 0; s < STREAMS; s++) {
        safe[s] = fcntl(ends[s], F_DUPFD_CLOEXEC, 10);
    }
    if (dup2(nothing, STDIN_FILENO) >= 0 && dup2(safe[STREAM_OUT], STDOUT_FILENO) >= 0 &&
        dup2(safe[STREAM_TALK], STDERR_FILENO) >= 0 && dup2(safe[STREAM_EVENTS], EVENTS_FD) >= 0) {
        execv(d->cli->program, argv);
    }
    _exit(127);
}

static void close_both(int pipes[STREAMS][2], int made) {
    for (int s = 0; s < made; s++) {
        close(pipes[s][0]);
        close(pipes[s][1]);
    }
}

static int start(device_runs *d, device_run *run, rft_err *err) {
    int pipes[STREAMS][2];
    int made = 0;
    char **argv = child_words(d, run);
    while (made < STREAMS && pipe2(pipes[made], O_CLOEXEC) == 0) {
        made++;
    }
    pid_t parent = getpid();
    pid_t pid = made == STREAMS ? fork() : -1;
    if (pid < 0) {
        int why = errno;
        close_both(pipes, made);
        rft_err_set(err, RFT_E_WORKER, "the run on %s could not be started: %s", run->listed->label, strerror(why));
        return rft_err_remedy(err, "check limits of processes and open files (ulimit -u, ulimit -n)");
    }
    if (pid == 0) {
        int ends[STREAMS] = {pipes[STREAM_OUT][1], pipes[STREAM_TALK][1], pipes[STREAM_EVENTS][1]};
        become_child(d, argv, ends, parent);
    }
    setpgid(pid, pid); /* here too: a signal may be forwarded before the child has done it */
    run->pid = pid;
    for (int s = 0; s < STREAMS; s++) {
        close(pipes[s][1]);
        run->fds[s] = pipes[s][0];
    }
    return RFT_OK;
}

static void forward_signals(device_runs *d) {
    for (; d->forwarded < rft_interrupt_count(); d->forwarded++) {
        for (size_t i = 0; i < d->count; i++) {
            if (d->runs[i].pid > 0) {
                kill(d->runs[i].pid, SIGTERM);
            }
        }
    }
}

/* ---- what they say ---- */

static void show_line(const device_runs *d, const device_run *run, FILE *file, const char *line) {
    fprintf(file, "%s: %s\n", run->listed->label, line);
    fflush(file);
    (void)d;
}

static void pass_event(const device_runs *d, const device_run *run, const char *line, size_t length) {
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
static void take_lines(device_runs *d, device_run *run, int stream, bool at_end) {
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
static bool read_some(device_runs *d, device_run *run, int stream) {
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

static bool is_open(const device_run *run) {
    return run->fds[STREAM_OUT] >= 0 || run->fds[STREAM_TALK] >= 0 || run->fds[STREAM_EVENTS] >= 0;
}

/* All its streams have ended: its results, and how it ended. */
static void reap(device_runs *d, device_run *run) {
    int status = 0;
    while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR) {
    }
    run->pid = 0;
    run->exit_status = WIFEXITED(status) ? WEXITSTATUS(status) : rft_code_exit_status(RFT_E_WORKER);
    fprintf(d->cli->out, "%s== %s: %s, %s ==\n%s", run == d->runs ? "" : "\n", run->listed->label, run->listed->name,
            run->listed->uuid, rft_str_get(&run->text[STREAM_OUT]));
    fflush(d->cli->out);
    if (WIFSIGNALED(status)) {
        show_line(d, run, d->cli->talk, "ended by a signal; what it stored stays");
    }
}

static void watch(device_runs *d) {
    size_t most = d->count * STREAMS;
    struct pollfd *watched = rft_calloc(most, sizeof *watched);
    for (size_t open_runs = d->count; open_runs > 0;) {
        for (size_t i = 0; i < most; i++) {
            watched[i] = (struct pollfd){.fd = d->runs[i / STREAMS].fds[i % STREAMS], .events = POLLIN};
        }
        poll(watched, most, LOOK_AGAIN_MS);
        forward_signals(d);
        for (size_t i = 0; i < most; i++) {
            device_run *run = &d->runs[i / STREAMS];
            int stream = (int)(i % STREAMS);
            if (watched[i].fd >= 0 && watched[i].revents && !read_some(d, run, stream)) {
                close(run->fds[stream]);
                run->fds[stream] = -1;
            }
        }
        open_runs = 0;
        for (size_t i = 0; i < d->count; i++) {
            if (d->runs[i].pid > 0 && !is_open(&d->runs[i])) {
                reap(d, &d->runs[i]);
            }
            open_runs += d->runs[i].pid > 0;
        }
    }
    free(watched);
}

/* ---- all of them ---- */

static int verdict(const device_runs *d, rft_err *err) {
    size_t failed = 0;
    int worst = 0;
    const device_run *example = NULL;
    for (size_t i = 0; i < d->count; i++) {
        failed += d->runs[i].exit_status != 0;
        if (d->runs[i].exit_status > worst) {
            worst = d->runs[i].exit_status;
            example = &d->runs[i];
        }
    }
    if (!example) {
        return RFT_OK;
    }
    const char *again = rft_run_options_continue(d->cli, d->o, d->folder, d->arena);
    if (worst == rft_code_exit_status(RFT_E_INTERRUPTED)) {
        rft_err_set(err, RFT_E_INTERRUPTED, "stopped; what was measured is stored in %s", d->folder);
    } else {
        rft_err_set(err, -worst, "%zu of %zu runs did not end well; %s ended with status %d, and says why above",
                    failed, d->count, example->listed->label, worst);
    }
    return rft_err_remedy(err, "continue with: %s", again);
}

static int run_all(device_runs *d, rft_err *err) {
    int rc = RFT_OK;
    rft_interrupt_defer();
    for (size_t i = 0; i < d->count && rc == RFT_OK; i++) {
        rc = start(d, &d->runs[i], err);
    }
    for (size_t i = 0; i < d->count && rc != RFT_OK; i++) { /* not all could be started: none goes on */
        if (d->runs[i].pid > 0) {
            kill(d->runs[i].pid, SIGTERM);
        }
    }
    watch(d);
    return rc == RFT_OK ? verdict(d, err) : rc;
}

int rft_run_devices(rft_cli *cli, const rft_run_options *o, rft_err *err) {
    device_runs d = {.cli = cli, .o = o, .arena = rft_arena_new()};
    rft_listed_device *listed = NULL;
    int rc = rft_device_list(&listed, &d.count, o->device, d.arena, err);
    if (rc == RFT_OK) {
        rc = prepare_folder(&d, err);
    }
    if (rc == RFT_OK && o->events && !o->dry_run) {
        rc = rft_events_open(&d.events, cli, o->events, err);
    }
    if (rc == RFT_OK) {
        d.runs = rft_arena_calloc(d.arena, d.count, sizeof *d.runs);
        for (size_t i = 0; i < d.count; i++) {
            d.runs[i] = (device_run){.listed = &listed[i],
                                     .path = rft_arena_printf(d.arena, "%s/%s.db", d.folder, listed[i].uuid),
                                     .fds = {-1, -1, -1}};
        }
        rc = run_all(&d, err);
        rft_events_put_end(d.events, &(rft_events_end){.code = rc, .err = err, .path = d.folder});
    }
    for (size_t i = 0; d.runs && i < d.count; i++) {
        for (int s = 0; s < STREAMS; s++) {
            rft_str_clear(&d.runs[i].text[s]);
        }
    }
    rft_events_close(d.events);
    rft_arena_free(d.arena);
    return rc;
}
