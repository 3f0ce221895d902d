/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/peer_process.h"

#include "base/clock.h"
#include "base/str.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define NOT_FOUND 127

struct peer_process {
    char *script, *log;
    pid_t child; /* 0: none */
    int to, from;
    rft_str text; /* read, and not yet a whole line */
};

peer_process *peer_process_new(const char *script, const char *log) {
    peer_process *p = rft_calloc(1, sizeof *p);
    p->script = rft_strdup(script);
    p->log = rft_strdup(log);
    return p;
}

/* Its exit status. One that closed its end is ending by itself; another holds nothing but memory of the device. */
static int end_child(peer_process *p, bool by_itself) {
    int status = 0;
    if (p->child > 0) {
        close(p->to);
        close(p->from);
        if (!by_itself) {
            kill(p->child, SIGKILL);
        }
        while (waitpid(p->child, &status, 0) < 0 && errno == EINTR) {
        }
    }
    p->child = 0;
    rft_str_truncate(&p->text, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 0;
}

static int say_ended(peer_process *p, rft_err *err) {
    return end_child(p, true) == NOT_FOUND
               ? rft_err_set(err, RFT_E_WORKER, "there is no python3")
               : rft_err_set(err, RFT_E_WORKER, "the peers' process ended (see %s)", p->log);
}

void peer_process_free(peer_process *p) {
    if (p) {
        end_child(p, false);
        rft_str_clear(&p->text);
        free(p->script);
        free(p->log);
        free(p);
    }
}

static _Noreturn void become(const peer_process *p, int in_fd, int out_fd) {
    int log_fd = open(p->log, O_WRONLY | O_CREAT | O_APPEND, 0600);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (log_fd < 0 || dup2(in_fd, 0) < 0 || dup2(out_fd, 1) < 0 || dup2(log_fd, 2) < 0) {
        _exit(126);
    }
    execlp("python3", "python3", p->script, (char *)NULL);
    _exit(NOT_FOUND);
}

static int start(peer_process *p, rft_err *err) {
    int in[2], out[2];
    if (pipe2(in, O_CLOEXEC) != 0) {
        return rft_err_set(err, RFT_E_WORKER, "no pipe: %s", strerror(errno));
    }
    if (pipe2(out, O_CLOEXEC) != 0) {
        close(in[0]);
        close(in[1]);
        return rft_err_set(err, RFT_E_WORKER, "no pipe: %s", strerror(errno));
    }
    pid_t child = fork();
    if (child == 0) {
        become(p, in[0], out[1]);
    }
    close(in[0]);
    close(out[1]);
    p->to = in[1];
    p->from = out[0];
    p->child = child;
    if (child < 0) {
        close(in[1]);
        close(out[0]);
        p->child = 0;
        return rft_err_set(err, RFT_E_WORKER, "no process: %s", strerror(errno));
    }
    return RFT_OK;
}

static bool write_all(int fd, const char *text, size_t length) {
    struct sigaction ignored = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignored, &before);
    while (length > 0) {
        ssize_t wrote = write(fd, text, length);
        if (wrote < 0 && errno == EINTR) {
            continue;
        }
        if (wrote <= 0) {
            break;
        }
        text += wrote;
        length -= (size_t)wrote;
    }
    sigaction(SIGPIPE, &before, NULL);
    return length == 0;
}

static double now_s(void) {
    const rft_clock *clock = rft_clock_system();
    return (double)clock->monotonic_ns(clock->self) * 1e-9;
}

/* Reads until there is a line in `text`. */
static int await_line(peer_process *p, double limit_s, rft_err *err) {
    double until_s = now_s() + limit_s;
    char buffer[1 << 14];
    while (!strchr(rft_str_get(&p->text), '\n')) {
        double left_s = until_s - now_s();
        struct pollfd ready = {.fd = p->from, .events = POLLIN};
        int count = left_s > 0 ? poll(&ready, 1, (int)(left_s * 1e3) + 1) : 0;
        if (count < 0 && errno == EINTR) {
            continue;
        }
        ssize_t got = count > 0 ? read(p->from, buffer, sizeof buffer) : 0;
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            if (count > 0) {
                return say_ended(p, err);
            }
            end_child(p, false);
            return rft_err_set(err, RFT_E_WORKER, "no answer within %.0f s", limit_s);
        }
        rft_str_add_n(&p->text, buffer, (size_t)got);
    }
    return RFT_OK;
}

static int read_reply(peer_process *p, json_t **out, rft_err *err) {
    size_t length = strcspn(rft_str_get(&p->text), "\n");
    json_t *reply = NULL;
    int rc = rft_json_parse(&reply, rft_str_get(&p->text), length, "the peers' answer", err);
    rft_str_truncate(&p->text, 0); /* one answer a question: nothing is behind it */
    if (rc == RFT_OK && !rft_json_bool_or(reply, "ok", false)) {
        rc = rft_err_set(err, RFT_E_NOTHING, "%s", rft_json_text_or(reply, "reason", "no reason given"));
    }
    if (rc == RFT_OK) {
        *out = reply;
    } else {
        json_decref(reply);
    }
    return rc;
}

int peer_process_ask(peer_process *p, json_t *request, double limit_s, json_t **out, rft_err *err) {
    char *dumped = rft_json_dump(request, NULL);
    rft_str line = RFT_STR_INIT;
    rft_str_addf(&line, "%s\n", dumped);
    int rc = p->child > 0 ? RFT_OK : start(p, err);
    if (rc == RFT_OK && !write_all(p->to, rft_str_get(&line), line.length)) {
        rc = say_ended(p, err);
    }
    rc = rc ? rc : await_line(p, limit_s, err);
    rc = rc ? rc : read_reply(p, out, err);
    rft_str_clear(&line);
    free(dumped);
    json_decref(request);
    return rc;
}
