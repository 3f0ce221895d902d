/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.h - a run as JSON Lines for other programs, while it goes on (docs/events.md has every field).
 *
 * A stream is one session's: the file is begun anew at each start. A stream that cannot be written (a full disk, a
 * reader that left) is given up with one warning and never ends the run.
 */
#ifndef RFT_CLI_EVENTS_H
#define RFT_CLI_EVENTS_H

#include "base/json.h"
#include "cli/cli.h"
#include "model/run/run.h"
#include "run/exec.h"

#define RFT_EVENTS_VERSION 1

typedef struct rft_events rft_events; /* NULL wherever one is taken: no stream was asked for */

/* "-" is stdout, which then carries nothing else: cli->out becomes stderr. RFT_E_IO: not to be opened, or an existing
 * file that holds something other than events. */
int rft_events_open(rft_events **out, rft_cli *cli, const char *path, rft_err *err);
/* Closes the stream; cli->out is stdout again. */
void rft_events_close(rft_events *events);

/* One event; `event` is "begin", "point" ...; takes over `fields`. Written at once. */
void rft_events_put(rft_events *events, const char *event, json_t *fields);

typedef struct rft_events_begin {
    const char *path; /* of the run file */
    const rft_run *run;
    bool continued, finished; /* points of an earlier session are there; all of them are */
} rft_events_begin;

void rft_events_put_begin(rft_events *events, const rft_events_begin *begin);
/* The point that progress->last is, and about once a second how far the run is. */
void rft_events_put_progress(rft_events *events, const rft_run *run, const rft_exec_progress *progress);
void rft_events_put_ceilings(rft_events *events, const rft_run *run);
void rft_events_put_baseline(rft_events *events, const rft_run *run, const rft_baseline *baseline);

typedef struct rft_events_end {
    int code; /* 0 or a negative rft_code */
    const rft_err *err;
    const rft_run *run;        /* NULL: it had not begun */
    const char *path, *report; /* NULL: none */
    const char *continue_line; /* NULL: nothing to continue */
} rft_events_end;

/* The last event of a stream. */
void rft_events_put_end(rft_events *events, const rft_events_end *end);

#endif
