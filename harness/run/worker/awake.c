/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker/awake.h"

#include "base/clock.h"

#include <sched.h>

#define AWAKE_NS 2000000
#define PROCESSORS_LEAST 4 /* compilers leave two of so many */

static int64_t now_ns(void) {
    const rft_clock *clock = rft_clock_system();
    return clock->monotonic_ns(clock->self);
}

int64_t rft_awake_end_ns(void) {
    cpu_set_t usable;
    const bool many = sched_getaffinity(0, sizeof usable, &usable) == 0 && CPU_COUNT(&usable) >= PROCESSORS_LEAST;
    return many ? now_ns() + AWAKE_NS : 0;
}

bool rft_awake_is_over(int64_t end_ns) {
    return end_ns == 0 || now_ns() >= end_ns;
}
