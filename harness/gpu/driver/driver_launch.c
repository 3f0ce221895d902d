/* SPDX-License-Identifier: Apache-2.0 */
#include "gpu/driver/driver.h"

#include <stdlib.h>

enum { ATTRIBUTE_COUNT = 4, PORTABLE_CLUSTER = 8 };

static unsigned cluster_blocks(const rft_gpu_launch *launch) {
    return launch->cluster[0] * launch->cluster[1] * launch->cluster[2];
}

/* Sets L2 aside for windows. Only while code that uses one is loaded: all other code would have a smaller cache. */
static int begin_window(cuda_gpu *gpu, rft_err *err) {
    if (gpu->has_window) {
        return 0;
    }
    if (gpu->info.persisting_l2_max_bytes <= 0 || gpu->window_max_bytes <= 0) {
        return rft_err_set(err, RFT_E_LIMIT, "%s has no access policy windows (L2 persistence)", gpu->info.name);
    }
    CUresult status =
        gpu->api.cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, (size_t)gpu->info.persisting_l2_max_bytes);
    int rc = rft_cuda_check(gpu, status, RFT_E_LIMIT, "setting L2 aside for a window", err);
    gpu->has_window = rc == 0;
    return rc;
}

void rft_cuda_window_end(cuda_gpu *gpu) {
    if (gpu->has_window && !gpu->is_sticky) {
        rft_cuda_check(gpu, gpu->api.cuStreamSynchronize(gpu->stream), RFT_E_DEVICE, "ending a window", NULL);
        if (!gpu->is_sticky) {
            gpu->api.cuCtxResetPersistingL2Cache();
            gpu->api.cuCtxSetLimit(CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0);
        }
        gpu->has_window = false;
    }
}

static int allow_cluster(cuda_gpu *gpu, const rft_gpu_launch *launch, rft_err *err) {
    rft_function *function = launch->function;
    if (cluster_blocks(launch) <= PORTABLE_CLUSTER || function->any_cluster) {
        return 0;
    }
    CUresult status =
        gpu->api.cuFuncSetAttribute(function->handle, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED, 1);
    int rc = rft_cuda_check(gpu, status, RFT_E_LIMIT, "allowing a cluster of more than 8 blocks", err);
    function->any_cluster = rc == 0;
    return rc;
}

static void add_window(const cuda_gpu *gpu, const rft_gpu_launch *launch, CUlaunchAttribute *attribute) {
    uint64_t max_bytes = (uint64_t)gpu->window_max_bytes;
    attribute->id = CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
    attribute->value.accessPolicyWindow = (CUaccessPolicyWindow){
        .base_ptr = (void *)(uintptr_t)launch->window_base,
        .num_bytes = launch->window_bytes < max_bytes ? launch->window_bytes : max_bytes,
        .hitRatio = launch->window_hit_ratio,
        .hitProp = CU_ACCESS_PROPERTY_PERSISTING,
        .missProp = CU_ACCESS_PROPERTY_STREAMING,
    };
}

/* Fills `config`; `attributes` must live as long as it. */
static int make_config(cuda_gpu *gpu, const rft_gpu_launch *launch, CUlaunchConfig *config,
                       CUlaunchAttribute attributes[ATTRIBUTE_COUNT], rft_err *err) {
    unsigned n = 0;
    int rc = allow_cluster(gpu, launch, err);
    if (rc == 0 && launch->window_bytes > 0) {
        rc = begin_window(gpu, err);
    }
    if (rc != 0) {
        return rc;
    }
    if (cluster_blocks(launch) > 1) {
        attributes[n].id = CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION;
        attributes[n].value.clusterDim.x = launch->cluster[0];
        attributes[n].value.clusterDim.y = launch->cluster[1];
        attributes[n++].value.clusterDim.z = launch->cluster[2];
    }
    if (launch->cooperative) {
        attributes[n].id = CU_LAUNCH_ATTRIBUTE_COOPERATIVE;
        attributes[n++].value.cooperative = 1;
    }
    if (launch->pdl) {
        attributes[n].id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
        attributes[n++].value.programmaticStreamSerializationAllowed = 1;
    }
    if (launch->window_bytes > 0) {
        add_window(gpu, launch, &attributes[n++]);
    }
    *config = (CUlaunchConfig){
        .gridDimX = launch->grid[0],
        .gridDimY = launch->grid[1],
        .gridDimZ = launch->grid[2],
        .blockDimX = launch->block[0],
        .blockDimY = launch->block[1],
        .blockDimZ = launch->block[2],
        .sharedMemBytes = launch->shared_bytes,
        .hStream = gpu->stream,
        .attrs = attributes,
        .numAttrs = n,
    };
    return 0;
}

int rft_cuda_launch(rft_gpu *base, const rft_gpu_launch *launch, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    CUlaunchAttribute attributes[ATTRIBUTE_COUNT] = {0};
    CUlaunchConfig config;
    int rc = rft_cuda_usable(gpu, err);
    if (rc == 0) {
        rc = make_config(gpu, launch, &config, attributes, err);
    }
    if (rc == 0) {
        CUresult status = gpu->api.cuLaunchKernelEx(&config, launch->function->handle, launch->values, NULL);
        rc = rft_cuda_check(gpu, status, RFT_E_LIMIT, "launching", err);
    }
    return rc;
}

int rft_cuda_occupancy(rft_gpu *base, const rft_gpu_launch *launch, int *blocks_per_sm, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    unsigned per_cluster = cluster_blocks(launch);
    CUfunction function = launch->function->handle;
    *blocks_per_sm = 0;
    if (per_cluster <= 1) {
        int threads = (int)(launch->block[0] * launch->block[1] * launch->block[2]);
        CUresult status = gpu->api.cuOccupancyMaxActiveBlocksPerMultiprocessor(blocks_per_sm, function, threads,
                                                                               launch->shared_bytes);
        return rft_cuda_check(gpu, status, RFT_E_LIMIT, "asking for the occupancy", err);
    }
    CUlaunchAttribute attributes[ATTRIBUTE_COUNT] = {0};
    CUlaunchConfig config;
    int clusters = 0;
    int rc = make_config(gpu, launch, &config, attributes, err);
    if (rc != 0) {
        return rc;
    }
    if (config.gridDimX == 0) { /* resident(): the grid is what is being asked for; any valid one does */
        config.gridDimX = launch->cluster[0];
        config.gridDimY = launch->cluster[1];
        config.gridDimZ = launch->cluster[2];
    }
    rc = rft_cuda_check(gpu, gpu->api.cuOccupancyMaxActiveClusters(&clusters, function, &config), RFT_E_LIMIT,
                        "asking for the occupancy in clusters", err);
    if (rc == 0 && clusters > 0) {
        /* Clusters leave SMs empty where a GPC's number of them is no multiple: never round a running kernel to 0. */
        int blocks = clusters * (int)per_cluster / gpu->info.sms;
        *blocks_per_sm = blocks > 0 ? blocks : 1;
    }
    return rc;
}

/* ---- launches recorded once and queued as one: they follow each other as closely as the device can ---- */

static bool is_there(const rft_cuda_api *api) {
#define IS_THERE(name) &&api->name != NULL
    return true RFT_CUDA_GRAPH_MAP(IS_THERE);
#undef IS_THERE
}

int rft_cuda_graph_begin(rft_gpu *base, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    int rc = rft_cuda_usable(gpu, err);
    if (rc == 0 && !is_there(&gpu->api)) {
        return rft_err_set(err, RFT_E_LIMIT, "the driver has no graphs");
    }
    return rc != 0
               ? rc
               : rft_cuda_check(gpu, gpu->api.cuStreamBeginCapture(gpu->stream, CU_STREAM_CAPTURE_MODE_THREAD_LOCAL),
                                RFT_E_LIMIT, "recording a graph", err);
}

int rft_cuda_graph_end(rft_gpu *base, rft_graph **out, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    CUgraph recorded = NULL;
    CUgraphExec handle = NULL;
    *out = NULL;
    int rc =
        rft_cuda_check(gpu, gpu->api.cuStreamEndCapture(gpu->stream, &recorded), RFT_E_LIMIT, "recording a graph", err);
    if (rc == 0) {
        rc = rft_cuda_check(gpu, gpu->api.cuGraphInstantiateWithFlags(&handle, recorded, 0), RFT_E_LIMIT,
                            "making a graph", err);
    }
    if (recorded) {
        gpu->api.cuGraphDestroy(recorded);
    }
    if (rc == 0) { /* now rather than at its first launch, which is timed */
        rc = rft_cuda_check(gpu, gpu->api.cuGraphUpload(handle, gpu->stream), RFT_E_LIMIT, "loading a graph", err);
        if (rc != 0) {
            gpu->api.cuGraphExecDestroy(handle);
        }
    }
    if (rc == 0) {
        *out = rft_alloc(sizeof **out);
        (*out)->handle = handle;
    }
    return rc;
}

int rft_cuda_graph_launch(rft_gpu *base, rft_graph *graph, rft_err *err) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    int rc = rft_cuda_usable(gpu, err);
    return rc != 0 ? rc
                   : rft_cuda_check(gpu, gpu->api.cuGraphLaunch(graph->handle, gpu->stream), RFT_E_LIMIT,
                                    "launching a graph", err);
}

void rft_cuda_graph_free(rft_gpu *base, rft_graph *graph) {
    cuda_gpu *gpu = (cuda_gpu *)base;
    if (graph && !gpu->is_sticky) { /* it may run still: the driver waits with what it frees */
        gpu->api.cuGraphExecDestroy(graph->handle);
    }
    free(graph);
}
