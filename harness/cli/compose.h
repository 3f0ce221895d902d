/* SPDX-License-Identifier: Apache-2.0 */
/* compose.h - which implementation stands behind which seam: compilers, devices, folders, the host's facts. */
#ifndef RFT_CLI_COMPOSE_H
#define RFT_CLI_COMPOSE_H

#include "cli/cli.h"
#include "gpu/compiler.h"
#include "gpu/counting.h"
#include "gpu/vendor.h"
#include "model/run/run.h"
#include "run/worker/confine.h"
#include "script/script.h"

/* NVRTC behind the cubin cache. Environment: RFT_NVRTC (folder of the library; "off": none), CUDA_HOME, RFT_CACHE or
 * XDG_CACHE_HOME (folder of the cache; RFT_CACHE=off: none), RFT_CACHE_LIMIT ("500MB"; 0: none). RFT_E_COMPILER with a
 * remedy when there is no NVRTC. */
int rft_compose_compiler(rft_cli *cli, rft_compiler **out, rft_err *err);

/* Warns where the cache's folder cannot be written: the workers, which use it, leave that to their coordinator. */
void rft_compose_look_at_cache(rft_cli *cli);

/* cuBLASLt on this device. Environment: RFT_CUBLASLT (folder of the library; "off": none), CUDA_HOME. RFT_E_NOT_FOUND
 * with a remedy when it is not there. */
int rft_compose_vendor(rft_cli *cli, rft_gpu *gpu, rft_vendor **out, rft_err *err);

/* CUPTI's counters of this device. Environment: RFT_CUPTI (folder of the library; "off": none), CUDA_HOME.
 * RFT_E_NOT_FOUND or RFT_E_LIMIT (it may not, or cannot, count here) with a remedy. */
int rft_compose_counting(rft_cli *cli, rft_gpu *gpu, rft_counting **out, rft_err *err);

/* What a set comes to on a chip, as rft_cupti_plan_chip(), by the library that rft_compose_counting() would open. */
int rft_compose_counter_plan(rft_cli *cli, const char *chip, const rft_counter_set *set, rft_counter_plan *out,
                             rft_arena *arena, rft_err *err);

/* Path of compute-sanitizer: on PATH, else in CUDA_HOME or /usr/local/cuda. NULL: it is not there. */
const char *rft_compose_sanitizer(rft_arena *arena);

/* What opens here, for `rooftune devices`: keys "cuda", "nvml", "cupti", "cublaslt" as rft_libraries_describe(); what
 * is switched off says so. */
void rft_compose_describe_libraries(rft_env *env, rft_arena *arena);

/* Versions of CUPTI and cuBLASLt by their files, none of them opened: keys "cupti.version", "cublaslt.version". */
void rft_compose_library_versions(rft_env *env, rft_arena *arena);

/* The folder of the cache (RFT_CACHE, XDG_CACHE_HOME, HOME); NULL: none. */
const char *rft_compose_cache_folder(rft_arena *arena);

/* The file kernels/lib/NAME of the installation; NULL when it is nowhere. */
const char *rft_compose_data_file(rft_cli *cli, rft_arena *arena, const char *name);

/* What `sweeps` (NULL: none) and what they name may read: the tree of each (base/roots.h), rooftune's own kernels,
 * CUDA's headers, and the folders of --allow-path. In the arena. */
rft_roots rft_compose_roots(rft_cli *cli, const rft_words *sweeps, rft_arena *arena);

/* What a compile worker keeps of the file system besides what its compiler reads, and what a device worker does, with
 * the roots that inputs are read from. */
rft_confinement rft_compose_compile_confinement(const rft_roots *roots, rft_arena *arena);
rft_confinement rft_compose_device_confinement(const rft_roots *roots, rft_arena *arena);

/* The representative device of an architecture ("sm_90a") or of a named device's ("h200"). RFT_E_USAGE. */
int rft_compose_arch(rft_cli *cli, rft_gpu_info *out, const char *word, rft_err *err);

/* Loads a script for a device. */
int rft_compose_script(rft_cli *cli, rft_script **out, const char *path, const rft_gpu_info *gpu,
                       const rft_words *script_args, rft_err *err);

/* Datasheet values and hardware limits beside the measured ceilings. */
int rft_compose_annotate(rft_cli *cli, rft_arena *arena, rft_ceilings *ceilings, const rft_gpu_info *gpu, rft_err *err);

/* Compile workers for this machine: usable cores - 2, at least 1. */
size_t rft_compose_compile_workers(void);

#endif
