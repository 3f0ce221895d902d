/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/protocol.h"
#include "measure/ceiling/ceilings.h"

#include "base/str.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define CEILINGS_BYTES (16ull << 30) /* three buffers of 4 GiB, and then some */

int rft_job_fail(rft_job *job, rft_outcome outcome, const char *format, ...) {
    rft_err text;
    va_list args;
    va_start(args, format);
    rft_err_setv(&text, RFT_E_INTERNAL, format, args);
    va_end(args);
    job->failed = true;
    job->out->outcome = outcome;
    job->out->reason = rft_arena_strdup(job->arena, text.message);
    return RFT_OK;
}

void rft_job_enter(rft_job *job, rft_phase phase) {
    if (job->request->enter) {
        job->request->enter(job->request->payload, phase);
    }
}

double rft_job_elapsed_s(const rft_job *job) {
    return (double)(job->p->clock->monotonic_ns(job->p->clock->self) - job->started_ns) * 1e-9;
}

bool rft_job_is_late(rft_job *job, const char *during) {
    double elapsed_s = rft_job_elapsed_s(job), limit_s = job->request->measure.point_timeout_s;
    if (elapsed_s <= limit_s) {
        return false;
    }
    rft_str text = RFT_STR_INIT;
    rft_str_add_fixed(&text, elapsed_s, 1);
    rft_str_addf(&text, " s have passed after %s, measure.timeout is ", during);
    rft_str_add_double(&text, limit_s);
    rft_job_fail(job, RFT_OUTCOME_TIMED_OUT, "%s s", rft_str_get(&text));
    rft_str_clear(&text);
    return true;
}

/* What is known of the configuration before it runs. */
static void start_result(rft_job *job) {
    const rft_compile_result *unit = job->request->unit;
    rft_facts facts = rft_facts_unknown();
    facts.cubin_hash = unit->cubin_hash[0] ? rft_arena_strdup(job->arena, unit->cubin_hash) : NULL;
    facts.compile_s = unit->seconds;
    facts.from_cache = unit->from_cache;
    for (size_t i = 0; i < unit->entry_count; i++) {
        const rft_compiled_entry *entry = &unit->entries[i];
        if (entry->spill_store_bytes >= 0 && entry->spill_load_bytes >= 0) {
            int spill_bytes = entry->spill_store_bytes + entry->spill_load_bytes;
            facts.spill_bytes = (facts.spill_bytes > 0 ? facts.spill_bytes : 0) + spill_bytes;
        }
        if (entry->registers > facts.registers) {
            facts.registers = entry->registers;
        }
        if (entry->stack_bytes > facts.stack_bytes) {
            facts.stack_bytes = entry->stack_bytes;
        }
        if (entry->shared_bytes > facts.shared_static_bytes) {
            facts.shared_static_bytes = entry->shared_bytes;
        }
    }
    *job->out = (rft_probe_result){.outcome = RFT_OUTCOME_OK, .facts = facts};
    job->out->measurement = rft_measurement_none();
    job->out->measurement.cache = job->request->measure.cache;
    if (!unit->ok) {
        rft_job_fail(job, RFT_OUTCOME_COMPILE_FAILED, "it does not compile");
        job->out->log = rft_arena_strdup(job->arena, unit->log);
    }
}

int rft_job_start(rft_job *job, rft_err *err) {
    start_result(job);
    if (!job->failed) {
        rft_launching_check(job);
    }
    int rc = job->failed ? RFT_OK : rft_buffers_take(job, err);
    return rc == RFT_OK && !job->failed ? rft_launching_bind(job, err) : rc;
}

static int carry_out(rft_job *job, rft_err *err) {
    int rc = rft_job_start(job, err);
    if (rc == RFT_OK && !job->failed) {
        rc = rft_verify_point(job, err);
    }
    if (rc == RFT_OK && !job->failed && !job->request->verify_only) {
        rc = job->request->load.wanted ? rft_load_point(job, err) : rft_throttling_point(job, err);
    }
    return rc;
}

/* A failing call of the driver is the point's outcome. Faults of rooftune itself are not. */
static int to_outcome(rft_job *job, const rft_err *failure, rft_err *err) {
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
    return rft_job_fail(job, RFT_OUTCOME_LAUNCH_FAILED, "%s", failure->message);
}

int rft_protocol_refuse_dead(const rft_protocol *p, rft_err *err) {
    rft_err_set(err, RFT_E_DEVICE, "the device context is lost after a fault: %.1024s", p->death.message);
    return err ? rft_err_remedy(err, "start another worker process") : RFT_E_DEVICE;
}

static void forget_expected(rft_protocol *p) {
    if (p->expected && !p->gpu->vt->sticky(p->gpu)) {
        p->gpu->vt->module_free(p->gpu, p->expected);
    }
    p->expected = NULL;
}

/* Loading code takes the driver as long as everything else before a launch. A failure comes again, and is told then. */
static void expect(rft_probe *self, const rft_probe_request *request) {
    rft_protocol *p = (rft_protocol *)self;
    const rft_compile_result *unit = request->unit;
    forget_expected(p);
    if (!p->dead && unit->ok &&
        p->gpu->vt->module_load(p->gpu, unit->cubin, unit->cubin_bytes, &p->expected, NULL) == RFT_OK) {
        memcpy(p->expected_hash, unit->cubin_hash, sizeof p->expected_hash);
    }
}

static void rest(rft_probe *self) {
    rft_protocol *p = (rft_protocol *)self;
    rft_vendor_rest(p);
    if (p->used && !p->dead) {
        p->gpu->vt->module_free(p->gpu, p->used);
        p->dead = p->gpu->vt->sticky(p->gpu);
        if (p->dead) {
            rft_err_set(&p->death, RFT_E_DEVICE, "while a kernel's code was unloaded");
        }
    }
    p->used = NULL;
    rft_throttling_rest(p);
}

static int measure(rft_probe *self, const rft_probe_request *request, rft_arena *arena, rft_probe_result *out,
                   rft_err *err) {
    rft_protocol *p = (rft_protocol *)self;
    rest(self);
    if (p->dead) {
        return rft_protocol_refuse_dead(p, err);
    }
    int rc = rft_protocol_prepare(p, err);
    if (rc != RFT_OK) {
        return rc;
    }
    int64_t begun_ns = p->clock->monotonic_ns(p->clock->self);
    rft_job job = {.p = p, .request = request, .arena = arena, .out = out, .started_ns = begun_ns};
    rft_err failure = RFT_ERR_INIT;
    rc = carry_out(&job, &failure);
    if (rc != RFT_OK) {
        rc = to_outcome(&job, &failure, err);
    }
    out->measurement.busy_s = rft_busy_take(p);
    p->used = job.module;
    /* A wrong kernel may have written anywhere: kept inputs and reference results are not to be trusted. */
    if (!p->dead && (out->outcome == RFT_OUTCOME_WRONG_RESULT || out->outcome == RFT_OUTCOME_LAUNCH_FAILED)) {
        rft_buffers_drop(p);
    }
    p->last_active_ns = p->clock->monotonic_ns(p->clock->self);
    out->measurement.wall_s = (double)(p->last_active_ns - begun_ns) * 1e-9;
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

static int ceilings(rft_probe *self, const rft_ceilings_request *request, rft_arena *arena, rft_ceilings *out,
                    rft_err *err) {
    rft_protocol *p = (rft_protocol *)self;
    rest(self);
    if (p->dead) {
        return rft_protocol_refuse_dead(p, err);
    }
    int rc = rft_protocol_prepare(p, err);
    if (rc == RFT_OK) {
        make_room(p);
        rc = rft_ceilings_measure(p, request, arena, out, err);
        p->dead = p->gpu->vt->sticky(p->gpu);
        p->last_active_ns = p->clock->monotonic_ns(p->clock->self);
    }
    if (p->dead) {
        rft_err_set(&p->death, RFT_E_DEVICE, "while the ceilings were measured");
    }
    return rc;
}

static int idle(rft_probe *self, const rft_load_order *order, rft_arena *arena, rft_load *out, rft_err *err) {
    rft_protocol *p = (rft_protocol *)self;
    rest(self);
    return p->dead ? rft_protocol_refuse_dead(p, err) : rft_load_idle(p, order, arena, out, err);
}

static int device(rft_probe *self, rft_arena *arena, rft_gpu_info *gpu, rft_env *env, rft_err *err) {
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
    rft_device_ptr spaces[] = {p->verdicts_device, p->partials, p->flush_out, p->flush_in};
    rest(self);
    forget_expected(p);
    rft_counting_close(p);
    rft_vendor_close(p);
    if (!p->gpu->vt->sticky(p->gpu)) {
        rft_buffers_drop(p);
        for (size_t i = 0; i < sizeof spaces / sizeof *spaces; i++) {
            if (spaces[i]) {
                p->gpu->vt->free(p->gpu, spaces[i]);
            }
        }
        for (size_t i = 0; i < RFT_BUILTIN_GROUPS; i++) {
            if (p->modules[i]) {
                p->gpu->vt->module_free(p->gpu, p->modules[i]);
            }
        }
    }
    for (size_t i = 0; i < p->kept_count; i++) {
        free(p->kept[i].name);
    }
    free(p->kept);
    free(p->verdicts);
    free(p->problem_key);
    free(p);
}

size_t rft_protocol_units(const rft_gpu_info *gpu, uint32_t wanted, rft_arena *arena, rft_compile_request **out,
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

void rft_protocol_meter(rft_probe *probe, rft_meter *meter, const char *why_none) {
    rft_protocol *p = (rft_protocol *)probe;
    p->meter = meter;
    rft_text_format(p->no_meter, sizeof p->no_meter, "%s", meter ? "" : why_none);
}

int rft_protocol_new(rft_probe **out, rft_gpu *gpu, rft_compiler *compiler, const rft_clock *clock, const rft_log *log,
                     rft_err *err) {
    rft_protocol *p = rft_alloc(sizeof *p);
    p->probe = (rft_probe){.measure = measure,
                           .ceilings = ceilings,
                           .idle = idle,
                           .device = device,
                           .count = rft_protocol_count,
                           .free = free_protocol,
                           .rest = rest,
                           .expect = expect};
    p->gpu = gpu;
    p->compiler = compiler;
    p->clock = clock;
    p->log = log;
    p->blocking = true;
    rft_protocol_meter(&p->probe, NULL, "nobody watches the device from outside");
    int rc = gpu->vt->info(gpu, &p->info, err);
    if (rc != RFT_OK) {
        free(p);
        return rc;
    }
    *out = &p->probe;
    return RFT_OK;
}
