/* SPDX-License-Identifier: Apache-2.0 */
/* Copies between host and device: one large transfer by a copy engine from or to pinned memory, then both at once. */
#include "measure/ceiling/ceiling_host.h"
#include "measure/ceiling/ceiling_bench.h"
#include "measure/sampling.h"

#include "base/units.h"

#include <math.h>

#define COPY_BYTES (256ull << 20)
#define COPY_MIN_BYTES (1ull << 20)
#define COPY_SHARE 8 /* at most a quarter of the free device memory for two */
#define COPY_WARM_UPS 2
#define COPY_SAMPLES 15

enum { IN, OUT }; /* of the device */

typedef struct host_copy {
    rft_protocol *p;
    void *host[2];
    rft_device_ptr device[2];
    uint64_t bytes; /* of each */
    rft_ceiling_id what;
} host_copy;

static int queue_copy(void *self, rft_err *err) {
    host_copy *copy = self;
    rft_gpu *gpu = copy->p->gpu;
    switch ((int)copy->what) {
    case RFT_CEILING_H2D:
        return gpu->vt->host_to_device(gpu, copy->device[IN], copy->host[IN], copy->bytes, err);
    case RFT_CEILING_D2H:
        return gpu->vt->device_to_host(gpu, copy->host[OUT], copy->device[OUT], copy->bytes, err);
    default:
        return gpu->vt->host_both_ways(gpu, copy->device[IN], copy->host[IN], copy->host[OUT], copy->device[OUT],
                                       copy->bytes, err);
    }
}

/* Random, and every page of both is there. */
static int fill_copies(host_copy *copy, int way, rft_err *err) {
    rft_gpu *gpu = copy->p->gpu;
    rft_buffer buffer = {.name = "host copy",
                         .type = RFT_TYPE_F32,
                         .count = copy->bytes / sizeof(float),
                         .fill = {.kind = RFT_FILL_UNIFORM, .low = -1.0, .high = 1.0}};
    int rc = rft_kernel_fill(copy->p, &buffer, 1, copy->device[way], err);
    return rc == RFT_OK ? gpu->vt->device_to_host(gpu, copy->host[way], copy->device[way], copy->bytes, err) : rc;
}

static int take_copy_memory(host_copy *copy, rft_err *err) {
    rft_gpu *gpu = copy->p->gpu;
    uint64_t free_bytes = 0;
    int rc = gpu->vt->memory_free(gpu, &free_bytes, err);
    if (rc != RFT_OK) {
        return rc;
    }
    copy->bytes = free_bytes / COPY_SHARE < COPY_BYTES ? free_bytes / COPY_SHARE : COPY_BYTES;
    copy->bytes -= copy->bytes % 4096;
    if (copy->bytes < COPY_MIN_BYTES) {
        return rft_err_set(err, RFT_E_LIMIT, "too little device memory for a copy of 1 MiB");
    }
    for (int way = IN; rc == RFT_OK && way <= OUT; way++) {
        rc = gpu->vt->alloc(gpu, copy->bytes, &copy->device[way], err);
        rc = rc == RFT_OK ? gpu->vt->host_alloc(gpu, copy->bytes, &copy->host[way], err) : rc;
        rc = rc == RFT_OK ? fill_copies(copy, way, err) : rc;
    }
    return rc == RFT_OK ? gpu->vt->sync(gpu, err) : rc;
}

static int measure_copy(host_copy *copy, rft_arena *arena, rft_ceiling *out, rft_err *err) {
    static const char *const texts[] = {"one copy of %s from pinned host memory",
                                        "one copy of %s to pinned host memory",
                                        "one copy of %s from pinned host memory and one to it, the bytes of both"};
    const double bytes = (double)copy->bytes * (copy->what == RFT_CEILING_H2D_D2H ? 2.0 : 1.0);
    double rates[COPY_SAMPLES], clocks[COPY_SAMPLES];
    rft_sample samples[COPY_SAMPLES];
    rft_timed timed = {.queue = queue_copy, .self = copy, .cache = RFT_CACHE_HOT};
    int rc = rft_timing_series(copy->p, &timed, COPY_WARM_UPS, samples, err);
    if (rc == RFT_OK) {
        rc = rft_timing_series(copy->p, &timed, COPY_SAMPLES, samples, err);
    }
    if (rc != RFT_OK) {
        return rc;
    }
    for (int i = 0; i < COPY_SAMPLES; i++) {
        rates[i] = bytes / fmax(samples[i].seconds, 1e-9);
        clocks[i] = samples[i].clock_mhz;
        copy->p->busy.samples_s += samples[i].seconds;
    }
    char size[32];
    rft_units_format_bytes(size, sizeof size, copy->bytes);
    out->measured = true;
    out->reason = NULL;
    out->stats = rft_stats_of(rates, COPY_SAMPLES);
    out->clock_mhz = rft_timing_median(clocks, COPY_SAMPLES);
    out->kernel = rft_arena_printf(arena, texts[copy->what - RFT_CEILING_H2D], size);
    return RFT_OK;
}

int rft_ceilings_host(rft_protocol *p, rft_arena *arena, rft_ceilings *out, rft_err *err) {
    host_copy copy = {.p = p};
    rft_err failure = RFT_ERR_INIT;
    int rc = take_copy_memory(&copy, &failure);
    for (int id = RFT_CEILING_H2D; rc == RFT_OK && id <= RFT_CEILING_H2D_D2H; id++) {
        copy.what = (rft_ceiling_id)id;
        rc = measure_copy(&copy, arena, &out->items[id], &failure);
    }
    if (rc != RFT_OK) {
        rc = rft_ceilings_excuse(p, arena, &out->items[RFT_CEILING_H2D], RFT_CEILING_H2D_D2H - RFT_CEILING_H2D + 1,
                                 &failure, err);
    }
    for (int way = IN; way <= OUT; way++) {
        p->gpu->vt->host_free(p->gpu, copy.host[way]);
        if (copy.device[way]) {
            p->gpu->vt->free(p->gpu, copy.device[way]);
        }
    }
    return rc;
}
