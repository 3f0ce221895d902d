/* SPDX-License-Identifier: Apache-2.0 */
/*
 * driver.h - the CUDA driver's functions as opened at run time, and the device object. Private to driver*.c.
 *
 * cuda.h maps most names to a versioned symbol (cuMemAlloc -> cuMemAlloc_v2); the tables below follow those macros, so
 * each field is called, and looked up, as this build's headers mean it.
 */
#ifndef RFT_GPU_DRIVER_H
#define RFT_GPU_DRIVER_H

#include "base/arena.h"
#include "base/err.h"
#include "gpu/gpu.h"

#include <cuda.h>

#define RFT_CUDA_MAP(X)                                                                                                \
    X(cuInit)                                                                                                          \
    X(cuGetErrorName)                                                                                                  \
    X(cuGetErrorString)                                                                                                \
    X(cuDriverGetVersion)                                                                                              \
    X(cuDeviceGetCount)                                                                                                \
    X(cuDeviceGet)                                                                                                     \
    X(cuDeviceGetName)                                                                                                 \
    X(cuDeviceGetUuid)                                                                                                 \
    X(cuDeviceGetPCIBusId)                                                                                             \
    X(cuDeviceGetAttribute)                                                                                            \
    X(cuDeviceTotalMem)                                                                                                \
    X(cuDevicePrimaryCtxRetain)                                                                                        \
    X(cuDevicePrimaryCtxRelease)                                                                                       \
    X(cuDeviceCanAccessPeer)                                                                                           \
    X(cuCtxSetCurrent)                                                                                                 \
    X(cuCtxSetLimit)                                                                                                   \
    X(cuCtxEnablePeerAccess)                                                                                           \
    X(cuCtxResetPersistingL2Cache)                                                                                     \
    X(cuStreamCreate)                                                                                                  \
    X(cuStreamDestroy)                                                                                                 \
    X(cuStreamSynchronize)                                                                                             \
    X(cuStreamWaitEvent)                                                                                               \
    X(cuMemGetInfo)                                                                                                    \
    X(cuMemAlloc)                                                                                                      \
    X(cuMemFree)                                                                                                       \
    X(cuMemHostAlloc)                                                                                                  \
    X(cuMemHostGetDevicePointer)                                                                                       \
    X(cuMemFreeHost)                                                                                                   \
    X(cuMemcpyHtoDAsync)                                                                                               \
    X(cuMemcpyDtoHAsync)                                                                                               \
    X(cuMemcpyDtoDAsync)                                                                                               \
    X(cuMemcpyPeerAsync)                                                                                               \
    X(cuMemsetD8Async)                                                                                                 \
    X(cuModuleLoadDataEx)                                                                                              \
    X(cuModuleUnload)                                                                                                  \
    X(cuModuleGetFunction)                                                                                             \
    X(cuModuleGetGlobal)                                                                                               \
    X(cuFuncGetAttribute)                                                                                              \
    X(cuFuncSetAttribute)                                                                                              \
    X(cuOccupancyMaxActiveBlocksPerMultiprocessor)                                                                     \
    X(cuOccupancyMaxActiveClusters)                                                                                    \
    X(cuTensorMapEncodeTiled)                                                                                          \
    X(cuTensorMapEncodeIm2col)                                                                                         \
    X(cuLaunchKernelEx)                                                                                                \
    X(cuEventCreate)                                                                                                   \
    X(cuEventRecord)                                                                                                   \
    X(cuEventSynchronize)                                                                                              \
    X(cuEventDestroy)

typedef struct rft_cuda_api {
#define RFT_CUDA_FIELD(name) __typeof__(&name) name;
    RFT_CUDA_MAP(RFT_CUDA_FIELD)
    /* By its first name: the second (12.8) takes the same arguments, and older drivers lack it. */
    CUresult (*event_elapsed_ms)(float *out_ms, CUevent start, CUevent stop);
    /* Loads a function now rather than at its first launch; NULL before 12.4. */
    CUresult (*function_load)(CUfunction function);
    /* CUDA_ERROR_INVALID_VALUE for an index beyond the last parameter; NULL before 12.4. */
    CUresult (*function_param)(CUfunction function, size_t index, size_t *offset, size_t *bytes);
    /* Graphs; all NULL, or all there. */
#define RFT_CUDA_GRAPH_MAP(X)                                                                                          \
    X(cuStreamBeginCapture)                                                                                            \
    X(cuStreamEndCapture)                                                                                              \
    X(cuGraphInstantiateWithFlags)                                                                                     \
    X(cuGraphUpload)                                                                                                   \
    X(cuGraphLaunch)                                                                                                   \
    X(cuGraphDestroy)                                                                                                  \
    X(cuGraphExecDestroy)
    RFT_CUDA_GRAPH_MAP(RFT_CUDA_FIELD)
#undef RFT_CUDA_FIELD
} rft_cuda_api;

struct rft_event {
    CUevent handle;
    struct rft_event *next;
};

struct rft_graph {
    CUgraphExec handle;
};

struct rft_function {
    CUfunction handle;
    unsigned shared_bytes; /* dynamic shared memory allowed so far; 0 = the default 48 KiB */
    bool any_cluster;      /* clusters beyond the portable size were allowed */
    struct rft_function *next;
};

struct rft_module {
    CUmodule handle;
    rft_function *functions;
};

typedef struct mapped_block {
    void *host;
    struct mapped_block *next;
} mapped_block;

typedef struct cuda_gpu {
    rft_gpu base; /* first: the vtable */
    rft_cuda_api api;
    rft_arena *arena;
    CUdevice device;
    CUcontext context; /* the primary one; NULL until retained */
    CUstream stream;
    CUstream back; /* of copies the other way; NULL until there is one */
    rft_event *forked, *joined;
    rft_event *events;
    mapped_block *mapped;
    rft_gpu_info info; /* memory_free_bytes is as of opening */
    int window_max_bytes;
    bool has_window; /* L2 is set aside for access policy windows */
    bool is_sticky;
} cuda_gpu;

/* ---- driver.c ---- */
/* Opens libcuda, checks its version against the headers and initialises it. RFT_E_DEVICE. */
int rft_cuda_load(rft_cuda_api *api, rft_err *err);

/* ---- driver_error.c ---- */
/* Makes an rft_err of a CUDA error: "what: CUDA_ERROR_X: text" and a remedy where there is one. */
int rft_cuda_error(const rft_cuda_api *api, CUresult status, int code, const char *what, rft_err *err);
/* The same for a device object: 0 for CUDA_SUCCESS, and errors that poison the context make it sticky. `code` is for
 * errors that do not; sticky ones are always RFT_E_DEVICE. */
int rft_cuda_check(cuda_gpu *gpu, CUresult status, int code, const char *what, rft_err *err);
/* RFT_E_DEVICE when the object is sticky already: nothing may be asked of the driver any more. */
int rft_cuda_usable(const cuda_gpu *gpu, rft_err *err);

/* ---- driver_info.c ---- */
int rft_cuda_read_info(rft_gpu_info *out, const rft_cuda_api *api, CUdevice device, rft_arena *arena, rft_err *err);
int rft_cuda_attribute(const rft_cuda_api *api, CUdevice device, CUdevice_attribute attribute, int fallback);
int rft_cuda_info(rft_gpu *base, rft_gpu_info *out, rft_err *err);
void rft_cuda_describe(rft_gpu *base, rft_env *env, rft_arena *arena);

/* ---- driver_memory.c ---- */
int rft_cuda_alloc(rft_gpu *base, uint64_t bytes, rft_device_ptr *out, rft_err *err);
void rft_cuda_free(rft_gpu *base, rft_device_ptr memory);
int rft_cuda_memory_free(rft_gpu *base, uint64_t *free_bytes, rft_err *err);
int rft_cuda_write(rft_gpu *base, rft_device_ptr to, const void *from, size_t bytes, rft_err *err);
int rft_cuda_read(rft_gpu *base, void *to, rft_device_ptr from, size_t bytes, rft_err *err);
int rft_cuda_copy(rft_gpu *base, rft_device_ptr to, rft_device_ptr from, uint64_t bytes, rft_err *err);
int rft_cuda_set(rft_gpu *base, rft_device_ptr to, int byte, uint64_t bytes, rft_err *err);
int rft_cuda_mapped(rft_gpu *base, size_t bytes, void **host, rft_device_ptr *device, rft_err *err);
int rft_cuda_host_alloc(rft_gpu *base, uint64_t bytes, void **out, rft_err *err);
void rft_cuda_host_free(rft_gpu *base, void *host);
int rft_cuda_host_to_device(rft_gpu *base, rft_device_ptr to, const void *from, uint64_t bytes, rft_err *err);
int rft_cuda_device_to_host(rft_gpu *base, void *to, rft_device_ptr from, uint64_t bytes, rft_err *err);
int rft_cuda_tensor_map(rft_gpu *base, const rft_tensor_map *map, rft_type type, rft_device_ptr memory,
                        unsigned char out[128], rft_err *err);

/* ---- driver_links.c ---- */
int rft_cuda_host_both_ways(rft_gpu *base, rft_device_ptr to, const void *from, void *back, rft_device_ptr out,
                            uint64_t bytes, rft_err *err);
int rft_cuda_use(rft_gpu *base, rft_err *err);
int rft_cuda_peer_open(rft_gpu *from, rft_gpu *to, bool *direct, rft_err *err);
int rft_cuda_copy_to_peer(rft_gpu *from, rft_device_ptr source, rft_gpu *to, rft_device_ptr target, uint64_t bytes,
                          rft_err *err);

/* ---- driver_module.c ---- */
int rft_cuda_module_load(rft_gpu *base, const void *cubin, size_t bytes, rft_module **out, rft_err *err);
void rft_cuda_module_free(rft_gpu *base, rft_module *module);
int rft_cuda_function(rft_gpu *base, rft_module *module, const char *symbol, rft_function **out, rft_err *err);
int rft_cuda_variable(rft_gpu *base, rft_module *module, const char *symbol, rft_device_ptr *out, uint64_t *bytes,
                      rft_err *err);
int rft_cuda_function_facts(rft_gpu *base, rft_function *function, rft_function_facts *out, rft_err *err);
int rft_cuda_function_params(rft_gpu *base, rft_function *function, int *count, uint32_t *bytes, size_t capacity,
                             rft_err *err);
int rft_cuda_function_shared(rft_gpu *base, rft_function *function, unsigned bytes, rft_err *err);

/* ---- driver_launch.c ---- */
int rft_cuda_occupancy(rft_gpu *base, const rft_gpu_launch *launch, int *blocks_per_sm, rft_err *err);
int rft_cuda_launch(rft_gpu *base, const rft_gpu_launch *launch, rft_err *err);
/* ---- driver_launch.c: graphs ---- */
int rft_cuda_graph_begin(rft_gpu *base, rft_err *err);
int rft_cuda_graph_end(rft_gpu *base, rft_graph **out, rft_err *err);
int rft_cuda_graph_launch(rft_gpu *base, rft_graph *graph, rft_err *err);
void rft_cuda_graph_free(rft_gpu *base, rft_graph *graph);

/* Gives all of L2 back after access policy windows. */
void rft_cuda_window_end(cuda_gpu *gpu);

#endif
