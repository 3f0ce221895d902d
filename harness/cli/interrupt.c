/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/interrupt.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#define AT_ONCE                                                                                                        \
    "rooftune: interrupted before the first point; nothing is lost\n  remedy: the same command begins again\n"
#define NOTICE "stopping: what is in hand is finished and stored first; Ctrl-C again ends at once\n"

/* Written by the handler alone, but for the two that begin() and defer() set. */
static volatile sig_atomic_t count;
static volatile sig_atomic_t deferred;
static volatile sig_atomic_t on_terminal; /* a progress line may stand there */

/* Only what may be called in a signal handler. */
static void say(const char *text, size_t length) {
    ssize_t written = on_terminal ? write(STDERR_FILENO, "\n", 1) : 0;
    written += write(STDERR_FILENO, text, length);
    (void)written; /* a closed terminal changes nothing */
}

static void on_signal(int signal_number) {
    (void)signal_number;
    count = count + 1;
    if (!deferred) {
        say(AT_ONCE, sizeof AT_ONCE - 1);
        _exit(130);
    }
    if (count > 1) {
        _exit(130);
    }
    say(NOTICE, sizeof NOTICE - 1);
}

static void take(int signal_number) {
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    sigemptyset(&action.sa_mask);
    sigaction(signal_number, &action, NULL);
}

void rft_interrupt_begin(const rft_cli *cli) {
    struct sigaction before;
    count = 0;
    deferred = 0;
    on_terminal = cli->talk_is_terminal ? 1 : 0;
    take(SIGINT);
    take(SIGTERM);
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN) {
        take(SIGHUP);
    }
    signal(SIGPIPE, SIG_IGN);
}

void rft_interrupt_defer(void) {
    deferred = 1;
}

int rft_interrupt_count(void) {
    return (int)count;
}
