/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/gpu_lock.h"

#include "base/arena.h"
#include "base/fs.h"
#include "base/str.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#define NAME_PREFIX "rooftune-gpu-"
#define WAITERS 64       /* that can hang on a holder's socket; more of them ask again now and then */
#define ASK_AGAIN_MS 200 /* where a holder cannot be hung on */
#define COMMAND_COLUMNS 100
#define DEAD_WAITS 200
#define DEAD_WAIT_MS 10

struct rft_gpu_lock {
    int fd;
};

typedef struct address {
    struct sockaddr_un un;
    socklen_t size;
} address;

static address address_of(const char *uuid) {
    address at;
    memset(&at, 0, sizeof at);
    at.un.sun_family = AF_UNIX;
    char *name = at.un.sun_path + 1; /* the first byte is 0: an abstract name */
    int length = rft_text_format(name, sizeof at.un.sun_path - 1, NAME_PREFIX "%.90s", uuid);
    at.size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
    return at;
}

/* 0 with *fd, or errno. */
static int try_to_take(const address *at, int *fd) {
    int made = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (made < 0) {
        return errno;
    }
    if (bind(made, (const struct sockaddr *)&at->un, at->size) == 0 && listen(made, WAITERS) == 0) {
        *fd = made;
        return 0;
    }
    int why = errno;
    close(made);
    return why;
}

/* A connection to the holder, which breaks when the holder is gone; -1 when there is none to be had. More than one try,
 * because a holder takes the name a moment before it listens. */
static int connect_to_holder(const address *at) {
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    for (int tries = 0; fd >= 0 && tries < 5; tries++) {
        if (connect(fd, (const struct sockaddr *)&at->un, at->size) == 0) {
            return fd;
        }
        poll(NULL, 0, 10);
    }
    if (fd >= 0) {
        close(fd);
    }
    return -1;
}

/* The words of a process, without the folder of its program; "" when they cannot be read. */
static void read_command(rft_str *out, long pid) {
    char path[64];
    char *text = NULL;
    size_t size = 0;
    rft_text_format(path, sizeof path, "/proc/%ld/cmdline", pid);
    if (rft_fs_read(&text, &size, path, 1u << 20, NULL) != RFT_OK || size == 0) {
        free(text);
        return;
    }
    const char *slash = strrchr(text, '/'); /* stops at the first word's NUL */
    for (const char *c = slash ? slash + 1 : text; c < text + size - 1 && out->length < COMMAND_COLUMNS; c++) {
        rft_str_add_char(out, (unsigned char)*c < ' ' ? ' ' : *c);
    }
    rft_str_add(out, out->length < COMMAND_COLUMNS ? "" : "...");
    free(text);
}

/* The process that made the socket; 0 when that cannot be seen from here. */
static pid_t holder_of(int connection) {
    struct ucred peer = {0};
    socklen_t size = sizeof peer;
    bool known = connection >= 0 && getsockopt(connection, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0;
    return known && peer.pid > 0 ? peer.pid : 0;
}

/* "process 1234: rooftune run x.lua", as far as it can be known. */
static void describe_holder(rft_str *out, int connection) {
    pid_t holder = holder_of(connection);
    if (holder == 0) {
        rft_str_add(out, "a process that cannot be seen from here");
        return;
    }
    rft_str command = RFT_STR_INIT;
    read_command(&command, (long)holder);
    rft_str_addf(out, "process %ld%s%s", (long)holder, command.length ? ": " : "", rft_str_get(&command));
    rft_str_clear(&command);
}

static int busy(const rft_gpu_lock_opts *opts, const char *holder, rft_err *err) {
    rft_err_set(err, RFT_E_BUSY, "%s is in use by another rooftune (%s)", opts->uuid, holder);
    rft_err_place(err, "%s", opts->device);
    return rft_err_remedy(err, "start again when that one has ended, wait for it with --wait, or name another device "
                               "with -d (`rooftune devices` lists them)");
}

/* A holder that was killed lives on for a moment in a worker that it was just starting, which has not become its own
 * program yet. */
static bool is_dead(int connection) {
    pid_t holder = holder_of(connection);
    return holder != 0 && kill(holder, 0) != 0 && errno == ESRCH;
}

/* Until the holder is gone, or for a moment where that cannot be noticed. */
static void wait_for_holder(int connection) {
    struct pollfd watched = {.fd = connection, .events = 0};
    poll(&watched, connection >= 0 ? 1 : 0, connection >= 0 ? -1 : ASK_AGAIN_MS);
}

int rft_gpu_lock_take(rft_gpu_lock **out, const rft_gpu_lock_opts *opts, rft_err *err) {
    address at = address_of(opts->uuid);
    rft_str holder = RFT_STR_INIT;
    int fd = -1;
    int why = 0;
    int rc = RFT_OK;
    int dead_waits = 0;
    bool told = false;
    *out = NULL;
    while ((why = try_to_take(&at, &fd)) == EADDRINUSE) {
        int connection = connect_to_holder(&at);
        if (is_dead(connection) && dead_waits++ < DEAD_WAITS) {
            close(connection);
            poll(NULL, 0, DEAD_WAIT_MS);
            continue;
        }
        if (!told) {
            rft_str_truncate(&holder, 0);
            describe_holder(&holder, connection);
        }
        if (opts->wait) {
            if (!told) {
                rft_log_info(opts->log, "waiting for %s, in use by another rooftune (%s)", opts->uuid,
                             rft_str_get(&holder));
            }
            told = true;
            wait_for_holder(connection);
        }
        if (connection >= 0) {
            close(connection);
        }
        if (!opts->wait) {
            rc = busy(opts, rft_str_get(&holder), err);
            goto done;
        }
    }
    if (why != 0) {
        rft_log_warn(opts->log,
                     "%s could not be locked (%s): make sure that no other rooftune measures on it meanwhile",
                     opts->uuid, strerror(why));
        goto done;
    }
    *out = rft_alloc(sizeof **out);
    (*out)->fd = fd;
done:
    rft_str_clear(&holder);
    return rc;
}

void rft_gpu_lock_free(rft_gpu_lock *lock) {
    if (lock) {
        close(lock->fd);
        free(lock);
    }
}
