/* SPDX-License-Identifier: Apache-2.0 */
/* A libcuda.so.1 for tests: just enough of the driver to see what is asked of it. Device memory is host memory. */
#include "gpu/fake_cuda.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

extern fake_cuda_state fake_state;
fake_cuda_state fake_state;

static CUresult pending;  /* what waiting will say */
static CUresult poisoned; /* what everything says since */
static const char *mode(void) {
    const char *text = getenv("FAKE_CUDA");
    return text ? text : "";
}

static CUresult answer(void) {
    if (poisoned) {
        fake_state.calls_after_fault++;
    }
    return poisoned;
}

static CUresult answer_after_waiting(void) {
    if (!poisoned && pending) {
        return poisoned = pending;
    }
    return answer();
}

CUresult cuGetErrorName(CUresult error, const char **out) {
    *out = error == CUDA_ERROR_ILLEGAL_ADDRESS ? "CUDA_ERROR_ILLEGAL_ADDRESS"
           : error == CUDA_ERROR_NO_DEVICE     ? "CUDA_ERROR_NO_DEVICE"
                                               : "CUDA_ERROR_OTHER";
    return CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char **out) {
    *out = NULL;
    return error == CUDA_SUCCESS ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuInit(unsigned flags) {
    (void)flags;
    return !strcmp(mode(), "none")     ? CUDA_ERROR_NO_DEVICE
           : !strcmp(mode(), "fabric") ? CUDA_ERROR_SYSTEM_NOT_READY
           : !strcmp(mode(), "memory") ? CUDA_ERROR_OUT_OF_MEMORY
                                       : CUDA_SUCCESS;
}
CUresult cuDriverGetVersion(int *out) {
    *out = strcmp(mode(), "old") == 0 ? 11080 : strcmp(mode(), "12") == 0 ? 12040 : CUDA_VERSION;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetCount(int *out) {
    const char *count = getenv("FAKE_DEVICES");
    *out = count ? atoi(count) : 1;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGet(CUdevice *out, int ordinal) {
    *out = ordinal;
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetName(char *out, int size, CUdevice device) {
    (void)device;
    const char *name = getenv("FAKE_NAME");
    strncpy(out, name ? name : "NVIDIA Fake", (size_t)size);
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetUuid(CUuuid *out, CUdevice device) {
    (void)device;
    for (int i = 0; i < 16; i++) {
        out->bytes[i] = (char)(0xf0 + i);
    }
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetPCIBusId(char *out, int size, CUdevice device) {
    (void)device;
    strncpy(out, "0000:AB:00.0", (size_t)size);
    return CUDA_SUCCESS;
}
CUresult cuDeviceGetAttribute(int *out, CUdevice_attribute attribute, CUdevice device) {
    (void)device;
    switch ((int)attribute) {
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
        *out = strcmp(mode(), "volta") == 0 ? 7 : 9;
        break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
    case CU_DEVICE_ATTRIBUTE_COMPUTE_MODE:
        *out = 0;
        break;
    case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
        *out = 132;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
        *out = 65536;
        break;
    case CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE:
        *out = 1 << 20;
        break;
    case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
        return CUDA_ERROR_INVALID_VALUE;
    default:
        *out = 1000 + (int)attribute;
    }
    return CUDA_SUCCESS;
}
CUresult cuDeviceTotalMem(size_t *out, CUdevice device) {
    (void)device;
    *out = (size_t)1 << 30;
    return CUDA_SUCCESS;
}
/* A context is its device's number. */
CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice device) {
    *out = (CUcontext)(uintptr_t)(FAKE_CONTEXT + device);
    fake_state.contexts++;
    return CUDA_SUCCESS;
}
CUresult cuDevicePrimaryCtxRelease(CUdevice device) {
    (void)device;
    fake_state.contexts--;
    return answer();
}
CUresult cuCtxSetCurrent(CUcontext context) {
    fake_state.current = context ? (int)((uintptr_t)context - FAKE_CONTEXT) : -1;
    return answer();
}

/* ---- peers: an even device reaches its neighbours alone where the mode says so ---- */
CUresult cuDeviceCanAccessPeer(int *out, CUdevice device, CUdevice peer) {
    *out = device != peer && (strcmp(mode(), "pairs") != 0 || device / 2 == peer / 2);
    return answer();
}
CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags) {
    bool again = fake_state.peers[fake_state.current] & 1u << ((uintptr_t)peer - FAKE_CONTEXT);
    fake_state.peers[fake_state.current] |= 1u << ((uintptr_t)peer - FAKE_CONTEXT);
    return flags ? CUDA_ERROR_INVALID_VALUE : again ? CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED : answer();
}
CUresult cuMemcpyPeerAsync(CUdeviceptr to, CUcontext to_context, CUdeviceptr from, CUcontext from_context, size_t bytes,
                           CUstream stream) {
    (void)stream;
    int target = (int)((uintptr_t)to_context - FAKE_CONTEXT), source = (int)((uintptr_t)from_context - FAKE_CONTEXT);
    fake_state.peer_copies[source][target]++;
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return fake_state.current == source ? answer() : CUDA_ERROR_INVALID_CONTEXT;
}
CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
    if (limit == CU_LIMIT_PERSISTING_L2_CACHE_SIZE) {
        fake_state.persisting_bytes = value;
    }
    return answer();
}
CUresult cuCtxResetPersistingL2Cache(void) {
    return answer();
}
CUresult cuStreamCreate(CUstream *out, unsigned flags) {
    *out = (CUstream)&pending;
    fake_state.streams++;
    return flags == CU_STREAM_NON_BLOCKING ? answer() : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuStreamDestroy(CUstream stream) {
    (void)stream;
    fake_state.streams--;
    return answer();
}
CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned flags) {
    (void)event;
    fake_state.waits++;
    return stream && !flags ? answer() : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuStreamSynchronize(CUstream stream) {
    (void)stream;
    return answer_after_waiting();
}

/* ---- memory ---- */
CUresult cuMemGetInfo(size_t *available, size_t *total) {
    *available = (size_t)1 << 29;
    *total = (size_t)1 << 30;
    return answer();
}
CUresult cuMemAlloc(CUdeviceptr *out, size_t bytes) {
    if (bytes > (size_t)1 << 29) {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }
    *out = (CUdeviceptr)(uintptr_t)aligned_alloc(256, (bytes + 255) / 256 * 256);
    fake_state.allocations++;
    return answer();
}
CUresult cuMemFree(CUdeviceptr memory) {
    free((void *)(uintptr_t)memory);
    fake_state.allocations--;
    return answer();
}
CUresult cuMemHostAlloc(void **out, size_t bytes, unsigned flags) {
    *out = malloc(bytes);
    fake_state.host_allocations++;
    return flags & CU_MEMHOSTALLOC_DEVICEMAP ? answer() : CUDA_ERROR_INVALID_VALUE;
}
CUresult cuMemHostGetDevicePointer(CUdeviceptr *out, void *host, unsigned flags) {
    (void)flags;
    *out = (CUdeviceptr)(uintptr_t)host;
    return answer();
}
CUresult cuMemFreeHost(void *host) {
    free(host);
    fake_state.host_allocations--;
    return answer();
}
CUresult cuMemcpyHtoDAsync(CUdeviceptr to, const void *from, size_t bytes, CUstream stream) {
    (void)stream;
    memcpy((void *)(uintptr_t)to, from, bytes);
    return answer();
}
CUresult cuMemcpyDtoHAsync(void *to, CUdeviceptr from, size_t bytes, CUstream stream) {
    (void)stream;
    memcpy(to, (void *)(uintptr_t)from, bytes);
    return answer();
}
CUresult cuMemcpyDtoDAsync(CUdeviceptr to, CUdeviceptr from, size_t bytes, CUstream stream) {
    (void)stream;
    memcpy((void *)(uintptr_t)to, (void *)(uintptr_t)from, bytes);
    return answer();
}
CUresult cuMemsetD8Async(CUdeviceptr to, unsigned char byte, size_t count, CUstream stream) {
    (void)stream;
    memset((void *)(uintptr_t)to, byte, count);
    return answer();
}
CUresult cuTensorMapEncodeTiled(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                const cuuint64_t *dims, const cuuint64_t *strides, const cuuint32_t *box,
                                const cuuint32_t *steps, CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    cuuint64_t words[16] = {(cuuint64_t)type, rank,     (cuuint64_t)(uintptr_t)address,
                            dims[0],          dims[1],  strides[0],
                            box[0],           box[1],   steps[0],
                            swizzle,          promotion};
    memcpy(out, words, sizeof *out);
    return interleave || fill ? CUDA_ERROR_INVALID_VALUE : answer();
}

CUresult cuTensorMapEncodeIm2col(CUtensorMap *out, CUtensorMapDataType type, cuuint32_t rank, void *address,
                                 const cuuint64_t *dims, const cuuint64_t *strides, const int *lower, const int *upper,
                                 cuuint32_t channels, cuuint32_t pixels, const cuuint32_t *steps,
                                 CUtensorMapInterleave interleave, CUtensorMapSwizzle swizzle,
                                 CUtensorMapL2promotion promotion, CUtensorMapFloatOOBfill fill) {
    cuuint64_t words[16] = {(cuuint64_t)type,
                            rank,
                            (cuuint64_t)(uintptr_t)address,
                            dims[rank - 1],
                            strides[rank - 2],
                            (cuuint64_t)lower[1],
                            channels,
                            (cuuint64_t)upper[1],
                            pixels,
                            steps[1],
                            swizzle,
                            promotion};
    memcpy(out, words, sizeof *out);
    return interleave || fill ? CUDA_ERROR_INVALID_VALUE : answer();
}

/* ---- code: a module is its text, a function its name ---- */
CUresult cuModuleLoadDataEx(CUmodule *out, const void *image, unsigned count, CUjit_option *options, void **values) {
    if (strcmp(image, "bad") == 0) {
        for (unsigned i = 0; i < count; i++) {
            if (options[i] == CU_JIT_ERROR_LOG_BUFFER) {
                strcpy(values[i], "ptxas says no");
            }
        }
        return CUDA_ERROR_INVALID_IMAGE;
    }
    *out = (CUmodule)&fake_state;
    fake_state.modules++;
    return answer();
}
CUresult cuModuleUnload(CUmodule module) {
    (void)module;
    fake_state.modules--;
    return answer();
}
CUresult cuModuleGetFunction(CUfunction *out, CUmodule module, const char *name) {
    static const char *const names[] = {"plain", "fault"};
    (void)module;
    for (size_t i = 0; i < 2; i++) {
        if (strcmp(name, names[i]) == 0) {
            *out = (CUfunction)(uintptr_t)names[i];
            return answer();
        }
    }
    return CUDA_ERROR_NOT_FOUND;
}
CUresult cuModuleGetGlobal(CUdeviceptr *out, size_t *bytes, CUmodule module, const char *name) {
    static float table[9];
    (void)module;
    if (strcmp(name, "table") != 0) {
        return CUDA_ERROR_NOT_FOUND;
    }
    *out = (CUdeviceptr)(uintptr_t)table;
    *bytes = sizeof table;
    return answer();
}
CUresult cuFuncGetAttribute(int *out, CUfunction_attribute attribute, CUfunction function) {
    (void)function;
    *out = 10 + (int)attribute;
    return answer();
}
/* "plain" takes 3 parameters, "fault" none. */
CUresult cuFuncGetParamInfo(CUfunction function, size_t index, size_t *offset, size_t *bytes) {
    if (index >= (strcmp((const char *)function, "plain") == 0 ? 3u : 0u)) {
        return CUDA_ERROR_INVALID_VALUE;
    }
    *offset = 8 * index;
    *bytes = 8;
    return answer();
}
CUresult cuFuncSetAttribute(CUfunction function, CUfunction_attribute attribute, int value) {
    (void)function;
    if (attribute == CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES) {
        if (value > 200000) {
            return CUDA_ERROR_INVALID_VALUE;
        }
        fake_state.shared_allowed = value;
    }
    if (attribute == CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED) {
        fake_state.non_portable = value;
    }
    return answer();
}
CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *out, CUfunction function, int threads, size_t shared) {
    (void)function;
    *out = shared > 0 ? 1 : 2048 / threads;
    return answer();
}
CUresult cuOccupancyMaxActiveClusters(int *out, CUfunction function, const CUlaunchConfig *config) {
    (void)function;
    *out = config->gridDimX == 0 ? -1 : config->numAttrs == 1 && config->attrs[0].value.clusterDim.x == 16 ? 5 : 132;
    return answer();
}
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function, void **values, void **extra) {
    (void)extra;
    fake_state.launch = *config;
    memcpy(fake_state.attributes, config->attrs, config->numAttrs * sizeof *config->attrs);
    if (values) {
        fake_state.argument = *(const int *)values[0];
    }
    if (strcmp((const char *)function, "fault") == 0) {
        pending = CUDA_ERROR_ILLEGAL_ADDRESS;
    }
    return config->blockDimX > 1024 ? CUDA_ERROR_INVALID_VALUE : answer();
}

/* ---- graphs ---- */
CUresult cuStreamBeginCapture(CUstream stream, CUstreamCaptureMode mode) {
    (void)stream;
    fake_state.capturing = mode == CU_STREAM_CAPTURE_MODE_THREAD_LOCAL;
    return answer();
}
CUresult cuStreamEndCapture(CUstream stream, CUgraph *out) {
    (void)stream;
    *out = fake_state.launch.blockDimX == 777 ? NULL : (CUgraph)&poisoned;
    fake_state.capturing = 0;
    fake_state.graphs += *out != NULL;
    return *out ? answer() : CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec *out, CUgraph graph, unsigned long long flags) {
    (void)graph;
    (void)flags;
    *out = (CUgraphExec)&poisoned;
    fake_state.graphs++;
    return answer();
}
CUresult cuGraphUpload(CUgraphExec graph, CUstream stream) {
    (void)graph;
    (void)stream;
    return answer();
}
CUresult cuGraphLaunch(CUgraphExec graph, CUstream stream) {
    (void)graph;
    (void)stream;
    fake_state.graph_launches++;
    return answer();
}
CUresult cuGraphDestroy(CUgraph graph) {
    (void)graph;
    fake_state.graphs--;
    return answer();
}
CUresult cuGraphExecDestroy(CUgraphExec graph) {
    (void)graph;
    fake_state.graphs--;
    return answer();
}

/* ---- events ---- */
CUresult cuEventCreate(CUevent *out, unsigned flags) {
    (void)flags;
    *out = (CUevent)&poisoned;
    fake_state.events++;
    return answer();
}
CUresult cuEventDestroy(CUevent event) {
    (void)event;
    fake_state.events--;
    return answer();
}
CUresult cuEventRecord(CUevent event, CUstream stream) {
    (void)event;
    return stream ? answer() : CUDA_ERROR_INVALID_HANDLE;
}
CUresult cuEventSynchronize(CUevent event) {
    (void)event;
    return answer_after_waiting();
}
#undef cuEventElapsedTime
CUresult cuEventElapsedTime(float *out_ms, CUevent start, CUevent stop);
CUresult cuEventElapsedTime(float *out_ms, CUevent start, CUevent stop) {
    (void)start;
    (void)stop;
    *out_ms = 1.5f;
    return answer();
}
