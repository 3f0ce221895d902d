/* SPDX-License-Identifier: Apache-2.0 */
#include "run/answer_filter.h"

#include "base/arena.h"
#include "run/wire/wire.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

typedef struct filter {
    int from_fd, to_fd;
    int64_t number; /* of the answer that is spoiled */
    const char *deed;
    long argument;
} filter;

bool answer_filter_strikes(void) {
    const char *once = getenv("SCRIPTED_ONCE");
    int fd = once ? open(once, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666) : -1;
    if (fd >= 0) {
        close(fd);
    }
    return !once || fd >= 0;
}

static void sleep_us(long duration_us) {
    struct timespec pause = {duration_us / 1000000, duration_us % 1000000 * 1000};
    nanosleep(&pause, NULL);
}

static void put(const filter *f, const char *bytes, size_t count) {
    for (size_t done = 0; done < count;) {
        ssize_t written = write(f->to_fd, bytes + done, count - done);
        if (written <= 0) {
            _exit(9); /* the coordinator has gone */
        }
        done += (size_t)written;
    }
}

static void put_header(const filter *f, uint32_t head_bytes, uint64_t blob_bytes) {
    unsigned char header[RFT_FRAME_HEADER_BYTES] = "RFT1";
    for (int i = 0; i < 4; i++) {
        header[4 + i] = (unsigned char)(head_bytes >> (8 * i));
    }
    for (int i = 0; i < 8; i++) {
        header[8 + i] = (unsigned char)(blob_bytes >> (8 * i));
    }
    put(f, (const char *)header, sizeof header);
}

static void put_text(const filter *f, const char *head) {
    put_header(f, (uint32_t)strlen(head), 0);
    put(f, head, strlen(head));
}

static void put_numbered(const filter *f, const char *format, int64_t number) {
    char head[96];
    snprintf(head, sizeof head, format, (long long)number);
    put_text(f, head);
}

static bool is(const filter *f, const char *deed) {
    return strcmp(f->deed, deed) == 0;
}

static void stand_still(void) {
    for (;;) {
        pause();
    }
}

/* What comes instead of the answer. False: the answer comes. */
static bool replace(const filter *f) {
    if (is(f, "mute")) {
        close(f->to_fd);
        stand_still();
    } else if (is(f, "huge_head")) {
        put_header(f, UINT32_MAX, 0);
    } else if (is(f, "huge_blob")) {
        put_header(f, 2, (uint64_t)1 << 60);
        put(f, "{}", 2);
    } else if (is(f, "no_json")) {
        put_text(f, "{x}");
    } else if (is(f, "no_object")) {
        put_text(f, "[1]");
    } else if (is(f, "wrong_shape")) {
        put_numbered(f, "{\"number\": %lld, \"outcome\": [\"ok\"], \"log\": 7}", f->number);
    } else {
        return false;
    }
    return true;
}

static void spoil(const filter *f, const char *bytes, size_t count) {
    if (replace(f)) {
        return;
    }
    if (is(f, "cut")) {
        put(f, bytes, (size_t)f->argument < count ? (size_t)f->argument : count);
        kill(getppid(), SIGKILL);
        stand_still();
    }
    if (is(f, "late")) {
        sleep_us(f->argument * 1000);
    }
    for (size_t i = 0; i < count && is(f, "slow"); i++) {
        put(f, bytes + i, 1);
        sleep_us(f->argument);
    }
    if (!is(f, "slow")) {
        put(f, bytes, count);
    }
    if (is(f, "double")) {
        put(f, bytes, count);
    } else if (is(f, "stray")) {
        sleep_us(50000);
        put_numbered(f, "{\"number\": %lld}", f->number + 1);
    } else if (is(f, "stop")) {
        kill(getppid(), SIGSTOP);
    }
}

/* Frame by frame, so that the answers can be counted. */
static _Noreturn void forward(const filter *f) {
    int64_t number = 0;
    for (;;) {
        rft_frame frame = {0};
        rft_err err = RFT_ERR_INIT;
        rft_str bytes = RFT_STR_INIT;
        if (rft_frame_read(&frame, f->from_fd, &err) != RFT_OK) {
            _exit(9);
        }
        rft_frame_encode(&bytes, frame.head, frame.blob, frame.blob_bytes);
        number += json_object_get(frame.head, "phase") ? 0 : 1; /* which is no answer */
        if (number == f->number && !json_object_get(frame.head, "phase") && answer_filter_strikes()) {
            spoil(f, bytes.data, bytes.length);
        } else {
            put(f, bytes.data, bytes.length);
        }
        rft_str_clear(&bytes);
        rft_frame_clear(&frame);
    }
}

/* A process of its own: the worker forks, which goes badly with a second thread where a sanitizer is at work. */
int answer_filter_start(int out_fd) {
    filter f = {.to_fd = out_fd};
    char words[128];
    const char *wanted = getenv("SCRIPTED_ANSWER");
    int ends[2];
    if (!wanted || pipe(ends) != 0) {
        return out_fd;
    }
    snprintf(words, sizeof words, "%s", wanted);
    char *rest = NULL;
    const char *number = strtok_r(words, ":", &rest);
    f.number = number ? atoll(number) : 0;
    f.deed = strtok_r(NULL, ":", &rest);
    const char *argument = strtok_r(NULL, ":", &rest);
    f.argument = argument ? atol(argument) : 0;
    f.from_fd = ends[0];
    pid_t child = f.deed ? fork() : -1;
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(ends[1]);
        forward(&f);
    }
    if (child < 0) {
        abort();
    }
    close(ends[0]);
    close(out_fd);
    return ends[1];
}
