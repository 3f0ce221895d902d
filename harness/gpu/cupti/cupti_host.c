/* SPDX-License-Identifier: Apache-2.0 */
/* The half of CUPTI that needs no device: which metrics a chip has, how they go into passes, what readings mean. */
#include "gpu/cupti/cupti_parts.h"

#include <cupti_profiler_host.h>
#include <math.h>
#include <stdlib.h>

#define HOST_MAP(X)                                                                                                    \
    X(cuptiProfilerHostInitialize)                                                                                     \
    X(cuptiProfilerHostDeinitialize)                                                                                   \
    X(cuptiProfilerHostConfigAddMetrics)                                                                               \
    X(cuptiProfilerHostGetConfigImageSize)                                                                             \
    X(cuptiProfilerHostGetConfigImage)                                                                                 \
    X(cuptiProfilerHostGetNumOfPasses)                                                                                 \
    X(cuptiProfilerHostEvaluateToGpuValues)

typedef struct host_api {
#define HOST_FIELD(name) __typeof__(&name) name;
    HOST_MAP(HOST_FIELD)
#undef HOST_FIELD
} host_api;

static const rft_dynlib_symbol symbols[] = {
#define HOST_SYMBOL(name) {#name, offsetof(host_api, name), false},
    HOST_MAP(HOST_SYMBOL)
#undef HOST_SYMBOL
};

struct rft_cupti_host {
    const rft_cupti_lib *lib;
    host_api api;
    char *chip;
    const uint8_t *availability;
};

static int new_object(const rft_cupti_host *host, CUpti_Profiler_Host_Object **out) {
    CUpti_Profiler_Host_Initialize_Params params = {.structSize = CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE,
                                                    .profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER,
                                                    .pChipName = host->chip,
                                                    .pCounterAvailabilityImage = host->availability};
    int status = host->api.cuptiProfilerHostInitialize(&params);
    *out = params.pHostObject;
    return status;
}

static void free_object(const rft_cupti_host *host, CUpti_Profiler_Host_Object *object) {
    CUpti_Profiler_Host_Deinitialize_Params params = {.structSize = CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE,
                                                      .pHostObject = object};
    if (object) {
        host->api.cuptiProfilerHostDeinitialize(&params);
    }
}

static int add_metrics(const rft_cupti_host *host, CUpti_Profiler_Host_Object *object, const char *const *metrics,
                       size_t count) {
    CUpti_Profiler_Host_ConfigAddMetrics_Params params = {.structSize =
                                                              CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE,
                                                          .pHostObject = object,
                                                          .ppMetricNames = (const char **)metrics,
                                                          .numMetrics = count};
    return host->api.cuptiProfilerHostConfigAddMetrics(&params);
}

int rft_cupti_host_open(rft_cupti_host **out, const rft_cupti_lib *lib, const char *chip, const uint8_t *availability,
                        rft_err *err) {
    rft_cupti_host *host = rft_alloc(sizeof *host);
    CUpti_Profiler_Host_Object *object = NULL;
    host->lib = lib;
    host->chip = rft_strdup(chip);
    host->availability = availability;
    int rc = rft_cupti_lib_table(lib, &host->api, symbols, sizeof symbols / sizeof *symbols, err);
    if (rc == 0) {
        rc = rft_cupti_check(lib, new_object(host, &object), "asking CUPTI for the counters of this chip", err);
        if (rc != 0) {
            rft_err_context(err, "%s", chip);
        }
        free_object(host, object);
    }
    if (rc == 0) {
        *out = host;
    } else {
        rft_cupti_host_close(host);
    }
    return rc;
}

void rft_cupti_host_close(rft_cupti_host *host) {
    if (host) {
        free(host->chip);
        free(host);
    }
}

const char *rft_cupti_host_chip(const rft_cupti_host *host) {
    return host->chip;
}

/* A fresh object each time: one that refused a metric, or made an image, takes no more. */
bool rft_cupti_host_accepts(const rft_cupti_host *host, const char *const *metrics, size_t count) {
    CUpti_Profiler_Host_Object *object = NULL;
    bool accepted =
        new_object(host, &object) == CUPTI_SUCCESS && add_metrics(host, object, metrics, count) == CUPTI_SUCCESS;
    if (accepted) { /* what the device lacks shows only here */
        CUpti_Profiler_Host_GetConfigImageSize_Params size = {
            .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE, .pHostObject = object};
        accepted = host->api.cuptiProfilerHostGetConfigImageSize(&size) == CUPTI_SUCCESS && size.configImageSize > 0;
    }
    free_object(host, object);
    return accepted;
}

static int make_image(const rft_cupti_host *host, CUpti_Profiler_Host_Object *object, rft_cupti_config *out,
                      rft_err *err) {
    CUpti_Profiler_Host_GetConfigImageSize_Params size = {
        .structSize = CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE, .pHostObject = object};
    int rc =
        rft_cupti_check(host->lib, host->api.cuptiProfilerHostGetConfigImageSize(&size), "arranging the counters", err);
    if (rc != 0) {
        return rc;
    }
    out->image_bytes = size.configImageSize;
    out->image = rft_alloc(out->image_bytes);
    CUpti_Profiler_Host_GetConfigImage_Params image = {.structSize =
                                                           CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE,
                                                       .pHostObject = object,
                                                       .configImageSize = out->image_bytes,
                                                       .pConfigImage = out->image};
    CUpti_Profiler_Host_GetNumOfPasses_Params passes = {.structSize =
                                                            CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE,
                                                        .configImageSize = out->image_bytes,
                                                        .pConfigImage = out->image};
    rc = rft_cupti_check(host->lib, host->api.cuptiProfilerHostGetConfigImage(&image), "arranging the counters", err);
    if (rc == 0) {
        rc = rft_cupti_check(host->lib, host->api.cuptiProfilerHostGetNumOfPasses(&passes), "counting the passes", err);
        out->passes = (int)passes.numOfPasses;
    }
    return rc;
}

int rft_cupti_host_config(const rft_cupti_host *host, const char *const *metrics, size_t count, rft_cupti_config *out,
                          rft_err *err) {
    CUpti_Profiler_Host_Object *object = NULL;
    *out = (rft_cupti_config){.image = NULL};
    int rc = rft_cupti_check(host->lib, new_object(host, &object), "starting CUPTI's host side", err);
    if (rc == 0) {
        out->evaluator = object;
        rc = rft_cupti_check(host->lib, add_metrics(host, object, metrics, count), "choosing the counters", err);
    }
    if (rc == 0) {
        rc = make_image(host, object, out, err);
    }
    if (rc != 0) {
        rft_cupti_config_clear(host, out);
    }
    return rc;
}

void rft_cupti_config_clear(const rft_cupti_host *host, rft_cupti_config *config) {
    free_object(host, config->evaluator);
    free(config->image);
    *config = (rft_cupti_config){.image = NULL};
}

int rft_cupti_host_values(const rft_cupti_host *host, const rft_cupti_config *config, const uint8_t *data,
                          size_t data_bytes, const char *const *metrics, size_t count, double *values, rft_err *err) {
    CUpti_Profiler_Host_EvaluateToGpuValues_Params params = {
        .structSize = CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE,
        .pHostObject = config->evaluator,
        .pCounterDataImage = data,
        .counterDataImageSize = data_bytes,
        .rangeIndex = 0,
        .ppMetricNames = (const char **)metrics,
        .numMetrics = count,
        .pMetricValues = values};
    for (size_t i = 0; i < count; i++) {
        values[i] = NAN; /* what CUPTI leaves out stays unknown */
    }
    return rft_cupti_check(host->lib, host->api.cuptiProfilerHostEvaluateToGpuValues(&params), "reading the counters",
                           err);
}
