/* SPDX-License-Identifier: Apache-2.0 */
/* Launches recorded once and queued as one: they follow each other on the device as closely as it can. */
#include "gpu/driver/driver.h"

#include <stdlib.h>

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
