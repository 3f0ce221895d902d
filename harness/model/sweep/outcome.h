/* SPDX-License-Identifier: Apache-2.0 */
/* outcome.h - what became of a point. Always stored, with its reason. */
#ifndef RFT_MODEL_OUTCOME_H
#define RFT_MODEL_OUTCOME_H

#include "base/str.h"

#include <stdbool.h>

/* name, text as stored and shown */
#define RFT_OUTCOME_MAP(X)                                                                                             \
    X(OK, "ok")                       /* verified and measured */                                                      \
    X(NOISY, "noisy")                 /* verified and measured, but the samples did not settle */                      \
    X(SKIPPED, "skipped")             /* exceeds a limit of the device, or cannot win; never launched */               \
    X(SCRIPT_FAILED, "script_failed") /* a function of the sweep raised an error for it */                             \
    X(COMPILE_FAILED, "compile_failed")                                                                                \
    X(LAUNCH_FAILED, "launch_failed") /* refused by the driver, or a fault while running */                            \
    X(WRONG_RESULT, "wrong_result")                                                                                    \
    X(TIMED_OUT, "timed_out")                                                                                          \
    X(CRASHED, "crashed")           /* took its worker process down */                                                 \
    X(NOT_RECORDED, "not_recorded") /* replay: the recording has no such point */

typedef enum rft_outcome {
#define RFT_OUTCOME_ENUM(name, text) RFT_OUTCOME_##name,
    RFT_OUTCOME_MAP(RFT_OUTCOME_ENUM)
#undef RFT_OUTCOME_ENUM
        RFT_OUTCOME_COUNT
} rft_outcome;

const char *rft_outcome_name(rft_outcome outcome);
bool rft_outcome_from_name(rft_outcome *out, const char *name);
/* ok or noisy: there is a verified measurement. */
bool rft_outcome_is_measured(rft_outcome outcome);

/* Appends the kind of a reason: its first line with every number as #, so that failures that differ in numbers alone
 * are one kind. "y[17] is -1.5e-05" and "y[3] is 0.25" -> "y[#] is #"; nan and inf stay what they are. NULL is "". */
void rft_outcome_reason_kind(rft_str *out, const char *reason);

#endif
