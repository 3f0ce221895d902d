/* SPDX-License-Identifier: Apache-2.0 */
/* nvrtc_api.h - NVRTC's functions as opened at run time, and where its headers are. Private to nvrtc*.c. */
#ifndef RFT_GPU_NVRTC_API_H
#define RFT_GPU_NVRTC_API_H

#include "base/arena.h"
#include "base/err.h"
#include "gpu/compiler.h"

#include <nvrtc.h>

/* name, optional */
#define RFT_NVRTC_MAP(X)                                                                                               \
    X(nvrtcGetErrorString, false)                                                                                      \
    X(nvrtcVersion, false)                                                                                             \
    X(nvrtcGetNumSupportedArchs, false)                                                                                \
    X(nvrtcGetSupportedArchs, false)                                                                                   \
    X(nvrtcCreateProgram, false)                                                                                       \
    X(nvrtcDestroyProgram, false)                                                                                      \
    X(nvrtcCompileProgram, false)                                                                                      \
    X(nvrtcAddNameExpression, false)                                                                                   \
    X(nvrtcGetLoweredName, false)                                                                                      \
    X(nvrtcGetProgramLogSize, false)                                                                                   \
    X(nvrtcGetProgramLog, false)                                                                                       \
    X(nvrtcGetCUBINSize, false)                                                                                        \
    X(nvrtcGetCUBIN, false)                                                                                            \
    X(nvrtcGetPTXSize, false)                                                                                          \
    X(nvrtcGetPTX, false)

typedef struct rft_nvrtc_api {
#define RFT_NVRTC_FIELD(name, optional) __typeof__(&name) name;
    RFT_NVRTC_MAP(RFT_NVRTC_FIELD)
#undef RFT_NVRTC_FIELD
} rft_nvrtc_api;

/* Opens the newest library that the driver takes (cuda_release.h). RFT_E_COMPILER. */
int rft_nvrtc_open(void **handle, rft_nvrtc_api *api, const rft_nvrtc_opts *opts, rft_err *err);

/* The folders to pass with -I, in `arena`: the first that holds cuda_fp16.h of this major release of: near the library
 * `handle` came from, those of opts, the toolkit found at build time; and what lies beside it. 0 when there is none. */
size_t rft_nvrtc_include_folders(const char ***out, void *handle, int major, const rft_nvrtc_opts *opts,
                                 rft_arena *arena);

#endif
