/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker/worker_answer.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

/* The coordinator may have gone between fork and prctl(): then no signal ever comes. The socket knows its maker. */
static bool is_orphan(int in_fd) {
    struct ucred maker;
    socklen_t size = sizeof maker;
    return getsockopt(in_fd, SOL_SOCKET, SO_PEERCRED, &maker, &size) == 0 && maker.pid > 0 && maker.pid != getppid();
}

/* A signal to the whole group must not spoil the point in hand: the coordinator finishes it, or its end ends us. */
void rft_worker_become(int in_fd) {
    static const int ignored[] = {SIGINT, SIGTERM, SIGHUP, SIGPIPE};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++) {
        signal(ignored[i], SIG_IGN);
    }
    setrlimit(RLIMIT_CORE, &(struct rlimit){0, 0}); /* a compiler that crashes a hundred times fills no disk */
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (is_orphan(in_fd)) {
        _exit(0);
    }
}

json_t *rft_worker_answer_of(int rc, json_t *head, rft_err *failure) {
    if (rc == RFT_OK && head) {
        return head;
    }
    json_decref(head);
    if (rc == RFT_OK) {
        rft_err_set(failure, RFT_E_INTERNAL, "an answer could not be put into a frame");
    }
    return rft_wire_of_err(failure);
}

int rft_worker_answer(int out_fd, json_t *head, rft_worker_blob blob, int64_t number, rft_err *err) {
    json_object_set_new(head, "number", json_integer(number));
    int rc = rft_frame_write(out_fd, head, blob.data, blob.bytes, err);
    json_decref(head);
    return rc;
}
