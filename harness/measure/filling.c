/* SPDX-License-Identifier: Apache-2.0 */
#include "measure/filling.h"
#include "measure/buffers.h"
#include "measure/device_kernels.h"
#include "measure/guards.h"

#include "base/npy.h"
#include "base/str.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PIECE_BYTES ((size_t)16 << 20) /* of a file, in the host's memory */

static bool is_filled_by_kernel(const rft_buffer *buffer) {
    return buffer->fill.kind == RFT_FILL_KERNEL && buffer->fill.kernel;
}

static rft_device_ptr contents_of(const rft_kept *kept) {
    return kept->role == RFT_BUFFER_INOUT ? kept->original : kept->data;
}

/* ---- from a file ---- */

static int copy_pieces(rft_point_job *job, const rft_npy_file *file, int fd, const rft_kept *kept, rft_err *err) {
    uint64_t bytes = rft_kept_data_bytes(kept), done = 0;
    char *piece = rft_alloc(bytes < PIECE_BYTES ? (size_t)bytes : PIECE_BYTES);
    int rc = RFT_OK;
    while (rc == RFT_OK && done < bytes) {
        size_t next = bytes - done < PIECE_BYTES ? (size_t)(bytes - done) : PIECE_BYTES;
        rc = rft_npy_read(fd, file, piece, next, done, err);
        if (rc == RFT_OK) {
            rc = job->p->gpu->vt->write(job->p->gpu, contents_of(kept) + done, piece, next, err);
        }
        done += next;
    }
    free(piece);
    return rc;
}

static int fill_from_file(rft_point_job *job, const rft_buffer *buffer, const rft_kept *kept, rft_err *err) {
    const rft_npy_file *file = buffer->fill.file;
    int fd = rft_npy_reopen(file, err);
    int rc = fd < 0 ? fd : copy_pieces(job, file, fd, kept, err);
    rc = rc == RFT_OK ? rft_npy_check_same(fd, file, err) : rc;
    if (fd >= 0) {
        close(fd);
    }
    return rc == RFT_OK ? rc : rft_err_context(err, "not verified: the input %s", buffer->name);
}

/* ---- by a kernel ---- */

/* What the launch is given; NULL and an outcome where that is less than the kernel reads. */
static void **arguments_of(rft_point_job *job, size_t own, rft_function *function, rft_err *err, int *rc) {
    const rft_buffer *buffer = &job->request->spec->buffers[own];
    const rft_launch *launch = &buffer->fill.kernel->launch;
    void **values = rft_arena_calloc(job->arena, launch->arg_count + 1, sizeof *values);
    uint64_t seed = rft_fill_seed(buffer->name, job->p->kept.seed);
    int takes = 0;
    for (size_t i = 0; i < launch->arg_count; i++) {
        const rft_arg *arg = &launch->args[i];
        rft_device_ptr address = arg->kind == RFT_ARG_BUFFER ? contents_of(job->kept[arg->buffer]) : 0;
        values[i] = arg->kind == RFT_ARG_BUFFER ? rft_arena_memdup(job->arena, &address, sizeof address)
                    : i == RFT_FILL_ARG_SEED    ? rft_arena_memdup(job->arena, &seed, sizeof seed)
                                                : rft_arena_memdup(job->arena, arg->scalar, sizeof arg->scalar);
    }
    *rc = job->p->gpu->vt->function_params(job->p->gpu, function, &takes, NULL, 0, err);
    if (*rc == RFT_OK && takes > (int)launch->arg_count) {
        rft_point_job_fail(job, RFT_OUTCOME_LAUNCH_FAILED, "the fill of %s (%s) takes %d parameters, %zu are given",
                           buffer->name, buffer->fill.kernel->shown, takes, launch->arg_count);
    }
    return *rc == RFT_OK && !job->failed ? values : NULL;
}

static int launch_fill(rft_point_job *job, size_t own, rft_module *module, const char *symbol, rft_err *err) {
    const rft_buffer *buffer = &job->request->spec->buffers[own];
    const rft_launch *launch = &buffer->fill.kernel->launch;
    rft_gpu *gpu = job->p->gpu;
    rft_gpu_launch bound = {.cluster = {1, 1, 1}};
    int rc = gpu->vt->function(gpu, module, symbol, &bound.function, err);
    bound.values = rc == RFT_OK ? arguments_of(job, own, bound.function, err, &rc) : NULL;
    if (!bound.values) {
        return rc;
    }
    for (int i = 0; i < 3; i++) {
        bound.grid[i] = (unsigned)launch->grid[i];
        bound.block[i] = (unsigned)launch->block[i];
    }
    return gpu->vt->launch(gpu, &bound, err);
}

/* NaN in an input makes every result NaN: no tolerance can tell a right one. */
static bool is_judged_by_tolerance(const rft_point_spec *spec) {
    bool found = false;
    for (size_t i = 0; i < spec->buffer_count; i++) {
        rft_buffer_role role = spec->buffers[i].role;
        bool judged = role == RFT_BUFFER_OUTPUT || role == RFT_BUFFER_INOUT;
        found = found || (judged && rft_spec_tolerance(spec, i) > 0);
    }
    return found;
}

static bool may_hold_nan(const rft_point_job *job, const rft_buffer *buffer) {
    return rft_type_significand_bits(buffer->type) > 0 && is_judged_by_tolerance(job->request->spec);
}

/* Slots of the verdicts: bands, NaN, then the checksums of what it was given. */
enum { SLOT_GUARDS, SLOT_NAN, SLOT_CHECKSUMS };

static bool is_given_input(const rft_point_job *job, const rft_arg *arg, size_t own) {
    return arg->kind == RFT_ARG_BUFFER && arg->buffer != own && job->kept[arg->buffer]->role != RFT_BUFFER_INOUT;
}

static int queue_verdicts(rft_point_job *job, size_t own, size_t *slots, rft_err *err) {
    const rft_buffer *buffer = &job->request->spec->buffers[own];
    rft_protocol *p = job->p;
    size_t most = SLOT_CHECKSUMS, count = SLOT_CHECKSUMS;
    const rft_launch *launch = buffer->fill.kind == RFT_FILL_KERNEL ? &buffer->fill.kernel->launch : NULL;
    most += launch ? launch->arg_count : 0;
    int rc = rft_verdicts_take(p, most, err);
    if (rc == RFT_OK) {
        rc = rft_guards_queue(job, SLOT_GUARDS, err);
    }
    if (rc == RFT_OK) {
        rc = rft_verdicts_queue_nan(p, contents_of(job->kept[own]), buffer->type, buffer->count, SLOT_NAN, err);
    }
    for (size_t i = 0; rc == RFT_OK && launch && i < launch->arg_count; i++) {
        if (is_given_input(job, &launch->args[i], own)) {
            const rft_kept *given = job->kept[launch->args[i].buffer];
            rc = rft_verdicts_queue_checksum(p, given->data, rft_kept_data_bytes(given), count++, err);
        }
    }
    *slots = count;
    return rc;
}

/* "the fill of cols (fill.cu:cols)", "the input x" */
static const char *name_of(const rft_point_job *job, const rft_buffer *buffer) {
    return buffer->fill.kind == RFT_FILL_KERNEL
               ? rft_arena_printf(job->arena, "the fill of %s (%s)", buffer->name, buffer->fill.kernel->shown)
               : rft_arena_printf(job->arena, "the input %s (%s)", buffer->name, buffer->fill.file->path);
}

static void judge_given(rft_point_job *job, size_t own, const char *who) {
    const rft_launch *launch = &job->request->spec->buffers[own].fill.kernel->launch;
    size_t slot = SLOT_CHECKSUMS;
    for (size_t i = 0; i < launch->arg_count && !job->failed; i++) {
        if (is_given_input(job, &launch->args[i], own)) {
            const rft_kept *given = job->kept[launch->args[i].buffer];
            if (rft_verdict_checksum(job->p, slot++) != given->checksum) {
                rft_point_job_fail(job, RFT_OUTCOME_WRONG_RESULT, "not verified: %s wrote to %s, which it is to read",
                                   who, given->name);
            }
        }
    }
}

/* Before anything reads what was filled. */
static int judge_contents(rft_point_job *job, size_t own, rft_err *err) {
    const rft_buffer *buffer = &job->request->spec->buffers[own];
    const char *who = name_of(job, buffer);
    size_t slots = 0;
    int rc = queue_verdicts(job, own, &slots, err);
    rc = rc == RFT_OK ? rft_verdicts_read(job->p, slots, err) : rc;
    if (rc != RFT_OK) {
        return rft_err_context(err, "%s", who);
    }
    rft_difference nan = rft_verdict_difference(job->p, SLOT_NAN);
    rft_guards_judge(job, SLOT_GUARDS, rft_arena_printf(job->arena, "not verified: %s", who));
    if (!job->failed && nan.wrong_count > 0 && may_hold_nan(job, buffer)) {
        rft_point_job_fail(
            job, RFT_OUTCOME_WRONG_RESULT,
            "not verified: %s holds NaN in %llu of %llu elements, the first in %s[%llu]: no tolerance can "
            "judge what is computed from them",
            who, (unsigned long long)nan.wrong_count, (unsigned long long)buffer->count, buffer->name,
            (unsigned long long)nan.index);
    }
    if (!job->failed && buffer->fill.kind == RFT_FILL_KERNEL) {
        judge_given(job, own, who);
    }
    return RFT_OK;
}

/* From zeroes, so that what it leaves alone is the same everywhere. Waits: a fault is told of the one who made it. */
static int run_fill(rft_point_job *job, size_t own, rft_module *module, uint64_t *checksum, rft_err *err) {
    const char *symbol = job->request->fills[own]->entries[0].symbol;
    const rft_kept *kept = job->kept[own];
    uint64_t bytes = rft_kept_data_bytes(kept);
    int rc = job->p->gpu->vt->set(job->p->gpu, contents_of(kept), 0, bytes, err);
    rc = rc == RFT_OK ? launch_fill(job, own, module, symbol, err) : rc;
    return rc == RFT_OK && !job->failed ? rft_kernel_checksum(job->p, contents_of(kept), bytes, checksum, err) : rc;
}

/* Every process must find the same: one that has it otherwise at once has it otherwise there. */
static int run_twice(rft_point_job *job, size_t own, rft_module *module, rft_err *err) {
    uint64_t first = 0, second = 0;
    int rc = run_fill(job, own, module, &first, err);
    rc = rc == RFT_OK && !job->failed ? run_fill(job, own, module, &second, err) : rc;
    if (rc == RFT_OK && !job->failed && first != second) {
        rft_point_job_fail(
            job, RFT_OUTCOME_WRONG_RESULT,
            "not verified: %s gives other contents when it is run again with the same seed: each element "
            "may depend on the seed and the arguments alone, not on the order of threads",
            name_of(job, &job->request->spec->buffers[own]));
    }
    return rc;
}

static int fill_by_kernel(rft_point_job *job, size_t own, rft_err *err) {
    const rft_buffer *buffer = &job->request->spec->buffers[own];
    const rft_compile_result *code = job->request->fills ? job->request->fills[own] : NULL;
    rft_gpu *gpu = job->p->gpu;
    rft_module *module = NULL;
    if (!code || !code->ok || code->entry_count == 0) {
        return rft_point_job_fail(job, RFT_OUTCOME_WRONG_RESULT, "not verified: %s %s", name_of(job, buffer),
                                  code ? "does not compile" : "was not compiled");
    }
    rft_point_job_enter_fill(job, own);
    int rc = gpu->vt->module_load(gpu, code->cubin, code->cubin_bytes, &module, err);
    if (rc == RFT_OK) {
        rc = run_twice(job, own, module, err);
        if (!gpu->vt->sticky(gpu)) {
            gpu->vt->module_free(gpu, module);
        }
    }
    rft_point_job_enter(job, RFT_PHASE_PREPARE); /* what is slow from here on is not the fill */
    if (rc == RFT_E_LIMIT) {                     /* not the buffers' memory, which is there */
        return rft_point_job_fail(job, RFT_OUTCOME_LAUNCH_FAILED, "%s: %s", name_of(job, buffer),
                                  err ? err->message : "the driver refuses its launch");
    }
    return rc == RFT_OK ? rc : rft_err_context(err, "%s", name_of(job, buffer));
}

/* ---- each, those that it is made from first ---- */

static int fill_one(rft_point_job *job, size_t own, rft_err *err) {
    const rft_buffer *buffer = &job->request->spec->buffers[own];
    rft_kept *kept = job->kept[own];
    int rc = RFT_OK;
    if (kept->filled || kept->role == RFT_BUFFER_OUTPUT || kept->role == RFT_BUFFER_TEMP) {
        return RFT_OK;
    }
    kept->filled = true;
    for (size_t i = 0;
         rc == RFT_OK && !job->failed && is_filled_by_kernel(buffer) && i < buffer->fill.kernel->launch.arg_count;
         i++) {
        const rft_arg *arg = &buffer->fill.kernel->launch.args[i];
        rc = arg->kind == RFT_ARG_BUFFER ? fill_one(job, arg->buffer, err) : RFT_OK;
    }
    if (rc != RFT_OK || job->failed) {
        return rc;
    }
    bool own_way = buffer->fill.kind == RFT_FILL_KERNEL || buffer->fill.kind == RFT_FILL_FILE;
    rc = is_filled_by_kernel(buffer) ? fill_by_kernel(job, own, err)
         : buffer->fill.kind == RFT_FILL_FILE
             ? fill_from_file(job, buffer, kept, err)
             : rft_kernel_fill(job->p, buffer, job->p->kept.seed, contents_of(kept), err);
    if (rc == RFT_OK && !job->failed && own_way) {
        rc = judge_contents(job, own, err);
    }
    if (rc == RFT_OK && !job->failed && kept->role != RFT_BUFFER_INOUT) {
        rc = rft_kernel_checksum(job->p, kept->data, rft_kept_data_bytes(kept), &kept->checksum, err);
    }
    return rc;
}

int rft_filling_take(rft_point_job *job, rft_err *err) {
    int rc = RFT_OK;
    for (size_t i = 0; rc == RFT_OK && !job->failed && i < job->request->spec->buffer_count; i++) {
        rc = fill_one(job, i, err);
    }
    return rc;
}
