/* SPDX-License-Identifier: Apache-2.0 */
/* A libcupti for tests: it minds the order in which it is called, as the real one does, and counts nothing. */
#include "gpu/fake_cupti.h"

#include <cuda.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>
#include <cupti_version.h>
#include <stdlib.h>
#include <string.h>

extern fake_cupti_state fake_cupti;
fake_cupti_state fake_cupti;

enum { METRICS_A_PASS = 10, IMAGE_BYTES = 64 };

static int is_mode(const char *name) {
    const char *text = getenv("FAKE_CUPTI");
    return text && strcmp(text, name) == 0;
}

static CUptiResult called(CUptiResult result) {
    fake_cupti.calls++;
    return result;
}

CUptiResult cuptiGetVersion(uint32_t *version) {
    *version = is_mode("old") ? 18 : CUPTI_API_VERSION;
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiGetResultString(CUptiResult result, const char **text) {
    *text = result == CUPTI_ERROR_INSUFFICIENT_PRIVILEGES ? "CUPTI_ERROR_INSUFFICIENT_PRIVILEGES"
            : result == CUPTI_ERROR_HARDWARE_BUSY         ? "CUPTI_ERROR_HARDWARE_BUSY"
                                                          : NULL;
    return *text ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER;
}

/* ---- the host half: an object is how many metrics were added ---- */
CUptiResult cuptiProfilerHostInitialize(CUpti_Profiler_Host_Initialize_Params *p) {
    if (strcmp(p->pChipName, "GH100") != 0) {
        return called((CUptiResult)46);
    }
    fake_cupti.hosts++;
    p->pHostObject = calloc(1, sizeof(size_t));
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiProfilerHostDeinitialize(CUpti_Profiler_Host_Deinitialize_Params *p) {
    fake_cupti.hosts--;
    free(p->pHostObject);
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiProfilerHostConfigAddMetrics(CUpti_Profiler_Host_ConfigAddMetrics_Params *p) {
    for (size_t i = 0; i < p->numMetrics; i++) {
        if (strstr(p->ppMetricNames[i], "2_pred_on") || strstr(p->ppMetricNames[i], "nonsense") ||
            strstr(p->ppMetricNames[i], "gmma")) {
            return called(CUPTI_ERROR_INVALID_PARAMETER);
        }
    }
    *(size_t *)(void *)p->pHostObject += p->numMetrics;
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiProfilerHostGetConfigImageSize(CUpti_Profiler_Host_GetConfigImageSize_Params *p) {
    p->configImageSize = IMAGE_BYTES;
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiProfilerHostGetConfigImage(CUpti_Profiler_Host_GetConfigImage_Params *p) {
    fake_cupti.configs++;
    memcpy(p->pConfigImage, p->pHostObject, sizeof(size_t));
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiProfilerHostGetNumOfPasses(CUpti_Profiler_Host_GetNumOfPasses_Params *p) {
    size_t count = 0;
    memcpy(&count, p->pConfigImage, sizeof count);
    p->numOfPasses = (count + METRICS_A_PASS - 1) / METRICS_A_PASS;
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiProfilerHostEvaluateToGpuValues(CUpti_Profiler_Host_EvaluateToGpuValues_Params *p) {
    for (size_t i = 0; i < p->numMetrics; i++) {
        p->pMetricValues[i] = (double)strlen(p->ppMetricNames[i]);
    }
    return called(p->counterDataImageSize == IMAGE_BYTES ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}

/* ---- the device ---- */
CUptiResult cuptiProfilerDeviceSupported(CUpti_Profiler_DeviceSupported_Params *p) {
    CUpti_Profiler_Support_Level yes = CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    p->architecture = p->sli = p->cmp = p->wsl = yes;
    p->vGpu = is_mode("vgpu") ? CUPTI_PROFILER_CONFIGURATION_DISABLED : yes;
    p->confidentialCompute = is_mode("confidential") ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED : yes;
    p->isSupported = is_mode("vgpu") || is_mode("confidential") ? CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED : yes;
    return called(p->api == CUPTI_PROFILER_RANGE_PROFILING ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}
CUptiResult cuptiProfilerInitialize(CUpti_Profiler_Initialize_Params *p) {
    (void)p;
    fake_cupti.initialized++;
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiProfilerDeInitialize(CUpti_Profiler_DeInitialize_Params *p) {
    (void)p;
    fake_cupti.initialized--;
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiDeviceGetChipName(CUpti_Device_GetChipName_Params *p) {
    p->pChipName = is_mode("chip") ? "GX999" : "GH100";
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiProfilerGetCounterAvailability(CUpti_Profiler_GetCounterAvailability_Params *p) {
    if (is_mode("privileges")) {
        return called(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES);
    }
    p->counterAvailabilityImageSize = IMAGE_BYTES;
    return called(fake_cupti.profilers == 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION);
}

/* ---- a session ---- */
CUptiResult cuptiRangeProfilerEnable(CUpti_RangeProfiler_Enable_Params *p) {
    if (is_mode("busy")) {
        return called(CUPTI_ERROR_HARDWARE_BUSY);
    }
    fake_cupti.profilers++;
    fake_cupti.attached++;
    fake_cupti.started = fake_cupti.in_range = 0;
    p->pRangeProfilerObject = (CUpti_RangeProfiler_Object *)(void *)&fake_cupti;
    return called(p->ctx && fake_cupti.initialized == 1 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_CONTEXT);
}
CUptiResult cuptiRangeProfilerDisable(CUpti_RangeProfiler_Disable_Params *p) {
    fake_cupti.profilers--;
    return called(p->pRangeProfilerObject ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}
CUptiResult cuptiRangeProfilerGetCounterDataSize(CUpti_RangeProfiler_GetCounterDataSize_Params *p) {
    p->counterDataSize = IMAGE_BYTES;
    return called(p->maxNumRangeTreeNodes >= p->maxNumOfRanges ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_PARAMETER);
}
CUptiResult cuptiRangeProfilerCounterDataImageInitialize(CUpti_RangeProfiler_CounterDataImage_Initialize_Params *p) {
    memset(p->pCounterData, 0, p->counterDataSize);
    fake_cupti.started = 0; /* passes are counted anew */
    return called(CUPTI_SUCCESS);
}
CUptiResult cuptiRangeProfilerSetConfig(CUpti_RangeProfiler_SetConfig_Params *p) {
    size_t count = 0;
    memcpy(&count, p->pConfig, sizeof count);
    fake_cupti.passes = (int)((count + METRICS_A_PASS - 1) / METRICS_A_PASS);
    return called(p->range == CUPTI_UserRange && p->replayMode == CUPTI_UserReplay && p->maxRangesPerPass == 1 &&
                          p->numNestingLevels == 1 && p->minNestingLevel == 1
                      ? CUPTI_SUCCESS
                      : CUPTI_ERROR_INVALID_PARAMETER);
}
CUptiResult cuptiRangeProfilerStart(CUpti_RangeProfiler_Start_Params *p) {
    (void)p;
    fake_cupti.started++;
    return called(fake_cupti.started <= fake_cupti.passes ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION);
}
CUptiResult cuptiRangeProfilerPushRange(CUpti_RangeProfiler_PushRange_Params *p) {
    return called(p->pRangeName && fake_cupti.in_range++ == 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION);
}
CUptiResult cuptiRangeProfilerPopRange(CUpti_RangeProfiler_PopRange_Params *p) {
    (void)p;
    return called(fake_cupti.in_range-- == 1 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION);
}
CUptiResult cuptiRangeProfilerStop(CUpti_RangeProfiler_Stop_Params *p) {
    p->isAllPassSubmitted = fake_cupti.started == fake_cupti.passes;
    return called(fake_cupti.in_range == 0 ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION);
}
CUptiResult cuptiRangeProfilerDecodeData(CUpti_RangeProfiler_DecodeData_Params *p) {
    p->numOfRangeDropped = is_mode("dropped");
    return called(fake_cupti.started == fake_cupti.passes ? CUPTI_SUCCESS : CUPTI_ERROR_INVALID_OPERATION);
}
CUptiResult cuptiRangeProfilerGetCounterDataInfo(CUpti_RangeProfiler_GetCounterDataInfo_Params *p) {
    p->numTotalRanges = 1;
    return called(CUPTI_SUCCESS);
}
