/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/interrupt.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

#define AT_ONCE "rooftune: interrupted; nothing was stored\n  remedy: the same command begins again\n"
#define NOTICE "stopping: the point in hand is finished and stored first; Ctrl-C again ends at once\n"

static atomic_int count;
static atomic_bool deferred;
static sigset_t taken; /* by the thread that waits */

static void say(const char *text, size_t length) {
    /* A progress line, or the terminal's ^C, may stand there. */
    ssize_t written = isatty(STDERR_FILENO) == 1 ? write(STDERR_FILENO, "\n", 1) : 0;
    written += write(STDERR_FILENO, text, length);
    (void)written; /* a closed terminal changes nothing */
}

static void *wait_for_signals(void *nothing) {
    int signal_number = 0;
    while (sigwait(&taken, &signal_number) == 0) {
        int before = atomic_fetch_add(&count, 1);
        if (!atomic_load(&deferred)) {
            say(AT_ONCE, sizeof AT_ONCE - 1);
            _exit(130);
        }
        if (before > 0) {
            _exit(130);
        }
        say(NOTICE, sizeof NOTICE - 1);
    }
    return nothing;
}

static void take_signal(int signal_number, sigset_t *mask) {
    signal(signal_number, SIG_DFL); /* a shell starts what runs in the background with SIGINT ignored */
    sigaddset(&taken, signal_number);
    sigaddset(mask, signal_number);
}

void rft_interrupt_begin(void) {
    struct sigaction hangup;
    sigset_t all, usual, with_taken;
    pthread_t waiter;
    sigfillset(&all); /* the waiter runs no handler, of libuv for example, either */
    pthread_sigmask(SIG_SETMASK, &all, &usual);
    with_taken = usual;
    sigemptyset(&taken);
    take_signal(SIGINT, &with_taken);
    take_signal(SIGTERM, &with_taken);
    if (sigaction(SIGHUP, NULL, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {
        take_signal(SIGHUP, &with_taken);
    }
    bool waits = pthread_create(&waiter, NULL, wait_for_signals, NULL) == 0;
    if (waits) { /* else a signal ends the process without a word */
        pthread_detach(waiter);
    }
    pthread_sigmask(SIG_SETMASK, waits ? &with_taken : &usual, NULL);
}

void rft_interrupt_defer(void) {
    atomic_store(&deferred, true);
}

int rft_interrupt_count(void) {
    return atomic_load(&count);
}
