/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/driver/driver.h"

#include "gpu/cuda_release.h"
#include "gpu/dynlib.h"

#include <stdlib.h>

#define TEXT_(name) #name
#define TEXT(name) TEXT_(name)

static const rft_dynlib_symbol symbols[] = {
#define CUDA_SYMBOL(name) {TEXT(name), offsetof(rft_cuda_api, name), false},
    RFT_CUDA_MAP(CUDA_SYMBOL)
#undef CUDA_SYMBOL
        {"cuEventElapsedTime", offsetof(rft_cuda_api, event_elapsed_ms), false},
    {"cuFuncLoad", offsetof(rft_cuda_api, function_load), true},
    {"cuFuncGetParamInfo", offsetof(rft_cuda_api, function_param), true},
#define CUDA_GRAPH_SYMBOL(name) {TEXT(name), offsetof(rft_cuda_api, name), true},
    RFT_CUDA_GRAPH_MAP(CUDA_GRAPH_SYMBOL)
#undef CUDA_GRAPH_SYMBOL
};

/* What is called below came with CUDA 12.0. */
static int check_version(const rft_cuda_api *api, rft_err *err) {
    int version = 0;
    CUresult status = api->cuDriverGetVersion(&version);
    if (status != CUDA_SUCCESS) {
        return rft_cuda_error(api, status, RFT_E_DEVICE, "asking for the driver's version", err);
    }
    if (version / 1000 < RFT_CUDA_OLDEST) {
        rft_err_set(err, RFT_E_DEVICE, "the NVIDIA driver takes CUDA %d.%d; rooftune needs CUDA %d.0 or newer",
                    version / 1000, version % 1000 / 10, RFT_CUDA_OLDEST);
        return rft_err_remedy(err, RFT_CUDA_DRIVER_REMEDY);
    }
    return 0;
}

int rft_cuda_load(rft_cuda_api *api, rft_err *err) {
    static const char *const files[] = {"libcuda.so.1", NULL};
    static const rft_dynlib_spec spec = {
        .title = "the NVIDIA driver",
        .files = files,
        .symbols = symbols,
        .symbol_count = sizeof symbols / sizeof *symbols,
        .code = RFT_E_DEVICE,
        .remedy = "install the NVIDIA driver and check that nvidia-smi works (in a container: start it with the GPUs, "
                  "such as docker run --gpus all); without a GPU, replay a recording: -d replay:FILE",
    };
    void *handle = NULL; /* not kept: a library once opened stays to the end of the process */
    int rc = rft_dynlib_open(&handle, api, &spec, err);
    if (rc != 0) {
        return rc;
    }
    if ((rc = check_version(api, err)) != 0) {
        return rc;
    }
    CUresult status = api->cuInit(0);
    if (status == CUDA_SUCCESS) {
        return 0;
    }
    rc = rft_cuda_error(api, status, RFT_E_DEVICE, "starting the driver", err);
    if (status == CUDA_ERROR_OUT_OF_MEMORY) { /* the host's: none of the device's was asked for */
        rft_err_remedy(err, "lift the limit on this process's memory: `ulimit -v unlimited` (the driver reserves far "
                            "more addresses than it uses), the container's or the job's");
    }
    return rc;
}

/* ---- events and the stream ---- */
static int event_new(rft_gpu *base, rft_event **out, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    int rc = rft_cuda_usable(gpu, err);
    if (rc != 0) {
        return rc;
    }
    CUevent handle = NULL;
    rc = rft_cuda_check(gpu, gpu->api.cuEventCreate(&handle, CU_EVENT_DEFAULT), RFT_E_DEVICE, "creating an event", err);
    if (rc == 0) {
        rft_event *event = rft_arena_alloc(gpu->arena, sizeof *event);
        *event = (rft_event){.handle = handle, .next = gpu->events};
        gpu->events = event;
        *out = event;
    }
    return rc;
}

static int event_record(rft_gpu *base, rft_event *event, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    return rft_cuda_check(gpu, gpu->api.cuEventRecord(event->handle, gpu->stream), RFT_E_DEVICE, "recording an event",
                          err);
}

static int event_elapsed(rft_gpu *base, rft_event *start, rft_event *stop, double *seconds, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    float elapsed_ms = 0;
    int rc = rft_cuda_check(gpu, gpu->api.cuEventSynchronize(stop->handle), RFT_E_DEVICE, "running", err);
    if (rc == 0) {
        rc = rft_cuda_check(gpu, gpu->api.event_elapsed_ms(&elapsed_ms, start->handle, stop->handle), RFT_E_DEVICE,
                            "reading two events", err);
    }
    if (rc == 0) {
        *seconds = (double)elapsed_ms * 1e-3;
    }
    return rc;
}

static int synchronize(rft_gpu *base, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    int rc = rft_cuda_usable(gpu, err);
    return rc != 0 ? rc : rft_cuda_check(gpu, gpu->api.cuStreamSynchronize(gpu->stream), RFT_E_DEVICE, "running", err);
}

static bool sticky(rft_gpu *base) {
    return ((cuda_gpu *)base)->is_sticky;
}

/* ---- opening and closing ---- */
/* A poisoned context is left to the end of the process: calls into it fail or, worse, wait. */
static void release_context(cuda_gpu *gpu) {
    if (!gpu->context || gpu->is_sticky) {
        return;
    }
    gpu->api.cuCtxSetCurrent(gpu->context); /* of several devices another may be in use */
    gpu->api.cuStreamSynchronize(gpu->stream);
    rft_cuda_window_end(gpu);
    for (rft_event *event = gpu->events; event; event = event->next) {
        gpu->api.cuEventDestroy(event->handle);
    }
    for (mapped_block *block = gpu->mapped; block; block = block->next) {
        gpu->api.cuMemFreeHost(block->host);
    }
    if (gpu->back) {
        gpu->api.cuStreamDestroy(gpu->back);
    }
    if (gpu->stream) {
        gpu->api.cuStreamDestroy(gpu->stream);
    }
    gpu->api.cuCtxSetCurrent(NULL);
    gpu->api.cuDevicePrimaryCtxRelease(gpu->device);
}

static void cuda_close(rft_gpu *base) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    if (gpu) {
        release_context(gpu);
        rft_arena_free(gpu->arena);
        free(gpu);
    }
}

static const rft_gpu_vt vtable = {
    .close = cuda_close,
    .info = rft_cuda_info,
    .describe = rft_cuda_describe,
    .alloc = rft_cuda_alloc,
    .free = rft_cuda_free,
    .memory_free = rft_cuda_memory_free,
    .write = rft_cuda_write,
    .read = rft_cuda_read,
    .copy = rft_cuda_copy,
    .set = rft_cuda_set,
    .mapped = rft_cuda_mapped,
    .host_alloc = rft_cuda_host_alloc,
    .host_free = rft_cuda_host_free,
    .host_to_device = rft_cuda_host_to_device,
    .device_to_host = rft_cuda_device_to_host,
    .host_both_ways = rft_cuda_host_both_ways,
    .use = rft_cuda_use,
    .peer_open = rft_cuda_peer_open,
    .copy_to_peer = rft_cuda_copy_to_peer,
    .module_load = rft_cuda_module_load,
    .module_free = rft_cuda_module_free,
    .function = rft_cuda_function,
    .function_facts = rft_cuda_function_facts,
    .function_params = rft_cuda_function_params,
    .variable = rft_cuda_variable,
    .function_shared = rft_cuda_function_shared,
    .occupancy = rft_cuda_occupancy,
    .tensor_map = rft_cuda_tensor_map,
    .launch = rft_cuda_launch,
    .graph_begin = rft_cuda_graph_begin,
    .graph_end = rft_cuda_graph_end,
    .graph_launch = rft_cuda_graph_launch,
    .graph_free = rft_cuda_graph_free,
    .event_new = event_new,
    .event_record = event_record,
    .event_elapsed = event_elapsed,
    .sync = synchronize,
    .sticky = sticky,
};

static int find_device(cuda_gpu *gpu, int ordinal, rft_err *err) {
    int count = 0;
    CUresult status = gpu->api.cuDeviceGetCount(&count);
    if (status != CUDA_SUCCESS) {
        return rft_cuda_error(&gpu->api, status, RFT_E_DEVICE, "counting devices", err);
    }
    if (ordinal < 0 || ordinal >= count) {
        rft_err_set(err, RFT_E_DEVICE, "there is no CUDA device %d; %d can be seen", ordinal, count);
        rft_err_remedy(err, "`rooftune devices` lists them; CUDA_VISIBLE_DEVICES may hide some");
        return RFT_E_DEVICE;
    }
    status = gpu->api.cuDeviceGet(&gpu->device, ordinal);
    return status == CUDA_SUCCESS ? 0 : rft_cuda_error(&gpu->api, status, RFT_E_DEVICE, "opening the device", err);
}

static int make_context(cuda_gpu *gpu, rft_err *err) {
    int rc = rft_cuda_check(gpu, gpu->api.cuDevicePrimaryCtxRetain(&gpu->context, gpu->device), RFT_E_DEVICE,
                            "creating the context", err);
    if (rc != 0) {
        gpu->context = NULL;
        return rc;
    }
    rc = rft_cuda_check(gpu, gpu->api.cuCtxSetCurrent(gpu->context), RFT_E_DEVICE, "using the context", err);
    if (rc == 0) {
        /* Apart from the default stream, so that nothing else in this process orders itself between our launches. */
        rc = rft_cuda_check(gpu, gpu->api.cuStreamCreate(&gpu->stream, CU_STREAM_NON_BLOCKING), RFT_E_DEVICE,
                            "creating the stream", err);
    }
    return rc;
}

int rft_cuda_open(rft_gpu **out, int ordinal, rft_err *err) {
    cuda_gpu *gpu = rft_alloc(sizeof *gpu);
    gpu->base.vt = &vtable;
    gpu->arena = rft_arena_new();
    int rc = rft_cuda_load(&gpu->api, err);
    if (rc != 0 || (rc = find_device(gpu, ordinal, err)) != 0) {
        goto done;
    }
    rc = rft_cuda_read_info(&gpu->info, &gpu->api, gpu->device, gpu->arena, err);
    if (rc != 0 || (rc = make_context(gpu, err)) != 0) {
        goto done;
    }
    gpu->window_max_bytes =
        rft_cuda_attribute(&gpu->api, gpu->device, CU_DEVICE_ATTRIBUTE_MAX_ACCESS_POLICY_WINDOW_SIZE, 0);
    *out = &gpu->base;
    gpu = NULL;
done:
    if (gpu) {
        cuda_close(&gpu->base);
    }
    return rc;
}

int rft_cuda_list(rft_gpu_info **out, size_t *count, rft_arena *arena, rft_err *err) {
    rft_cuda_api api;
    int devices = 0;
    *out = NULL;
    *count = 0;
    int rc = rft_cuda_load(&api, err);
    if (rc != 0) {
        return rc;
    }
    CUresult status = api.cuDeviceGetCount(&devices);
    if (status != CUDA_SUCCESS) {
        return rft_cuda_error(&api, status, RFT_E_DEVICE, "counting devices", err);
    }
    *out = rft_arena_calloc(arena, (size_t)devices + 1, sizeof **out);
    for (int i = 0; i < devices; i++) {
        CUdevice device = 0;
        status = api.cuDeviceGet(&device, i);
        if (status != CUDA_SUCCESS) {
            return rft_cuda_error(&api, status, RFT_E_DEVICE, "opening a device", err);
        }
        if ((rc = rft_cuda_read_info(&(*out)[i], &api, device, arena, err)) != 0) {
            return rc;
        }
        *count = (size_t)i + 1;
    }
    return 0;
}
