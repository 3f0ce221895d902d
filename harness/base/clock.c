/* SPDX-License-Identifier: Apache-2.0 */
#include "base/clock.h"

#include <errno.h>
#include <stddef.h>
#include <time.h>

static int64_t read_ns(clockid_t id) {
    struct timespec now = {0};
    clock_gettime(id, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static int64_t system_monotonic_ns(void *self) {
    (void)self;
    return read_ns(CLOCK_MONOTONIC);
}

static int64_t system_unix_ns(void *self) {
    (void)self;
    return read_ns(CLOCK_REALTIME);
}

static void system_sleep_ns(void *self, int64_t duration_ns) {
    (void)self;
    if (duration_ns <= 0) {
        return;
    }
    struct timespec left = {.tv_sec = duration_ns / 1000000000, .tv_nsec = duration_ns % 1000000000};
    while (clock_nanosleep(CLOCK_MONOTONIC, 0, &left, &left) == EINTR) {
    }
}

const rft_clock *rft_clock_system(void) {
    static const rft_clock clock = {
        .monotonic_ns = system_monotonic_ns, .unix_ns = system_unix_ns, .sleep_ns = system_sleep_ns};
    return &clock;
}
