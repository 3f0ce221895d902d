/* SPDX-License-Identifier: Apache-2.0 */
#include "run/worker/worker_setup.h"

#include "base/hash.h"
#include "measure/protocol.h"

#include <unistd.h>

static void *open_compiler(void *payload) {
    rft_worker_setup *setup = payload;
    if (setup->host->compiler_new(setup->host->self, &setup->opened, &setup->opening_err) != RFT_OK) {
        setup->opened = NULL;
    }
    return NULL;
}

void rft_worker_setup_begin(rft_worker_setup *setup) {
    setup->arena = rft_arena_new();
    setup->opening_started = pthread_create(&setup->opening, NULL, open_compiler, setup) == 0;
    setup->identified =
        setup->host->gpu_identify(setup->host->self, setup->arena, &setup->identity, &setup->identity_err);
}

/* Takes over what the thread opened; asks again when it could not, so that every request hears why. */
static int ready_compiler(rft_worker_setup *setup, rft_err *err) {
    if (setup->opening_started) {
        setup->opening_started = false;
        pthread_join(setup->opening, NULL);
        setup->compiler = setup->opened;
        if (!setup->compiler) {
            *err = setup->opening_err;
            return setup->opening_err.code;
        }
    }
    return setup->compiler ? RFT_OK : setup->host->compiler_new(setup->host->self, &setup->compiler, err);
}

void rft_worker_setup_meter(rft_worker_setup *setup, const rft_gpu_info *info) {
    if (setup->host->meter_open && !setup->meter_asked) {
        setup->meter_asked = true;
        if (setup->host->meter_open(setup->host->self, info, &setup->meter, &setup->no_meter) != RFT_OK) {
            setup->meter = NULL;
        }
    }
}

static void give_meter(rft_worker_setup *setup) {
    rft_gpu_info info = {0};
    if (!setup->host->meter_open) {
        return;
    }
    if (!setup->meter_asked && setup->gpu->vt->info(setup->gpu, &info, &setup->no_meter) == RFT_OK) {
        rft_worker_setup_meter(setup, &info);
    }
    rft_protocol_meter(setup->probe, setup->meter, setup->no_meter.message);
}

/* Once the device is open, with what the driver, NVRTC and the libraries opened later still need. */
static void confine(rft_worker_setup *setup) {
    if (setup->host->confinement && !setup->confined) {
        int rules = rft_confine_prepare(setup->host->confinement);
        rft_confine_enter(rules);
        if (rules >= 0) {
            close(rules);
        }
    }
    setup->confined = true;
}

#define SPACER_STEP (2ull << 20) /* a page of the device */
#define SPACER_MOST (256ull << 20)
#define SPACER_FRAC 32 /* of the memory that is free: room for the points */

/* Every draw has another size of what is allocated first, so that what comes behind it lies elsewhere. Without room for
 * it there is none. */
static void take_spacer(rft_worker_setup *setup) {
    uint64_t free_bytes = 0;
    const rft_gpu_vt *vt = setup->gpu->vt;
    if (setup->draw == 0 || vt->memory_free(setup->gpu, &free_bytes, NULL) != RFT_OK) {
        return;
    }
    uint64_t most = free_bytes / SPACER_FRAC < SPACER_MOST ? free_bytes / SPACER_FRAC : SPACER_MOST;
    uint64_t bytes = most < SPACER_STEP ? 0 : SPACER_STEP * (1 + rft_random_below(&setup->draw, most / SPACER_STEP));
    if (bytes == 0 || vt->alloc(setup->gpu, bytes, &setup->spacer, NULL) != RFT_OK) {
        setup->spacer = 0;
    }
}

static int open_gpu(rft_worker_setup *setup, rft_err *err) {
    int rc = setup->host->gpu_open(setup->host->self, &setup->gpu, err);
    if (rc == RFT_OK) {
        take_spacer(setup);
    }
    return rc;
}

int rft_worker_setup_ready(rft_worker_setup *setup, rft_err *err) {
    int rc = setup->gpu ? RFT_OK : open_gpu(setup, err);
    rc = rc == RFT_OK ? ready_compiler(setup, err) : rc;
    if (rc == RFT_OK && !setup->probe) {
        rc = rft_protocol_new(&setup->probe, setup->gpu, setup->compiler, setup->host->clock, setup->host->log, err);
        if (rc == RFT_OK && setup->host->vendor_open) {
            const rft_vendor_source source = {setup->host->vendor_open, setup->host->self};
            rft_protocol_use_vendor(setup->probe, &source);
        }
        if (rc == RFT_OK && setup->host->counting_open) {
            const rft_counting_source source = {setup->host->counting_open, setup->host->self};
            rft_protocol_use_counting(setup->probe, &source);
        }
        if (rc == RFT_OK) {
            give_meter(setup);
            confine(setup);
        }
    }
    return rc;
}

void rft_worker_setup_close(rft_worker_setup *setup) {
    rft_err ignored = RFT_ERR_INIT;
    if (setup->opening_started) {
        (void)ready_compiler(setup, &ignored); /* there was no request */
    }
    if (setup->probe) {
        setup->probe->free(setup->probe);
    }
    if (setup->meter) {
        setup->meter->vt->close(setup->meter);
    }
    if (setup->spacer) {
        setup->gpu->vt->free(setup->gpu, setup->spacer);
    }
    if (setup->gpu) {
        setup->gpu->vt->close(setup->gpu);
    }
    if (setup->compiler) {
        setup->compiler->free(setup->compiler);
    }
    rft_arena_free(setup->arena);
}
