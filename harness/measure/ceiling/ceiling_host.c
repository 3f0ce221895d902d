/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between host and device: one large copy engine transfer from or to pinned memory, between two events. */
#include "measure/ceiling/ceilings_more.h"

#include "base/units.h"

#include <math.h>

#define COPY_BYTES (256ull << 20)
#define COPY_MIN_BYTES (1ull << 20)
#define MEMORY_SHARE 4 /* at most a quarter of the free device memory */
#define WARM_COPIES 2
#define SAMPLES 15

typedef struct host_copy {
    rft_protocol *p;
    void *host;
    rft_device_ptr device;
    uint64_t bytes;
    bool to_device;
} host_copy;

static int queue_copy(void *self, rft_err *err) {
    host_copy *copy = self;
    rft_gpu *gpu = copy->p->gpu;
    return copy->to_device ? gpu->vt->host_to_device(gpu, copy->device, copy->host, copy->bytes, err)
                           : gpu->vt->device_to_host(gpu, copy->host, copy->device, copy->bytes, err);
}

static int take_memory(host_copy *copy, rft_err *err) {
    rft_gpu *gpu = copy->p->gpu;
    uint64_t free_bytes = 0;
    int rc = gpu->vt->memory_free(gpu, &free_bytes, err);
    if (rc != RFT_OK) {
        return rc;
    }
    copy->bytes = free_bytes / MEMORY_SHARE < COPY_BYTES ? free_bytes / MEMORY_SHARE : COPY_BYTES;
    copy->bytes -= copy->bytes % 4096;
    if (copy->bytes < COPY_MIN_BYTES) {
        return rft_err_set(err, RFT_E_LIMIT, "too little device memory for a copy of 1 MiB");
    }
    rc = gpu->vt->alloc(gpu, copy->bytes, &copy->device, err);
    if (rc == RFT_OK) {
        rc = gpu->vt->host_alloc(gpu, copy->bytes, &copy->host, err);
    }
    if (rc == RFT_OK) { /* random, and every page of both is there */
        rft_buffer buffer = {.name = "host copy",
                             .type = RFT_TYPE_F32,
                             .count = copy->bytes / sizeof(float),
                             .fill = {.kind = RFT_FILL_UNIFORM, .low = -1.0, .high = 1.0}};
        rc = rft_kernel_fill(copy->p, &buffer, 1, copy->device, err);
    }
    if (rc == RFT_OK) {
        rc = gpu->vt->device_to_host(gpu, copy->host, copy->device, copy->bytes, err);
    }
    return rc == RFT_OK ? gpu->vt->sync(gpu, err) : rc;
}

static int measure_direction(host_copy *copy, rft_arena *arena, rft_ceiling *out, rft_err *err) {
    double rates[SAMPLES], clocks[SAMPLES];
    rft_sample samples[SAMPLES];
    rft_timed timed = {.queue = queue_copy, .self = copy, .cache = RFT_CACHE_HOT};
    int rc = rft_timing_series(copy->p, &timed, WARM_COPIES, samples, err);
    if (rc == RFT_OK) {
        rc = rft_timing_series(copy->p, &timed, SAMPLES, samples, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    for (int i = 0; i < SAMPLES; i++) {
        rates[i] = (double)copy->bytes / fmax(samples[i].seconds, 1e-9);
        clocks[i] = samples[i].clock_mhz;
        copy->p->busy_s += samples[i].seconds;
    }
    char size[32];
    rft_units_format_bytes(size, sizeof size, copy->bytes);
    out->measured = true;
    out->reason = NULL;
    out->stats = rft_stats_of(rates, SAMPLES);
    out->clock_mhz = rft_timing_median(clocks, SAMPLES);
    out->kernel =
        rft_arena_printf(arena, "one copy of %s %s pinned host memory", size, copy->to_device ? "from" : "to");
    return RFT_OK;
}

int rft_ceilings_host(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    host_copy copy = {.p = p};
    rft_err failure = RFT_ERR_INIT;
    int rc = take_memory(&copy, &failure);
    for (int i = 0; rc == RFT_OK && i < 2; i++) {
        copy.to_device = i == 0;
        rc = measure_direction(&copy, arena, &out->items[copy.to_device ? RFT_CEILING_H2D : RFT_CEILING_D2H], &failure);
    }
    if (rc != RFT_OK) {
        rc = rft_ceilings_excuse(p, arena, &out->items[RFT_CEILING_H2D], RFT_CEILING_D2H - RFT_CEILING_H2D + 1,
                                 &failure, err);
    }
    p->gpu->vt->host_free(p->gpu, copy.host);
    if (copy.device) {
        p->gpu->vt->free(p->gpu, copy.device);
    }
    return rc;
}
