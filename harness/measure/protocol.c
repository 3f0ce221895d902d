/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/protocol.h"
#include "measure/buffers.h"
#include "measure/ceiling/ceilings.h"
#include "measure/counted_point.h"
#include "measure/device_kernels.h"
#include "measure/launching.h"
#include "measure/loading.h"
#include "measure/sampling.h"
#include "measure/throttling.h"
#include "measure/vendor_point.h"
#include "measure/verify.h"

#include "base/str.h"

#include <stdlib.h>
#include <string.h>

#define COUNTED_MOST 64 /* modules that stay loaded: attaching the profiler again is little among so many points */
#define CEILINGS_BYTES (16ull << 30) /* three buffers of 4 GiB, and then some */

static int carry_out(rft_point_job *job, rft_err *err) {
    int rc = rft_launching_start(job, err);
    if (rc == RFT_OK && !job->failed) {
        rc = rft_verify_point(job, err);
    }
    if (rc == RFT_OK && !job->failed && job->request->repeats > 0) {
        rc = rft_verify_repeats(job, err);
    } else if (rc == RFT_OK && !job->failed && !job->request->verify_only) {
        rc = job->request->load.wanted ? rft_load_point(job, err) : rft_throttling_point(job, err);
    }
    return rc;
}

/* A failing call of the driver is the point's outcome. Faults of rooftune itself are not. */
static int to_outcome(rft_point_job *job, const rft_err *failure, rft_err *err) {
    rft_protocol *p = job->p;
    if (p->gpu->vt->sticky(p->gpu)) {
        p->dead = true;
        p->death = *failure;
    } else if (failure->code == RFT_E_INTERNAL || failure->code == RFT_E_COMPILER) {
        if (err) {
            *err = *failure;
        }
        return failure->code;
    }
    return rft_point_job_fail(job, RFT_OUTCOME_LAUNCH_FAILED, "%s", failure->message);
}

/* RFT_E_DEVICE: what the context died of. */
static int refuse_dead(const rft_protocol *p, rft_err *err) {
    rft_err_set(err, RFT_E_DEVICE, "the device context is lost after a fault: %.1024s", p->death.message);
    return err ? rft_err_remedy(err, "start another worker process") : RFT_E_DEVICE;
}

static void forget_expected(rft_protocol *p) {
    if (p->code.expected && !p->gpu->vt->sticky(p->gpu)) {
        p->gpu->vt->module_free(p->gpu, p->code.expected);
    }
    p->code.expected = NULL;
}

/* Loading code takes the driver as long as everything else before a launch; some of it comes with its kernels' handles.
 * A failure comes again, and is told then. */
static void protocol_expect(rft_probe *self, const rft_probe_request *request) {
    rft_protocol *p = (rft_protocol *)self;
    const rft_compile_result *unit = request->unit;
    rft_function *loaded = NULL;
    forget_expected(p);
    if (p->dead || !unit->ok ||
        p->gpu->vt->module_load(p->gpu, unit->cubin, unit->cubin_bytes, &p->code.expected, NULL) != RFT_OK) {
        return;
    }
    memcpy(p->code.expected_hash, unit->cubin_hash, sizeof p->code.expected_hash);
    for (size_t i = 0; i < unit->entry_count; i++) {
        p->gpu->vt->function(p->gpu, p->code.expected, unit->entries[i].symbol, &loaded, NULL);
    }
}

/* What was counted goes together, when it is much or the profiler is closed. */
static void unload_counted(rft_protocol *p) {
    for (size_t i = 0; i < p->code.counted_count && !p->gpu->vt->sticky(p->gpu); i++) {
        p->gpu->vt->module_free(p->gpu, p->code.counted[i]);
    }
    p->code.counted_count = 0;
}

static void keep_counted(rft_protocol *p) {
    if (p->code.counted_count == COUNTED_MOST) {
        p->counting.profiler->vt->detach(p->counting.profiler);
        unload_counted(p);
    }
    RFT_GROW(p->code.counted, p->code.counted_room, p->code.counted_count + 1);
    p->code.counted[p->code.counted_count++] = p->code.used;
    p->code.used = NULL;
}

static void protocol_rest(rft_probe *self) {
    rft_protocol *p = (rft_protocol *)self;
    rft_vendor_rest(p);
    if (p->code.used && !p->dead && p->counting.profiler) { /* then all that this process runs is counted */
        keep_counted(p);
    }
    rft_launching_unload(p);
    rft_throttling_rest(p);
}

static bool has_window(const rft_point_spec *spec) {
    bool has = false;
    for (size_t i = 0; i < spec->launch_count && !has; i++) {
        has = spec->launches[i].window.bytes > 0;
    }
    return has;
}

/* The last point's code may go once this one's is at work: but for what the driver sets aside as long as that is there,
 * and what the profiler is at. */
static void rest_before(rft_protocol *p, const rft_probe_request *request) {
    if (p->code.lingers && !p->counting.profiler && !has_window(request->spec)) {
        rft_vendor_rest(p);
        rft_throttling_rest(p);
    } else {
        protocol_rest(&p->probe);
    }
}

/* Whoever asks takes another process. */
static int refuse_profiled(rft_err *err) {
    return rft_err_set(err, RFT_E_INTERNAL, "the profiler was opened in this process: nothing is timed in it");
}

static int protocol_measure(rft_probe *self, const rft_probe_request *request, rft_arena *arena, rft_probe_result *out,
                            rft_err *err) {
    rft_protocol *p = (rft_protocol *)self;
    rest_before(p, request);
    if (p->dead) {
        return refuse_dead(p, err);
    }
    if (p->counting.profiler && !request->verify_only) {
        return refuse_profiled(err);
    }
    int rc = rft_kernels_prepare(p, err);
    if (rc != RFT_OK) {
        return rc;
    }
    int64_t begun_ns = p->clock->monotonic_ns(p->clock->self);
    rft_point_job job = {.p = p, .request = request, .arena = arena, .out = out, .started_ns = begun_ns};
    rft_err failure = RFT_ERR_INIT;
    rc = carry_out(&job, &failure);
    if (rc != RFT_OK) {
        rc = to_outcome(&job, &failure, err);
    }
    out->measurement.busy_s = rft_busy_take(p);
    rft_launching_unload(p); /* it came to no launch */
    p->code.used = job.module;
    p->code.lingers = !has_window(request->spec);
    p->gpu->vt->graph_free(p->gpu, job.foreseen);
    /* A wrong kernel may have written anywhere: kept inputs and reference results are not to be trusted. */
    if (!p->dead && (out->outcome == RFT_OUTCOME_WRONG_RESULT || out->outcome == RFT_OUTCOME_LAUNCH_FAILED)) {
        rft_buffers_drop(p);
    }
    p->sampling.last_active_ns = p->clock->monotonic_ns(p->clock->self);
    out->measurement.wall_s = (double)(p->sampling.last_active_ns - begun_ns) * 1e-9;
    return rc;
}

/* What a point left (inputs, the reference's results) is worth keeping where the ceilings' buffers fit beside it. */
static void make_room(rft_protocol *p) {
    uint64_t free_bytes = 0;
    int rc = p->gpu->vt->memory_free(p->gpu, &free_bytes, NULL);
    if (rc != RFT_OK || free_bytes < CEILINGS_BYTES) {
        rft_buffers_drop(p);
    }
}

static int protocol_ceilings(rft_probe *self, const rft_ceilings_request *request, rft_arena *arena, rft_ceilings *out,
                             rft_err *err) {
    rft_protocol *p = (rft_protocol *)self;
    protocol_rest(self);
    if (p->dead) {
        return refuse_dead(p, err);
    }
    if (p->counting.profiler) {
        return refuse_profiled(err);
    }
    int rc = rft_kernels_prepare(p, err);
    if (rc == RFT_OK) {
        make_room(p);
        rc = rft_ceilings_measure(p, request, arena, out, err);
        p->dead = p->gpu->vt->sticky(p->gpu);
        p->sampling.last_active_ns = p->clock->monotonic_ns(p->clock->self);
    }
    if (p->dead) {
        rft_err_set(&p->death, RFT_E_DEVICE, "while the ceilings were measured");
    }
    return rc;
}

static int protocol_count(rft_probe *self, const rft_probe_request *request, const rft_counter_set *set,
                          rft_arena *arena, rft_count_result *out, rft_err *err) {
    rft_protocol *p = (rft_protocol *)self;
    *out = (rft_count_result){.worker_lost = false};
    protocol_rest(self);
    if (p->dead) {
        return refuse_dead(p, err);
    }
    int rc = rft_kernels_prepare(p, err);
    return rc == RFT_OK ? rft_count_point(p, request, set, arena, out, err) : rc;
}

static int protocol_idle(rft_probe *self, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err) {
    rft_protocol *p = (rft_protocol *)self;
    protocol_rest(self);
    return p->dead                ? refuse_dead(p, err)
           : p->counting.profiler ? refuse_profiled(err)
                                  : rft_load_idle(p, order, arena, out, err);
}

static int protocol_device(rft_probe *self, rft_arena *arena, rft_gpu_info *gpu, rft_env *env, rft_err *err) {
    rft_protocol *p = (rft_protocol *)self;
    rft_gpu_info info;
    int rc = p->gpu->vt->info(p->gpu, &info, err);
    if (rc != RFT_OK) {
        return rc;
    }
    *gpu = rft_gpu_info_copy(arena, &info);
    p->gpu->vt->describe(p->gpu, env, arena);
    rft_throttling_describe(p, env, arena);
    return RFT_OK;
}

/* Module, events and mapped memory go with the gpu; device memory is given back. */
static void free_protocol(rft_probe *self) {
    rft_protocol *p = (rft_protocol *)self;
    rft_device_ptr spaces[] = {p->builtins.verdicts_device, p->builtins.partials, p->sampling.flush_out,
                               p->sampling.flush_in};
    protocol_rest(self);
    forget_expected(p);
    rft_counting_close(p);
    unload_counted(p);
    free(p->code.counted);
    rft_vendor_close(p);
    if (!p->gpu->vt->sticky(p->gpu)) {
        rft_buffers_drop(p);
        for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
            if (spaces[i]) {
                p->gpu->vt->free(p->gpu, spaces[i]);
            }
        }
        for (size_t i = 0; i < RFT_BUILTIN_GROUPS; i++) {
            if (p->builtins.modules[i]) {
                p->gpu->vt->module_free(p->gpu, p->builtins.modules[i]);
            }
        }
    }
    for (size_t i = 0; i < p->kept.count; i++) {
        rft_kept_texts_free(&p->kept.buffers[i]);
    }
    free(p->kept.buffers);
    free(p->builtins.verdicts);
    free(p->kept.key);
    free(p);
}

size_t rft_protocol_units(const rft_gpu_info *gpu, rft_ceiling_set wanted, rft_arena *arena, rft_compile_request **out,
                          size_t *first_of_ceilings) {
    rft_kernel_group *groups = NULL;
    size_t count = rft_ceilings_groups(arena, gpu, wanted, &groups);
    *first_of_ceilings = RFT_BUILTIN_GROUPS;
    *out = rft_arena_calloc(arena, RFT_BUILTIN_GROUPS + count, sizeof **out);
    for (size_t i = 0; i < RFT_BUILTIN_GROUPS; i++) {
        (*out)[i] = rft_kernels_request(&rft_builtin_groups[i], gpu->arch, arena);
    }
    for (size_t i = 0; i < count; i++) {
        (*out)[RFT_BUILTIN_GROUPS + i] = rft_kernels_request(&groups[i], gpu->arch, arena);
    }
    return RFT_BUILTIN_GROUPS + count;
}

void rft_protocol_ceilings_hash(const rft_gpu_info *gpu, char out[RFT_HASH_HEX_SIZE]) {
    rft_arena *arena = rft_arena_new();
    rft_kernel_group *groups = NULL;
    size_t count = rft_ceilings_groups(arena, gpu, RFT_CEILINGS_ALL, &groups);
    rft_sha256 hash;
    rft_sha256_init(&hash);
    rft_sha256_add_text(&hash, RFT_CEILINGS_METHOD);
    for (size_t i = 0; i < count; i++) {
        const rft_compile_request request = rft_kernels_request(&groups[i], gpu->arch, arena);
        rft_sha256_add_text(&hash, request.source_text);
        for (size_t n = 0; n < request.name_count; n++) {
            rft_sha256_add_text(&hash, request.names[n]);
        }
    }
    rft_sha256_hex(&hash, out);
    rft_arena_free(arena);
}

void rft_protocol_use_vendor(rft_probe *probe, const rft_vendor_source *source) {
    ((rft_protocol *)probe)->vendor.source = *source;
}

void rft_protocol_use_counting(rft_probe *probe, const rft_counting_source *source) {
    ((rft_protocol *)probe)->counting.source = *source;
}

void rft_protocol_bare(rft_probe *probe) {
    ((rft_protocol *)probe)->bare = true;
}

void rft_protocol_meter(rft_probe *probe, rft_meter *meter, const char *why_none) {
    rft_protocol *p = (rft_protocol *)probe;
    p->meter = meter;
    rft_text_format(p->no_meter, sizeof p->no_meter, "%s", meter ? "" : why_none);
}

int rft_protocol_new(rft_probe **out, rft_gpu *gpu, rft_compiler *compiler, const rft_clock *clock, const rft_log *log,
                     rft_err *err) {
    rft_protocol *p = rft_alloc(sizeof *p);
    p->probe = (rft_probe){.measure = protocol_measure,
                           .ceilings = protocol_ceilings,
                           .idle = protocol_idle,
                           .device = protocol_device,
                           .count = protocol_count,
                           .free = free_protocol,
                           .rest = protocol_rest,
                           .expect = protocol_expect};
    p->gpu = gpu;
    p->compiler = compiler;
    p->clock = clock;
    p->log = log;
    p->sampling.blocking = true;
    rft_protocol_meter(&p->probe, NULL, "no meter watches the device from outside");
    int rc = gpu->vt->info(gpu, &p->info, err);
    if (rc != RFT_OK) {
        free(p);
        return rc;
    }
    *out = &p->probe;
    return RFT_OK;
}
