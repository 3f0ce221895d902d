/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/target.h"

#include "base/fs.h"
#include "base/hash.h"
#include "base/str.h"
#include "cli/compose.h"
#include "measure/protocol.h"
#include "measure/replay.h"
#include "run/worker/remote_probe.h"
#include "store/store.h"

#include <stdlib.h>
#include <string.h>

static int open_recording(rft_target *target, const char *path, rft_err *err) {
    if (*path == '\0') {
        rft_err_set(err, RFT_E_USAGE, "\"replay:\" names no recording");
        return rft_err_remedy(err, "-d replay:sweeps/recorded/nvidia-h200/quick.json.gz");
    }
    int rc = rft_store_load(&target->recording, path, err);
    if (rc != RFT_OK) {
        return rc;
    }
    target->recording_path = rft_arena_strdup(target->arena, rft_fs_name(path));
    char *bytes = NULL;
    size_t size = 0;
    char hex[RFT_HASH_HEX_SIZE];
    rft_err unread = RFT_ERR_INIT; /* a hash that is missing is told as missing */
    if (rft_fs_read(&bytes, &size, path, (size_t)1 << 31, &unread) == RFT_OK) {
        rft_hash_hex(bytes, size, hex);
        target->recording_hash = rft_arena_strdup(target->arena, hex);
        free(bytes);
    }
    return rft_replay_new(&target->probe, target->recording, err);
}

/* Compile workers load their compiler while the device is opened. */
static int start_pool(rft_target *target, rft_cli *cli, const rft_target_opts *opts, rft_err *err) {
    const size_t share = rft_compose_compile_workers() / (opts->cards ? opts->cards : 1);
    rft_compile_pool_opts pool_opts = {.loop = target->loop,
                                       .program = cli->program,
                                       .workers = share ? share : 1,
                                       .roots = target->roots,
                                       .log = &cli->log};
    int rc = target->pool ? RFT_OK : rft_compile_pool_new(&target->pool, &pool_opts, err);
    const size_t first = opts->compile_workers < pool_opts.workers ? opts->compile_workers : pool_opts.workers;
    return rc == RFT_OK ? rft_compile_pool_start(target->pool, first, err) : rc;
}

/* A replay goes on without a compiler. */
static void do_without(rft_target *target, rft_cli *cli, const rft_err *missing) {
    size_t first_line = strcspn(missing->message, "\n");
    first_line -= first_line > 0 && missing->message[first_line - 1] == ':' ? 1 : 0;
    target->no_compiler = rft_arena_strndup(target->arena, missing->message, first_line);
    rft_log_warn(&cli->log, "nothing is compiled in this replay: %s\n  remedy: %s", missing->message, missing->remedy);
    rft_compile_pool_free(target->pool);
    target->pool = NULL;
}

/* target->gpu is known. */
static int open_pool(rft_target *target, rft_cli *cli, const rft_target_opts *opts, rft_err *err) {
    rft_compiler_facts facts;
    rft_err missing = RFT_ERR_INIT;
    if (target->recording && (opts->nothing_to_compile || !*target->gpu.arch)) { /* another tuner's has neither */
        target->no_compiler = "the recorded kernel's source is not available here";
        return RFT_OK;
    }
    int rc = start_pool(target, cli, opts, err);
    if (rc != RFT_OK) {
        return rc;
    }
    rc = rft_compile_pool_compiler(target->pool, target->gpu.arch, &facts, &missing);
    if (rc == RFT_OK && !facts.compiles) {
        rc = rft_err_set(&missing, RFT_E_COMPILER, "NVRTC %s does not compile for %s any more", facts.version,
                         target->gpu.arch);
        rft_err_remedy(
            &missing,
            "install that of an older CUDA release (pip install nvidia-cuda-nvrtc-cu12), and name its folder in "
            "RFT_NVRTC");
    }
    if (rc == RFT_E_COMPILER && target->recording) {
        do_without(target, cli, &missing);
        return RFT_OK;
    }
    if (rc != RFT_OK) {
        *err = missing;
        return rc;
    }
    rft_compose_look_at_cache(cli);
    if (!facts.knows_arch) {
        rft_log_warn(&cli->log, "NVRTC %s does not know %s: the driver finishes every kernel. Install a newer NVRTC.",
                     facts.version, target->gpu.arch);
        rft_env_set(&target->env, target->arena, "nvrtc.finished_by_driver",
                    rft_arena_printf(target->arena, "NVRTC %s does not know %s: its PTX was finished by the driver",
                                     facts.version, target->gpu.arch),
                    NULL);
    }
    rft_env_set(&target->env, target->arena, target->recording ? "replay.nvrtc.version" : "nvrtc.version",
                rft_arena_strdup(target->arena, facts.version), NULL);
    return RFT_OK;
}

static int lock(rft_target *target, rft_cli *cli, const rft_target_opts *opts, const rft_gpu_info *gpu, rft_err *err) {
    rft_gpu_lock_opts lock_opts = {.uuid = gpu->uuid && *gpu->uuid ? gpu->uuid
                                           : gpu->pci_id           ? gpu->pci_id
                                                                   : "unknown",
                                   .device = gpu->name,
                                   .wait = opts->wait,
                                   .log = &cli->log};
    return rft_gpu_lock_take(&target->lock, &lock_opts, err);
}

static int open_vendor(void *self, rft_gpu *gpu, rft_vendor **out, rft_err *err) {
    return rft_compose_vendor(self, gpu, out, err);
}

static int open_counting(void *self, rft_gpu *gpu, rft_counting **out, rft_err *err) {
    return rft_compose_counting(self, gpu, out, err);
}

static int open_here(rft_target *target, rft_cli *cli, const rft_target_opts *opts, int ordinal, rft_err *err) {
    rft_gpu_info *gpus = NULL;
    size_t count = 0;
    int rc = rft_compose_compiler(cli, &target->compiler, err);
    if (rc == RFT_OK) {
        rc = rft_cuda_list(&gpus, &count, target->arena, err);
    }
    if (rc == RFT_OK && (size_t)ordinal < count) { /* else rft_cuda_open() says that there is none */
        rc = lock(target, cli, opts, &gpus[ordinal], err);
    }
    if (rc == RFT_OK) {
        rc = rft_cuda_open(&target->device, ordinal, err);
    }
    if (rc == RFT_OK) {
        rc = rft_protocol_new(&target->probe, target->device, target->compiler, rft_clock_system(), &cli->log, err);
    }
    if (rc == RFT_OK) {
        const rft_vendor_source source = {open_vendor, cli};
        const rft_counting_source counting = {open_counting, cli};
        rft_protocol_use_vendor(target->probe, &source);
        rft_protocol_use_counting(target->probe, &counting);
        if (opts->bare) {
            rft_protocol_bare(target->probe);
        }
    }
    return rc;
}

int rft_target_ordinal(int *out, const char *device, rft_err *err) {
    int64_t ordinal = 0;
    if (device && (!rft_text_to_int64(device, &ordinal) || ordinal < 0 || ordinal > 255)) {
        rft_err_set(err, RFT_E_USAGE, "\"%s\" is no device", device);
        return rft_err_remedy(err, "-d takes a number from `rooftune devices`, or replay:FILE");
    }
    *out = (int)ordinal;
    return RFT_OK;
}

/* The worker says which GPU it would open, the lock is taken, and it opens it while compile workers start. */
static int open_device(rft_target *target, rft_cli *cli, const rft_target_opts *opts, rft_err *err) {
    int ordinal = 0;
    if (opts->device && (strcmp(opts->device, "all") == 0 || strchr(opts->device, ','))) {
        rft_err_set(err, RFT_E_USAGE, "\"%s\": one device at a time here", opts->device);
        return rft_err_remedy(err, "`rooftune run` and `rooftune ceilings` take several: -d 0,1 or -d all");
    }
    int rc = rft_target_ordinal(&ordinal, opts->device, err);
    if (rc != RFT_OK || opts->in_process || opts->bare) {
        return rc == RFT_OK ? open_here(target, cli, opts, ordinal, err) : rc;
    }
    rft_remote_probe_opts probe_opts = {
        .loop = target->loop, .program = cli->program, .device = ordinal, .log = &cli->log, .roots = &target->roots};
    rc = rft_remote_probe_new(&target->probe, &probe_opts, err);
    if (rc == RFT_OK) {
        rc = rft_remote_probe_start(target->probe, err);
    }
    if (rc == RFT_OK && !opts->facts_only) {
        rc = start_pool(target, cli, opts, err);
    }
    if (rc == RFT_OK) {
        rc = rft_remote_probe_identify(target->probe, target->arena, &target->gpu, err);
    }
    if (rc != RFT_OK || opts->facts_only) {
        return rc;
    }
    if (rc == RFT_OK) {
        rc = lock(target, cli, opts, &target->gpu, err);
    }
    if (rc == RFT_OK) {
        rc = rft_remote_probe_open(target->probe, err);
    }
    rc = rc == RFT_OK ? open_pool(target, cli, opts, err) : rc;
    if (rc == RFT_OK) {
        rft_prefetch_begin(&target->own, target->pool, &target->gpu, 0);
    }
    return rc;
}

int rft_target_open(rft_target **out, rft_cli *cli, const rft_target_opts *opts, rft_err *err) {
    rft_target *target = rft_alloc(sizeof *target);
    target->arena = rft_arena_new();
    target->roots = rft_compose_roots(cli, opts->sweeps, target->arena);
    int rc = opts->arch ? rft_compose_arch(cli, &target->gpu, opts->arch, err) : rft_loop_new(&target->loop, err);
    if (rc == RFT_OK && opts->arch) {
        *out = target;
        return RFT_OK;
    }
    if (rc == RFT_OK && opts->device && rft_text_starts(opts->device, "replay:")) {
        rc = open_recording(target, opts->device + strlen("replay:"), err);
    } else if (rc == RFT_OK) {
        rc = open_device(target, cli, opts, err);
    }
    if (rc == RFT_OK && !(opts->facts_only && !target->recording)) {
        rc = target->probe->device(target->probe, target->arena, &target->gpu, &target->env, err);
    }
    if (rc == RFT_OK && (target->recording || target->device)) {
        rc = open_pool(target, cli, opts, err);
    }
    if (rc != RFT_OK) {
        rft_target_close(target);
        return rc;
    }
    *out = target;
    return RFT_OK;
}

void rft_target_dismiss(rft_target *target) {
    rft_compile_pool_dismiss(target->pool);
    if (target->probe && !target->recording && !target->device) {
        rft_remote_probe_dismiss(target->probe);
    }
}

void rft_target_leave(rft_target *target) {
    rft_target_dismiss(target);
    rft_prefetch_end(&target->own);
    rft_compile_pool_free(target->pool);
    target->pool = NULL;
    if (target->probe) {
        target->probe->free(target->probe);
        target->probe = NULL;
    }
    if (target->device) {
        target->device->vt->close(target->device);
        target->device = NULL;
    }
    rft_gpu_lock_free(target->lock); /* what ran on the GPU has ended */
    target->lock = NULL;
}

void rft_target_close(rft_target *target) {
    if (!target) {
        return;
    }
    rft_target_leave(target);
    if (target->compiler) {
        target->compiler->free(target->compiler);
    }
    rft_run_free(target->recording);
    rft_loop_free(target->loop);
    rft_arena_free(target->arena);
    free(target);
}
