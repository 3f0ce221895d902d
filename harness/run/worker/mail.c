/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker/mail.h"

#include "run/worker/awake.h"

#include <poll.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

struct rft_mail {
    int fd;
    bool (*taken)(void *payload, rft_frame *frame);
    void *payload;
    pthread_t thread;
    bool started;
    pthread_mutex_t reading; /* held by the one that reads: the thread, or sooner the caller that waits anyway */
    pthread_mutex_t lock;    /* of what follows */
    pthread_cond_t changed;
    rft_frame *frames; /* heap */
    size_t capacity;
    atomic_size_t count;
    atomic_uint passed; /* frames that taken() took */
    atomic_int end;     /* what rft_frame_read() said instead of a frame; 0 */
    rft_err end_err;
};

static bool is_readable(const rft_mail *mail) {
    struct pollfd input = {.fd = mail->fd, .events = POLLIN};
    return poll(&input, 1, 0) > 0;
}

/* `reading` is held. */
static void read_one(rft_mail *mail) {
    rft_frame frame = {0};
    rft_err err = RFT_ERR_INIT;
    int rc = rft_frame_read(&frame, mail->fd, &err);
    pthread_mutex_lock(&mail->lock);
    if (rc != RFT_OK) {
        mail->end_err = err;
        mail->end = rc;
    } else if (mail->count == 0 && mail->taken(mail->payload, &frame)) {
        mail->passed++;
    } else {
        RFT_GROW(mail->frames, mail->capacity, mail->count + 1);
        mail->frames[mail->count++] = frame;
    }
    pthread_cond_broadcast(&mail->changed);
    pthread_mutex_unlock(&mail->lock);
}

static void read_if_there(rft_mail *mail) {
    if (!mail->end && is_readable(mail)) {
        read_one(mail);
    }
}

static void *attend(void *payload) {
    rft_mail *mail = payload;
    while (!mail->end) {
        struct pollfd input = {.fd = mail->fd, .events = POLLIN};
        (void)poll(&input, 1, -1);
        pthread_mutex_lock(&mail->reading);
        read_if_there(mail);
        pthread_mutex_unlock(&mail->reading);
    }
    return NULL;
}

rft_mail *rft_mail_open(int fd, bool (*taken)(void *payload, rft_frame *frame), void *payload) {
    rft_mail *mail = rft_alloc(sizeof *mail);
    mail->fd = fd;
    mail->taken = taken;
    mail->payload = payload;
    pthread_mutex_init(&mail->reading, NULL);
    pthread_mutex_init(&mail->lock, NULL);
    pthread_cond_init(&mail->changed, NULL);
    return mail;
}

bool rft_mail_start(rft_mail *mail) {
    mail->started = mail->started || pthread_create(&mail->thread, NULL, attend, mail) == 0;
    return mail->started;
}

void rft_mail_close(rft_mail *mail) {
    if (mail->started) {
        shutdown(mail->fd, SHUT_RD); /* ends its waiting */
        pthread_join(mail->thread, NULL);
    }
    for (size_t i = 0; i < mail->count; i++) {
        rft_frame_clear(&mail->frames[i]);
    }
    free(mail->frames);
    pthread_cond_destroy(&mail->changed);
    pthread_mutex_destroy(&mail->lock);
    pthread_mutex_destroy(&mail->reading);
    free(mail);
}

void rft_mail_lock(rft_mail *mail) {
    pthread_mutex_lock(&mail->lock);
}

void rft_mail_unlock(rft_mail *mail) {
    pthread_mutex_unlock(&mail->lock);
}

bool rft_mail_has(rft_mail *mail) {
    if (!mail->started && mail->count == 0) {
        read_if_there(mail);
    }
    return mail->count > 0;
}

/* Has nothing come yet? */
static bool is_quiet(const rft_mail *mail, unsigned passed) {
    return mail->count == 0 && !mail->end && mail->passed == passed;
}

/* Reads what comes itself as long as it is awake. */
static void await_frame(rft_mail *mail, bool soon, unsigned passed) {
    const int64_t end_ns = soon ? rft_awake_end_ns() : 0;
    while (is_quiet(mail, passed) && !rft_awake_is_over(end_ns)) {
        if (pthread_mutex_trylock(&mail->reading) == 0) {
            read_if_there(mail);
            pthread_mutex_unlock(&mail->reading);
        }
    }
    if (!mail->started && is_quiet(mail, passed)) {
        read_one(mail);
    }
    pthread_mutex_lock(&mail->lock);
    while (is_quiet(mail, passed)) {
        pthread_cond_wait(&mail->changed, &mail->lock);
    }
    pthread_mutex_unlock(&mail->lock);
}

static void shift(rft_mail *mail, rft_frame *out) {
    *out = mail->frames[0];
    mail->count--;
    memmove(mail->frames, mail->frames + 1, mail->count * sizeof *mail->frames);
}

int rft_mail_take(rft_mail *mail, bool soon, rft_frame *out, rft_err *err) {
    int rc = RFT_OK;
    await_frame(mail, soon, mail->passed);
    pthread_mutex_lock(&mail->lock);
    if (mail->count > 0) {
        shift(mail, out);
    } else {
        rc = mail->end;
        *err = mail->end_err;
    }
    pthread_mutex_unlock(&mail->lock);
    return rc;
}

void rft_mail_await(rft_mail *mail, const bool *unasked) {
    pthread_mutex_lock(&mail->lock);
    const bool waits = *unasked;
    const unsigned passed = mail->passed;
    pthread_mutex_unlock(&mail->lock);
    if (waits) {
        await_frame(mail, true, passed);
    }
}

bool rft_mail_take_if(rft_mail *mail, bool (*wanted)(const rft_frame *frame), rft_frame *out) {
    bool takes = false;
    if (rft_mail_has(mail)) {
        pthread_mutex_lock(&mail->lock);
        takes = wanted(&mail->frames[0]);
        if (takes) {
            shift(mail, out);
        }
        pthread_mutex_unlock(&mail->lock);
    }
    return takes;
}
