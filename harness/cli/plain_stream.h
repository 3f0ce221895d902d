/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plain_stream.h - stdout and stderr as the commands write to them: everything passes base/plain.h on its way, so that
 * no name, log or message from a file can be forgotten. What draws on the terminal on purpose (the progress line)
 * writes past it.
 */
#ifndef RFT_CLI_PLAIN_STREAM_H
#define RFT_CLI_PLAIN_STREAM_H

#include <stdio.h>

/* A stream that writes to this descriptor, which stays open. `mode`: of setvbuf(). `before`: what waits in that stream
 * is written ahead of all that is written to this one, so that both may share a pipe; borrowed, NULL or to NULL: none.
 * NULL: no memory. Closed when the program ends. */
FILE *rft_plain_stream(int fd, int mode, FILE *const *before);

#endif
