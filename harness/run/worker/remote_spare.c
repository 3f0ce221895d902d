/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker/remote_spare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define IDENTIFY_TIMEOUT_S 120.0 /* loading the driver takes seconds on a cold machine */

int rft_remote_start_process(rft_process **out, const rft_remote_probe_opts *opts, const rft_process_events *events,
                             rft_err *err) {
    size_t count = opts->roots ? opts->roots->count : 0;
    const char **argv = rft_calloc(count + 5, sizeof *argv);
    char ordinal[16];
    snprintf(ordinal, sizeof ordinal, "%d", opts->device);
    argv[0] = opts->program;
    argv[1] = "worker";
    argv[2] = "device";
    argv[3] = ordinal;
    for (size_t i = 0; i < count; i++) {
        argv[4 + i] = opts->roots->folders[i];
    }
    int rc = rft_process_start(out, opts->loop, argv, events, err);
    free(argv);
    return rc;
}

static void on_frame(void *payload, rft_frame *frame) {
    rft_remote_spare *spare = payload;
    rft_frame_clear(frame); /* what the device is, is known */
    spare->settled = true;
    rft_process_limit(spare->process, INFINITY);
}

static void on_gone(void *payload, const char *why) {
    (void)why; /* the next process is started without it, and told of what is wrong */
    ((rft_remote_spare *)payload)->settled = true;
}

void rft_remote_spare_start(rft_remote_spare *spare, const rft_remote_probe_opts *opts) {
    const rft_process_events events = {.frame = on_frame, .gone = on_gone, .payload = spare};
    if (spare->process || rft_remote_start_process(&spare->process, opts, &events, NULL) != RFT_OK) {
        return;
    }
    json_t *head = json_pack("{s:s,s:b}", "do", "identify", "ahead", 1);
    spare->settled = false;
    rft_process_limit(spare->process, IDENTIFY_TIMEOUT_S);
    rft_process_send(spare->process, head, NULL, 0);
    json_decref(head);
}

void rft_remote_spare_await(rft_remote_spare *spare, rft_loop *loop) {
    if (spare->process) {
        rft_loop_wait(loop, &spare->settled);
    }
}

rft_process *rft_remote_spare_take(rft_remote_spare *spare, const rft_process_events *events) {
    if (spare->process && rft_process_is_gone(spare->process)) {
        rft_remote_spare_free(spare);
    }
    if (!spare->process || !spare->settled) {
        return NULL;
    }
    rft_process *process = spare->process;
    spare->process = NULL;
    rft_process_listen(process, events);
    return process;
}

void rft_remote_spare_free(rft_remote_spare *spare) {
    rft_process_free(spare->process);
    spare->process = NULL;
}
