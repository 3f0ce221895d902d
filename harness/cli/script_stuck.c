/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/script_stuck.h"

#include "base/plain.h"

#include <unistd.h>

/* Runs beside the thread that is stuck, which may hold whatever lock: so no stdio, and no handlers of exit(). */
void rft_script_stuck(void *payload, const rft_err *err) {
    rft_str text = RFT_STR_INIT, plain = RFT_STR_INIT;
    (void)payload;
    rft_str_addf(&text, "%srooftune: %s%s%s\n  remedy: %s\n", isatty(STDERR_FILENO) == 1 ? "\n" : "", err->place,
                 *err->place ? ": " : "", err->message, err->remedy);
    rft_plain_add(&plain, text.data, text.length);
    ssize_t written = write(STDERR_FILENO, plain.data, plain.length);
    (void)written; /* a closed terminal changes nothing */
    _exit(rft_code_exit_status(err->code));
}

const rft_script_opts *rft_script_usual_opts(void) {
    static atomic_llong spent_us; /* one process is one command */
    static const rft_script_opts opts = {.stuck = rft_script_stuck, .spent_us = &spent_us};
    return &opts;
}
