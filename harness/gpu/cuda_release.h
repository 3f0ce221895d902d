/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cuda_release.h - which release of CUDA's libraries fits here. One program works with the libraries of CUDA 12 and of
 * 13: what it calls of them has the same names, numbers and structures in both. A driver takes the code of its own
 * major release and of older ones, so the newest library that the driver takes is chosen. Private to the gpu room.
 */
#ifndef RFT_GPU_CUDA_RELEASE_H
#define RFT_GPU_CUDA_RELEASE_H

#include "gpu/dynlib.h"

/* Major releases that rooftune works with. */
enum { RFT_CUDA_OLDEST = 12, RFT_CUDA_NEWEST = 13 };
/* Of a driver that takes none of them. */
#define RFT_CUDA_DRIVER_REMEDY "update the driver (CUDA 12 needs release 525 or newer, CUDA 13 release 580)"

/* What the installed driver takes: 12080 for CUDA 12.8; 0: no driver is installed, or it does not tell. Loads the
 * driver without starting it. */
int rft_cuda_driver_release(void);

/* A library whose file names end in CUDA's major release. */
typedef struct rft_cuda_library {
    const char *title; /* "NVRTC" */
    const char *stem;  /* of its file: "libnvrtc" */
    const char *wheel; /* of NVIDIA's for the newest release, "nvidia-cuda-nvrtc"; of 12 it has "-cu12" behind it */
    int code;          /* of the error when none can be opened */
} rft_cuda_library;
extern const rft_cuda_library rft_cuda_nvrtc, rft_cuda_cupti, rft_cuda_cublaslt;

/* CUDA's major release of a CUPTI: its versions are 130001 and so on since 13.0, and were small counts before. */
int rft_cuda_cupti_major(unsigned version);

/* Its files from the newest release that the driver takes (`release`: rft_cuda_driver_release()) to the oldest, NULL at
 * the end, in `arena`. */
const char *const *rft_cuda_library_files(const rft_cuda_library *library, int release, rft_arena *arena);

/* Opens it and fills `table` as rft_dynlib_open(), looking in `places` (NULL: none) first. What does not fit the driver
 * is passed over, and named in the error when nothing else is there. *handle is owned: rft_dynlib_close(). */
int rft_cuda_library_open(void **handle, void *table, const rft_cuda_library *library, const rft_dynlib_symbol *symbols,
                          size_t symbol_count, const rft_library_places *places, rft_err *err);

/* Refuses an opened library of a major release that rooftune does not know or the driver does not take: a file without
 * a number may be any. `version` and `path` are for the message. library->code, else 0. */
int rft_cuda_library_check(const rft_cuda_library *library, int major, const char *version, const char *path,
                           rft_err *err);

#endif
