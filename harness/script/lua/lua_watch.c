/* SPDX-License-Identifier: Apache-2.0 */
#include "script/lua/lua_watch.h"

#include "base/arena.h"
#include "base/units.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define CALL_S 10
#define ALL_S 300
#define SHARE 0.1 /* of the time that has gone by: a run of a day may well ask its script for an hour */
#define GRACE_S 2
#define LOOKS_A_LIMIT 100
#define LOOK_LEAST_S 0.002

enum { IN_TIME, CALL_TOO_LONG, ALL_TOO_LONG };

struct rft_watch {
    double call_limit_s, all_limit_s, grace_s, look_s;
    void (*stuck)(void *payload, const rft_err *err);
    void *payload;

    atomic_ullong calls;    /* begun and ended: odd while one is under way */
    atomic_llong *spent_us; /* of all calls: `own_us`, or what the scripts of a command share */
    atomic_llong own_us;
    atomic_bool paused;
    atomic_int expired;

    pthread_t thread;
    pthread_mutex_t mutex;
    pthread_cond_t wake;
    bool ending;     /* under the mutex */
    char place[200]; /* under the mutex */

    /* the thread's own */
    unsigned long long call; /* the one it saw last */
    double call_s, gone_by_s, late_s;
};

bool rft_watch_expired(const rft_watch *watch) {
    return atomic_load_explicit(&watch->expired, memory_order_relaxed) != IN_TIME;
}

void rft_watch_limit_text(const rft_watch *watch, char *out, size_t size) {
    char limit[48];
    bool call = atomic_load(&watch->expired) == CALL_TOO_LONG;
    rft_units_format_seconds(limit, sizeof(limit), call ? watch->call_limit_s : watch->all_limit_s, 3);
    snprintf(out, size, "the limit of %s for %s", limit,
             call ? "one call into a script" : "all calls into scripts together");
}

static void tell_stuck(rft_watch *watch) {
    char limit[120];
    rft_err err = RFT_ERR_INIT;
    rft_watch_limit_text(watch, limit, sizeof(limit));
    rft_err_set(&err, RFT_E_SCRIPT_STOPPED, "ended at %s: an operation inside Lua does not come to its end", limit);
    rft_err_place(&err, "%s", watch->place);
    rft_err_remedy(&err, "look for very long texts, patterns over them, and tables whose keys are far apart");
    watch->stuck(watch->payload, &err);
}

/* `passed_s` went by since the last look. */
static void look(rft_watch *watch, double passed_s) {
    unsigned long long call = atomic_load(&watch->calls);
    watch->gone_by_s += passed_s;
    if (call % 2 == 0 || atomic_load(&watch->paused)) {
        return;
    }
    watch->call_s = call == watch->call ? watch->call_s + passed_s : 0;
    watch->late_s = rft_watch_expired(watch) ? watch->late_s + passed_s : 0;
    watch->call = call;
    long long passed_us = (long long)(passed_s * 1e6);
    double all_s = (double)(atomic_fetch_add(watch->spent_us, passed_us) + passed_us) * 1e-6;
    if (watch->late_s >= watch->grace_s && watch->stuck) {
        tell_stuck(watch);
    } else if (rft_watch_expired(watch)) {
        return;
    } else if (watch->call_s >= watch->call_limit_s) {
        atomic_store(&watch->expired, CALL_TOO_LONG);
    } else if (all_s >= watch->all_limit_s + SHARE * watch->gone_by_s) {
        atomic_store(&watch->expired, ALL_TOO_LONG);
    }
}

static double now_s(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static void *watch_calls(void *payload) {
    rft_watch *watch = payload;
    double last_s = now_s();
    pthread_mutex_lock(&watch->mutex);
    while (!watch->ending) {
        double until_s = last_s + watch->look_s;
        struct timespec until = {.tv_sec = (time_t)until_s};
        until.tv_nsec = (long)((until_s - (double)until.tv_sec) * 1e9);
        pthread_cond_timedwait(&watch->wake, &watch->mutex, &until);
        double passed_s = now_s() - last_s;
        last_s += passed_s;
        /* More than that: the process was stopped, or the machine had no time for it. */
        look(watch, passed_s < 2 * watch->look_s ? passed_s : 2 * watch->look_s);
    }
    pthread_mutex_unlock(&watch->mutex);
    return NULL;
}

static void init_wake(rft_watch *watch) {
    pthread_condattr_t monotonic;
    pthread_mutex_init(&watch->mutex, NULL);
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&watch->wake, &monotonic);
    pthread_condattr_destroy(&monotonic);
}

static void destroy(rft_watch *watch) {
    pthread_cond_destroy(&watch->wake);
    pthread_mutex_destroy(&watch->mutex);
    free(watch);
}

int rft_watch_new(rft_watch **out, const rft_script_opts *opts, rft_err *err) {
    rft_watch *watch = rft_alloc(sizeof(*watch));
    watch->call_limit_s = opts->call_limit_s > 0 ? opts->call_limit_s : CALL_S;
    watch->all_limit_s = opts->all_limit_s > 0 ? opts->all_limit_s : ALL_S;
    watch->grace_s = opts->grace_s > 0 ? opts->grace_s : GRACE_S;
    double shorter_s = watch->call_limit_s < watch->all_limit_s ? watch->call_limit_s : watch->all_limit_s;
    watch->look_s = shorter_s / LOOKS_A_LIMIT > LOOK_LEAST_S ? shorter_s / LOOKS_A_LIMIT : LOOK_LEAST_S;
    watch->spent_us = opts->spent_us ? opts->spent_us : &watch->own_us;
    watch->stuck = opts->stuck;
    watch->payload = opts->payload;
    init_wake(watch);
    int cause = pthread_create(&watch->thread, NULL, watch_calls, watch);
    if (cause != 0) {
        destroy(watch);
        rft_err_set(err, RFT_E_LIMIT, "no thread can be started: %s", strerror(cause));
        return rft_err_remedy(err, "check the limits on processes and memory (ulimit -u, ulimit -v)");
    }
    *out = watch;
    return 0;
}

void rft_watch_free(rft_watch *watch) {
    if (!watch) {
        return;
    }
    pthread_mutex_lock(&watch->mutex);
    watch->ending = true;
    pthread_cond_signal(&watch->wake);
    pthread_mutex_unlock(&watch->mutex);
    pthread_join(watch->thread, NULL);
    destroy(watch);
}

void rft_watch_enter(rft_watch *watch) {
    atomic_fetch_add_explicit(&watch->calls, 1, memory_order_relaxed);
}

void rft_watch_leave(rft_watch *watch) {
    atomic_fetch_add_explicit(&watch->calls, 1, memory_order_relaxed);
}

void rft_watch_pause(rft_watch *watch, bool paused) {
    atomic_store(&watch->paused, paused);
}

void rft_watch_place(rft_watch *watch, const char *place) {
    pthread_mutex_lock(&watch->mutex);
    snprintf(watch->place, sizeof(watch->place), "%s", place);
    pthread_mutex_unlock(&watch->mutex);
}
