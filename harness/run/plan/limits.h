/* SPDX-License-Identifier: Apache-2.0 */
/* limits.h - what a device cannot run, known before compiling, so that no script repeats hardware limits. */
#ifndef RFT_RUN_LIMITS_H
#define RFT_RUN_LIMITS_H

#include "base/arena.h"
#include "gpu/compiler.h"
#include "model/card/gpu_info.h"
#include "model/sweep/spec.h"

/* Why the point exceeds the device ("2048 threads per block, the device allows 1024"), in `arena`; NULL when it fits.
 */
const char *rft_limits_exceeded(const rft_point_spec *spec, const rft_gpu_info *gpu, rft_arena *arena);

/* The same for what only the compiler tells: registers, and static shared memory, also where the compile failed over
 * it.
 */
const char *rft_limits_exceeded_compiled(const rft_compile_result *compiled, const rft_point_spec *spec,
                                         const rft_gpu_info *gpu, rft_arena *arena);

/* What ptxas says where it runs each wgmma by itself, since registers or accesses between them leave it no pipeline
 * (C7510 and its neighbours): the code is right, and no tensor-core configuration that anyone means. In `arena`; NULL.
 */
const char *rft_limits_serialized(const rft_compile_result *compiled, rft_arena *arena);

#endif
