/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mail.h - what a worker is asked. Once started, a thread of its own reads and parses it while the device is at work:
 * that takes longer than many a kernel, and does not wait for one that does not return. Private to run.
 */
#ifndef RFT_RUN_MAIL_H
#define RFT_RUN_MAIL_H

#include "run/wire/wire.h"

typedef struct rft_mail rft_mail;

/* `taken` is called under the lock, by the thread that read a frame with none waiting before it; true: it took the
 * frame over. */
rft_mail *rft_mail_open(int fd, bool (*taken)(void *payload, rft_frame *frame), void *payload);
/* The thread; false: there is none. Whatever the caller is confined to holds for it, too. */
bool rft_mail_start(rft_mail *mail);
/* Nothing more is read. */
void rft_mail_close(rft_mail *mail);

/* Under it nothing is read: rft_mail_has() stays what it is. */
void rft_mail_lock(rft_mail *mail);
void rft_mail_unlock(rft_mail *mail);

/* Is a frame there? */
bool rft_mail_has(rft_mail *mail);
/* The next one, which is waited for; `soon`: without sleep at first. Returns as rft_frame_read() does, after its end
 * always the same. */
int rft_mail_take(rft_mail *mail, bool soon, rft_frame *out, rft_err *err);
/* As long as `unasked` is set, which taken() clears: until then, until a frame is there or the input has ended. */
void rft_mail_await(rft_mail *mail, const bool *unasked);
/* The next one where it is there and `wanted`. */
bool rft_mail_take_if(rft_mail *mail, bool (*wanted)(const rft_frame *frame), rft_frame *out);

#endif
