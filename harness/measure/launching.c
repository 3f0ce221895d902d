/* SPDX-License-Identifier: Apache-2.0 */
/* From the launches of a spec to what the driver takes: limits, functions, arguments, grids, facts. */
#include "measure/launching.h"
#include "measure/buffers.h"
#include "measure/constant_data.h"
#include "measure/vendor_point.h"

#include "base/str.h"
#include "model/card/occupancy.h"
#include "model/sweep/arguments.h"

#include <math.h>
#include <string.h>

static int64_t product(const int64_t v[3]) {
    return v[0] * v[1] * v[2];
}

static bool has_cluster(const rft_launch *launch) {
    return launch->cluster[0] * launch->cluster[1] * launch->cluster[2] > 1;
}

static bool in_range(const int64_t v[3], int64_t low, const int64_t high[3]) {
    for (int i = 0; i < 3; i++) {
        if (v[i] < low || v[i] > high[i]) {
            return false;
        }
    }
    return true;
}

static void check_shape(rft_point_job *job, const rft_launch *launch) {
    const rft_gpu_info *gpu = &job->p->info;
    const int64_t max_block[3] = {gpu->max_block[0], gpu->max_block[1], gpu->max_block[2]};
    const long long *g = (const long long[]){launch->grid[0], launch->grid[1], launch->grid[2]};
    const long long *b = (const long long[]){launch->block[0], launch->block[1], launch->block[2]};
    if (!in_range(launch->block, 1, max_block)) {
        rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "block of %lld x %lld x %lld, the device allows %d x %d x %d",
                           b[0], b[1], b[2], gpu->max_block[0], gpu->max_block[1], gpu->max_block[2]);
    } else if (product(launch->block) > gpu->max_threads_per_block) {
        rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "%lld threads per block, the device allows %d",
                           (long long)product(launch->block), gpu->max_threads_per_block);
    } else if (launch->grid[0] != 0 && !in_range(launch->grid, 1, gpu->max_grid)) {
        rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "grid of %lld x %lld x %lld, the device allows %lld x %lld x %lld",
                           g[0], g[1], g[2], (long long)gpu->max_grid[0], (long long)gpu->max_grid[1],
                           (long long)gpu->max_grid[2]);
    } else if (launch->shared_bytes > gpu->shared_per_block) {
        rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "%lld bytes of shared memory per block, the device allows %lld",
                           (long long)launch->shared_bytes, (long long)gpu->shared_per_block);
    }
}

static void check_features(rft_point_job *job, const rft_launch *launch) {
    const rft_gpu_info *gpu = &job->p->info;
    if (has_cluster(launch) && gpu->max_cluster == 0) {
        rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "clusters, which the device does not have");
        return;
    }
    for (int i = 0; has_cluster(launch) && i < 3; i++) {
        if (launch->cluster[i] < 1 || (launch->grid[0] != 0 && launch->grid[i] % launch->cluster[i] != 0)) {
            rft_point_job_fail(job, RFT_OUTCOME_SKIPPED,
                               "a grid of %lld blocks along dimension %d is no multiple of the cluster's %lld",
                               (long long)launch->grid[i], i, (long long)launch->cluster[i]);
            return;
        }
    }
    if (launch->cooperative && !gpu->cooperative) {
        rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "a cooperative launch, which the device does not have");
    }
}

static void check_all(rft_point_job *job, const rft_launch *launches, size_t count) {
    for (size_t i = 0; i < count && !job->failed; i++) {
        if (launches[i].kind == RFT_LAUNCH_KERNEL) {
            check_shape(job, &launches[i]);
            if (!job->failed) {
                check_features(job, &launches[i]);
            }
        }
    }
}

/* Skips the point when the device cannot launch what the spec asks for. Needs no device memory yet. */
static void check_launches(rft_point_job *job) {
    check_all(job, job->request->spec->prepare, job->request->spec->prepare_count);
    check_all(job, job->request->spec->launches, job->request->spec->launch_count);
}

/* ---- parameters ---- */

/* What the driver tells of a kernel: how many it takes, of which sizes. The coordinator has compared all else before;
 * where it could not (PTX), the driver would answer by CUDA_ERROR_INVALID_VALUE at best. */
static int count_parameters(rft_point_job *job, rft_function *function, const char *name, rft_signature *out,
                            rft_err *err) {
    uint32_t sizes[RFT_PARAMS_MAX] = {0};
    int takes = 0;
    int rc = job->p->gpu->vt->function_params(job->p->gpu, function, &takes, sizes, RFT_PARAMS_MAX, err);
    bool known = rc == RFT_OK && takes > 0 && takes <= RFT_PARAMS_MAX;
    rft_signature_read(out, name, "", sizes, known ? (size_t)takes : 0);
    return rc;
}

/* Fails the job when the kernel takes more parameters than it is given, or another struct. */
static int check_parameters(rft_point_job *job, rft_function *function, const rft_launch *launch, rft_err *err) {
    rft_signature takes;
    int rc = count_parameters(job, function, launch->entry, &takes, err);
    const char *wrong = rc == RFT_OK ? rft_arguments_wrong(job->request->spec, launch, &takes, job->arena) : NULL;
    return wrong ? rft_point_job_fail(job, RFT_OUTCOME_LAUNCH_FAILED, "%s", wrong) : rc;
}

/* ---- binding ---- */

static int bind_argument(rft_point_job *job, const rft_arg *arg, void **value, rft_err *err) {
    unsigned char *space = rft_arena_alloc(job->arena, (size_t)rft_argument_bytes(arg) + RFT_ARGUMENT_ALIGNMENT);
    space += (RFT_ARGUMENT_ALIGNMENT - (uintptr_t)space % RFT_ARGUMENT_ALIGNMENT) % RFT_ARGUMENT_ALIGNMENT;
    *value = space;
    return rft_point_job_put_argument(job, arg, space, err);
}

static const rft_compiled_entry *find_entry(const rft_point_job *job, const char *name) {
    const rft_compile_result *unit = job->request->unit;
    for (size_t i = 0; i < unit->entry_count; i++) {
        if (rft_text_equal(unit->entries[i].name, name)) {
            return &unit->entries[i];
        }
    }
    return NULL;
}

/* What only the compiled function tells: registers may allow fewer threads, static shared memory counts too. */
static int check_function(rft_point_job *job, const rft_launch *launch, rft_function *function, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    rft_facts *facts = &job->out->facts;
    rft_function_facts found;
    int rc = gpu->vt->function_facts(gpu, function, &found, err);
    if (rc != RFT_OK) {
        return rc;
    }
    int64_t shared_bytes = launch->shared_bytes + found.shared_static_bytes;
    facts->registers = found.registers > facts->registers ? found.registers : facts->registers;
    if (product(launch->block) > found.max_threads_per_block) {
        return rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, "%lld threads per block, its %d registers allow %d",
                                  (long long)product(launch->block), found.registers, found.max_threads_per_block);
    }
    if (shared_bytes > job->p->info.shared_per_block) {
        return rft_point_job_fail(
            job, RFT_OUTCOME_SKIPPED, "%lld bytes of shared memory per block (%lld static), the device allows %lld",
            (long long)shared_bytes, (long long)found.shared_static_bytes, (long long)job->p->info.shared_per_block);
    }
    if (launch->shared_bytes > 0 && shared_bytes > job->p->info.shared_per_block_static) {
        rc = gpu->vt->function_shared(gpu, function, (unsigned)launch->shared_bytes, err);
    }
    return rc;
}

/* resident() becomes a number; a cooperative grid must fit at once. */
static int settle_grid(rft_point_job *job, const rft_launch *launch, rft_gpu_launch *bound, int *blocks_per_sm,
                       rft_err *err) {
    const rft_gpu_info *gpu = &job->p->info;
    bool resident = launch->grid[0] == 0;
    if (resident) {
        bound->grid[0] = bound->cluster[0]; /* occupancy depends on the block and the cluster only */
    }
    int rc = job->p->gpu->vt->occupancy(job->p->gpu, bound, blocks_per_sm, err);
    if (rc != RFT_OK) {
        return rc;
    }
    if (*blocks_per_sm < 1) {
        return rft_point_job_fail(job, RFT_OUTCOME_SKIPPED,
                                  "no block of %s fits on an SM: registers, shared memory or "
                                  "cluster size are too large",
                                  launch->entry);
    }
    int64_t at_once = (int64_t)*blocks_per_sm * gpu->sms;
    int64_t others = (int64_t)bound->grid[1] * bound->grid[2];
    if (resident) {
        int64_t first = at_once / others / bound->cluster[0] * bound->cluster[0];
        bound->grid[0] = (unsigned)(first > 0 ? first : bound->cluster[0]);
    }
    if (launch->cooperative && (int64_t)bound->grid[0] * others > at_once) {
        return rft_point_job_fail(job, RFT_OUTCOME_SKIPPED, RFT_TOO_COOPERATIVE,
                                  (long long)bound->grid[0] * (long long)others, (long long)at_once);
    }
    return RFT_OK;
}

static int bind_kernel(rft_point_job *job, const rft_launch *launch, rft_gpu_launch *bound, int *blocks_per_sm,
                       rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    const rft_compiled_entry *entry = find_entry(job, launch->entry);
    if (!entry) {
        return rft_point_job_fail(job, RFT_OUTCOME_LAUNCH_FAILED, "%s is not among the compiled entries",
                                  launch->entry);
    }
    *bound = (rft_gpu_launch){.shared_bytes = (unsigned)launch->shared_bytes,
                              .cooperative = launch->cooperative,
                              .pdl = launch->pdl,
                              .window_bytes = launch->window.bytes,
                              .window_hit_ratio = (float)launch->window.hit_ratio};
    for (int i = 0; i < 3; i++) {
        bound->grid[i] = (unsigned)launch->grid[i];
        bound->block[i] = (unsigned)launch->block[i];
        bound->cluster[i] = launch->cluster[i] > 0 ? (unsigned)launch->cluster[i] : 1;
    }
    for (int i = 1; i < 3 && launch->grid[0] == 0; i++) {
        bound->grid[i] = bound->grid[i] ? bound->grid[i] : 1;
    }
    if (launch->window.bytes) {
        bound->window_base = job->data[launch->window.buffer] + launch->window.offset_bytes;
    }
    bound->values = rft_arena_calloc(job->arena, launch->arg_count + 1, sizeof *bound->values);
    int rc = gpu->vt->function(gpu, job->module, entry->symbol, &bound->function, err);
    if (rc == RFT_OK) {
        rc = check_parameters(job, bound->function, launch, err);
    }
    if (rc == RFT_OK && !job->failed) {
        rc = check_function(job, launch, bound->function, err);
    }
    for (size_t i = 0; rc == RFT_OK && !job->failed && i < launch->arg_count; i++) {
        rc = bind_argument(job, &launch->args[i], &bound->values[i], err);
    }
    return rc == RFT_OK && !job->failed ? settle_grid(job, launch, bound, blocks_per_sm, err) : rc;
}

static int bind_all(rft_point_job *job, const rft_launch *launches, size_t count, rft_gpu_launch *bound,
                    int *blocks_per_sm, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && !job->failed && i < count; i++) {
        if (launches[i].kind == RFT_LAUNCH_KERNEL) {
            rc = bind_kernel(job, &launches[i], &bound[i], &blocks_per_sm[i], err);
        } else if (launches[i].kind == RFT_LAUNCH_VENDOR) {
            rc = rft_vendor_bind(job, &launches[i].vendor, err);
        }
    }
    return rc;
}

static int load_module(rft_point_job *job, rft_err *err) {
    rft_protocol *p = job->p;
    const rft_compile_result *unit = job->request->unit;
    if (p->code.expected && rft_text_equal(unit->cubin_hash, p->code.expected_hash)) {
        job->module = p->code.expected;
        p->code.expected = NULL;
        return RFT_OK;
    }
    return p->gpu->vt->module_load(p->gpu, unit->cubin, unit->cubin_bytes, &job->module, err);
}

void rft_launching_unload(rft_protocol *p) {
    if (p->code.used && !p->dead) {
        p->gpu->vt->module_free(p->gpu, p->code.used);
        p->dead = p->gpu->vt->sticky(p->gpu);
        if (p->dead) {
            rft_err_set(&p->death, RFT_E_DEVICE, "while a kernel's code was unloaded");
        }
    }
    p->code.used = NULL;
}

static int queue_one(rft_point_job *job, const rft_launch *launch, const rft_gpu_launch *bound, rft_err *err) {
    rft_gpu *gpu = job->p->gpu;
    if (launch->kind == RFT_LAUNCH_KERNEL) {
        return gpu->vt->launch(gpu, bound, err);
    }
    if (launch->kind == RFT_LAUNCH_VENDOR) {
        return rft_vendor_queue(job, &launch->vendor, err);
    }
    const rft_buffer *buffer = &job->request->spec->buffers[launch->memset_buffer];
    return gpu->vt->set(gpu, job->data[launch->memset_buffer], launch->memset_byte,
                        buffer->count * rft_type_bytes(buffer->type), err);
}

int rft_launching_queue_prepare(rft_point_job *job, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && i < job->request->spec->prepare_count; i++) {
        rc = queue_one(job, &job->request->spec->prepare[i], &job->prepare[i], err);
    }
    return rc;
}

int rft_launching_queue(rft_point_job *job, size_t first, size_t end, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = first; rc == RFT_OK && i < end; i++) {
        rc = queue_one(job, &job->request->spec->launches[i], &job->launches[i], err);
    }
    return rc;
}

static double threads_of(const rft_gpu_launch *launch) {
    return (double)launch->grid[0] * launch->grid[1] * launch->grid[2] * launch->block[0] * launch->block[1] *
           launch->block[2];
}

void rft_launching_describe(rft_point_job *job, size_t launch) {
    const rft_gpu_info *gpu = &job->p->info;
    size_t count = job->request->spec->launch_count, at = launch;
    for (size_t i = 0; launch == SIZE_MAX && i < count; i++) {
        bool larger = at == SIZE_MAX || threads_of(&job->launches[i]) > threads_of(&job->launches[at]);
        at = job->launches[i].function && larger ? i : at;
    }
    if (at >= count || !job->launches[at].function) {
        return;
    }
    const rft_gpu_launch *bound = &job->launches[at];
    rft_facts *facts = &job->out->facts;
    double threads = (double)bound->block[0] * bound->block[1] * bound->block[2];
    double warps = ceil(threads / gpu->warp_size), resident = job->blocks_per_sm[at];
    facts->shared_dynamic_bytes = bound->shared_bytes;
    facts->blocks_per_sm = job->blocks_per_sm[at];
    facts->occupancy_frac = resident * warps / ((double)gpu->max_threads_per_sm / gpu->warp_size);
    facts->waves = resident > 0 ? threads_of(bound) / threads / (resident * gpu->sms) : (double)NAN;
}

/* ---- all of it ---- */

/* Loads the module, looks up functions, checks what only they tell, binds arguments, fills the facts. */
static int bind_launches(rft_point_job *job, rft_err *err) {
    const rft_point_spec *spec = job->request->spec;
    job->prepare = rft_arena_calloc(job->arena, spec->prepare_count + 1, sizeof *job->prepare);
    job->launches = rft_arena_calloc(job->arena, spec->launch_count + 1, sizeof *job->launches);
    job->blocks_per_sm = rft_arena_calloc(job->arena, spec->launch_count + 1, sizeof *job->blocks_per_sm);
    int *ignored = rft_arena_calloc(job->arena, spec->prepare_count + 1, sizeof *ignored);
    const rft_compile_result *unit = job->request->unit; /* without code where only the vendor's library is called */
    int rc = unit->cubin_bytes ? load_module(job, err) : RFT_OK;
    if (rc == RFT_OK && unit->cubin_bytes) {
        bool of_reference = job->of && !spec->is_variant;
        rc = rft_constants_write(job, job->module, unit,
                                 of_reference ? RFT_CONSTANTS_OF_REFERENCE : RFT_CONSTANTS_OF_KERNEL, err);
    }
    if (rc == RFT_OK && !job->failed) {
        rc = bind_all(job, spec->prepare, spec->prepare_count, job->prepare, ignored, err);
    }
    if (rc == RFT_OK && !job->failed) {
        rc = bind_all(job, spec->launches, spec->launch_count, job->launches, job->blocks_per_sm, err);
    }
    if (rc == RFT_OK && !job->failed) {
        rft_launching_describe(job, SIZE_MAX);
    }
    return rc;
}

/* What is known of the configuration before it runs. */
static void start_result(rft_point_job *job) {
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
    job->out->measurement.mode = job->request->measure.mode;
    if (!unit->ok) {
        rft_point_job_fail(job, RFT_OUTCOME_COMPILE_FAILED, "it does not compile");
        job->out->log = rft_arena_strdup(job->arena, unit->log);
    }
}

int rft_launching_start(rft_point_job *job, rft_err *err) {
    start_result(job);
    if (!job->failed) {
        check_launches(job);
    }
    int rc = job->failed ? RFT_OK : job->of ? rft_buffers_borrow(job, err) : rft_buffers_take(job, err);
    return rc == RFT_OK && !job->failed ? bind_launches(job, err) : rc;
}
