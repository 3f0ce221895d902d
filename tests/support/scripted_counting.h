/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scripted_counting.h - an rft_counting on a scripted GPU: whatever is launched between start() and stop() is what was
 * counted, and a function of the test says what that comes to. The default set takes 3 passes, anything of the large
 * one 14, as on an H200.
 */
#ifndef RFT_TEST_SCRIPTED_COUNTING_H
#define RFT_TEST_SCRIPTED_COUNTING_H

#include "gpu/counting.h"
#include "support/scripted_gpu.h"

typedef struct rft_scripted_counting rft_scripted_counting;

/* The values of what was asked for; what it leaves NaN has no number. */
typedef void (*rft_scripted_count)(void *self, rft_counters *out);

rft_scripted_counting *rft_scripted_counting_new(rft_scripted_gpu *gpu, rft_scripted_count count, void *self);
unsigned rft_scripted_counting_detached(const rft_scripted_counting *counting); /* how often */
rft_counting *rft_scripted_counting_device(rft_scripted_counting *counting);    /* vt->close frees it */

typedef enum rft_scripted_step {
    RFT_SCRIPTED_BEGIN,
    RFT_SCRIPTED_START,
    RFT_SCRIPTED_STOP,
    RFT_SCRIPTED_END,
    RFT_SCRIPTED_STEPS
} rft_scripted_step;
/* From its call number `after` (0 = the first) on the step fails with this code (RFT_OK: never again). */
void rft_scripted_counting_fail(rft_scripted_counting *counting, rft_scripted_step step, int code, unsigned after);

bool rft_scripted_counting_is_open(const rft_scripted_counting *counting); /* between begin() and end() */
unsigned rft_scripted_counting_calls(const rft_scripted_counting *counting, rft_scripted_step step);
/* The GPU's history since the last start() or stop(), as it was at the last start(), and at the last stop(). */
const char *rft_scripted_counting_before(const rft_scripted_counting *counting);
const char *rft_scripted_counting_inside(const rft_scripted_counting *counting);

#endif
