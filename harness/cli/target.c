/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/target.h"

#include "base/fs.h"
#include "base/str.h"
#include "cli/compose.h"
#include "run/remote_probe.h"
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
    return rft_replay_new(&target->probe, target->recording, err);
}

static int open_here(rft_target *target, rft_cli *cli, int ordinal, rft_err *err) {
    int rc = rft_compose_compiler(cli, &target->compiler, err);
    if (rc == RFT_OK) {
        rc = rft_cuda_open(&target->device, ordinal, err);
    }
    return rc == RFT_OK
               ? rft_protocol_new(&target->probe, target->device, target->compiler, rft_clock_system(), &cli->log, err)
               : rc;
}

static int open_device(rft_target *target, rft_cli *cli, const char *device, bool in_process, rft_err *err) {
    int64_t ordinal = 0;
    if (device && (strcmp(device, "all") == 0 || strchr(device, ','))) {
        rft_err_set(err, RFT_E_USAGE, "\"%s\": this version measures one device a run", device);
        return rft_err_remedy(err, "run it once for each device, with -o and a file for each: -d 0 -o gpu0.db");
    }
    if (device && (!rft_text_to_int64(device, &ordinal) || ordinal < 0 || ordinal > 255)) {
        rft_err_set(err, RFT_E_USAGE, "\"%s\" is no device", device);
        return rft_err_remedy(err, "-d takes a number from `rooftune devices`, or replay:FILE");
    }
    if (in_process) {
        return open_here(target, cli, (int)ordinal, err);
    }
    rft_remote_probe_opts opts = {
        .loop = target->loop, .program = cli->program, .device = (int)ordinal, .log = &cli->log};
    return rft_remote_probe_new(&target->probe, &opts, err);
}

static int open_pool(rft_target *target, rft_cli *cli, rft_err *err) {
    rft_compiler *compiler = NULL;
    rft_err missing = RFT_ERR_INIT;
    int rc = rft_compose_compiler(cli, &compiler, &missing);
    if (rc != RFT_OK && target->recording) {
        size_t first_line = strcspn(missing.message, "\n");
        first_line -= first_line > 0 && missing.message[first_line - 1] == ':' ? 1 : 0;
        target->no_compiler = rft_arena_strndup(target->arena, missing.message, first_line);
        rft_log_warn(&cli->log, "nothing is compiled in this replay: %s\n  remedy: %s", missing.message,
                     missing.remedy);
        return RFT_OK;
    }
    if (rc != RFT_OK) {
        *err = missing;
        return rc;
    }
    if (!compiler->knows_arch(compiler, target->gpu.arch)) {
        rft_log_warn(&cli->log, "NVRTC %s does not know %s: the driver finishes every kernel. Install a newer NVRTC.",
                     compiler->version(compiler), target->gpu.arch);
        rft_env_set(&target->env, target->arena, "nvrtc.finished_by_driver",
                    rft_arena_printf(target->arena, "NVRTC %s does not know %s: its PTX was finished by the driver",
                                     compiler->version(compiler), target->gpu.arch),
                    NULL);
    }
    rft_env_set(&target->env, target->arena, target->recording ? "replay.nvrtc.version" : "nvrtc.version",
                compiler->version(compiler), NULL);
    compiler->free(compiler);
    rft_compile_pool_opts opts = {
        .loop = target->loop, .program = cli->program, .workers = rft_compose_compile_workers(), .log = &cli->log};
    return rft_compile_pool_new(&target->pool, &opts, err);
}

int rft_target_open(rft_target **out, rft_cli *cli, const char *device, bool in_process, rft_err *err) {
    rft_target *target = rft_alloc(sizeof *target);
    target->arena = rft_arena_new();
    int rc = rft_loop_new(&target->loop, err);
    if (rc == RFT_OK && device && rft_text_starts(device, "replay:")) {
        rc = open_recording(target, device + strlen("replay:"), err);
    } else if (rc == RFT_OK) {
        rc = open_device(target, cli, device, in_process, err);
    }
    if (rc == RFT_OK) {
        rc = target->probe->device(target->probe, target->arena, &target->gpu, &target->env, err);
    }
    if (rc == RFT_OK) {
        rc = open_pool(target, cli, err);
    }
    if (rc != RFT_OK) {
        rft_target_close(target);
        return rc;
    }
    *out = target;
    return RFT_OK;
}

void rft_target_close(rft_target *target) {
    if (!target) {
        return;
    }
    rft_compile_pool_free(target->pool);
    if (target->probe) {
        target->probe->free(target->probe);
    }
    if (target->device) {
        target->device->vt->close(target->device);
    }
    if (target->compiler) {
        target->compiler->free(target->compiler);
    }
    rft_run_free(target->recording);
    rft_loop_free(target->loop);
    rft_arena_free(target->arena);
    free(target);
}
