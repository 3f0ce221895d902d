/* SPDX-License-Identifier: Apache-2.0 */
/*
 * awake.h - waiting without sleep for what comes soon: where a processor has to be woken, that takes both sides a tenth
 * of a millisecond in a virtual machine. Private to run.
 */
#ifndef RFT_RUN_AWAKE_H
#define RFT_RUN_AWAKE_H

#include <stdbool.h>
#include <stdint.h>

/* When to fall asleep: a few milliseconds from now; 0 where processors are few. */
int64_t rft_awake_end_ns(void);
bool rft_awake_is_over(int64_t end_ns);

#endif
