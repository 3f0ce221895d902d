/* SPDX-License-Identifier: Apache-2.0 */
/* Collecting on a device: CUPTI's range profiler with one range of ours, replayed by us. */
#include "gpu/cupti/cupti_parts.h"

#include <cuda.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>
#include <stdlib.h>

#define RANGE_MAP(X)                                                                                                   \
    X(cuptiProfilerInitialize)                                                                                         \
    X(cuptiProfilerDeInitialize)                                                                                       \
    X(cuptiProfilerDeviceSupported)                                                                                    \
    X(cuptiProfilerGetCounterAvailability)                                                                             \
    X(cuptiDeviceGetChipName)                                                                                          \
    X(cuptiRangeProfilerEnable)                                                                                        \
    X(cuptiRangeProfilerDisable)                                                                                       \
    X(cuptiRangeProfilerGetCounterDataSize)                                                                            \
    X(cuptiRangeProfilerCounterDataImageInitialize)                                                                    \
    X(cuptiRangeProfilerSetConfig)                                                                                     \
    X(cuptiRangeProfilerStart)                                                                                         \
    X(cuptiRangeProfilerStop)                                                                                          \
    X(cuptiRangeProfilerPushRange)                                                                                     \
    X(cuptiRangeProfilerPopRange)                                                                                      \
    X(cuptiRangeProfilerDecodeData)                                                                                    \
    X(cuptiRangeProfilerGetCounterDataInfo)

typedef struct range_api {
#define RANGE_FIELD(name) __typeof__(&name) name;
    RANGE_MAP(RANGE_FIELD)
#undef RANGE_FIELD
} range_api;

static const rft_dynlib_symbol symbols[] = {
#define RANGE_SYMBOL(name) {#name, offsetof(range_api, name), false},
    RANGE_MAP(RANGE_SYMBOL)
#undef RANGE_SYMBOL
};

/* Each parameter struct begins with its size and is zero elsewhere. */
#define PARAMS(type, ...) ((type##_Params){.structSize = type##_Params_STRUCT_SIZE, __VA_ARGS__})

struct rft_cupti_range {
    const rft_cupti_lib *lib;
    range_api api;
    CUcontext context;
    bool initialized;
    char *chip;
    uint8_t *availability;
    CUpti_RangeProfiler_Object *profiler; /* NULL: not attached */
    uint8_t *data;                        /* the counter data image of the session, while attached */
    size_t data_bytes;
};

static int check(const rft_cupti_range *range, int status, const char *what, rft_err *err) {
    return rft_cupti_check(range->lib, status, what, err);
}

/* ---- the device ---- */
/* Which of the flags says no; they are asked before anything is attached. */
static int explain_unsupported(const CUpti_Profiler_DeviceSupported_Params *asked, rft_err *err) {
    const struct {
        CUpti_Profiler_Support_Level level;
        const char *why, *remedy;
    } rows[] = {
        {asked->architecture,
         "CUPTI's range profiler does not know its architecture (compute capability 7.5 and newer)",
         "install the CUPTI of a newer CUDA release"},
        {asked->vGpu, "it is a virtual GPU whose host does not allow profiling",
         "the host's vGPU parameter enable_profiling=1"},
        {asked->confidentialCompute, "confidential computing is on, which hides the counters",
         "its devtools mode shows them"},
        {asked->sli, "SLI is on", "switch it off"},
        {asked->cmp, "it is a mining card", "none: run without counters"},
        {asked->wsl, "this WSL does not give counters", "update the Windows driver"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED ||
            rows[i].level == CUPTI_PROFILER_CONFIGURATION_DISABLED) {
            rft_err_set(err, RFT_E_LIMIT, "this device gives no counters: %s", rows[i].why);
            rft_err_remedy(err, "%s; --counters none goes without", rows[i].remedy);
            return RFT_E_LIMIT;
        }
    }
    rft_err_set(err, RFT_E_LIMIT, "this device gives no counters: CUPTI does not say why");
    rft_err_remedy(err, "--counters none goes without");
    return RFT_E_LIMIT;
}

static int ask_device(rft_cupti_range *range, int device, rft_err *err) {
    CUpti_Profiler_DeviceSupported_Params supported =
        PARAMS(CUpti_Profiler_DeviceSupported, .cuDevice = device, .api = CUPTI_PROFILER_RANGE_PROFILING);
    int rc = check(range, range->api.cuptiProfilerDeviceSupported(&supported), "asking whether the device has counters",
                   err);
    if (rc == 0 && supported.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) {
        rc = explain_unsupported(&supported, err);
    }
    if (rc != 0) {
        return rc;
    }
    CUpti_Profiler_Initialize_Params initialize = PARAMS(CUpti_Profiler_Initialize, .pPriv = NULL);
    if ((rc = check(range, range->api.cuptiProfilerInitialize(&initialize), "starting CUPTI", err)) != 0) {
        return rc;
    }
    range->initialized = true;
    CUpti_Device_GetChipName_Params chip = PARAMS(CUpti_Device_GetChipName, .deviceIndex = (size_t)device);
    rc = check(range, range->api.cuptiDeviceGetChipName(&chip), "asking for the chip's name", err);
    if (rc == 0) {
        range->chip = rft_strdup(chip.pChipName);
    }
    return rc;
}

static int ask_availability(rft_cupti_range *range, rft_err *err) {
    CUpti_Profiler_GetCounterAvailability_Params params =
        PARAMS(CUpti_Profiler_GetCounterAvailability, .ctx = range->context);
    int rc = check(range, range->api.cuptiProfilerGetCounterAvailability(&params), "asking which counters it has", err);
    if (rc == 0) {
        range->availability = rft_alloc(params.counterAvailabilityImageSize);
        params.pCounterAvailabilityImage = range->availability;
        rc = check(range, range->api.cuptiProfilerGetCounterAvailability(&params), "asking which counters it has", err);
    }
    return rc;
}

int rft_cupti_range_open(rft_cupti_range **out, const rft_cupti_lib *lib, void *context, int device, rft_err *err) {
    rft_cupti_range *range = rft_alloc(sizeof *range);
    range->lib = lib;
    range->context = context;
    int rc = rft_cupti_lib_table(lib, &range->api, symbols, sizeof symbols / sizeof *symbols, err);
    if (rc == 0) {
        rc = ask_device(range, device, err);
    }
    if (rc == 0) {
        rc = ask_availability(range, err);
    }
    if (rc == 0) {
        *out = range;
    } else {
        rft_cupti_range_close(range, true);
    }
    return rc;
}

void rft_cupti_range_close(rft_cupti_range *range, bool context_lives) {
    if (!range) {
        return;
    }
    rft_cupti_range_end(range, context_lives, NULL);
    if (range->initialized && context_lives) {
        CUpti_Profiler_DeInitialize_Params params = PARAMS(CUpti_Profiler_DeInitialize, .pPriv = NULL);
        range->api.cuptiProfilerDeInitialize(&params);
    }
    free(range->chip);
    free(range->availability);
    free(range);
}

const char *rft_cupti_range_chip(const rft_cupti_range *range) {
    return range->chip;
}

const uint8_t *rft_cupti_range_availability(const rft_cupti_range *range) {
    return range->availability;
}

/* ---- a session ---- */
static int empty_data(rft_cupti_range *range, rft_err *err) {
    CUpti_RangeProfiler_CounterDataImage_Initialize_Params image =
        PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize, .pRangeProfilerObject = range->profiler,
               .counterDataSize = range->data_bytes, .pCounterData = range->data);
    return check(range, range->api.cuptiRangeProfilerCounterDataImageInitialize(&image), "making room for the counters",
                 err);
}

static int make_data(rft_cupti_range *range, const rft_cupti_selection *selection, rft_err *err) {
    CUpti_RangeProfiler_GetCounterDataSize_Params size =
        PARAMS(CUpti_RangeProfiler_GetCounterDataSize, .pRangeProfilerObject = range->profiler,
               .pMetricNames = selection->metrics, .numMetrics = selection->metric_count, .maxNumOfRanges = 1,
               .maxNumRangeTreeNodes = 1);
    int rc = check(range, range->api.cuptiRangeProfilerGetCounterDataSize(&size), "making room for the counters", err);
    if (rc != 0) {
        return rc;
    }
    range->data_bytes = size.counterDataSize;
    range->data = rft_alloc(range->data_bytes);
    return empty_data(range, err);
}

int rft_cupti_range_begin(rft_cupti_range *range, const rft_cupti_selection *selection, rft_err *err) {
    if (range->profiler) {
        return empty_data(range, err);
    }
    CUpti_RangeProfiler_Enable_Params enable = PARAMS(CUpti_RangeProfiler_Enable, .ctx = range->context);
    int rc = check(range, range->api.cuptiRangeProfilerEnable(&enable), "attaching the profiler", err);
    if (rc != 0) {
        return rc;
    }
    range->profiler = enable.pRangeProfilerObject;
    if ((rc = make_data(range, selection, err)) == 0) {
        CUpti_RangeProfiler_SetConfig_Params config = PARAMS(
            CUpti_RangeProfiler_SetConfig, .pRangeProfilerObject = range->profiler,
            .configSize = selection->config.image_bytes, .pConfig = selection->config.image,
            .counterDataImageSize = range->data_bytes, .pCounterDataImage = range->data, .range = CUPTI_UserRange,
            .replayMode = CUPTI_UserReplay, .maxRangesPerPass = 1, .numNestingLevels = 1, .minNestingLevel = 1);
        rc = check(range, range->api.cuptiRangeProfilerSetConfig(&config), "setting the counters", err);
    }
    if (rc != 0) {
        rft_cupti_range_end(range, true, NULL);
    }
    return rc;
}

int rft_cupti_range_start(rft_cupti_range *range, rft_err *err) {
    CUpti_RangeProfiler_Start_Params start = PARAMS(CUpti_RangeProfiler_Start, .pRangeProfilerObject = range->profiler);
    CUpti_RangeProfiler_PushRange_Params push =
        PARAMS(CUpti_RangeProfiler_PushRange, .pRangeProfilerObject = range->profiler, .pRangeName = "point");
    int rc = check(range, range->api.cuptiRangeProfilerStart(&start), "starting the counters", err);
    return rc != 0 ? rc : check(range, range->api.cuptiRangeProfilerPushRange(&push), "starting the counters", err);
}

int rft_cupti_range_stop(rft_cupti_range *range, bool *again, rft_err *err) {
    CUpti_RangeProfiler_PopRange_Params pop =
        PARAMS(CUpti_RangeProfiler_PopRange, .pRangeProfilerObject = range->profiler);
    CUpti_RangeProfiler_Stop_Params stop = PARAMS(CUpti_RangeProfiler_Stop, .pRangeProfilerObject = range->profiler);
    int rc = check(range, range->api.cuptiRangeProfilerPopRange(&pop), "stopping the counters", err);
    if (rc == 0) {
        rc = check(range, range->api.cuptiRangeProfilerStop(&stop), "stopping the counters", err);
        *again = !stop.isAllPassSubmitted;
    }
    return rc;
}

int rft_cupti_range_data(rft_cupti_range *range, const uint8_t **data, size_t *bytes, rft_err *err) {
    CUpti_RangeProfiler_DecodeData_Params decode =
        PARAMS(CUpti_RangeProfiler_DecodeData, .pRangeProfilerObject = range->profiler);
    int rc = check(range, range->api.cuptiRangeProfilerDecodeData(&decode), "fetching the counters", err);
    if (rc != 0) {
        return rc;
    }
    CUpti_RangeProfiler_GetCounterDataInfo_Params info =
        PARAMS(CUpti_RangeProfiler_GetCounterDataInfo, .pCounterDataImage = range->data,
               .counterDataImageSize = range->data_bytes);
    rc = check(range, range->api.cuptiRangeProfilerGetCounterDataInfo(&info), "fetching the counters", err);
    if (rc == 0 && (info.numTotalRanges != 1 || decode.numOfRangeDropped != 0)) {
        rc = rft_err_set(err, RFT_E_LIMIT, "CUPTI kept %zu ranges of one and dropped %zu", info.numTotalRanges,
                         decode.numOfRangeDropped);
    }
    *data = range->data;
    *bytes = range->data_bytes;
    return rc;
}

int rft_cupti_range_end(rft_cupti_range *range, bool context_lives, rft_err *err) {
    int rc = 0;
    if (range->profiler && context_lives) {
        CUpti_RangeProfiler_Disable_Params disable =
            PARAMS(CUpti_RangeProfiler_Disable, .pRangeProfilerObject = range->profiler);
        rc = check(range, range->api.cuptiRangeProfilerDisable(&disable), "detaching the profiler", err);
    }
    range->profiler = NULL;
    free(range->data);
    range->data = NULL;
    return rc;
}
