/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/driver/driver.h"

#include "base/fs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int rft_cuda_attribute(const rft_cuda_api *api, CUdevice device, CUdevice_attribute attribute, int fallback) {
    int value = 0;
    return api->cuDeviceGetAttribute(&value, attribute, device) == CUDA_SUCCESS ? value : fallback;
}

/* A MIG slice has a UUID of its own, which tools write with another prefix. */
static bool is_mig_name(const char *name) {
    return strstr(name, " MIG ") != NULL;
}

static const char *read_uuid(const rft_cuda_api *api, CUdevice device, const char *name, rft_arena *arena) {
    CUuuid uuid;
    if (api->cuDeviceGetUuid(&uuid, device) != CUDA_SUCCESS) {
        return "";
    }
    char digits[33];
    for (int i = 0; i < 16; i++) {
        snprintf(digits + 2 * i, 3, "%02x", (unsigned)(unsigned char)uuid.bytes[i]);
    }
    return rft_arena_printf(arena, "%s-%.8s-%.4s-%.4s-%.4s-%.12s", is_mig_name(name) ? "MIG" : "GPU", digits,
                            digits + 8, digits + 12, digits + 16, digits + 20);
}

/* Lower case, as Linux writes it under /sys/bus/pci/devices. */
static const char *read_pci_id(const rft_cuda_api *api, CUdevice device, rft_arena *arena) {
    char id[32] = "";
    if (api->cuDeviceGetPCIBusId(id, sizeof id, device) != CUDA_SUCCESS) {
        return "";
    }
    id[sizeof id - 1] = '\0';
    for (char *p = id; *p; p++) {
        *p = (char)(*p >= 'A' && *p <= 'F' ? *p + ('a' - 'A') : *p);
    }
    return rft_arena_strdup(arena, id);
}

#define ATTRIBUTE(name) rft_cuda_attribute(api, device, CU_DEVICE_ATTRIBUTE_##name, 0)

static void read_limits(rft_gpu_info *out, const rft_cuda_api *api, CUdevice device) {
    out->sms = ATTRIBUTE(MULTIPROCESSOR_COUNT);
    out->warp_size = ATTRIBUTE(WARP_SIZE);
    out->max_threads_per_block = ATTRIBUTE(MAX_THREADS_PER_BLOCK);
    out->max_threads_per_sm = ATTRIBUTE(MAX_THREADS_PER_MULTIPROCESSOR);
    out->max_blocks_per_sm = ATTRIBUTE(MAX_BLOCKS_PER_MULTIPROCESSOR);
    out->registers_per_block = ATTRIBUTE(MAX_REGISTERS_PER_BLOCK);
    out->registers_per_sm = ATTRIBUTE(MAX_REGISTERS_PER_MULTIPROCESSOR);
    out->shared_per_block = ATTRIBUTE(MAX_SHARED_MEMORY_PER_BLOCK_OPTIN);
    out->shared_per_block_static = ATTRIBUTE(MAX_SHARED_MEMORY_PER_BLOCK);
    out->shared_per_sm = ATTRIBUTE(MAX_SHARED_MEMORY_PER_MULTIPROCESSOR);
    out->max_grid[0] = ATTRIBUTE(MAX_GRID_DIM_X);
    out->max_grid[1] = ATTRIBUTE(MAX_GRID_DIM_Y);
    out->max_grid[2] = ATTRIBUTE(MAX_GRID_DIM_Z);
    out->max_block[0] = ATTRIBUTE(MAX_BLOCK_DIM_X);
    out->max_block[1] = ATTRIBUTE(MAX_BLOCK_DIM_Y);
    out->max_block[2] = ATTRIBUTE(MAX_BLOCK_DIM_Z);
    out->max_cluster = ATTRIBUTE(CLUSTER_LAUNCH) ? 8 : 0;
    out->cooperative = ATTRIBUTE(COOPERATIVE_LAUNCH) != 0;
}

int rft_cuda_read_info(rft_gpu_info *out, const rft_cuda_api *api, CUdevice device, rft_arena *arena, rft_err *err) {
    *out = (rft_gpu_info){0};
    char name[256] = "";
    size_t memory_bytes = 0;
    CUresult status = api->cuDeviceGetName(name, sizeof name, device);
    if (status == CUDA_SUCCESS) {
        status = api->cuDeviceTotalMem(&memory_bytes, device);
    }
    if (status == CUDA_SUCCESS) {
        status = api->cuDeviceGetAttribute(&out->cc_major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device);
    }
    if (status == CUDA_SUCCESS) {
        status = api->cuDeviceGetAttribute(&out->cc_minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device);
    }
    if (status != CUDA_SUCCESS) {
        return rft_cuda_error(api, status, RFT_E_DEVICE, "asking a device for its facts", err);
    }
    name[sizeof name - 1] = '\0';
    out->name = rft_arena_strdup(arena, name);
    out->arch = rft_gpu_info_native_arch(out->cc_major, out->cc_minor);
    out->uuid = read_uuid(api, device, name, arena);
    out->pci_id = read_pci_id(api, device, arena);
    read_limits(out, api, device);
    out->l2_bytes = ATTRIBUTE(L2_CACHE_SIZE);
    out->persisting_l2_max_bytes = ATTRIBUTE(MAX_PERSISTING_L2_CACHE_SIZE);
    out->memory_bytes = (int64_t)memory_bytes;
    out->memory_free_bytes = (int64_t)memory_bytes;
    out->sm_clock_khz = ATTRIBUTE(CLOCK_RATE);
    out->memory_clock_khz = ATTRIBUTE(MEMORY_CLOCK_RATE);
    out->memory_bus_bits = ATTRIBUTE(GLOBAL_MEMORY_BUS_WIDTH);
    api->cuDriverGetVersion(&out->driver_version);
    return 0;
}

int rft_cuda_info(rft_gpu *base, rft_gpu_info *out, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    uint64_t free_bytes = 0;
    int rc = gpu->base.vt->memory_free(base, &free_bytes, err);
    if (rc == 0) {
        *out = gpu->info;
        out->memory_free_bytes = (int64_t)free_bytes;
    }
    return rc;
}

/* ---- environment ---- */
static void set_number(rft_env *env, rft_arena *arena, const char *key, int64_t value, const char *reason) {
    rft_env_set(env, arena, key, value > 0 ? rft_arena_printf(arena, "%lld", (long long)value) : NULL,
                value > 0 ? NULL : reason);
}

static void set_switch(rft_env *env, rft_arena *arena, const char *key, int value) {
    static const char *const reason = "the driver does not say";
    rft_env_set(env, arena, key, value < 0 ? NULL : value ? "on" : "off", value < 0 ? reason : NULL);
}

static const char *compute_mode(int mode) {
    switch (mode) {
    case CU_COMPUTEMODE_DEFAULT:
        return "default";
    case CU_COMPUTEMODE_PROHIBITED:
        return "prohibited";
    case CU_COMPUTEMODE_EXCLUSIVE_PROCESS:
        return "exclusive process";
    default:
        return NULL;
    }
}

/* "580.159.04" out of "NVRM version: NVIDIA UNIX x86_64 Kernel Module  580.159.04  ...", NULL when it is not there. */
static const char *kernel_release(rft_arena *arena) {
    char *text = NULL;
    const char *release = NULL;
    size_t size = 0;
    if (rft_fs_read(&text, &size, "/proc/driver/nvidia/version", 0, NULL) != 0) {
        return NULL;
    }
    for (const char *p = text; *p && *p != '\n' && !release; p += strcspn(p, " \n"), p += strspn(p, " ")) {
        size_t length = strspn(p, "0123456789.");
        if (length >= 5 && memchr(p, '.', length) && (p[length] == ' ' || p[length] == '\n')) {
            release = rft_arena_strndup(arena, p, length);
        }
    }
    free(text);
    return release;
}

void rft_cuda_describe(rft_gpu *base, rft_env *env, rft_arena *arena) {
    static const char *const reason = "the driver does not say";
    const cuda_gpu *gpu = (const cuda_gpu *)base;
    const rft_cuda_api *api = &gpu->api;
    const rft_gpu_info *info = &gpu->info;
    CUdevice device = gpu->device;
    const char *release = kernel_release(arena);
    rft_env_set(env, arena, "driver.version", release, release ? NULL : "/proc/driver/nvidia/version cannot be read");
    rft_env_set(env, arena, "driver.cuda",
                rft_arena_printf(arena, "%d.%d", info->driver_version / 1000, info->driver_version % 1000 / 10), NULL);
    rft_env_set(env, arena, "gpu.name", info->name, NULL);
    rft_env_set(env, arena, "gpu.arch", info->arch, NULL);
    rft_env_set(env, arena, "gpu.compute_capability", rft_arena_printf(arena, "%d.%d", info->cc_major, info->cc_minor),
                NULL);
    rft_env_set(env, arena, "gpu.uuid", info->uuid[0] ? info->uuid : NULL, info->uuid[0] ? NULL : reason);
    rft_env_set(env, arena, "gpu.pci_id", info->pci_id[0] ? info->pci_id : NULL, info->pci_id[0] ? NULL : reason);
    set_number(env, arena, "gpu.sms", info->sms, reason);
    set_number(env, arena, "gpu.memory_bytes", info->memory_bytes, reason);
    set_number(env, arena, "gpu.l2_bytes", info->l2_bytes, reason);
    set_number(env, arena, "gpu.sm_clock_max_mhz", info->sm_clock_khz / 1000, reason);
    set_number(env, arena, "gpu.memory_clock_max_mhz", info->memory_clock_khz / 1000, reason);
    set_number(env, arena, "gpu.memory_bus_bits", info->memory_bus_bits, reason);
    set_switch(env, arena, "gpu.ecc", rft_cuda_attribute(api, device, CU_DEVICE_ATTRIBUTE_ECC_ENABLED, -1));
    set_switch(env, arena, "gpu.watchdog",
               rft_cuda_attribute(api, device, CU_DEVICE_ATTRIBUTE_KERNEL_EXEC_TIMEOUT, -1));
    set_switch(env, arena, "gpu.mig_slice", is_mig_name(info->name));
    const char *mode = compute_mode(rft_cuda_attribute(api, device, CU_DEVICE_ATTRIBUTE_COMPUTE_MODE, -1));
    rft_env_set(env, arena, "gpu.compute_mode", mode, mode ? NULL : reason);
}
