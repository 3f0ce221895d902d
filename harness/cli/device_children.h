/* SPDX-License-Identifier: Apache-2.0 */
/* device_children.h - runs on several devices as child processes, all at once: what they say comes line by line with
 * the device before it, their events with the device in them. They are stopped with this process. */
#ifndef RFT_CLI_DEVICE_CHILDREN_H
#define RFT_CLI_DEVICE_CHILDREN_H

#include "base/str.h"
#include "cli/device_list.h"
#include "cli/events.h"
#include "cli/run_options.h"

#include <sys/types.h>

enum { RFT_CHILD_STREAMS = 3 };
#define RFT_CHILD_EVENTS "/dev/fd/3" /* a child's --events */

typedef struct rft_device_child {
    const rft_listed_device *listed;
    const rft_run_change *changes; /* of the options, as of rft_run_options_words() */
    const char *path;              /* of its run file */
    pid_t pid;                     /* 0: not started, or reaped */
    int fds[RFT_CHILD_STREAMS];    /* -1: closed, or not started */
    rft_str text[RFT_CHILD_STREAMS];
    int exit_status;
    const char *error; /* the last error that it told, in the arena; NULL */
} rft_device_child;

typedef struct rft_device_children {
    rft_cli *cli;
    const rft_run_options *o;
    rft_arena *arena;
    rft_device_child *all; /* in the arena */
    size_t count;
    rft_events *events;                         /* NULL: none were asked for */
    bool quiet;                                 /* results are not shown */
    void (*ended)(void *payload, size_t child); /* after each; NULL */
    void *payload;
    int forwarded; /* signals that the children got */
} rft_device_children;

/* Starts all, waits for all; each has its exit_status then. RFT_E_WORKER: one could not be started, and none goes on.
 */
int rft_device_children_run(rft_device_children *children, rft_err *err);

#endif
