/* SPDX-License-Identifier: Apache-2.0 */
/*
 * gpu.h - the seam to one device: memory, modules, launches, events, all on one stream. Implementations: driver.c (CUDA
 * driver API, opened at run time) and the scripted one of tests/support, which has its own clock. No CUDA type here.
 *
 * After a fault (RFT_E_DEVICE from sync() or any later call with `sticky` set) the device object is of no more use:
 * the process must end. One thread.
 */
#ifndef RFT_GPU_GPU_H
#define RFT_GPU_GPU_H

#include "base/arena.h"
#include "base/err.h"
#include "gpu/library_places.h"
#include "model/card/gpu_info.h"
#include "model/run/run.h"
#include "model/sweep/spec.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef uint64_t rft_device_ptr;
typedef struct rft_module rft_module;
typedef struct rft_function rft_function;
typedef struct rft_event rft_event;
typedef struct rft_graph rft_graph;

typedef struct rft_function_facts {
    int registers;
    int64_t shared_static_bytes;
    int max_threads_per_block;
} rft_function_facts;

/* Arguments as the driver wants them: values[i] points to the i-th argument's bytes. */
typedef struct rft_gpu_launch {
    rft_function *function;
    unsigned grid[3], block[3], cluster[3]; /* cluster all 1 = none */
    unsigned shared_bytes;
    bool cooperative, pdl;
    rft_device_ptr window_base; /* window_bytes = 0: no access policy window */
    uint64_t window_bytes;
    float window_hit_ratio;
    void **values;
} rft_gpu_launch;

typedef struct rft_gpu rft_gpu;
typedef struct rft_gpu_vt {
    void (*close)(rft_gpu *gpu);                                /* frees everything the device object owns */
    int (*info)(rft_gpu *gpu, rft_gpu_info *out, rft_err *err); /* strings live as long as gpu */
    /* Environment facts of device and driver (keys "gpu.*", "driver.*"). */
    void (*describe)(rft_gpu *gpu, rft_env *env, rft_arena *arena);

    int (*alloc)(rft_gpu *gpu, uint64_t bytes, rft_device_ptr *out, rft_err *err); /* RFT_E_LIMIT: out of memory */
    void (*free)(rft_gpu *gpu, rft_device_ptr memory);
    int (*memory_free)(rft_gpu *gpu, uint64_t *free_bytes, rft_err *err);
    int (*write)(rft_gpu *gpu, rft_device_ptr to, const void *from, size_t bytes, rft_err *err); /* synchronous */
    int (*read)(rft_gpu *gpu, void *to, rft_device_ptr from, size_t bytes, rft_err *err);        /* synchronous */
    int (*copy)(rft_gpu *gpu, rft_device_ptr to, rft_device_ptr from, uint64_t bytes,
                rft_err *err);                                                           /* in stream order */
    int (*set)(rft_gpu *gpu, rft_device_ptr to, int byte, uint64_t bytes, rft_err *err); /* in stream order */
    /* Pinned host memory of `bytes` (<= 64 KiB), zeroed, that kernels see at *device; lives as long as gpu. */
    int (*mapped)(rft_gpu *gpu, size_t bytes, void **host, rft_device_ptr *device, rft_err *err);

    /* Pinned host memory for copies, contents undefined; RFT_E_LIMIT: the host has not enough to pin. host_free() first
     * waits for the stream; what is not given back lives as long as gpu. */
    int (*host_alloc)(rft_gpu *gpu, uint64_t bytes, void **out, rft_err *err);
    void (*host_free)(rft_gpu *gpu, void *host);
    /* Copies between device and pinned memory in stream order, without waiting: the host may look after sync(). */
    int (*host_to_device)(rft_gpu *gpu, rft_device_ptr to, const void *from, uint64_t bytes, rft_err *err);
    int (*device_to_host)(rft_gpu *gpu, void *to, rft_device_ptr from, uint64_t bytes, rft_err *err);

    /* Both at once: from `from` to `to`, and from `out` to `back`. In stream order; the next begins when both have
     * ended. */
    int (*host_both_ways)(rft_gpu *gpu, rft_device_ptr to, const void *from, void *back, rft_device_ptr out,
                          uint64_t bytes, rft_err *err);

    /* ---- several devices in one process: the calls of one go between use() of it and of another ---- */
    int (*use)(rft_gpu *gpu, rft_err *err);
    /* `from` may write to `to`'s memory by itself from now on; *direct false: the driver takes copies through the host.
     * Both of one implementation. */
    int (*peer_open)(rft_gpu *from, rft_gpu *to, bool *direct, rft_err *err);
    /* In `from`'s stream order. */
    int (*copy_to_peer)(rft_gpu *from, rft_device_ptr source, rft_gpu *to, rft_device_ptr target, uint64_t bytes,
                        rft_err *err);

    int (*module_load)(rft_gpu *gpu, const void *cubin, size_t bytes, rft_module **out, rft_err *err);
    void (*module_free)(rft_gpu *gpu, rft_module *module);
    int (*function)(rft_gpu *gpu, rft_module *module, const char *symbol, rft_function **out,
                    rft_err *err); /* dies with module */
    /* A __constant__ or __device__ variable of the module: where it lies and how large it is. It dies with module. */
    int (*variable)(rft_gpu *gpu, rft_module *module, const char *symbol, rft_device_ptr *out, uint64_t *bytes,
                    rft_err *err);
    int (*function_facts)(rft_gpu *gpu, rft_function *function, rft_function_facts *out, rft_err *err);
    /* How many parameters the kernel takes, and the bytes of the first `capacity`; -1 where the driver does not tell
     * (before CUDA 12.4). A launch with fewer values, or smaller ones, reads beyond them. */
    int (*function_params)(rft_gpu *gpu, rft_function *function, int *count, uint32_t *bytes, size_t capacity,
                           rft_err *err);
    /* Allows up to `bytes` of dynamic shared memory (above 48 KiB it must be asked for). */
    int (*function_shared)(rft_gpu *gpu, rft_function *function, unsigned bytes, rft_err *err);
    /* Resident blocks per SM; with a cluster: clusters resident on the device times cluster size over SMs, at least 1
     * when one fits. 0: nothing fits. grid[0] = 0 is accepted (it is what resident() asks before it knows). */
    int (*occupancy)(rft_gpu *gpu, const rft_gpu_launch *launch, int *blocks_per_sm, rft_err *err);
    /* Encodes a TMA descriptor (128 bytes) for `base`. RFT_E_LIMIT with the reason when the driver refuses it. */
    int (*tensor_map)(rft_gpu *gpu, const rft_tensor_map *map, rft_type type, rft_device_ptr base,
                      unsigned char out[128], rft_err *err);

    /* In stream order. RFT_E_LIMIT: the driver refuses this launch (resources, cluster, grid); RFT_E_DEVICE: a fault.
     */
    int (*launch)(rft_gpu *gpu, const rft_gpu_launch *launch, rft_err *err);
    /* A driver without graphs says RFT_E_LIMIT at begin(). What is queued between begin and end is recorded instead of
     * run; end() must be called also when something in between failed, and then fails. Arguments are those of the
     * recording. RFT_E_LIMIT: it cannot be recorded; the stream is as it was. The code it launches must not be unloaded
     * before it is freed. */
    int (*graph_begin)(rft_gpu *gpu, rft_err *err);
    int (*graph_end)(rft_gpu *gpu, rft_graph **out, rft_err *err);
    int (*graph_launch)(rft_gpu *gpu, rft_graph *graph, rft_err *err); /* in stream order */
    void (*graph_free)(rft_gpu *gpu, rft_graph *graph);                /* NULL is accepted */
    int (*event_new)(rft_gpu *gpu, rft_event **out, rft_err *err);     /* lives as long as gpu */
    int (*event_record)(rft_gpu *gpu, rft_event *event, rft_err *err);
    /* Waits for `stop`, not for what was queued behind it. */
    int (*event_elapsed)(rft_gpu *gpu, rft_event *start, rft_event *stop, double *seconds, rft_err *err);
    int (*sync)(rft_gpu *gpu, rft_err *err);
    /* True after an error that poisoned the context: everything fails from now on. */
    bool (*sticky)(rft_gpu *gpu);
} rft_gpu_vt;

struct rft_gpu {
    const rft_gpu_vt *vt;
};

/* Opens CUDA device `ordinal` (creates the primary context). RFT_E_DEVICE with a remedy: no driver, no such device. */
int rft_cuda_open(rft_gpu **out, int ordinal, rft_err *err);
/* Number of devices and their facts without creating a context. RFT_E_DEVICE when there is no driver. */
int rft_cuda_list(rft_gpu_info **out, size_t *count, rft_arena *arena, rft_err *err);
/* Adds what NVML knows of the device with this PCI id (keys "nvml.*"); a reason for each fact it does not give. */
void rft_nvml_describe(const char *pci_id, rft_env *env, rft_arena *arena);
/* Versions of what a run opens only when it is asked for, by their files' names and without opening them: keys
 * "cupti.version" and "cublaslt.version", like "13.1.0.3, /usr/local/cuda/lib64/libcublasLt.so.13.1.0.3". `places`
 * NULL: none. */
void rft_libraries_versions(rft_env *env, const rft_library_places *places, rft_arena *arena);
/* Which NVIDIA libraries open here, for `rooftune devices`: keys "cuda", "nvrtc", "nvml", "cupti", "cublaslt", or `key`
 * alone (NULL: all); value "version, path", else a reason with a remedy. */
void rft_libraries_describe(rft_env *env, const char *key, const rft_library_places *places, rft_arena *arena);
/* Why a folder that the user named gives no library: none is in it that the driver takes, or one does not load (of
 * another architecture, damaged). NULL: it gives some. Text in `arena`. */
const char *rft_libraries_unfit(const char *folder, rft_arena *arena);

/* Where this program looks for NVIDIA's libraries before the loader's path does: its own folder, ../lib beside it,
 * NVIDIA's wheels where pip installed it, the toolkit found at build time ("" without one),
 * /usr/local/cuda and the toolkits beside it. Array in `arena`. */
size_t rft_libraries_folders(const char ***out, rft_arena *arena);

#endif
