/* SPDX-License-Identifier: Apache-2.0 */
/* calls.h - the system calls that change files: which they are, and which file one is about. */
#ifndef RFT_TESTS_CRASH_CALLS_H
#define RFT_TESTS_CRASH_CALLS_H

#include "crash/tracer.h"

#include <stdint.h>
#include <sys/types.h>

/* From here on this process and all that it becomes and starts stop for their tracer at each of the calls. False: not
 * permitted. */
bool crash_watch_calls(void);

/* Does the call `number` of the stopped task `tid` change a file below `folder`? Then *call is filled. */
bool crash_call_changes(pid_t tid, long number, const uint64_t arguments[6], const char *folder, crash_call *call);

bool crash_call_has_size(long number);              /* a write whose third argument is its size */
bool crash_call_takes_room(const crash_call *call); /* it can fail on a full disk */
pid_t crash_process_of(pid_t tid);                  /* the process of a thread */

#endif
