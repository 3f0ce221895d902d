/* SPDX-License-Identifier: Apache-2.0 */
/* clock.h - host time. Code that is tested takes an rft_clock, so tests own the time. */
#ifndef RFT_BASE_CLOCK_H
#define RFT_BASE_CLOCK_H

#include <stdint.h>

typedef struct rft_clock {
    int64_t (*monotonic_ns)(void *self); /* for differences; never goes back */
    int64_t (*unix_ns)(void *self);      /* wall time, UTC; may jump */
    void (*sleep_ns)(void *self, int64_t duration_ns);
    void *self;
} rft_clock;

/* The host's own clocks. Static storage. */
const rft_clock *rft_clock_system(void);

#endif
