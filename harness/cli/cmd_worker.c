/* SPDX-License-Identifier: Apache-2.0 */
/* The hidden subcommand that compile and device workers are: frames in on descriptor 3, out on 4. */
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/compose.h"
#include "run/compile/compile_worker.h"
#include "run/worker/worker.h"

#include <stdlib.h>
#include <string.h>

typedef struct host_state {
    rft_cli *cli;
    int ordinal;
} host_state;

static int compiler_new(void *self, rft_compiler **out, rft_err *err) {
    return rft_compose_compiler(((host_state *)self)->cli, out, err);
}

static int gpu_identify(void *self, rft_arena *arena, rft_gpu_info *out, rft_err *err) {
    int ordinal = ((host_state *)self)->ordinal;
    rft_gpu_info *devices = NULL;
    size_t count = 0;
    int rc = rft_cuda_list(&devices, &count, arena, err);
    if (rc == RFT_OK && (size_t)ordinal >= count) {
        rft_err_set(err, RFT_E_DEVICE, "there is no CUDA device %d; %zu can be seen", ordinal, count);
        return rft_err_remedy(err, "`rooftune devices` lists them; CUDA_VISIBLE_DEVICES may hide some");
    }
    if (rc == RFT_OK) {
        *out = devices[ordinal];
    }
    return rc;
}

static int gpu_open(void *self, rft_gpu **out, rft_err *err) {
    return rft_cuda_open(out, ((host_state *)self)->ordinal, err);
}

static void describe_worker_device(void *self, const rft_gpu_info *gpu, rft_env *env, rft_arena *arena) {
    (void)self;
    rft_nvml_describe(gpu->pci_id, env, arena);
    rft_compose_library_versions(env, arena);
}

static int meter_open(void *self, const rft_gpu_info *gpu, rft_meter **out, rft_err *err) {
    (void)self;
    return rft_nvml_meter_open(out, gpu->uuid, gpu->pci_id, rft_clock_system(), err);
}

static int vendor_open(void *self, rft_gpu *gpu, rft_vendor **out, rft_err *err) {
    return rft_compose_vendor(((host_state *)self)->cli, gpu, out, err);
}

static int counting_open(void *self, rft_gpu *gpu, rft_counting **out, rft_err *err) {
    return rft_compose_counting(((host_state *)self)->cli, gpu, out, err);
}

static rft_roots roots_of(char **folders, int count, rft_arena *arena) {
    rft_roots roots = {0};
    for (int i = 0; i < count; i++) {
        rft_roots_add(&roots, folders[i], arena);
    }
    return roots;
}

/* The words are the folders that sources may read. */
static int compile(rft_worker_host *host, int count, char **folders, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    const rft_roots roots = roots_of(folders, count, arena);
    const rft_confinement confinement = rft_compose_compile_confinement(&roots, arena);
    host->roots = &roots;
    host->confinement = &confinement;
    int rc = rft_worker_compile(host, 3, 4, err);
    rft_arena_free(arena);
    return rc;
}

/* The words are the folders that inputs may be read from. */
static int serve_device(rft_worker_host *host, int count, char **folders, rft_err *err) {
    rft_arena *arena = rft_arena_new();
    const rft_roots roots = roots_of(folders, count, arena);
    const rft_confinement confinement = rft_compose_device_confinement(&roots, arena);
    host->confinement = &confinement;
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "1", 0); /* there is one stream, and a context is made in half the time */
    int rc = rft_worker_device(host, 3, 4, err);
    rft_arena_free(arena);
    return rc;
}

int rft_cmd_worker(rft_cli *cli, int argc, char **argv, rft_err *err) {
    host_state state = {.cli = cli};
    int64_t ordinal = 0;
    rft_worker_host host = {
        .compiler_new = compiler_new,
        .gpu_identify = gpu_identify,
        .gpu_open = gpu_open,
        .describe = describe_worker_device,
        .meter_open = meter_open,
        .vendor_open = vendor_open,
        .counting_open = counting_open,
        .clock = rft_clock_system(),
        .log = &cli->log,
        .self = &state,
    };
    int64_t memory_bytes = 0;
    if (argc >= 2 && strcmp(argv[0], "compile") == 0 && rft_text_to_int64(argv[1], &memory_bytes)) {
        host.compile_memory_bytes = memory_bytes > 0 ? (uint64_t)memory_bytes : 0;
        return compile(&host, argc - 2, argv + 2, err);
    }
    if (argc >= 2 && strcmp(argv[0], "device") == 0 && rft_text_to_int64(argv[1], &ordinal) && ordinal >= 0) {
        state.ordinal = (int)ordinal;
        return serve_device(&host, argc - 2, argv + 2, err);
    }
    return rft_err_set(err, RFT_E_USAGE, "`rooftune worker` is started by rooftune itself");
}
