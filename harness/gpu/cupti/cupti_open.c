/* SPDX-License-Identifier: Apache-2.0 */
/* CUPTI's library: found, held against the headers' major version, and its errors put into words. */
#include "gpu/cuda_release.h"
#include "gpu/cupti/cupti_parts.h"

#include <cupti_result.h>
#include <cupti_version.h>
#include <stdlib.h>

typedef struct base_table {
    CUptiResult (*version)(uint32_t *version);
    CUptiResult (*text)(CUptiResult result, const char **text);
} base_table;

static const rft_dynlib_symbol base_symbols[] = {
    {"cuptiGetVersion", offsetof(base_table, version), false},
    {"cuptiGetResultString", offsetof(base_table, text), false},
};

struct rft_cupti_lib {
    void *handle;
    char *path;
    char version[600];
    base_table api;
};

int rft_cupti_lib_open(rft_cupti_lib **out, const rft_library_places *places, rft_err *err) {
    rft_cupti_lib *lib = rft_alloc(sizeof *lib);
    uint32_t version = 0;
    char text[32];
    int rc = rft_cuda_library_open(&lib->handle, &lib->api, &rft_cuda_cupti, base_symbols,
                                   sizeof base_symbols / sizeof *base_symbols, places, err);
    if (rc != 0) {
        rft_err_remedy(err, "%s; --counters none goes without", err->remedy);
        goto done;
    }
    lib->path = rft_dynlib_path(lib->handle);
    int status = lib->api.version(&version);
    if (status != CUPTI_SUCCESS) {
        rc = rft_cupti_check(lib, status, "asking CUPTI for its version", err);
        goto done;
    }
    rft_text_format(text, sizeof text, "API %u", (unsigned)version);
    rc = rft_cuda_library_check(&rft_cuda_cupti, rft_cuda_cupti_major(version), text, lib->path, err);
    if (rc != 0) {
        goto done;
    }
    rft_text_format(lib->version, sizeof lib->version, "CUPTI API %u, %s", (unsigned)version, lib->path);
    rft_dynlib_bring(lib->handle, "libnvperf_host.so"); /* it opens both by their bare names */
    rft_dynlib_bring(lib->handle, "libnvperf_target.so");
    *out = lib;
    lib = NULL;
done:
    rft_cupti_lib_close(lib);
    return rc;
}

void rft_cupti_lib_close(rft_cupti_lib *lib) {
    if (lib) {
        rft_dynlib_close(lib->handle);
        free(lib->path);
        free(lib);
    }
}

int rft_cupti_lib_table(const rft_cupti_lib *lib, void *table, const rft_dynlib_symbol *symbols, size_t count,
                        rft_err *err) {
    const char *const files[] = {lib->path, NULL};
    const rft_dynlib_spec spec = {
        .title = "CUPTI", .files = files, .symbols = symbols, .symbol_count = count, .code = RFT_E_NOT_FOUND};
    void *handle = NULL;
    int rc = rft_dynlib_open(&handle, table, &spec, err);
    rft_dynlib_close(handle); /* lib->handle keeps it */
    return rc;
}

const char *rft_cupti_lib_version(const rft_cupti_lib *lib) {
    return lib->version;
}

/* ---- errors ---- */
typedef struct cupti_remedy {
    int status;
    const char *text;
} cupti_remedy;

/* By number where releases of the header differ: 43 MIG, 46 unknown chip are of CUDA 12.x and 13. */
static const char *remedy_for(int status) {
    static const char privileges[] =
        "counters need root, CAP_SYS_ADMIN, or the driver option NVreg_RestrictProfilingToAdminUsers=0 on the host (in "
        "a container too): https://developer.nvidia.com/ERR_NVGPUCTRPERM; Nsight Compute may count elsewhere "
        "(rooftune point ... --ncu); without them --counters none";
    static const char held[] = "another profiler holds the counters (ncu, nsys, DCGM's profiling: dcgmi profiling "
                               "--pause, another rooftune): end it, or --counters none";
    static const cupti_remedy rows[] = {
        {CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, privileges},
        {CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES,
         "the virtual GPU's host must allow profiling (vGPU plugin parameter enable_profiling=1); --counters none goes "
         "without"},
        {CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, "a virtual GPU gives no counters here; --counters none"},
        {CUPTI_ERROR_HARDWARE_BUSY, held},
        {CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, held},
        {CUPTI_ERROR_OLD_PROFILER_API_INITIALIZED, held},
        {CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED,
         "confidential computing hides the counters (its devtools mode shows them); --counters none"},
        {CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, "mining cards give no counters; --counters none"},
        {43, "this MIG instance gives no counters; --counters none, or use the whole GPU"},
        {44, "switch SLI off, or --counters none"},
        {45, "allow counters for all users in the NVIDIA control panel of Windows, or --counters none"},
        {46, "this GPU is newer than the CUPTI found: install that of a newer CUDA release"},
        {CUPTI_ERROR_NOT_INITIALIZED,
         "the driver and CUPTI do not go together: install the CUPTI of the driver's CUDA release or an older one"},
        {CUPTI_ERROR_UNKNOWN,
         "another profiler may be attached (ncu, nsys, compute-sanitizer), or libnvperf_host.so and "
         "libnvperf_target.so are not beside libcupti; --counters none goes without"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (rows[i].status == status) {
            return rows[i].text;
        }
    }
    return "--counters none goes without";
}

int rft_cupti_check(const rft_cupti_lib *lib, int status, const char *what, rft_err *err) {
    const char *text = NULL;
    if (status == CUPTI_SUCCESS) {
        return 0;
    }
    if (lib->api.text((CUptiResult)status, &text) != CUPTI_SUCCESS || !text) {
        text = "CUPTI error";
    }
    rft_err_set(err, RFT_E_LIMIT, "%s: %s (%d)", what, text, status);
    rft_err_remedy(err, "%s", remedy_for(status));
    return RFT_E_LIMIT;
}
